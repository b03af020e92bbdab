"""`/campaign export`: all of a campaign as one file, handed to the game master who has asked."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import discord
from sqlalchemy import Connection

from bot.actions import pressed_campaign
from bot.client import Adjutant, Interaction
from bot.cogs.campaign import capsule
from bot.cogs.campaign.chronicle import Teller
from bot.cogs.campaign.ids import EXPORT
from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.capsules.archive import TooLarge
from bot.core.permissions import Person
from bot.errors import BadInput, NotAsItIs
from bot.outbox.delivery import Delivery
from bot.ui.components import component
from bot.ui.reply import person, say
from bot.ui.text import plain

KIBIBYTE = 2**10
MAX_ASKED = 100
"""The members that Discord tells about in one question."""

_ONE = threading.Lock()
"""Held while a capsule is packed: however many are asked for, they take one connection to the database."""


class Packed(NamedTuple):
    """A capsule as a file, with what its ledger says, and the posts that the audit thread is owed."""

    left: capsule.Leaving
    file: discord.File
    delivery: Delivery


async def export(interaction: Interaction, campaign: Campaign) -> None:
    """Answer privately with the capsule of a campaign, after its ledger says so and the epoch of its dice is closed."""
    bot = interaction.client
    packed = await pack(bot, person(interaction), campaign, interaction.filesize_limit)
    await say(interaction, content=_words(packed.left), file=packed.file)
    await bot.outbox.send(bot, packed.delivery)


@component(EXPORT)
async def export_first(interaction: Interaction, *, campaign: int) -> None:
    """Hand over all of a campaign before it's deleted."""
    await export(interaction, await pressed_campaign(interaction, campaign))


async def pack(bot: Adjutant, who: Person | None, campaign: Campaign, most: int) -> Packed:
    """Return the capsule of a campaign, of at most `most` bytes, and enter the export; without a person nobody is refused."""
    file = io.BytesIO()
    with _alone():
        left = await bot.database.write(capsule.leave, bot.resolver, who, campaign.id)
        delivery = bot.outbox.hand(bot, () if who is None else left.posts)
        users = await bot.database.read(_users, campaign.id)
        names = await _names(bot.get_guild(campaign.guild_id), users)
        teller = Teller(bot.kinds, bot.features, bot.library, names)
        try:
            await bot.database.read(capsule.pack, teller, left, file, bot.ledger.now(), most)
        except TooLarge as problem:
            raise _too_large(campaign, most) from problem
    file.seek(0)
    return Packed(left, discord.File(file, _file_name(left)), delivery)


def _users(tx: Connection, campaign_id: int) -> list[int]:
    return [user for user, _, _ in entries.actors(tx, campaign_id)]


async def _names(guild: discord.Guild | None, users: Sequence[int]) -> dict[int, str]:
    """Return what members are called, by user id; of those who have left, or where Discord does not say, nothing."""
    names: dict[int, str] = {}
    with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
        for start in range(0, len(users), MAX_ASKED) if guild else ():
            asked = list(users[start : start + MAX_ASKED])
            found = await guild.query_members(user_ids=asked, limit=MAX_ASKED) if guild else []
            names |= {member.id: member.display_name for member in found}
    return names


@contextmanager
def _alone() -> Iterator[None]:
    if not _ONE.acquire(blocking=False):
        raise NotAsItIs("I'm exporting another campaign right now.", "Try again in a minute.")
    try:
        yield
    finally:
        _ONE.release()


def _too_large(campaign: Campaign, most: int) -> BadInput:
    return BadInput(
        f"{campaign.name} is too large for Discord: files here may have {most // KIBIBYTE:,} KiB.",
        f"The host of this bot can export it: adjutant export {campaign.uuid} FILE.",
    )


def _file_name(left: capsule.Leaving) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", left.campaign.name.lower()).strip("-") or "campaign"
    return f"{name}-{left.last.number}.capsule.zip"


def _words(left: capsule.Leaving) -> str:
    return (
        f"**{plain(left.campaign.name)}** up to entry #{left.last.number}. It contains **every secret**: "
        "share it with game masters only.\n"
        f"To read it, open `chronicle.html`. To go on with it elsewhere: `adjutant import FILE --server ID`, "
        f"then compare the hash of entry #{left.last.number}: `{left.last.hash}`.\n"
        "-# Rolls from now on aren't in this file."
    )
