"""Entries about schedules."""

from __future__ import annotations

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.schedules.embed import schedule_sentence
from bot.ui.entries import plain_pages


def _sentence(body: Body, _view: View) -> str:
    return schedule_sentence(body)


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Schedule", [schedule_sentence(shown.entry.content())])


SCHEDULE_CHANGED = EntryKind("schedule", "staff", _sentence, _pages)
