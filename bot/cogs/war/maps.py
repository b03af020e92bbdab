"""The strategy map, as a person asks for it and in digests, and what waits in a war."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Final

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import battles, wars
from bot.core import ledger, voiding
from bot.core.campaigns import Campaign, current_update, find_update_entry, require_on_server
from bot.core.errors import BadInput, NotAllowed, unknown_name
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.orders import digest, kinds
from bot.orders.standing import StandingOrder, list_standing, visible_to
from bot.outbox.sending import Drawing, draw_picture
from bot.rolls.card.service import list_open
from bot.ui import reply, text
from bot.ui.receipt import FEW, Todo
from bot.ui.text import Controls, plain
from rules import effects, errors, geometry, orders, phrases, procedure
from rules.books.total_war import catalog, course, order_kinds, storage
from rules.books.total_war.battles import list_retreating
from rules.books.total_war.course import list_pending
from rules.books.total_war.orders.movement import Follow, MoveForce, describe_reach, read_movement
from rules.books.total_war.war import War
from rules.subjects import name_key

WORDS: Final = reply.IdTemplate("war:{campaign:int}:words:{layer:word}:{side:int}:{force:rest}")
"""Faction by place from 1; 0 is the viewer's own."""
REACH: Final = reply.IdTemplate("war:{campaign:int}:reach:{force:rest}")


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
    before = _find_war_at_start(tx, seen) if layer == "captured" else None
    if before is not None and not whole:
        before = storage.mask_war(seen.rules, before, whose)
    return replace(view, war=war, layer=layer, force=name, way=way, before=before)


def _find_war_at_start(tx: Connection, seen: wars.RunningWar) -> War:
    # Whole, as it was at the update's start, or at its own later beginning.
    since = voiding.find_state_before(tx, seen.campaign.id, find_update_entry(tx, seen.campaign.id) + 1)
    values = {**seen.values, **{name: value for (subject, name), value in since.items() if subject == seen.subject}}
    values = {name: value for name, value in values.items() if value is not None}
    if storage.SCENARIO not in values:
        return storage.find_start(seen.book, seen.values).war
    return storage.read(seen.book, values)[1]


def _with_orders(tx: Connection, seen: wars.RunningWar, war: War, name: str) -> tuple[War, tuple[str, ...]]:
    way: tuple[str, ...] = ()
    for item in visible_to(seen.viewer, list_standing(tx, seen.campaign)):
        if item.book != wars.BOOK or item.kind not in {order_kinds.MOVE, order_kinds.FOLLOW} or item.to is None:
            continue
        with suppress(catalog.Refused):
            order = read_movement(seen.rules, war, order_kinds.OrderText(item.kind, item.who.name, item.to.name))
            if isinstance(order, MoveForce) and order.who == name:
                way = order.path
            elif isinstance(order, Follow) and order.fleet == name:
                war = order.apply(seen.rules, war)
    return war, way


def beside_order(tx: Connection, library: Library, viewer: Viewer, order: StandingOrder) -> kinds.OrderAddition | None:
    """Return a moving force's reach and map button; None without a war."""
    seen = wars.find_war(tx, library, viewer.person, viewer.campaign)
    if seen is None:
        return None
    knows_all, name = seen.leads or not seen.rules.scenario.has_fog, order.who.name
    if order.kind != order_kinds.MOVE or name not in seen.seen.forces:
        return kinds.OrderAddition(knows_all=knows_all)
    war, _ = _with_orders(tx, seen, seen.seen, name)
    hidden = () if knows_all else storage.find_unseen(seen.rules, seen.war, seen.faction)
    lines = [f"-# {plain(line)}" for line in describe_reach(seen.rules, war, war.forces[name], hidden)]
    key = REACH.fill(campaign=viewer.campaign.id, force=name)
    return kinds.OrderAddition(lines, [ui.Button(label="Reach on the map", custom_id=key)], knows_all)


@reply.component(REACH)
async def _show_reach(interaction: Interaction, *, campaign: int, force: str) -> None:
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, campaign)
    await show_map(interaction, here, "control", force, None)


