"""Searches below the panels, and their answers."""

from __future__ import annotations

import re
from typing import Any

from bot.cogs.ledger import searching
from bot.core.entries import Span
from bot.core.entry_search import EntrySearch
from bot.core.permissions import Person
from tests.support.backend import GM, House


async def find_numbers(house: House, who: Person = GM, **wanted: Any) -> list[int]:  # noqa: ANN401 - what is wanted
    """Return the numbers on the first page."""
    await searching.catch_up(house.database, house.kernel.kinds, house.campaign)
    page = await house.database.read(searching.find, who, house.campaign, EntrySearch(**wanted), Span())
    return [item.shown.entry.number for item in page.entries]


def numbers(answer: str) -> list[int]:
    """Return the entry numbers in an answer."""
    return [int(number) for number in re.findall(r"\*\*#(\d+)\*\*", answer)]
