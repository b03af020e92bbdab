"""`/roe act`: all else that is done in a turn, each an act of the book."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.acts.completions import ActForm
from bot.cogs.roe.acts.named import TypedAct
from bot.cogs.roe.acts.typed import command_of
from bot.cogs.roe.rolling import require_untyped, roll_as_picked
from bot.cogs.roe.waiting import AsksFirst
from bot.rolls.desk import channels
from bot.rolls.pending import panel
from bot.ui.form import fill_form
from bot.ui.reply import person


class Acts(app_commands.Group):
    """Acts of a turn."""

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: ActForm) -> None:
        """Move, take cover, reload, hide, grab and more in a turn."""
        bot, where = interaction.client, channels(interaction)
        typed = TypedAct(form.what, form.target, form.value, form.character, form.modifiers, form.note)
        try:
            command, throws = await bot.database.read(command_of, bot.library, person(interaction), where, typed)
        except AsksFirst as first:
            require_untyped(form.dice)
            await panel.make(interaction, first.ask, *first.asked)
        else:
            await roll_as_picked(interaction, command, form.roll, form.dice, usual="card" if throws else "now")
