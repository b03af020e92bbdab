"""`/roe`: rolls, actions and rules of RoE."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

from discord import app_commands
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.roe.act_commands import ActForm, read_act
from bot.cogs.roe.acts import TypedTurnAct
from bot.cogs.roe.aftermath import (
    CaptureForm,
    TakeForm,
    WoundsForm,
    needs_consent,
    read_capture,
    read_recovery,
    read_take,
)
from bot.cogs.roe.attack_commands import AttackForm, read_attack
from bot.cogs.roe.blasts import BlastForm, read_blast
from bot.cogs.roe.captivity import ask_consent, show_wounds
from bot.cogs.roe.checks import CheckForm, read_check
from bot.cogs.roe.odds import RoeOddsForm, find_odds
from bot.cogs.roe.options import RolledForm
from bot.cogs.roe.reference import complete_topic, look_up
from bot.cogs.roe.waiting import UnaskedQuestion
from bot.errors import BadInput
from bot.rolls.answers import begin
from bot.rolls.desk import TypedRoll, channels, desk_of
from bot.rolls.dice import read_faces
from bot.rolls.options import Completed
from bot.rolls.pending.panel import make
from bot.rolls.request import RollCommand
from bot.ui.form import describe, fill_form
from bot.ui.reply import person, say

Topic = Annotated[str, Completed(complete_topic)]


SIDES = 100
"""Of which die typed faces are that stand before the first die: what checks are rolled with."""


async def roll_as_typed(
    interaction: Interaction, read: Callable[..., RollCommand], form: RolledForm, *, at_once: bool = False
) -> None:
    """Answer a form, read in the transaction that rolls it, as `roll_as_picked` does; others are asked first where it says so."""
    where = channels(interaction)
    try:
        typed = TypedRoll(where, partial(read, channels=where, typed=form))
        await roll_as_picked(interaction, typed, form.roll, form.dice, at_once=at_once)
    except UnaskedQuestion as first:
        await ask_first(interaction, first, form.dice)


async def roll_as_picked(
    interaction: Interaction,
    command: RollCommand | TypedRoll,
    roll: str | None,
    dice: str | None,
    *,
    at_once: bool = False,
) -> None:
    """Answer a command by a card or at once: as picked, or else `at_once`; with typed `dice` at once."""
    faces = None if dice is None else read_faces(dice, SIDES)
    at_once = roll == "now" if roll else at_once or faces is not None
    await begin(interaction, replace(command, faces=faces), at_once=at_once)


async def ask_first(interaction: Interaction, first: UnaskedQuestion, dice: str | None) -> None:
    """Ask those whose answers a roll waits for; refuse typed dice."""
    if dice is not None:
        raise BadInput("This waits for answers before any dice are rolled.", "Leave the dice out.")
    await make(interaction, first.ask, *first.asked)


@app_commands.guild_only()
class RoeCog(app_commands.Group, name="roe", description="Rolls, actions and rules of RoE"):
    """All commands of `/roe`."""

    @app_commands.command()
    @describe(what="A racial option, weapon token, trait, stance, vehicle, action, effect or number")
    async def rules(self, interaction: Interaction, what: Topic) -> None:
        """Look up any line of RoE as this campaign plays it."""
        await look_up(interaction, what)

    @app_commands.command()
    @fill_form
    async def take(self, interaction: Interaction, form: TakeForm) -> None:
        """Loot, steal, search or operate, all in one roll."""
        await roll_as_typed(interaction, read_take, form)

    @app_commands.command()
    @fill_form
    async def capture(self, interaction: Interaction, form: CaptureForm) -> None:
        """Detain, cuff, pick a lock, escape or release a captive."""
        bot, who, where = interaction.client, person(interaction), channels(interaction)
        leads = who.leads(await desk_of(interaction).campaign(interaction))
        command = await bot.database.read(read_capture, bot.library, who, where, form)
        if needs_consent(form) and not leads:
            await make(interaction, ask_consent, command, form.how)
        else:
            await roll_as_picked(interaction, command, form.roll, form.dice)

    @app_commands.command()
    @fill_form
    async def wounds(self, interaction: Interaction, form: WoundsForm) -> None:
        """Show or treat wounds, or pay the hospital."""
        bot, who, where = interaction.client, person(interaction), channels(interaction)
        if form.how == "show":
            await say(interaction, embed=await bot.database.read(show_wounds, bot.library, who, where, form.character))
            return
        command = await bot.database.read(read_recovery, bot.library, who, where, form)
        await begin(interaction, command, at_once=True)

    @app_commands.command()
    @fill_form
    async def check(self, interaction: Interaction, form: CheckForm) -> None:
        """Make a skill roll against a number or other characters."""
        await roll_as_typed(interaction, read_check, form)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: RoeOddsForm) -> None:
        """Show the exact odds of an attack or skill roll."""
        bot, where = interaction.client, channels(interaction)
        for page in await bot.database.read(find_odds, bot.resolver, person(interaction), where, form):
            await say(interaction, embeds=page)

    @app_commands.command()
    @fill_form
    async def blast(self, interaction: Interaction, form: BlastForm) -> None:
        """Throw, hold, launch or set off an explosive, or lay a zone."""
        await roll_as_typed(interaction, read_blast, form, at_once=not form.throws)

    @app_commands.command()
    @fill_form
    async def attack(self, interaction: Interaction, form: AttackForm) -> None:
        """Attack: accuracy, dodge, damage and traits in one roll."""
        await roll_as_typed(interaction, read_attack, form)

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: ActForm) -> None:
        """Move, take cover, reload, hide, grab and more in a turn."""
        bot, where = interaction.client, channels(interaction)
        typed = TypedTurnAct(form.what, form.target, form.value, form.character, form.modifiers, form.note)
        try:
            command, throws = await bot.database.read(read_act, bot.library, person(interaction), where, typed)
        except UnaskedQuestion as first:
            await ask_first(interaction, first, form.dice)
        else:
            await roll_as_picked(interaction, command, form.roll, form.dice, at_once=not throws)
