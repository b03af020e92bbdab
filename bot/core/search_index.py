"""Keep the words by which entries are found: soon after each was made, and before anybody looks; again when it reads otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries, search_rows
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.schema import entry as entry_row
from bot.core.search_words import document

BATCH, ANEW = 10, 50
"""How many entries are read in in one transaction: others who write wait for it, about as long as for a roll; and where all is read in anew."""

Progress = Callable[[int, int], object]
"""Is told how many entries have been read in, and how many there are."""


class SearchIndex(Struct, frozen=True):
    """What keeps the words of entries, which are of these kinds."""

    kinds: EntryKinds

    def catch_up(self, tx: Connection, campaign_id: int) -> int:
        """Read in the oldest of a campaign's entries that were made since it was last done; return how many, 0 where nothing is left."""
        campaigns.get(tx, campaign_id, lock=True)  # nobody reads in the same at once
        new = islice(entries.walk(tx, campaign_id, BATCH, after=search_rows.read_upto(tx, campaign_id)), BATCH)
        documents = {made.number: document(self.kinds, made) for made in new}
        for number, words in documents.items():
            search_rows.add(tx, campaign_id, number, words)
        return len(documents)

    def renew(self, tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
        """Keep of these entries the words that they say now, in the transaction that has published them or erased texts of theirs.

        What was erased is found no more. Whoever erases calls `forget` afterwards, once for all. What was
        not read in yet is read in as it is then.
        """
        upto = search_rows.read_upto(tx, campaign_id)
        every = sorted(number for number in numbers if number <= upto)
        for start in range(0, len(every), ANEW):
            made = entries.some(tx, campaign_id, every[start : start + ANEW])
            search_rows.put(tx, campaign_id, {number: document(self.kinds, item) for number, item in made.items()})

    def fill(self, tx: Connection, campaign_id: int, batch: int = BATCH) -> int:
        """Read in the newest entries of a campaign's past of which no words are kept; return how many, 0 where nothing is left."""
        campaigns.get(tx, campaign_id, lock=True)  # nobody reads in the same at once
        upto = search_rows.backlog(tx, campaign_id)
        numbers = range(upto, max(upto - batch, 0), -1)
        self.renew(tx, campaign_id, numbers)
        search_rows.set_backlog(tx, campaign_id, max(upto - batch, 0))
        return len(numbers)


async def forget(database: Database) -> None:
    """Let the index forget what was taken out of it, a little at a time: others who write take their turns in between."""
    begin = True
    while await database.write(search_rows.drop_what_was, begin=begin):
        begin = False


async def refill(
    database: Database, kinds: EntryKinds, whole: Collection[int], progress: Progress | None = None
) -> None:
    """Read in all entries of these campaigns (ids) anew; only words that differ from what is kept are written."""
    index, done, of = SearchIndex(kinds), 0, await database.write(_begin_anew, whole)
    for campaign_id in whole:
        while read := await database.write(index.fill, campaign_id, ANEW):
            done += read
            if progress is not None:
                progress(done, of)


def _begin_anew(tx: Connection, whole: Collection[int]) -> int:
    search_rows.make_index_anew(tx)
    newest = sa.select(entry_row.c.campaign_id, sa.func.max(entry_row.c.number)).group_by(entry_row.c.campaign_id)
    found = {campaign_id: number for campaign_id, number in tx.execute(newest) if campaign_id in whole}
    for campaign_id, number in found.items():
        search_rows.set_backlog(tx, campaign_id, number)
    return sum(found.values())
