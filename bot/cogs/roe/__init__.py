"""RoE: fights in turns, and the rolls of its book; `/roe` is put together of a module for each family of commands."""

from __future__ import annotations

from functools import partial

from discord import app_commands

from bot.cogs.roe.acts import panel as turn_panel
from bot.cogs.roe.acts import turn_view
from bot.cogs.roe.acts.cog import Acts
from bot.cogs.roe.after.asking import ANSWERING
from bot.cogs.roe.after.cog import Afterwards
from bot.cogs.roe.after.facts import after_fights
from bot.cogs.roe.after.held import hangs
from bot.cogs.roe.attacks.cog import Attacks
from bot.cogs.roe.attacks.dodges import DODGED, DODGES, ask_dodges
from bot.cogs.roe.bars import require_turn
from bot.cogs.roe.blasts import panel as blasts
from bot.cogs.roe.blasts.cog import Blasts
from bot.cogs.roe.blasts.facts import reached
from bot.cogs.roe.checks.cog import Checks
from bot.cogs.roe.facts import about_others, done_in_turn, unseen
from bot.cogs.roe.fight_changes import begin_after_removal, pass_turn_on, take_out_removed
from bot.cogs.roe.fight_cog import COMPONENTS, FightCog
from bot.cogs.roe.fight_entries import FIGHT_CHANGED
from bot.cogs.roe.fight_messages import list_waiting_fights
from bot.cogs.roe.fight_view import BOOK, FIGHTS
from bot.cogs.roe.flights.answering import CALL, FLEE, INTERRUPTS
from bot.cogs.roe.flights.following import follow
from bot.cogs.roe.holds import break_by_hand, break_holds, tell_broken
from bot.cogs.roe.quiet import keeps_quiet, tell_noise
from bot.cogs.roe.reference import panel as reference
from bot.cogs.roe.reference.cog import Reference
from bot.cogs.roe.turn_change import find_hanging_on_turns
from bot.cogs.roe.vehicles import facts_of_vehicles, tell_thrown_out, throw_out
from bot.core.scenes import require_alone, require_saved
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from bot.ui.scenes import unfinished


@app_commands.guild_only()
class RoeCog(app_commands.Group, name="roe", description="Rolls, actions and rules of RoE"):
    """All commands of `/roe`."""

    def __init__(self) -> None:
        super().__init__()
        for family in (Reference(), Afterwards(), Checks(), Blasts(), Attacks(), Acts()):
            for command in family.commands:
                self.add_command(command)


FEATURE = Feature(
    book=BOOK,
    commands=(FightCog(), RoeCog()),
    components=(*COMPONENTS, *turn_view.COMPONENTS, *turn_panel.COMPONENTS, *blasts.COMPONENTS, *reference.COMPONENTS),
    modals=(*turn_panel.MODALS, *blasts.MODALS),
    entry_kinds=(FIGHT_CHANGED,),
    todo=list_waiting_fights,
    unfinished=partial(unfinished, FIGHTS, BOOK),
    removed=take_out_removed,
    after_removal=begin_after_removal,
    effect_set=break_by_hand,
    rolls=(
        RollExtension(book=BOOK, families=(FLEE, CALL), follows=(follow,)),
        RollExtension(book=BOOK, families=tuple(DODGED), asks=(ask_dodges,)),
        RollExtension(
            book=BOOK,
            facts=(about_others, done_in_turn, unseen, facts_of_vehicles, after_fights, reached),
            bars=(require_turn,),
            extra=(throw_out, turn_panel.of_fight, keeps_quiet, break_holds),
            messages=(tell_thrown_out, tell_broken, tell_noise),
            follows=(pass_turn_on,),
            next_steps=(turn_panel.next_turn,),
            answering={**ANSWERING, **INTERRUPTS, **DODGES},
        ),
    ),
    scenes=(FIGHTS.noun,),
    hanging=(FIGHTS.hangs, hangs, find_hanging_on_turns),
    voidable=(require_alone, partial(require_saved, FIGHTS)),
)
