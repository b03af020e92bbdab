"""What lasts on units and characters."""

from __future__ import annotations

from bot.cogs.effects.cog import EffectCog
from bot.cogs.effects.entries import EFFECT_CHANGED
from bot.cogs.effects.facts import effects
from bot.cogs.effects.status import status
from bot.cogs.effects.update import lasting_effects
from bot.feature import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(EffectCog(),),
    entry_kinds=(EFFECT_CHANGED,),
    rolls=RollExtension(facts=(effects,)),
    status=status,
    lasting=lasting_effects,
)
