"""`/ping`: whether the bot is online, at which version, and how fast Discord answers it."""

from functools import cache
from importlib.metadata import version

from discord import app_commands

from bot.client import Interaction
from bot.feature import Feature
from bot.ui.reply import say


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """See whether Adjutant is online, its version and its delay."""
    delay = interaction.client.latency * 1000
    await say(interaction, content=f"Adjutant {_installed()} is online. Discord answers it in {delay:.0f} ms.")


@cache
def _installed() -> str:
    return version("adjutant")


FEATURE = Feature(commands=(ping,))