async def show_map(
    interaction: Interaction, campaign: Campaign, layer: wars.Layer, force: str | None, faction: str | None
) -> None:
    """Answer with the strategy map and its gist."""
    bot = interaction.client
    seen = await wars.see_war(interaction, campaign)
    view = await bot.database.read(_view, seen, layer, force, faction)
    picture = await draw_picture(wars.PICTURE, view.draw)
    if picture is None:
        await wars.say_lines(interaction, campaign, *view.words(whole=True))
        return
    title, lines = view.words()
    embeds = text.picture_embeds(title, lines, footer=campaign.name, picture=picture.name)
    side = 0 if faction is None else [*seen.war.factions].index(wars.find_faction(seen.war, faction)) + 1
    key = WORDS.fill(campaign=campaign.id, layer=layer, side=side, force=view.force or "")
    words = Controls(ui.Button(label="As text", custom_id=key))
    await reply.say(interaction, embeds=embeds, view=words, file=picture.file())


@reply.component(WORDS)
async def _show_map_words(interaction: Interaction, *, campaign: int, layer: str, side: int, force: str) -> None:
    bot = interaction.client
    here = await bot.database.read(require_on_server, interaction.guild_id or 0, campaign)
    seen = await wars.see_war(interaction, here)
    faction = next(iter([*seen.war.factions][side - 1 : side]), None) if side else None
    known: wars.Layer = next((item for item in wars.LAYERS if item == layer), "control")
    view = await bot.database.read(_view, seen, known, force or None, faction)
    await wars.say_lines(interaction, here, *view.words(whole=True))


def newest_map(tx: Connection, library: Library, campaign: Campaign) -> kinds.Illustration | None:
    """Return the map that everyone may see, for digests; None without a war."""
    try:
        book = library.book(tx, campaign, wars.BOOK)
    except BadInput:  # the book is off
        return None
    scene = kinds.scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    view = wars.faction_view(*storage.read(book, scene.values), None)
    title, lines = view.words()
    begins = {name: scene.values[name] for name in (storage.WAR, storage.SCENARIO)}
    parts = {name: value for _, name, value in storage.list_changes(book, begins, view.war) if value is not None}
    return kinds.Illustration(title, lines, wars.PICTURE, {wars.MAP_OF: {storage.WAR: begins[storage.WAR], **parts}})


def draw_posted_map(tx: Connection, library: Library, campaign: Campaign, body: ledger.Body) -> Drawing | None:
    """Return how to draw an entry's map, if any."""
    view = wars.read_posted_map(tx, library, campaign, body)
    return None if view is None else partial(wars.MapView.draw, view)


COMPONENTS = (_show_map_words, _show_reach)


STAYS = "If you close now, the turn goes on in the next update, and forces that have moved wait. To end it first, press Resolve after the last battle."


