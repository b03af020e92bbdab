"""What lasts on units and characters."""

from __future__ import annotations

from bot.cogs.effects.actions import EFFECT_CHANGED
from bot.cogs.effects.cog import COMPONENTS, EffectCog
from bot.cogs.effects.facts import effect_facts, find_unanswered, to_answer
from bot.cogs.effects.queries import status
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(EffectCog(),),
    entry_kinds=(EFFECT_CHANGED,),
    components=COMPONENTS,
    rolls=(RollExtension(facts=(effect_facts,)),),
    questions=(find_unanswered,),
    status=status,
    todo=to_answer,
)
