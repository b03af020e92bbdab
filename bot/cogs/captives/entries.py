"""Entries about captives."""

from __future__ import annotations

from bot.cogs.captives.embed import entry_pages, sentence
from bot.core.entry_kinds import EntryKind

CAPTIVE_CHANGED = EntryKind("captive", "staff", sentence, entry_pages)
ESCAPE_DECLARED = EntryKind("escape", "maker", sentence, entry_pages)
"""Escapes that players declared before these became orders; still older ones are of the kind `captive`."""
