"""The roll of a turn's check: battlesystem-random-events, lines 6-11."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TypedDict

from rules import procedure
from rules.book import Book
from rules.books.battlesystem import turn
from rules.dice import Dice, Roll
from rules.kinds import Lasts, PartLasts, Stat, Token
from rules.phrases import format_count
from rules.tables import Event, RollTable

EVENTS, QUIET = "events", "quiet"  # the two outcomes of a check
MAX_STRUCK = 10  # in the dice of a side
MAX_NAMED = 6  # in a conclusion; more are counted

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
    """One d100 and its result; dice are pairs of sides and face.

    `struck` is the unit it was rolled for (None: a side), `after` the event it follows from, `event` its own number.
    `why` says why nothing happens, `spared` are units let off by tokens of the sides in `ignored`.
    `token` is what the side gets, `removes` means the units leave for good, `spells` what casters have left.
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
    """Each unit's die, every d100 in order, and whether a chain was cut."""

    checks: list[list[str | int]]
    happenings: list[EventRecord]
    cut: bool


def tells_end(text: str) -> bool:
    """Return whether an event's words say how long it lasts."""
    return " until " in text


def _list_throws(table: RollTable, muster: turn.CheckInput, check: turn.TurnCheck) -> Iterator[procedure.Throw]:
    for side in muster.sides_to_roll if muster.mode == "unit" else ():
        yield _unit_dice(table, side, [(unit, roll) for unit, roll in check.checks if unit.side == side])
    for place, event_roll in enumerate(check.events):
        trigger, rolls = event_roll.trigger, (event_roll.roll, *event_roll.picks, *event_roll.extra)
        who = f"{trigger.struck.name} ({trigger.side})" if trigger.struck else trigger.side
        title = f"{who}: random event" + (f", after event {trigger.after}" if trigger.after else "")
        text = "; ".join([_text(event_roll), *_list_replaced(event_roll, check.events[:place])])
        yield procedure.Throw(title, text, rolls, table.source, event_roll.row.line)


def _conclude(events: Sequence[turn.EventRoll], *, cut: bool = False) -> procedure.Conclusion:
    real = [event_roll for event_roll in events if event_roll.event]
    affecting = [event_roll for event_roll in real if event_roll.happens and not event_roll.only_brings_more]
    ignored = sum(bool(event_roll.spared) for event_roll in real)
    clauses = []
    if affecting:
        clauses.append(f"{format_count(len(affecting), 'events')} for {_name_affected(affecting)}")
    if ignored:
        clauses.append(f"{format_count(ignored, 'events')} ignored")
    if cut:
        clauses.append(f"a chain was stopped after {turn.LONGEST_CHAIN} rolls")
    if not (affecting or ignored):
        clauses.insert(0, "No events")
    return procedure.Conclusion(EVENTS if real else QUIET, "; ".join(clauses), "neutral", "results")


def check_record(check: turn.TurnCheck) -> CheckRecord:
    """Return the check as JSON."""
    return {
        "checks": [[unit.name, roll.total] for unit, roll in check.checks],
        "happenings": [_event_record(event_roll) for event_roll in check.events],
        "cut": check.cut,
    }


def _unit_dice(table: RollTable, side: str, checks: Sequence[tuple[turn.BattleUnit, Roll]]) -> procedure.Throw:
    face = turn.event_face(table)
    struck = [unit for unit, roll in checks if roll.total == face]
    names = _names(struck) if len(struck) <= MAX_STRUCK else f"{len(struck)} units, listed below"
    text = f"{face} for {names}" if struck else f"no {face}, so no event"
    title = f"{side}: a d{turn.unit_die(table).sides} for each unit"
    rolls = tuple(roll for _, roll in checks)
    return procedure.Throw(title, text, rolls, table.source, table.numbers["event-face"].line)


def _text(event_roll: turn.EventRoll) -> str:
    event = event_roll.row.event
    if event is None:
        return event_roll.row.text
    lasts = "" if tells_end(event_roll.row.text) else f" ({SPANS[event.lasts]})"
    text = f"{event_roll.number}, {event.cause}: {event_roll.row.text}{lasts}"
    return "; ".join([text, *_list_details(event_roll, event)])


def _list_replaced(event_roll: turn.EventRoll, before: Iterable[turn.EventRoll]) -> Iterator[str]:
    for earlier in before:
        units = [unit for unit in event_roll.units if unit in earlier.units]
        event, other = event_roll.event, earlier.event
        if units and event and other and {*event.orders} & {*other.orders}:
            yield f"replaces {other.cause} ({earlier.number}) for {_names(units)}"


def _list_details(event_roll: turn.EventRoll, event: Event) -> Iterator[str]:
    if event_roll.why:
        yield f"no effect: {event_roll.why}"
    if event_roll.units and event_roll.units != (event_roll.trigger.struck,):
        yield f"affects {_names(event_roll.units)}"
    if event_roll.spared:
        yield f"{' and '.join(event_roll.token_sides)} ignores it: {_names(event_roll.spared)} not affected"
    drawn = event_roll.extra if event.pick else ()
    yield from (f"{event.pick} {roll.total} of {roll.term.sides}" for roll in drawn)
    yield from (f"{format_count(left, 'spells')} left" for left in event_roll.spells.values())


