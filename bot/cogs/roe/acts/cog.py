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
        what="What is done: what is possible now comes first",
        target="To whom, or who is called; who is held or holds, and all who could see it, without being named",
        value="What it takes besides: a weapon's name, metres; of a call a channel, near base, or comlink CPD",
        character="Who does it; whoever has the turn unless named",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll="A card to tick and see the odds, or at once: so goes what throws no die",
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
        """Do something else in a turn: move, take cover, reload, hide, grab and more, by the book."""
        bot, where = interaction.client, channels(interaction)
        typed = TypedAct(what, target, value, character, modifiers, note)
        try:
            command, throws = await bot.database.read(command_of, bot.library, person(interaction), where, typed)
        except AsksFirst as first:
            require_untyped(dice)
            await panel.make(interaction, first.ask, *first.asked)
        else:
            await roll_as_picked(interaction, command, roll, dice, usual="card" if throws else "now")
