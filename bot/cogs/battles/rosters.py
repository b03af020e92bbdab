"""What a unit's new name or its removal means for the rosters of battles."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.store import BATTLE, EVENT, UNIT, InForce, battle_key
from bot.core.campaigns import Campaign
from bot.core.records import Change
from bot.core.state import State
from bot.errors import BadInput


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
    """Yield what takes a subject off the rosters of battles, and ends the grudges against it; `kept` is the whole state."""
    for key in sorted(kept):
        if key[0].startswith(battle_key("")) and key[1] == f"{UNIT}{number}":
            yield Change(*key, kept[key], None)
        elif key[1].startswith(EVENT) and kept[key].get("foe") == number:
            free = InForce.of(kept[key], {kept[key]["id"]: ""}).without("until_gone")
            yield Change(*key, kept[key], free and free.value())


def hangs_on_battle(change: Change) -> tuple[str, ...]:
    """Return that all of a battle hangs on its beginning, and its later checks and turns on each unit that has joined."""
    if change.name == BATTLE and change.after and (change.before is None or change.before["over"]):
        return ("",)
    return (BATTLE,) if change.name.startswith(UNIT) and change.before is None else ()
