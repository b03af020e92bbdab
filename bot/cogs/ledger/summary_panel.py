"""An update on one page, with buttons to the updates beside it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.ledger import searching, summary
from bot.cogs.ledger.summary import Summary
from bot.core.campaigns import Campaign, on_server
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component
from bot.ui.receipt import page_buttons, receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import DOT, listing, plain, within

SUMMED = IdTemplate("summed:{campaign:int}:{number:int}")
"""The ids of the buttons to other updates: the campaign and the number of the update."""

ROOM = 3300
"""Characters of what rolls came to: with all else they fit into the 4,000 of a message."""


async def show(interaction: Interaction, campaign: Campaign, number: int | None) -> None:
    """Answer with an update on one page."""
    await say(interaction, view=await _view(interaction, campaign, number))


@component(SUMMED)
async def turn(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show another update."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await redraw(interaction, await _view(interaction, here, number))


async def _view(interaction: Interaction, campaign: Campaign, number: int | None) -> ui.LayoutView:
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await bot.database.read(summary.summed_up, bot.kinds, person(interaction), campaign, number)
    this = made.update["number"]
    pages = (
        ("Earlier", None if this == 1 else SUMMED.fill(campaign=campaign.id, number=this - 1)),
        ("Later", None if made.lasts else SUMMED.fill(campaign=campaign.id, number=this + 1)),
    )
    title = f"{plain(made.update['name'])}{DOT}{plain(campaign.name)}"
    return receipt(title, list(_lines(made)), COLOURS["neutral"], page_buttons(*pages))


def _lines(made: Summary) -> Iterator[str]:
    since = discord.utils.format_dt(datetime.fromisoformat(made.update["since"]), "f")
    yield f"Update {made.update['number']}, since {since}{', still open' if made.lasts else ''}."
    counted = listing([f"{count} {what}" for what, count in made.counts])
    yield f"**Entries you can see:** {counted or 'none'}."
    if made.more:
        yield f"-# Only the newest {summary.MOST} are counted. See `/ledger search update:{made.update['number']}` for all."
    if made.digests:
        yield f"**Results of orders:** {listing([f'#{number}' for number in made.digests])}. See `/ledger show`."
    if made.results:
        yield "**Rolls, newest first:**"
        yield from within(ROOM, made.results)


COMPONENTS: tuple[Component, ...] = (turn,)
