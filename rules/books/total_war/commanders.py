"""Who carries out orders in a war: forces, factions and players, which orders each may carry out now, and who may give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from rules.books.total_war.order_kinds import MOVE
from rules.books.total_war.orders.membership import pending_answers
from rules.books.total_war.orders.registry import ORDERS
from rules.books.total_war.war import Rules, War, apply_settings

_BY_FACTION, _BY_PLAYER = frozenset({"faction"}), frozenset({"player"})
_BY_FORCE = frozenset({"force", "squadron"})
"""In which roles factions, players and forces carry out orders."""


class Commanded(Struct, frozen=True):
    """A force, a faction (by its id) or a player: the kinds of order, each with the players who may give it, and whether one is awaited.

    Where nobody may give an order that is possible, a game master does.
    """

    name: str
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    awaited: bool = False


def list_orders(rules: Rules, war: War) -> tuple[Commanded, ...]:
    """Return all forces, then the factions, then the players of a war, with the orders that are possible now.

    A force is awaited while it can move and has not, a faction while somebody waits for an answer of its leader.
    """
    if war.winner is not None:
        return ()
    rules = apply_settings(rules, war)
    found = []
    for name, force in war.forces.items():
        orders = _possible(rules, war, name, _BY_FORCE)
        found.append(Commanded(name, orders, awaited=MOVE in orders and force.commander is not None))
    for name in war.factions:
        awaited = any(pending_answers(rules, war, name))
        found.append(Commanded(name, _possible(rules, war, name, _BY_FACTION), awaited=awaited))
    found += [Commanded(name, _possible(rules, war, name, _BY_PLAYER)) for name in war.players]
    return tuple(found)


def givers(war: War) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield all of a war in the order of `list_orders`, each with who gives orders for it, whatever is possible now: their own, and those with a post above them."""
    for force in war.forces.values():
        side = war.factions.get(force.faction)
        yield force.name, _players([force.commander, *((side.leader, side.delegate) if side else ())])
    for name, side in war.factions.items():
        yield name, _players([side.leader])
    for name, player in war.players.items():
        yield name, _players([name, None if player.faction is None else war.factions[player.faction].leader])


def _possible(rules: Rules, war: War, who: str, roles: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the kinds of order that somebody can carry out now in one of these roles, each with who may give it."""
    mine = (item for item in ORDERS.values() if item.role in roles and item.is_possible(rules, war, who))
    return {item.kind: _players(item.givers(war, who)) for item in mine}


def _players(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(name for name in names if name is not None)
