"""Entries about effects that were set or cleared by hand."""

from __future__ import annotations

from bot.cogs.effects.embed import entry_pages, sentence
from bot.core.entry_kinds import EntryKind

EFFECT_CHANGED = EntryKind("effect", "staff", sentence, entry_pages)
