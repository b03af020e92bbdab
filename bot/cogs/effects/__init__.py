"""Effects on units, characters and sides."""

from bot.cogs.effects.actions import COMPONENTS, EFFECT_CHANGED, EffectCog
from bot.cogs.effects.queries import effect_facts, find_unanswered, status, to_answer
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
