"""Acts, contests, tries and tables of the book in words: costs, what refuses them, what is rolled, rows and modifiers."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cogs.roe.reference.words import modifier_told, printed_at, when_told
from rules.acts import OTHER_ONE
from rules.book import Act, Contest, Cost, Refusal, Strikes
from rules.phrases import counted, span
from rules.ruleset import RuleSet
from rules.tables import RollTable

_FAR = 100_000
"""What no total comes to: a row beyond it stands for natural faces alone."""


def act_told(book: RuleSet, act: Act) -> Iterator[str]:
    """Yield what an act costs, what is rolled for it and what refuses it."""
    yield act.text
    if act.by:
        yield f"Use /roe {act.by}"
    yield from (_cost(book, cost) for cost in act.costs)
    if act.rolls:
        yield f"Rolled: {_rolled(book, act.rolls)}"
    for item in act.variants:
        if not item.rolled:
            yield f"No roll if: {when_told(book, item.when)}{printed_at(item.line)}"
    yield from (f"Not possible: {refusal_told(act, item)}{printed_at(item.line)}" for item in act.refused)


def refusal_told(act: Act, item: Refusal) -> str:
    """Return the words of a refusal, about nobody in particular."""
    told = item.words.format_map(
        {"to": OTHER_ONE, act.subject: OTHER_ONE, act.beside or "": OTHER_ONE, act.actor: "the character"}
    )
    return told[:1].upper() + told[1:]


def contest_told(book: RuleSet, contest: Contest) -> Iterator[str]:
    """Yield both sides of a contest and what it comes to."""
    for table in (book.tables[contest.actor], book.tables[contest.resister]):
        yield f"{table.title}: {table.die}"
    yield from _rows(book.tables[contest.resister])


def strikes_told(book: RuleSet, strikes: Strikes) -> Iterator[str]:
    """Yield how often is tried, and what it comes to."""
    if strikes.tries:
        yield f"Tries: {strikes.tries}"
    if strikes.until:
        yield f"Ends with hit {strikes.until}"
    yield from (f"Each: {book.tables[name].title}, {book.tables[name].thrown}" for name in strikes.rolls)
    yield from _rows(book.tables[strikes.tally])


def table_told(table: RollTable) -> Iterator[str]:
    """Yield the die of a table, its rows and its modifiers."""
    yield f"Dice: {table.thrown}"
    yield from _rows(table)
    yield from (f"A natural {item.face}: {table.row(item.outcome).text}" for item in table.naturals)
    yield from (modifier_told(item) for item in table.modifiers)
    yield from (f"Total at most {cap.high}{printed_at(cap.line)}" for cap in table.caps if cap.high)


def _rows(table: RollTable) -> Iterator[str]:
    """Yield the rows that a total comes to; against something they are read off the lead over it."""
    lead = "by " if table.against and table.against.reads != "number" else ""
    for row in table.rows:
        low, high = (bound if bound is None or abs(bound) < _FAR else None for bound in (row.min, row.max))
        if (row.min or 0) < _FAR and (row.max or 0) > -_FAR:
            yield f"{lead}{span(low, high)}: {row.text}{printed_at(row.line)}"


def _cost(book: RuleSet, cost: Cost) -> str:
    amount = f"all {cost.label}" if cost.whole else counted(cost.amount, cost.label)
    free = f", free if: {when_told(book, cost.unless)}" if cost.unless else ""
    return f"Costs {amount}{free}{printed_at(cost.line)}"


def _rolled(book: RuleSet, name: str) -> str:
    """Return the title of what an act is rolled on: a table, a contest, tries, or a procedure of the book."""
    for listed in (book.contests, book.strikes, book.tables):
        if name in listed:
            return listed[name].title
    return book.procedure(name).title
