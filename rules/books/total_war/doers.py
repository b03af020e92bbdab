"""Who carries out orders in a war: forces, factions and players, which orders each may carry out now, and who may give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from rules.books.total_war.joining import giver_of_units
from rules.books.total_war.options import can
from rules.books.total_war.order_kinds import (
    ALLOT,
    ANSWER,
    ASSIGN,
    BUILD,
    BUY,
    DELEGATE,
    FOLLOW,
    FOUND,
    GARRISON,
    MOVE,
    PETITION,
    PROMOTE,
    RESEARCH,
    ROGUE,
)
from rules.books.total_war.owing import owed
from rules.books.total_war.war import Force, Rules, War, ruled


class Doer(Struct, frozen=True):
    """A force, a faction (by its id) or a player: the kinds of order, each with the players who may give it, and whether one is awaited.

    Where nobody may give an order that is possible, a game master does.
    """

    name: str
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    awaited: bool = False


def doers(rules: Rules, war: War) -> tuple[Doer, ...]:
    """Return all forces, then the factions, then the players of a war, with the orders that are possible now."""
    if war.winner is not None:
        return ()
    rules = ruled(rules, war)
    return (
        *(_force(rules, war, item) for item in war.forces.values()),
        *(_faction(rules, war, name) for name in war.factions),
        *(_player(rules, war, name) for name in war.players),
    )


def givers(war: War) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield all of a war in the order of `doers`, each with who gives orders for it, whatever is possible now: their own, and those with a post above them."""
    for force in war.forces.values():
        side = war.factions.get(force.faction)
        yield force.name, _set(force.commander, *((side.leader, side.delegate) if side else ()))
    for name, side in war.factions.items():
        yield name, _set(side.leader)
    for name, player in war.players.items():
        yield name, _set(name, None if player.faction is None else war.factions[player.faction].leader)


def _force(rules: Rules, war: War, force: Force) -> Doer:
    """Return a force: it moves by its commander's orders alone (M7); it is awaited while it can move and has not."""
    orders = {kind: _set(force.commander) for kind in (MOVE, FOLLOW) if can(rules, war, kind, force.name)}
    side = war.factions.get(force.faction)
    if side is not None and can(rules, war, ASSIGN, force.name):
        orders[ASSIGN] = _set(side.leader)
    if side is not None and can(rules, war, ALLOT, force.name):
        orders[ALLOT] = _set(side.leader, giver_of_units(war, force.faction))
    return Doer(force.name, orders, awaited=MOVE in orders and force.commander is not None)


def _faction(rules: Rules, war: War, name: str) -> Doer:
    """Return a faction: its leader alone orders for it (B1), and is awaited while somebody waits for an answer."""
    leader = _set(war.factions[name].leader)
    kinds = (BUILD, BUY, RESEARCH, GARRISON, DELEGATE, FOUND, ANSWER)
    orders = {kind: leader for kind in kinds if can(rules, war, kind, name)}
    return Doer(name, orders, awaited=any(owed(rules, war, name)))


def _player(rules: Rules, war: War, name: str) -> Doer:
    """Return a player: promoted by the leader of the faction (K4); a rogue, and asking to be taken in, by themselves."""
    faction = war.players[name].faction
    leader = None if faction is None else war.factions[faction].leader
    givers = {PROMOTE: _set(leader), ROGUE: _set(name), PETITION: _set(name)}
    return Doer(name, {kind: by for kind, by in givers.items() if can(rules, war, kind, name)})


def _set(*players: str | None) -> frozenset[str]:
    return frozenset(_named(players))


def _named(players: Iterable[str | None]) -> Iterator[str]:
    yield from (player for player in players if player is not None)
