"""What a unit's new name, its removal, and the clearing of its effects mean for battles."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.battles.transaction import BATTLES
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.errors import BadInput
from bot.rolls.extension import StateKey
from rules.books.battlesystem import effects
from rules.books.battlesystem.state import Battle
from rules.scenes import Replacement, leave


def require_free(tx: Connection, campaign: Campaign, number: int, new: str) -> None:
    """Refuse a new name for a subject that another unit has in a battle beside it: a battle tells its units by name."""
    for battle in scenes.running(tx, campaign.id, BATTLES):
        own, other = battle.combatant(number), battle.unit(new)
        if own is not None and other is not None and other.id != number:
            what = f"{battle.name} already has {other.name}, next to {own.name}."
            raise BadInput(what, "Use another name.")


def keeps_effect(tx: Connection, campaign: Campaign, effect: StateKey) -> str | None:
    """Return why an event of a battle that is being fought is kept: its end takes a reason or a token, and is posted."""
    for battle in scenes.running(tx, campaign.id, BATTLES):
        if any(item.key == effect for item in battle.events):
            return f"That belongs to {battle.name}. End it with /events use."
    return None


def leaving(battle: Battle, number: int) -> list[Replacement]:
    """Return what a battle replaces when a unit (number) leaves it: what ends on others with it, too."""
    return [*leave(battle, {number}), *effects.gone(battle, {number}).changes]
