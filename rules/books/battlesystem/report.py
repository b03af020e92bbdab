"""A check of a turn in words, and as the record that others build on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rules.books.battlesystem.roster import BattleUnit, Muster
from rules.books.battlesystem.turn import LONGEST_CHAIN, Happening, TurnCheck, event_face, unit_die
from rules.dice import Roll
from rules.events import Lasts
from rules.procedure import Conclusion, Throw
from rules.tables import Event, EventPart, RollTable

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


def tells_end(text: str) -> bool:
    """Return whether the words of an event say by themselves for how long it lasts."""
    return " until " in text


def throws(table: RollTable, muster: Muster, check: TurnCheck) -> Iterator[Throw]:
    """Yield the dice of each side's units, then each d100 with what belongs to it."""
    for side in muster.rolling_sides if muster.mode == "unit" else ():
        yield _unit_dice(table, side, [(unit, roll) for unit, roll in check.checks if unit.side == side])
    for happening in check.happenings:
        rolls = (happening.roll, *happening.picks, *happening.extra)
        yield Throw(_title(happening), _text(happening), rolls, table.source, happening.row.line)


def conclude(happenings: Sequence[Happening], *, cut: bool = False) -> Conclusion:
    """Return how many events befall whom; both sides hear of it (C1.5)."""
    real = [happening for happening in happenings if happening.event]
    if not real:
        return Conclusion(QUIET, "Nothing befalls anybody", "neutral", "results")
    befallen = [happening for happening in real if happening.happens]
    ignored = sum(bool(happening.spared) for happening in real)
    clauses = []
    if befallen:
        verb = "befalls" if len(befallen) == 1 else "befall"
        clauses.append(f"{_count(len(befallen), 'event')} {verb} {_whom(befallen)}")
    if ignored:
        clauses.append(f"{_count(ignored, 'event')} ignored")
    if cut:
        clauses.append(f"a chain is ended after {LONGEST_CHAIN} rolls")
    return Conclusion(EVENTS, "; ".join(clauses), "neutral", "results")


def record(check: TurnCheck) -> dict[str, object]:
    """Return the check as JSON has it: dice as pairs of sides and face, units by their names.

    Of a happening, `struck` is the unit that the d100 was rolled for, None for a side; `after` is the number of the event
    it follows from; `event` is its number, None where there is none, and `why` is the reason for which nothing comes of one;
    `units` are those that it falls on, `spared` those that the tokens of the sides in `ignored` let off. `parts` tell what
    it does to each of the units, `token` what the side gets, `removes` that the units leave for good, `spells` how many a
    unit that lost one still has.
    """
    return {
        "checks": [[unit.name, roll.total] for unit, roll in check.checks],
        "happenings": [_happening_record(happening) for happening in check.happenings],
        "cut": check.cut,
    }


def _unit_dice(table: RollTable, side: str, checks: Sequence[tuple[BattleUnit, Roll]]) -> Throw:
    face = event_face(table)
    struck = [unit for unit, roll in checks if roll.total == face]
    whom = _names(struck) if len(struck) <= MAX_STRUCK else f"{len(struck)} units, each told below"
    text = f"{face} for {whom}" if struck else f"no {face}, so no event"
    title = f"{side}: a d{unit_die(table).sides} for each unit"
    return Throw(title, text, tuple(roll for _, roll in checks), table.source, table.numbers["event-face"].line)


def _title(happening: Happening) -> str:
    due = happening.due
    who = f"{due.struck.name} ({due.side})" if due.struck else due.side
    return f"{who}: random event" + (f", after event {due.after}" if due.after else "")


def _text(happening: Happening) -> str:
    event = happening.row.event
    if event is None:
        return happening.row.text
    lasts = "" if tells_end(happening.row.text) else f" ({SPANS[event.lasts]})"
    text = f"{happening.number}, {event.cause}: {happening.row.text}{lasts}"
    return "; ".join([text, *_details(happening, event)])


def _details(happening: Happening, event: Event) -> Iterator[str]:
    """Yield whom it falls on where that is not said already, and what the dice beside the d100 say."""
    if happening.why:
        yield f"nothing comes of it, {happening.why}"
    if happening.units and happening.units != (happening.due.struck,):
        yield f"falls on {_names(happening.units)}"
    if happening.spared:
        yield f"{' and '.join(happening.ignored)} ignores it: {_names(happening.spared)} let off"
    drawn = happening.extra if event.pick else ()
    yield from (f"{event.pick} {roll.total} of {roll.term.sides}" for roll in drawn)
    yield from (f"{_count(left, 'spell')} left" for left in happening.spells.values())


def _happening_record(happening: Happening) -> dict[str, object]:
    due, event = happening.due, happening.row.event
    return {
        "side": due.side,
        "struck": due.struck and due.struck.name,
        "after": due.after,
        "face": happening.roll.total,
        "event": happening.number if event else None,
        "outcome": happening.row.outcome,
        "text": happening.row.text,
        "why": happening.why,
        "units": [unit.name for unit in happening.units],
        "spared": [unit.name for unit in happening.spared],
        "ignored": list(happening.ignored),
        "picks": [_die(roll) for roll in happening.picks],
        "extra": [_die(roll) for roll in happening.extra],
        "spells": dict(happening.spells),
        "token": event.token if event and happening.happens else None,
        **_event_record(event),
    }


def _event_record(event: Event | None) -> dict[str, object]:
    """Return what the event is; without one, nothing lasts and nobody is gone."""
    if event is None:
        return {"cause": None, "lasts": None, "parts": [], "removes": False}
    parts = [_part_record(part) for part in event.parts]
    return {"cause": event.cause, "lasts": event.lasts, "parts": parts, "removes": event.removes}


def _part_record(part: EventPart) -> dict[str, object]:
    changes = dict(part.changes)
    return {"text": part.text, "lasts": part.lasts, "changes": changes}


def _die(roll: Roll) -> list[int]:
    return [roll.term.sides, roll.total]


def _whom(happenings: Iterable[Happening]) -> str:
    """Return units, and sides that an event concerns as players, each once."""
    whom = dict.fromkeys(
        name for happening in happenings for name in ([unit.name for unit in happening.units] or [happening.due.side])
    )
    return ", ".join(whom) if len(whom) <= MAX_NAMED else f"{len(whom)} units and sides"


def _names(units: Iterable[BattleUnit]) -> str:
    return ", ".join(unit.name for unit in units)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
