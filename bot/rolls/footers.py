"""What stands below a roll: by which rules it was made, where its dice come from, and how it became public."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import discord

from bot.core.drawn import OUTSIDE
from bot.core.entry_kinds import Body
from bot.rolls.fairness.outside import told
from bot.ui.text import DOT

Record = Mapping[str, Any]
"""A part or step in the body of a roll's entry, as `entry_body` writes it."""


def house_rules(body: Body) -> list[str]:
    """Return the house rules that a roll was made by, with their versions."""
    return [f"House rules: {', '.join(body['house'])}"] if body.get("house") else []


def citations(body: Body, steps: Sequence[Any]) -> Iterator[str]:
    """Yield the sources of steps, book by book: with the section when all are in one, and with the line when it is one."""
    sources = [step["source"] for step in steps if step["source"]]
    for book in dict.fromkeys(source["book"] for source in sources):
        mine = [source for source in sources if source["book"] == book]
        sections, lines = {source["section"] for source in mine}, {source["line"] for source in mine}
        title = body.get("cited", {}).get(book, book)  # entries made before titles were kept have none
        section = f", {sections.pop()}" if len(sections) == 1 else ""
        yield f"{title}{section}" + (f", line {lines.pop()}" if len(lines) == 1 else "")


def sources(body: Body, parts: Iterable[Record]) -> list[str]:
    """Return by which lines of which books these parts of a roll were made, by which house rules, and where its dice come from."""
    cited = [line for part in parts for line in citations(body, _deciding(part))]
    house = house_rules({"house": body["bears"]} if "bears" in body else body)
    outside = [told(body[OUTSIDE])] if OUTSIDE in body else []
    return [*dict.fromkeys(cited), *house, *outside]


def outside_failed(body: Body) -> list[str]:
    """Return why nothing of random.org is mixed in, where it was asked."""
    return [told(body[OUTSIDE])] if body.get(OUTSIDE, {}).get("lacking") else []


def _deciding(part: Record) -> list[Record]:
    """Return the dice of a part and the table that decides its result: the last one."""
    tables = [step for step in part["steps"] if "dice" not in step]
    return [*(step for step in part["steps"] if "dice" in step), *tables[-1:]]


def say_once(page: Sequence[discord.Embed], once: Collection[str]) -> None:
    """Leave out of the footers of a message what stands in an earlier one of it."""
    for words in once:
        for embed in [embed for embed in page if words in (embed.footer.text or "").split(DOT)][1:]:
            embed.set_footer(text=(embed.footer.text or "").replace(f"{DOT}{words}", "", 1))
