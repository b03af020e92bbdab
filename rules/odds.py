"""Exact odds of one table, as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.tables import Reading, RollTable


def table_odds(table: RollTable, modifier_sum: int, reading: Reading | None = None) -> dict[str, Fraction]:
    """Return the chance of each outcome of a table under a sum of modifiers, in row order; outcomes out of reach are 0."""
    falls = table.die.sides**table.die.count
    counts = {row.outcome: 0 for row in table.rows}
    for face, ways in table.die.ways().items():
        row, _ = table.read(face, face + modifier_sum, reading)
        counts[row.outcome] += ways
    return {outcome: Fraction(ways, falls) for outcome, ways in counts.items()}
