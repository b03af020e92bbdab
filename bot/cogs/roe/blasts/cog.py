"""`/roe blast`: explosives thrown, held, launched and set off, and zones."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.attacks.dodges import require_no_wait
from bot.cogs.roe.blasts.typed import BlastForm, command_of
from bot.cogs.roe.rolling import roll_as_picked
from bot.cogs.roe.waiting import AsksFirst
from bot.rolls.desk import channels
from bot.rolls.pending import panel
from bot.ui.form import fill_form
from bot.ui.reply import person


class Blasts(app_commands.Group):
    """Explosives."""

    @app_commands.command()
    @fill_form
    async def blast(self, interaction: Interaction, form: BlastForm) -> None:
        """Throw, hold, launch or set off an explosive, or lay a zone."""
        bot, who = interaction.client, person(interaction)
        command = await bot.database.read(command_of, bot.library, who, channels(interaction), form)
        if form.dice is None and form.roll == "now":
            try:
                await bot.database.read(require_no_wait, bot.library, who, command)
            except AsksFirst as first:
                await panel.make(interaction, first.ask, *first.asked)
                return
        await roll_as_picked(interaction, command, form.roll, form.dice, usual="card" if form.throws else "now")
