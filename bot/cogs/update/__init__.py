"""The game's day or week."""

from __future__ import annotations

from bot.cogs.update.entries import UPDATE_CLOSED
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(UPDATE_CLOSED,))

setup = FEATURE.setup
