"""Orders as players give them, and how game masters arrange them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.errors import BadInput, NotAsItIs
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Pages, View
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer, make_viewer
from bot.orders import kinds, resolution, service, snapshot
from bot.orders.entries import OrderWork, viewpoint_of
from bot.orders.forecast import describe_forecast, forecast_sides
from bot.orders.ids import OrderKey
from bot.orders.standing import StandingOrder, visible_to
from bot.rolls.embed import consequences_text
from bot.rolls.preview import Preview
from bot.rolls.resolver import Resolver
from bot.ui.receipt import plain_pages
from bot.ui.text import bar, plain
from rules.orders import OrdersForecast
from rules.phrases import percent

Add = Callable[[Connection, Library, Viewer, StandingOrder], kinds.OrderAddition | None]
"""Returns what a feature shows with an order."""

SEALED = "-# Sealed: only you and the game masters see it until the update is resolved."
MAX_CHANCES = 8
FORESEEN = ("**Forecast, from what you know:**", "**Forecast:**")  # by whether the giver knows everything
UNLESS_LAPSED = "**Forecast, unless it's cancelled:**"


def give_order(  # noqa: PLR0913, PLR0917 - who asks for what, and what features show with it
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    asked: service.AskedOrder,
    additions: Mapping[str | None, Add] = MappingProxyType({}),
) -> tuple[service.GivenOrder, resolution.ResolutionStep | None]:
    """Enter an order. An open scene carries it out, a sealed one forecasts it; without one it waits.

    The additions of a carried-out order are read before it is carried out.
    """
    given = service.enter_order(tx, resolver, person, campaign_id, asked)
    scene = kinds.scene_of(tx, campaign_id, given.known.book)
    if scene is None:
        return given, None
    if scene.is_sealed:
        return _with_forecast(tx, make_viewer(tx, person, given.campaign), given, scene), None
    given = with_addition(tx, resolver.library, person, given, additions)
    stands = snapshot.read_snapshot(tx, given.campaign, [given.known.book])
    tasks = resolution.list_tasks(resolution.to_do(given.known.book, stands, find_now(tx, person, given.campaign)))
    found = next((each for each in tasks if given.order.entry in each[1].orders), None)
    work = OrderWork(tx, resolver, person, given.campaign)
    return given, resolution.roll_task(work, *found) if found else None


def with_addition(
    tx: Connection, library: Library, person: Person, given: service.GivenOrder, additions: Mapping[str | None, Add]
) -> service.GivenOrder:
    """Return an order with what its book's feature adds."""
    add = additions.get(given.order.book)
    if add is None:
        return given
    viewer = make_viewer(tx, person, given.campaign)
    return replace(given, addition=add(tx, library, viewer, given.order) or kinds.OrderAddition())


def _with_forecast(
    tx: Connection, viewer: Viewer, given: service.GivenOrder, scene: kinds.PlayedScene
) -> service.GivenOrder:
    hangs = given.order.kind in scene.orders.hanging
    if not (given.known.kind.spends or hangs):
        return given
    stands = snapshot.read_snapshot(tx, given.campaign, [scene.book])
    mine = visible_to(viewer, stands.orders)
    todo = resolution.to_do(scene.book, replace(stands, orders=mine), find_now(tx, viewer.person, given.campaign))
    found = [outcome for item in todo for outcome in item.outcomes]
    entry = given.order.entry
    sides = [side for side in forecast_sides(scene, found, viewpoint_of(viewer), every=hangs) if entry in side.orders]
    if hangs:
        short = tuple(item for side in sides for item in side.short if item.order == entry)
        sides = [OrdersForecast(frozenset({entry}), "", short)]
    ahead = [line for side in sides for line in describe_forecast(scene, side, mine)]
    return replace(given, ahead=ahead, lapses=any(entry == short.order for side in sides for short in side.short))


