"""Deleting a campaign: somebody who manages the server asks for it, or its server removed the bot long ago."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

import discord
from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.campaign.ids import EXPORT
from bot.core import absence, campaigns, entries
from bot.core.campaigns import Campaign, on_server
from bot.core.chores import each
from bot.core.permissions import Person, require_manager
from bot.errors import NotOpen
from bot.kernel import Client
from bot.outbox.store import Post
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain

DELETE = IdTemplate("delete:{campaign:int}:{newest:int}")
"""The id of the button that deletes: `newest` is the newest entry that there was when it was shown."""

MINE = "If you might want it again, export it first."
THEIRS = "If you might want it again, ask a game master to use `/campaign export` first."
log = logging.getLogger(__name__)


async def ask(interaction: Interaction, campaign: Campaign) -> None:
    """Say what is deleted with a campaign, with the button that does it."""
    who = person(interaction)
    newest = await interaction.client.database.read(_find_newest, who, campaign)
    leads = who.leads(campaign)
    lines = [
        f"Its log of {newest} {'entry' if newest == 1 else 'entries'} is deleted, with its units, characters, orders, schedules and house rules.",
        "Messages in Discord stay. **You can't undo this.**",
        MINE if leads else THEIRS,
    ]
    key = DELETE.fill(campaign=campaign.id, newest=newest)
    buttons = [
        ui.Button[ui.LayoutView](label=f"Delete {campaign.name}", custom_id=key, style=discord.ButtonStyle.danger)
    ]
    if leads:
        buttons.append(ui.Button(label="Export it first", custom_id=EXPORT.fill(campaign=campaign.id)))
    await say(interaction, view=receipt(f"Delete {plain(campaign.name)}?", lines, COLOURS["danger"], buttons))


@component(DELETE)
async def delete(interaction: Interaction, *, campaign: int, newest: int) -> None:
    """Delete a campaign, unless it has gone on since the button was shown."""
    deleted = await interaction.client.database.write(_delete, person(interaction), campaign, newest)
    _note(deleted, "asked")
    lines = ["It's gone from my database. Backups made earlier keep it until they're replaced."]
    await redraw(interaction, receipt(f"{plain(deleted.name)} is deleted", lines))


def _find_newest(tx: Connection, person: Person, campaign: Campaign) -> int:
    require_manager(person, "delete a campaign")
    return entries.newest(tx, campaign.id, campaign.uuid).number


def _delete(tx: Connection, person: Person, campaign_id: int, newest: int) -> Campaign:
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
    deleted = await client.database.write(_delete_if_overdue, number, before)
    if deleted is not None:
        _note(deleted, "removed")
    return ()


def _delete_if_overdue(tx: Connection, number: int, before: datetime) -> Campaign | None:
    """Delete a campaign, unless it came back meanwhile; return it as it was."""
    campaign = campaigns.get(tx, number, lock=True)
    if campaign is None or number not in {item.campaign_id for item in absence.overdue(tx, before)}:
        return None
    campaigns.delete(tx, number)
    return campaign


def _note(campaign: Campaign, why: str) -> None:
    """Log for the host that a campaign is deleted: without its name."""
    about = {"campaign": campaign.id, "uuid": campaign.uuid, "guild": campaign.guild_id, "why": why}
    log.info("campaign.deleted", extra=about)
