"""`/escape`: captives who try to escape; players order it, game masters roll all that is ordered together."""

from typing import Annotated

from discord import app_commands

from bot.client import Interaction
from bot.cogs.captives import rolls
from bot.cogs.captives.buttons import BREAK_OUT, ROLL_ESCAPES
from bot.cogs.captives.options import Escaping
from bot.cogs.captives.queries import ESCAPE
from bot.core.campaigns import Campaign, require_update
from bot.errors import BadInput
from bot.orders import panel as orders
from bot.rolls.answers import begin
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.options import CARD_OR_NOW, NOTE, ModifiersCompleter, Region, Week
from bot.rolls.request import RollCommand
from bot.ui.components import component
from bot.ui.form import Form, fill_form, option
from bot.ui.reply import person, say

FAMILY = (rolls.BOOK, ESCAPE)


class EscapeForm(Form):
    """The options of `/escape`: all but captive and note say how it's rolled, which an order leaves open."""

    captive: Escaping | None = option(
        "Who tries, separated by commas. Default for game masters: all with escape orders", default=None
    )
    region: Region | None = option("Only when you roll: a weather region or any place name", default=None)
    week: Week | None = option("Only when you roll: the week whose weather counts", default=None)
    modifiers: Annotated[str, ModifiersCompleter(*FAMILY)] | None = option(
        "Only when you roll: ids or labels, separated by commas", default=None
    )
    note: str | None = NOTE
    roll: str = option("Only when you roll: open a card first, or roll now", default="card", choices=CARD_OR_NOW)


@app_commands.command()
@app_commands.guild_only()
@fill_form
async def escape(interaction: Interaction, form: EscapeForm) -> None:
    """Order your captive character's escape, or roll escapes."""
    await _escape(interaction, await desk_of(interaction).campaign(interaction), form)


async def _escape(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    """Answer with a card or the roll, with what a player orders, or with all that is ordered."""
    who = person(interaction)
    if form.captive is not None and not rolls.must_order(who, campaign):
        await _roll(interaction, campaign, form)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if form.modifiers:
        when = "on the card" if who.leads(campaign) else "when a game master rolls"
        raise BadInput(f"Modifiers are picked {when}.", "Leave them out and say what counts in the note.")
    if form.captive is not None and (form.region or form.week is not None):
        raise BadInput("The region and week are picked when it's rolled.", "Leave them out and use the note.")
    if form.captive is not None:
        asked = (interaction.client.resolver, who, campaign.id, form.captive, form.note)
        await orders.tell(interaction, *await interaction.client.database.write(rolls.order, *asked))
    elif not who.leads(campaign):
        raise BadInput("I need at least one captive.", "Name a captive character of yours.")
    elif form.roll == "now":
        await _roll(interaction, campaign, form)
    else:
        await _open_ordered(interaction, campaign.id, form)


@component(BREAK_OUT)
async def break_out(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Do what `/escape` does for one captive."""
    asked = (person(interaction), campaign, subject, newest)
    here, captive = await interaction.client.database.read(rolls.escape_of, *asked)
    await _escape(interaction, here, EscapeForm(captive=captive))


@component(ROLL_ESCAPES)
async def roll_escapes(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Open a card for all escapes that are ordered, in the update in which the button was shown."""
    await interaction.client.database.read(require_update, campaign, number)
    await _open_ordered(interaction, campaign, EscapeForm())


async def _roll(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    """Answer with a card or the roll: for who is named, or for all who are ordered to."""
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, form.captive, form.region)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, form.week)
    roll = RollCommand(*where, form.modifiers, form.note, campaign=campaign.id)
    await begin(interaction, roll, at_once=form.roll == "now")


async def _open_ordered(interaction: Interaction, campaign_id: int, form: EscapeForm) -> None:
    bot, asked = interaction.client, (campaign_id, form.note, form.region, form.week)
    for view in await bot.database.write(rolls.open_ordered, bot.resolver, person(interaction), *asked):
        await say(interaction, view=layout.draw(view, 0))
