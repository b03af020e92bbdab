"""Battles with random events."""

from __future__ import annotations

from bot.cogs.battles.entries import BATTLE_CHANGED
from bot.cogs.battles.unfinished import unfinished_battles
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(BATTLE_CHANGED,), unfinished=unfinished_battles)

setup = FEATURE.setup
