"""The check of a turn: who is in it, the dice, whom each event affects, and what follows from it.

The readings are those of the page's gaps: a unit that its event's letter leaves out is replaced by one of the same side
that it fits, drawn at random (A2); the token of a spy is spent by itself (A5); further events are rolled at once (A6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Literal, get_args

from msgspec import Struct, field

from rules.dice import Dice, DiceTerm, Roll
from rules.errors import RollError, UnknownName, UnknownOption, WrongDice
from rules.kinds import NEXT, Tag
from rules.modifiers import JsonObject
from rules.subjects import name_key
from rules.tables import Event, RollTable, TableRow

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

    `tokens` tells for sides how many they hold of each kind (`rules.kinds.Token`).
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


LONGEST_CHAIN = 10
"""How many d100 one check may lead to, the first included (A6)."""

_FURTHER = {"enemy", "two_friendly_units"}
"""The scopes whose events bring each unit that they fall on a further event."""


class EventTrigger(Struct, frozen=True):
    """What a d100 is rolled for: a unit, or a whole side; `after` is the number of the event from which it follows."""

    side: str
    struck: BattleUnit | None = None
    after: int | None = None


class EventRoll(Struct, frozen=True):
    """One d100 and what it came to.

    `units` are those that the event falls on: none where it concerns the player, and none where it cannot be obeyed, of
    which `why` tells. `spared` are those that a token lets off. `picks` are the dice that drew units, `extra` those that
    the event asks for. `spells` is how many the units that lost one still have, where that is known.
    """

    trigger: EventTrigger
    roll: Roll
    row: TableRow
    number: int
    units: tuple[BattleUnit, ...] = ()
    spared: tuple[BattleUnit, ...] = ()
    why: str = ""
    picks: tuple[Roll, ...] = ()
    extra: tuple[Roll, ...] = ()
    spells: Mapping[str, int] = field(default_factory=dict)

    @property
    def event(self) -> Event | None:
        """What befalls somebody, None where nothing does."""
        return None if self.why else self.row.event

    @property
    def ignored(self) -> tuple[str, ...]:
        """The sides that have spent a token on it."""
        return tuple(dict.fromkeys(unit.side for unit in self.spared))

    @property
    def happens(self) -> bool:
        """Whether there is an event, it can be obeyed, and somebody is not let off."""
        return self.event is not None and bool(self.units or not self.spared)

    @property
    def only_brings_more(self) -> bool:
        """Whether all that comes of it are further events."""
        return self.event is not None and self.event.scope in _FURTHER


class TurnCheck(Struct, frozen=True):
    """The die of each unit, and every d100 in the order rolled; `cut` when a chain was ended at its limit."""

    checks: tuple[tuple[BattleUnit, Roll], ...]
    events: tuple[EventRoll, ...]
    cut: bool


def row_at(table: RollTable, face: int) -> TableRow:
    """Return the row of a face of the d100; 00 is 100 (A12)."""
    if not table.die.low <= face <= table.die.high:
        raise WrongDice(f"a d{table.die.sides} has no face {face}")
    return table.read(face, face)[0]


def number(table: RollTable, row: TableRow) -> int:
    """Return the number of a row's event: its first face."""
    return table.die.low if row.min is None else row.min


def unit_die(table: RollTable) -> DiceTerm:
    """Return the die that each unit rolls (line 6)."""
    return DiceTerm(1, table.numbers["unit-die"].value)


def event_face(table: RollTable) -> int:
    """Return the face of a unit's die at which an event befalls it (line 6)."""
    return table.numbers["event-face"].value


