"""Entries about saved units and characters."""

from __future__ import annotations

from bot.cogs.roster.embed import lines, sentence
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages


def _sentence(body: Body, _view: View) -> str:
    return sentence(body)


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Units and characters", lines(shown.entry.content()))


PROFILE_CHANGED = EntryKind("unit", "staff", _sentence, _pages)
