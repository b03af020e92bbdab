"""The question before an update is closed, and its button: it carries which update was seen."""

from __future__ import annotations

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.update import service
from bot.cogs.update.embed import closed_lines, update_lines
from bot.cogs.update.service import SeenUpdate, UpdateToClose
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import desk_of
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain, shorten

CLOSE = IdTemplate("update:{campaign:int}:close:{number:int}:{next_name:rest}")
MAX_LABEL = 80


async def ask_close(interaction: Interaction, name: str | None) -> None:
    """Show what ends with the current update, with the button that closes it."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    found = await bot.database.read(service.to_close, bot.features, person(interaction), campaign, name)
    await say(interaction, view=_question(found))


@component(CLOSE)
async def close(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    """Close the update of a question."""
    bot, seen = interaction.client, SeenUpdate(number, next_name)
    known = (bot.ledger, bot.features, person(interaction), campaign, seen)
    closed = await bot.database.write(service.close_by_hand, *known)
    title = f"{plain(closed.before['name'])} is closed: entry #{closed.entry}"
    buttons = [take_back_button(campaign, closed.entry)]
    await redraw(interaction, receipt(title, closed_lines(closed, closed.ended), buttons=buttons))


def _question(found: UpdateToClose) -> ui.LayoutView:
    update = found.view.update
    following = plain(found.next_name or f"Update {update['number'] + 1}")
    key = CLOSE.fill(campaign=found.campaign.id, number=update["number"], next_name=found.next_name)
    label = shorten(f"Close {update['name']}", MAX_LABEL)
    button: ui.Button[ui.LayoutView] = ui.Button(label=label, style=discord.ButtonStyle.success, custom_id=key)
    lines = [*update_lines(found.view), f"Then {following} begins."]
    return receipt(f"Close {plain(update['name'])}?", lines, COLOURS["neutral"], [button])
