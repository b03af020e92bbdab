"""`/roe act`: all else that is done in a turn, each an act of the book."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.acts.completions import ActModifiers, Others, Value, What
from bot.cogs.roe.acts.named import TypedAct
from bot.cogs.roe.acts.typed import command_of
from bot.cogs.roe.fights.waiting import AsksFirst
from bot.cogs.roe.rolling import DICE, require_untyped, roll_as_picked
from bot.rolls import options
from bot.rolls.desk import channels
from bot.rolls.pending import panel
from bot.ui.commands import describe
from bot.ui.reply import person


class Acts(app_commands.Group):
    """Acts of a turn."""

    @app_commands.command()
    @describe(
        what="The action. What you can do now comes first",
        target="The target, or who you call. Not needed for a hold or for all who could see you",
        value="A weapon or metres. For a call: a channel, near base or comlink CPD",
        character="Who acts. Default: who has the turn",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll="Open a card with the odds, or roll now. No card without dice",
        dice=DICE,
    )
    @app_commands.choices(roll=options.ROLL)
    async def act(
        self,
        interaction: Interaction,
        what: What,
        target: Others | None = None,
        value: Value | None = None,
        character: options.Name | None = None,
        modifiers: ActModifiers | None = None,
        note: str | None = None,
        roll: str | None = None,
        dice: str | None = None,
    ) -> None:
        """Move, take cover, reload, hide, grab and more in a turn."""
        bot, where = interaction.client, channels(interaction)
        typed = TypedAct(what, target, value, character, modifiers, note)
        try:
            command, throws = await bot.database.read(command_of, bot.library, person(interaction), where, typed)
        except AsksFirst as first:
            require_untyped(dice)
            await panel.make(interaction, first.ask, *first.asked)
        else:
            await roll_as_picked(interaction, command, roll, dice, usual="card" if throws else "now")
