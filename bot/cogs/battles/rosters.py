"""What a unit's new name or its removal means for the rosters of battles."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.store import BATTLE, UNIT
from bot.core.campaigns import Campaign
from bot.core.records import Change
from bot.core.state import State
from bot.errors import BadInput
from rules.books.battlesystem import effects
from rules.books.battlesystem.state import Replacement
from rules.subjects import NAME, subject_number


def require_free(tx: Connection, campaign: Campaign, number: int, new: str) -> None:
    """Refuse a new name for a subject that another unit has in a battle beside it: a battle tells its units by name.

    Raises:
        BadInput: there is such a one.

    """
    for battle in store.fought(tx, campaign.id):
        own, other = battle.combatant(number), battle.unit(new)
        if own is not None and other is not None and other.id != number:
            what = f"In {battle.name} {other.name} stands beside {own.name}."
            raise BadInput(what, "Take another name.")


def leave(kept: State, number: int) -> Iterator[Change]:
    """Yield what takes a subject off the rosters of battles, and ends the grudges that end with it; `kept` is the whole state."""
    called = ((subject_number(subject), value) for (subject, name), value in kept.items() if name == NAME)
    names = {known: value for known, value in called if known is not None}
    for battle in store.fought_in(kept, names):
        own = battle.combatant(number)
        if own is not None:
            yield from store.changes(battle.header, [Replacement(own, None), *effects.gone(battle, {number}).changes])


def hangs_on_battle(change: Change) -> tuple[str, ...]:
    """Return that all of a battle hangs on its beginning, and its later checks and turns on each unit that has joined."""
    if change.name == BATTLE and change.after and (change.before is None or change.before["over"]):
        return ("",)
    return (BATTLE,) if change.name.startswith(UNIT) and change.before is None else ()
