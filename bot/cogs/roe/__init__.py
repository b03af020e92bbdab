"""RoE: fights in turns, and the rolls of its book."""

from __future__ import annotations

from functools import partial

from bot.cogs.roe import blasts, reference, turn_card, turn_picks
from bot.cogs.roe.captivity import ANSWERING, find_aftermath_facts, find_hanging
from bot.cogs.roe.cog import COMPONENTS, FightCog, RoeCog
from bot.cogs.roe.dodges import DODGED, DODGES, ask_dodges
from bot.cogs.roe.fight_changes import begin_after_removal, pass_turn_on, take_out_removed
from bot.cogs.roe.fight_entries import FIGHT_CHANGED
from bot.cogs.roe.fight_messages import list_waiting_fights, note_fight, offer_next_turn
from bot.cogs.roe.fight_view import BOOK, FIGHTS
from bot.cogs.roe.flights import CALL, FLEE, INTERRUPTS, follow_up
from bot.cogs.roe.side_effects import (
    break_by_hand,
    break_holds,
    find_grenades_in_reach,
    find_vehicle_facts,
    keep_quiet,
    tell_broken,
    tell_noise,
    tell_thrown_out,
    throw_out,
)
from bot.cogs.roe.turn_change import find_hanging_on_turns
from bot.cogs.roe.turns import find_mutual_effects, find_turn_marks, find_unseen, require_possible_act
from bot.core.scenes import require_alone, require_saved
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from bot.ui.scenes import list_paused

FEATURE = Feature(
    book=BOOK,
    commands=(FightCog(), RoeCog()),
    components=(*COMPONENTS, *turn_card.COMPONENTS, *turn_picks.COMPONENTS, *blasts.COMPONENTS, *reference.COMPONENTS),
    modals=(*turn_picks.MODALS, *blasts.MODALS),
    entry_kinds=(FIGHT_CHANGED,),
    todo=list_waiting_fights,
    unfinished=partial(list_paused, FIGHTS, BOOK),
    removed=take_out_removed,
    after_removal=begin_after_removal,
    effect_set=break_by_hand,
    rolls=(
        RollExtension(book=BOOK, families=(FLEE, CALL), follows=(follow_up,)),
        RollExtension(book=BOOK, families=tuple(DODGED), asks=(ask_dodges,)),
        RollExtension(
            book=BOOK,
            facts=(
                find_mutual_effects,
                find_turn_marks,
                find_unseen,
                find_vehicle_facts,
                find_aftermath_facts,
                find_grenades_in_reach,
            ),
            bars=(require_possible_act,),
            extra=(throw_out, note_fight, keep_quiet, break_holds),
            messages=(tell_thrown_out, tell_broken, tell_noise),
            follows=(pass_turn_on,),
            next_steps=(offer_next_turn,),
            answering={**ANSWERING, **INTERRUPTS, **DODGES},
        ),
    ),
    scenes=(FIGHTS.noun,),
    hanging=(FIGHTS.hangs, find_hanging, find_hanging_on_turns),
    voidable=(require_alone, partial(require_saved, FIGHTS)),
)
