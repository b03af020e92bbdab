"""The strategy map, as a person asks for it and in digests."""

from contextlib import suppress
from functools import partial
from typing import Final

from discord import Embed, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import wars
from bot.core import entries
from bot.core.campaigns import Campaign, require_on_server
from bot.core.errors import BadInput, NotAllowed, unknown_name
from bot.core.ledger import Body
from bot.core.library import Library
from bot.core.records import Json
from bot.core.visibility import Viewer
from bot.orders.kinds import Illustration, OrderAddition, scene_of
from bot.orders.standing import StandingOrder, list_standing, visible_to
from bot.outbox.sending import Drawing
from bot.rolls.desk import desk_of
from bot.ui import text
from bot.ui.reply import IdTemplate, component, say, with_buttons
from bot.ui.text import ATTACHED, COLOURS, drop_missing_images
from rules.books.total_war import storage
from rules.books.total_war.catalog import Refused
from rules.books.total_war.order_kinds import FOLLOW, MOVE, OrderText
from rules.books.total_war.orders.movement import Follow, MoveForce, describe_reach, read_movement
from rules.books.total_war.storage import find_unseen, mask_war
from rules.books.total_war.war import War
from rules.subjects import name_key

WORDS: Final = IdTemplate("war:{campaign:int}:words:{layer:word}:{side:int}:{force:rest}")
"""Faction by place from 1; 0 is the viewer's own."""
REACH: Final = IdTemplate("war:{campaign:int}:reach:{force:rest}")
GIST = 12  # lines next to a map
MOST_LINES = 25  # lines under a digest's map


def _view(
    tx: Connection, seen: wars.RunningWar, layer: wars.Layer, force: str | None, faction: str | None
) -> wars.MapView:
    whose = seen.faction if faction is None else wars.find_faction(seen.war, faction)
    if not seen.leads and whose != seen.faction:
        raise NotAllowed("You can see only what your own faction sees.", "Leave out “faction”.")
    whole = seen.leads and faction is None
    view = wars.MapView(seen.rules, seen.war) if whole else wars.faction_view(seen.rules, seen.war, whose)
    name = next((name for name in view.war.forces if name_key(name) == name_key(force or "")), None)
    if force is not None and name is None:
        raise unknown_name(f"You can't see a force called {force[:60]!r}.", force, view.war.forces, "See /war show.")
    war, way = _with_orders(tx, seen, view.war, name) if name is not None and faction is None else (view.war, ())
    before = wars.war_at_update_start(tx, seen) if layer == "captured" else None
    if before is not None and not whole:
        before = mask_war(seen.rules, before, whose)
    return replace(view, war=war, layer=layer, force=name, way=way, before=before)


def _with_orders(tx: Connection, seen: wars.RunningWar, war: War, name: str) -> tuple[War, tuple[str, ...]]:
    """Return the war with a force's ordered followers and way, as the viewer knows them."""
    way: tuple[str, ...] = ()
    for item in visible_to(seen.viewer, list_standing(tx, seen.campaign)):
        if item.book != wars.BOOK or item.kind not in {MOVE, FOLLOW} or item.to is None:
            continue
        with suppress(Refused):
            order = read_movement(seen.rules, war, OrderText(item.kind, item.who.name, item.to.name))
            if isinstance(order, MoveForce) and order.who == name:
                way = order.path
            elif isinstance(order, Follow) and order.fleet == name:
                war = order.apply(seen.rules, war)
    return war, way


def beside_order(tx: Connection, library: Library, viewer: Viewer, order: StandingOrder) -> OrderAddition | None:
    """Return a moving force's reach and map button; None without a war."""
    seen = wars.find_war(tx, library, viewer.person, viewer.campaign)
    if seen is None:
        return None
    knows_all, name = seen.leads or not seen.rules.scenario.has_fog, order.who.name
    if order.kind != MOVE or name not in seen.seen.forces:
        return OrderAddition(knows_all=knows_all)
    war, _ = _with_orders(tx, seen, seen.seen, name)
    hidden = () if knows_all else find_unseen(seen.rules, seen.war, seen.faction)
    lines = [f"-# {text.plain(line)}" for line in describe_reach(seen.rules, war, war.forces[name], hidden)]
    key = REACH.fill(campaign=viewer.campaign.id, force=name)
    return OrderAddition(lines, [ui.Button(label="Reach on the map", custom_id=key)], knows_all)


