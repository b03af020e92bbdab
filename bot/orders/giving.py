"""Orders that players give, carried out at once where their scene isn't sealed, else with a forecast; and how game masters arrange them: paused, or with a priority."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import TypedDict, cast

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer, make_viewer
from bot.errors import BadInput, NotAsItIs
from bot.orders import resolution, service, snapshot
from bot.orders.additions import OrderAddition
from bot.orders.commanding import viewpoint_of
from bot.orders.entries import Work
from bot.orders.forecast import describe_forecast, forecast_sides
from bot.orders.ids import OrderKey
from bot.orders.kinds import CalledKind, arrangement, note_line, order_line, phase_line
from bot.orders.played_scene import PlayedScene, scene_of
from bot.orders.resolution import ResolutionStep
from bot.orders.service import AskedOrder, GivenOrder, SeenOrder
from bot.orders.standing import StandingOrder, visible_to
from bot.rolls.embed import consequences_text
from bot.rolls.preview import Preview
from bot.rolls.resolver import Resolver
from bot.ui.receipt import plain_pages
from bot.ui.text import bar, plain
from rules.orders import OrdersForecast
from rules.phrases import percent
from rules.procedure import Chance

Add = Callable[[Connection, Library, Viewer, StandingOrder], OrderAddition | None]
"""Return what a feature shows with an order of its book."""

SEALED = "-# Sealed: only you and the game masters see it until the update is resolved."
MAX_CHANCES = 8
FORESEEN = ("**Forecast, from what you know:**", "**Forecast:**")
"""The headings of a forecast, by whether the order's giver knows all."""
UNLESS_LAPSED = "**Forecast, unless it's cancelled:**"


def give_order(  # noqa: PLR0913, PLR0917 - who asks for what, and what features show with it
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    asked: AskedOrder,
    additions: Mapping[str | None, Add] = MappingProxyType({}),
) -> tuple[GivenOrder, ResolutionStep | None]:
    """Enter an order, and carry it out where its scene isn't sealed, else forecast what it leaves of what it spends.

    `additions`, by book, are what features show with an order that is carried out: they are read before it is.
    """
    given = service.enter_order(tx, resolver, person, campaign_id, asked)
    scene = scene_of(tx, campaign_id, given.known.book)
    if scene is None:
        return given, None
    if scene.sealed:
        return _with_forecast(tx, make_viewer(tx, person, given.campaign), given, scene), None
    given = with_addition(tx, resolver.library, person, given, additions)
    stands = snapshot.read_snapshot(tx, given.campaign, [given.known.book])
    tasks = resolution.list_tasks(resolution.to_do(given.known.book, stands, find_now(tx, person, given.campaign)))
    found = next((each for each in tasks if given.order.entry in each[1].orders), None)
    work = Work(tx, resolver, person, given.campaign)
    return given, resolution.roll_task(work, *found) if found else None


def with_addition(
    tx: Connection, library: Library, person: Person, given: GivenOrder, additions: Mapping[str | None, Add]
) -> GivenOrder:
    """Return an order with what the feature of its book shows with it."""
    add = additions.get(given.order.book)
    if add is None:
        return given
    viewer = make_viewer(tx, person, given.campaign)
    return replace(given, addition=add(tx, library, viewer, given.order) or OrderAddition())


def _with_forecast(tx: Connection, viewer: Viewer, given: GivenOrder, scene: PlayedScene) -> GivenOrder:
    """Return an order with what all orders that its giver knows of leave to their side, and which of them would be cancelled."""
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


def describe_given(given: Sequence[GivenOrder]) -> Iterator[str]:
    """Yield what was ordered, when it is resolved, and of one alone its forecast and what its feature adds; several are of one kind and have one note."""
    one, *others = given
    ahead = [] if others else one.ahead
    yield from ahead if one.lapses else ()
    yield from map(_numbered, given) if others else [order_line(one.known, one.order) + arrangement(one.order)]
    yield f"**Phase:** {plain(phase_line(one.known))}"
    if one.follows:
        yield f"This is a new order. The result of entry #{one.follows} stays."
    slips = dict.fromkeys(line for item in given for line in item.doubts)
    yield from (f"\N{WARNING SIGN} {plain(line)} Press Change to fix it." for line in slips)
    note = one.entry.text("note")
    if note:
        yield note_line(note)
    for preview in () if others else one.previews:
        yield from _forecast(preview, UNLESS_LAPSED if one.lapses else FORESEEN[one.addition.knows_all])
    yield from () if one.lapses else ahead
    yield from one.addition.lines
    yield SEALED


