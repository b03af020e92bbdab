"""Cached books with climates and house rules, across threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

from bot.core.errors import BadInput
from bot.core.library import MAX_AMENDED, Library
from bot.core.schema import document
from rules.book import Book
from rules.climate import Climate
from rules.library import Composer
from tests.cogs.house_rules.homebrew import modifier, put_on, switch_off, table
from tests.support.backend import House
from tests.support.world import BOOKS

LANDS = [region for zone in BOOKS["campaign"].zones.values() for region in zone.regions if region.land]


def climate(number: int) -> Climate:
    """The climate of a number's bits."""
    return Climate(land={region.id: False for place, region in enumerate(LANDS) if number >> place & 1})


def test_a_climate_is_laid_over_the_book_once() -> None:
    """Equal climates give the same book."""
    library = Library(BOOKS, Composer())
    first = library.local(BOOKS["campaign"], climate(1))
    assert library.local(BOOKS["campaign"], climate(1)) is first
    assert first != BOOKS["campaign"]
    assert library.local(BOOKS["campaign"], Climate()) is BOOKS["campaign"]


class Slow(dict[Any, Any]):
    """Cells that are read slowly."""

    def __init__(self) -> None:
        super().__init__({("good", "india"): ("storms",)})
        self.read, self.allowed = Event(), Event()

    def items(self) -> Any:  # noqa: ANN401
        """The cells, late."""
        self.read.set()
        self.allowed.wait(60)
        return super().items()


def test_what_nobody_asked_for_longest_is_given_up_when_there_are_too_many() -> None:
    """Only that one is built again."""
    library = Library(BOOKS, Composer())
    made = [library.local(BOOKS["campaign"], climate(number)) for number in range(1, 4)]
    library._amended.update((number, BOOKS["campaign"]) for number in range(MAX_AMENDED - len(made)))
    assert [library.local(BOOKS["campaign"], climate(number + 1)) is book for number, book in enumerate(made)] == [
        True
    ] * len(made)
    library._amended.update((number, library._amended.pop(number)) for number in range(MAX_AMENDED - len(made)))
    assert library.local(BOOKS["campaign"], climate(1)) is made[0]
    library.local(BOOKS["campaign"], climate(4))
    assert library.local(BOOKS["campaign"], climate(1)) is made[0]
    assert library.local(BOOKS["campaign"], climate(3)) is made[2]
    assert library.local(BOOKS["campaign"], climate(2)) is not made[1]


def test_nobody_waits_for_a_book_of_another_key() -> None:
    """Another book is built meanwhile."""
    library, cells = Library(BOOKS, Composer()), Slow()
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(library.local, BOOKS["campaign"], Climate(cells=cells))
        try:
            assert cells.read.wait(60)
            other = threads.submit(library.local, BOOKS["campaign"], climate(1)).result(timeout=30)
        finally:
            cells.allowed.set()
    assert slow.result().zones["south-asia"].climate["good"]["india"] == ("storms",)
    assert other is library.local(BOOKS["campaign"], climate(1))


def test_nobody_waits_for_a_book_that_somebody_else_makes() -> None:
    """The slow builder gets the same one."""
    library, cells = Library(BOOKS, Composer()), Slow()
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(library.local, BOOKS["campaign"], Climate(cells=cells))
        try:
            assert cells.read.wait(60)
            quick = threads.submit(library.local, BOOKS["campaign"], Climate(cells=dict(cells))).result(timeout=30)
        finally:
            cells.allowed.set()
    assert slow.result() is quick
    assert library.local(BOOKS["campaign"], Climate(cells=dict(cells))) is quick


@pytest.mark.slow
def test_threads_that_ask_at_once_keep_no_more_than_may_be_kept() -> None:
    """The limit is kept under load."""
    library = Library(BOOKS, Composer())
    library._amended.update((number, BOOKS["campaign"]) for number in range(MAX_AMENDED))
    wanted = [climate(number) for number in range(1, 41)]

    def ask(_: int) -> list[str]:
        return [library.local(BOOKS["campaign"], each).fingerprint for each in wanted]

    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            first, *others = threads.map(ask, range(4))
    finally:
        sys.setswitchinterval(patience)
    assert len(set(first)) == len(wanted)
    assert all(asked == first for asked in others)
    assert len(library._amended) <= MAX_AMENDED


def test_threads_share_what_one_of_them_makes() -> None:
    """Eight threads get one book."""
    library, gate = Library(BOOKS, Composer()), Barrier(8)

    def ask(_: int) -> Book:
        gate.wait()
        return library.local(BOOKS["campaign"], climate(5))

    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            first, *others = threads.map(ask, range(8))
    finally:
        sys.setswitchinterval(patience)
    assert all(book is first for book in others)


@pytest.mark.slow
async def test_a_book_under_house_rules_is_made_once(house: House) -> None:
    """Ten files are applied once."""
    for number in range(10):
        await put_on(house, f"file {number}", modifier("patrol.newtype", number + 2))
    library = house.resolver.library
    first, again = [
        await house.database.read(lambda tx: library.book(tx, house.campaign, "campaign")) for _ in range(2)
    ]
    assert again is first
    assert first.versions == tuple(f"file {number} v1" for number in range(10))
    assert library.local(first, climate(1)) is library.local(again, climate(1)) is not first
    assert library.local(first, climate(1)).versions == first.versions


async def test_a_book_in_another_version_is_another_book(house: House) -> None:
    """Versions distinguish equal content."""
    library = house.resolver.library
    await put_on(house, "mine", modifier("patrol.newtype", 3))
    first = await house.database.read(lambda tx: library.book(tx, house.campaign, "campaign"))
    await switch_off(house, "mine")
    assert await house.database.read(lambda tx: library.book(tx, house.campaign, "campaign")) is BOOKS["campaign"]
    await put_on(house, "mine", modifier("patrol.newtype", 3))
    second = await house.database.read(lambda tx: library.book(tx, house.campaign, "campaign"))
    assert (first.versions, second.versions) == (("mine v1",), ("mine v2",))
    assert first.fingerprint == second.fingerprint


async def test_tables_of_ones_own_have_the_map_of_the_weather(house: House) -> None:
    """With the weather book's regions and climate."""
    await put_on(house, "loot", table())
    library = house.resolver.library
    own = await house.database.read(lambda tx: library.book(tx, house.campaign, "house"))
    assert own.places.keys() == BOOKS["campaign"].places.keys()
    changed = library.local(own, climate(1))
    assert changed.zones != own.zones
    assert len({own.fingerprint, changed.fingerprint}) == 2


async def test_a_book_not_played_by_and_a_text_under_anothers_fingerprint_are_not_handed_out(house: House) -> None:
    """Unused books and forged texts are refused."""
    library = house.resolver.library
    with pytest.raises(BadInput, match=r"doesn't use the book Infinity CodeOne \(infinity\)\."):
        await house.database.read(lambda tx: library.book(tx, house.campaign, "infinity"))
    await put_on(house, "mine", modifier("patrol.newtype", 3))
    await house.tamper(document.update().values(text=modifier("patrol.newtype", 9)))
    fresh = Library(BOOKS, Composer())
    with pytest.raises(BadInput, match="the saved text isn't the one that was switched on"):
        await house.database.read(lambda tx: fresh.book(tx, house.campaign, "campaign"))