class TurnChecker:
    """A check as it goes on: who has left the field, which spells are lost, and which tokens are still held."""

    def __init__(self, table: RollTable, muster: Muster, dice: Dice) -> None:
        self._table = table
        self._muster = muster
        self._dice = dice
        self._field = CheckedUnits(table, muster.units)
        self._tokens = Counter({side: counts.get(NEXT, 0) for side, counts in muster.tokens.items()})

    def check(self) -> TurnCheck:
        """Roll a die for every unit that rolls, in the roster's order, then for each 1 its d100 and what follows (C1.1 to C1.4).

        In the variant by sides there is no first die, and each side rolls one d100 (A1).
        """
        die = unit_die(self._table)
        checks = tuple((unit, self._dice.roll(die)) for unit in self._muster.rolling_units)
        triggers = [EventTrigger(unit.side, unit) for unit, roll in checks if roll.total == event_face(self._table)]
        if self._muster.mode == "side":
            triggers = [EventTrigger(side) for side in self._muster.rolling_sides]
        events: list[EventRoll] = []
        chains = [self._chain(first, events) for first in triggers]
        return TurnCheck(checks, tuple(events), any(chains))

    def _chain(self, first: EventTrigger, events: list[EventRoll]) -> bool:
        """Roll a d100 and all that follow from it, each directly after its cause; return whether that was ended at its limit."""
        waiting = [first]
        for _ in range(LONGEST_CHAIN):
            if not waiting:
                return False
            event_roll = self._befall(waiting.pop(0))
            events.append(event_roll)
            # Directly after its cause, so before whatever else is waiting.
            waiting[:0] = _further(event_roll)
        return bool(waiting)

    def _befall(self, trigger: EventTrigger) -> EventRoll:
        """Roll the d100, find whom it falls on, and roll what belongs to it."""
        roll = self._dice.roll(self._table.die)
        row = row_at(self._table, roll.total)
        place = number(self._table, row)
        if row.event is None:
            return EventRoll(trigger, roll, row, place)
        pool, count = self._field.pool(row.event, trigger)
        drawn, picks = self._draw(count, pool)
        why = self._field.hindrance(row.event, trigger, drawn)
        if why:
            return EventRoll(trigger, roll, row, place, why=why, picks=picks)
        # After the hindrance: an event that cannot be obeyed costs nobody a token.
        units, spared = self._let_off(drawn)
        extra = tuple(self._extra(row.event, units)) if units else ()
        spells = self._suffer(row.event, trigger, units)
        return EventRoll(trigger, roll, row, place, units, spared, "", picks, extra, spells)

    def _draw(self, count: int, pool: Sequence[BattleUnit]) -> tuple[Sequence[BattleUnit], tuple[Roll, ...]]:
        """Draw so many different units; where there are no more than that, no die is needed (C2.6)."""
        left = list(pool)
        drawn: list[BattleUnit] = []
        picks: list[Roll] = []
        while len(left) > count - len(drawn) > 0:
            picks.append(self._dice.roll(DiceTerm(1, len(left))))
            drawn.append(left.pop(picks[-1].total - 1))
        return [*drawn, *left][:count], tuple(picks)

    def _let_off(self, drawn: Sequence[BattleUnit]) -> tuple[tuple[BattleUnit, ...], tuple[BattleUnit, ...]]:
        """Return those that the event falls on, and those whose side spends a token on it (A5)."""
        safe = {unit.side for unit in drawn if self._tokens[unit.side]}
        self._tokens.subtract(safe)
        units = tuple(unit for unit in drawn if unit.side not in safe)
        return units, tuple(unit for unit in drawn if unit.side in safe)

    def _extra(self, event: Event, units: Sequence[BattleUnit]) -> Iterator[Roll]:
        """Roll the dice that the event asks for; among spells that nobody counts, the players draw."""
        if event.die:
            yield self._dice.roll(event.die)
        for unit in units:
            spells = self._field.spells[unit.name]
            if event.pick and spells and spells > 1:
                yield self._dice.roll(DiceTerm(1, spells))

    def _suffer(self, event: Event, trigger: EventTrigger, units: Sequence[BattleUnit]) -> dict[str, int]:
        """Note what the event changes for the rest of the check; return how many spells are left to whom."""
        if event.removes:
            self._field.gone.update(unit.name for unit in units)
        if event.token == NEXT and (units or event.scope == "player"):
            self._tokens[trigger.side] += 1
        return self._field.lose_spell(units) if event.pick else {}


class CheckedUnits:
    """The units as they are at some moment of a check, and whom an event can befall then."""

    def __init__(self, table: RollTable, units: Sequence[BattleUnit]) -> None:
        self._letters = table.letters
        self._units = units
        self.gone: set[str] = set()
        self.spells = {unit.name: unit.spells for unit in units}

    def pool(self, event: Event, trigger: EventTrigger) -> tuple[Sequence[BattleUnit], int]:
        """Return among whom the event finds its units, and how many (C2.1, C2.2, C2.5; A2, A4, A6)."""
        fitting = [unit for unit in self._units if unit.name not in self.gone and self._fits(event, unit)]
        friends = [unit for unit in fitting if unit.side == trigger.side]
        match event.scope:
            case "player":
                return (), 0
            case "all_flying_both_sides":
                flying = [unit for unit in fitting if "flying" in unit.tags]
                return flying, len(flying)
            case "enemy":
                return [unit for unit in fitting if unit.side != trigger.side], 1
            case "two_friendly_units":
                return friends, 2
        # Without a letter the struck unit cannot be replaced: if it is gone, nothing happens.
        if trigger.struck and (trigger.struck in friends or event.letter is None):
            return [unit for unit in friends if unit == trigger.struck], 1
        return friends, 1

    def hindrance(self, event: Event, trigger: EventTrigger, drawn: Sequence[BattleUnit]) -> str:
        """Return why nothing happens though the number has an event (C2.3, A8); empty when it does."""
        if event.scope == "player":
            return ""
        if not drawn:
            gone = event.scope == "unit" and event.letter is None and trigger.struck is not None
            return "the unit has left the field" if gone else "no unit can be affected"
        if not any(self._meets(event, unit) for unit in drawn):
            return f"the unit has no {event.needs} with a spell left"
        return ""

    def chance(self, event: Event, trigger: EventTrigger) -> Fraction:
        """Return how likely the event is to find a unit that can obey it."""
        if event.scope == "player":
            return Fraction(1)
        pool, count = self.pool(event, trigger)
        if not pool:
            return Fraction(0)
        # The event fails only when every unit that is drawn lacks what it needs.
        idle, drawn = sum(not self._meets(event, unit) for unit in pool), min(count, len(pool))
        return 1 - Fraction(comb(idle, drawn), comb(len(pool), drawn))

    def lose_spell(self, units: Sequence[BattleUnit]) -> dict[str, int]:
        """Take a spell from each of the units, where they are counted; return what is left."""
        left = {unit.name: spells - 1 for unit in units if (spells := self.spells[unit.name])}
        self.spells.update(left)
        return left

    def _fits(self, event: Event, unit: BattleUnit) -> bool:
        """Return whether the event's letter lets it fall on the unit (C2.2)."""
        return event.letter is None or self._letters[event.letter].fits(unit.tags)

    def _meets(self, event: Event, unit: BattleUnit) -> bool:
        """Return whether the unit has what the event needs: a caster with a spell left (A8)."""
        return event.needs is None or (event.needs in unit.tags and self.spells[unit.name] != 0)


def _further(event_roll: EventRoll) -> list[EventTrigger]:
    """Return the events that follow, each for the unit drawn (A6)."""
    if not event_roll.only_brings_more:
        return []
    return [EventTrigger(unit.side, unit, event_roll.number) for unit in event_roll.units]
