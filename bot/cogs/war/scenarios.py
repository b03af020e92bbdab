"""Scenarios: a file that a game master sends is looked at first, then the war begins by it; its entry keeps all of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.war.entries import BOUNDS, SHOWN, WAR_ENTRY
from bot.cogs.war.grouping import Grouping, as_begun, links_of
from bot.cogs.war.told_to_staff import tell_staff
from bot.cogs.war.wars import BOOK, WarHeader
from bot.core import house_files, state
from bot.core.campaigns import Campaign, on_server, require_open
from bot.core.chores import KEPT_FOR
from bot.core.entry_kinds import EntryView
from bot.core.house_files import Document as SentFile
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.errors import FaultyFile, NotOpen
from bot.kernel import Kernel
from bot.orders.lapsing import Work, lapse_with_scene, left_of
from bot.orders.played_scene import scene_of
from bot.orders.words import order_line
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from bot.ui.text import listing, plain
from bot.ui.uploads import apart
from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.scenario import Scenario
from rules.books.total_war.sight import has_fog
from rules.books.total_war.starting import require_second, second_map
from rules.books.total_war.terms import Terms
from rules.books.total_war.war import Rules, War
from rules.bounds import Faults
from rules.errors import BookError
from rules.lines import Document
from rules.phrases import counted
from rules.ruleset import RuleSet
from rules.scenes import scene_key

if TYPE_CHECKING:
    from rules.books.total_war.scenario_file import Checked

ACTION = "start a war"
AGAIN = "Nothing has started. Fix the file and send it again with /war new."
MOST_NAMED = 20
"""How many names a line of the preview has at most."""
SECRET_BYTES = 16
"""How long the secret is by which numbers of units are drawn."""


class SentScenario(Struct, frozen=True):
    """A scenario as it was sent (aware time), by its file name."""

    file: str
    data: bytes
    sent_at: datetime


class SeenScenario(Struct, frozen=True):
    """A scenario before the war begins by it: what it holds, what may be slips, its fingerprint, the war in whose place it comes, and whether that goes on by it (V3)."""

    campaign: Campaign
    checked: Checked
    rules: Rules
    war: War
    fingerprint: str
    before: ReplacedWar | None
    goes_on: bool = False


class ReplacedWar(Struct, frozen=True):
    """A war in whose place another one comes: how it stands, and its orders (in a line each) of which nothing has come yet."""

    header: WarHeader
    rules: Rules
    war: War
    orders: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.header.name

    @property
    def outcome(self) -> str:
        """Who has won it, in a sentence."""
        winner = "without a winner" if self.war.winner is None else f"won by {self.war.called(self.war.winner)}"
        return f"The war before, {self.name}, is over, {winner}."


class ScenarioKey(Struct, frozen=True):
    """A scenario under whose preview somebody pressed a button: by the beginning of its fingerprint, and the entry of the war that was on then (0: none)."""

    campaign: int
    fingerprint: str
    before: int


class BegunWar(Struct, frozen=True):
    """A war that has begun, by its entry, with the posts that are still to be sent."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]


def shipped(now: datetime) -> SentScenario:
    """Return the scenario that comes with the bot."""
    from rules.books.total_war.scenario_file import EXAMPLE  # noqa: PLC0415 - loads with the first file

    return SentScenario(EXAMPLE.name, EXAMPLE.read_bytes(), now)


async def prepare(kernel: Kernel, person: Person, campaign: Campaign, sent: SentScenario) -> SeenScenario:
    """Return what a war would begin with, and keep the file for a day."""
    require_game_master(person, campaign, ACTION)
    require_open(campaign)
    seen = await _look(kernel, campaign, sent)
    text = sent.data.decode("utf-8-sig")
    kept = SentFile(seen.fingerprint, sent.file, text, sent.sent_at, kept=False)
    await kernel.database.write(house_files.put, campaign.id, kept)
    return seen


async def looked_at(kernel: Kernel, person: Person, key: ScenarioKey) -> SeenScenario:
    """Return again what a war would begin with, by a file that is kept."""
    campaign, sent = await kernel.database.read(partial(_sent, kernel.ledger), person, key)
    seen = await _look(kernel, campaign, sent)
    _require_same(key, seen.before)
    return seen


async def _look(kernel: Kernel, campaign: Campaign, sent: SentScenario) -> SeenScenario:
    book, before = await kernel.database.read(_before, kernel.library, campaign)
    return _after(await apart(_seen, campaign, book, sent.file, sent.data, before))


