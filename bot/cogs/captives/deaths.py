"""The dead take part in nothing: who somebody was killed by and when, as far as a person may know of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from sqlalchemy import Connection

from bot.core import entries, knowledge
from bot.core.records import Entry
from bot.core.subjects import Subject
from bot.core.visibility import Viewer
from bot.errors import NotAsItIs
from bot.rolls.extension import ConsideredRoll
from bot.rolls.headline import headline
from bot.rolls.resolver import Resolver
from rules.books.campaign.captivity import FATE, Fate, is_dead

ANYHOW = frozenset({"captive", "character"})
"""The roles in which the dead are asked for otherwise: no captive is dead, and a level can be rolled for anybody."""


def require_living(tx: Connection, _resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse a roll with a participant who is dead, if the person may know that."""
    named = {
        item.key: item
        for part in roll.cast
        for role, some in part.items()
        for item in some
        if item is not None and role not in ANYHOW
    }
    fates = {(key, FATE): roll.state[key, FATE] for key in named if (key, FATE) in roll.state}
    for (key, _), fate in knowledge.values(tx, viewer, fates).items():
        if is_dead(fate):
            refuse_dead(tx, viewer, named[key], fate)


def refuse_dead(tx: Connection, viewer: Viewer, who: Subject, fate: Fate) -> NoReturn:
    """Refuse what the dead cannot do, and tell who killed that one and when, where that was for the person."""
    entry = entries.get(tx, viewer.campaign.id, fate["entry"])
    shown = entry is not None and knowledge.tells(tx, viewer, entry, who, FATE)
    told = next(_tellings(entry, who), "") if entry is not None and shown else ""
    again = "/character remove, then /character add" if who.saved else "a new name"
    what = f"{who.name} is dead{told} (entry #{fate['entry']})."
    raise NotAsItIs(what, f"Was that a mistake? Use {again}.")


def _tellings(entry: Entry, who: Subject) -> Iterator[str]:
    """Yield how and when somebody died in an entry."""
    body, called = entry.content(), entry.names().get(who.id, who.name)
    for part in body.get("parts", ()):
        if any(deed["do"] == "kill" and deed["to"] == called for deed in part["consequences"]):
            when = f"{body['update']['name']}, {entry.at.date().isoformat()}"
            yield f", killed in {when}: {headline(body, part, mark='')}"
