"""The strategy map of a war, as a person asks for it and under the digest of a turn."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final

from discord import Embed, ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war.wars import (
    BOOK,
    LAYERS,
    MAP_OF,
    PICTURE,
    Layer,
    RunningWar,
    find_faction,
    say_lines,
    see_war,
    war_at_update_start,
)
from bot.core import entries
from bot.core.campaigns import Campaign, require_on_server
from bot.core.encoding import Json
from bot.core.entry_kinds import Body
from bot.core.library import Library
from bot.errors import BadInput, NotAllowed, unknown_name
from bot.orders.additions import Illustration
from bot.orders.played_scene import scene_of
from bot.orders.standing import list_standing, visible_to
from bot.outbox.message import Drawing, draw_picture
from bot.rolls.desk import desk_of
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component, with_buttons
from bot.ui.picture import ATTACHED, Picture, drop_missing_images
from bot.ui.reply import say
from bot.ui.text import plain
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import FOLLOW, MOVE
from rules.books.total_war.order_text import OrderText
from rules.books.total_war.orders.movement import Follow, Move, read_movement
from rules.books.total_war.sight import WHOLE, Sight, seen_by, sight_of
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, War
from rules.subjects import name_key

WORDS: Final = IdTemplate("war:{campaign:int}:words:{layer:word}:{side:int}:{force:rest}")
"""The id of the button that shows a map in words, as a faction (its place, from 1; 0: the viewer's own) sees it."""
REACH: Final = IdTemplate("war:{campaign:int}:reach:{force:rest}")
"""The id of the button that shows where a force can go, on the map as the viewer sees it."""
GIST = 12
"""Lines next to a map."""
MOST_LINES = 25
"""Lines under the map of a digest."""


class MapView(Struct, frozen=True):
    """A map: the war as it is seen, its layer, how much of it the viewer may know, and the force whose reach it shows, with the directions of its `way`.

    `before` is the war with which it is compared, where it shows what has changed hands.
    """

    rules: Rules
    war: War
    layer: Layer = "control"
    sight: Sight = WHOLE
    force: str | None = None
    way: tuple[str, ...] = ()
    before: War | None = None

    async def picture(self) -> Picture | None:
        """Draw it; None when it can't be drawn."""
        return await draw_picture(PICTURE, self.draw)

    def draw(self) -> Picture:
        """Draw it, with its gist as alt text."""
        picture: Picture = _pictures().draw_map_view(self)
        return picture

    def words(self, *, whole: bool = False) -> tuple[str, list[str]]:
        """Return its title and what it shows, line by line: the gist, or all of it."""
        title, lines = _pictures().map_view_words(self, whole=whole)
        return plain(title), [plain(line) for line in lines]


def _pictures() -> Any:  # noqa: ANN401 - a module
    """Return what draws: it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.views")


def faction_view(rules: Rules, war: War, faction: str | None) -> MapView:
    """Return the map of a war as a faction sees it, or an onlooker (None)."""
    return MapView(rules, seen_by(rules, war, faction), sight=sight_of(rules, war, faction))


def _view(tx: Connection, seen: RunningWar, layer: Layer, force: str | None, faction: str | None) -> MapView:
    """Return the map that a person asks for, with what is ordered for its force where it is their own."""
    whose = seen.faction if faction is None else find_faction(seen.war, faction)
    if not seen.leads and whose != seen.faction:
        raise NotAllowed("You can see only what your own faction sees.", "Leave out “faction”.")
    whole = seen.leads and faction is None
    view = MapView(seen.rules, seen.war) if whole else faction_view(seen.rules, seen.war, whose)
    name = next((name for name in view.war.forces if name_key(name) == name_key(force or "")), None)
    if force is not None and name is None:
        raise unknown_name(f"You can't see a force called {force[:60]!r}.", force, view.war.forces, "See /war show.")
    war, way = with_orders(tx, seen, view.war, name) if name is not None and faction is None else (view.war, ())
    before = war_at_update_start(tx, seen) if layer == "captured" else None
    if before is not None and not whole:
        before = seen_by(seen.rules, before, whose)
    return replace(view, war=war, layer=layer, force=name, way=way, before=before)


def with_orders(tx: Connection, seen: RunningWar, war: War, name: str) -> tuple[War, tuple[str, ...]]:
    """Return a war with those who are to follow a force, and the directions of the way that is ordered for it, by orders that the viewer knows of.

    What isn't possible any more is left out.
    """
    way: tuple[str, ...] = ()
    for item in visible_to(seen.viewer, list_standing(tx, seen.campaign)):
        if item.book != BOOK or item.kind not in {MOVE, FOLLOW} or item.to is None:
            continue
        with suppress(Refused):
            deed = read_movement(seen.rules, war, OrderText(item.kind, item.who.name, item.to.name))
            if isinstance(deed, Move) and deed.who == name:
                way = deed.path
            elif isinstance(deed, Follow) and deed.fleet == name:
                war = deed.apply(seen.rules, war)
    return war, way


async def show_map(interaction: Interaction, layer: Layer, force: str | None, faction: str | None) -> None:
    """Answer with the strategy map as the person sees it, and the gist of it in words."""
    await _show_map(interaction, await desk_of(interaction).campaign(interaction), layer, force, faction)


@component(REACH)
async def show_reach(interaction: Interaction, *, campaign: int, force: str) -> None:
    """Answer with the map of where a force can go."""
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await _show_map(interaction, here, "control", force, None)


async def _show_map(
    interaction: Interaction, campaign: Campaign, layer: Layer, force: str | None, faction: str | None
) -> None:
    bot = interaction.client
    seen = await see_war(interaction, campaign)
    view = await bot.database.read(_view, seen, layer, force, faction)
    picture = await view.picture()
    title, lines = view.words()
    left = len(lines) - GIST
    gist = [*lines[:GIST], *([f"-# {left} more lines: press As text."] if left > 0 else [])]
    embeds = text.fit_embeds(title, gist, colour=COLOURS["neutral"], footer=campaign.name)
    if picture is not None:  # on a telephone it comes before the words
        embeds = [
            Embed(title=embeds[0].title, colour=COLOURS["neutral"]).set_image(url=f"{ATTACHED}{PICTURE}"),
            *embeds,
        ]
        embeds[1].title = None
    side = 0 if faction is None else [*seen.war.factions].index(find_faction(seen.war, faction)) + 1
    key = WORDS.fill(campaign=campaign.id, layer=layer, side=side, force=view.force or "")
    files = {"file": picture.file()} if picture else {}
    words = with_buttons(ui.Button(label="As text", custom_id=key))
    await say(interaction, embeds=drop_missing_images(embeds, picture), view=words, **files)


@component(WORDS)
async def show_map_words(interaction: Interaction, *, campaign: int, layer: str, side: int, force: str) -> None:
    """Answer with all that a map shows, in words."""
    bot = interaction.client
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    seen = await see_war(interaction, here)
    faction = next(iter([*seen.war.factions][side - 1 : side]), None) if side else None
    known: Layer = next((item for item in LAYERS if item == layer), "control")
    view = await bot.database.read(_view, seen, known, force or None, faction)
    await say_lines(interaction, here, *view.words(whole=True))


def newest_map(tx: Connection, library: Library, campaign: Campaign) -> Illustration | None:
    """Return the map of a war as it is, as everybody sees it; None where none is on."""
    try:
        book = library.book(tx, campaign, BOOK)
    except BadInput:  # the book is off
        return None
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    view = faction_view(*storage.read(book, scene.values), None)
    title, _ = view.words()
    forces, lines = replace(view, layer="forces").words()
    begins = {name: scene.values[name] for name in (storage.WAR, storage.SCENARIO)}
    parts = {name: value for _, name, value in storage.list_changes(book, begins, view.war) if value is not None}
    left = len(lines) - MOST_LINES
    lines = [*lines[:MOST_LINES], *([f"*and {left} more: `/war map`*"] if left > 0 else [])]
    title = f"{title} and {forces.rpartition(': ')[2]}"  # the picture shows the one, the words the other
    return Illustration(title, lines, PICTURE, {MAP_OF: {storage.WAR: begins[storage.WAR], **parts}}, again=True)


def posted_map(tx: Connection, library: Library, campaign: Campaign, body: Body) -> Drawing | None:
    """Return what draws the map of a digest, or of a war's beginning; None where that has none."""
    if MAP_OF not in body:
        return None
    book = library.book(tx, campaign, BOOK)
    kept: dict[str, Json] = body[MAP_OF]
    began = entries.get_entries_bare(tx, campaign.id, {kept[storage.WAR]["entry"]})
    changes = (item for entry in began.values() for item in entry.content()["changes"])
    scenario = {item["name"]: item["after"] for item in changes if item["name"] == storage.SCENARIO}
    rules, war = storage.read(book, {**scenario, **kept})  # an older version has kept it here too
    return partial(MapView.draw, faction_view(rules, war, None))


COMPONENTS = (show_map_words, show_reach)
