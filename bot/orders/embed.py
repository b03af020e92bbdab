"""Orders as they are shown to whoever gave them and to the staff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from bot.orders.asides import OrderAside
from bot.orders.service import GivenOrder
from bot.orders.words import arrangement, note_line, order_line, phase_line
from bot.rolls.embed import consequences_text
from bot.rolls.preview import Preview
from bot.ui.text import bar, plain
from rules.phrases import percent
from rules.procedure import Chance

SEALED = "-# Sealed: only you and the game masters see it until the update is resolved."
MAX_CHANCES = 8
FORESEEN = ("**Forecast, from what you know:**", "**Forecast:**")
"""What stands before what an order comes to, by whether its giver knows all."""
UNLESS_LAPSED = "**Forecast, unless it's cancelled:**"


def given_lines(given: Sequence[GivenOrder], aside: OrderAside | None = None) -> Iterator[str]:
    """Yield what was ordered, when it is resolved, and what one alone lays, or its odds as far as whoever gave it may know; then what is told beside it.

    Several are of one kind and have one note.
    """
    one, *others = given
    ahead = [] if others else one.ahead
    yield from ahead if one.lapses else ()
    yield from map(_numbered, given) if others else [order_line(one.known, one.order) + arrangement(one.order)]
    yield f"**Phase:** {plain(phase_line(one.known))}"
    if one.follows:
        yield f"This is a new order. The result of entry #{one.follows} stays."
    slips = dict.fromkeys(line for item in given for line in item.doubts)
    yield from (f"\N{WARNING SIGN} {plain(line)} Press Change to fix it." for line in slips)
    note = one.entry.text("note")
    if note:
        yield note_line(note)
    aside = aside or OrderAside()
    for preview in () if others else one.previews:
        yield from _comes_to(preview, UNLESS_LAPSED if one.lapses else FORESEEN[aside.knows_all])
    yield from () if one.lapses else ahead
    yield from aside.lines
    yield SEALED


def _numbered(given: GivenOrder) -> str:
    """Return one of several orders with its entry."""
    before = f", replaces #{given.before}" if given.before else ""
    return f"\N{BULLET} {order_line(given.known, given.order)} (entry #{given.entry.number}{before}){arrangement(given.order)}"


def _comes_to(preview: Preview, heading: str) -> Iterator[str]:
    """Yield what is laid for the day, or the odds of a roll, under a heading."""
    rolled = [part for part in preview.parts if part.stages]
    for part in preview.parts[: len(preview.parts) if not rolled else 0]:
        for chance in part.odds:
            laid = consequences_text(chance.conclusion.consequences, part.part.subjects, part.book.deeds)
            if laid:  # what lays nothing comes to what others do: said now, it would be a promise
                yield f"{laid}, until the update ends."
    told = [line for part in preview.parts for line in part.lines]
    if told:
        yield heading
        yield from map(plain, told)
    for part in rolled:
        yield heading
        yield from map(_chance, _likeliest(part.odds))


def _likeliest(odds: Sequence[Chance]) -> Sequence[Chance]:
    return sorted(odds, key=attrgetter("chance"), reverse=True)[:MAX_CHANCES]


def _chance(item: Chance) -> str:
    return f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}"
