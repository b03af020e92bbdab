"""The names around tables of a campaign's own: who has a part in them, and which names they cannot have."""

from __future__ import annotations

from collections.abc import Iterable

from rules.ruleset import RuleSet

OPENED = ("characters", "levels", "places")
"""What stands beside rolls in what a campaign opens to its players."""

ROLLER, TARGET = "roller", "target"
"""Who rolls on a table of one's own, and whom it is about."""


def reserved_names(books: Iterable[RuleSet]) -> dict[str, str]:
    """Return the names that no table of one's own can have, and who has them."""
    owners = dict.fromkeys(OPENED, "what players may do or see")
    for book in books:
        owners |= dict.fromkeys(book.tables, f"a table of the book {book.id}")
        owners |= dict.fromkeys(book.procedures, f"a roll of the book {book.id}")
    return owners
