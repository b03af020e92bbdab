"""Orders listed, with the results of each that the reader may know; and on the desk of the week."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, subjects
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.encoding import Json
from bot.core.library import Library
from bot.core.permissions import Person, find_now, find_unreadable, group_audience, is_group
from bot.core.records import Entry, read_body
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, list_played, make_viewer, require_part
from bot.core.voiding import is_hidden
from bot.errors import BadInput
from bot.orders.kinds import NAMED, CalledKind, KnownKind, arrangement, order_line, read_cancel_reason, with_kinds
from bot.orders.locking import locked_since
from bot.orders.played_scene import scene_of
from bot.orders.standing import StandingOrder, all_orders, find_passed, read_ended, visible_to
from bot.rolls.entry_body import list_thrown
from bot.rolls.resolver import Resolver
from bot.ui.text import DOT, plain, shorten
from bot.ui.todo import Todo, few, tally
from rules.orders import OrderKind
from rules.subjects import name_key, names_of

Meetings = Mapping[tuple[str, str, str, int], Sequence[int]]
"""The entries of a phase (book and id) by the role and the number of who stood in it, the earliest first."""


def find_meetings(orders: Iterable[StandingOrder], made: Mapping[int, Entry]) -> Meetings:
    """Return who stood in which role of the rolls among these entries, to which orders have come, where something came of their part."""
    entries = {
        (item.book, phase, number)
        for item in orders
        for phase in item.phases
        for number in item.in_phase(phase)
        if number in made
    }
    found: dict[tuple[str, str, str, int], list[int]] = {}
    for book, phase, number in sorted(entries):
        for role, who in dict.fromkeys(_roles_in(made[number])):
            found.setdefault((book, phase, role, who), []).append(number)
    return found


def entries_met(order: StandingOrder, role: str, found: Meetings) -> list[int]:
    """Return the entries of an order, and those of its phases in which whoever does it stood in a role beside while it was theirs."""
    met = (number for phase in order.phases for number in found.get((order.book, phase, role, order.who.id), ()))
    until = order.until or math.inf
    return sorted({*order.entries, *(number for number in met if order.entry < number < until)})


def _roles_in(entry: Entry) -> Iterator[tuple[str, int]]:
    """Yield the roles of an entry with the numbers of those who stood in them; of what throws no dice nobody's, as nobody meets anybody."""
    numbers = {name_key(name): number for number, name in entry.names().items()}
    for part in entry.content()["parts"]:
        named = ((role, name) for role, names in part["subjects"].items() for name in names_of(names))
        if part["outcome"] and any(True for _ in list_thrown(part)):
            yield from ((role, numbers[name_key(name)]) for role, name in named if name_key(name) in numbers)


LIST, MAX_WHY = "/order list", 150
"""What has all orders, and how much of a reason stands on a desk, so that a few of them fit into a message."""


