"""What the owner of a server is told in private when it has removed the bot: what happens when, with its campaigns as files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

import discord
from sqlalchemy import Connection

from bot.client import Adjutant
from bot.cogs.campaign import capsule_panel
from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.errors import UserError
from bot.ui.answering import CUT_OFF
from bot.ui.text import listing, plain, shorten

MOST_NAMED = 1000
"""Characters that the names of the campaigns take."""

log = logging.getLogger(__name__)


async def say_goodbye(client: Adjutant, guild: discord.Guild, campaign_ids: Sequence[int]) -> None:
    """Tell the owner, where Discord lets it through: it often doesn't to somebody who shares no server with the bot."""
    found = await client.database.read(_found, campaign_ids)
    if guild.owner_id is None or not found:
        return
    try:
        owner = await client.create_dm(discord.Object(guild.owner_id))
        await owner.send(_words(client, guild, found))
        for campaign in found:
            await _hand_over(client, owner, campaign)
    except (discord.HTTPException, *CUT_OFF) as problem:
        log.info("farewell.refused", extra={"guild": guild.id, "fault": str(problem)})


def _found(tx: Connection, campaign_ids: Sequence[int]) -> list[Campaign]:
    found = (campaigns.get(tx, number) for number in campaign_ids)
    return [campaign for campaign in found if campaign is not None]


def _words(client: Adjutant, guild: discord.Guild, found: Sequence[Campaign]) -> str:
    names = shorten(listing([plain(campaign.name) for campaign in found]), MOST_NAMED)
    kept = client.settings.removed_servers_kept
    if kept is None:
        ends = "I keep them until you delete them."
    else:
        day = discord.utils.format_dt(client.ledger.now() + timedelta(days=kept), "D")
        ends = f"On {day} they're deleted with everything in them."
    return (
        f"I was removed from **{plain(guild.name)}**. These campaigns are paused: {names}.\n"
        f"Add me again to go on. {ends}\n"
        "Here they are as files. They contain **every game-master secret**. A host of Adjutant can load one with `adjutant import`."
    )


async def _hand_over(client: Adjutant, owner: discord.DMChannel, campaign: Campaign) -> None:
    """Send a campaign as a file, or how the host gets it as one."""
    try:
        packed = await capsule_panel.pack(client, None, campaign, discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES)
    except UserError as problem:
        log.info("farewell.unpacked", extra={"campaign": campaign.id, "fault": str(problem)})
        how = f"`adjutant export {campaign.uuid} FILE`"
        await owner.send(f"I can't send {plain(campaign.name)} here. The host of this bot can export it: {how}.")
    else:
        await owner.send(file=packed.file)
