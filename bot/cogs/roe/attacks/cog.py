"""`/roe attack`: an attack with one weapon or two, in a fight or out of it."""

from collections.abc import Sequence
from functools import partial

from discord import app_commands
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe.attacks import dodges
from bot.cogs.roe.attacks.pets import PET_ATTACK, TypedErrand, sent
from bot.cogs.roe.attacks.typed import AttackForm, command_of
from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.rolling import roll_as_picked
from bot.cogs.roe.waiting import AsksFirst
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls.desk import channels
from bot.rolls.pending import panel
from bot.rolls.request import RollCommand
from bot.rolls.requests import TypedRoll
from bot.ui.form import fill_form


class Attacks(app_commands.Group):
    """Attacks."""

    @app_commands.command()
    @fill_form
    async def attack(self, interaction: Interaction, form: AttackForm) -> None:
        """Attack: accuracy, dodge, damage and traits in one roll."""
        where = channels(interaction)
        at_once = form.dice is None and form.roll == "now"  # a card asks when it is rolled
        read = partial(_asked, where, form, at_once=at_once)
        try:
            await roll_as_picked(interaction, TypedRoll(where, read), form.roll, form.dice)
        except AsksFirst as first:
            await panel.make(interaction, first.ask, *first.asked)


def _asked(
    where: Sequence[int], form: AttackForm, tx: Connection, library: Library, by: Person, *, at_once: bool
) -> RollCommand:
    """Return the roll of an attack; raise `AsksFirst` where it waits for those who dodge it and would be rolled `at_once`."""
    command = _command(tx, library, by, where, form)
    if at_once:
        dodges.require_no_wait(tx, library, by, command)
    return command


def _command(tx: Connection, library: Library, by: Person, where: Sequence[int], form: AttackForm) -> RollCommand:
    """Return the roll of an attack: that of a pet, where one is named as the character."""
    errand = form.character and TypedErrand(form.character, form.target, form.range)
    pet = sent(tx, library, by, where, errand) if errand else None
    if pet is None:
        return command_of(tx, library, by, where, form)
    if form.weapon or form.second or form.fire:
        raise BadInput("A pet has its own attack and no weapons.", "Leave weapon, second and fire out.")
    return RollCommand(where, (BOOK, PET_ATTACK), [pet], modifiers=form.modifiers, note=form.note, here=None)
