"""Unexpected complications: one roll for each side of a battle (campaign-rolls, lines 267-282)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.engine import Conclusion, Part, Procedure
from rules.stages import Stage, Tables

if TYPE_CHECKING:
    from rules.book import Book
    from rules.tables import TableRow

TABLE = "campaign.complications"
DEFENDS = "side.defends-base"


def _plan(_part: Part, book: Book) -> Stage:
    return Stage(book.table(TABLE))


def _conclude(_part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)


PROCEDURE = Procedure(
    family="complications",
    title="Unexpected complications",
    actor="side",
    subject="battle",
    headline="Complications for {side} in {battle}",
    headline_alone="Complications for {side}",
    tables=(TABLE,),
    way=Tables(_plan, _conclude),
    told=(DEFENDS,),
)
