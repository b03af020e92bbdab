"""Entries about battles."""

from __future__ import annotations

from bot.cogs.battles.embed import entry_pages, sentence
from bot.core.entry_kinds import EntryKind

BATTLE_CHANGED = EntryKind("battle", "results", sentence, entry_pages)
