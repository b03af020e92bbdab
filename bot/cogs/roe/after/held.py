"""Who is held captive, as far as somebody may know, and what is done about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.after.facts import FACTS
from bot.core import knowledge, state, subjects
from bot.core.records import Change
from bot.core.visibility import Viewer
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.contests import RESISTER
from rules.books.roe.prisoners import HANGING
from rules.subjects import name_key

CAPTURES: Mapping[str, str] = {
    "detain": "after.detain",
    "cuff": "after.cuff",
    "pick": "after.pick",
    "escape": "after.escape",
    "release": "after.release",
}
"""The roll families of `/roe capture`, by what is done."""
ALONE = frozenset({"pick", "escape"})
"""What captives do themselves."""


def captivity_of(tx: Connection, viewer: Viewer, name: str) -> tuple[subjects.Subject, Mapping[str, Any]] | None:
    """Return somebody who is held captive, and what is kept of that, as far as the viewer may know."""
    who = subjects.meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))
    kept = state.named(tx, viewer.campaign.id, {who.key}, {CAPTIVE}) if who else {}
    known = knowledge.values(tx, viewer, kept)
    return (who, known[who.key, CAPTIVE]) if who and known else None


def hangs(change: Change) -> tuple[str, ...]:
    """Return what hangs on a captivity, a wound or handcuffs that have begun: tries to escape, loot, a try at the lock."""
    return HANGING.get(change.name, ()) if change.before is None else ()


def surrendering() -> dict[str, Any]:
    """Return the inputs of a part in which the other one surrenders."""
    return {FACTS: [f"{RESISTER}.surrenders"]}
