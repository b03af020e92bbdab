"""Escapes in Discord: rolled, declared by players, and the button that rolls all of an update together."""

from __future__ import annotations

import discord
from msgspec import Struct

from bot.client import Interaction
from bot.cogs.captives import rolls
from bot.cogs.captives.buttons import BREAK_OUT, ROLL_DECLARED, WITHDRAW, withdraw_button
from bot.cogs.captives.embed import declared_embed, withdrawn_line
from bot.cogs.captives.queries import ESCAPE
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.errors import BadInput
from bot.rolls.answers import begin
from bot.rolls.buttons import with_buttons
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import RollCommand
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, refuse, rewrite, say

FAMILY = (rolls.BOOK, ESCAPE)
WITHDRAWN = "Escape withdrawn"


class EscapeCommand(Struct, frozen=True):
    """The options of `/escape` as typed."""

    captive: str | None
    region: str | None
    week: int | None
    modifiers: str | None
    note: str | None
    at_once: bool


async def escape(interaction: Interaction, command: EscapeCommand) -> None:
    """Answer `/escape`: with a card or the roll, with what a player declares, or with all that is declared."""
    await _escape(interaction, await desk_of(interaction).campaign(interaction), command)


async def _escape(interaction: Interaction, campaign: Campaign, command: EscapeCommand) -> None:
    who = person(interaction)
    if command.captive is not None and not rolls.must_declare(who, campaign):
        await _roll(interaction, campaign, command)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if command.modifiers:
        when = "on the card" if who.leads(campaign) else "when a game master rolls it"
        raise BadInput(f"Modifiers are ticked {when}.", "Leave them out here; tell what counts in the note.")
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


@component(BREAK_OUT)
async def break_out(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Do what `/escape` does for one captive."""
    asked = (person(interaction), campaign, subject, newest)
    here, captive = await interaction.client.database.read(rolls.escape_of, *asked)
    await _escape(interaction, here, EscapeCommand(captive, None, None, None, None, at_once=False))


@component(ROLL_DECLARED)
async def roll_declared(interaction: Interaction, campaign: int, entry: int) -> None:
    """Open a card for all escapes that are declared in this update, if that of the post still waits."""
    await _open_declared(interaction, campaign, None, entry)


@component(WITHDRAW)
async def withdraw(interaction: Interaction, campaign: int, entry: int) -> None:
    """Take back an escape that the person has declared."""
    bot = interaction.client
    done = await bot.database.write(rolls.withdraw, bot.resolver, person(interaction), campaign, entry)
    committed(interaction, f"Withdrawn: entry #{entry}")
    line = withdrawn_line(done.pairs[-1][0].content())
    if interaction.message is not None and interaction.message.embeds:
        embed = discord.Embed(title=WITHDRAWN, description=line, colour=COLOURS["neutral"])
        await rewrite(interaction, embed=embed, view=None)
    else:
        await redraw(interaction, receipt(WITHDRAWN, [line], COLOURS["neutral"]))
    await bot.outbox.send(bot, done.posts)


async def _roll(interaction: Interaction, campaign: Campaign, command: EscapeCommand) -> None:
    """Answer with a card or the roll: for who is named, or for all who have declared it."""
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, command.captive, command.region)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, command.week)
    roll = RollCommand(*where, command.modifiers, command.note, campaign=campaign.id)
    await begin(interaction, roll, at_once=command.at_once)


async def _declare(interaction: Interaction, campaign: Campaign, captive: str, note: str | None) -> None:
    bot, who = interaction.client, person(interaction)
    try:
        declared = await bot.database.write(rolls.declare, bot.resolver, who, campaign.id, captive, note)
    except rolls.DeclaredAlready as already:
        if already.entry is None:
            raise
        await refuse(interaction, already, with_buttons(withdraw_button(campaign.id, already.entry)))
        return
    handed = bot.outbox.hand(bot, declared.posts)
    committed(interaction, f"Declared: entry #{declared.entry.number}")
    below = with_buttons(withdraw_button(campaign.id, declared.entry.number))
    await say(interaction, embed=declared_embed(EntryView(declared.entry, campaign.name)), view=below)
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
