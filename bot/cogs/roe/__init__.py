"""RoE: fights in turns, and the rolls of its book."""

from functools import partial

from bot.cogs.roe import (
    blasts,
    cog,
    facts,
    fight_messages,
    flights,
    lasting,
    reference,
    side_effects,
    turn_acts,
    turn_card,
    turn_choices,
    turn_spoils,
)
from bot.cogs.roe.aftermath import ANSWERING
from bot.cogs.roe.attacks import DODGES
from bot.cogs.roe.fight_changes import begin_after_removal, pass_turn_on
from bot.cogs.roe.fight_entries import FIGHT_CHANGED
from bot.cogs.roe.fight_view import BOOK, FIGHTS
from bot.core.profiles import UNIT_ENTRY
from bot.core.scenes import require_alone, require_saved
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=BOOK,
    commands=(cog.FightCog(), cog.RoeCog()),
    components=(
        *cog.COMPONENTS,
        *turn_card.COMPONENTS,
        *turn_choices.COMPONENTS,
        *turn_acts.COMPONENTS,
        *turn_spoils.list_components(cog.begin_spoil),
        *blasts.COMPONENTS,
        *reference.COMPONENTS,
    ),
    entry_kinds=(FIGHT_CHANGED,),
    todo=fight_messages.list_waiting_fights,
    removed=lasting.take_out_removed,
    effect_set=side_effects.break_by_hand,
    rolls=(
        RollExtension(kinds=(UNIT_ENTRY,), follows=(begin_after_removal,)),
        RollExtension(book=BOOK, families=(flights.FLEE, flights.CALL), follows=(flights.follow_up,)),
        RollExtension(
            book=BOOK,
            facts=(
                facts.find_turn_facts,
                facts.find_vehicle_facts,
                facts.find_aftermath_facts,
                facts.find_grenades_in_reach,
            ),
            bars=(facts.require_possible_act,),
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
            follows=(pass_turn_on,),
            next_steps=(fight_messages.offer_next_turn,),
            answering={**ANSWERING, **flights.INTERRUPTS, **DODGES},
        ),
    ),
    kind=FIGHTS,
    hanging=(lasting.find_hanging,),
    voidable=(require_alone, partial(require_saved, FIGHTS)),
)
