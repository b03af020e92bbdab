"""The question before a campaign is archived, and its button."""

from __future__ import annotations

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.campaign import queries, service
from bot.cogs.campaign.embed import archived_lines
from bot.core.campaigns import Campaign
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain

ARCHIVE = IdTemplate("archive:{campaign:int}:{yes:word}:{newest:int}")
"""The ids of both buttons: `newest` is the newest entry that there was when the button was shown."""
YES, BACK = "yes", "back"
"""What the buttons do: archive a campaign, and take it back."""


async def ask_archive(interaction: Interaction, campaign: Campaign) -> None:
    """Show what ends with a campaign, with the button that archives it."""
    bot = interaction.client
    open_things = await bot.database.read(queries.to_archive, person(interaction), campaign)
    button = _button("Archive", discord.ButtonStyle.danger, campaign.id, YES, open_things.seen)
    title = f"Archive {plain(campaign.name)}?"
    await say(interaction, view=receipt(title, archived_lines(open_things), COLOURS["neutral"], [button]))


@component(ARCHIVE)
async def archive(interaction: Interaction, *, campaign: int, yes: str, newest: int) -> None:
    """Archive a campaign, or take it back from the archive, if neither has been done since."""
    bot, who, archived = interaction.client, person(interaction), yes == YES
    changed, entry = await bot.database.write(
        service.archive, bot.ledger, who, campaign, archived=archived, seen=newest
    )
    name = plain(changed.name)
    if archived:
        button = _button("Restore", discord.ButtonStyle.secondary, campaign, BACK, entry)
        lines = [f"You can still read its ledger: /ledger list campaign:{name}."]
        await redraw(interaction, receipt(f"{name} is archived", lines, buttons=[button]))
    else:
        await redraw(interaction, receipt(f"{name} is restored", ["Go on where you left off."]))


def _button(label: str, style: discord.ButtonStyle, campaign: int, yes: str, newest: int) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=label, style=style, custom_id=ARCHIVE.fill(campaign=campaign, yes=yes, newest=newest))
