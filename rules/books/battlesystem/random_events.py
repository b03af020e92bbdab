"""The check of a turn: a die for each unit, and a random event for each 1 (battlesystem-random-events, lines 6-11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from rules.books.battlesystem.report import EVENTS, conclude, record, throws
from rules.books.battlesystem.roster import Muster, read_muster
from rules.books.battlesystem.turn import Field, Trigger, Turn, event_face, row_at, unit_die
from rules.procedure import Chance, Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod, WeighedStage

if TYPE_CHECKING:
    from rules.book import Book
    from rules.dice import Dice
    from rules.tables import RollTable

FAMILY = "random-events"
TABLE = "battlesystem.random-events"


class RandomEvents(ResolutionMethod):
    """The method of a check; inputs are those of `read_muster`, and `record` tells what is kept of it."""

    tables = (TABLE,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll for every unit, or for every side, and for all that follows."""
        table, muster = book.table(TABLE), read_muster(part.inputs)
        check = Turn(table, muster, dice).check()
        steps = tuple(throws(table, muster, check))
        return MethodResult(steps, conclude(check.events, cut=check.cut), record(check))

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
            return (f"A {_die(table)} for each of {', '.join(muster.rolling_sides)}",)
        units = [f"{side} {sum(unit.side == side for unit in muster.rolling_units)}" for side in muster.rolling_sides]
        return (
            f"A d{unit_die(table).sides} for each unit: {', '.join(units)}",
            f"Each {event_face(table)} brings a {_die(table)}",
        )


def _quiet(table: RollTable, muster: Muster) -> Iterator[Fraction]:
    """Yield for each unit or side that rolls how likely nothing comes of it while nothing has come of those before."""
    if muster.mode == "side":
        yield from (1 - _eventful(table, muster, Trigger(side)) for side in muster.rolling_sides)
        return
    struck = Fraction(1, unit_die(table).sides)
    alike: dict[object, Fraction] = {}
    for unit in muster.rolling_units:
        # Units alike in all that a chance depends on are worked out once: rosters can be long.
        kind = (unit.side, unit.tags, unit.spells == 0)
        if kind not in alike:
            alike[kind] = 1 - struck * _eventful(table, muster, Trigger(unit.side, unit))
        yield alike[kind]


def _eventful(table: RollTable, muster: Muster, trigger: Trigger) -> Fraction:
    """Return how likely a d100 brings an event that can be obeyed."""
    field = Field(table, muster.units)
    chances = [
        field.chance(row.event, trigger) for face in range(1, table.die.high + 1) if (row := row_at(table, face)).event
    ]
    return sum(chances, Fraction(0)) / table.die.high


def _die(table: RollTable) -> str:
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
