"""`/escape`: captives who try to escape; players declare it, game masters roll all that is declared together."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice, Transform
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.captives.captive_cog import complete_captive
from bot.cogs.captives.panel import FAMILY, CaptivePanel, EscapeCommand
from bot.rolls import options
from bot.rolls.desk import RollDesk

Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]


class EscapeCog(commands.Cog):
    """Escapes."""

    def __init__(self, desk: RollDesk, panel: CaptivePanel) -> None:
        self._desk = desk
        self._panel = panel

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        captive="Who tries, parted by commas; game masters: all who have declared it when left out",
        **{name: options.SHARED[name] for name in ("modifiers", "note", "roll")},
    )
    @app_commands.choices(roll=options.ROLL)
    async def escape(
        self,
        interaction: Interaction,
        captive: str | None = None,
        modifiers: Modifiers | None = None,
        note: str | None = None,
        roll: str = "card",
    ) -> None:
        """Declare the escape of a captive character of yours, or roll for captives who try together."""
        await self._panel.escape(interaction, EscapeCommand(captive, modifiers, note, at_once=roll == "now"))

    @escape.autocomplete("captive")
    async def _captive(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await complete_captive(self._panel, interaction, current)
