"""The check of a turn: its dice, the units each event affects, and what follows.

Where the page is silent: a unit that the letter leaves out is replaced at random by a fitting one of its side (A2), a spy's token is spent automatically (A5), further events are rolled at once (A6).
"""

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
"""A die per unit, or one d100 per side (A1)."""


class UnknownTag(UnknownName):
    """No letter asks for such a tag."""

    kind = "tag"


class UnknownSide(UnknownName):
    """The battle has no such side."""

    kind = "side"


class BattleUnit(Struct, frozen=True):
    """A unit of the roster; its `spells` are None if not counted."""

    name: str
    side: str
    tags: frozenset[str] = frozenset()
    spells: int | None = None


class CheckInput(Struct, frozen=True):
    """The input of a check: `only` one side rolls, and each side's tokens by kind."""

    units: tuple[BattleUnit, ...]
    sides: tuple[str, ...]
    mode: Mode = "unit"
    only: str | None = None
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def units_to_roll(self) -> tuple[BattleUnit, ...]:
        """The units that roll, in order."""
        units = self.units if self.mode == "unit" else ()
        return tuple(unit for unit in units if self.only in {None, unit.side})

    @property
    def sides_to_roll(self) -> tuple[str, ...]:
        """The sides that roll and have a unit."""
        manned = {unit.side for unit in self.units if self.only in {None, unit.side}}
        return tuple(side for side in self.sides if side in manned)


def read_muster(inputs: JsonObject) -> CheckInput:
    """Read the inputs of a check."""
    units = tuple(
        BattleUnit(raw["name"], raw["side"], frozenset(raw.get("tags", ())), raw.get("spells"))
        for raw in inputs["roster"]
    )
    mode, only, tokens = inputs.get("mode", "unit"), inputs.get("only"), inputs.get("tokens", {})
    muster = CheckInput(units, tuple(inputs["sides"]), mode, only, tokens)
    if not units:
        raise RollError("The roster is empty: add units first.")
    if mode not in get_args(Mode):
        raise UnknownOption(mode, get_args(Mode))
    for side in (*(unit.side for unit in units), *tokens, *([] if only is None else [only])):
        if side not in muster.sides:
            raise UnknownSide(side, muster.sides)
    _check_units(units)
    if not muster.sides_to_roll:
        raise RollError(f"{only} has no units to roll.")
    return muster


def _check_units(units: Sequence[BattleUnit]) -> None:
    known, seen = get_args(Tag), set[str]()
    for unit in units:
        if name_key(unit.name) in seen:
            raise RollError(f"The roster names {unit.name!r} twice.")
        seen.add(name_key(unit.name))
        for tag in sorted(unit.tags):
            if tag not in known:
                raise UnknownTag(tag, known)
        if unit.spells is not None and unit.spells < 0:
            raise RollError(f"{unit.name} can't have {unit.spells} spells.")


LONGEST_CHAIN = 10  # in d100s, the first included (A6)
_FURTHER = {"enemy", "two_friendly_units"}  # the scopes whose events bring more events


class EventTrigger(Struct, frozen=True):
    """A unit, or a side (`struck` None), that gets a d100; `after` is the event it follows from."""

    side: str
    struck: BattleUnit | None = None
    after: int | None = None


class EventRoll(Struct, frozen=True):
    """One d100 and its result.

    `units` are affected, `spared` are let off by a token; `why` says why nothing happens. `picks` drew the units, `extra` belong to the event, and `spells` are what casters have left.
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
        """The event, if it affects anyone."""
        return None if self.why else self.row.event

    @property
    def token_sides(self) -> tuple[str, ...]:
        """The sides that spent a token on it."""
        return tuple(dict.fromkeys(unit.side for unit in self.spared))

    @property
    def happens(self) -> bool:
        """Whether it can be obeyed and affects anyone."""
        return self.event is not None and bool(self.units or not self.spared)

    @property
    def only_brings_more(self) -> bool:
        """Whether its only result is further events."""
        return self.event is not None and self.event.scope in _FURTHER


class TurnCheck(Struct, frozen=True):
    """Each unit's die and every d100; `cut` if a chain reached its limit."""

    checks: tuple[tuple[BattleUnit, Roll], ...]
    events: tuple[EventRoll, ...]
    cut: bool


def row_at(table: RollTable, face: int) -> TableRow:
    """Return the row of a d100's face; 00 is 100 (A12)."""
    if not table.die.low <= face <= table.die.high:
        raise WrongDice(f"a d{table.die.sides} has no face {face}")
    return table.read(face, face)[0]


def number(table: RollTable, row: TableRow) -> int:
    """Return the lowest face of a row, which is its event's number."""
    return table.die.low if row.min is None else row.min


def unit_die(table: RollTable) -> DiceTerm:
    """Return the die of each unit (line 6)."""
    return DiceTerm(1, table.numbers["unit-die"].value)


def event_face(table: RollTable) -> int:
    """Return the face that brings an event (line 6)."""
    return table.numbers["event-face"].value


