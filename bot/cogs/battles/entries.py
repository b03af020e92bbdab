"""Entries about battles."""

from __future__ import annotations

from bot.cogs.battles.embed import entry_pages, sentence
from bot.core.entry_kinds import Body, EntryKind, View


def _sentence(body: Body, _view: View) -> str:
    return sentence(body)


BATTLE_CHANGED = EntryKind("battle", "results", _sentence, entry_pages)