def _event_record(event_roll: turn.EventRoll) -> EventRecord:
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
        "ignored": list(event_roll.token_sides),
        "picks": [[roll.term.sides, roll.total] for roll in event_roll.picks],
        "extra": [[roll.term.sides, roll.total] for roll in event_roll.extra],
        "spells": dict(event_roll.spells),
        "token": event.token if event and event_roll.happens else None,
        "cause": event.cause if event else None,
        "lasts": event.lasts if event else None,
        "parts": [{"text": part.text, "lasts": part.lasts, "changes": dict(part.changes)} for part in event.parts]
        if event
        else [],
        "removes": bool(event and event.removes),
    }


def _name_affected(events: Iterable[turn.EventRoll]) -> str:
    rolled = ([unit.name for unit in event_roll.units] or [event_roll.trigger.side] for event_roll in events)
    names = dict.fromkeys(name for some in rolled for name in some)
    return ", ".join(names) if len(names) <= MAX_NAMED else f"{len(names)} units and sides"


def _names(units: Iterable[turn.BattleUnit]) -> str:
    return ", ".join(unit.name for unit in units)


FAMILY = "random-events"
TABLE = "battlesystem.random-events"


class RandomEvents(procedure.ResolutionMethod):
    """The method of a check, with the inputs of `read_muster`."""

    tables = (TABLE,)

    def play(self, part: procedure.Part, book: Book, dice: Dice) -> procedure.MethodResult:
        """Roll for every unit or side, and all that follows."""
        table, muster = book.table(TABLE), turn.read_muster(part.inputs)
        check = turn.TurnChecker(table, muster, dice).check()
        steps = tuple(_list_throws(table, muster, check))
        return procedure.MethodResult(steps, _conclude(check.events, cut=check.cut), check_record(check))

    def stages(self, part: procedure.Part, _book: Book) -> tuple[procedure.WeighedStage, ...]:
        """Return none: events have no modifiers."""
        turn.read_muster(part.inputs)
        return ()

    def odds(self, part: procedure.Part, book: Book) -> tuple[procedure.Chance, ...]:
        """Return the chances of any event and of none; an event ignored by a token still counts."""
        none = prod(_no_event_chances(book.table(TABLE), turn.read_muster(part.inputs)), start=Fraction(1))
        some = procedure.Conclusion(EVENTS, "At least one event", "neutral", "results")
        chances = (procedure.Chance(some, 1 - none), procedure.Chance(_conclude(()), none))
        return tuple(chance for chance in chances if chance.chance)

    def lines(self, part: procedure.Part, book: Book) -> Sequence[str]:
        """Return how many roll, and for what."""
        table, muster = book.table(TABLE), turn.read_muster(part.inputs)
        if muster.mode == "side":
            return (f"A {_event_die(table)} for each of {', '.join(muster.sides_to_roll)}",)
        units = [f"{side} {sum(unit.side == side for unit in muster.units_to_roll)}" for side in muster.sides_to_roll]
        first = f"A d{turn.unit_die(table).sides} for each unit: {', '.join(units)}"
        return (first, f"Each {turn.event_face(table)} brings a {_event_die(table)}")


def _no_event_chances(table: RollTable, muster: turn.CheckInput) -> Iterator[Fraction]:
    if muster.mode == "side":
        yield from (1 - _event_chance(table, muster, turn.EventTrigger(side)) for side in muster.sides_to_roll)
        return
    struck = Fraction(1, turn.unit_die(table).sides)
    alike: dict[object, Fraction] = {}
    for unit in muster.units_to_roll:
        # Chances of similar units are worked out once: rosters can be long.
        kind = (unit.side, unit.tags, unit.spells == 0)
        if kind not in alike:
            alike[kind] = 1 - struck * _event_chance(table, muster, turn.EventTrigger(unit.side, unit))
        yield alike[kind]


def _event_chance(table: RollTable, muster: turn.CheckInput, trigger: turn.EventTrigger) -> Fraction:
    field = turn.CheckedUnits(table, muster.units)
    rows = (turn.row_at(table, face) for face in range(1, table.die.high + 1))
    chances = [field.chance(row.event, trigger) for row in rows if row.event]
    return sum(chances, Fraction(0)) / table.die.high


def _event_die(table: RollTable) -> str:
    return f"d{table.die.sides}"


PROCEDURES = (
    procedure.Procedure(
        family=FAMILY,
        title="Random events",
        actor="battle",
        subject="",
        headline="Turn check of {battle}",
        headline_alone="Turn check of {battle}",
        method=RandomEvents(),
        policy=procedure.Policy(again="never", by_card=False, played=()),
    ),
)
