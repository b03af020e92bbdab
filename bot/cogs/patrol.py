"""`/patrol`: a patrol or blockade against whatever moves through its sector."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.feature import Feature
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.rolls.extension import RollExtension
from bot.rolls.parsing import parse_targets
from bot.rolls.request import PartRequest
from bot.ui import parsing
from bot.ui.reply import Interaction
from rules.books.campaign.patrol import CONSEQUENCES, STANCE

FAMILY = ("campaign", "patrol")
MAX_TARGETS = 10
STANCES = [Choice(name=stance, value=stance) for stance in STANCE.options]


class PatrolCog(commands.Cog):
    """Patrols and blockades."""

    def __init__(self, desk: RollDesk) -> None:
        self._desk = desk

    @app_commands.command()
    @app_commands.guild_only()
    @app_commands.describe(
        patrol="Who patrols or blockades",
        target="Who moves through, in order of priority: Grey Ghost:neutral, Zaku column",
        stance="Stance of targets without their own; hostile unless picked",
        **options.SHARED,
    )
    @app_commands.choices(stance=STANCES, to=options.TO, roll=options.ROLL)
    async def patrol(
        self,
        interaction: Interaction,
        patrol: str,
        target: str,
        stance: str | None = None,
        region: str | None = None,
        week: options.Week | None = None,
        modifiers: str | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll for a patrol or blockade against up to ten targets."""
        (name,) = parsing.names(patrol, "patrol", 1)
        targets = parse_targets(target, STANCE, stance, MAX_TARGETS)
        parsing.refuse_both((name,), [who for who, _ in targets])
        parts = [
            PartRequest(subjects={"patrol": name, "target": who}, choices={STANCE.id: how}) for who, how in targets
        ]
        asked = RollCommand(channels(interaction), FAMILY, parts, region, week, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @patrol.autocomplete("patrol")
    async def _patrol(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_name(self._desk, interaction, current)

    @patrol.autocomplete("target")
    async def _names(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_names(self._desk, interaction, current)

    @patrol.autocomplete("modifiers")
    async def _modifiers(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_modifiers(self._desk, interaction, FAMILY, current)

    @patrol.autocomplete("region")
    async def _region(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await options.complete_region(self._desk, interaction, current)


FEATURE = Feature(rolls=RollExtension(consequences=CONSEQUENCES))
setup = FEATURE.setup
