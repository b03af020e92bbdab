"""Orders on the desk of the week: what somebody has ordered, and what waits to be resolved."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.orders import kinds
from bot.orders.standing import known_to, standing
from bot.orders.words import order_line
from bot.ui.todo import Todo, few, tally


def waiting_orders(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the orders that stand, as far as they are for whoever looks."""
    known = kinds.by_key(library.played(tx, viewer.campaign))
    mine = [item for item in known_to(viewer, standing(tx, viewer.campaign)) if (item.book, item.kind) in known]
    if mine:
        lines = (f"\N{BULLET} {order_line(known[item.book, item.kind], item)}" for item in mine)
        undone = tally(len(mine), "order{s} not resolved, held for the next update", (item.who.name for item in mine))
        yield Todo("Orders", few(lines, len(mine), "/order list"), undone=undone)
