"""The roll of a turn's check: a die for each unit, and a random event for each 1 (battlesystem-random-events, lines 6-11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TypedDict

from rules.book import Book
from rules.books.battlesystem.turn import (
    LONGEST_CHAIN,
    BattleUnit,
    CheckedUnits,
    EventRoll,
    EventTrigger,
    Muster,
    TurnCheck,
    TurnChecker,
    event_face,
    read_muster,
    row_at,
    unit_die,
)
from rules.dice import Dice, Roll
from rules.kinds import Lasts, PartLasts, Stat, Token
from rules.phrases import counted
from rules.procedure import (
    Chance,
    Conclusion,
    MethodResult,
    Part,
    Policy,
    Procedure,
    ResolutionMethod,
    Throw,
    WeighedStage,
)
from rules.tables import Event, RollTable

EVENTS, QUIET = "events", "quiet"
"""What a check can come to."""

MAX_STRUCK = 10
"""How many units a side's dice name; of more each is told by its own event alone."""

MAX_NAMED = 6
"""How many units and sides a conclusion names; more are counted."""

SPANS: Mapping[Lasts, str] = {
    "turn": "this turn",
    "battle": "this battle",
    "instant": "at once",
    "permanent": "permanent",
    "until_condition": "until its condition is met",
    "held_until_used": "kept until used",
}


class EventPartRecord(TypedDict):
    """One thing that an event does to each of its units."""

    text: str
    lasts: PartLasts
    changes: dict[Stat, int]


class EventRecord(TypedDict):
    """One d100 and what it came to; dice are pairs of sides and face, units stand by their names.

    `struck` is the unit that the d100 was rolled for, None for a side; `after` is the number of the event it follows from;
    `event` is its number, None where there is none, and `why` is the reason for which nothing comes of one; `units` are
    those that it falls on, `spared` those that the tokens of the sides in `ignored` let off. `parts` tell what it does to
    each of the units, `token` what the side gets, `removes` that the units leave for good, `spells` how many a unit that
    lost one still has. Without an event nothing lasts and nobody is gone.
    """

    side: str
    struck: str | None
    after: int | None
    face: int
    event: int | None
    outcome: str
    text: str
    why: str
    units: list[str]
    spared: list[str]
    ignored: list[str]
    picks: list[list[int]]
    extra: list[list[int]]
    spells: dict[str, int]
    token: Token | None
    cause: str | None
    lasts: Lasts | None
    parts: list[EventPartRecord]
    removes: bool


class CheckRecord(TypedDict):
    """A check: the die of each unit by its name, every d100 in the order rolled, and whether a chain was ended at its limit."""

    checks: list[list[str | int]]
    happenings: list[EventRecord]
    cut: bool


def tells_end(text: str) -> bool:
    """Return whether the words of an event say by themselves for how long it lasts."""
    return " until " in text


def throws(table: RollTable, muster: Muster, check: TurnCheck) -> Iterator[Throw]:
    """Yield the dice of each side's units, then each d100 with what belongs to it."""
    for side in muster.rolling_sides if muster.mode == "unit" else ():
        yield _unit_dice(table, side, [(unit, roll) for unit, roll in check.checks if unit.side == side])
    for place, event_roll in enumerate(check.events):
        rolls = (event_roll.roll, *event_roll.picks, *event_roll.extra)
        text = "; ".join([_text(event_roll), *_overruling(event_roll, check.events[:place])])
        yield Throw(_title(event_roll), text, rolls, table.source, event_roll.row.line)


def conclude(events: Sequence[EventRoll], *, cut: bool = False) -> Conclusion:
    """Return how many events befall whom; both sides hear of it (C1.5). One that only brings more counts by these."""
    real = [event_roll for event_roll in events if event_roll.event]
    befallen = [event_roll for event_roll in real if event_roll.happens and not event_roll.only_brings_more]
    ignored = sum(bool(event_roll.spared) for event_roll in real)
    clauses = []
    if befallen:
        clauses.append(f"{counted(len(befallen), 'events')} for {_whom(befallen)}")
    if ignored:
        clauses.append(f"{counted(ignored, 'events')} ignored")
    if cut:
        clauses.append(f"a chain was stopped after {LONGEST_CHAIN} rolls")
    if not (befallen or ignored):
        clauses.insert(0, "No events")
    return Conclusion(EVENTS if real else QUIET, "; ".join(clauses), "neutral", "results")


