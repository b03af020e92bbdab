"""What is shown after an effect has ended, and the button that ends one by an answer."""

from __future__ import annotations

from bot.client import Interaction
from bot.cogs.effects import questions, service
from bot.cogs.effects.embed import list_pages, sentence
from bot.cogs.effects.questions import END, AskedEffect
from bot.core.campaigns import Campaign, on_server
from bot.orders.answering import answered, next_steps
from bot.rolls.buttons import take_back_button
from bot.rolls.doubts import slip_of
from bot.ui.answering import committed
from bot.ui.components import Component, IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, refuse_slip, say
from bot.ui.text import plain

OF = IdTemplate("effects:{campaign:int}:{who:rest}")
"""The id of the button that lists the effects on the one who was meant (a name)."""


async def show_list(interaction: Interaction, campaign: Campaign, who: str | None) -> None:
    """List all effects, or those on one (a name); ask first where the name is probably a slip."""
    bot, asker = interaction.client, person(interaction)
    effects = await bot.database.read(service.listed, bot.library, asker, campaign, who)
    meant = await bot.database.read(slip_of, asker, campaign, who) if who and not effects else None
    if who and meant:
        await refuse_slip(interaction, who, meant, OF.fill(campaign=campaign.id, who=meant))
        return
    for page in list_pages(effects, campaign=campaign.name):
        await say(interaction, embeds=page)


@component(OF)
async def list_meant(interaction: Interaction, *, campaign: int, who: str) -> None:
    """List the effects on the one who was meant."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await show_list(interaction, here, who)


@component(END)
async def end(interaction: Interaction, *, campaign: int, subject: int, entry: int) -> None:
    """End an effect that is a question, as a game master answers it."""
    bot, who = interaction.client, person(interaction)
    asked = AskedEffect(campaign, subject, entry)
    answer, change = await bot.database.write(questions.end, bot.ledger, bot.features, who, asked)
    title = f"{plain(answer)}: entry #{change.entry.number}"
    committed(interaction, title)
    steps = await bot.database.read(next_steps, who, change.campaign)
    buttons = [*steps, take_back_button(campaign, change.entry.number)]
    await redraw(interaction, receipt(title, [sentence(change.entry.content())], buttons=buttons))
    await answered(interaction, change.campaign)


COMPONENTS: tuple[Component, ...] = (list_meant, end)
