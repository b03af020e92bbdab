"""Who is held captive, as far as somebody may know, and what is done about it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.after.facts import FACTS, held_hours
from bot.core import knowledge, state, subjects
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.visibility import Viewer
from bot.errors import NotAsItIs
from bot.ui.text import local
from rules.book import Book
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.contests import RESISTER
from rules.books.roe.prisoners import HANGING
from rules.effects import EFFECT
from rules.ends import Moment
from rules.subjects import name_key

ESCAPE = "escape"
CAPTURES: Mapping[str, str] = {
    "detain": "after.detain",
    "cuff": "after.cuff",
    "pick": "after.pick",
    ESCAPE: "after.escape",
    "release": "after.release",
}
"""The roll families of `/roe capture`, by what is done."""
WAIT = f"{EFFECT}escape-wait"
"""The effect on a captive who failed to escape recently."""
ALONE = frozenset({"pick", ESCAPE})
"""What captives do themselves."""


def captivity_of(tx: Connection, viewer: Viewer, name: str) -> tuple[subjects.Subject, Mapping[str, Any]] | None:
    """Return somebody who is held captive, and what is kept of that, as far as the viewer may know."""
    who = subjects.meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))
    kept = state.named(tx, viewer.campaign.id, {who.key}, {CAPTIVE}) if who else {}
    known = knowledge.values(tx, viewer, kept)
    return (who, known[who.key, CAPTIVE]) if who and known else None


def next_try(kept: Mapping[str, Any], book: Book, now: Moment) -> tuple[str, str] | None:
    """Return what a captive's try to escape has to wait for, and until when (ISO); None where it need not.

    `kept` is what the viewer may know of that one, by name.
    """
    if CAPTIVE not in kept:
        return None
    hours, at = held_hours(book), now.hence(0)
    first, again = now.later(kept[CAPTIVE]["since"], hours), kept.get(WAIT, {}).get("at", at)
    if first > at:
        return f"hasn't been held for {hours:g} hours yet", first
    return ("failed to escape recently", again) if again > at else None


def require_in_time(tx: Connection, viewer: Viewer, captive: Profile, book: Book, now: Moment) -> None:
    """Refuse a try to escape that comes too early, with when it may be made, as far as the viewer may know of it."""
    kept = knowledge.values(tx, viewer, state.named(tx, viewer.campaign.id, {captive.key}, {CAPTIVE, WAIT}))
    early = next_try({name: value for (_, name), value in kept.items()}, book, now)
    if early is not None:
        when = f"The next try is possible on {local(datetime.fromisoformat(early[1]), viewer.campaign.timezone)}."
        raise NotAsItIs(
            f"{captive.name} {early[0]}.", f"{when} Before that, the captor can release them with how:release."
        )


def hangs(change: Change) -> tuple[str, ...]:
    """Return what hangs on a captivity, a wound or handcuffs that have begun: tries to escape, loot, a try at the lock."""
    return HANGING.get(change.name, ()) if change.before is None else ()


def surrendering() -> dict[str, Any]:
    """Return the inputs of a part in which the other one surrenders."""
    return {FACTS: [f"{RESISTER}.surrenders"]}
