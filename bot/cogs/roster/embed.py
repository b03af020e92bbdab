"""Saved units and characters in words: one of them, a list of them, and what an entry has done to one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import discord

from bot.cogs.roster.import_embed import imported_lines
from bot.core.profiles import Profile
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain, shorten, within

ROOM = 3900
"""Characters for a list, under an embed's 4,096."""

MAX_SENTENCE, MAX_NAMES = 180, 600
KINDS: Mapping[str, str] = {"pc": "PC", "npc": "NPC"}
FIELDS: Mapping[str, str] = {"newtype": "newtype level"}


def kind_of(kind: str) -> str:
    """The kind of a unit or character as a word."""
    return KINDS.get(kind, kind)


def a_kind(kind: str) -> str:
    """The kind of a unit or character with its article."""
    return f"{'an' if kind in {'npc', 'outpost'} else 'a'} {kind_of(kind)}"


def heading(item: Profile, owner_id: int | None) -> str:
    """What stands under a name: kind, side, and whatever else is known in a few words."""
    words = [
        kind_of(item.kind),
        plain(item.side) if item.side else "no side",
        f"in {plain(item.region)}" if item.region else "",
        f"belongs to {plain(item.squad)}" if item.squad else "",
        f"callsign {plain(item.callsign)}" if item.callsign else "",
        _level(item.newtype) if item.newtype is not None else "",
        f"of <@{owner_id}>" if owner_id else "",
        "**secret**" if item.secret else "",
    ]
    return DOT.join(filter(None, words))


def sheet_lines(
    item: Profile, owner_id: int | None, members: Sequence[str], carried: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[str]:
    """All that is saved of one: heading, members, and the traits by group."""
    yield f"-# {heading(item, owner_id)}"
    if members:
        yield f"**Belong to it:** {_several(members)}"
    for group, labels in carried:
        yield f"**{plain(group.capitalize())}:** {', '.join(map(plain, labels))}"
    if not carried:
        yield "No traits yet."


def list_embed(what: str, found: Sequence[tuple[Profile, int | None]]) -> discord.Embed:
    """A list of saved units or characters with their owners."""
    lines = [f"\N{BULLET} **{plain(item.name)}**{DOT}{heading(item, owner_id)}" for item, owner_id in found]
    text = "\n".join(within(ROOM, lines)) or f"There is no such {what}."
    embed = discord.Embed(title=f"{what.capitalize()}s ({len(found)})", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"One of them: /{what} show. Fewer of them: by kind or side.")


def removed_embed(item: Profile, entry: int) -> discord.Embed:
    """That one was removed."""
    text = f"The {kind_of(item.kind)} and all that was kept under that name are gone; the ledger tells what it was."
    embed = discord.Embed(title=f"{plain(item.name)} is removed", description=text, colour=COLOURS["success"])
    return embed.set_footer(text=f"Entry #{entry}")


def sentence(body: Mapping[str, Any]) -> str:
    """What an entry has done, in one line."""
    return shorten("; ".join(lines(body)), MAX_SENTENCE)


def lines(body: Mapping[str, Any]) -> list[str]:
    """What an entry has done, in full."""
    return DEEDS[body["deed"]](body)


def _several(names: Sequence[str]) -> str:
    """Names in a row, as many as a line has room for."""
    shown = list(names)
    while len(", ".join(map(plain, shown))) > MAX_NAMES:
        shown.pop()
    more = [f"and {len(names) - len(shown)} more"] if len(shown) < len(names) else []
    return ", ".join([*map(plain, shown), *more])


def _subject(body: Mapping[str, Any]) -> str:
    kind = kind_of(body["kind"])
    return f"{kind[0].upper()}{kind[1:]} {plain(body['name'])}"


def _added(body: Mapping[str, Any]) -> list[str]:
    saved = next(change["after"] for change in body["changes"] if change["before"] is None)
    told = [f"{_subject(body)} saved"]
    fields = {field: value for field, value in saved.items() if field not in {"name", "kind", "traits", "owner"}}
    return told + [
        f"{_field(field)}: {_value(value)}"
        for field, value in fields.items()
        if value is not None and value is not False
    ]


def _removed(body: Mapping[str, Any]) -> list[str]:
    return [f"{_subject(body)} removed"]


def _edited(body: Mapping[str, Any]) -> list[str]:
    before, after = body["before"], body["after"]
    told = [f"{_subject(body)} changed"]
    for field, value in after.items():
        if field == "owner":
            told.append("owner: another" if value else "owner: nobody")
        else:
            told.append(f"{_field(field)}: {_value(before[field])} \N{RIGHTWARDS ARROW} {_value(value)}")
    return told


def _retraited(body: Mapping[str, Any]) -> list[str]:
    before, after = body["before"], body["after"]
    return [f"{_subject(body)} changed"] + [_trait(label, before[label], count) for label, count in after.items()]


def _trait(label: str, before: int, after: int) -> str:
    if {before, after} == {0, 1}:
        return f"{'with' if after else 'no longer'}: {plain(label)}"
    return f"{plain(label)}: {before} \N{RIGHTWARDS ARROW} {after}"


def _field(field: str) -> str:
    return FIELDS.get(field, field)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else plain(str(value))


def _level(newtype: int) -> str:
    return f"newtype level {newtype}" if newtype else "Oldtype"


DEEDS: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "add": _added,
    "edit": _edited,
    "traits": _retraited,
    "remove": _removed,
    "import": imported_lines,
}
"""How each deed that changes units and characters is told."""
