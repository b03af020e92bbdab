"""`/detect`: hidden players against those who look for them, one roll for each pair."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels, split_parts
from bot.ui import parsing
from bot.ui.reply import Interaction

FAMILY = ("campaign", "detection")
MAX_SIDE = 25
NOBODY = {"nobody", "none", "-"}


class DetectionCog(commands.Cog):
    """Detection attempts."""

    def __init__(self, desk: RollDesk) -> None:
        self._desk = desk

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        detector="Who looks; several parted by commas",
        hidden="Who hides; several parted by commas, one roll for each pair; leave out when nobody hides",
        **options.SHARED,
    )
    @app_commands.choices(to=options.TO, roll=options.ROLL)
    async def detect(
        self,
        interaction: Interaction,
        detector: str,
        hidden: str | None = None,
        region: str | None = None,
        week: options.Week | None = None,
        modifiers: str | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll for hidden players against detecting ones, up to 25 pairs."""
        nobody = hidden is None or hidden.strip().casefold() in NOBODY
        hiders = [None] if nobody else parsing.names(hidden or "", "hidden player", MAX_SIDE)
        detectors = parsing.names(detector, "detector", MAX_SIDE)
        parsing.refuse_both(detectors, hiders)
        parts = split_parts(("detector", "hider"), detectors, hiders)
        asked = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @detect.autocomplete("detector")
    @detect.autocomplete("hidden")
    async def _names(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_names(self._desk, interaction, current)

    @detect.autocomplete("modifiers")
    async def _modifiers(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_modifiers(self._desk, interaction, FAMILY, current)

    @detect.autocomplete("region")
    async def _region(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_region(self._desk, interaction, current)
