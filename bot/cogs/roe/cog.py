"""`/roe`: rolls and acts of the book RoE, and what it says, put together of a module for each family of commands."""

from __future__ import annotations

from discord import app_commands

from bot.cogs.roe.acts.cog import Acts
from bot.cogs.roe.attacks.cog import Attacks
from bot.cogs.roe.checks.cog import Checks
from bot.cogs.roe.reference.cog import Reference


@app_commands.guild_only()
class RoeCog(
    Acts, Attacks, Checks, Reference, group_name="roe", group_description="Rolls, acts and lines of the book RoE"
):
    """All commands of `/roe`."""