def _sent(ledger: Ledger, tx: Connection, person: Person, key: ScenarioKey) -> tuple[Campaign, SentScenario]:
    campaign = on_server(tx, person.guild_id, key.campaign)
    require_game_master(person, campaign, ACTION)
    sent = _kept(tx, ledger, key)
    return campaign, SentScenario(sent.file, sent.text.encode(), sent.sent_at)


def start(tx: Connection, resolver: Resolver, person: Person, key: ScenarioKey) -> BegunWar:
    """Begin a war by a scenario that was looked at; one that is on is over by that."""
    campaign = on_server(tx, person.guild_id, key.campaign, lock=True)
    require_open(campaign)
    require_game_master(person, campaign, ACTION)
    book, before = _before(tx, resolver.library, campaign)
    _require_same(key, before)
    sent = _kept(tx, resolver.ledger, key)
    seen = _after(_numbered(resolver.ledger, _seen(campaign, book, sent.file, sent.text.encode(), before)))
    scenario = seen.checked.scenario
    lapse_with_scene(Work(tx, resolver, person, campaign), book, f"{scenario.title} has started")
    sides, number, turn = tuple(scenario.factions), next_number(tx, campaign), seen.war.turn
    header = WarHeader(scenario.title, sides, number, turn, book=BOOK)
    made = [*_over(tx, campaign, scenario), *_begun(tx, resolver, book, seen, header)]
    links = links_of(tx, campaign.id, before.header.subject) if before else {}
    grouping = Grouping.of(tx, campaign.id, scene_key(keeping.WAR, scenario.title), links if seen.goes_on else {})
    grouped = as_begun(grouping, seen.war, before.war if before else None, links.values())
    ended = [before.outcome] if before and not seen.goes_on else []
    lines = [*overview(seen, whole=not has_fog(seen.rules)), *ended]  # everybody reads it
    body = {"lines": lines, SHOWN: {keeping.WAR: header.value()}}
    draft = EntryDraft(keeping.WAR, "results", body, (*made, *grouped))
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    pages = WAR_ENTRY.pages(EntryView(entry, campaign.name), "public")
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    queued = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    return BegunWar(campaign, entry, (*queued, *tell_staff(tx, resolver, campaign, entry)))


def overview(seen: SeenScenario, *, whole: bool = True) -> Iterator[str]:
    """Yield what a scenario begins with, in words; without gold and forces unless it is the `whole` of it."""
    scenario, war = seen.checked.scenario, seen.war
    pieces = f", {counted(len(war.forces), 'forces')}" if whole else ""
    yield f"{scenario.title}: {counted(len(war.panels), 'panels')}{pieces}"
    for name, side in war.factions.items():
        panels = sum(panel.owner == name for panel in war.panels.values())
        forces = [item for item in war.forces.values() if item.faction == name]
        units = sum(len(item.units) for item in forces)
        more = f", {side.gold} gold, {counted(len(forces), 'forces')} with {counted(units, 'units')}" if whole else ""
        yield f"{side.name} ({name}): {counted(panels, 'panels')}{more}"
    fog = "each faction sees only what is near (fog)" if scenario.fog == "near" else "everyone sees the whole map"
    orders = "stay hidden until the turn is resolved" if scenario.orders == "sealed" else "are carried out at once"
    yield f"Orders {orders}; {fog}"
    if seen.goes_on:
        yield f"{seen.before.name if seen.before else 'The war'} goes on here with the same players, ranks, leaders and researched models"


def asked_later(seen: SeenScenario) -> Iterator[str]:
    """Yield which numbers are not in a scenario: a game master is asked for each once it is needed."""
    names = [*seen.checked.scenario.unpriced]
    if names:
        left = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        yield f"No price yet: {listing([*names[:MOST_NAMED], *left])}. Set one when it's needed: /war set what:price."


def lost(seen: SeenScenario) -> Iterator[str]:
    """Yield in markdown what is over or comes to nothing when a war begins by a scenario."""
    old = seen.before
    if old is None:
        return
    if not seen.goes_on:
        won = "no winner yet" if old.war.winner is None else f"won by {plain(old.war.called(old.war.winner))}"
        yield f"Starting this ends **{plain(old.name)}** ({won})."
    if old.war.battles and old.war.winner is None:
        places = listing([str(at) for at in old.war.battles])
        yield f"Battles left undecided: {places}."
    if old.orders:
        more = [f"{len(old.orders) - MOST_NAMED} more"] if len(old.orders) > MOST_NAMED else []
        yield f"Orders that are cancelled: {'; '.join([*old.orders[:MOST_NAMED], *more])}."


def _require_same(key: ScenarioKey, before: ReplacedWar | None) -> None:
    """Refuse what was looked at while another war, or none, was on."""
    if key.before != (before.header.entry if before else 0):
        raise NotOpen(f"{before.name if before else 'The war'} has started or ended in the meantime.", "See /war show.")


