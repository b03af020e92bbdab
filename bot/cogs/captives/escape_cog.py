"""`/escape`: captives who try to escape; players declare it, game masters roll all that is declared together."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Transform
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.captives import panel
from bot.cogs.captives.options import Captives
from bot.rolls import options

Modifiers = Transform[str, options.ModifiersCompleter(*panel.FAMILY)]


class EscapeCog(commands.Cog):
    """Escapes."""

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        captive="Who tries, parted by commas; game masters: all who have declared it when left out",
        **{name: options.SHARED[name] for name in ("region", "week", "modifiers", "note", "roll")},
    )
    @app_commands.choices(roll=options.ROLL)
    async def escape(
        self,
        interaction: Interaction,
        captive: Captives | None = None,
        region: options.Region | None = None,
        week: options.Week | None = None,
        modifiers: Modifiers | None = None,
        note: str | None = None,
        roll: str = "card",
    ) -> None:
        """Declare the escape of a captive character of yours, or roll for captives who try together."""
        command = panel.EscapeCommand(captive, region, week, modifiers, note, at_once=roll == "now")
        await panel.escape(interaction, command)
