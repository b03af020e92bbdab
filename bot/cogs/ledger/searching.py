"""Pages of what was found in a ledger, and the searches whose buttons can be pressed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.ledger.service import PAGE, EntryDetails, details_of
from bot.cogs.ledger.wanted import Wanted, search_for
from bot.core import entries, search_rows
from bot.core.campaigns import Campaign
from bot.core.chores import forget_old, log_fault
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.permissions import Person
from bot.core.schema import asked_search
from bot.core.search_index import SearchIndex
from bot.core.search_rows import Span
from bot.errors import NotOpen
from bot.outbox.store import Post

BATCHES = 100
"""How many batches of the past are read in at a time, before other things have their turn."""

Client = Any


class Found(Struct, frozen=True):
    """One page: the entries, newest first, the numbers from which the pages beside it go on, and what is not read in yet.

    `newer` and `older` are None where there is no page; `upto` is the number up to which words are still unread, 0 for none.
    """

    entries: Sequence[EntryDetails]
    newer: int | None
    older: int | None
    upto: int


def find(tx: Connection, person: Person, campaign: Campaign, wanted: Wanted, span: Span) -> Found:
    """Return ten of the entries that fit and that the person may know of: the newest of a span, or its oldest."""
    search = search_for(tx, person, campaign, wanted)
    numbers = search.numbers(tx, campaign, span, PAGE + 1)
    if span.oldest and len(numbers) <= PAGE:
        span, numbers = Span(), search.numbers(tx, campaign, Span(), PAGE + 1)
    page = sorted(numbers[:PAGE], reverse=True)
    found = entries.some(tx, campaign.id, page)
    listed = details_of(tx, person, campaign, [found[number] for number in page])
    is_newest = span == Span()
    newer = page[0] if page and not is_newest else None
    older = page[-1] if page and (span.oldest or len(numbers) > PAGE) else None
    return Found(listed, newer, older, search_rows.backlog(tx, campaign.id) if search.words else 0)


def keep(tx: Connection, campaign: Campaign, person: Person, key: str, wanted: Wanted) -> None:
    """Keep a search, so that its buttons, whose ids have the key, go on with it."""
    row = {"campaign_id": campaign.id, "id": key, "asker_id": person.user_id, "asked_at": person.at}
    tx.execute(asked_search.insert(), {**row, "wanted": msgspec.to_builtins(wanted)})


def asked(tx: Connection, campaign: Campaign, person: Person, key: str) -> Wanted:
    """Return what the person has searched for."""
    mine = (asked_search.c.id == key) & (asked_search.c.asker_id == person.user_id)
    query = sa.select(asked_search.c.wanted).where(asked_search.c.campaign_id == campaign.id, mine)
    found = tx.scalar(query)
    if found is None:
        raise NotOpen("That search has expired.", "Search again with /ledger search.")
    return msgspec.convert(found, Wanted)


forget_old_searches = partial(forget_old, asked_search.c.asked_at)


async def read_in(client: Client) -> Sequence[Post]:
    """Read in some of what was made since, and of the past, whose words are not kept yet; nothing is posted about it."""
    index = SearchIndex(client.kinds)
    await _read_in(client.database, search_rows.any_behind, index.catch_up)
    await _read_in(client.database, search_rows.any_backlog, index.fill)
    return ()


async def _read_in(
    database: Database, look: Callable[[Connection, int], int | None], read: Callable[[Connection, int], int]
) -> None:
    """Read in some of what waits, campaign by campaign; one that cannot be read in is logged, and keeps no other from it."""
    campaign_id, left = 0, BATCHES
    while left > 0 and (waiting := await database.read(look, campaign_id)) is not None:
        campaign_id = waiting
        (done,) = await asyncio.gather(_batches(database, read, campaign_id, left), return_exceptions=True)
        if isinstance(done, BaseException):
            log_fault("search.bug", done, campaign=campaign_id)
        left -= 1 if isinstance(done, BaseException) else done


async def _batches(database: Database, read: Callable[[Connection, int], int], campaign_id: int, most: int) -> int:
    """Read in of a campaign what waits, in so many batches at most; return in how many."""
    for done in range(most):
        if not await database.write(read, campaign_id):
            return done + 1
    return most


async def catch_up(database: Database, kinds: EntryKinds, campaign: Campaign) -> None:
    """Read in what was made in a campaign since that was last done, as far as it is no long past, before somebody looks for it."""
    index = SearchIndex(kinds)
    for _ in range(BATCHES):
        if not await database.write(index.catch_up, campaign.id):
            break
