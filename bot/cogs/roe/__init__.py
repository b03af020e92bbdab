"""RoE: fights in turns, and the rolls of its book."""

from functools import partial

from bot.cogs.roe import (
    blasts,
    captivity,
    cog,
    dodges,
    fight_changes,
    fight_entries,
    fight_messages,
    flights,
    reference,
    side_effects,
    turn_card,
    turn_change,
    turns,
)
from bot.cogs.roe.fight_view import BOOK, FIGHTS
from bot.core.scenes import require_alone, require_saved
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=BOOK,
    commands=(cog.FightCog(), cog.RoeCog()),
    components=(*cog.COMPONENTS, *turn_card.COMPONENTS, *blasts.COMPONENTS, *reference.COMPONENTS),
    modals=(*cog.MODALS, *blasts.MODALS),
    entry_kinds=(fight_entries.FIGHT_CHANGED,),
    todo=fight_messages.list_waiting_fights,
    removed=fight_changes.take_out_removed,
    after_removal=fight_changes.begin_after_removal,
    effect_set=side_effects.break_by_hand,
    rolls=(
        RollExtension(book=BOOK, families=(flights.FLEE, flights.CALL), follows=(flights.follow_up,)),
        RollExtension(
            book=BOOK,
            facts=(
                turns.find_mutual_effects,
                turns.find_turn_marks,
                turns.find_unseen,
                side_effects.find_vehicle_facts,
                captivity.find_aftermath_facts,
                side_effects.find_grenades_in_reach,
            ),
            bars=(turns.require_possible_act,),
            extra=(
                side_effects.throw_out,
                fight_messages.note_fight,
                side_effects.keep_quiet,
                side_effects.break_holds,
            ),
            messages=(
                side_effects.add_thrown_out_message,
                side_effects.add_broken_message,
                side_effects.add_noise_message,
            ),
            follows=(fight_changes.pass_turn_on,),
            next_steps=(fight_messages.offer_next_turn,),
            answering={**captivity.ANSWERING, **flights.INTERRUPTS, **dodges.DODGES},
        ),
    ),
    kind=FIGHTS,
    hanging=(captivity.find_hanging, turn_change.find_hanging_on_turns),
    voidable=(require_alone, partial(require_saved, FIGHTS)),
)
