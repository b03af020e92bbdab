"""The rule books as a campaign plays them: those that it has switched on, with its own climate laid over."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from bot.errors import BadInput
from bot.store.campaigns import Campaign
from bot.store.weeks import Climate
from rules.book import Book
from rules.climate import amend

MAX_AMENDED = 64
"""How many books with a campaign's own climate are kept ready."""


class Library:
    """Hands out books."""

    def __init__(self, books: Mapping[str, Book]) -> None:
        self._books = books
        self._amended: dict[tuple[str, str], Book] = {}
        self._lock = Lock()  # transactions run in threads

    def book(self, campaign: Campaign, book_id: str) -> Book:
        """A book that the campaign plays by, as printed and as the operator's house rules have it.

        Raises:
            BadInput: it does not.

        """
        if book_id not in campaign.books or book_id not in self._books:
            raise BadInput(
                f"{campaign.name} does not play by the book {book_id!r}.",
                "A game master can switch it on with /campaign edit books.",
            )
        return self._books[book_id]

    def local(self, campaign: Campaign, book_id: str, climate: Climate) -> Book:
        """A book that the campaign plays by, with the campaign's own climate.

        Raises:
            BadInput: it does not.

        """
        book = self.book(campaign, book_id)
        if not climate.cells and not climate.land:
            return book
        key = (book.fingerprint, repr(climate))
        with self._lock:
            if key not in self._amended:
                if len(self._amended) >= MAX_AMENDED:
                    del self._amended[next(iter(self._amended))]
                self._amended[key] = amend(book, climate.cells, climate.land)
            return self._amended[key]
