"""Export a campaign, hand it over, delete it."""

import io
import logging
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import discord
from discord import ui
from sqlalchemy import Connection

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.campaign import service
from bot.core import campaigns, entries, errors, outages, permissions
from bot.core.campaigns import Campaign, require_on_server
from bot.core.records import Entry
from bot.kernel import Client
from bot.outbox.delivery import Delivery
from bot.outbox.queue import Post
from bot.ui import answering, reply
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import COLOURS, join_words, plain, shorten

KIBIBYTE = 2**10
MAX_ASKED = 100  # per question to Discord
_ONE = threading.Lock()
"""Only one capsule is packed at a time, so exports use one database connection."""


async def export_campaign(interaction: Interaction, campaign: Campaign) -> None:
    """Answer privately with a campaign's capsule."""
    bot = interaction.client
    last, file, delivery = await pack(bot, person(interaction), campaign, interaction.filesize_limit)
    content = (
        f"**{plain(campaign.name)}** up to entry #{last.number}. It contains **every secret**: "
        "share it with game masters only.\n"
        f"To read it, open `chronicle.html`. To go on with it elsewhere: `adjutant import FILE --server ID`, "
        f"then compare the hash of entry #{last.number}: `{last.hash}`.\n"
        "-# Rolls from now on aren't in this file."
    )
    await say(interaction, content=content, file=file)
    await bot.outbox.send(bot, delivery)


@reply.component(service.EXPORT)
async def export_first(interaction: Interaction, *, campaign: int) -> None:
    """Export a campaign before it's deleted."""
    await export_campaign(interaction, await find_pressed_campaign(interaction, campaign))


async def pack(
    bot: Client, who: permissions.Person | None, campaign: Campaign, most: int
) -> tuple[Entry, discord.File, Delivery]:
    """Export a capsule of at most `most` bytes: its last entry, the file, posts. Without `who`, nothing is checked."""
    from bot.cogs.campaign import capsule  # noqa: PLC0415 - loads what checks whole ledgers, in processes
    from bot.core.capsules import TooLarge  # noqa: PLC0415 - as above

    if not _ONE.acquire(blocking=False):
        raise errors.NotAsItIs("I'm exporting another campaign right now.", "Try again in a minute.")
    file = io.BytesIO()
    try:
        left = await bot.database.write(capsule.leave, bot.resolver, who, campaign.id)
        delivery = bot.outbox.hand(bot, () if who is None else left.posts)
        actors = await bot.database.read(entries.list_actors, campaign.id)
        names = await _name_members(bot.get_guild(campaign.guild_id), [user for user, _, _ in actors])
        context = capsule.ChronicleContext(bot.kinds, bot.features, bot.library, names)
        await bot.database.read(capsule.pack, context, left, file, bot.ledger.now(), most)
    except TooLarge as problem:
        raise errors.BadInput(
            f"{campaign.name} is too large for Discord: files here may have {most // KIBIBYTE:,} KiB.",
            f"The host of this bot can export it: adjutant export {campaign.uuid} FILE.",
        ) from problem
    finally:
        _ONE.release()
    file.seek(0)
    name = re.sub(r"[^a-z0-9]+", "-", left.campaign.name.lower()).strip("-") or "campaign"
    return left.last, discord.File(file, f"{name}-{left.last.number}.capsule.zip"), delivery


