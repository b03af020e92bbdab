"""The strategy map of a war as somebody asks for it: a layer, the reach of a force, as a faction sees it."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.war.entries import PICTURE
from bot.cogs.war.wars import RunningWar, known_faction
from bot.errors import NotAllowed, unknown_name
from bot.outbox.pictures import drawn
from bot.ui.picture import Picture
from bot.ui.text import plain
from rules.books.total_war.sight import WHOLE, Sight, seen_by, sight_of
from rules.books.total_war.war import Rules, War
from rules.subjects import name_key

Layer = Literal["control", "supply", "income", "forces", "captured"]
"""The views of the map; the last shows what has changed hands since the update began."""
LAYERS: tuple[Layer, ...] = ("control", "supply", "income", "forces", "captured")


class MapView(Struct, frozen=True):
    """A map: the war as it is seen, its layer, the force whose reach it shows, and how much whoever looks is told; `before` is the war with which it is compared, where that is its view.

    `way` are the directions of the force's way in mind.
    """

    war: War
    layer: Layer = "control"
    force: str | None = None
    sight: Sight = WHOLE
    before: War | None = None
    way: tuple[str, ...] = ()


def view_of(seen: RunningWar, layer: Layer, force: str | None, faction: str | None) -> MapView:
    """Return the map that somebody asks for."""
    war, whose = seen.seen, seen.faction
    if faction is not None:
        whose = known_faction(seen.war, faction)
        if not seen.leads and whose != seen.faction:
            raise NotAllowed("You can see only what your own faction sees.", "Leave out “faction”.")
        war = seen_by(seen.rules, seen.war, whose)
    name = next((name for name in war.forces if name_key(name) == name_key(force or "")), None)
    if force is not None and name is None:
        raise unknown_name(f"You can't see a force called {force[:60]!r}.", force, war.forces, "See /war show.")
    if seen.leads and faction is None:
        return MapView(war, layer, name)
    return as_seen(seen.rules, seen.war, whose, layer, name)


def as_seen(rules: Rules, war: War, faction: str | None, layer: Layer = "control", force: str | None = None) -> MapView:
    """Return the map of a war as a faction sees it, or an onlooker (None)."""
    return MapView(seen_by(rules, war, faction), layer, force, sight_of(rules, war, faction))


def compared(rules: Rules, view: MapView, before: War) -> MapView:
    """Return a map that is compared with the war before, of which whoever looks sees no more than of the map."""
    known = view.sight.known
    return replace(view, before=before if known is None else seen_by(rules, before, next(iter(known), None)))


def layer_named(word: str) -> Layer:
    """Return a view of the map by its name; who holds what where there is none of it."""
    return next((layer for layer in LAYERS if layer == word), "control")


async def picture(rules: Rules, view: MapView) -> Picture | None:
    """Draw a map; None when it cannot be drawn."""
    return await drawn(PICTURE, partial(draw, rules, view))


def draw(rules: Rules, view: MapView) -> Picture:
    """Draw a map, or the reach of a force on it, with a short account of it in words."""
    if view.before is not None:
        made = _pictures().capture_map(rules, view.before, view.war, view.sight)
    elif view.force is None:
        made = _pictures().strategy_map(rules, view.war, view.layer, view.sight)
    else:
        made = _pictures().reach_map(rules, view.war, view.force, view.way, sight=view.sight)
    picture: Picture = made.picture
    return replace(picture, name=PICTURE)


def words(rules: Rules, view: MapView, *, whole: bool = False) -> tuple[str, list[str]]:
    """Return the title of a map and what it shows, line by line: the gist, or all of it."""
    if view.before is not None:
        title, lines = _pictures().capture_facts(rules, view.before, view.war, view.sight)
    else:
        about = (view.war, view.layer, view.sight, view.force, view.way)
        title, lines = _pictures().map_facts(rules, *about, whole=whole)
    return plain(title), [plain(line) for line in lines]


def _pictures() -> Any:  # noqa: ANN401 - a module
    """Return what draws: it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.told")