def _numbered(given: GivenOrder) -> str:
    before = f", replaces #{given.before}" if given.before else ""
    return f"\N{BULLET} {order_line(given.known, given.order)} (entry #{given.entry.number}{before}){arrangement(given.order)}"


def _forecast(preview: Preview, heading: str) -> Iterator[str]:
    """Yield what is laid for the day, or the odds of a roll, under a heading."""
    rolled = [part for part in preview.parts if part.stages]
    for part in preview.parts[: len(preview.parts) if not rolled else 0]:
        for chance in part.odds:
            laid = consequences_text(chance.conclusion.consequences, part.part.subjects, part.book.deeds)
            if laid:  # what lays nothing comes to what others do: said now, it would be a promise
                yield f"{laid}, until the update ends."
    told = [line for part in preview.parts for line in part.lines]
    if told:
        yield heading
        yield from map(plain, told)
    for part in rolled:
        yield heading
        yield from map(_chance, sorted(part.odds, key=attrgetter("chance"), reverse=True)[:MAX_CHANCES])


def _chance(item: Chance) -> str:
    return f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}"


ARRANGE, ARRANGING = "arrange", "arrange orders"
MAX_RANK = 99


class ArrangeBody(TypedDict):
    """An order (its entry) of a kind (its label) was arranged: the priority that it has then, and whether it is held."""

    label: str
    who: str
    order: int
    rank: int
    held: bool


def set_held(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, on: bool) -> tuple[SeenOrder, Entry]:
    """Hold an order, or let it go; return it as it stands then, with the entry."""
    seen = service.find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    if seen.order.held == on:
        raise NotAsItIs("That order is already paused." if on else "That order isn't paused.", "See /order list.")
    return _arranged(tx, resolver, person, seen, replace(seen.order, held=on))


def set_rank(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, typed: str) -> tuple[SeenOrder, Entry]:
    """Give an order a priority, the lowest first; return it as it stands then, with the entry."""
    seen = service.find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    word = typed.strip()
    if not (word.isdecimal() and word.isascii() and int(word) <= MAX_RANK):
        raise BadInput(
            f"{word[:60]!r} isn't a priority.", f"Write a number from 0 to {MAX_RANK}. The lowest goes first."
        )
    if seen.order.rank == int(word):
        raise NotAsItIs(f"That order already has priority {int(word)}.", "See /order list.")
    return _arranged(tx, resolver, person, seen, replace(seen.order, rank=int(word)))


def _arranged(
    tx: Connection, resolver: Resolver, person: Person, seen: SeenOrder, after: StandingOrder
) -> tuple[SeenOrder, Entry]:
    before = seen.order
    change = Change(before.who.key, before.name, before.value(), after.value())
    draft = EntryDraft(ARRANGE, "staff", _body(seen.known, after), (change,), subjects=(before.who,))
    entry = resolver.ledger.enter(tx, seen.campaign, person.user_id, draft)
    return replace(seen, order=after), entry


def _body(known: CalledKind, order: StandingOrder) -> ArrangeBody:
    return ArrangeBody(label=known.kind.label, who=order.who.name, order=order.entry, rank=order.rank, held=order.held)


def _sentence(body: Body, _view: View = "staff") -> str:
    order = cast("ArrangeBody", body)
    paused = "paused, " if order["held"] else ""
    return f"{plain(order['label'])}: {plain(order['who'])} (entry #{order['order']}), {paused}priority {order['rank']}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Order arranged", [_sentence(shown.entry.content())])


ARRANGE_ENTRY = EntryKind(ARRANGE, "staff", _sentence, _pages)
