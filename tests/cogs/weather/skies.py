"""Weeks, rollovers, and the longest labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import discord
from msgspec.structs import replace

from bot.core.records import Entry, SaltedText
from bot.rolls.entry_body import list_audiences, roll_body
from bot.rolls.request import PartRequest, RollRequest
from rules.books.campaign import weather
from rules.dice import ScriptedDice
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve
from tests.support.world import BOOKS

BOOK = BOOKS["campaign"]
STORMY = (2, 3, 3, 1, 2)
"""Faces that bring Severe Storms to every zone but the Antarctic Sea."""

FAIR = (20, 20, 20, 15, 10)


def long(name: str) -> str:
    """A 60-character label of markdown."""
    return f"{name}_".ljust(60, "*")


def stretch_labels(book: RuleSet, *, all_land: bool = False) -> RuleSet:
    """The book with the longest labels."""
    zones = {
        zone.id: replace(
            zone,
            label=long(f"zone-{zone.id}"),
            regions=tuple(
                replace(region, label=long(region.id), land=region.land or all_land, severe_storms_flood=True)
                for region in zone.regions
            ),
        )
        for zone in book.zones.values()
    }
    conditions = {trait: replace(item, label=long(trait)) for trait, item in book.conditions.items()}
    return replace(book, zones=zones, conditions=conditions)


def week(book: RuleSet, number: int, outcome: str = "category-6") -> weather.Week:
    """A week with one outcome everywhere."""
    made = weather.Week(number, {}, {})
    for zone in book.zones.values():
        if outcome in zone.climate:
            made = made.with_outcome(zone, outcome)
    return made


def make_drenched(book: RuleSet, number: int) -> weather.Week:
    """Severe Storms everywhere."""
    every = {region.id: ("severe-storms",) for zone in book.zones.values() for region in zone.regions}
    return replace(week(book, number), regions=every)


def rollover(
    past: Sequence[weather.Week], faces: Sequence[int], book: RuleSet = BOOK, number: int = 13
) -> tuple[weather.Week, Entry]:
    """A rollover's week and entry."""
    about = weather.rollover_subjects(book, weather.due_watches(book, past))
    facts = weather.list_carried_facts(past[0], book) if past else {}
    parts = tuple(Part(str(place), names, facts) for place, names in enumerate(about))
    rolled = resolve(Request("weather", parts), book, ScriptedDice.of(faces))
    request = RollRequest(
        book="campaign", family="weather", parts=tuple(PartRequest(subjects=names) for names in about)
    )
    body = roll_body(
        request, book.procedure("weather"), rolled, {"number": 3, "name": "Day 3"}, list_audiences(request, rolled)
    )
    made = weather.week_of(rolled, book, number)
    body = {**body, "weather": weather.describe_week(made, past[0] if past else None, book)}
    return made, entry(body)


HASH = "0123456789abcdef" * 4


def entry(body: dict[str, Any], **texts: str) -> Entry:
    """A ledger entry."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    kept = json.dumps({**body, "texts": {name: name for name in texts}})
    salted = {name: SaltedText("", text) for name, text in texts.items()}
    return Entry(40, "roll", at, "", "campaign", "results", "", HASH, "", kept, "", texts=salted)


def require_limits(pages: list[list[discord.Embed]]) -> None:
    """Claim that Discord takes every message."""
    for page in pages:
        assert 1 <= len(page) <= 10
        assert sum(map(len, page)) <= 6000
        for embed in page:
            assert len(embed.title or "") <= 256
            assert len(embed.description or "") <= 4096
            assert len(embed.footer.text or "") <= 2048


def text(pages: list[list[discord.Embed]]) -> str:
    """All descriptions in order."""
    return "\n".join(embed.description for page in pages for embed in page if embed.description)


def labels(book: RuleSet) -> list[str]:
    """Labels of zones and regions."""
    regions = [region.label for zone in book.zones.values() for region in zone.regions]
    return [zone.label for zone in book.zones.values()] + regions
