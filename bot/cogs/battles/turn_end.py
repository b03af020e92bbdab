"""The end of a turn: at once where the turn was checked, else of the turn that somebody was asked about."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.battles.transaction import (
    BattleChange,
    EnteredChange,
    SeenTurn,
    battle_in_turn,
    campaign_with_battles,
    enter,
    find_battle,
    require_commander,
)
from bot.core.campaigns import Campaign, on_server
from bot.core.permissions import Person
from bot.errors import NotAsItIs
from bot.rolls.resolver import Resolver
from rules.books.battlesystem import effects
from rules.books.battlesystem.state import Battle

ENDING = "ending a turn"


def end_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str | None
) -> EnteredChange | Battle:
    """End the turn of a battle with all that lasts as long, and begin the next.

    A turn in which nobody has checked random events may have begun just now, by somebody else's word: its battle is
    returned instead, and nothing is done.

    Raises:
        NotAllowed: the person may not.
        BadInput, NotOpen: no such battle is being fought, or its turn has not begun since nobody stands in it.

    """
    campaign = campaign_with_battles(tx, resolver, campaign_id)
    require_commander(person, campaign, ENDING)
    battle = find_battle(tx, campaign.id, name)
    _require_roster(battle)
    return _end_turn(tx, resolver, person, campaign, battle) if battle.header.checked else battle


def end_seen_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, seen: SeenTurn
) -> EnteredChange:
    """End the turn that was seen, as `end_turn` does, checked or not.

    Raises:
        NotAllowed: the person may not.
        NotOpen: it has ended already, the battle is over, or the campaign is archived or another server's.

    """
    on_server(tx, person.guild_id, campaign_id)
    campaign = campaign_with_battles(tx, resolver, campaign_id)
    require_commander(person, campaign, ENDING)
    battle = battle_in_turn(tx, campaign.id, seen)
    _require_roster(battle)
    return _end_turn(tx, resolver, person, campaign, battle)


def _end_turn(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, battle: Battle) -> EnteredChange:
    ending = effects.end_turn(battle)
    change = BattleChange(
        battle.header,
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


def _require_roster(battle: Battle) -> None:
    if not battle.roster:
        what = f"Turn {battle.header.turn} of {battle.name} has not begun: nobody is on its roster."
        raise NotAsItIs(what, "Add units first, with /events unit add.")
