"""The turn of a war on the desk of the week: that it has not ended, and which battles it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import ui
from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK
from bot.core.campaigns import current_update
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.errors import BadInput
from bot.orders.ids import PLAN
from bot.orders.played_scene import scene_of
from bot.ui.text import plain
from bot.ui.todo import Todo
from rules.books.total_war import keeping

STAYS = "Closed now, it goes on in the next update: who has moved in it cannot move again before it ends. Resolve ends it, once no battle is left."


def turn_to_end(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield for game masters that the turn has not ended in this update."""
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    try:
        book = library.book(tx, campaign, BOOK)
    except BadInput:  # the book is off
        return
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return
    _, war = keeping.read(book, scene.values)
    update = current_update(tx, campaign.id)["number"]
    if war.winner is not None or war.update == update:
        return
    name, fought = plain(str(scene.values[keeping.WAR]["name"])), len(war.battles)
    waits = f"; {fought} battle{'s are' if fought > 1 else ' is'} fought" if fought else ""
    line = f"Turn {war.turn} of {name} has not ended{waits}"
    button: ui.Button[Any] = ui.Button(label="Resolve", custom_id=PLAN.fill(campaign=campaign.id, number=update))
    undone = f"{line}. {STAYS}"
    yield Todo("War", [f"\N{BULLET} {line}"], [[button]], undone=undone, instead=[button])
