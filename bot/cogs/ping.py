"""`/ping`: whether the bot is online, at which version, and how fast Discord answers it."""

from functools import cache
from importlib.metadata import version
from math import isfinite

from discord import app_commands

from bot.client import Interaction
from bot.kernel import Feature
from bot.ui.reply import say


@app_commands.command()
async def ping(interaction: Interaction) -> None:
    """Check that Adjutant is online, its version and delay."""
    delay = interaction.client.latency * 1000
    known = isfinite(delay)  # not before Discord has answered the first heartbeat
    answers = f" Response time: {delay:.0f} ms." if known else ""
    await say(interaction, content=f"Adjutant {_installed()} is online.{answers}")


@cache
def _installed() -> str:
    return version("adjutant")


FEATURE = Feature(commands=(ping,))
