"""What lasts on units and characters."""

from __future__ import annotations

from bot.cogs.effects.actions import EFFECT_CHANGED
from bot.cogs.effects.cog import COMPONENTS, EffectCog
from bot.cogs.effects.embed import status
from bot.cogs.effects.facts import effects, to_answer, unanswered
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(EffectCog(),),
    entry_kinds=(EFFECT_CHANGED,),
    components=COMPONENTS,
    rolls=(RollExtension(facts=(effects,)),),
    questions=(unanswered,),
    status=status,
    todo=to_answer,
)
