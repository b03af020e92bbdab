"""The check of a turn: which units random events befall, and what follows from them. All dice come through the port.

The readings are those of the page's gaps: a unit that its event's letter leaves out is replaced by one of the same side
that it fits, drawn at random (A2); further events of 56 and 63 are rolled at once (A6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from rules.dice import Dice, DiceTerm, Roll
from rules.errors import RollError, UnknownName
from rules.events import Event, EventTable, Tag

LONGEST_CHAIN = 10
"""How many d100 one check may lead to, the first included (A6)."""

_FURTHER = {"enemy", "two_friendly_units"}
"""The scopes whose events bring each unit that they fall on a further event."""


class UnknownTag(UnknownName):
    """Units are missile units, flying units or casters, and no restriction asks for more."""

    kind = "tag"


@dataclass(frozen=True, slots=True)
class BattleUnit:
    """A unit of the roster. `spells` is how many a caster still has, None when nobody counts them."""

    name: str
    side: str
    tags: frozenset[str] = frozenset()
    spells: int | None = None


@dataclass(frozen=True, slots=True)
class Happening:
    """One d100 and what it came to.

    `struck` is the unit that it was rolled for, None where it was rolled for the whole side; `cause` is the number of the
    event from which it follows. `units` are those that the event falls on: none where it concerns the player, and none
    where it cannot be obeyed, of which `why` tells. `picks` are the dice that drew units, `extra` those that the event asks for.
    """

    side: str
    struck: BattleUnit | None
    cause: int | None
    roll: Roll
    event: Event | None
    units: tuple[BattleUnit, ...] = ()
    why: str = ""
    picks: tuple[Roll, ...] = ()
    extra: tuple[Roll, ...] = ()

    @property
    def happens(self) -> bool:
        """Whether there is an event and it can be obeyed."""
        return self.event is not None and not self.why


@dataclass(frozen=True, slots=True)
class TurnCheck:
    """The d4 of each unit, and every d100 in the order rolled; `cut` when a chain was ended at its limit."""

    checks: tuple[tuple[BattleUnit, Roll], ...]
    happenings: tuple[Happening, ...]
    cut: bool


def check_units(table: EventTable, roster: Sequence[BattleUnit], dice: Dice) -> TurnCheck:
    """A d4 for every unit of both sides in the roster's order, then for each 1 its d100 and what follows (C1.1 to C1.4).

    Raises:
        RollError: the roster is empty, names a unit twice or has an unknown tag.

    """
    _look_over(roster)
    check = table.page.check
    checks = tuple((unit, dice.roll(check.die)) for unit in roster)
    due = [_Due(unit.side, unit) for unit, roll in checks if roll.total == check.face]
    return _Checker(table, roster, dice).run(checks, due)


def check_sides(table: EventTable, roster: Sequence[BattleUnit], dice: Dice) -> TurnCheck:
    """The variant of the page's example: one d100 a side, which befalls a unit drawn at random (A1).

    Raises:
        RollError: as for `check_units`.

    """
    _look_over(roster)
    sides = dict.fromkeys(unit.side for unit in roster)
    return _Checker(table, roster, dice).run((), [_Due(side) for side in sides])


@dataclass(frozen=True, slots=True)
class _Due:
    """A d100 that is to be rolled."""

    side: str
    struck: BattleUnit | None = None
    cause: int | None = None


@dataclass(frozen=True, slots=True)
class _Checker:
    """What all steps of a check need."""

    table: EventTable
    roster: Sequence[BattleUnit]
    dice: Dice

    def run(self, checks: tuple[tuple[BattleUnit, Roll], ...], struck: Sequence[_Due]) -> TurnCheck:
        happenings: list[Happening] = []
        cut = False
        for first in struck:
            chain = [first]
            for _ in range(LONGEST_CHAIN):
                if chain:
                    happenings.append(self._befall(chain.pop(0)))
                    chain.extend(_further(happenings[-1]))
            cut = cut or bool(chain)
        return TurnCheck(checks, tuple(happenings), cut)

    def _befall(self, due: _Due) -> Happening:
        """Roll the d100, find whom it falls on, and roll what belongs to it."""
        roll = self.dice.roll(self.table.page.die)
        event = self.table.event(roll.total)
        if event is None:
            return Happening(due.side, due.struck, due.cause, roll, None)
        units, picks = self._sufferers(event, due)
        why = _hindrance(event, units)
        extra = () if why else tuple(self._extra(event, units))
        return Happening(due.side, due.struck, due.cause, roll, event, () if why else tuple(units), why, picks, extra)

    def _sufferers(self, event: Event, due: _Due) -> tuple[Sequence[BattleUnit], tuple[Roll, ...]]:
        """Whom the event falls on, and the dice that drew them."""
        fitting = [unit for unit in self.roster if self.table.fits(event, unit.tags)]
        friends = [unit for unit in fitting if unit.side == due.side]
        match event.scope:
            case "player":
                return (), ()
            case "all_flying_both_sides":
                return fitting, ()
            case "enemy":
                return self._draw(1, [unit for unit in fitting if unit.side != due.side])
            case "two_friendly_units":
                return self._draw(2, friends)
        return ((due.struck,), ()) if due.struck and due.struck in friends else self._draw(1, friends)

    def _draw(self, count: int, pool: Sequence[BattleUnit]) -> tuple[Sequence[BattleUnit], tuple[Roll, ...]]:
        """So many different units, fewer where there are fewer; the last one left needs no die (C2.6)."""
        left = list(pool)
        drawn: list[BattleUnit] = []
        picks: list[Roll] = []
        while left and len(drawn) < count:
            if len(left) == 1:
                drawn.append(left.pop())
            else:
                picks.append(self.dice.roll(DiceTerm(1, len(left))))
                drawn.append(left.pop(picks[-1].total - 1))
        return drawn, tuple(picks)

    def _extra(self, event: Event, units: Sequence[BattleUnit]) -> Iterator[Roll]:
        """The dice that the event asks for; among spells that nobody counts, the players draw."""
        if event.die:
            yield self.dice.roll(event.die)
        for unit in units:
            if event.pick and unit.spells and unit.spells > 1:
                yield self.dice.roll(DiceTerm(1, unit.spells))


def _hindrance(event: Event, units: Sequence[BattleUnit]) -> str:
    """Why nothing happens though the number has an event (C2.3, A8); empty when it does."""
    if event.scope == "player":
        return ""
    if not units:
        return "there is no unit that it can fall on"
    if event.needs and not any(event.needs in unit.tags and unit.spells != 0 for unit in units):
        return f"the unit has no {event.needs} with a spell left"
    return ""


def _further(happening: Happening) -> list[_Due]:
    """The events that follow, each for the unit drawn (A6)."""
    event = happening.event
    if event is None or event.scope not in _FURTHER:
        return []
    return [_Due(unit.side, unit, event.id) for unit in happening.units]


def _look_over(roster: Sequence[BattleUnit]) -> None:
    if not roster:
        raise RollError("The roster is empty: add units first.")
    name, times = Counter(unit.name for unit in roster).most_common(1)[0]
    if times > 1:
        raise RollError(f"The roster names {name!r} twice.")
    known = get_args(Tag)
    for tag in (tag for unit in roster for tag in sorted(unit.tags)):
        if tag not in known:
            raise UnknownTag(tag, known)
