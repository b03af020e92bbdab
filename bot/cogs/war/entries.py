"""The entry by which a war begins; all else that is done in one is a roll of its book."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.picture import ATTACHED
from bot.ui.text import plain
from rules.books.total_war.keeping import SCENARIO, WAR
from rules.bounds import Bounds
from rules.lines import Document

TITLE = "A war begins"
PICTURE = "war-map.png"
"""What the picture of a map is called."""
BOUNDS = Bounds(size=128 * 1024, line=16_000, dots=1000, values=20_000, items=2_000, mend="shorten")
"""What the file of a scenario may hold: 1,000 panels on a few lines. A war has one file, which can't be split."""
KEPT_BOUNDS = replace(BOUNDS, values=10 * BOUNDS.values)
"""What is kept of a scenario may hold: as much, with all that a file leaves out."""
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


def _too_large(body: Body) -> Iterator[str]:
    """Yield where the scenario of a war is larger than `/war new` takes."""
    for change in body["changes"]:
        if change["name"] == SCENARIO and change["after"] is not None:
            faults = KEPT_BOUNDS.after_parsing(Document("scenario", "", change["after"]["is"]))
            yield from (f"the scenario is too large: {fault.what}" for fault in faults)


WAR_ENTRY = EntryKind(WAR, "results", _sentence, _pages, too_large=_too_large)
