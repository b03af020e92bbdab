"""Orders listed, with what has come of each as far as it is for whoever looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.groups import as_audience, is_group
from bot.core.people import told
from bot.core.permissions import Person, now_of
from bot.core.records import Entry
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
from bot.ui.text import shorten
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
    mine = known_to(viewer, every(tx, campaign))
    made = entries.some(tx, campaign.id, {number for item in mine for number in (item.entry, *item.came_to)})
    met = meetings(mine, made) if person.leads(campaign) else {}
    found = [
        (item, known, [*_about(known, item, made), *_came_of(viewer, known, item, made, met)])
        for item, known in called(tx, campaign, resolver.library.played(tx, campaign), mine)
    ]
    gone = subjects.by_number(tx, campaign.id, passed(tx, campaign, now_of(tx, person, campaign)))
    own = {item.id for item in commands(tx, viewer)}
    names = [item.name for item in gone.values() if item.id in own]
    update = current_update(tx, campaign.id)["name"]
    return OrderList(campaign, update, found, names, person.leads(campaign), locked(tx, campaign))


def came_of(tx: Connection, person: Person, known: CalledKind, order: StandingOrder, campaign: Campaign) -> list[str]:
    """Return what has come by now of an order that somebody gave, as they read it in their list; nothing while it stands."""
    now = next((item for item in every(tx, campaign) if item.entry == order.entry), None)
    if now is None:
        return []
    made = entries.some(tx, campaign.id, {*now.came_to})
    return [*_came_of(viewer_of(tx, person, campaign), known, now, made, {})]


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


def _came_of(
    viewer: Viewer, known: CalledKind, order: StandingOrder, made: Mapping[int, Entry], met: Meetings
) -> Iterator[str]:
    """Yield what came of an order, as far as it is for whoever gave it: what others have to do with it is told to game masters alone, as `met`."""
    if order.lapsed is not None:
        yield f"Lapsed: {why_lapsed(made[order.lapsed])}"
    leads = viewer.person.leads(viewer.campaign)
    for number in entries_of(order, known.kind.by, met):
        if _is_for_others(viewer, made[number]):
            yield ELSEWHERE
            continue
        body = told(made[number])
        about = f" (entry #{number})" if leads else ""
        if body["family"] != known.kind.family or not (known.kind.told or leads):
            yield f"Resolved{about}" if known.kind.told or leads else ELSEWHERE
            continue
        then = made[number].names().get(order.who.id, order.who.name)
        own = (part for part in body["parts"] if _stands_in(part["subjects"], known.kind.by, then))
        yield from (f"{part['outcome']['text'] if part['outcome'] else part['unrolled']}{about}" for part in own)


def _is_for_others(viewer: Viewer, entry: Entry) -> bool:
    """Return whether a result was sent to somebody else alone, or to a group that whoever looks is not in."""
    if is_group(entry.audience) and not viewer.person.leads(viewer.campaign):
        return entry.audience not in map(as_audience, viewer.groups)
    return is_hidden(entry, viewer.mine)


def _stands_in(roles: Mapping[str, str], role: str, name: str) -> bool:
    return name_key(name) in map(name_key, names_of(roles.get(role, "")))
