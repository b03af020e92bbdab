"""The buttons that make a result public: at once, or on a date that a window asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import discord
from discord import ui
from discord.utils import format_dt

from bot.actions import pressed_campaign
from bot.client import Adjutant, Interaction
from bot.cogs.ledger import publishing
from bot.cogs.ledger.publishing import Preview
from bot.core.chores import each
from bot.outbox.store import Post
from bot.rolls.buttons import PUBLISH, PUBLISH_NOW, PUBLISH_ON_DATE
from bot.rolls.receipts import deliver
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, component, modal, with_buttons
from bot.ui.paging import pages
from bot.ui.parsing import MAX_NAME
from bot.ui.picture import fitting
from bot.ui.reply import ask, person, put, say, submitted, text_field
from bot.ui.text import listing, plain, shorten

WHEN = IdTemplate("publish-on:{campaign:int}:{number:int}:when")
"""The id of the window that asks for the date."""
MAX_NAMED = 1000
"""Characters of the names of secret units that are shown."""

NO_DATE = IdTemplate("publish-on:{campaign:int}:{number:int}:none")
"""The id of the button that takes the date back."""


@component(PUBLISH)
async def show_preview(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show what becomes public of a result, and ask."""
    seen = await interaction.client.database.read(publishing.preview, person(interaction), campaign, number)
    lines = [*_warned(seen), "Everyone will see this:"]
    asked = discord.Embed(
        title=f"Publish entry #{number}?",
        description="\n".join(lines),
        colour=COLOURS["danger" if seen.secret else "neutral"],
    )
    shown, *rest = pages([asked, *chain.from_iterable(seen.pages)])
    if rest:
        asked.description = f"{asked.description}\n-# The rest is under `/ledger show number:{number}`."
    key = PUBLISH_NOW.fill(campaign=campaign, number=number)
    button: ui.Button[ui.View] = ui.Button(label="Publish", style=discord.ButtonStyle.danger, custom_id=key)
    await say(interaction, embeds=fitting(shown, None), view=with_buttons(button))


@component(PUBLISH_NOW)
async def publish(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Publish a result."""
    bot = interaction.client
    queued = await bot.database.write(publishing.publish, bot.resolver, person(interaction), campaign, number)
    show = partial(_show_published, interaction, number)
    await deliver(interaction, queued, show, done=_published(number))


@component(PUBLISH_ON_DATE)
async def ask_date(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Ask on which date a result is to go public."""
    database = interaction.client.database
    here = await pressed_campaign(interaction, campaign)
    seen = await database.read(publishing.preview, person(interaction), campaign, number)
    form = ui.Modal(title=f"Publish entry #{number} on a date", custom_id=WHEN.fill(campaign=campaign, number=number))
    form.add_item(text_field("when", "When", placeholder="Friday 18:00, or 2026-03-10 18:00", limit=MAX_NAME))
    lines = [*_warned(seen), f"In the time zone of the campaign: {here.timezone}."]
    await ask(interaction, form.add_item(ui.TextDisplay("\n".join(lines))))


@modal(WHEN)
async def set_date(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Set the date on which a result goes public by itself."""
    bot, typed = interaction.client, str(submitted(interaction).get("when") or "")
    asked = (bot.resolver, person(interaction), campaign, number, typed)
    at = await bot.database.write(publishing.set_date, *asked)
    title = f"Entry #{number} goes public on a date"
    committed(interaction, title)
    text = f"It is posted {format_dt(at, 'F')}, {format_dt(at, 'R')}. Until then it stays private." if at else ""
    embed = discord.Embed(title=title, description=text, colour=COLOURS["success"])
    key = NO_DATE.fill(campaign=campaign, number=number)
    undo: ui.Button[ui.View] = ui.Button(label="Cancel the date", custom_id=key)
    await say(interaction, embed=embed, view=with_buttons(undo))


@component(NO_DATE)
async def take_date_back(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Let a result go public on no date any more."""
    bot = interaction.client
    await bot.database.write(publishing.set_date, bot.resolver, person(interaction), campaign, number, None)
    title = f"Entry #{number} no longer goes public on a date"
    committed(interaction, title)
    await say(interaction, embed=discord.Embed(title=title, colour=COLOURS["success"]))


async def publish_due(client: Adjutant) -> Sequence[Post]:
    """Publish the results whose date is reached, each in a transaction of its own."""
    rolls = await client.database.read(publishing.reached, client.ledger.now())
    return await each((_publish_due(client, *roll) for roll in rolls), "publishing.bug")


async def _publish_due(client: Adjutant, campaign_id: int, first: int) -> Sequence[Post]:
    if not await client.database.read(publishing.is_due, campaign_id, first):
        return ()
    return await client.database.write(publishing.publish_due, client.resolver, campaign_id, first)


COMPONENTS: tuple[Component, ...] = (show_preview, publish, ask_date, take_date_back)
MODALS: tuple[ModalForm, ...] = (set_date,)


def _warned(seen: Preview) -> Iterator[str]:
    """Yield which secret units and characters a result would name in public."""
    if seen.secret:
        names = shorten(listing([plain(name) for name in seen.secret]), MAX_NAMED)
        yield f"**This reveals hidden names: {names}.**"


async def _show_published(interaction: Interaction, number: int, posts: Sequence[Post]) -> None:
    sent = [post for post in posts if post.kind == "published"]
    faults = [post.fault for post in sent if post.fault]
    if faults:
        text = f"Not posted yet: {faults[0]}. I'll keep trying."
    elif all(post.message_id is not None for post in sent):
        text = f"Posted in <#{sent[0].channel_id}>."
    else:
        text = f"Waiting for Discord to post it in <#{sent[0].channel_id}>."
    colour = COLOURS["danger" if faults else "success"]
    await put(interaction, embed=discord.Embed(title=_published(number), description=text, colour=colour))


def _published(number: int) -> str:
    return f"Entry #{number} is public"
