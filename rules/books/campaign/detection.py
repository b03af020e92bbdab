"""Detection: the hider rolls, once per pair of hidden and detecting player (campaign-rolls, lines 126-165)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.procedure import Conclusion, Part, Policy, Procedure, Stage
from rules.stages import TableMethod

if TYPE_CHECKING:
    from rules.book import Book
    from rules.tables import TableRow

TABLE = "campaign.detection"
NOBODY_HIDDEN = "nobody-hidden"


def _plan(part: Part, book: Book) -> Stage:
    """Leave out the hider's lines with nobody hidden, and read the low rows as the middle one (line 127)."""
    table = book.table(TABLE)
    return Stage(table, None if "hider" in part.subjects else table.readings[NOBODY_HIDDEN])


def _conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    if "hider" in part.subjects:
        return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)
    then = tuple(item for item in row.then if item.to != "hider")
    text = "Nothing is hidden there, and the detector knows it" if then else "The detector learns nothing"
    return Conclusion(row.outcome, text, row.tone, "staff", then)


PROCEDURE = Procedure(
    family="detection",
    title="Detection",
    actor="detector",
    subject="hider",
    headline="{hider} hides from {detector}",
    headline_alone="{detector} looks for hidden units",
    method=TableMethod((TABLE,), _conclude, _plan),
    policy=Policy(played=("detector", "hider")),
    version=2,
)
