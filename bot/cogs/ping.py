"""`/ping`: whether the bot is there."""

from discord import app_commands

from bot.client import Interaction
from bot.feature import Feature
from bot.ui.reply import say


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """Ask whether Adjutant is there."""
    await say(interaction, content="Adjutant is online.")


FEATURE = Feature(commands=(ping,))