def check_record(check: TurnCheck) -> CheckRecord:
    """Return the check as JSON has it."""
    return {
        "checks": [[unit.name, roll.total] for unit, roll in check.checks],
        "happenings": [_event_record(event_roll) for event_roll in check.events],
        "cut": check.cut,
    }


def _unit_dice(table: RollTable, side: str, checks: Sequence[tuple[BattleUnit, Roll]]) -> Throw:
    face = event_face(table)
    struck = [unit for unit, roll in checks if roll.total == face]
    whom = _names(struck) if len(struck) <= MAX_STRUCK else f"{len(struck)} units, listed below"
    text = f"{face} for {whom}" if struck else f"no {face}, so no event"
    title = f"{side}: a d{unit_die(table).sides} for each unit"
    return Throw(title, text, tuple(roll for _, roll in checks), table.source, table.numbers["event-face"].line)


def _title(event_roll: EventRoll) -> str:
    trigger = event_roll.trigger
    who = f"{trigger.struck.name} ({trigger.side})" if trigger.struck else trigger.side
    return f"{who}: random event" + (f", after event {trigger.after}" if trigger.after else "")


def _text(event_roll: EventRoll) -> str:
    event = event_roll.row.event
    if event is None:
        return event_roll.row.text
    lasts = "" if tells_end(event_roll.row.text) else f" ({SPANS[event.lasts]})"
    text = f"{event_roll.number}, {event.cause}: {event_roll.row.text}{lasts}"
    return "; ".join([text, *_details(event_roll, event)])


def _overruling(event_roll: EventRoll, before: Iterable[EventRoll]) -> Iterator[str]:
    """Yield over which events of the same check this one holds, since it came later and contradicts them (A3)."""
    for earlier in before:
        units = [unit for unit in event_roll.units if unit in earlier.units]
        event, other = event_roll.event, earlier.event
        if units and event and other and {*event.orders} & {*other.orders}:
            yield f"replaces {other.cause} ({earlier.number}) for {_names(units)}"


def _details(event_roll: EventRoll, event: Event) -> Iterator[str]:
    """Yield whom it falls on where that is not said already, and what the dice beside the d100 say."""
    if event_roll.why:
        yield f"no effect: {event_roll.why}"
    if event_roll.units and event_roll.units != (event_roll.trigger.struck,):
        yield f"affects {_names(event_roll.units)}"
    if event_roll.spared:
        yield f"{' and '.join(event_roll.ignored)} ignores it: {_names(event_roll.spared)} not affected"
    drawn = event_roll.extra if event.pick else ()
    yield from (f"{event.pick} {roll.total} of {roll.term.sides}" for roll in drawn)
    yield from (f"{counted(left, 'spells')} left" for left in event_roll.spells.values())


def _event_record(event_roll: EventRoll) -> EventRecord:
    trigger, event = event_roll.trigger, event_roll.row.event
    return {
        "side": trigger.side,
        "struck": trigger.struck.name if trigger.struck else None,
        "after": trigger.after,
        "face": event_roll.roll.total,
        "event": event_roll.number if event else None,
        "outcome": event_roll.row.outcome,
        "text": event_roll.row.text,
        "why": event_roll.why,
        "units": [unit.name for unit in event_roll.units],
        "spared": [unit.name for unit in event_roll.spared],
        "ignored": list(event_roll.ignored),
        "picks": [_die_record(roll) for roll in event_roll.picks],
        "extra": [_die_record(roll) for roll in event_roll.extra],
        "spells": dict(event_roll.spells),
        "token": event.token if event and event_roll.happens else None,
        "cause": event.cause if event else None,
        "lasts": event.lasts if event else None,
        "parts": [{"text": part.text, "lasts": part.lasts, "changes": dict(part.changes)} for part in event.parts]
        if event
        else [],
        "removes": bool(event and event.removes),
    }


