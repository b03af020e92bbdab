"""Battles with random events."""

from __future__ import annotations

from bot.cogs.battles.entries import BATTLE_CHANGED
from bot.cogs.battles.rename import rename
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(BATTLE_CHANGED,), renamed=rename)

setup = FEATURE.setup
