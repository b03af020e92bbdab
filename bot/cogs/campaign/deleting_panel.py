"""`/campaign delete`: the question before a campaign is deleted, and its buttons."""

from __future__ import annotations

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.campaign import deleting
from bot.cogs.campaign.ids import EXPORT
from bot.core.campaigns import Campaign
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain

DELETE = IdTemplate("delete:{campaign:int}:{newest:int}")
"""The id of the button that deletes: `newest` is the newest entry that there was when it was shown."""

MINE = "If you might want it again, export it first."
THEIRS = "If you might want it again, ask a game master to use `/campaign export` first."


async def ask(interaction: Interaction, campaign: Campaign) -> None:
    """Say what is deleted with a campaign, with the button that does it."""
    who = person(interaction)
    newest = await interaction.client.database.read(deleting.seen, who, campaign)
    leads = who.leads(campaign)
    lines = [
        f"Its log of {newest} {'entry' if newest == 1 else 'entries'} is deleted, with its units, characters, orders, schedules and house rules.",
        "Messages in Discord stay. **You can't undo this.**",
        MINE if leads else THEIRS,
    ]
    key = DELETE.fill(campaign=campaign.id, newest=newest)
    buttons = [
        ui.Button[ui.LayoutView](label=f"Delete {campaign.name}", custom_id=key, style=discord.ButtonStyle.danger)
    ]
    if leads:
        buttons.append(ui.Button(label="Export it first", custom_id=EXPORT.fill(campaign=campaign.id)))
    await say(interaction, view=receipt(f"Delete {plain(campaign.name)}?", lines, COLOURS["danger"], buttons))


@component(DELETE)
async def delete(interaction: Interaction, *, campaign: int, newest: int) -> None:
    """Delete a campaign, unless it has gone on since the button was shown."""
    deleted = await interaction.client.database.write(deleting.delete, person(interaction), campaign, newest)
    deleting.note(deleted, "asked")
    lines = ["It's gone from my database. Backups made earlier keep it until they're replaced."]
    await redraw(interaction, receipt(f"{plain(deleted.name)} is deleted", lines))
