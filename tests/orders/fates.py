"""What should become of each order, kept outside the bot and replayed without what was undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

from bot.core.records import Entry
from bot.orders.standing import StandingOrder
from rules.orders import OrderKind

Key = tuple[int, str]
"""Subject number and kind."""


@dataclass
class _Orders:
    """An update's orders by key, and the fate of each entry."""

    at: dict[Key, int] = field(default_factory=dict)
    fate: dict[int, str] = field(default_factory=dict)

    def leave(self, key: Key, fate: str) -> None:
        """Drop an open order; a resolved one stays so."""
        number = self.at.pop(key, None)
        if number is not None and self.fate[number] in {"standing", "held"}:
            self.fate[number] = fate


class Fates:
    """What was done to orders, by entry; `kinds` can be given."""

    def __init__(self, kinds: Sequence[OrderKind]) -> None:
        self.given: set[int] = set()
        self._one_of = {kind.id: kind.one_of for kind in kinds if kind.one_of is not None}
        self._deeds: dict[int, Callable[[_Orders], None]] = {}
        self._now = _Orders()

    @property
    def here(self) -> dict[int, str]:
        """Return the update's orders by entry."""
        return {number: self._now.fate[number] for number in self._now.at.values()}

    @property
    def counts(self) -> Counter[str]:
        """Count orders by fate."""
        return Counter(self._now.fate.get(number, "taken back") for number in self.given)

    def give(self, entry: Entry, order: StandingOrder) -> None:
        """Note a given order."""
        self.given.add(entry.number)
        self._note(entry, partial(self._give, entry.number, (order.who.id, order.kind)))

    def withdraw(self, entry: Entry, number: int) -> None:
        """Note a withdrawn order."""
        self._note(entry, partial(_withdraw, number))

    def hold(self, entry: Entry, number: int, *, on: bool) -> None:
        """Note that an order was paused or resumed."""
        self._note(entry, partial(_become, [number], "held" if on else "standing"))

    def come(self, entry: Entry | None) -> None:
        """Note the orders of a roll, or a cancelled one."""
        if entry is not None and entry.kind == "roll":
            self._note(entry, partial(_become, entry.content()["orders"], "resolved"))
        elif entry is not None:
            self._note(entry, partial(_lapse, entry.content()["before"]))

    def close(self, entry: int) -> None:
        """Note a closing."""
        self._deeds[entry] = _close
        _close(self._now)

    def undo(self, entries: Collection[int]) -> None:
        """Note undone entries."""
        self._deeds = {number: deed for number, deed in self._deeds.items() if number not in entries}
        self._now = _Orders()
        for deed in self._deeds.values():
            deed(self._now)

    def _note(self, entry: Entry, deed: Callable[[_Orders], None]) -> None:
        self._deeds[entry.number] = deed
        deed(self._now)

    def _give(self, number: int, key: Key, orders: _Orders) -> None:
        before = orders.at.get(key)
        held = before is not None and orders.fate[before] == "held"
        orders.leave(key, "replaced")
        if before is not None and orders.fate[before] in {"resolved", "lapsed"}:
            orders.at[key[0], f"{key[1]}:{before}"] = before  # it stays beside the one that follows it
        for who, kind in [*orders.at]:
            rivals = who == key[0] and kind in self._one_of and self._one_of[kind] == self._one_of.get(key[1])
            if rivals and orders.fate[orders.at[who, kind]] in {"standing", "held"}:
                orders.leave((who, kind), "replaced")
        orders.at[key], orders.fate[number] = number, "held" if held else "standing"


def _withdraw(number: int, orders: _Orders) -> None:
    orders.leave(next(key for key, there in orders.at.items() if there == number), "withdrawn")


def _become(numbers: Collection[int], fate: str, orders: _Orders) -> None:
    orders.fate |= dict.fromkeys(numbers, fate)


def _lapse(number: int, orders: _Orders) -> None:
    if orders.fate[number] != "resolved":
        orders.fate[number] = "lapsed"


def _close(orders: _Orders) -> None:
    for key, number in [*orders.at.items()]:
        if orders.fate[number] in {"resolved", "lapsed"}:
            del orders.at[key]
        else:
            orders.fate[number] = "standing"


def fate_of(order: StandingOrder) -> str:
    """Return an order's fate as the bot has it."""
    if order.done or order.partly:
        return "resolved"
    return "lapsed" if order.lapsed is not None else "held" if order.held else "standing"
