"""The orders of a battle as lines write them, each with its dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, convert

from bot.cli.queries import BadLine
from bot.cli.questions import Question
from bot.cli.total_war.faces import TypedFire, TypedMelee, TypedTries
from bot.cli.total_war.tiles import LANES, Lane, Percent, by_tile, tile
from rules.books.total_war import fighting
from rules.books.total_war.fight import Fight
from rules.books.total_war.orders import Clash, Fire, Move, Next, Order, Shoot, Withdraw
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import Side, Throw


class Undiced(Question, frozen=True):
    """An order for which no dice fall."""

    def throw(self, _terms: Terms, _fight: Fight, _order: Any) -> Throw:  # noqa: ANN401 - each line has an order of its own
        """Return its dice."""
        return TypedFire({})


class MoveLine(Undiced, frozen=True):
    """A unit moves."""

    unit: str
    to: str

    def order(self, terms: Terms) -> Order:
        """Return what is ordered."""
        return Move(self.unit, tile(terms, self.to))


class ShootLine(Question, frozen=True, rename={"others": "with"}):
    """A unit shoots, alone or with others."""

    unit: str
    shoot: str | tuple[str, ...]
    others: str | tuple[str, ...] | None = None
    dice: tuple[Mapping[str, int], ...] = ()

    def order(self, _terms: Terms) -> Order:
        """Return what is ordered."""
        others = (self.others,) if isinstance(self.others, str) else self.others or ()
        return Shoot(self.unit, self.shoot, others)

    def throw(self, terms: Terms, fight: Fight, order: Any) -> Throw:  # noqa: ANN401 - as above
        """Return its dice."""
        return TypedTries(fighting.attack_of(terms, fight, order), self.dice)


class Coins(Question, frozen=True):
    """How the coin and the die of a melee attack fell."""

    coin: Side | None = None
    d6: Annotated[int, Meta(ge=1, le=6)] | None = None


class MeleeLine(Question, frozen=True):
    """A unit attacks in melee."""

    unit: str
    melee: str
    call: Side | None = None
    dice: Coins = Coins()

    def order(self, _terms: Terms) -> Order:
        """Return what is ordered."""
        return Clash(self.unit, self.melee, self.call)

    def throw(self, _terms: Terms, _fight: Fight, _order: Any) -> Throw:  # noqa: ANN401 - as above
        """Return its dice."""
        return TypedMelee(self.dice.coin, self.dice.d6)


class FireLine(Question, frozen=True):
    """A warship fires."""

    unit: str
    fire: Lane
    dice: Mapping[str, Percent] = {}

    def order(self, _terms: Terms) -> Order:
        """Return what is ordered."""
        return Fire(self.unit, LANES[self.fire])

    def throw(self, terms: Terms, _fight: Fight, _order: Any) -> Throw:  # noqa: ANN401 - as above
        """Return its dice."""
        return TypedFire(by_tile(terms, self.dice))


class NextLine(Undiced, frozen=True):
    """A side ends its half of the turn."""

    next: str

    def order(self, _terms: Terms) -> Order:
        """Return what is ordered."""
        return Next(self.next)


class WithdrawLine(Undiced, frozen=True):
    """A side withdraws."""

    withdraw: str

    def order(self, _terms: Terms) -> Order:
        """Return what is ordered."""
        return Withdraw(self.withdraw)


OrderLine = MoveLine | ShootLine | MeleeLine | FireLine | NextLine | WithdrawLine
ORDERS: Mapping[str, type[OrderLine]] = {
    "to": MoveLine,
    "shoot": ShootLine,
    "melee": MeleeLine,
    "fire": FireLine,
    "next": NextLine,
    "withdraw": WithdrawLine,
}
"""The orders, by a key that only one of them has."""


def read_order(number: int, given: Mapping[str, Any]) -> OrderLine:
    """Read one of a battle's orders; a key that is null is left out, as in a line."""
    given = {key: value for key, value in given.items() if value is not None}
    kind = next((kind for key, kind in ORDERS.items() if key in given), None)
    if kind is None:
        raise BadLine(f"order {number} needs one of the keys {', '.join(ORDERS)}")
    return convert(given, kind)
