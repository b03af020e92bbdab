"""All kinds of order, and what is asked of each: what it means as typed, and the choices that are possible now."""

from __future__ import annotations

from collections.abc import Mapping

from rules.books.total_war.orders import command, membership, movement, production
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War, WarAction, apply_settings
from rules.books.total_war.war_order import OrderText, WarOrder
from rules.phrases import known_list

_EVERY = (*movement.ORDERS, *production.ORDERS, *command.ORDERS, *membership.ORDERS)
ORDERS: Mapping[str, WarOrder] = {item.kind: item for item in _EVERY}


def read_order(rules: Rules, war: War, text: OrderText) -> WarAction:
    """Return the action that an order asks for; whether it is possible is another question."""
    found = ORDERS.get(text.kind)
    if found is None:
        raise Refused("E_NO_TARGET", f"{text.kind!r} isn't an order{known_list(ORDERS)}.")
    return found.read(rules, war, text)


def targets(rules: Rules, war: War, kind: str, who: str) -> list[str]:
    """Return what an order can be given to: panels as `q,r`, forces, models with their price, ranks, players, factions by id.

    Empty where there is nothing to choose, or the order is not possible.
    """
    found = ORDERS.get(kind)
    return [] if found is None or found.targets is None else [*found.targets(apply_settings(rules, war), war, who)]


def details(rules: Rules, war: War, kind: str, who: str, to: str) -> list[str]:
    """Return what else is said of an order to something: items and models with their price, numbers, panels, colours, yes and no."""
    found = ORDERS.get(kind)
    return [] if found is None or found.details is None else [*found.details(apply_settings(rules, war), war, who, to)]
