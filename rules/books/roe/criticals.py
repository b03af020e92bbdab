"""Criticals of the RoE book: which faces are natural on which die, and what a critical costs (lines 86 to 92)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.books.roe.sides import option_id
from rules.dice import DiceTerm
from rules.errors import RollError
from rules.tables import RollTable

Critical = Literal["none", "success", "failure"]
Loses = Literal["nothing", "action", "turn"]
LOSSES: tuple[Loses, ...] = ("nothing", "action", "turn")
"""What a critical can cost, the least first."""
_COST = "critical-costs"


def thrown_with(table: RollTable, sides: int, *, can_crit: bool = True) -> RollTable:
    """Return a table as it is rolled with a die of other sides: its highest face decides there too, if it can (line 90).

    Raises:
        RollError: there is no such die.

    """
    try:
        die = DiceTerm(1, sides)
    except ValueError:
        raise RollError(f"There is no die of {sides} sides.") from None
    low = [item for item in table.naturals if item.face < table.die.high]
    high = [replace(item, face=die.high) for item in table.naturals if item.face == table.die.high]
    return replace(table, die=die, naturals=(*low, *(high if can_crit else ())))


def critical_of(table: RollTable, face: int) -> Critical:
    """Return what a face is by itself: the lowest fails, the highest succeeds, where it decides on the table."""
    if all(item.face != face for item in table.naturals):
        return "none"
    return "failure" if face == table.die.low else "success"


def critical_cost(book: Book, racial: str | None) -> Loses:
    """Return what a critical hit on somebody of this racial option costs besides its damage (line 37)."""
    if racial is None:
        return "nothing"
    rules: Mapping[str, object] = book.listed(Option)[option_id(book, racial)].rules
    return next((cost for cost in LOSSES if rules.get(_COST) == cost), "nothing")


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
    return max(lost, key=LOSSES.index, default="nothing")
