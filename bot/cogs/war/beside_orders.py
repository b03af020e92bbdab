"""What is told beside an order of a war: how far a force that is to move can go, as far as whoever orders it sees the war."""

from __future__ import annotations

from discord import ui
from sqlalchemy import Connection

from bot.cogs.war import wars
from bot.cogs.war.panel import REACH
from bot.cogs.war.planned import with_orders
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.orders.asides import OrderAside
from bot.orders.standing import StandingOrder
from bot.ui.text import plain
from rules.books.total_war.order_kinds import MOVE
from rules.books.total_war.reach_told import reach_told
from rules.books.total_war.sight import has_fog, unseen


def beside_order(tx: Connection, library: Library, viewer: Viewer, order: StandingOrder) -> OrderAside | None:
    """Return the reach of a force that is to move, with the button that draws it; None where no war is on."""
    seen = wars.running(tx, library, viewer.person, viewer.campaign)
    if seen is None:
        return None
    knows_all, name = seen.leads or not has_fog(seen.rules), order.who.name
    if order.kind != MOVE or name not in seen.seen.forces:
        return OrderAside(knows_all=knows_all)
    war, _ = with_orders(tx, seen, seen.seen, name)
    hidden = () if knows_all else unseen(seen.rules, seen.war, seen.faction)
    lines = [f"-# {plain(line)}" for line in reach_told(seen.rules, war, war.forces[name], hidden)]
    key = REACH.fill(campaign=viewer.campaign.id, force=name)
    return OrderAside(lines, [ui.Button(label="Reach on the map", custom_id=key)], knows_all)