def list_waiting_orders(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the orders that stand, as far as they are for whoever looks, and those that they gave of which nothing comes."""
    seen = visible_to(viewer, all_orders(tx, viewer.campaign))
    found = with_kinds(tx, viewer.campaign, library.played(tx, viewer.campaign), seen)
    known = sorted(((kind, item) for item, kind in found), key=_entry_of)
    stand = [(kind, item) for kind, item in known if item.stands]
    if stand:
        lines = (f"\N{BULLET} {order_line(kind, item, NAMED)}{arrangement(item)}" for kind, item in stand)
        names = (item.who.name for _, item in stand)
        undone = tally(len(stand), "open order{s}, moving to the next update", names)
        yield Todo("Orders", few(lines, len(stand), LIST), undone=undone)
    gone = {item.lapsed: (kind, item) for kind, item in known if item.lapsed and item.giver == viewer.mine}
    if gone:
        made = entries.get_entries(tx, viewer.campaign.id, gone.keys())
        whys = (
            f"\N{BULLET} {order_line(*gone[number], NAMED)}: cancelled: {plain(shorten(read_cancel_reason(made[number]), MAX_WHY))}"
            for number in sorted(made)
        )
        yield Todo("Cancelled orders", few(whys, len(gone), LIST))
    yield from _without_orders(tx, library, viewer, seen)


def _without_orders(tx: Connection, library: Library, viewer: Viewer, seen: Iterable[StandingOrder]) -> Iterator[Todo]:
    """Yield for a player the forces and others of a scene that still need an order from them; `seen` are those given."""
    ordered = {name_key(item.who.name) for item in seen if item.lapsed is None}
    for book in library.played(tx, viewer.campaign) if viewer.mine is not None else ():
        scene = scene_of(tx, viewer.campaign.id, book)
        doers = scene.orders.doers(scene.book, scene.values, viewer.mine) if scene else ()
        idle = [item.name for item in doers if viewer.mine in item.awaited and name_key(item.name) not in ordered]
        if idle:
            lines = [f"\N{BULLET} {plain(name)}: `/order give who:{plain(name)}`" for name in idle]
            yield Todo("Without orders", few(iter(lines), len(lines), LIST))


def _entry_of(known: tuple[CalledKind, StandingOrder]) -> int:
    return known[1].entry


ELSEWHERE = "Resolved. A game master will give you the result."
"""What is said of an order whose result is not for whoever looks."""

RESOLVED = "Resolved"
"""What is said of an order by which a result came that tells of others alone, such as a battle's, where nothing else is said of it."""

NOTHING = "No results that you can see."
"""What is said of an update that is closed where it is so."""

MAX_NOTE = 150


ListedOrder = tuple[StandingOrder, CalledKind, Sequence[str]]
"""An order with its kind, and its note and what came of it in lines."""


class OrderList(Struct, frozen=True):
    """The orders of an update that a person may see, who has passed, what came of the orders that they gave for the one before, whether the person `leads`, and since when players' orders are `locked`; `none` is said where there are none."""

    campaign: Campaign
    update: str
    orders: Sequence[ListedOrder]
    passed: Sequence[str] = ()
    before: OrderList | None = None
    leads: bool = False
    locked: datetime | None = None
    none: str = "No orders yet. Give one with `/order give`."


def list_orders(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign) -> OrderList:
    """Return the orders that a person may see, in the order in which their phases come, and what came of their own in the update before."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    orders = all_orders(tx, campaign)
    found = _with_results(tx, resolver, viewer, visible_to(viewer, orders), orders)
    closing = entries.get_entry(tx, campaign.id, find_update_entry(tx, campaign.id))
    before = None if closing is None else _closed(tx, resolver, viewer, closing, own=True)
    gone = subjects.get_subjects(tx, campaign.id, find_passed(tx, campaign, find_now(tx, person, campaign)))
    own = {item.id for item in list_played(tx, viewer)}
    names = [item.name for item in gone.values() if item.id in own]
    update = current_update(tx, campaign.id)["name"]
    before = before if before and before.orders else None
    return OrderList(campaign, update, found, names, before, person.leads(campaign), locked_since(tx, campaign))


def list_orders_before(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, update: int
) -> OrderList:
    """Return what came of the orders of an update (its number) that a person may see, once it is closed."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    now = current_update(tx, campaign.id)["number"]
    if update >= now:
        raise BadInput(f"Update {update} isn't closed yet: the current one is number {now}.", "See /order list.")
    closing = entries.get_entry(tx, campaign.id, find_update_entry(tx, campaign.id, update + 1))
    if closing is None:
        raise BadInput(f"{campaign.name} has no update {update}.")
    return _closed(tx, resolver, viewer, closing)


def _closed(tx: Connection, resolver: Resolver, viewer: Viewer, closing: Entry, *, own: bool = False) -> OrderList:
    """Return the orders of an update that a person may see, by its closing; or only those that they gave."""
    orders = read_ended(tx, viewer.campaign, closing)
    some = [item for item in visible_to(viewer, orders) if not own or item.giver == viewer.mine]
    found = _with_results(tx, resolver, viewer, some, orders)
    return OrderList(viewer.campaign, closing.content()["closed"]["name"], found, none=NOTHING)


def _with_results(
    tx: Connection,
    resolver: Resolver,
    viewer: Viewer,
    some: Sequence[StandingOrder],
    orders: Sequence[StandingOrder],
) -> list[ListedOrder]:
    results = _results(tx, viewer, some, orders)
    return [
        (item, known, [*_about(known, item, results.made), *_describe_results(results, known, item)])
        for item, known in with_kinds(tx, viewer.campaign, resolver.library.played(tx, viewer.campaign), some)
    ]


def list_results(
    tx: Connection, person: Person, known: CalledKind, order: StandingOrder, campaign: Campaign
) -> list[str]:
    """Return what has come by now of an order that somebody gave: as they read it in their list, and all else that is told of it; nothing while it stands."""
    orders = all_orders(tx, campaign)
    now = [item for item in orders if item.entry == order.entry]
    results = _results(tx, make_viewer(tx, person, campaign), now, orders)
    return [line for item in now for line in (*_describe_results(results, known, item), *_further(results, item))]


class _Results(Struct, frozen=True):
    """What orders have come to, for somebody who looks: the entries, whom these name, who has met whom in them, and of which the number is told."""

    viewer: Viewer
    made: Mapping[int, Entry]
    people: Mapping[int, Subject]
    met: Meetings
    readable: Collection[int]


def _results(
    tx: Connection, viewer: Viewer, mine: Sequence[StandingOrder], orders: Sequence[StandingOrder]
) -> _Results:
    """Return the entries of orders (`mine`), and those of their phases to which any of all orders has come."""
    phases = {(item.book, phase) for item in mine for phase in item.phases}
    beside = {
        number
        for item in orders
        for phase in item.phases
        if (item.book, phase) in phases
        for number in item.in_phase(phase)
    }
    made = entries.get_entries(
        tx, viewer.campaign.id, beside | {number for item in mine for number in (item.entry, *item.came_to)}
    )
    people = subjects.get_subjects(
        tx, viewer.campaign.id, {number for number in beside for number in made[number].names()}
    )
    hidden = find_unreadable(tx, viewer.person, viewer.campaign, viewer.mine, beside)
    return _Results(
        viewer, made, people, find_meetings(orders, {number: made[number] for number in beside}), beside - hidden
    )


def _note(given: Entry | None) -> Iterator[str]:
    """Yield the note of an order, as much of it as a list has room for: the order itself, when picked, has all of it."""
    note = given.text("note") if given else None
    if note:
        yield f"Note: {shorten(note, MAX_NOTE)}"


def _about(known: CalledKind, order: StandingOrder, made: Mapping[int, Entry]) -> Iterator[str]:
    """Yield the note of an order, that somebody else has changed it, and that its book is switched off."""
    yield from _note(made.get(order.entry))
    yield from _changed(order, made)
    if not isinstance(known, KnownKind) and order.unresolved:
        yield "Its book is switched off: you can only cancel it"


def _changed(order: StandingOrder, made: Mapping[int, Entry]) -> Iterator[str]:
    """Yield that somebody else has changed an order, to whoever gave it."""
    given = made.get(order.entry)
    if given is not None and given.actor != order.giver:
        yield f"Changed by a game master (entry #{order.entry})"


def _describe_results(results: _Results, known: CalledKind, order: StandingOrder) -> Iterator[str]:
    """Yield what came of an order; to whoever gave it nothing of what would tell of others."""
    if order.lapsed is not None:
        yield f"Cancelled: {read_cancel_reason(results.made[order.lapsed])}"
    numbers = entries_met(order, known.kind.by, results.met)
    lines = [line for number in numbers for line in _of_entry(results, known.kind, order, results.made[number])]
    yield from [line for line in lines if line != RESOLVED] or lines[:1]
    if known.kind.nothing is not None and order.done and not lines:
        yield known.kind.nothing


def _of_entry(results: _Results, kind: OrderKind, order: StandingOrder, made: Entry) -> Iterator[str]:
    """Yield what an entry says of whoever carries out an order, that of others by a word alone."""
    own, body = made.number in order.entries, read_body(made)
    if _is_for_others(results.viewer, made):
        yield from (ELSEWHERE,) * own
        return
    about = f" (entry #{made.number})" if made.number in results.readable else ""
    then = made.names().get(order.who.id, order.who.name)
    parts = [part for part in body["parts"] if _stands_in(part["subjects"], kind.by, then)]
    if own and not parts:
        yield f"{RESOLVED}{about}"
    for part in parts:
        if part["outcome"] is None or not _is_hushed(results.viewer, kind, part):
            text = part["outcome"]["text"] if part["outcome"] else part["unrolled"]
            yield f"{_against(results, kind, made, part)}{text}{about}"


def _further(results: _Results, order: StandingOrder) -> Iterator[str]:
    """Yield what is told behind the first line of what an order has come to without dice, where everybody reads it."""
    for made in (results.made[number] for number in order.entries):
        for part in read_body(made)["parts"] if made.audience == "results" else ():
            if not (part["secret"] or any(True for _ in list_thrown(part))):
                yield from (step["text"] for step in part["steps"])


def _is_hushed(viewer: Viewer, kind: OrderKind, part: Mapping[str, Json]) -> bool:
    return part["outcome"]["id"] in kind.hushed and not viewer.person.leads(viewer.campaign)


def _against(results: _Results, kind: OrderKind, made: Entry, part: Mapping[str, Json]) -> str:
    """Return whom a part of a roll tells of, as far as whoever looks knows them, before what it tells; empty of what is about nobody."""
    if not kind.hushed:
        return ""
    numbers = {name_key(name): number for number, name in made.names().items()}
    named = (
        name for role, names in part["subjects"].items() if role not in {kind.by, kind.to} for name in names_of(names)
    )
    known = (
        results.viewer.named(results.people[number]) if (number := numbers.get(name_key(name))) else name
        for name in named
    )
    return "".join(f"{name}{DOT}" for name in known)


def _is_for_others(viewer: Viewer, entry: Entry) -> bool:
    """Return whether a result was sent to somebody else alone, or to a group that whoever looks is not in."""
    if is_group(entry.audience) and not viewer.person.leads(viewer.campaign):
        return entry.audience not in map(group_audience, viewer.groups)
    return is_hidden(entry, viewer.mine)


def _stands_in(roles: Mapping[str, str], role: str, name: str) -> bool:
    return name_key(name) in map(name_key, names_of(roles.get(role, "")))