def _die_record(roll: Roll) -> list[int]:
    return [roll.term.sides, roll.total]


def _whom(events: Iterable[EventRoll]) -> str:
    """Return units, and sides that an event concerns as players, each once."""
    whom = dict.fromkeys(
        name
        for event_roll in events
        for name in ([unit.name for unit in event_roll.units] or [event_roll.trigger.side])
    )
    return ", ".join(whom) if len(whom) <= MAX_NAMED else f"{len(whom)} units and sides"


def _names(units: Iterable[BattleUnit]) -> str:
    return ", ".join(unit.name for unit in units)


FAMILY = "random-events"
TABLE = "battlesystem.random-events"


class RandomEvents(ResolutionMethod):
    """The method of a check; inputs are those of `read_muster`, and `record` tells what is kept of it."""

    tables = (TABLE,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll for every unit, or for every side, and for all that follows."""
        table, muster = book.table(TABLE), read_muster(part.inputs)
        check = TurnChecker(table, muster, dice).check()
        steps = tuple(throws(table, muster, check))
        return MethodResult(steps, conclude(check.events, cut=check.cut), check_record(check))

    def stages(self, part: Part, _book: Book) -> tuple[WeighedStage, ...]:
        """Return none: an event's table has no modifiers, and how often it is rolled on the first dice say."""
        read_muster(part.inputs)
        return ()

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chances of one event at least and of none; one that a token makes ignored is an event."""
        none = prod(_quiet(book.table(TABLE), read_muster(part.inputs)), start=Fraction(1))
        some = Conclusion(EVENTS, "At least one event", "neutral", "results")
        chances = (Chance(some, 1 - none), Chance(conclude(()), none))
        return tuple(chance for chance in chances if chance.chance)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how many roll, and for what."""
        table, muster = book.table(TABLE), read_muster(part.inputs)
        if muster.mode == "side":
            return (f"A {_event_die(table)} for each of {', '.join(muster.rolling_sides)}",)
        units = [f"{side} {sum(unit.side == side for unit in muster.rolling_units)}" for side in muster.rolling_sides]
        return (
            f"A d{unit_die(table).sides} for each unit: {', '.join(units)}",
            f"Each {event_face(table)} brings a {_event_die(table)}",
        )


def _quiet(table: RollTable, muster: Muster) -> Iterator[Fraction]:
    """Yield for each unit or side that rolls how likely nothing comes of it while nothing has come of those before."""
    if muster.mode == "side":
        yield from (1 - _eventful(table, muster, EventTrigger(side)) for side in muster.rolling_sides)
        return
    struck = Fraction(1, unit_die(table).sides)
    alike: dict[object, Fraction] = {}
    for unit in muster.rolling_units:
        # Units alike in all that a chance depends on are worked out once: rosters can be long.
        kind = (unit.side, unit.tags, unit.spells == 0)
        if kind not in alike:
            alike[kind] = 1 - struck * _eventful(table, muster, EventTrigger(unit.side, unit))
        yield alike[kind]


def _eventful(table: RollTable, muster: Muster, trigger: EventTrigger) -> Fraction:
    """Return how likely a d100 brings an event that can be obeyed."""
    field = CheckedUnits(table, muster.units)
    chances = [
        field.chance(row.event, trigger) for face in range(1, table.die.high + 1) if (row := row_at(table, face)).event
    ]
    return sum(chances, Fraction(0)) / table.die.high


def _event_die(table: RollTable) -> str:
    return f"d{table.die.sides}"


PROCEDURE = Procedure(
    family=FAMILY,
    title="Random events",
    actor="battle",
    subject="",
    headline="Turn check of {battle}",
    headline_alone="Turn check of {battle}",
    method=RandomEvents(),
    policy=Policy(again="never", by_card=False, played=()),
)


PROCEDURES = (PROCEDURE,)
