"""`/roe take`, `/roe capture` and `/roe wounds`: what comes after a fight."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.after import asking, show, typed
from bot.cogs.roe.after.typed import CaptureForm, TakeForm, WoundsForm
from bot.cogs.roe.rolling import roll_as_picked
from bot.rolls.answers import begin
from bot.rolls.desk import channels, desk_of
from bot.rolls.pending.panel import make
from bot.ui.form import fill_form
from bot.ui.reply import person, say


class Afterwards(app_commands.Group):
    """What comes after a fight."""

    @app_commands.command()
    @fill_form
    async def take(self, interaction: Interaction, form: TakeForm) -> None:
        """Loot, steal, search or operate, all in one roll."""
        bot = interaction.client
        command = await bot.database.read(typed.take, bot.library, person(interaction), channels(interaction), form)
        await roll_as_picked(interaction, command, form.roll, form.dice)

    @app_commands.command()
    @fill_form
    async def capture(self, interaction: Interaction, form: CaptureForm) -> None:
        """Detain, cuff, pick a lock, escape or release a captive."""
        bot, who, where = interaction.client, person(interaction), channels(interaction)
        leads = who.leads(await desk_of(interaction).campaign(interaction))
        command = await bot.database.read(typed.capture, bot.library, who, where, form)
        if typed.needs_yes(form) and not leads:
            await make(interaction, asking.ask, command, form.how)
        else:
            await roll_as_picked(interaction, command, form.roll, form.dice)

    @app_commands.command()
    @fill_form
    async def wounds(self, interaction: Interaction, form: WoundsForm) -> None:
        """Show or treat wounds, or pay the hospital."""
        bot, who, where = interaction.client, person(interaction), channels(interaction)
        if form.how == "show":
            await say(interaction, embed=await bot.database.read(show.shown, bot.library, who, where, form.character))
            return
        command = await bot.database.read(typed.recovery, bot.library, who, where, form)
        await begin(interaction, command, at_once=True)
