"""`/complications`: what goes wrong in a battle, one roll for each side."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.cogs.complications.sides import sides_of
from bot.core.profiles import UNIT_KINDS
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.ui.parsing import MAX_CHOICE
from bot.ui.reply import Interaction

FAMILY = ("campaign", "complications")


class ComplicationsCog(commands.Cog):
    """Unexpected complications."""

    def __init__(self, desk: RollDesk) -> None:
        self._desk = desk

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        battle="The battle, by any name",
        sides="Its sides, parted by commas; one roll for each: Zeon, EF",
        defender="Which of the sides defends a base",
        base="The base that it defends; its damage counts for that side alone",
        **options.SHARED,
    )
    @app_commands.choices(to=options.TO, roll=options.ROLL)
    async def complications(
        self,
        interaction: Interaction,
        battle: str,
        sides: str,
        defender: str | None = None,
        base: str | None = None,
        region: str | None = None,
        week: options.Week | None = None,
        modifiers: str | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll for unexpected complications, for up to ten sides of a battle."""
        parts = sides_of(battle, sides, defender, base)
        asked = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @complications.autocomplete("sides")
    async def _sides(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_names(self._desk, interaction, current)

    @complications.autocomplete("defender")
    async def _defender(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        named = str(getattr(interaction.namespace, "sides", "") or "").split(",")
        wanted = current.strip().casefold()
        sides = [name for name in map(str.strip, named) if name and len(name) <= MAX_CHOICE]
        return options.offered([(name, name) for name in sides if wanted in name.casefold()])

    @complications.autocomplete("base")
    async def _base(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_name(self._desk, interaction, current, UNIT_KINDS)

    @complications.autocomplete("modifiers")
    async def _modifiers(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_modifiers(self._desk, interaction, FAMILY, current)

    @complications.autocomplete("region")
    async def _region(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_region(self._desk, interaction, current)
