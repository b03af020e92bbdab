"""`/roe attack`: an attack with one weapon or two, in a fight or out of it."""

from collections.abc import Sequence
from functools import partial

from discord import app_commands
from discord.app_commands import Range, Transform
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe.attacks import ATTACK, dodges
from bot.cogs.roe.attacks.completions import ArmName, Fire, Targets
from bot.cogs.roe.attacks.pets import PET_ATTACK, TypedErrand, sent
from bot.cogs.roe.attacks.typed import TypedAttack, command_of
from bot.cogs.roe.fights.looking import BOOK
from bot.cogs.roe.fights.waiting import AsksFirst
from bot.cogs.roe.rolling import DICE, roll_as_picked
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls import options
from bot.rolls.desk import channels
from bot.rolls.options import ModifiersCompleter
from bot.rolls.pending import panel
from bot.rolls.request import RollCommand
from bot.rolls.requests import TypedRoll
from bot.ui.commands import describe

Modifiers = Transform[str, ModifiersCompleter(BOOK, ATTACK)]
Metres = Range[float, 0, 10000]


class Attacks(app_commands.Group):
    """Attacks."""

    @app_commands.command()
    @describe(
        target="The target. After commas: who is next to it, in the line of fire or hit too",
        weapon="The weapon. Default: the character's first",
        second="A second weapon, used at the same time",
        fire="Mode of fire: single, auto, suppress, throw, or sneak for a sneak attack",
        range="Distance in metres. Default: 10, or 1 in melee",
        character="Who attacks, or a pet. Default: who has the turn",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll=options.SHARED["roll"],
        dice=DICE,
    )
    @app_commands.choices(roll=options.ROLL)
    async def attack(
        self,
        interaction: Interaction,
        target: Targets,
        weapon: ArmName | None = None,
        second: ArmName | None = None,
        fire: Fire | None = None,
        range: Metres | None = None,  # noqa: A002 - what people read
        character: options.Name | None = None,
        modifiers: Modifiers | None = None,
        note: str | None = None,
        roll: str | None = None,
        dice: str | None = None,
    ) -> None:
        """Attack: accuracy, dodge, damage and traits in one roll."""
        where = channels(interaction)
        typed = TypedAttack(target, weapon, second, fire, range, character, modifiers, note)
        card = dice is None and roll != "now"  # which asks when it is rolled
        read = partial(_asked, where, typed, at_once=dice is None and not card)
        try:
            await roll_as_picked(interaction, TypedRoll(where, read), roll, dice)
        except AsksFirst as first:
            await panel.make(interaction, first.ask, *first.asked)


def _asked(
    where: Sequence[int], typed: TypedAttack, tx: Connection, library: Library, by: Person, *, at_once: bool
) -> RollCommand:
    """Return the roll of an attack; raise `AsksFirst` where it waits for those who dodge it and would be rolled `at_once`."""
    command = _command(tx, library, by, where, typed)
    if at_once:
        dodges.require_no_wait(tx, library, by, command)
    return command


def _command(tx: Connection, library: Library, by: Person, where: Sequence[int], typed: TypedAttack) -> RollCommand:
    """Return the roll of an attack: that of a pet, where one is named as the character."""
    errand = typed.character and TypedErrand(typed.character, typed.target, typed.metres)
    pet = sent(tx, library, by, where, errand) if errand else None
    if pet is None:
        return command_of(tx, library, by, where, typed)
    if typed.weapon or typed.second or typed.fire:
        raise BadInput("A pet has its own attack and no weapons.", "Leave weapon, second and fire out.")
    return RollCommand(where, (BOOK, PET_ATTACK), [pet], modifiers=typed.modifiers, note=typed.note, here=None)
