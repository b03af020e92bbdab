"""What leaves nothing for an act of a turn (lines 94 to 110)."""

from __future__ import annotations

from rules.acts import payable
from rules.book import Act, Book
from rules.books.roe.allowances import bars
from rules.books.roe.turn_catalog import Bar
from rules.facts import Facts

ACTS = "turn."
"""How the ids of the acts of a turn begin; one that was done is the fact of its id for the rest of the turn."""


def barring(book: Book, act: Act, facts: Facts) -> Bar | None:
    """Return what leaves nothing of a mark that an act costs now; None where nothing does, or it's free."""
    takes = {cost.mark for cost in payable(act, facts) if cost.amount}
    return next((bar for bar in bars(book, facts) if takes & {*bar.takes}), None)
