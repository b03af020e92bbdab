"""`/roe check` and `/roe odds`: skill rolls, and what they and attacks will come to."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.checks.asked import CheckForm, command
from bot.cogs.roe.checks.odds import RoeOddsForm, foreseen
from bot.cogs.roe.rolling import roll_as_picked
from bot.rolls.desk import channels, desk_of
from bot.ui.form import fill_form
from bot.ui.reply import person, say


class Checks(app_commands.Group):
    """Skill rolls and odds."""

    @app_commands.command()
    @fill_form
    async def check(self, interaction: Interaction, form: CheckForm) -> None:
        """Make a skill roll against a number or other characters."""
        bot, where = interaction.client, channels(interaction)
        made = await bot.database.read(command, bot.library, person(interaction), where, form)
        await roll_as_picked(interaction, made, form.roll, form.dice)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: RoeOddsForm) -> None:
        """Show the exact odds of an attack or skill roll."""
        bot, where = interaction.client, channels(interaction)
        found = await bot.database.read(foreseen, desk_of(interaction).resolver, person(interaction), where, form)
        for page in found.pages():
            await say(interaction, embeds=page)
