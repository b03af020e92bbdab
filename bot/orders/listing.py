"""Orders listed, with what has come of each as far as it is for whoever looks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.groups import as_audience, is_group
from bot.core.people import told
from bot.core.permissions import Person, now_of, unreadable
from bot.core.records import Entry
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, require_part, viewer_of
from bot.core.voiding import is_hidden
from bot.orders.called import called
from bot.orders.commanding import commands
from bot.orders.kinds import CalledKind, KnownKind
from bot.orders.locking import locked
from bot.orders.meetings import Meetings, entries_of, meetings
from bot.orders.standing import StandingOrder, every, known_to, passed
from bot.orders.words import why_lapsed
from bot.rolls.resolver import Resolver
from bot.ui.text import DOT, shorten
from rules.orders import OrderKind
from rules.subjects import name_key, names_of

ELSEWHERE = "Resolved: a game master tells you what came of it"
"""What is said of an order whose result is not for whoever looks."""

MAX_NOTE = 150


class OrderList(Struct, frozen=True):
    """The orders that a person may see, with their kinds, and the note and what came of each, who has passed, whether the person `leads`, and since when players' orders are `locked`."""

    campaign: Campaign
    update: str
    orders: Sequence[tuple[StandingOrder, CalledKind, Sequence[str]]]
    passed: Sequence[str] = ()
    leads: bool = False
    locked: datetime | None = None


def listed(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign) -> OrderList:
    """Return the orders that a person may see, in the order in which their phases come.

    Raises:
        NotAllowed: the person takes no part.

    """
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    orders = every(tx, campaign)
    mine = known_to(viewer, orders)
    results = _results(tx, viewer, mine, orders)
    found = [
        (item, known, [*_about(known, item, results.made), *_came_of(results, known, item)])
        for item, known in called(tx, campaign, resolver.library.played(tx, campaign), mine)
    ]
    gone = subjects.by_number(tx, campaign.id, passed(tx, campaign, now_of(tx, person, campaign)))
    own = {item.id for item in commands(tx, viewer)}
    names = [item.name for item in gone.values() if item.id in own]
    update = current_update(tx, campaign.id)["name"]
    return OrderList(campaign, update, found, names, person.leads(campaign), locked(tx, campaign))


def came_of(tx: Connection, person: Person, known: CalledKind, order: StandingOrder, campaign: Campaign) -> list[str]:
    """Return what has come by now of an order that somebody gave, as they read it in their list; nothing while it stands."""
    orders = every(tx, campaign)
    now = [item for item in orders if item.entry == order.entry]
    results = _results(tx, viewer_of(tx, person, campaign), now, orders)
    return [line for item in now for line in _came_of(results, known, item)]


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
    beside |= {number for item in mine for some in item.earlier.values() for number in some}
    made = entries.some(
        tx, viewer.campaign.id, beside | {number for item in mine for number in (item.entry, *item.came_to)}
    )
    people = subjects.by_number(
        tx, viewer.campaign.id, {number for number in beside for number in made[number].names()}
    )
    hidden = unreadable(tx, viewer.person, viewer.campaign, viewer.mine, beside)
    return _Results(
        viewer, made, people, meetings(orders, {number: made[number] for number in beside}), beside - hidden
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
    if not isinstance(known, KnownKind):
        yield "Its book is switched off: it can only be withdrawn"


def _changed(order: StandingOrder, made: Mapping[int, Entry]) -> Iterator[str]:
    """Yield that somebody else has changed an order, to whoever gave it."""
    given = made.get(order.entry)
    if given is not None and given.actor != order.giver:
        yield f"Changed by a game master (entry #{order.entry})"


def _came_of(results: _Results, known: CalledKind, order: StandingOrder) -> Iterator[str]:
    """Yield what came of an order; to whoever gave it nothing of what would tell of others."""
    for number in sorted(number for some in order.earlier.values() for number in some):
        yield from (f"Before: {line}" for line in _of_entry(results, known.kind, order, results.made[number]))
    if order.lapsed is not None:
        yield f"Lapsed: {why_lapsed(results.made[order.lapsed])}"
    numbers = entries_of(order, known.kind.by, results.met)
    lines = [line for number in numbers for line in _of_entry(results, known.kind, order, results.made[number])]
    yield from lines
    if known.kind.nothing is not None and order.done and not lines:
        yield known.kind.nothing


def _of_entry(results: _Results, kind: OrderKind, order: StandingOrder, made: Entry) -> Iterator[str]:
    """Yield what an entry says of whoever carries out an order, that of others by a word alone."""
    own, body = any(made.number in some for some in order.all_results.values()), told(made)
    if _is_for_others(results.viewer, made):
        yield from (ELSEWHERE,) * own
        return
    about = f" (entry #{made.number})" if made.number in results.readable else ""
    then = made.names().get(order.who.id, order.who.name)
    parts = [part for part in body["parts"] if _stands_in(part["subjects"], kind.by, then)]
    if own and not parts:
        yield f"Resolved{about}"
    for part in parts:
        if part["outcome"] is None or not _is_hushed(results.viewer, kind, part):
            text = part["outcome"]["text"] if part["outcome"] else part["unrolled"]
            yield f"{_against(results, kind, made, part)}{text}{about}"


def _is_hushed(viewer: Viewer, kind: OrderKind, part: Mapping[str, Any]) -> bool:
    return part["outcome"]["id"] in kind.hushed and not viewer.person.leads(viewer.campaign)


def _against(results: _Results, kind: OrderKind, made: Entry, part: Mapping[str, Any]) -> str:
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
        return entry.audience not in map(as_audience, viewer.groups)
    return is_hidden(entry, viewer.mine)


def _stands_in(roles: Mapping[str, str], role: str, name: str) -> bool:
    return name_key(name) in map(name_key, names_of(roles.get(role, "")))
