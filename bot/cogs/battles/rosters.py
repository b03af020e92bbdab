"""What a unit's new name, its removal, and the clearing of its effects mean for battles."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.battles.transaction import BATTLES
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.records import Change
from bot.core.scene_entries import counted
from bot.core.state import State
from bot.errors import BadInput
from bot.rolls.extension import StateKey
from rules.books.battlesystem import effects
from rules.effects import EFFECT
from rules.scenes import leave
from rules.subjects import NAME, subject_key, subject_number


def require_free(tx: Connection, campaign: Campaign, number: int, new: str) -> None:
    """Refuse a new name for a subject that another unit has in a battle beside it: a battle tells its units by name.

    Raises:
        BadInput: there is such a one.

    """
    for battle in scenes.running(tx, campaign.id, BATTLES):
        own, other = battle.combatant(number), battle.unit(new)
        if own is not None and other is not None and other.id != number:
            what = f"In {battle.name} {other.name} stands beside {own.name}."
            raise BadInput(what, "Take another name.")


def keeps_effect(tx: Connection, campaign: Campaign, effect: StateKey) -> str | None:
    """Return why an event of a battle that is being fought is kept: its end takes a reason or a token, and is posted."""
    for battle in scenes.running(tx, campaign.id, BATTLES):
        if any(item.key == effect for item in battle.events):
            return f"That belongs to {battle.name}: end it with /events use, which tells everybody."
    return None


def leave_battles(kept: State, number: int) -> Iterator[Change]:
    """Yield what takes a subject off the rosters of battles, and ends on others what ends with it; `kept` is the whole state."""
    called = ((subject_number(subject), value) for (subject, name), value in kept.items() if name == NAME)
    names = {known: value for known, value in called if known is not None}
    lasting = ((key, value) for key, value in kept.items() if key[1].startswith(EFFECT))
    others = {key: value for key, value in lasting if key[0] != subject_key(number)}
    for battle in scenes.running_in(kept, names, BATTLES):
        if battle.combatant(number) is not None:
            replaced = [*leave(battle, {number}), *effects.gone(battle, {number}).changes]
            yield from scenes.changes(battle.header, replaced)
            yield from counted(others, battle, replaced)
