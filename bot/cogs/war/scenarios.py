"""Scenario files: previewed first, then a war begins; its entry keeps the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import discord
from discord import ButtonStyle, Embed, ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import wars
from bot.cogs.war.posts import Grouping, group_factions, notify_staff, read_links
from bot.core import database, errors, library, records, state
from bot.core.campaigns import Campaign, require_on_server, require_open
from bot.core.ledger import EntryDraft, EntryView, Ledger, next_number
from bot.core.library import Library, SentFile
from bot.core.permissions import Person, require_game_master
from bot.kernel import Kernel
from bot.orders.entries import OrderWork, cancel_with_scene, open_orders
from bot.orders.kinds import order_line, scene_of
from bot.outbox.queue import OutgoingMessage, Post
from bot.outbox.sending import draw_picture
from bot.rolls import entries, receipts
from bot.rolls.desk import desk_of
from bot.rolls.resolver import Resolver
from bot.ui import reply, text
from bot.ui.files import read_file, run_apart
from bot.ui.receipt import receipt
from bot.ui.reply import person, put_answer, rewrite, say
from bot.ui.text import Controls
from rules import documents, phrases, ruleset
from rules.book import Book
from rules.books.total_war import catalog, course, storage
from rules.books.total_war.scenario import Scenario
from rules.books.total_war.war import Rules, War
from rules.errors import BookError
from rules.scenes import scene_key

if TYPE_CHECKING:
    from rules.books.total_war.scenario_file import CheckedScenario

ACTION = "start a war"
AGAIN = "Nothing has started. Fix the file and send it again with /gm-war new."
MOST_NAMED = 20  # in a line of the preview
START: Final = reply.IdTemplate("war:{campaign:int}:start:{fingerprint:hex}:{before:int}")
DISCARD: Final = reply.IdTemplate("war:{campaign:int}:discard:{fingerprint:hex}:{before:int}")
PLAN: Final = reply.IdTemplate("war:{campaign:int}:plan:{fingerprint:hex}:{before:int}")
JOIN = "Players join with `/war join`. See the map: `/war map`."
IN_FOG = (
    "Fog: each faction gets its results in its group's channel. Set it once players have joined:"
    " `/gm settings`, Groups. Without a channel, players use `/war map` and `/war show`."
)
SHORT = 16  # in ids, of a fingerprint
SECRET_BYTES = 16  # for the drawn numbers of units


class SeenScenario(Struct, frozen=True):
    """A checked scenario with its war, the war it replaces (`before`), and whether that one goes on (V3)."""

    campaign: Campaign
    checked: CheckedScenario
    rules: Rules
    war: War
    fingerprint: str
    before: ReplacedWar | None
    goes_on: bool = False

    @property
    def map(self) -> wars.MapView:
        """The map that it begins with."""
        return wars.MapView(self.rules, self.war)


class ReplacedWar(Struct, frozen=True):
    """The war to be replaced, and its open orders as lines."""

    header: wars.WarHeader
    rules: Rules
    war: War
    orders: tuple[str, ...]


class ScenarioKey(Struct, frozen=True):
    """A previewed scenario in ids; `before` is the entry of the war on then (0: none)."""

    campaign: int
    fingerprint: str
    before: int


async def new(interaction: Interaction, file: discord.Attachment | None) -> None:
    """Preview a scenario or list its errors; keep the file for a day."""
    kernel, who = interaction.client.kernel, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    require_game_master(who, campaign, ACTION)  # before a file is fetched
    if file is None:
        from rules.books.total_war.scenario_file import EXAMPLE  # noqa: PLC0415 - loads with the first file

        name, data = EXAMPLE.name, EXAMPLE.read_bytes()
    else:
        name, data = file.filename, await read_file(file, wars.BOUNDS.size, wars.BOUNDS.mend)
    require_open(campaign)
    seen = await _read_preview(kernel, campaign, name, data)
    kept = SentFile(seen.fingerprint, name, data.decode("utf-8-sig"), kernel.ledger.now(), kept=False)
    await kernel.database.write(library.store_file, campaign.id, kept)
    picture = await draw_picture(wars.PICTURE, seen.map.draw)
    embed = _preview(seen).set_image(url=f"{text.ATTACHED}{picture.name}" if picture else None)
    files = {"file": picture.file()} if picture else {}
    await say(interaction, embeds=text.drop_missing_images([embed], picture), view=_buttons(seen), **files)


@reply.component(PLAN)
async def _show_plan(interaction: Interaction, *, campaign: int, fingerprint: str, before: int) -> None:
    kernel, key = interaction.client.kernel, ScenarioKey(campaign, fingerprint, before)
    here, file, data = await kernel.database.read(partial(_read_sent, kernel.ledger), person(interaction), key)
    seen = await _read_preview(kernel, here, file, data)
    _require_same(key, seen.before)
    await wars.say_lines(interaction, here, *seen.map.words(whole=True))


@reply.component(START)
async def _start(interaction: Interaction, *, campaign: int, fingerprint: str, before: int) -> None:
    bot, key = interaction.client, ScenarioKey(campaign, fingerprint, before)
    here, entry, posts = await bot.database.write(_begin_war, bot.resolver, person(interaction), key)
    await rewrite(interaction, view=None)
    title = f"The war is on: entry #{entry.number}"
    undo = entries.take_back_button(here.id, entry.number)
    await receipts.deliver(interaction, posts, partial(_show_begun, interaction, here, title, undo), done=title)


async def _show_begun(
    interaction: Interaction, campaign: Campaign, title: str, undo: ui.Button[ui.LayoutView], sent: Sequence[Post]
) -> None:
    colour = text.COLOURS["danger" if any(post.fault for post in sent) else "success"]
    await put_answer(interaction, view=receipt(title, [JOIN, *receipts.delivery_lines(campaign, sent)], colour, [undo]))


@reply.component(DISCARD)
async def _discard(interaction: Interaction, *, campaign: int, **_key: object) -> None:
    who = person(interaction)
    here = await interaction.client.database.read(require_on_server, who.guild_id, campaign)
    require_game_master(who, here, ACTION)
    await rewrite(interaction, view=None)
    await put_answer(interaction, view=receipt("Discarded, nothing has started", [], text.COLOURS["neutral"]))


COMPONENTS = (_show_plan, _start, _discard)


def _preview(seen: SeenScenario) -> Embed:
    *forces, key = seen.map.words()[1]
    lines = [*_describe_overview(seen, forces)]
    lines += [f"\N{WARNING SIGN} {text.plain(item.what)}" for item in seen.checked.warnings[:10]]
    names = [*seen.checked.scenario.ids_without_price]
    if names:
        left = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        free = text.join_words([*names[:MOST_NAMED], *left])
        lines.append(text.plain(f"No price yet: {free}. Set one when it's needed: /gm-war set what:price."))
    lines += [f"\N{WARNING SIGN} {line}" for line in _list_lost(seen)]
    lines += [IN_FOG] if seen.rules.scenario.has_fog else []
    words = "\n".join([*text.fit_lines(text.MAX_DESCRIPTION - len(key) - 1, lines), key])
    embed = Embed(title="Start this war?", description=words, colour=text.COLOURS["neutral"])
    return embed.set_footer(text=f"{seen.campaign.name} · not started yet")


def _buttons(seen: SeenScenario) -> ui.View:
    key = {
        "campaign": seen.campaign.id,
        "fingerprint": seen.fingerprint[:SHORT],
        "before": seen.before.header.entry if seen.before else 0,
    }
    begin: ui.Button[ui.View] = ui.Button(label="Start", style=ButtonStyle.success, custom_id=START.fill(**key))
    words: ui.Button[ui.View] = ui.Button(label="As text", custom_id=PLAN.fill(**key))
    return Controls(begin, ui.Button(label="Discard", custom_id=DISCARD.fill(**key)), words)


async def _read_preview(kernel: Kernel, campaign: Campaign, file: str, data: bytes) -> SeenScenario:
    book, before = await kernel.database.read(_read_current, kernel.library, campaign)
    return _as_second_map(await run_apart(_read_scenario, campaign, book, file, data, before))


def _read_sent(ledger: Ledger, tx: Connection, who: Person, key: ScenarioKey) -> tuple[Campaign, str, bytes]:
    campaign = require_on_server(tx, who.guild_id, key.campaign)
    require_game_master(who, campaign, ACTION)
    sent = _find_sent(tx, ledger, key)
    return campaign, sent.file, sent.text.encode()


def _begin_war(
    tx: Connection, resolver: Resolver, who: Person, key: ScenarioKey
) -> tuple[Campaign, records.Entry, Sequence[Post]]:
    campaign = require_on_server(tx, who.guild_id, key.campaign, lock=True)
    require_open(campaign)
    require_game_master(who, campaign, ACTION)
    book, before = _read_current(tx, resolver.library, campaign)
    _require_same(key, before)
    sent = _find_sent(tx, resolver.ledger, key)
    read = _read_scenario(campaign, book, sent.file, sent.text.encode(), before)
    seen = _as_second_map(_shuffle_numbers(resolver.ledger, read))
    scenario = seen.checked.scenario
    cancel_with_scene(OrderWork(tx, resolver, who, campaign), book, f"{scenario.title} has started")
    sides, number, turn = tuple(scenario.factions), next_number(tx, campaign), seen.war.turn
    header = wars.WarHeader(scenario.title, sides, number, turn, book=wars.BOOK)
    made = [*_end_changes(tx, campaign, scenario), *_start_changes(tx, resolver, book, seen, header)]
    links = read_links(tx, campaign.id, before.header.subject) if before else {}
    grouping = Grouping.of(tx, campaign.id, scene_key(storage.WAR, scenario.title), links if seen.goes_on else {})
    grouped = group_factions(grouping, seen.war, before.war if before else None, links.values())
    ended, whole = [], not seen.rules.scenario.has_fog
    if before and not seen.goes_on:
        won = f"won by {before.war.name_side(before.war.winner)}" if before.war.winner else "without a winner"
        ended.append(f"The war before, {before.header.name}, is over, {won}.")
    lines = [*_describe_overview(seen, _describe_sides(seen, whole=whole), whole=whole), *ended]  # public
    body = {"lines": lines, wars.MAP_OF: {storage.WAR: header.value()}}
    draft = EntryDraft(storage.WAR, "results", body, (*made, *grouped))
    entry = resolver.ledger.enter(tx, campaign, who.user_id, draft)
    pages = wars.WAR_ENTRY.pages(EntryView(entry, campaign.name), "public")
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    queued = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    return campaign, entry, (*queued, *notify_staff(tx, resolver, campaign, entry))


def _describe_overview(seen: SeenScenario, sides: Iterable[str], *, whole: bool = True) -> Iterator[str]:
    scenario, war = seen.checked.scenario, seen.war
    pieces = f", {phrases.format_count(len(war.forces), 'forces')}" if whole else ""
    yield f"{scenario.title}: {phrases.format_count(len(war.panels), 'panels')}{pieces}"
    yield from sides
    fog = "each faction sees only what is near (fog)" if scenario.fog == "near" else "everyone sees the whole map"
    orders = "stay hidden until the turn is resolved" if scenario.orders == "sealed" else "are carried out at once"
    yield f"Orders {orders}; {fog}"
    if seen.goes_on:
        yield f"{seen.before.header.name if seen.before else 'The war'} goes on here with the same players, ranks, leaders and researched models"


def _describe_sides(seen: SeenScenario, *, whole: bool) -> Iterator[str]:
    for name, side in seen.war.factions.items():
        panels = sum(panel.owner == name for panel in seen.war.panels.values())
        forces = [item for item in seen.war.forces.values() if item.faction == name]
        units = sum(len(item.units) for item in forces)
        count = f"{phrases.format_count(len(forces), 'forces')} with {phrases.format_count(units, 'units')}"
        more = f", {side.gold} gold, {count}" if whole else ""
        yield f"{side.name} ({name}): {phrases.format_count(panels, 'panels')}{more}"


def _list_lost(seen: SeenScenario) -> Iterator[str]:
    old = seen.before
    if old is None:
        return
    if not seen.goes_on:
        won = "no winner yet" if old.war.winner is None else f"won by {text.plain(old.war.name_side(old.war.winner))}"
        yield f"Starting this ends **{text.plain(old.header.name)}** ({won})."
    if old.war.battles and old.war.winner is None:
        places = text.join_words([str(at) for at in old.war.battles])
        yield f"Battles left undecided: {places}."
    if old.orders:
        more = [f"{len(old.orders) - MOST_NAMED} more"] if len(old.orders) > MOST_NAMED else []
        yield f"Orders that are cancelled: {'; '.join([*old.orders[:MOST_NAMED], *more])}."


def _require_same(key: ScenarioKey, before: ReplacedWar | None) -> None:
    if key.before != (before.header.entry if before else 0):
        name = before.header.name if before else "The war"
        raise errors.NotOpen(f"{name} has started or ended in the meantime.", "See /war show.")


def _read_current(tx: Connection, library: Library, campaign: Campaign) -> tuple[ruleset.RuleSet, ReplacedWar | None]:
    book = library.book(tx, campaign, wars.BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return book, None
    left = tuple(order_line(known, order) for order, known in open_orders(tx, campaign, book))
    return book, ReplacedWar(wars.WarHeader.of(scene.values[storage.WAR]), *storage.read(book, scene.values), left)


def _as_second_map(seen: SeenScenario) -> SeenScenario:
    old = seen.before
    if old is None or old.rules.scenario.second != seen.checked.scenario.id:
        return seen
    course.require_second(old.rules, old.war, seen.checked.scenario.id)
    return replace(seen, war=course.begin_second_map(seen.rules, old.war), goes_on=True)


def _read_scenario(campaign: Campaign, book: Book, file: str, data: bytes, before: ReplacedWar | None) -> SeenScenario:
    from rules.books.total_war.scenario_file import read_scenario  # noqa: PLC0415 - as above

    try:
        checked = read_scenario(book, _document(file, data))
    except BookError as error:
        raise errors.FaultyFile(file, error.faults, AGAIN) from error
    rules = Rules(catalog.Terms(book, checked.scenario.switches), checked.scenario)
    return SeenScenario(campaign, checked, rules, storage.begin_war(rules), sha256(data).hexdigest(), before)


def _shuffle_numbers(ledger: Ledger, seen: SeenScenario) -> SeenScenario:
    if not seen.rules.scenario.has_fog:
        return seen
    scenario = replace(seen.checked.scenario, numbered=ledger.random_id(SECRET_BYTES))
    rules = replace(seen.rules, scenario=scenario)
    return replace(seen, checked=replace(seen.checked, scenario=scenario), rules=rules, war=storage.begin_war(rules))


def _document(file: str, data: bytes) -> documents.Document:
    from rules.draft import parse  # noqa: PLC0415 - as above

    faults = documents.Faults()
    faults.extend(wars.BOUNDS.before_parsing(file, data))
    document = None if faults else parse(file, data, faults)
    if document is not None:
        faults.extend(wars.BOUNDS.after_parsing(document))
    if document is None or faults:
        raise BookError(faults)
    return document


def _find_sent(tx: Connection, ledger: Ledger, key: ScenarioKey) -> SentFile:
    sent = library.find_file(tx, key.campaign, key.fingerprint)
    if sent is None or ledger.now() - sent.sent_at > database.KEPT_FOR:
        raise errors.NotOpen(
            "That scenario has expired: it was sent more than a day ago.", "Send it again: /gm-war new."
        )
    return sent


def _end_changes(tx: Connection, campaign: Campaign, scenario: Scenario) -> Iterator[records.Change]:
    mine = scene_key(storage.WAR, scenario.title)
    for subject, header in state.find_values_of_name(tx, campaign.id, storage.WAR).items():
        if subject != mine and not header["over"]:
            yield records.Change(subject, storage.WAR, header, {**header, "over": True})
    for (subject, name), value in state.get_values(tx, campaign.id, {mine}).items():
        if name not in {storage.WAR, storage.SCENARIO}:
            yield records.Change(subject, name, value, None)


def _start_changes(
    tx: Connection, resolver: Resolver, book: Book, seen: SeenScenario, header: wars.WarHeader
) -> Iterator[records.Change]:
    scenario, campaign = seen.checked.scenario, seen.campaign
    led = [(item.name, item.commander) for item in scenario.forces if item.commander is not None]
    commanders = {name: resolver.ledger.actor(tx, campaign, user) for name, user in led}
    forces = tuple(replace(item, commander=None) for item in scenario.forces)
    kept = {storage.SCENARIO: storage.store_scenario(replace(scenario, forces=forces), seen.fingerprint)}
    values = {storage.WAR: header.value(), **kept}
    war = seen.war if seen.goes_on else storage.read(book, values)[1]
    called = {item.owner: name for name, item in war.players.items()}
    theirs = (replace(war.forces[name], commander=called.get(who, who)) for name, who in commanders.items())
    war = war.with_forces(*theirs)
    before = state.get_values(tx, campaign.id, {header.subject})
    for name, value in [
        *values.items(),
        *((name, value) for _, name, value in storage.list_changes(book, values, war)),
    ]:
        was = before.get((header.subject, name)) if name in values else None
        yield records.Change(header.subject, name, was, value)
