"""Escape: one roll for each captive who tries, on that captive's own facts (campaign-rolls, lines 315-352).

Of the two rolls about captives only the interrogation is the staff's: the result of an escape is public. Where a secret
fact counted, such as a scouted base, its die and modifiers are withheld as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.engine import Conclusion, Part, Procedure
from rules.stages import Stage, Tables

if TYPE_CHECKING:
    from rules.book import Book
    from rules.tables import TableRow

TABLE = "campaign.escape"


def _plan(_part: Part, book: Book) -> Stage:
    return Stage(book.table(TABLE))


def _conclude(_part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    return Conclusion(row.outcome, row.text, row.tone, "results", row.then)


PROCEDURE = Procedure(
    family="escape",
    title="Escape",
    actor="captive",
    subject="base",
    headline="{captive} tries to escape from {base}",
    headline_alone="{captive} tries to escape",
    tables=(TABLE,),
    way=Tables(_plan, _conclude),
    again="update",
    needs=(("captive", "captive"),),
)
