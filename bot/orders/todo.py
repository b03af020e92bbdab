"""Orders on the desk of the week: what somebody has ordered, what waits to be resolved, and what nothing comes of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from bot.core import entries
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.orders.called import called
from bot.orders.kinds import CalledKind
from bot.orders.played_scene import scene_of
from bot.orders.standing import StandingOrder, every, known_to
from bot.orders.words import NAMED, arrangement, order_line, why_lapsed
from bot.ui.text import plain, shorten
from bot.ui.todo import Todo, few, tally
from rules.subjects import name_key

LIST, MAX_WHY = "/order list", 150
"""What has all orders, and how much of a reason stands on a desk, so that a few of them fit into a message."""


def waiting_orders(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the orders that stand, as far as they are for whoever looks, and those that they gave of which nothing comes."""
    seen = known_to(viewer, every(tx, viewer.campaign))
    found = called(tx, viewer.campaign, library.played(tx, viewer.campaign), seen)
    known = sorted(((kind, item) for item, kind in found), key=_given)
    stand = [(kind, item) for kind, item in known if item.stands]
    if stand:
        lines = (f"\N{BULLET} {order_line(kind, item, NAMED)}{arrangement(item)}" for kind, item in stand)
        names = (item.who.name for _, item in stand)
        undone = tally(len(stand), "open order{s}, moving to the next update", names)
        yield Todo("Orders", few(lines, len(stand), LIST), undone=undone)
    gone = {item.lapsed: (kind, item) for kind, item in known if item.lapsed and item.giver == viewer.mine}
    if gone:
        made = entries.some(tx, viewer.campaign.id, gone.keys())
        whys = (
            f"\N{BULLET} {order_line(*gone[number], NAMED)}: cancelled: {plain(shorten(why_lapsed(made[number]), MAX_WHY))}"
            for number in sorted(made)
        )
        yield Todo("Cancelled orders", few(whys, len(gone), LIST))
    yield from _without_orders(tx, library, viewer, seen)


def _without_orders(tx: Connection, library: Library, viewer: Viewer, seen: Iterable[StandingOrder]) -> Iterator[Todo]:
    """Yield for a player the forces and others of a scene that still need an order from them; `seen` are those given."""
    ordered = {name_key(item.who.name) for item in seen if item.lapsed is None}
    for book in library.played(tx, viewer.campaign) if viewer.mine is not None else ():
        scene = scene_of(tx, viewer.campaign.id, book)
        doers = scene.orders.doers(scene.book, scene.values, viewer.mine) if scene else ()
        idle = [item.name for item in doers if viewer.mine in item.awaited and name_key(item.name) not in ordered]
        if idle:
            lines = [f"\N{BULLET} {plain(name)}: `/order give who:{plain(name)}`" for name in idle]
            yield Todo("Without orders", few(iter(lines), len(lines), LIST))


def _given(known: tuple[CalledKind, StandingOrder]) -> int:
    return known[1].entry
