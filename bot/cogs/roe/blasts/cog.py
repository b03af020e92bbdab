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

    @app_commands.command(extras={"family": BLAST})
    @describe(
        item="What explodes: a grenade, a launcher that the character has, or a zone",
        use="What is done with it",
        targets="Who stands in its radius, parted by commas; can be said anew when it explodes",
        primary="At whom it is aimed, of those: that one is attacked with accuracy",
        range="How far away it is thrown or lies, in metres",
        damage="What it does: 2d10+5, a type if not explosive, effects such as stun; 3 turns for a zone",
        character="Who does it; whoever has the turn unless named",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll="A card to tick and see the odds, or at once: so goes what throws no die",
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
        """Throw, hold, launch or set off an explosive: one die that all in the radius dodge; or lay a zone."""
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