def _before(tx: Connection, library: Library, campaign: Campaign) -> tuple[RuleSet, ReplacedWar | None]:
    """Return the book, and the war that is on."""
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return book, None
    left = tuple(order_line(known, order) for order, known in left_of(tx, campaign, book))
    return book, ReplacedWar(WarHeader.of(scene.values[keeping.WAR]), *keeping.read(book, scene.values), left)


def _after(seen: SeenScenario) -> SeenScenario:
    """Return a scenario as the second map of a war that goes on across it, where it is that."""
    old = seen.before
    if old is None or old.rules.scenario.second != seen.checked.scenario.id:
        return seen
    require_second(old.rules, old.war, seen.checked.scenario.id)
    return replace(seen, war=second_map(seen.rules, old.war), goes_on=True)


def _seen(campaign: Campaign, book: Book, file: str, data: bytes, before: ReplacedWar | None) -> SeenScenario:
    """Read a scenario."""
    from rules.books.total_war.scenario_file import read_scenario  # noqa: PLC0415 - as above

    try:
        checked = read_scenario(book, _document(file, data))
    except BookError as error:
        raise FaultyFile(file, error.faults, AGAIN) from error
    rules = Rules(Terms(book, checked.scenario.switches), checked.scenario)
    return SeenScenario(campaign, checked, rules, keeping.begun(rules), sha256(data).hexdigest(), before)


def _numbered(ledger: Ledger, seen: SeenScenario) -> SeenScenario:
    """Return a scenario whose units get numbers in an order that is drawn where there is fog, so that no id tells how many there are."""
    if not has_fog(seen.rules):
        return seen
    scenario = replace(seen.checked.scenario, numbered=ledger.random_id(SECRET_BYTES))
    rules = replace(seen.rules, scenario=scenario)
    return replace(seen, checked=replace(seen.checked, scenario=scenario), rules=rules, war=keeping.begun(rules))


def _document(file: str, data: bytes) -> Document:
    from rules.draft import parse  # noqa: PLC0415 - as above

    faults = Faults()
    faults.extend(BOUNDS.before_parsing(file, data))
    document = None if faults else parse(file, data, faults)
    if document is not None:
        faults.extend(BOUNDS.after_parsing(document))
    if document is None or faults:
        raise BookError(faults)
    return document


def _kept(tx: Connection, ledger: Ledger, key: ScenarioKey) -> SentFile:
    sent = house_files.beginning(tx, key.campaign, key.fingerprint)
    if sent is None or ledger.now() - sent.sent_at > KEPT_FOR:
        raise NotOpen("That scenario has expired: it was sent more than a day ago.", "Send it again: /war new.")
    return sent


def _over(tx: Connection, campaign: Campaign, scenario: Scenario) -> Iterator[Change]:
    """Yield what ends a war that is on, and what clears away one of the same name."""
    mine = scene_key(keeping.WAR, scenario.title)
    for subject, header in state.of_name(tx, campaign.id, keeping.WAR).items():
        if subject != mine and not header["over"]:
            yield Change(subject, keeping.WAR, header, {**header, "over": True})
    for (subject, name), value in state.of_subjects(tx, campaign.id, {mine}).items():
        if name not in {keeping.WAR, keeping.SCENARIO}:
            yield Change(subject, name, value, None)


def _begun(tx: Connection, resolver: Resolver, book: Book, seen: SeenScenario, header: WarHeader) -> Iterator[Change]:
    """Yield what a war begins with: its header, its scenario, and who commands which force, by pseudonyms in place of ids."""
    scenario, campaign = seen.checked.scenario, seen.campaign
    commanders = {
        item.name: resolver.ledger.actor(tx, campaign, item.commander)
        for item in scenario.forces
        if item.commander is not None
    }
    forces = tuple(replace(item, commander=None) for item in scenario.forces)
    kept = {keeping.SCENARIO: keeping.kept_scenario(replace(scenario, forces=forces), seen.fingerprint)}
    values = {keeping.WAR: header.value(), **kept}
    war = seen.war if seen.goes_on else keeping.read(book, values)[1]
    called = {item.owner: name for name, item in war.players.items()}
    theirs = (replace(war.forces[name], commander=called.get(who, who)) for name, who in commanders.items())
    war = war.with_forces(*theirs)
    before = state.of_subjects(tx, campaign.id, {header.subject})
    for name, value in [*values.items(), *((name, value) for _, name, value in keeping.changes(book, values, war))]:
        was = before.get((header.subject, name)) if name in values else None
        yield Change(header.subject, name, was, value)
