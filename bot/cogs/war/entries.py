"""The entry by which a war begins; all else that is done in one is a roll of its book."""

from __future__ import annotations

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.text import plain
from rules.books.total_war.keeping import WAR

TITLE = "A war begins"


def _sentence(body: Body, _view: View) -> str:
    return plain(" ".join([f"{TITLE}:", *body["lines"][:1]]))


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, TITLE, map(plain, shown.entry.content()["lines"]))


WAR_ENTRY = EntryKind(WAR, "results", _sentence, _pages)
