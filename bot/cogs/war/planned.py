"""What is ordered for a force, as its map shows it: its way, and who would ride along."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK, RunningWar
from bot.orders.standing import known_to, standing
from rules.books.total_war.deeds import Follow, Move
from rules.books.total_war.order_kinds import FOLLOW, MOVE
from rules.books.total_war.pledging import followed
from rules.books.total_war.reading import Words, deed_of
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import War


def with_orders(tx: Connection, seen: RunningWar, war: War, name: str) -> tuple[War, tuple[str, ...]]:
    """Return a war with those who are to follow a force, and the directions of the way that is ordered for it, as far as the viewer knows of these orders.

    What is not possible any more is left out.
    """
    way: tuple[str, ...] = ()
    for item in known_to(seen.viewer, standing(tx, seen.campaign)):
        if item.book != BOOK or item.kind not in {MOVE, FOLLOW} or item.to is None:
            continue
        with suppress(Refused):
            deed = deed_of(seen.rules, war, Words(item.kind, item.who.name, item.to.name))
            if isinstance(deed, Move) and deed.who == name:
                way = deed.path
            elif isinstance(deed, Follow) and deed.fleet == name:
                war = followed(seen.rules, war, deed)
    return war, way
