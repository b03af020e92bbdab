"""Battles with random events."""

from __future__ import annotations

from bot.cogs.battles import next_steps
from bot.cogs.battles.buttons import starts
from bot.cogs.battles.cog import EventsCog
from bot.cogs.battles.entries import BATTLE_CHANGED
from bot.cogs.battles.panel import COMPONENTS
from bot.cogs.battles.rosters import keeps_effect, leave_battles, require_free
from bot.cogs.battles.service import unfinished
from bot.cogs.battles.transaction import BATTLES
from bot.core.scenes import require_alone
from bot.feature import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book="battlesystem",
    cogs=(EventsCog,),
    components=(*COMPONENTS, *next_steps.COMPONENTS),
    modals=next_steps.MODALS,
    entry_kinds=(BATTLE_CHANGED,),
    unfinished=unfinished,
    renaming=require_free,
    removed=leave_battles,
    keeps_effect=keeps_effect,
    rolls=RollExtension(hanging=(BATTLES.hangs,), voidable=(require_alone,), next_steps=(starts,)),
)

setup = FEATURE.setup
