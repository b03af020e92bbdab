"""What lasts on units and characters."""

from __future__ import annotations

from bot.cogs.effects.cog import COMPONENTS, EffectCog
from bot.cogs.effects.entries import EFFECT_CHANGED
from bot.cogs.effects.facts import effects
from bot.cogs.effects.questions import to_answer, unanswered
from bot.cogs.effects.status import status
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
