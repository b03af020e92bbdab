"""`/interrogate`: a captive is interrogated, one roll however many interrogate."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice, Transform
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.captives.captive_cog import complete_captive
from bot.cogs.captives.panel import CaptivePanel
from bot.cogs.captives.queries import INTERROGATION
from bot.cogs.captives.rolls import BOOK, Attempts
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.ui.reply import person

FAMILY = (BOOK, INTERROGATION)
Modifiers = Transform[str, options.ModifiersCompleter(*FAMILY)]


class InterrogationCog(commands.Cog):
    """Interrogations."""

    def __init__(self, desk: RollDesk, panel: CaptivePanel, attempts: Attempts) -> None:
        self._desk = desk
        self._panel = panel
        self._attempts = attempts

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        captive="Who is interrogated, where the captive is held",
        interrogators="Who interrogate, parted by commas; one roll for all of them",
        **{name: options.SHARED[name] for name in ("modifiers", "note", "to", "roll")},
    )
    @app_commands.choices(to=options.TO, roll=options.ROLL)
    async def interrogate(
        self,
        interaction: Interaction,
        captive: str,
        interrogators: options.Names,
        modifiers: Modifiers | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll for the interrogation of a captive."""
        campaign = await self._desk.campaign(interaction)
        plan = await self._attempts.interrogation(person(interaction), campaign, captive, interrogators)
        where = (channels(interaction), FAMILY, plan.parts, plan.region, None)
        asked = RollCommand(*where, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @interrogate.autocomplete("captive")
    async def _captive(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await complete_captive(self._panel, interaction, current)
