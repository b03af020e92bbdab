"""`/ping`: whether the bot is there."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.client import Interaction
from bot.feature import Feature


class PingCog(commands.Cog):
    """A sign of life."""

    @app_commands.command()
    async def ping(self, interaction: Interaction) -> None:
        """Ask whether Adjutant is there."""
        await interaction.response.send_message("Adjutant is online.", ephemeral=True)


FEATURE = Feature(cogs=(PingCog,))
setup = FEATURE.setup
