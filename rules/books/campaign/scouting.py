"""Scouting: one roll for each character who scouts, on that character's own facts (campaign-rolls, lines 81-125)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.engine import Conclusion, Part, Procedure
from rules.stages import Stage, Tables

if TYPE_CHECKING:
    from rules.book import Book
    from rules.tables import TableRow

TABLE = "campaign.scouting"


def _plan(_part: Part, book: Book) -> Stage:
    return Stage(book.table(TABLE))


def _conclude(_part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)


PROCEDURE = Procedure(
    family="scouting",
    title="Scouting",
    actor="scouter",
    subject="base",
    headline="{scouter} scouts {base}",
    tables=(TABLE,),
    way=Tables(_plan, _conclude),
)
