"""`/escape`: captives who try to escape; players order it, game masters roll all that is ordered together."""

from collections.abc import Mapping

from discord import app_commands
from discord.app_commands import Transform
from msgspec import Struct

from bot.client import Interaction
from bot.cogs.captives import rolls
from bot.cogs.captives.buttons import BREAK_OUT, ROLL_ESCAPES
from bot.cogs.captives.options import Escaping
from bot.cogs.captives.queries import ESCAPE
from bot.core.campaigns import Campaign, require_update
from bot.errors import BadInput
from bot.orders import panel as orders
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import RollCommand
from bot.ui.commands import describe
from bot.ui.components import component
from bot.ui.reply import person, say

FAMILY = (rolls.BOOK, ESCAPE)
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]

OF_ROLL: Mapping[str, str] = {
    "region": "a weather region or any place name",
    "week": "the week whose weather counts",
    "modifiers": "ids or labels, separated by commas",
    "roll": "open a card first, or roll now",
}
"""The options that say how an escape is rolled, which an order leaves open."""


class EscapeCommand(Struct, frozen=True):
    """The options of `/escape` as typed."""

    captive: str | None = None
    region: str | None = None
    week: int | None = None
    modifiers: str | None = None
    note: str | None = None
    at_once: bool = False


@app_commands.command()
@app_commands.guild_only()
@describe(
    captive="Who tries, separated by commas. Default for game masters: all with escape orders",
    note=options.SHARED["note"],
    **{name: f"Only when you roll: {about}" for name, about in OF_ROLL.items()},
)
@app_commands.choices(roll=options.ROLL)
async def escape(
    interaction: Interaction,
    captive: Escaping | None = None,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    roll: str = "card",
) -> None:
    """Order your captive character's escape, or roll escapes."""
    command = EscapeCommand(captive, region, week, modifiers, note, at_once=roll == "now")
    await _escape(interaction, await desk_of(interaction).campaign(interaction), command)


async def _escape(interaction: Interaction, campaign: Campaign, command: EscapeCommand) -> None:
    """Answer with a card or the roll, with what a player orders, or with all that is ordered."""
    who = person(interaction)
    if command.captive is not None and not rolls.must_order(who, campaign):
        await _roll(interaction, campaign, command)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if command.modifiers:
        when = "on the card" if who.leads(campaign) else "when a game master rolls"
        raise BadInput(f"Modifiers are picked {when}.", "Leave them out and say what counts in the note.")
    if command.captive is not None and (command.region or command.week is not None):
        raise BadInput("The region and week are picked when it's rolled.", "Leave them out and use the note.")
    if command.captive is not None:
        asked = (interaction.client.resolver, who, campaign.id, command.captive, command.note)
        await orders.tell(interaction, *await interaction.client.database.write(rolls.order, *asked))
    elif not who.leads(campaign):
        raise BadInput("I need at least one captive.", "Name a captive character of yours.")
    elif command.at_once:
        await _roll(interaction, campaign, command)
    else:
        await _open_ordered(interaction, campaign.id, command)


@component(BREAK_OUT)
async def break_out(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Do what `/escape` does for one captive."""
    asked = (person(interaction), campaign, subject, newest)
    here, captive = await interaction.client.database.read(rolls.escape_of, *asked)
    await _escape(interaction, here, EscapeCommand(captive))


@component(ROLL_ESCAPES)
async def roll_escapes(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Open a card for all escapes that are ordered, in the update in which the button was shown."""
    await interaction.client.database.read(require_update, campaign, number)
    await _open_ordered(interaction, campaign, EscapeCommand())


async def _roll(interaction: Interaction, campaign: Campaign, command: EscapeCommand) -> None:
    """Answer with a card or the roll: for who is named, or for all who are ordered to."""
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, command.captive, command.region)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, command.week)
    roll = RollCommand(*where, command.modifiers, command.note, campaign=campaign.id)
    await begin(interaction, roll, at_once=command.at_once)


async def _open_ordered(interaction: Interaction, campaign_id: int, command: EscapeCommand) -> None:
    bot, asked = interaction.client, (campaign_id, command.note, command.region, command.week)
    for view in await bot.database.write(rolls.open_ordered, bot.resolver, person(interaction), *asked):
        await say(interaction, view=layout.draw(view, 0))
