"""Deleting a campaign: somebody who manages the server asks for it, or its server removed the bot long ago."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.core import absence, campaigns, entries
from bot.core.campaigns import Campaign, on_server
from bot.core.chores import each
from bot.core.permissions import Person, require_manager
from bot.errors import NotOpen
from bot.feature import Client
from bot.outbox.store import Post

log = logging.getLogger(__name__)


def seen(tx: Connection, person: Person, campaign: Campaign) -> int:
    """Return the number of a campaign's newest entry, to somebody who may delete it.

    Raises:
        NotAllowed: the person does not manage the server.

    """
    require_manager(person, "delete a campaign")
    return entries.newest(tx, campaign.id, campaign.uuid).number


def delete(tx: Connection, person: Person, campaign_id: int, newest: int) -> Campaign:
    """Delete a campaign that has no entries after the newest that the person saw, exports aside; return it as it was."""
    require_manager(person, "delete a campaign")
    campaign = on_server(tx, person.guild_id, campaign_id, lock=True)
    for entry in entries.walk(tx, campaign.id, after=newest):
        if entry.kind != "campaign" or "exported" not in entry.content():
            what = f"{campaign.name} has gone on since you looked: entry #{entry.number} is new."
            raise NotOpen(what, "Nothing was deleted. Use /campaign delete to look again.")
    campaigns.delete(tx, campaign.id)
    return campaign


async def delete_overdue(client: Client) -> Sequence[Post]:
    """Delete the campaigns whose servers removed the bot too long ago; nothing is posted about it."""
    kept = client.settings.removed_servers_kept
    if kept is None:
        return ()
    before = client.ledger.now() - timedelta(days=kept)
    over = await client.database.read(absence.overdue, before)
    numbers = [item.campaign_id for item in over if client.has_left(item.guild_id)]
    return await each((_delete_overdue(client, number, before) for number in numbers), "deletion.bug")


async def _delete_overdue(client: Client, number: int, before: datetime) -> Sequence[Post]:
    deleted = await client.database.write(_deleted_if_overdue, number, before)
    if deleted is not None:
        note(deleted, "removed")
    return ()


def _deleted_if_overdue(tx: Connection, number: int, before: datetime) -> Campaign | None:
    """Delete a campaign, unless it came back meanwhile; return it as it was."""
    campaign = campaigns.get(tx, number, lock=True)
    if campaign is None or number not in {item.campaign_id for item in absence.overdue(tx, before)}:
        return None
    campaigns.delete(tx, number)
    return campaign


def note(campaign: Campaign, why: str) -> None:
    """Log for the host that a campaign is deleted: without its name."""
    about = {"campaign": campaign.id, "uuid": campaign.uuid, "guild": campaign.guild_id, "why": why}
    log.info("campaign.deleted", extra=about)
