"""What of a war is taken back together: all that is kept of it with its beginning, and nothing without which the rest would not fit."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK
from bot.core import house_files, state
from bot.core.campaigns import Campaign
from bot.core.records import Change
from bot.core.state import State
from bot.errors import NotAsItIs
from bot.rolls.extension import HouseRules
from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.keeping import SCENARIO, WAR, Values
from rules.books.total_war.soundness import misfits
from rules.errors import BookError

FIRST = "Undo the later entries first (/ledger list), or correct it with /war set."


def hangs(change: Change) -> tuple[str, ...]:
    """Return that all of a war hangs on its beginning; one of the same name that takes its place is another one."""
    before, after = change.before, change.after
    begins = change.name == WAR and after and (before is None or before["entry"] != after["entry"])
    return ("",) if begins else ()


def require_sound(tx: Connection, library: HouseRules, campaign: Campaign, again: State) -> None:
    """Refuse to take entries back where what stays of a war does not fit together; `again` are the values after it."""
    for subject in sorted({subject for subject, _ in again if subject.startswith(f"{WAR}:")}):
        kept = {name: value for (_, name), value in state.of_subjects(tx, campaign.id, {subject}).items()}
        changed = {name: value for (whose, name), value in again.items() if whose == subject}
        then = {name: value for name, value in {**kept, **changed}.items() if value is not None}
        if WAR in kept and WAR in then and kept[SCENARIO] == then[SCENARIO]:  # else it is gone, or another one
            _require_sound(_book(tx, library, campaign), kept, then)


def _require_sound(book: Book | None, kept: Values, then: Values) -> None:
    if book is None:
        return
    found = misfits(*keeping.read(book, then), keeping.read(book, kept)[1])
    if found:
        raise NotAsItIs(f"That would break the war: {found[0]}.", FIRST)


def _book(tx: Connection, library: HouseRules, campaign: Campaign) -> Book | None:
    """Return the book of wars with the house rules that are on; None where these do not fit it any more."""
    try:
        files = house_files.switched_on(tx, campaign.id)
        return library.with_files(campaign, BOOK, files, partial(house_files.texts, tx, campaign.id))
    except BookError:
        return None
