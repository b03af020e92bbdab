"""`/roe blast`: explosives thrown, held, launched and set off, and zones."""

from discord import app_commands
from discord.app_commands import Choice, Range, Transform

from bot.client import Interaction
from bot.cogs.roe.attacks.dodges import require_no_wait
from bot.cogs.roe.blasts import BLAST, USES
from bot.cogs.roe.blasts.completions import InRadius, Item
from bot.cogs.roe.blasts.typed import TypedBlast, command_of
from bot.cogs.roe.fights.looking import BOOK
from bot.cogs.roe.fights.waiting import AsksFirst
from bot.cogs.roe.rolling import DICE, roll_as_picked
from bot.rolls import options
from bot.rolls.desk import channels
from bot.rolls.options import ModifiersCompleter
from bot.rolls.pending import panel
from bot.ui.commands import describe
from bot.ui.reply import person

Modifiers = Transform[str, ModifiersCompleter(BOOK, BLAST)]
Metres = Range[float, 0, 10000]
ItemName = Transform[str, Item()]
Targets = Transform[str, InRadius()]


class Blasts(app_commands.Group):
    """Explosives."""

    @app_commands.command()
    @describe(
        item="A grenade, one of the character's launchers, or a zone",
        use="What to do with it",
        targets="Who is in the radius, separated by commas. You can change it before it explodes",
        primary="The target you aim at, which is attacked with accuracy",
        range="Distance in metres",
        damage="Damage, type and effects: 2d10+5, stun. For a zone also: 3 turns",
        character="Who acts. Default: who has the turn",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll="Open a card with the odds, or roll now. No card without dice",
        dice=DICE,
    )
    @app_commands.choices(use=[Choice(name=label, value=use) for use, label in USES.items()], roll=options.ROLL)
    async def blast(
        self,
        interaction: Interaction,
        item: ItemName,
        use: str,
        targets: Targets | None = None,
        primary: Targets | None = None,
        range: Metres | None = None,  # noqa: A002 - what people read
        damage: str | None = None,
        character: options.Name | None = None,
        modifiers: Modifiers | None = None,
        note: str | None = None,
        roll: str | None = None,
        dice: str | None = None,
    ) -> None:
        """Throw, hold, launch or set off an explosive, or lay a zone."""
        bot, where = interaction.client, channels(interaction)
        typed = TypedBlast(item, use, targets, primary, range, damage, character, modifiers, note)
        command = await bot.database.read(command_of, bot.library, person(interaction), where, typed)
        if dice is None and roll == "now":
            try:
                await bot.database.read(require_no_wait, bot.library, person(interaction), command)
            except AsksFirst as first:
                await panel.make(interaction, first.ask, *first.asked)
                return
        await roll_as_picked(interaction, command, roll, dice, usual="card" if typed.dice else "now")
