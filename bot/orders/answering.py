"""What follows once a question was answered: orders that have waited can be resolved, and the digest is told where nothing is left."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from discord import ui
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, current_update
from bot.core.permissions import Person
from bot.errors import NotOpen
from bot.orders import digest, resolution
from bot.orders.digest import Illustrate
from bot.orders.ids import PLAN
from bot.orders.standing import every
from bot.outbox.store import Post
from bot.rolls.extension import Afterwards
from bot.rolls.resolver import Rolled
from bot.ui.reply import AnyInteraction, person


def next_steps(tx: Connection, reader: Person, campaign: Campaign) -> list[ui.Button[Any]]:
    """Return what a game master does next after an answer: resolve the orders, where some are left that are not held."""
    if not reader.leads(campaign) or all(item.held or not item.unresolved for item in every(tx, campaign)):
        return []
    number = current_update(tx, campaign.id)["number"]
    return [ui.Button(label="Resolve orders", custom_id=PLAN.fill(campaign=campaign.id, number=number))]


def illustrations(bot: Any) -> list[Illustrate]:  # noqa: ANN401 - `bot.client.Adjutant`, which stands above this module
    """Return the ways in which features illustrate a digest."""
    pictures = (picture for item in bot.features for picture in item.pictures)
    return [picture.newest for picture in pictures if picture.newest is not None]


async def answered(interaction: AnyInteraction, campaign: Campaign) -> None:
    """Tell the digest where the answer was all that it waited for; nobody waits for that."""
    bot = interaction.client
    bot.outbox.hand(bot, await told_when_done(interaction, campaign))


async def after_roll(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Tell the digest where a roll was the last task of orders; else offer to resolve what is left."""
    if "orders" not in rolled.entry.content():
        return Afterwards()
    posts = await told_when_done(interaction, rolled.campaign)
    if posts:
        return Afterwards(tuple(posts), ("All orders are resolved. The digest is posted.",))
    steps = await interaction.client.database.read(next_steps, person(interaction), rolled.campaign)
    return Afterwards(steps=tuple(steps))


async def told_when_done(interaction: AnyInteraction, campaign: Campaign) -> Sequence[Post]:
    """Enter the digest once nothing is left to resolve or to answer; return its posts, which are the caller's to send."""
    bot, who = interaction.client, person(interaction)
    if await bot.database.read(resolution.is_done, bot.resolver, who, campaign):
        with suppress(NotOpen):  # all of it was told before, or nothing was rolled
            told = await bot.database.write(digest.tell, bot.resolver, who, campaign.id, illustrations(bot))
            return tuple(told.posts)
    return ()
