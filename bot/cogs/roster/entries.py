"""Entries about saved units and characters."""

from __future__ import annotations

from typing import cast

from bot.cogs.roster.bodies import RosterBody
from bot.cogs.roster.embed import entry_lines, entry_sentence
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages


def _sentence(body: Body, _view: View) -> str:
    return entry_sentence(cast("RosterBody", body))


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Units and characters", entry_lines(cast("RosterBody", shown.entry.content())))


PROFILE_CHANGED = EntryKind("unit", "staff", _sentence, _pages)
