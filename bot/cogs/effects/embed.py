"""Effects as embeds: what lasts on whom, and what was set or cleared by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.core.entry_kinds import EntryView
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain

TITLES: Mapping[str, str] = {"set": "Effect set", "clear": "Effect cleared"}
NOTHING = "Nothing that you may know of."
ENDS_WITH: Mapping[str, str] = {"cracked": "for as long as the captivity"}
"""What an effect without a fixed end ends with, beside being cleared."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """An effect that holds: on whom, since which entry, and the update that it ends with, None when none ends it.

    `ends` tells when it ends where it is bound to something else, such as the turn of a battle.
    """

    who: str
    trait: str
    label: str
    since: int
    until: str | None
    ends: str | None = None


def list_pages(found: Iterable[Lasting], *, campaign: str) -> list[list[discord.Embed]]:
    """All effects that hold, bearer by bearer; none is left out."""
    lines = list(_lines(found)) or [NOTHING]
    return paging.pages(paging.fit("What lasts", lines, colour=COLOURS["neutral"], footer=campaign))


def sentence(body: Mapping[str, Any]) -> str:
    """An entry about an effect in one line."""
    who, label = plain(body["who"]), plain(body["label"])
    if body["deed"] == "clear":
        return f"{who}: {label} no longer"
    ended = "".join(f"; {plain(other)} no longer" for other in body["ended"])
    return f"{who}: {label}, {_until(body['until'], '')}{ended}"


def entry_pages(shown: EntryView, hints: Sequence[str] = ()) -> list[list[discord.Embed]]:
    """An entry about an effect, with its note and with what may be a slip; such entries are the staff's."""
    body, note = shown.entry.content(), shown.entry.text("note")
    lines = [sentence(body), *([f"**Note:** {plain(note)}"] if note else []), *map(plain, hints)]
    footer = f"Entry #{shown.entry.number}{DOT}{shown.campaign}"
    return paging.pages(paging.fit(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=footer))


def line(item: Lasting) -> str:
    """One effect: what it is, since when and until when."""
    return f"\N{BULLET} {plain(item.label)}{DOT}since entry #{item.since}{DOT}{plain(item.ends) if item.ends else _until(item.until, item.trait)}"


def _lines(found: Iterable[Lasting]) -> Iterator[str]:
    bearer = None
    for item in found:
        if item.who != bearer:
            bearer = item.who
            yield f"**{plain(bearer)}**"
        yield line(item)


def _until(update: str | None, trait: str) -> str:
    if update is not None:
        return f"until the end of {plain(update)}"
    return ENDS_WITH.get(trait, "until it is cleared")
