"""Criticals of the RoE book: which faces are natural on which die, and what a critical costs (lines 86 to 92)."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.dice import DiceTerm
from rules.errors import RollError
from rules.facts import Facts
from rules.tables import RollTable

Critical = Literal["none", "success", "failure"]
Loses = Literal["nothing", "action", "turn"]
LOSSES: tuple[Loses, ...] = ("nothing", "action", "turn")
"""What a critical can cost, the least first."""
LOST = {"action": "lose-action", "turn": "lose-turn"}
"""The deeds by which something of the next turn is lost to a critical."""
_COST = "critical-costs"


def thrown_with(table: RollTable, sides: int, *, can_crit: bool = True) -> RollTable:
    """Return a table as it is rolled with a die of other sides: its highest face decides there too, if it can (line 90)."""
    try:
        die = DiceTerm(1, sides)
    except ValueError:
        raise RollError(f"A die can't have {sides} sides.") from None
    low = [item for item in table.naturals if item.face < table.die.high]
    high = [replace(item, face=die.high) for item in table.naturals if item.face == table.die.high]
    return table.thrown_as(die, (*low, *(high if can_crit else ())))


def critical_of(table: RollTable, face: int) -> Critical:
    """Return what a face is by itself: the lowest fails, the highest succeeds, where it decides on the table."""
    if all(item.face != face for item in table.naturals):
        return "none"
    return "failure" if face == table.die.low else "success"


def critical_cost(book: Book, facts: Facts, role: str = "resister") -> Loses:
    """Return what a critical hit on whoever stands in a role costs besides its damage, by the racial option (line 37)."""
    options = (entry for entry in book.listed(Option).values() if f"{role}.option.{entry.id}" in facts)
    return worst(*(cost for entry in options for cost in LOSSES if entry.rules.get(_COST) == cost))


def losses(actor: Critical, resister: Critical, cost: Loses = "nothing", *, hit: bool = False) -> tuple[Loses, Loses]:
    """Return what the critical failures of both sides cost them: the next Action (line 88), the resister its `cost` if more.

    `hit` says that the actor has hit: where that was critical too, it is the resister's `cost` alone (line 37).
    """
    resister_loses: Loses = "nothing"
    if resister == "failure":
        resister_loses = worst("action", cost)
    elif hit and actor == "success":
        resister_loses = cost
    return "action" if actor == "failure" else "nothing", resister_loses


def worst(*lost: Loses) -> Loses:
    """Return the most of several things that are lost."""
    return max(lost, key=LOSSES.index, default=LOSSES[0])
