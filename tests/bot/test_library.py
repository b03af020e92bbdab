"""Books with a campaign's own climate: made once, by whichever thread asks first, and not kept for ever."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from bot.library import MAX_AMENDED, Library
from bot.store.campaigns import Campaign
from bot.store.weeks import Climate
from rules.book import Book
from tests.bot.world import BOOKS, START

LANDS = [region for zone in BOOKS["campaign"].zones.values() for region in zone.regions if region.land]


def climate(number: int) -> Climate:
    """One of many climates: which regions are sea is written in the bits of its number, from 1 upwards."""
    return Climate(land={region.id: False for place, region in enumerate(LANDS) if number >> place & 1})


CAMPAIGN = Campaign(1, "", 1, "Iron Sea", ("campaign",), "Europe/Berlin", 2, 3, 4, None, (), START, None)


def test_a_climate_is_laid_over_the_book_once() -> None:
    """Asked for again with an equal climate, the very same book comes back; without any it is the book itself."""
    library = Library(BOOKS)
    first = library.local(CAMPAIGN, "campaign", climate(1))
    assert library.local(CAMPAIGN, "campaign", climate(1)) is first
    assert first != BOOKS["campaign"]
    assert library.local(CAMPAIGN, "campaign", Climate()) is BOOKS["campaign"]


def test_the_oldest_is_given_up_when_there_are_too_many() -> None:
    """As many as are kept come back as they are; with one more the oldest alone is made anew."""
    library = Library(BOOKS)
    made = [library.local(CAMPAIGN, "campaign", climate(number)) for number in range(1, MAX_AMENDED + 1)]
    assert [library.local(CAMPAIGN, "campaign", climate(number + 1)) is book for number, book in enumerate(made)] == [
        True
    ] * MAX_AMENDED
    library.local(CAMPAIGN, "campaign", climate(MAX_AMENDED + 1))
    assert library.local(CAMPAIGN, "campaign", climate(2)) is made[1]
    assert library.local(CAMPAIGN, "campaign", climate(1)) is not made[0]


def test_threads_share_what_one_of_them_makes() -> None:
    """Of eight threads that ask at once for a climate that nobody asked for before, all get one and the same book."""
    library, gate = Library(BOOKS), Barrier(8)

    def ask(_: int) -> Book:
        gate.wait()
        return library.local(CAMPAIGN, "campaign", climate(5))

    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            first, *others = threads.map(ask, range(8))
    finally:
        sys.setswitchinterval(patience)
    assert all(book is first for book in others)
