"""The map of a war under the digest of a turn: as everybody may see it, and in words."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.war import maps
from bot.cogs.war.entries import PICTURE, SHOWN
from bot.cogs.war.wars import BOOK
from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body
from bot.core.library import Library
from bot.errors import BadInput
from bot.orders.illustration import Illustration
from bot.orders.played_scene import scene_of
from bot.outbox.pictures import Drawing
from rules.books.total_war import keeping

MOST_LINES = 25


def newest_map(tx: Connection, library: Library, campaign: Campaign) -> Illustration | None:
    """Return the map of a war as it stands, as everybody sees it; None where none is on."""
    try:
        book = library.book(tx, campaign, BOOK)
    except BadInput:  # the book is off
        return None
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    rules, war = keeping.read(book, scene.values)
    view = maps.as_seen(rules, war, None)
    title, _ = maps.words(rules, view)
    forces, lines = maps.words(rules, replace(view, layer="forces"))
    begins = {name: scene.values[name] for name in (keeping.WAR, keeping.SCENARIO)}
    parts = {name: value for _, name, value in keeping.changes(book, begins, view.war) if value is not None}
    left = len(lines) - MOST_LINES
    lines = [*lines[:MOST_LINES], *([f"*and {left} more: `/war map`*"] if left > 0 else [])]
    title = f"{title} and {forces.rpartition(': ')[2]}"  # the picture shows the one, the words the other
    return Illustration(title, lines, PICTURE, {SHOWN: {keeping.WAR: begins[keeping.WAR], **parts}}, again=True)


def posted_map(tx: Connection, library: Library, campaign: Campaign, body: Body) -> Drawing | None:
    """Return what draws the map that a digest, or a war's beginning, tells of; None where it tells of none."""
    if SHOWN not in body:
        return None
    book = library.book(tx, campaign, BOOK)
    kept: dict[str, Any] = body[SHOWN]
    rules, war = keeping.read(book, {**_scenario(tx, campaign, kept), **kept})  # an older version has kept it here too
    return partial(maps.draw, rules, maps.as_seen(rules, war, None))


def _scenario(tx: Connection, campaign: Campaign, kept: keeping.Values) -> dict[str, Any]:
    """Return the scenario of a war, by the entry that has begun it."""
    began = entries.without_texts(tx, campaign.id, {kept[keeping.WAR]["entry"]})
    changes = (item for entry in began.values() for item in entry.content()["changes"])
    return {item["name"]: item["after"] for item in changes if item["name"] == keeping.SCENARIO}
