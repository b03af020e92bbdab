"""Entries about fights."""

from __future__ import annotations

from collections.abc import Sequence

from bot.cogs.roe.fights.embed import entry_pages, sentence
from bot.core.entry_kinds import Body, EntryKind


def _audience(body: Body, _before: Sequence[str]) -> str:
    """Return whose an entry is: everybody's, or where it is about somebody secret the staff's, and its maker's for one of their own."""
    audience: str = body.get("audience", "results")
    return audience


FIGHT_CHANGED = EntryKind("fight", _audience, sentence, entry_pages)
