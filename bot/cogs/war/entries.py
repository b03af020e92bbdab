"""The entry by which a war begins; all else that is done in one is a roll of its book."""

from __future__ import annotations

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.picture import ATTACHED
from bot.ui.text import plain
from rules.books.total_war.keeping import WAR

TITLE = "A war begins"
PICTURE = "war-map.png"
"""What the picture of a map is called."""
SHOWN = "war"
"""Under which name the body of a digest, or of a war's beginning, keeps the war that its map shows: without its scenario, which stands in the entry that has begun the war."""


def _sentence(body: Body, _view: View) -> str:
    return plain(" ".join([f"{TITLE}:", *body["lines"][:1]]))


def _pages(shown: EntryView, _view: View) -> Pages:
    body = shown.entry.content()
    pages = [[*page] for page in plain_pages(shown, TITLE, map(plain, body["lines"]))]
    if SHOWN in body:
        pages[0][0].set_image(url=f"{ATTACHED}{PICTURE}")
    return pages


WAR_ENTRY = EntryKind(WAR, "results", _sentence, _pages)
