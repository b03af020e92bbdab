"""The options that every roll command shares, and their autocompletes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import discord
from discord.app_commands import Choice, Range

from bot.core.profiles import CHARACTER_KINDS, NOBODY, UNIT_KINDS
from bot.core.subjects import subject_key
from bot.core.visibility import suggest_names
from bot.errors import UserError
from bot.rolls.desk import RollDesk
from bot.rolls.parsing import suggest_modifiers
from bot.rolls.request import To
from bot.ui import parsing
from bot.ui.reply import Interaction, person
from bot.ui.text import shorten
from rules.climate import category_label, place_labels
from rules.errors import RulesError
from rules.ruleset import RuleSet
from rules.stages import family_tickables

Week = Range[int, 0, 9999]
TO: list[Choice[str]] = [
    Choice(name="where the rules send it", value="auto"),
    Choice(name="results channel", value="results"),
    Choice(name="staff channel", value="staff"),
    Choice(name="me alone", value="me"),
]
ROLL: list[Choice[str]] = [Choice(name="open a card first", value="card"), Choice(name="roll now", value="now")]
SHARED: Mapping[str, str] = {
    "region": "Where it happens; any name, the weather knows its own",
    "week": "Another week than this one, for its weather",
    "modifiers": "Ids or labels parted by commas; id*2 counts twice; +2 reason adjusts",
    "note": "A note that stands with the result; with roll:now also the reason for rolling again",
    "to": "Where the result goes",
    "roll": "A card to tick and see the odds, or the roll at once",
}


def picked_fields(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the fields of a profile are
    """Return the fields that were picked; of members their ids, and of a bot that of nobody."""
    picked = {name: value for name, value in fields.items() if value is not None}
    if isinstance(member := picked.get("owner"), discord.Member):
        picked["owner"] = NOBODY if member.bot else member.id
    return picked


def offered(choices: list[tuple[str, str]]) -> list[Choice[str]]:
    """At most 25 choices of an autocomplete, as (shown, value)."""
    return [
        Choice(name=shorten(shown, parsing.MAX_CHOICE), value=value) for shown, value in choices[: parsing.MAX_CHOICES]
    ]


async def complete_modifiers(
    desk: RollDesk, interaction: Interaction, family: tuple[str, str], current: str
) -> list[Choice[str]]:
    """Completions of the modifier being typed; none where the channel has no campaign that plays by the book."""
    try:
        book, procedure = await desk.procedure(await desk.campaign(interaction), *family)
    except (UserError, RulesError):
        return []
    return offered(suggest_modifiers(current, family_tickables(procedure, book)))


async def complete_name(
    desk: RollDesk, interaction: Interaction, current: str, kinds: Sequence[str] = UNIT_KINDS + CHARACTER_KINDS
) -> list[Choice[str]]:
    """The saved names that the caller may know, the one used last first."""
    return await _complete_names(desk, interaction, ("", current), kinds)


async def complete_names(desk: RollDesk, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The same for the last of several names that are parted by commas; those before it are not offered again."""
    before, comma, word = current.rpartition(",")
    return await _complete_names(desk, interaction, (f"{before}{comma} " if comma else "", word))


async def _complete_names(
    desk: RollDesk,
    interaction: Interaction,
    typed_so_far: tuple[str, str],
    kinds: Sequence[str] = UNIT_KINDS + CHARACTER_KINDS,
) -> list[Choice[str]]:
    kept, word = typed_so_far
    before = [subject_key(name) for name in kept.split(",")]
    taken = {*before, *(name.rpartition(":")[0] for name in before)}  # a target may have its stance behind a colon

    def fits(name: str) -> bool:
        return subject_key(name) not in taken and len(kept + name) <= parsing.MAX_CHOICE

    try:
        campaign = await desk.campaign(interaction)
    except UserError:
        return []
    found = await desk.database.read(suggest_names, person(interaction), campaign, word, kinds, fits)
    return offered([(kept + name, kept + name) for name in found])


async def complete_region(desk: RollDesk, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The regions that the campaign's weather knows."""
    books = await _books(desk, interaction)
    return _holding(
        current, [region.label for book in books for zone in book.zones.values() for region in zone.regions]
    )


async def complete_zone(desk: RollDesk, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The weather zones of the campaign's books."""
    labels = [zone.label for book in await _books(desk, interaction) for zone in book.zones.values()]
    return _holding(current, labels)


async def complete_place(desk: RollDesk, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The weather zones, then the regions."""
    return _holding(current, [label for book in await _books(desk, interaction) for label in place_labels(book)])


async def complete_category(desk: RollDesk, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The categories of the zone or region that is named beside it; of all zones while none is."""
    named = str(getattr(interaction.namespace, "zone", "") or getattr(interaction.namespace, "region", "") or "")
    wanted = named.strip().casefold()
    found: dict[str, None] = {}
    for book in await _books(desk, interaction):
        known = [zone for zone in book.zones.values() if wanted in {zone.label.casefold(), zone.id}]
        known += [zone for name, (zone, _) in book.places.items() if name == wanted]
        rows = (row for zone in known or book.zones.values() for row in book.table(zone.table).rows)
        found |= dict.fromkeys(category_label(row.outcome) for row in rows)
    return _holding(current, list(found))


async def _books(desk: RollDesk, interaction: Interaction) -> list[RuleSet]:
    """The books of the campaign here; none where the channel has no campaign."""
    try:
        return await desk.books(await desk.campaign(interaction))
    except UserError:
        return []


def _holding(current: str, labels: Sequence[str]) -> list[Choice[str]]:
    return offered([(label, label) for label in labels if current.strip().casefold() in label.casefold()])


def to_of(picked: str) -> To:
    """The audience that was picked; Discord lets only those of the choices through."""
    return next(to for to in get_args(To) if to == picked)
