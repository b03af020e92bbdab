"""What stands below a roll: its entry, how it came to be public, whence its dice come, and by which lines of which books it was made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import discord

from bot.core.drawn import OUTSIDE
from bot.core.entry_kinds import Body, EntryView
from bot.rolls.fairness.outside import told
from bot.ui.entries import entry_footer
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


def footer(shown: EntryView, body: Body, part: Record, first: str | None) -> str:
    """Return entry, campaign, how it came to be public (`first`), whence its dice come, sources and house rules.

    Of the tables rolled on, the last one decides the result.
    """
    throws = [step for step in part["steps"] if "dice" in step]
    tables = [step for step in part["steps"] if "dice" not in step]
    cited = citations(body, [*throws, *tables[-1:]])
    house = house_rules({"house": body["bears"]} if "bears" in body else body)
    return entry_footer(shown, *([first] if first else []), *outside_told(body), *cited, *house)


def outside_told(body: Body) -> list[str]:
    """Return whether something of random.org's is mixed into the dice, where it was to be."""
    return [told(body[OUTSIDE])] if OUTSIDE in body else []


def say_once(page: Sequence[discord.Embed], once: Collection[str]) -> None:
    """Leave out of the footers of a message what stands in an earlier one of it."""
    for words in once:
        for embed in [embed for embed in page if words in (embed.footer.text or "").split(DOT)][1:]:
            embed.set_footer(text=(embed.footer.text or "").replace(f"{DOT}{words}", "", 1))
