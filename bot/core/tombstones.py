"""Which pseudonyms are the same person's although that person was erased: as long as limits per person last.

A row has the old pseudonym and a hash of the user id under a salt of its own. It connects the two only for whoever already has
the user id to try, and it is deleted when the update is over, or the war in which the person commanded.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import reads
from bot.core.schema import actor, tombstone
from bot.core.seals import pseudonym


def leave(tx: Connection, campaign_id: int, user_id: int, mine: str, salt: str) -> None:
    """Note that the person with a pseudonym is being erased, under a fresh salt."""
    values = {"pseudonym": mine, "salt": salt, "digest": pseudonym(salt, user_id)}
    reads.write(tx, tombstone.insert().values(campaign_id=campaign_id, **values))


def earlier(tx: Connection, campaign_id: int, user_id: int) -> frozenset[str]:
    """Return the pseudonyms that a person had before they were erased, in the current update or war."""
    rows = tx.execute(sa.select(tombstone).where(tombstone.c.campaign_id == campaign_id))
    return frozenset(row.pseudonym for row in rows if pseudonym(row.salt, user_id) == row.digest)


def same_person(tx: Connection, campaign_id: int, mine: str) -> frozenset[str]:
    """Return all pseudonyms of the person with this one, which may be an earlier one or the current one."""
    people = tx.execute(sa.select(actor.c.user_id, actor.c.pseudonym).where(actor.c.campaign_id == campaign_id))
    for user_id, current in people.all():
        every = earlier(tx, campaign_id, user_id) | {current}
        if mine in every:
            return every
    return frozenset({mine})


def clear(tx: Connection, campaign_id: int, is_needed: Callable[[str], bool]) -> None:
    """Delete what is noted in a campaign, except the pseudonyms that are still needed."""
    here = tombstone.c.campaign_id == campaign_id
    noted = tx.scalars(sa.select(tombstone.c.pseudonym).where(here)).all()
    over = [pseudonym for pseudonym in noted if not is_needed(pseudonym)]
    if over:
        reads.write(tx, tombstone.delete().where(here, tombstone.c.pseudonym.in_(over)))
