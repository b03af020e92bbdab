"""The end of a turn: at once where the turn was checked, else of the turn that somebody was asked about."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.battles.transaction import (
    BATTLES,
    EnteredChange,
    commanded,
    enter,
)
from bot.core import scenes
from bot.core.permissions import Person
from bot.core.scene_entries import SceneChange
from bot.core.scenes import SeenTurn, Which
from bot.errors import NotAsItIs
from bot.rolls.resolver import Resolver
from rules.books.battlesystem import effects
from rules.books.battlesystem.state import Battle


def end_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which
) -> EnteredChange | Battle:
    """End the turn of a battle with all that lasts as long, and begin the next.

    A turn in which nobody has checked random events may have begun just now, by somebody else's word: unless it is the one
    that was seen, its battle is returned instead, and nothing is done.
    """
    campaign = commanded(tx, resolver, person, campaign_id, "ending a turn")
    battle = scenes.find(tx, campaign.id, BATTLES, which)
    if not battle.roster:
        what = f"{battle.name} has no units yet."
        raise NotAsItIs(what, "Add units with /events unit add.")
    if not (battle.header.checked or isinstance(which, SeenTurn)):
        return battle
    ending = effects.end_turn(battle)
    change = SceneChange(
        battle,
        {
            "deed": "turn",
            "battle": battle.name,
            "turn": battle.header.turn,
            "ended": ending.ended,
            "stays": effects.staying(battle),
            "unchecked": effects.unchecked(battle),
        },
        ending.changes,
        public=True,
    )
    return enter(tx, resolver, person, campaign, change)
