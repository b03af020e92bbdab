"""`/verify`: whether a roll fell as it had to."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.fairness import panel
from bot.rolls.options import CampaignName
from bot.ui.commands import describe

Number = app_commands.Range[int, 1, 2**31 - 1]


@app_commands.command()
@app_commands.guild_only()
@describe(entry="The number of the entry", campaign="Another campaign of this server; this channel's when left out")
async def verify(interaction: Interaction, entry: Number, campaign: CampaignName | None = None) -> None:
    """Check that a roll's dice were settled before it, and get a file to check it yourself."""
    await panel.verify(interaction, campaign, entry)
