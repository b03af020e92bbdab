"""`/campaign export`: all of a campaign as one file, handed to the game master who has asked."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import discord

from bot.client import Interaction
from bot.cogs.campaign import capsule
from bot.cogs.campaign.chronicle import Teller
from bot.core.campaigns import Campaign
from bot.core.capsules.archive import TooLarge
from bot.errors import BadInput, NotAsItIs
from bot.ui.reply import person, say
from bot.ui.text import plain

KIBIBYTE = 2**10

_ONE = threading.Lock()
"""Held while a capsule is packed: however many are asked for, they take one connection to the database."""


async def export(interaction: Interaction, campaign: Campaign) -> None:
    """Answer privately with the capsule of a campaign, after its ledger says so and the epoch of its dice is closed.

    Raises:
        NotAllowed: the person is no game master.
        NotAsItIs: another one is being packed.
        BadInput: it is larger than Discord takes.

    """
    bot, file, most = interaction.client, io.BytesIO(), interaction.filesize_limit
    with _alone():
        left = await bot.database.write(capsule.leave, bot.resolver, person(interaction), campaign.id)
        delivery = bot.outbox.hand(bot, left.posts)
        teller = Teller(bot.kinds, bot.features, bot.library)
        try:
            await bot.database.read(capsule.pack, teller, left, file, bot.ledger.now(), most)
        except TooLarge as problem:
            raise _too_large(campaign, most) from problem
    file.seek(0)
    await say(interaction, content=_words(left), file=discord.File(file, _file_name(left)))
    await bot.outbox.send(bot, delivery)


@contextmanager
def _alone() -> Iterator[None]:
    if not _ONE.acquire(blocking=False):
        raise NotAsItIs("Another campaign is being packed.", "Please ask again in a minute.")
    try:
        yield
    finally:
        _ONE.release()


def _too_large(campaign: Campaign, most: int) -> BadInput:
    return BadInput(
        f"All of {campaign.name} is more than the {most // KIBIBYTE:,} KiB that Discord takes as a file here.",
        f"Whoever runs me gets it on the command line: adjutant export {campaign.uuid} FILE.",
    )


def _file_name(left: capsule.Leaving) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", left.campaign.name.lower()).strip("-") or "campaign"
    return f"{name}-{left.last.number}.capsule.zip"


def _words(left: capsule.Leaving) -> str:
    return (
        f"All of **{plain(left.campaign.name)}**, up to entry #{left.last.number}. It has **every secret of the staff**, and what "
        "players have rolled for themselves alone: give it to nobody who may not know all that.\n"
        f"Open `chronicle.html` in it to read. Whoever runs an Adjutant goes on with it elsewhere: "
        f"`adjutant import FILE --server ID`. Compare the hash of entry #{left.last.number} then: `{left.last.hash}`.\n"
        "-# The epoch of the dice is closed; what is rolled from now on is not in the file."
    )
