"""Entries about updates."""

from __future__ import annotations

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.text import plain


def _sentence(body: Body, _view: View = "public") -> str:
    return f"{plain(body['closed']['name'])} closed, {plain(body['opened']['name'])} begun"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Update closed", [_sentence(shown.entry.content())])


UPDATE_CLOSED = EntryKind("update", "results", _sentence, _pages)
