"""Which rolls somebody with an order stood in, beside those that the order itself has come to: a move may meet several patrols."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.core.records import Entry
from bot.orders.standing import StandingOrder
from bot.rolls.entry_body import thrown
from rules.subjects import name_key, names_of

Meetings = Mapping[tuple[str, str, str, int], Sequence[int]]
"""The entries of a phase (book and id) by the role and the number of who stood in it, the earliest first."""


def meetings(orders: Iterable[StandingOrder], made: Mapping[int, Entry]) -> Meetings:
    """Return who stood in which role of the rolls among these entries, to which orders have come, where something came of their part."""
    entries = {
        (item.book, phase, number)
        for item in orders
        for phase in item.phases
        for number in item.in_phase(phase)
        if number in made
    }
    found: dict[tuple[str, str, str, int], list[int]] = {}
    for book, phase, number in sorted(entries):
        for role, who in dict.fromkeys(_stood(made[number])):
            found.setdefault((book, phase, role, who), []).append(number)
    return found


def entries_of(order: StandingOrder, role: str, found: Meetings) -> list[int]:
    """Return the entries of an order, and those of its phases in which whoever does it stood in a role beside while it was theirs."""
    met = (number for phase in order.phases for number in found.get((order.book, phase, role, order.who.id), ()))
    until = order.until or math.inf
    return sorted({*order.entries, *(number for number in met if order.entry < number < until)})


def _stood(entry: Entry) -> Iterator[tuple[str, int]]:
    """Yield the roles of an entry with the numbers of those who stood in them; of what throws no dice nobody's, as nobody meets anybody."""
    numbers = {name_key(name): number for number, name in entry.names().items()}
    for part in entry.content()["parts"]:
        named = ((role, name) for role, names in part["subjects"].items() for name in names_of(names))
        if part["outcome"] and any(True for _ in thrown(part)):
            yield from ((role, numbers[name_key(name)]) for role, name in named if name_key(name) in numbers)
