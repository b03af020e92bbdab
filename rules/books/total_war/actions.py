"""All that changes a war, and how it does: what is not possible changes nothing."""

from __future__ import annotations

from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.battles import require_war_on
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.joining import Join
from rules.books.total_war.orders.command import Allot, Assign, Delegate, Promote
from rules.books.total_war.orders.membership import Admit, Answer, Found, Petition, Rogue
from rules.books.total_war.orders.movement import Follow, Move
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings.forces import AddForce, PlaceForce, RemoveForce
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
from rules.books.total_war.rulings.values import (
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.terms import Refused
from rules.books.total_war.turn_change import Advance
from rules.books.total_war.war import Rules, War, WarAction, apply_settings

__all__ = [
    "AddForce", "AddUnits", "Admit", "Advance", "Allot", "Answer", "Assign", "Build", "Buy", "Delegate", "FightAction",
    "Follow", "Found", "Join", "Move", "OrderAction", "Petition", "PlaceForce", "Promote", "RemoveForce", "RemoveUnit",
    "Research", "Retreat", "Rogue", "Ruling", "SetGold", "SetOwner", "SetPost", "SetPrice", "SetRank", "SetSource",
    "SetSwitch", "SetUnit", "Strike", "resolve",
]  # fmt: skip

_Order = Move | Follow | Build | Buy | Research | Promote | Assign | Delegate | Allot
OrderAction = _Order | Rogue | Found | Petition | Admit | Answer | FightAction | Retreat | Advance
"""What players order, and what follows from it."""

_Value = SetOwner | SetGold | SetRank | SetPost | SetPrice | SetSwitch | SetSource
Ruling = _Value | AddUnits | RemoveUnit | SetUnit | AddForce | PlaceForce | RemoveForce | Strike
"""What a game master alone sets and rules."""


def resolve(rules: Rules, war: War, action: WarAction, throw: Thrower = no_die) -> War:
    """Return the war after an action, by the rules with the prices and switches set in it.

    Raises:
        Refused: it is not possible; no die has been thrown.

    """
    require_war_on(war)
    rules = apply_settings(rules, war)
    if isinstance(action, Ruling) and action.actor is not None:
        raise Refused("E_NOT_COMMANDER", "Only game masters can set that. Ask one, and say why.")
    if isinstance(action, FightAction):
        return action.apply(rules, war, throw)
    return action.apply(rules, war)
