"""`/ping`: whether the bot is there."""

from discord import app_commands

from bot.client import Interaction
from bot.feature import Feature


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """Ask whether Adjutant is there."""
    await interaction.response.send_message("Adjutant is online.", ephemeral=True)


FEATURE = Feature(commands=(ping,))
