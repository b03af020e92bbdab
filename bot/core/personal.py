"""What is kept of a person beside the ledger: who a pseudonym is, roll cards, a file for an import, searches of a day. It goes as rows do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import reads
from bot.core.schema import actor, asked_search, card, entry, import_draft

ROWS = {actor: actor.c.user_id, card: card.c.owner_id, import_draft: import_draft.c.user_id}
ROWS |= {asked_search: asked_search.c.asker_id}
"""The tables of which whole rows are a person's, and the column that says whose."""

_COUNTED = (
    sa.select(entry.c.audience, sa.func.count(), sa.func.min(entry.c.at), sa.func.max(entry.c.at))
    .where(entry.c.campaign_id == sa.bindparam("campaign"), entry.c.actor == sa.bindparam("mine"))
    .group_by(entry.c.audience)
)
_CARDS = sa.select(card.c.id, card.c.request).where(card.c.campaign_id == sa.bindparam("campaign"))


class Made(Struct, frozen=True):
    """How many entries for one audience somebody has made, and when the first and the last."""

    audience: str
    count: int
    first: datetime
    last: datetime


def made(tx: Connection, campaign_id: int, mine: str) -> list[Made]:
    """Return what the person with a pseudonym has entered, by audience."""
    return [Made(*row) for row in tx.execute(_COUNTED, {"campaign": campaign_id, "mine": mine})]


def rows(tx: Connection, campaign_id: int, user_id: int, table: sa.Table) -> list[dict[str, Any]]:
    """Return the rows of a person in a table, of those in `ROWS`."""
    found = tx.execute(sa.select(table).where(table.c.campaign_id == campaign_id, ROWS[table] == user_id))
    return [dict(row) for row in found.mappings()]


def forget(tx: Connection, campaign_id: int, user_id: int) -> None:
    """Delete all rows of a person, and everybody's searches, which may name them: nothing tells any more who the pseudonym was."""
    for table, column in ROWS.items():
        whose = sa.true() if table is asked_search else column == user_id
        reads.write(tx, table.delete().where(table.c.campaign_id == campaign_id, whose))


def drop_amending_cards(tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
    """Delete the cards, whoever's they are, that amend one of these entries: they hold what was typed for it."""
    gone = [key for key, number in _amending(tx, campaign_id) if number in numbers]
    if gone:
        reads.write(tx, card.delete().where(card.c.campaign_id == campaign_id, card.c.id.in_(gone)))


def _amending(tx: Connection, campaign_id: int) -> Iterator[tuple[str, int]]:
    """Yield the cards (ids) that amend an entry, and which."""
    for key, request in tx.execute(_CARDS, {"campaign": campaign_id}):
        amends = request["now"].get("amends")
        if amends:
            yield key, amends["number"]
