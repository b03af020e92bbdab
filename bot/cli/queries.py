"""Rolls on one table: one line of JSON in, one out. A bad line is answered with its error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rules.book import Book
from rules.dice import ScriptedDice
from rules.errors import RollError, UnknownModifier, UnknownName
from rules.explain import explain, relevant_errors
from rules.facts import Known, Origin
from rules.modifiers import WeighedModifier
from rules.odds import table_odds
from rules.procedure import Part, Stage, Step
from rules.stages import roll_table, weigh_stage
from rules.tables import Reading, RollTable

EXAMPLES: Mapping[str, str] = {
    "table": '"table": "campaign.patrol.catch"',
    "faces": '"faces": [12]',
    "modifiers": '"modifiers": {"target.newtype": 1}',
    "facts": '"facts": ["target.newtype"]',
    "reading": '"reading": "nobody-hidden"',
}
TYPED = Origin("typed", "typed in")

Small = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class BadLine(ValueError):
    """A line that cannot be read as a query."""


class UnknownFact(UnknownName):
    """The book declares no such fact."""

    kind = "fact"


class UnknownReading(UnknownName):
    """The table has no such reading."""

    kind = "reading"


class OddsQuery(BaseModel):
    """What is asked of a table: ticks by hand, modifier id to count, and known facts."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    table: str
    modifiers: Annotated[dict[str, Small], Field(default_factory=dict)]
    facts: Annotated[list[str], Field(default_factory=list)]
    reading: str | None = None


class RollQuery(OddsQuery):
    """The same with the faces that fell."""

    faces: list[Small]


QueryT = TypeVar("QueryT", bound=BaseModel)


def answer_roll(line: bytes, book: Book) -> dict[str, Any]:
    """Resolve one roll: total, outcome, row and every modifier considered, or what is wrong with the line."""
    try:
        query = read_query(RollQuery, line, EXAMPLES)
        table, part, reading = _prepared(query, book)
        dice = ScriptedDice.of(query.faces, table.die.sides)
        step = roll_table(table, part, dice, reading)
        dice.finish()
    except (RollError, BadLine) as error:
        return {"error": str(error)}
    return _roll(step)


def answer_odds(line: bytes, book: Book) -> dict[str, Any]:
    """Return the exact chance of every outcome of the table, or what is wrong with the line."""
    try:
        table, part, reading = _prepared(read_query(OddsQuery, line, EXAMPLES), book)
        weighed = weigh_stage(Stage(table, reading), part, first=True)
        odds = table_odds(table, weighed.sum, reading, weighed.stage.number)
    except (RollError, BadLine) as error:
        return {"error": str(error)}
    return {
        "odds": [
            {"outcome": outcome, "chance": str(chance), "percent": round(float(100 * chance), 2)}
            for outcome, chance in odds.items()
        ]
    }


def read_query(model: type[QueryT], line: bytes, examples: Mapping[str, str]) -> QueryT:
    """Parse a line as a query of a model; `examples` show how each key is written.

    Raises:
        BadLine: it cannot be read as that.

    """
    value = read_object(line)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise BadLine("; ".join(explain(model, detail, examples) for detail in relevant_errors(model, error))) from None


def read_object(line: bytes) -> dict[str, Any]:
    """Parse the JSON object of a line.

    Raises:
        BadLine: there is none.

    """
    value = _parse(line)
    if not isinstance(value, dict):
        raise BadLine(f"this line isn't a JSON object: {line.decode().strip():.40}")
    return value


def _parse(line: bytes) -> object:
    try:
        value = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant, object_pairs_hook=_object)
        if b"\\u" in line:  # JSON can write half of a surrogate pair, which no text that is read or printed can hold
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        what = "this line has half of a surrogate pair, such as \\ud83d alone"
    except UnicodeDecodeError:
        what = "this line is not UTF-8"
    except json.JSONDecodeError as error:
        what = f"this line isn't JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        what = "this line is nested too deeply"
    except BadLine:
        raise
    except ValueError:
        what = "this line has a number with too many digits"
    else:
        return value
    raise BadLine(what if line.strip() else "this line is blank: write one JSON object")


def _refuse_constant(name: str) -> float:
    raise BadLine(f"{name} isn't a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise BadLine(f"{key}: written twice")
        values[key] = value
    return values


def _prepared(query: OddsQuery, book: Book) -> tuple[RollTable, Part, Reading | None]:
    """Return the table, the part and the reading of a query, all checked."""
    table = book.table(query.table)
    reading = None
    if query.reading is not None:
        if query.reading not in table.readings:
            raise UnknownReading(query.reading, table.readings)
        reading = table.readings[query.reading]
    for fact in query.facts:
        if fact not in book.facts:
            raise UnknownFact(fact, book.facts)
    _check_marks(query.modifiers, table, reading)
    facts = {fact: Known(1, TYPED) for fact in query.facts}
    return table, Part("query", {}, facts, query.modifiers), reading


def _check_marks(marks: Mapping[str, int], table: RollTable, reading: Reading | None) -> None:
    known = {modifier.id for modifier in table.modifiers}
    considered = {modifier.id for modifier in table.modifier_set(reading).modifiers}
    for mark in marks:
        if mark not in known:
            raise UnknownModifier(mark, known)
        if mark not in considered and reading:
            raise RollError(f"The reading {reading.id!r} leaves out modifier {mark!r}.")
    table.modifier_set().check(marks)


def _roll(step: Step) -> dict[str, Any]:
    return {
        "total": step.total,
        "outcome": step.row.outcome,
        "row": {"min": step.row.min, "max": step.row.max},
        "natural": step.natural,
        "modifiers": [_modifier(item) for item in step.modifiers],
    }


def _modifier(item: WeighedModifier) -> dict[str, Any]:
    return {
        "id": item.modifier.id,
        "value": item.modifier.value,
        "count": item.count,
        "counted": item.counted,
        "amount": item.amount,
        "why": item.why,
    }