async def show_map(interaction: Interaction, layer: wars.Layer, force: str | None, faction: str | None) -> None:
    """Answer with the strategy map and its gist."""
    await _show_map(interaction, await desk_of(interaction).campaign(interaction), layer, force, faction)


@component(REACH)
async def _show_reach(interaction: Interaction, *, campaign: int, force: str) -> None:
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await _show_map(interaction, here, "control", force, None)


async def _show_map(
    interaction: Interaction, campaign: Campaign, layer: wars.Layer, force: str | None, faction: str | None
) -> None:
    bot = interaction.client
    seen = await wars.see_war(interaction, campaign)
    view = await bot.database.read(_view, seen, layer, force, faction)
    picture = await view.picture()
    title, lines = view.words()
    left = len(lines) - GIST
    gist = [*lines[:GIST], *([f"-# {left} more lines: press As text."] if left > 0 else [])]
    embeds = text.fit_embeds(title, gist, colour=COLOURS["neutral"], footer=campaign.name)
    if picture is not None:  # on a telephone it comes before the words
        embeds = [
            Embed(title=embeds[0].title, colour=COLOURS["neutral"]).set_image(url=f"{ATTACHED}{wars.PICTURE}"),
            *embeds,
        ]
        embeds[1].title = None
    side = 0 if faction is None else [*seen.war.factions].index(wars.find_faction(seen.war, faction)) + 1
    key = WORDS.fill(campaign=campaign.id, layer=layer, side=side, force=view.force or "")
    files = {"file": picture.file()} if picture else {}
    words = with_buttons(ui.Button(label="As text", custom_id=key))
    await say(interaction, embeds=drop_missing_images(embeds, picture), view=words, **files)


@component(WORDS)
async def _show_map_words(interaction: Interaction, *, campaign: int, layer: str, side: int, force: str) -> None:
    bot = interaction.client
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    seen = await wars.see_war(interaction, here)
    faction = next(iter([*seen.war.factions][side - 1 : side]), None) if side else None
    known: wars.Layer = next((item for item in wars.LAYERS if item == layer), "control")
    view = await bot.database.read(_view, seen, known, force or None, faction)
    await wars.say_lines(interaction, here, *view.words(whole=True))


def newest_map(tx: Connection, library: Library, campaign: Campaign) -> Illustration | None:
    """Return the map that everyone may see, for digests; None without a war."""
    try:
        book = library.book(tx, campaign, wars.BOOK)
    except BadInput:  # the book is off
        return None
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    view = wars.faction_view(*storage.read(book, scene.values), None)
    title, _ = view.words()
    forces, lines = replace(view, layer="forces").words()
    begins = {name: scene.values[name] for name in (storage.WAR, storage.SCENARIO)}
    parts = {name: value for _, name, value in storage.list_changes(book, begins, view.war) if value is not None}
    left = len(lines) - MOST_LINES
    lines = [*lines[:MOST_LINES], *([f"*and {left} more: `/war map`*"] if left > 0 else [])]
    title = f"{title} and {forces.rpartition(': ')[2]}"  # the picture shows the one, the words the other
    return Illustration(
        title, lines, wars.PICTURE, {wars.MAP_OF: {storage.WAR: begins[storage.WAR], **parts}}, again=True
    )


def draw_posted_map(tx: Connection, library: Library, campaign: Campaign, body: Body) -> Drawing | None:
    """Return how to draw the map kept in an entry's body; None if it has none."""
    if wars.MAP_OF not in body:
        return None
    book = library.book(tx, campaign, wars.BOOK)
    kept: dict[str, Json] = body[wars.MAP_OF]
    began = entries.get_entries_bare(tx, campaign.id, {kept[storage.WAR]["entry"]})
    changes = (item for entry in began.values() for item in entry.content()["changes"])
    scenario = {item["name"]: item["after"] for item in changes if item["name"] == storage.SCENARIO}
    rules, war = storage.read(book, {**scenario, **kept})  # an older version has kept it here too
    return partial(wars.MapView.draw, wars.faction_view(rules, war, None))


COMPONENTS = (_show_map_words, _show_reach)
