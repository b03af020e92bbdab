"""Captives in Discord: what was entered about them, escapes that players declare, and the button that rolls them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ParamSpec

from bot.client import Interaction
from bot.cogs.captives import rolls, service
from bot.cogs.captives.buttons import ROLL_DECLARED
from bot.cogs.captives.embed import change_embeds, declared_embed
from bot.cogs.captives.queries import ESCAPE
from bot.cogs.captives.service import CaptiveTransaction
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.errors import BadInput
from bot.rolls.answers import begin
from bot.rolls.buttons import take_back_button, with_buttons
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import RollCommand
from bot.rolls.void_window import open_window
from bot.ui.answering import committed
from bot.ui.components import component
from bot.ui.reply import person, say

P = ParamSpec("P")
FAMILY = (rolls.BOOK, ESCAPE)


@dataclass(frozen=True, slots=True)
class EscapeCommand:
    """The options of `/escape` as typed."""

    captive: str | None
    region: str | None
    week: int | None
    modifiers: str | None
    note: str | None
    at_once: bool


async def enter(
    interaction: Interaction, transaction: CaptiveTransaction[P], *options: P.args, **more: P.kwargs
) -> None:
    """Enter what a command says of a captive, and show it with how things stand now."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    change = await bot.database.write(transaction, bot.resolver, who, campaign.id, *options, **more)
    below = with_buttons(take_back_button(campaign.id, change.entry.number))
    handed = bot.outbox.hand(bot, change.posts)
    committed(interaction, f"Entered: entry #{change.entry.number}")
    await say(interaction, embeds=change_embeds(change), view=below)
    await bot.outbox.send(bot, handed)


async def undo(interaction: Interaction, captive: str, reason: str | None) -> None:
    """Ask why the newest entry about a captive is to be taken back."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    number = await bot.database.read(service.newest, person(interaction), campaign, captive)
    await open_window(interaction, campaign, number, reason)


async def escape(interaction: Interaction, command: EscapeCommand) -> None:
    """Answer `/escape`: with a card or the roll, with what a player declares, or with all that is declared."""
    campaign, who = await desk_of(interaction).campaign(interaction), person(interaction)
    if command.captive is not None and not rolls.must_declare(who, campaign):
        await _roll(interaction, campaign, command)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if command.modifiers:
        raise BadInput("Nothing is ticked yet.", "Modifiers are ticked on the card; leave them out here.")
    if command.captive is not None and (command.region or command.week is not None):
        raise BadInput("Where it happens is said when it is rolled.", "Leave region and week out; tell it in the note.")
    if command.captive is not None:
        await _declare(interaction, campaign, command.captive, command.note)
    elif not who.leads(campaign):
        raise BadInput("I need at least one captive.", "Name a captive character of yours.")
    elif command.at_once:
        await _roll(interaction, campaign, command)
    else:
        await _open_declared(interaction, campaign.id, command.note, None, command.region, command.week)


@component(ROLL_DECLARED)
async def roll_declared(interaction: Interaction, campaign: int, entry: int) -> None:
    """Open a card for all escapes that are declared in this update, if that of the post still waits."""
    await _open_declared(interaction, campaign, None, entry)


async def _roll(interaction: Interaction, campaign: Campaign, command: EscapeCommand) -> None:
    """Answer with a card or the roll: for who is named, or for all who have declared it."""
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, command.captive, command.region)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, command.week)
    roll = RollCommand(*where, command.modifiers, command.note)
    await begin(interaction, roll, at_once=command.at_once)


async def _declare(interaction: Interaction, campaign: Campaign, captive: str, note: str | None) -> None:
    bot, who = interaction.client, person(interaction)
    declared = await bot.database.write(rolls.declare, bot.resolver, who, campaign.id, captive, note)
    handed = bot.outbox.hand(bot, declared.posts)
    committed(interaction, f"Declared: entry #{declared.entry.number}")
    await say(interaction, embed=declared_embed(EntryView(declared.entry, campaign.name)))
    await bot.outbox.send(bot, handed)


async def _open_declared(
    interaction: Interaction,
    campaign_id: int,
    note: str | None,
    seen: int | None = None,
    region: str | None = None,
    week: int | None = None,
) -> None:
    bot, who = interaction.client, person(interaction)
    asked = (campaign_id, note, seen, region, week)
    for view in await bot.database.write(rolls.open_declared, bot.resolver, who, *asked):
        await say(interaction, view=layout.draw(view, 0))
