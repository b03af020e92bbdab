"""`/scout`: characters who scout a base, one roll for each."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.feature import Feature
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels, split_parts
from bot.rolls.extension import RollExtension
from bot.ui import parsing
from bot.ui.reply import Interaction
from rules.books.campaign.scouting import CONSEQUENCES

FAMILY = ("campaign", "scouting")
MAX_SCOUTERS = 10


class ScoutingCog(commands.Cog):
    """Scouting attempts."""

    def __init__(self, desk: RollDesk) -> None:
        self._desk = desk

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        scouter="Who scouts; several parted by commas, one roll for each",
        base="The base that is scouted",
        **options.SHARED,
    )
    @app_commands.choices(to=options.TO, roll=options.ROLL)
    async def scout(
        self,
        interaction: Interaction,
        scouter: str,
        base: str,
        region: str | None = None,
        week: options.Week | None = None,
        modifiers: str | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll for up to ten characters who scout a base."""
        scouters = parsing.names(scouter, "scouter", MAX_SCOUTERS)
        parts = split_parts(("scouter", "base"), scouters, parsing.names(base, "base", 1))
        asked = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @scout.autocomplete("base")
    async def _base(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_name(self._desk, interaction, current)

    @scout.autocomplete("scouter")
    async def _names(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_names(self._desk, interaction, current)

    @scout.autocomplete("modifiers")
    async def _modifiers(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_modifiers(self._desk, interaction, FAMILY, current)

    @scout.autocomplete("region")
    async def _region(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_region(self._desk, interaction, current)


FEATURE = Feature(rolls=RollExtension(consequences=CONSEQUENCES))
setup = FEATURE.setup
