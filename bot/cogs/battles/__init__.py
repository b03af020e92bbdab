"""Battles with random events."""

from __future__ import annotations

from bot.cogs.battles.effects import keeps_effect
from bot.cogs.battles.entries import BATTLE_CHANGED
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(BATTLE_CHANGED,), keeps_effect=keeps_effect)

setup = FEATURE.setup
