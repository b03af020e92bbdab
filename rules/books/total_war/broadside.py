"""A warship's fire: every unit in its lane is tested, friend and foe alike (lines 163, 198 to 222)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from rules.books.total_war.aiming import lane
from rules.books.total_war.board import Battlefield, Shooter
from rules.books.total_war.catalog import AceLevel, UnitClass
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import PERCENT, Die, Throw
from rules.geometry.squares import EDGES, Square
from rules.odds import count_ways


class Exposed(Struct, frozen=True):
    """A unit that may stand in a lane: its class, its level as an ace (0 for none), and whether it is a hero."""

    kind: str
    ace: int = 0
    hero: bool = False


def require_ship(terms: Terms, kind: str, who: str = "It") -> None:
    """Refuse whatever does not fire down lanes; `who` is what it is called."""
    found = terms.of(UnitClass, kind)
    if not found.lanes:
        able = " or ".join(each.label.lower() for each in terms.book.listed(UnitClass).values() if each.lanes)
        raise Refused("E_NOT_WARSHIP", f"{who} is a {found.label.lower()}. Only a {able} can fire down a lane.")


def covered(field: Battlefield, ship: Shooter, way: str) -> tuple[Square, ...]:
    """Return the tiles that a shot in a direction covers: one lane, or by the switch all four (AMB-54)."""
    require_ship(field.terms, ship.kind, f"The unit on {ship.at}")
    if way not in EDGES:
        raise Refused("E_BAD_DIRECTION", f"{way!r} isn't the direction of a lane: write {', '.join(EDGES)}.")
    ways = (way,) if field.terms.setting("fire", str) == "lane" else tuple(EDGES)
    return tuple(place for each in ways for place in lane(field, ship, each))


def tested(field: Battlefield, ship: Shooter, way: str, units: Mapping[Square, Exposed]) -> dict[Square, int]:
    """Return the units that a shot reaches by their tiles, with the chance in percent that it destroys each."""
    return {
        place: destruction(field.terms, units[place])
        for place in covered(field, ship, way)
        if place in units and field.is_exposed(place, ship.at, ship.flags)
    }


def destruction(terms: Terms, unit: Exposed) -> int:
    """Return the chance in percent that a shot destroys a unit that it reaches (lines 202 to 216, AMB-57)."""
    kind = terms.of(UnitClass, unit.kind)
    if unit.hero:
        return 0
    levels = (each.fire for each in terms.book.listed(AceLevel).values() if kind.armoured and each.level == unit.ace)
    return next(levels, kind.fire)


def is_thrown(percent: int) -> bool:
    """Return whether a die falls for a unit, which what is certain needs none for."""
    return 0 < percent < PERCENT


def fire(chances: Mapping[Square, int], throw: Throw) -> tuple[Square, ...]:
    """Return the tiles of the units that a shot destroys, by their chances in percent."""
    return tuple(place for place, percent in chances.items() if _falls(place, percent, throw))


def number(chances: Iterable[int]) -> tuple[Fraction, ...]:
    """Return how likely it is that a shot destroys none of the units that it reaches, one, two, up to all."""
    each = [*chances]
    return tuple(Fraction(ways, PERCENT ** len(each)) for ways in count_ways(each, PERCENT))


def is_ready(terms: Terms, fired: int | None, turn: int) -> bool:
    """Return whether a ship that last fired in a turn may fire in another (line 222, AMB-53)."""
    return fired is None or turn - fired > terms.setting("cooldown", int)


def require_ready(terms: Terms, fired: int | None, turn: int, who: str = "The ship") -> None:
    """Refuse a shot while a ship, called `who`, cannot fire again."""
    if fired is not None and not is_ready(terms, fired, turn):
        blocked = terms.setting("cooldown", int)
        what = f"it fired in turn {fired} and can fire again in turn {fired + blocked + 1}"
        raise Refused("E_COOLDOWN", f"{who} can't fire in turn {turn}: {what}.")


def _falls(place: Square, percent: int, throw: Throw) -> bool:
    return throw(Die("fire", PERCENT, tile=place)) <= percent if is_thrown(percent) else percent > 0
