"""One full patrol resolution beside one roll of a plain dice library."""

from __future__ import annotations

import timeit
import warnings
from statistics import median

from bot.core.system_dice import SystemDice
from rules.engine import resolve
from rules.loader import load_book
from rules.procedure import Part, Request

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its parser imports what Python is to drop
    import d20

COUNTED = 12


def measure(rounds: int) -> tuple[float, float]:
    """Median microseconds of a resolution with all modifiers considered and 12 counted, and of `1d20+12` in d20."""
    book = load_book("campaign")
    dice = SystemDice()
    request = Request("patrol", (_part(),))
    step = resolve(request, book, dice).parts[0].on_tables[0]
    assert len(step.modifiers) == 34
    assert sum(item.counted for item in step.modifiers) == COUNTED
    ours = [timeit.timeit(lambda: resolve(request, book, dice), number=200) / 200 for _ in range(rounds)]
    theirs = [timeit.timeit(lambda: d20.roll("1d20+12"), number=200) / 200 for _ in range(rounds)]
    return median(ours) * 1e6, median(theirs) * 1e6


def _part() -> Part:
    book = load_book("campaign")
    marks: dict[str, int] = {}
    taken: set[str] = set()
    for modifier in book.table("campaign.patrol.catch").modifiers:
        if len(marks) < COUNTED and (modifier.one_of is None or modifier.one_of not in taken):
            marks[modifier.id] = 1
            taken.add(modifier.one_of or "")
    return Part("Grey Ghost", {"patrol": "Kilo", "target": "Grey Ghost"}, marks=marks)
