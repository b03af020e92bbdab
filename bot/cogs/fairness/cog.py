"""`/verify`: whether a roll fell as it had to."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.fairness import panel
from bot.rolls.options import CampaignName
from bot.ui.commands import describe

Number = app_commands.Range[int, 1, 2**31 - 1]


@app_commands.command()
@app_commands.guild_only()
@describe(entry="The entry's number, such as 12", campaign="Another campaign. Default: this channel's")
async def verify(interaction: Interaction, entry: Number, campaign: CampaignName | None = None) -> None:
    """Check that a roll's dice were fixed before it."""
    await panel.verify(interaction, campaign, entry)