def list_todo(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what a war waits for from the viewer."""
    try:
        seen = wars.find_war(tx, library, viewer.person, viewer.campaign)
    except BadInput:  # the book is off
        return
    if seen is not None:
        yield from _staff_todo(tx, seen) if seen.leads else (*own_battles(seen), *_own_answers(tx, seen))


def _staff_todo(tx: Connection, seen: wars.RunningWar) -> Iterator[Todo]:
    war, name = seen.war, plain(seen.name)
    yield from _list_outdated(tx, seen)
    if war.winner is not None:
        if digest.is_due(tx, seen.campaign, wars.BOOK):  # a war won by a battle ends without Resolve
            line = f"{name} is over, but its last results aren't posted."
            about = {"campaign": seen.campaign.id, "number": current_update(tx, seen.campaign.id)["number"]}
            post: ui.Button[ui.LayoutView] = ui.Button(label="Digest", custom_id=kinds.DIGEST.fill(**about))
            yield Todo("War", [f"\N{BULLET} {line}"], [[post]], undone=line)
        return
    owing = [(side, what) for faction, side in war.factions.items() for what in list_pending(seen.rules, war, faction)]
    lines = [f"{side.name} ({side.leader or 'no leader, so you answer'}): {what}" for side, what in owing]
    if lines:
        yield Todo("Answers due in the war", [f"\N{BULLET} {plain(line)}" for line in lines])
    second = course.find_second(seen.rules, war)
    if second is not None:
        yield Todo("War", [f"\N{BULLET} The war goes on with the scenario {plain(second)}: `/gm-war new scenario:`"])
    update = current_update(tx, seen.campaign.id)["number"]
    if war.update != update:
        waits = f" ({phrases.format_count(len(war.battles), 'battles')} to finish)" if war.battles else ""
        line = f"Turn {war.turn} of {name} hasn't ended{waits}"
        key = kinds.PLAN.fill(campaign=seen.campaign.id, number=update)
        button: ui.Button[ui.LayoutView] = ui.Button(label="Resolve", custom_id=key)
        yield Todo("War", [f"\N{BULLET} {line}"], [[button]], undone=f"{line}. {STAYS}", instead=[button])


def _list_outdated(tx: Connection, seen: wars.RunningWar) -> Iterator[Todo]:
    found = [*islice(_list_refused(tx, seen), FEW)]
    if found:
        lines = [f"{who} can't be rolled any more: {why}" for who, why in found]
        shown = [f"\N{BULLET} {plain(line)}" for line in lines]
        yield Todo(
            "Outdated roll cards", [*shown, "-# Cancel them: `/help`, Open cards."], undone=plain(" ".join(lines))
        )


def _list_refused(tx: Connection, seen: wars.RunningWar) -> Iterator[tuple[str, str]]:
    known: set[tuple[str, str]] = set()
    for _, request in list_open(tx, seen.viewer.person, seen.campaign):
        for item in request.parts if (request.book, request.scene) == (seen.book.id, seen.subject) else ():
            part = procedure.Part(key="", subjects=item.subjects, inputs=item.inputs, kept={effects.SCENE: seen.values})
            try:
                seen.book.procedure(request.family).method.check(part, seen.book)
            except errors.RollError as refused:
                line = (f"{request.family} {item.subjects.get(order_kinds.UNIT, '')}".strip(), str(refused))
                if line not in known:
                    known.add(line)
                    yield line


def own_battles(seen: wars.RunningWar) -> Iterator[Todo]:
    """Yield battles that wait for the viewer, as one item with board buttons."""
    acts = seen.callsign is not None and seen.war.winner is None
    found = [*islice(_list_waiting(seen), FEW)] if acts else []
    if found:
        keys = (wars.BattleKey(seen.campaign.id, str(at), wars.find_first_entry(seen.values, at)) for at, _ in found)
        buttons = [key.button(f"Board of {key.at}", wars.SHOW_BOARD) for key in keys]
        lines = [plain(f"Battle on {at}: {line}") for at, line in found]
        yield Todo("Needs you", [f"\N{BULLET} {line}" for line in lines], [buttons])


def _list_waiting(seen: wars.RunningWar) -> Iterator[tuple[geometry.Hex, str]]:
    for at in seen.seen.battles:
        battle = seen.war.battles[at]
        fight = battle.fight
        own = [force.name for force in list_retreating(seen.rules, seen.war, at) if force.commander == seen.callsign]
        if not fight.outcome.over and fight.active in battles.own_sides(seen.war, battle, seen.callsign):
            yield at, f"turn {fight.turn}, your half"
        elif own:
            yield at, f"over, {phrases.join_words(own)} {'have' if own[1:] else 'has'} to retreat"


def _own_answers(tx: Connection, seen: wars.RunningWar) -> Iterator[Todo]:
    given = [name_key(item.who.name) for item in list_standing(tx, seen.campaign) if item.kind == order_kinds.ANSWER]
    led = [(name, side) for name, side in seen.war.factions.items() if side.leader and side.leader == seen.callsign]
    owing = [(side.name, [*list_pending(seen.rules, seen.war, name)]) for name, side in led]
    label = seen.book.entries_of(orders.OrderKind)[order_kinds.ANSWER].label
    lines = [
        f"\N{BULLET} {plain(side)}: {plain(what)}: `/order give kind:{label} who:{plain(side)}`"
        for side, answers in owing
        for what in answers
        if given.count(name_key(side)) < len(answers)
    ]
    if lines:
        yield Todo("Needs your answer", lines)
