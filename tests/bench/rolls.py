"""One full patrol resolution beside one roll of a plain dice library, and beside a contest of two sides."""

from __future__ import annotations

import timeit
import warnings
from collections.abc import Callable
from functools import partial
from statistics import median

from msgspec.structs import replace

from bot.core.draws import SystemDice
from rules.loader import load_book
from rules.modifiers import Modifier
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve
from tests.rules.toybook import DUEL, TOY

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser imports what Python is to drop
    import d20

COUNTED = 12
A_SIDE = 20
"""Modifiers of each side of the contest, of which half as many as on the patrol count."""


async def measure(rounds: int) -> dict[str, float]:
    """Median microseconds of each, taken in turns.

    A patrol has all its modifiers considered and 12 counted, the contest 20 considered and 6 counted on each side; d20
    rolls `1d20+12`.
    """
    book, contest = load_book("campaign"), _contest()
    dice = SystemDice()
    patrol, duel = Request("patrol", (_part(),)), Request("duel", (_duel(contest),))
    step = resolve(patrol, book, dice).parts[0].on_tables[0]
    assert (len(step.modifiers), sum(item.count > 0 for item in step.modifiers)) == (34, COUNTED)
    sides = resolve(duel, contest, dice).parts[0].on_tables
    assert [(len(side.modifiers), sum(item.count > 0 for item in side.modifiers)) for side in sides] == [
        (A_SIDE, 6)
    ] * 2
    rolls: dict[str, Callable[[], object]] = {
        "patrol": partial(resolve, patrol, book, dice),
        "d20": partial(d20.roll, "1d20+12"),
        "contest": partial(resolve, duel, contest, dice),
    }
    spent: dict[str, list[float]] = {name: [] for name in rolls}
    for _ in range(rounds):
        for name, roll in rolls.items():
            spent[name].append(timeit.timeit(roll, number=200) / 200)
    return {name: median(times) * 1e6 for name, times in spent.items()}


def _contest() -> RuleSet:
    """Return the toy book with as many modifiers on each side of its duel."""
    tables = {**TOY.tables}
    for table in DUEL:
        names = [f"{table}.{number}" for number in range(A_SIDE)]
        modifiers = tuple(Modifier(name, 1, "A plus", "gear", 1, when=((name,),)) for name in names)
        tables[table] = replace(TOY.table(table), modifiers=modifiers)
    return replace(TOY, tables=tables)


def _duel(book: RuleSet) -> Part:
    ticked = [item.id for table in DUEL for item in book.table(table).modifiers[: COUNTED // 2]]
    return Part("Bob", {"actor": "Ann", "resister": "Bob"}, marks=dict.fromkeys(ticked, 1))


def _part() -> Part:
    book = load_book("campaign")
    marks: dict[str, int] = {}
    taken: set[str] = set()
    for modifier in book.table("campaign.patrol.catch").modifiers:
        if len(marks) < COUNTED and (modifier.one_of is None or modifier.one_of not in taken):
            marks[modifier.id] = 1
            taken.add(modifier.one_of or "")
    return Part("Grey Ghost", {"patrol": "Kilo", "target": "Grey Ghost"}, marks=marks)
