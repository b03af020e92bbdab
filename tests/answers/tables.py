"""Rolls on one table, exact odds, and events by d100."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from rules.book import Book
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.turn import number, row_at
from rules.dice import Dice, ScriptedDice
from rules.errors import RollError, UnknownModifier, UnknownName
from rules.kinds import RuleItem, Whole
from rules.modifiers import KnownFact, Origin
from rules.odds import table_odds
from rules.procedure import Part, Stage, Step
from rules.stages import roll_stage, weigh_stage
from rules.tables import Reading, RollTable
from tests.answers.lines import Answer, BadLine, Op, ask_strictly, read_object

EXAMPLES: Mapping[str, str] = {
    "table": '"table": "campaign.patrol.catch"',
    "faces": '"faces": [12]',
    "modifiers": '"modifiers": {"target.newtype": 1}',
    "facts": '"facts": ["target.newtype"]',
    "reading": '"reading": "nobody-hidden"',
    "op": '"op": "event"',
    "d100": '"d100": 42',
}
TYPED = Origin("typed", "typed in")
Modifiers = Mapping[str, Whole]
Facts = tuple[str, ...]
BARE: Modifiers = {}


class Question(RuleItem, frozen=True):
    """What is asked."""

    noun = ""
    examples: ClassVar[Mapping[str, str]] = EXAMPLES


class UnknownFact(UnknownName):
    """The book has no such fact."""

    kind = "fact"


class UnknownReading(UnknownName):
    """The table has no such reading."""

    kind = "reading"


def roll(
    book: Book,
    *,
    table: str,
    modifiers: Modifiers = BARE,
    facts: Facts = (),
    reading: str | None = None,
    faces: tuple[Whole, ...],
) -> Answer:
    """Resolve one roll with every modifier considered."""
    stage, part = _prepare_roll(book, table, modifiers, facts, reading)
    dice = ScriptedDice.of(faces, stage.table.die.sides)
    step = roll_table(stage.table, part, dice, stage.reading)
    dice.finish()
    return {
        "total": step.total,
        "outcome": step.row.outcome,
        "row": {"min": step.row.min, "max": step.row.max},
        "natural": step.natural,
        "modifiers": [
            {
                "id": item.modifier.id,
                "value": item.modifier.value,
                "count": item.count,
                "counted": item.count > 0,
                "amount": item.amount,
                "why": item.why,
            }
            for item in step.modifiers
        ],
    }


def odds(
    book: Book, *, table: str, modifiers: Modifiers = BARE, facts: Facts = (), reading: str | None = None
) -> Answer:
    """Return each outcome's exact chance."""
    weighed = weigh_stage(*_prepare_roll(book, table, modifiers, facts, reading), first=True)
    stage = weighed.stage
    chances = table_odds(stage.table, weighed.sum, stage.reading, stage.number).items()
    listed = [
        {"outcome": outcome, "chance": str(chance), "percent": round(float(100 * chance), 2)}
        for outcome, chance in chances
    ]
    return {"odds": listed}


def event(book: Book, *, op: Literal["event"], d100: int) -> Answer:  # noqa: ARG001 - a line names its op
    """Return the event of a d100 face, if any."""
    table = book.table(TABLE)
    row = row_at(table, d100)
    if row.event is None:
        return {"event": None, "happens": False}
    return {
        "event": number(table, row),
        "happens": True,
        "restriction": row.event.letter,
        "duration": row.event.lasts,
        "scope": row.event.scope,
        "text": row.text,
    }


def answer(op: Op, line: bytes, book: Book) -> Answer:
    """Answer a line, or say what's wrong."""
    try:
        return ask_strictly(op, read_object(line), Question, book)
    except (RollError, BadLine) as error:
        return {"error": str(error)}


def roll_table(table: RollTable, part: Part, dice: Dice, reading: Reading | None = None) -> Step:
    """Roll once on a table."""
    table.modifier_set(reading).check(part.marks)
    return roll_stage(weigh_stage(Stage(table, reading), part, first=True), dice)


def _prepare_roll(
    book: Book, table_id: str, marks: Mapping[str, int], facts: Facts, reading_id: str | None
) -> tuple[Stage, Part]:
    table = book.table(table_id)
    if reading_id is not None and reading_id not in table.readings:
        raise UnknownReading(reading_id, table.readings)
    stage = Stage(table, None if reading_id is None else table.readings[reading_id])
    for fact in facts:
        if fact not in book.facts:
            raise UnknownFact(fact, book.facts)
    _check_marks(marks, table, stage)
    return stage, Part("query", {}, {fact: KnownFact(1, TYPED) for fact in facts}, marks)


def _check_marks(marks: Mapping[str, int], table: RollTable, stage: Stage) -> None:
    known = {modifier.id for modifier in table.modifiers}
    considered = {modifier.id for modifier in table.modifier_set(stage.reading).modifiers}
    for mark in marks:
        if mark not in known:
            raise UnknownModifier(mark, known)
        if mark not in considered and stage.reading:
            raise RollError(f"The reading {stage.reading.id!r} leaves out modifier {mark!r}.")
    table.modifier_set().check(marks)
