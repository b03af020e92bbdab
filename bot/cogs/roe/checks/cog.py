"""`/roe check`: skill rolls, alone and against others."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Range
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.roe.checks.asked import Asked, command
from bot.cogs.roe.checks.completers import Mine, Modifiers, SkillName
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.ui.reply import person

Target = Range[int, 1, 200]
Circumstances = Range[int, -100, 100]


class Checks(commands.GroupCog):
    """Skill rolls."""

    @app_commands.command()
    @app_commands.describe(
        skill="A skill of the book, or any other word",
        character="Who rolls: one of yours; whoever has the turn here, or your only one, when left out",
        against="Saved characters parted by commas, who roll against it; a game master rolls for any other name",
        target="The number to reach; 50 when left out",
        modifiers=options.SHARED["modifiers"],
        gm="What the circumstances add or take, at most 5 (game masters)",
        note=options.SHARED["note"],
        to=options.SHARED["to"],
        roll=options.SHARED["roll"],
    )
    @app_commands.choices(roll=options.ROLL)
    async def check(
        self,
        interaction: Interaction,
        skill: SkillName,
        character: Mine | None = None,
        against: options.Names | None = None,
        target: Target | None = None,
        modifiers: Modifiers | None = None,
        gm: Circumstances | None = None,
        note: str | None = None,
        to: options.To = "auto",
        roll: str = "card",
    ) -> None:
        """Make a skill roll: against a number, or against others who roll too."""
        bot, where = interaction.client, channels(interaction)
        asked = Asked(skill, character, against, target, modifiers, gm, note, to)
        made = await bot.database.read(command, bot.library, person(interaction), where, asked)
        await begin(interaction, made, at_once=roll == "now")