class TurnChecker:
    """A check in progress: who left, lost spells, tokens left."""

    def __init__(self, table: RollTable, muster: CheckInput, dice: Dice) -> None:
        self._table = table
        self._muster = muster
        self._dice = dice
        self._field = CheckedUnits(table, muster.units)
        self._tokens = Counter({side: counts.get(NEXT, 0) for side, counts in muster.tokens.items()})

    def check(self) -> TurnCheck:
        """Roll each unit's die, then each 1's d100s (C1.1 to C1.4); by sides only one d100 each (A1)."""
        die = unit_die(self._table)
        checks = tuple((unit, self._dice.roll(die)) for unit in self._muster.units_to_roll)
        triggers = [EventTrigger(unit.side, unit) for unit, roll in checks if roll.total == event_face(self._table)]
        if self._muster.mode == "side":
            triggers = [EventTrigger(side) for side in self._muster.sides_to_roll]
        events: list[EventRoll] = []
        chains = [self._chain(first, events) for first in triggers]
        return TurnCheck(checks, tuple(events), any(chains))

    def _chain(self, first: EventTrigger, events: list[EventRoll]) -> bool:
        waiting = [first]
        for _ in range(LONGEST_CHAIN):
            if not waiting:
                return False
            event_roll = self._roll_event(waiting.pop(0))
            events.append(event_roll)
            if event_roll.only_brings_more:  # one per unit (A6), directly after its cause, before what else is waiting
                waiting[:0] = [EventTrigger(unit.side, unit, event_roll.number) for unit in event_roll.units]
        return bool(waiting)

    def _roll_event(self, trigger: EventTrigger) -> EventRoll:
        roll = self._dice.roll(self._table.die)
        row = row_at(self._table, roll.total)
        place = number(self._table, row)
        if row.event is None:
            return EventRoll(trigger, roll, row, place)
        pool, count = self._field.pool(row.event, trigger)
        drawn, picks = self._draw_units(count, pool)
        why = self._field.describe_hindrance(row.event, trigger, drawn)
        if why:
            return EventRoll(trigger, roll, row, place, why=why, picks=picks)
        # After this: an event that can't be obeyed costs no token (A5).
        safe = {unit.side for unit in drawn if self._tokens[unit.side]}
        self._tokens.subtract(safe)
        units, spared = (tuple(unit for unit in drawn if (unit.side in safe) is kept) for kept in (False, True))
        extra = tuple(self._roll_extra(row.event, units)) if units else ()
        spells = self._apply(row.event, trigger, units)
        return EventRoll(trigger, roll, row, place, units, spared, "", picks, extra, spells)

    def _draw_units(self, count: int, pool: Sequence[BattleUnit]) -> tuple[Sequence[BattleUnit], tuple[Roll, ...]]:
        """Draw different units; no die if there aren't more (C2.6)."""
        left = list(pool)
        drawn: list[BattleUnit] = []
        picks: list[Roll] = []
        while len(left) > count - len(drawn) > 0:
            picks.append(self._dice.roll(DiceTerm(1, len(left))))
            drawn.append(left.pop(picks[-1].total - 1))
        return [*drawn, *left][:count], tuple(picks)

    def _roll_extra(self, event: Event, units: Sequence[BattleUnit]) -> Iterator[Roll]:
        if event.die:
            yield self._dice.roll(event.die)
        for unit in units:
            spells = self._field.spells[unit.name]
            if event.pick and spells and spells > 1:
                yield self._dice.roll(DiceTerm(1, spells))

    def _apply(self, event: Event, trigger: EventTrigger, units: Sequence[BattleUnit]) -> dict[str, int]:
        if event.removes:
            self._field.gone.update(unit.name for unit in units)
        if event.token == NEXT and (units or event.scope == "player"):
            self._tokens[trigger.side] += 1
        spells = self._field.spells
        left = {unit.name: count - 1 for unit in units if (count := spells[unit.name])} if event.pick else {}
        spells.update(left)
        return left


class CheckedUnits:
    """The units at a moment of a check, and which an event can affect."""

    def __init__(self, table: RollTable, units: Sequence[BattleUnit]) -> None:
        self._letters = table.letters
        self._units = units
        self.gone: set[str] = set()
        self.spells = {unit.name: unit.spells for unit in units}

    def pool(self, event: Event, trigger: EventTrigger) -> tuple[Sequence[BattleUnit], int]:
        """Return which units an event may affect, and how many (C2.1, C2.2, C2.5; A2, A4, A6)."""
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

    def describe_hindrance(self, event: Event, trigger: EventTrigger, drawn: Sequence[BattleUnit]) -> str:
        """Return why an event can't happen (C2.3, A8); empty if it can."""
        if event.scope == "player":
            return ""
        if not drawn:
            gone = event.scope == "unit" and event.letter is None and trigger.struck is not None
            return "the unit has left the field" if gone else "no unit can be affected"
        if not any(self._meets(event, unit) for unit in drawn):
            return f"the unit has no {event.needs} with a spell left"
        return ""

    def chance(self, event: Event, trigger: EventTrigger) -> Fraction:
        """Return the chance that an event finds a unit."""
        if event.scope == "player":
            return Fraction(1)
        pool, count = self.pool(event, trigger)
        if not pool:
            return Fraction(0)
        # The event fails only when every unit that is drawn lacks what it needs.
        idle, drawn = sum(not self._meets(event, unit) for unit in pool), min(count, len(pool))
        return 1 - Fraction(comb(idle, drawn), comb(len(pool), drawn))

    def _fits(self, event: Event, unit: BattleUnit) -> bool:
        """Return whether the letter allows the unit (C2.2)."""
        return event.letter is None or self._letters[event.letter].fits(unit.tags)

    def _meets(self, event: Event, unit: BattleUnit) -> bool:
        """Return whether a needed caster has a spell left (A8)."""
        return event.needs is None or (event.needs in unit.tags and self.spells[unit.name] != 0)
