"""Battles with random events."""

from functools import partial

from bot.cogs.battles import next_steps
from bot.cogs.battles.cog import EventsCog
from bot.cogs.battles.embed import start_buttons
from bot.cogs.battles.entries import BATTLE_CHANGED, BATTLES, BOOK
from bot.cogs.battles.panel import COMPONENTS
from bot.cogs.battles.units import list_leaving, require_free, why_effect_kept
from bot.core.scene_entries import leave_scenes
from bot.core.scenes import require_alone
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=BOOK,
    commands=(EventsCog(),),
    components=(*COMPONENTS, *next_steps.COMPONENTS),
    modals=next_steps.MODALS,
    entry_kinds=(BATTLE_CHANGED,),
    renaming=require_free,
    removed=partial(leave_scenes, BATTLES, list_leaving),
    keeps_effect=why_effect_kept,
    rolls=(RollExtension(alongside=BOOK, next_steps=(start_buttons,)),),
    kind=BATTLES,
    voidable=(require_alone,),
)