async def _name_members(guild: discord.Guild | None, users: Sequence[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
        for start in range(0, len(users), MAX_ASKED) if guild else ():
            asked = list(users[start : start + MAX_ASKED])
            found = await guild.query_members(user_ids=asked, limit=MAX_ASKED) if guild else []
            names |= {member.id: member.display_name for member in found}
    return names


DELETE = reply.IdTemplate("delete:{campaign:int}:{newest:int}")
"""`newest` is the newest entry when the button was shown."""

MINE = "If you might want it again, export it first."
THEIRS = "If you might want it again, ask a game master to export it first: `/gm settings`."


@reply.component(service.DELETE)
async def ask_deletion(interaction: Interaction, *, campaign: int) -> None:
    """Show what is deleted, with the button."""
    who, found = person(interaction), await find_pressed_campaign(interaction, campaign)
    newest = await interaction.client.database.read(_find_newest, who, found)
    leads = who.leads(found)
    lines = [
        f"Its log of {newest} {'entry' if newest == 1 else 'entries'} is deleted, with its units, characters, orders, schedules and house rules.",
        "Messages in Discord stay. **You can't undo this.**",
        MINE if leads else THEIRS,
    ]
    key = DELETE.fill(campaign=campaign, newest=newest)
    buttons = [ui.Button[ui.LayoutView](label=f"Delete {found.name}", custom_id=key, style=discord.ButtonStyle.danger)]
    if leads:
        buttons.append(ui.Button(label="Export it first", custom_id=service.EXPORT.fill(campaign=campaign)))
    await redraw(interaction, receipt(f"Delete {plain(found.name)}?", lines, COLOURS["danger"], buttons))


@reply.component(DELETE)
async def delete_campaign(interaction: Interaction, *, campaign: int, newest: int) -> None:
    """Delete a campaign, unless it has gone on since."""
    deleted = await interaction.client.database.write(_delete, person(interaction), campaign, newest)
    _log_deletion(deleted, "asked")
    lines = ["It's gone from my database. Backups made earlier keep it until they're replaced."]
    await redraw(interaction, receipt(f"{plain(deleted.name)} is deleted", lines))


def _find_newest(tx: Connection, person: permissions.Person, campaign: Campaign) -> int:
    permissions.require_manager(person, "delete a campaign")
    return entries.find_link(tx, campaign.id, campaign.uuid).number


def _delete(tx: Connection, person: permissions.Person, campaign_id: int, newest: int) -> Campaign:
    permissions.require_manager(person, "delete a campaign")
    campaign = require_on_server(tx, person.guild_id, campaign_id, lock=True)
    for entry in entries.walk_entries(tx, campaign.id, after=newest):
        if entry.kind != "campaign" or "exported" not in entry.content():
            what = f"{campaign.name} has gone on since you looked: entry #{entry.number} is new."
            raise errors.NotOpen(what, "Nothing was deleted. Use /campaign archive to look again.")
    campaigns.delete_campaign(tx, campaign.id)
    return campaign


async def delete_overdue(client: Client) -> Sequence[Post]:
    """Delete campaigns of servers that left too long ago."""
    kept = client.settings.removed_servers_kept
    if kept is None:
        return ()
    before = client.ledger.now() - timedelta(days=kept)
    over = await client.database.read(campaigns.list_away_since, before)
    numbers = [item.campaign_id for item in over if client.has_left(item.guild_id)]
    return await outages.do_each((_delete_overdue(client, number, before) for number in numbers), "deletion.bug")


async def _delete_overdue(client: Client, number: int, before: datetime) -> Sequence[Post]:
    deleted = await client.database.write(_delete_if_overdue, number, before)
    if deleted is not None:
        _log_deletion(deleted, "removed")
    return ()


def _delete_if_overdue(tx: Connection, number: int, before: datetime) -> Campaign | None:
    campaign = campaigns.get_campaign(tx, number, lock=True)
    if campaign is None or number not in {item.campaign_id for item in campaigns.list_away_since(tx, before)}:
        return None
    campaigns.delete_campaign(tx, number)
    return campaign


def _log_deletion(campaign: Campaign, why: str) -> None:
    about = {"campaign": campaign.id, "uuid": campaign.uuid, "guild": campaign.guild_id, "why": why}
    log.info("campaign.deleted", extra=about)


MOST_NAMED = 1000  # characters
log = logging.getLogger(__name__)


async def say_goodbye(client: Client, guild: discord.Guild, campaign_ids: Sequence[int]) -> None:
    """Message the owner, if Discord lets the bot."""
    found = await client.database.read(_find_campaigns, campaign_ids)
    if guild.owner_id is None or not found:
        return
    try:
        owner = await client.create_dm(discord.Object(guild.owner_id))
        await owner.send(_file_words(client, guild, found))
        for campaign in found:
            await _hand_over(client, owner, campaign)
    except (discord.HTTPException, *answering.CUT_OFF) as problem:
        log.info("farewell.refused", extra={"guild": guild.id, "fault": str(problem)})


def _find_campaigns(tx: Connection, campaign_ids: Sequence[int]) -> list[Campaign]:
    found = (campaigns.get_campaign(tx, number) for number in campaign_ids)
    return [campaign for campaign in found if campaign is not None]


def _file_words(client: Client, guild: discord.Guild, found: Sequence[Campaign]) -> str:
    names = shorten(join_words([plain(campaign.name) for campaign in found]), MOST_NAMED)
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


async def _hand_over(client: Client, owner: discord.DMChannel, campaign: Campaign) -> None:
    try:
        _, file, _ = await pack(client, None, campaign, discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES)
    except errors.UserError as problem:
        log.info("farewell.unpacked", extra={"campaign": campaign.id, "fault": str(problem)})
        how = f"`adjutant export {campaign.uuid} FILE`"
        await owner.send(f"I can't send {plain(campaign.name)} here. The host of this bot can export it: {how}.")
    else:
        await owner.send(file=file)
