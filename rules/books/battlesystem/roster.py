"""Who is in a check of a turn: the units of both sides, which of them roll, and the tokens that sides hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct, field

from rules.errors import RollError, UnknownName, UnknownOption
from rules.events import Tag
from rules.facts import JsonObject
from rules.subjects import name_key

Mode = Literal["unit", "side"]
"""How a check is rolled: a die for each unit, or at once a d100 for each side, as in the page's example (A1)."""


class UnknownTag(UnknownName):
    """Units are missile units, flying units or casters, and no letter asks for more."""

    kind = "tag"


class UnknownSide(UnknownName):
    """The battle has no such side."""

    kind = "side"


class BattleUnit(Struct, frozen=True):
    """A unit of the roster. `spells` is how many a caster still has, None when nobody counts them."""

    name: str
    side: str
    tags: frozenset[str] = frozenset()
    spells: int | None = None


class Muster(Struct, frozen=True):
    """What a check is made with. `only` is the one side that rolls, None when all do; events may fall on the others even so.

    `tokens` tells for sides how many they hold of each kind (`rules.events.Token`).
    """

    units: tuple[BattleUnit, ...]
    sides: tuple[str, ...]
    mode: Mode = "unit"
    only: str | None = None
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def rolling_units(self) -> tuple[BattleUnit, ...]:
        """The units that roll a die each, in the roster's order."""
        units = self.units if self.mode == "unit" else ()
        return tuple(unit for unit in units if self.only in {None, unit.side})

    @property
    def rolling_sides(self) -> tuple[str, ...]:
        """The sides that roll, with a unit at least."""
        manned = {unit.side for unit in self.units if self.only in {None, unit.side}}
        return tuple(side for side in self.sides if side in manned)


def read_muster(inputs: JsonObject) -> Muster:
    """Read the inputs of a check: roster, sides, mode, only and tokens."""
    units = tuple(_unit(raw) for raw in inputs["roster"])
    muster = Muster(
        units, tuple(inputs["sides"]), inputs.get("mode", "unit"), inputs.get("only"), inputs.get("tokens", {})
    )
    check_muster(muster)
    return muster


def check_muster(muster: Muster) -> None:
    """Refuse a check that cannot be made."""
    if not muster.units:
        raise RollError("The roster is empty: add units first.")
    if muster.mode not in get_args(Mode):
        raise UnknownOption(muster.mode, get_args(Mode))
    for side in _named_sides(muster):
        if side not in muster.sides:
            raise UnknownSide(side, muster.sides)
    _check_units(muster.units)
    if not muster.rolling_sides:
        raise RollError(f"{muster.only} has no units to roll.")


def _unit(raw: JsonObject) -> BattleUnit:
    return BattleUnit(raw["name"], raw["side"], frozenset(raw.get("tags", ())), raw.get("spells"))


def _named_sides(muster: Muster) -> Iterator[str]:
    yield from (unit.side for unit in muster.units)
    yield from muster.tokens
    if muster.only is not None:
        yield muster.only


def _check_units(units: Sequence[BattleUnit]) -> None:
    known = get_args(Tag)
    seen: set[str] = set()
    for unit in units:
        if name_key(unit.name) in seen:
            raise RollError(f"The roster names {unit.name!r} twice.")
        seen.add(name_key(unit.name))
        for tag in sorted(unit.tags):
            if tag not in known:
                raise UnknownTag(tag, known)
        if unit.spells is not None and unit.spells < 0:
            raise RollError(f"{unit.name} can't have {unit.spells} spells.")
