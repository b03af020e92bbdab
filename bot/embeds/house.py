"""House rules in words: what a file brings and changes, with exact odds; which files there are; what became of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import discord

from bot.embeds import split
from bot.embeds.result import COLOURS, View
from bot.embeds.text import DOT, percent, plain, signed
from bot.store.documents import HouseFile
from rules.book import Book, Zone
from rules.explain import span
from rules.house import HOUSE
from rules.modifiers import Modifier
from rules.odds import table_odds
from rules.tables import RollTable, TableRow

ARROW = " \N{RIGHTWARDS ARROW} "
MEND = "Nothing was changed. Mend the file and send it again."
NOTHING = "Nothing in the book is other than without it."

ItemT = TypeVar("ItemT")


def look_lines(file: HouseFile, before: Book, after: Book) -> list[str]:
    """What a file brings and changes: new tables with their odds, changed ones with what is other, and facts."""
    lines: list[str] = []
    for name, table in after.tables.items():
        old = before.tables.get(name)
        if old is None:
            lines += ["", *table_lines(table)]
        elif old != table:
            lines += ["", *table_lines(table), *(f"-# {line}" for line in _changes(old, table))]
    told = list(_besides(before, after))
    if told:
        lines += ["", *told]
    head = [f"{_about(file)}{DOT}sent as {plain(file.file)}", f"-# Fingerprint {file.fingerprint}"]
    return [*head, *(lines or [NOTHING])]


def table_lines(table: RollTable) -> Iterator[str]:
    """A table: its die, how many modifiers it has, and the exact odds of each row without any."""
    count = len(table.modifiers)
    many = f"{count} modifier{'' if count == 1 else 's'}"
    goes = [f"result to the {table.audience}"] if table.audience else []
    yield f"### {plain(table.title)}"
    yield DOT.join([f"`{table.id}`", str(table.die), many, *goes, "odds without modifiers:"])
    odds = table_odds(table, 0)
    for row in table.rows:
        chance = odds[row.outcome]
        yield f"**{percent(chance)}** ({chance}){DOT}{_row(row)}"
    for natural in table.naturals:
        yield f"-# A bare {natural.face} is always: {plain(table.row(natural.outcome).text)}"


def list_pages(campaign: str, files: Sequence[HouseFile], tables: Mapping[str, str]) -> list[list[discord.Embed]]:
    """The files of a campaign, and the tables that somebody may roll on."""
    on = [file for file in files if file.on]
    lines = [f"**{plain(file.label)}**{DOT}{_about(file)}{DOT}entry #{file.entry}" for file in on]
    off = [plain(file.label) for file in files if not file.on]
    lines += [f"*Switched off: {', '.join(off)}*"] if off else []
    lines += ["", "**Tables for /table roll**"] if tables else []
    lines += [f"\N{BULLET} {plain(title)} (`{name}`)" for name, title in tables.items()]
    told = lines or ["There are none that you may roll on. A game master adds some with /table add."]
    return split.pages(split.fit("House rules", told, colour=COLOURS["neutral"], footer=campaign))


def sentence(body: Any) -> str:  # noqa: ANN401
    """An entry about house rules in one line."""
    how = "switched on" if body["deed"] == "on" else "switched off"
    instead = ", in place of the version before" if body["replaced"] else ""
    return f"House rules {plain(body['name'])} v{body['version']} {how}{instead}"


def entry_lines(body: Any, view: View) -> list[str]:  # noqa: ANN401
    """The same in full; which tables there are, players see where these are open to them."""
    if view == "public":
        return [sentence(body), f"-# Fingerprint {body['fingerprint']}"]
    tables = [f"\N{BULLET} {plain(title)} (`{name}`)" for name, title in body["tables"].items()]
    where = "Tables of its own" if body["extends"] == HOUSE else f"Over the book {body['extends']}"
    return [sentence(body), f"{where}, sent as {plain(body['file'])}", *tables, f"-# Fingerprint {body['fingerprint']}"]


def _about(file: HouseFile) -> str:
    if file.extends != HOUSE:
        return f"over the book {file.extends}"
    count = len(file.tables)
    return f"{count} table{'' if count == 1 else 's'} of its own"


def _row(row: TableRow) -> str:
    return f"{span(row.min, row.max)}: {plain(row.text)}"


def _modifier(item: Modifier) -> str:
    return f"{signed(item.value)} {plain(item.label)}"


def _changes(before: RollTable, after: RollTable) -> Iterator[str]:
    """What is other in a table, row by row and modifier by modifier."""
    old, new = ({row.outcome: row for row in table.rows} for table in (before, after))
    yield from _differences("row", old, new, _row)
    was, now = ({item.id: item for item in table.modifiers} for table in (before, after))
    yield from _differences("modifier", was, now, _modifier)


def _differences(
    kind: str, before: Mapping[str, ItemT], after: Mapping[str, ItemT], told: Callable[[ItemT], str]
) -> Iterator[str]:
    """What was added, changed and removed, by name."""
    for name, item in after.items():
        if name not in before:
            yield f"{kind} `{name}` added: {told(item)}"
        elif (old := before[name]) != item:
            was, now = told(old), told(item)
            yield f"{kind} `{name}` changed: {was}{ARROW}{now}" if was != now else f"{kind} `{name}` changed: {now}"
    for name, item in before.items():
        if name not in after:
            yield f"{kind} `{name}` removed: {told(item)}"


def _besides(before: Book, after: Book) -> Iterator[str]:
    """What is other in a book besides its tables."""
    yield from _differences("fact", before.facts, after.facts, lambda fact: plain(fact.label))
    yield from _differences("condition", before.conditions, after.conditions, lambda item: plain(item.label))
    yield from _differences("trait", before.traits, after.traits, lambda item: plain(item.label))
    yield from _differences("effect", before.effects, after.effects, lambda item: plain(item.label))
    if before.zones and after.zones:
        yield from _differences("zone", before.zones, after.zones, _zone)


def _zone(zone: Zone) -> str:
    return f"the weather of {plain(zone.label)}"
