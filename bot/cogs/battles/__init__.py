"""Battles with random events."""

from __future__ import annotations

from functools import partial

from bot.cogs.battles import next_steps
from bot.cogs.battles.buttons import starts
from bot.cogs.battles.cog import EventsCog
from bot.cogs.battles.embed import BATTLE_CHANGED
from bot.cogs.battles.panel import COMPONENTS
from bot.cogs.battles.transaction import BATTLES, BOOK
from bot.cogs.battles.units import keeps_effect, leaving, require_free
from bot.core.scene_entries import left
from bot.core.scenes import require_alone
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from bot.ui.scenes import unfinished

FEATURE = Feature(
    book=BOOK,
    commands=(EventsCog(),),
    components=(*COMPONENTS, *next_steps.COMPONENTS),
    modals=next_steps.MODALS,
    entry_kinds=(BATTLE_CHANGED,),
    unfinished=partial(unfinished, BATTLES, BOOK),
    renaming=require_free,
    removed=partial(left, BATTLES, leaving),
    keeps_effect=keeps_effect,
    rolls=(RollExtension(alongside=BOOK, next_steps=(starts,)),),
    scenes=(BATTLES.noun,),
    hanging=(BATTLES.hangs,),
    voidable=(require_alone,),
)
