"""Exact odds: the distribution over what a part comes to, as fractions, over all its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rules.engine import Conclusion, Part, Procedure, Stage, weigh_stage

if TYPE_CHECKING:
    from rules.book import Book
    from rules.tables import Reading, RollTable, TableRow


@dataclass(frozen=True, slots=True)
class Chance:
    """One thing a part can come to and how likely it is. All chances of a part add up to 1."""

    conclusion: Conclusion
    chance: Fraction


def table_odds(table: RollTable, modifier_sum: int, reading: Reading | None = None) -> dict[str, Fraction]:
    """The chance of each outcome of a table under a sum of modifiers, in row order; outcomes out of reach are 0."""
    falls = table.die.sides**table.die.count
    odds = {row.outcome: Fraction(0) for row in table.rows}
    for face, ways in table.die.ways().items():
        row, _ = table.read(face, face + modifier_sum, reading)
        odds[row.outcome] += Fraction(ways, falls)
    return odds


def part_odds(part: Part, procedure: Procedure, book: Book) -> tuple[Chance, ...]:
    """The chance of everything that a prepared part can come to, given that it is rolled for.

    In the order of the tables' rows; what cannot happen is left out; ways to the same outcome are added up.
    """
    chances: dict[str, Chance] = {}
    for rows, chance in _paths(procedure.plan(part, book), part, ()):
        conclusion = procedure.conclude(part, rows)
        before = chances[conclusion.outcome].chance if conclusion.outcome in chances else Fraction(0)
        chances[conclusion.outcome] = Chance(conclusion, before + chance)
    return tuple(chances.values())


def _paths(stage: Stage, part: Part, before: tuple[TableRow, ...]) -> Iterator[tuple[tuple[TableRow, ...], Fraction]]:
    weighed = weigh_stage(stage, part, first=not before)
    for outcome, chance in table_odds(stage.table, weighed.sum, stage.reading).items():
        if not chance:
            continue
        rows = (*before, stage.table.row(outcome))
        following = stage.then.get(outcome)
        if following is None:
            yield rows, chance
        else:
            for path, further in _paths(following, part, rows):
                yield path, chance * further