def describe_given(given: Sequence[service.GivenOrder]) -> Iterator[str]:
    """Yield what was ordered, when it resolves, and its forecast."""
    one, *others = given
    ahead = [] if others else one.ahead
    yield from ahead if one.lapses else ()
    yield from (
        map(_describe_numbered, given)
        if others
        else [kinds.order_line(one.known, one.order) + kinds.describe_arrangement(one.order)]
    )
    yield f"**Phase:** {plain(kinds.phase_line(one.known))}"
    if one.follows:
        yield f"This is a new order. The result of entry #{one.follows} stays."
    slips = dict.fromkeys(line for item in given for line in item.doubts)
    yield from (f"\N{WARNING SIGN} {plain(line)} Press Change to fix it." for line in slips)
    note = one.entry.text("note")
    if note:
        yield kinds.note_line(note)
    for preview in () if others else one.previews:
        yield from _describe_forecast(preview, UNLESS_LAPSED if one.lapses else FORESEEN[one.addition.knows_all])
    yield from () if one.lapses else ahead
    yield from one.addition.lines
    yield SEALED


def _describe_numbered(given: service.GivenOrder) -> str:
    before = f", replaces #{given.before}" if given.before else ""
    return f"\N{BULLET} {kinds.order_line(given.known, given.order)} (entry #{given.entry.number}{before}){kinds.describe_arrangement(given.order)}"


def _describe_forecast(preview: Preview, heading: str) -> Iterator[str]:
    rolled = [part for part in preview.parts if part.stages]
    for part in preview.parts[: len(preview.parts) if not rolled else 0]:
        for chance in part.odds:
            laid = consequences_text(chance.conclusion.consequences, part.part.subjects, part.book.deeds)
            if laid:  # other outcomes depend on what others do: said now, they would be promises
                yield f"{laid}, until the update ends."
    lines = [plain(line) for part in preview.parts for line in part.lines]
    yield from (heading, *lines) if lines else ()
    for part in rolled:
        yield heading
        likely = sorted(part.odds, key=attrgetter("chance"), reverse=True)[:MAX_CHANCES]
        yield from (f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}" for item in likely)


ARRANGE, ARRANGING = "arrange", "arrange orders"
MAX_RANK = 99


def set_held(
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, on: bool
) -> tuple[service.SeenOrder, Entry]:
    """Pause (`on`) or resume an order. Return the changed order and the entry."""
    seen = service.find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    if seen.order.held == on:
        raise NotAsItIs("That order is already paused." if on else "That order isn't paused.", "See /order list.")
    return _enter_arrangement(tx, resolver, person, seen, replace(seen.order, held=on))


def set_rank(
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, typed: str
) -> tuple[service.SeenOrder, Entry]:
    """Give an order a priority, 0 to 99, lowest first. Return the changed order and the entry."""
    seen = service.find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    word = typed.strip()
    if not (word.isdecimal() and word.isascii() and int(word) <= MAX_RANK):
        raise BadInput(
            f"{word[:60]!r} isn't a priority.", f"Write a number from 0 to {MAX_RANK}. The lowest goes first."
        )
    if seen.order.rank == int(word):
        raise NotAsItIs(f"That order already has priority {int(word)}.", "See /order list.")
    return _enter_arrangement(tx, resolver, person, seen, replace(seen.order, rank=int(word)))


def _enter_arrangement(
    tx: Connection, resolver: Resolver, person: Person, seen: service.SeenOrder, after: StandingOrder
) -> tuple[service.SeenOrder, Entry]:
    before = seen.order
    change = Change(before.who.key, before.name, before.value(), after.value())
    about = {"label": seen.known.kind.label, "who": after.who.name, "order": after.entry}
    body = {**about, "rank": after.rank, "held": after.held}
    draft = EntryDraft(ARRANGE, "staff", body, (change,), subjects=(before.who,))
    entry = resolver.ledger.enter(tx, seen.campaign, person.user_id, draft)
    return replace(seen, order=after), entry


def _sentence(body: Body, _view: View = "staff") -> str:
    paused = "paused, " if body["held"] else ""
    return f"{plain(body['label'])}: {plain(body['who'])} (entry #{body['order']}), {paused}priority {body['rank']}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Order arranged", [_sentence(shown.entry.content())])


ARRANGE_ENTRY = EntryKind(ARRANGE, "staff", _sentence, _pages)
