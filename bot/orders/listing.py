"""Orders with the results that the reader may see, and the lists to pick them from."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from discord import Embed, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, errors, ledger, permissions, subjects, voiding
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.library import Library
from bot.core.profiles import Profile
from bot.core.records import Entry, Json, read_body
from bot.core.visibility import Viewer, list_played, make_viewer, require_part
from bot.orders import kinds
from bot.orders.entries import find_lock_start
from bot.orders.standing import StandingOrder, all_orders, find_passed, read_ended, visible_to
from bot.rolls.entry_body import list_thrown
from bot.rolls.resolver import Resolver
from bot.ui import parsing, receipt
from bot.ui.receipt import Todo, few, tally
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import COLOURS, DOT, Controls, fit_embeds, paginate, plain, shorten
from bot.ui.text import join_words as joined
from rules.orders import OrderKind
from rules.subjects import name_key, names_of

Meetings = Mapping[tuple[str, str, str, int], Sequence[int]]
"""The entries in which someone has a role, by book, phase, role and number."""


def _find_meetings(orders: Iterable[StandingOrder], made: Mapping[int, Entry]) -> Meetings:
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


def _entries_met(order: StandingOrder, role: str, found: Meetings) -> list[int]:
    met = (number for phase in order.phases for number in found.get((order.book, phase, role, order.who.id), ()))
    until = order.until or math.inf
    return sorted({*order.entries, *(number for number in met if order.entry < number < until)})


def _roles_in(entry: Entry) -> Iterator[tuple[str, int]]:
    numbers = {name_key(name): number for number, name in entry.names().items()}
    for part in entry.content()["parts"]:
        named = ((role, name) for role, names in part["subjects"].items() for name in names_of(names))
        if part["outcome"] and any(True for _ in list_thrown(part)):
            yield from ((role, numbers[name_key(name)]) for role, name in named if name_key(name) in numbers)


LIST, MAX_WHY = "/order list", 150


def list_waiting_orders(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield items for the desk: visible open orders, the viewer's cancelled ones, and units without orders."""
    seen = visible_to(viewer, all_orders(tx, viewer.campaign))
    found = kinds.with_kinds(tx, viewer.campaign, library.list_books(tx, viewer.campaign), seen)
    kind_of = {item.entry: kind for item, kind in found}
    known = [(kind_of[item.entry], item) for item in seen if item.entry in kind_of]
    stand = [(kind, item) for kind, item in known if item.stands]
    if stand:
        lines = (
            f"\N{BULLET} {kinds.order_line(kind, item, kinds.NAMED)}{kinds.describe_arrangement(item)}"
            for kind, item in stand
        )
        names = (item.who.name for _, item in stand)
        undone = tally(len(stand), "open order{s}, moving to the next update", names)
        yield Todo("Orders", few(lines, len(stand), LIST), undone=undone)
    gone = {item.lapsed: (kind, item) for kind, item in known if item.lapsed and item.giver == viewer.mine}
    if gone:
        made = entries.get_entries(tx, viewer.campaign.id, gone.keys())
        whys = (
            f"\N{BULLET} {kinds.order_line(*gone[number], kinds.NAMED)}: cancelled: {plain(shorten(kinds.read_cancel_reason(made[number]), MAX_WHY))}"
            for number in sorted(made)
        )
        yield Todo("Cancelled orders", few(whys, len(gone), LIST))
    yield from _without_orders(tx, library, viewer, seen)


def _without_orders(tx: Connection, library: Library, viewer: Viewer, seen: Iterable[StandingOrder]) -> Iterator[Todo]:
    ordered = {name_key(item.who.name) for item in seen if item.lapsed is None}
    for book in library.list_books(tx, viewer.campaign) if viewer.mine is not None else ():
        scene = kinds.scene_of(tx, viewer.campaign.id, book)
        doers = scene.orders.doers(scene.book, scene.values, viewer.mine) if scene else ()
        idle = [item.name for item in doers if viewer.mine in item.expected and name_key(item.name) not in ordered]
        if idle:
            lines = [f"\N{BULLET} {plain(name)}: `/order give who:{plain(name)}`" for name in idle]
            yield Todo("Without orders", few(iter(lines), len(lines), LIST))


ELSEWHERE = "Resolved. A game master will give you the result."  # for results that the reader may not see
RESOLVED = "Resolved"  # for results that are about others, such as a battle
NOTHING = "No results that you can see."
MAX_NOTE = 150
ListedOrder = tuple[StandingOrder, kinds.LabelledKind, Sequence[str]]
"""An order with its kind, and its note and results as lines."""


class OrderList(Struct, frozen=True):
    """An update's orders that a person may see, own passes, own results of the update `before`, and who can pass (`idle`)."""

    campaign: Campaign
    update: str
    orders: Sequence[ListedOrder]
    passed: Sequence[str] = ()
    before: OrderList | None = None
    leads: bool = False
    locked: datetime | None = None
    idle: Sequence[Profile] = ()
    none: str = "No orders yet. Give one with `/order give`."


def _list_orders(
    tx: Connection, resolver: Resolver, person: permissions.Person, campaign: Campaign, update: int | None
) -> OrderList:
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    if update is not None:
        return _list_closed(tx, resolver.library, viewer, _find_closing(tx, campaign, update))
    orders = all_orders(tx, campaign)
    found = _with_results(tx, resolver.library, viewer, visible_to(viewer, orders), orders)
    closing = entries.get_entry(tx, campaign.id, find_update_entry(tx, campaign.id))
    before = None if closing is None else _list_closed(tx, resolver.library, viewer, closing, own=True)
    gone = subjects.get_subjects(tx, campaign.id, find_passed(tx, campaign, permissions.find_now(tx, person, campaign)))
    played = {item.id: item for item in list_played(tx, viewer)}
    names = [item.name for item in gone.values() if item.id in played]
    busy = {*gone, *(order.who.id for order, _, _ in found if order.stands)}
    idle = [item for item in _list_passing(tx, resolver, viewer, played.values()) if item.id not in busy]
    called = current_update(tx, campaign.id)["name"]
    before = before if before and before.orders else None
    return OrderList(campaign, called, found, names, before, viewer.leads, find_lock_start(tx, campaign), idle)


def _list_passing(tx: Connection, resolver: Resolver, viewer: Viewer, played: Iterable[Profile]) -> Iterable[Profile]:
    campaign = viewer.campaign
    if campaign.archived_at is not None or (find_lock_start(tx, campaign) is not None and not viewer.leads):
        return ()
    every = kinds.list_kinds(resolver.library.list_books(tx, campaign))
    may = any(kinds.is_open_to(viewer.person, campaign, item.kind) for item in every)
    return [item for item in played if item.owner is not None or not viewer.leads] if may else ()


def _find_closing(tx: Connection, campaign: Campaign, update: int) -> Entry:
    now = current_update(tx, campaign.id)["number"]
    if update >= now:
        raise errors.BadInput(f"Update {update} isn't closed yet: the current one is number {now}.", "See /order list.")
    closing = entries.get_entry(tx, campaign.id, find_update_entry(tx, campaign.id, update + 1))
    if closing is None:
        raise errors.BadInput(f"{campaign.name} has no update {update}.")
    return closing


def list_own(tx: Connection, library: Library, viewer: Viewer, closing: Entry | None) -> Sequence[ListedOrder]:
    """Return a person's orders and results of an update, by its closing entry (None: current)."""
    if closing is not None:
        return _list_closed(tx, library, viewer, closing, own=True).orders
    orders = all_orders(tx, viewer.campaign)
    mine = [item for item in orders if item.giver == viewer.mine and item.came_to]
    return _with_results(tx, library, viewer, mine, orders)


def _list_closed(tx: Connection, library: Library, viewer: Viewer, closing: Entry, *, own: bool = False) -> OrderList:
    orders = read_ended(tx, viewer.campaign, closing)
    some = [item for item in visible_to(viewer, orders) if not own or item.giver == viewer.mine]
    found = _with_results(tx, library, viewer, some, orders)
    return OrderList(viewer.campaign, closing.content()["closed"]["name"], found, none=NOTHING)


def _with_results(
    tx: Connection,
    library: Library,
    viewer: Viewer,
    some: Sequence[StandingOrder],
    orders: Sequence[StandingOrder],
) -> list[ListedOrder]:
    results = _results(tx, viewer, some, orders)
    return [
        (item, known, [*_describe_facts(known, item, results.made), *_describe_results(results, known, item)])
        for item, known in kinds.with_kinds(tx, viewer.campaign, library.list_books(tx, viewer.campaign), some)
    ]


def list_results(
    tx: Connection, person: permissions.Person, known: kinds.LabelledKind, order: StandingOrder, campaign: Campaign
) -> list[str]:
    """Return an order's results as lines, as the person may know them."""
    orders = all_orders(tx, campaign)
    now = [item for item in orders if item.entry == order.entry]
    results = _results(tx, make_viewer(tx, person, campaign), now, orders)
    return [
        line for item in now for line in (*_describe_results(results, known, item), *_list_further_lines(results, item))
    ]


class _Results(Struct, frozen=True):
    viewer: Viewer
    made: Mapping[int, Entry]
    people: Mapping[int, subjects.Subject]
    met: Meetings
    readable: Collection[int]


def _results(
    tx: Connection, viewer: Viewer, mine: Sequence[StandingOrder], orders: Sequence[StandingOrder]
) -> _Results:
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
    hidden = permissions.find_unreadable(tx, viewer.person, viewer.campaign, viewer.mine, beside)
    return _Results(
        viewer, made, people, _find_meetings(orders, {number: made[number] for number in beside}), beside - hidden
    )


def _describe_facts(known: kinds.LabelledKind, order: StandingOrder, made: Mapping[int, Entry]) -> Iterator[str]:
    given = made.get(order.entry)
    note = given.text("note") if given else None
    if note:
        yield f"Note: {shorten(note, MAX_NOTE)}"
    if given is not None and given.actor != order.giver:
        yield f"Changed by a game master (entry #{order.entry})"
    if not isinstance(known, kinds.PlayedKind) and order.is_unresolved:
        yield "Its rules are switched off: you can only cancel it"


def _describe_results(results: _Results, known: kinds.LabelledKind, order: StandingOrder) -> Iterator[str]:
    if order.lapsed is not None:
        yield f"Cancelled: {kinds.read_cancel_reason(results.made[order.lapsed])}"
    numbers = _entries_met(order, known.kind.by, results.met)
    lines = [line for number in numbers for line in _of_entry(results, known.kind, order, results.made[number])]
    yield from [line for line in lines if line != RESOLVED] or lines[:1]
    if known.kind.nothing is not None and order.done and not lines:
        yield known.kind.nothing


def _of_entry(results: _Results, kind: OrderKind, order: StandingOrder, made: Entry) -> Iterator[str]:
    own, body = made.number in order.entries, read_body(made)
    if _is_for_others(results.viewer, made):
        yield from (ELSEWHERE,) * own
        return
    about = f" (entry #{made.number})" if made.number in results.readable else ""
    then = name_key(made.names().get(order.who.id, order.who.name))
    parts = [part for part in body["parts"] if then in map(name_key, names_of(part["subjects"].get(kind.by, "")))]
    if own and not parts:
        yield f"{RESOLVED}{about}"
    for part in parts:
        outcome = part["outcome"]
        if outcome is None or outcome["id"] not in kind.hushed or results.viewer.person.leads(results.viewer.campaign):
            yield f"{_against(results, kind, made, part)}{outcome['text'] if outcome else part['unrolled']}{about}"


def _list_further_lines(results: _Results, order: StandingOrder) -> Iterator[str]:
    for made in (results.made[number] for number in order.entries):
        for part in read_body(made)["parts"] if made.audience == "results" else ():
            if not (part["secret"] or any(True for _ in list_thrown(part))):
                yield from (step["text"] for step in part["steps"])


def _against(results: _Results, kind: OrderKind, made: Entry, part: Mapping[str, Json]) -> str:
    if not kind.hushed:
        return ""
    numbers = {name_key(name): number for number, name in made.names().items()}
    named = (
        name for role, names in part["subjects"].items() if role not in {kind.by, kind.to} for name in names_of(names)
    )
    known = (
        results.viewer.name_of(results.people[number]) if (number := numbers.get(name_key(name))) else name
        for name in named
    )
    return "".join(f"{name}{DOT}" for name in known)


def _is_for_others(viewer: Viewer, entry: Entry) -> bool:
    if permissions.is_group(entry.audience) and not viewer.person.leads(viewer.campaign):
        return entry.audience not in map(permissions.group_audience, viewer.groups)
    return voiding.is_hidden(entry, viewer.mine)


CHANGE, ARRANGE, PASS = "Change or cancel ...", "Arrange, change or cancel ...", "Pass: no more orders for ..."
MAX_SELECTS = 5  # in one message


async def show_orders(interaction: AnyInteraction, campaign: Campaign, update: int | None = None) -> None:
    """List a person's orders to pick from, or the results of a closed update."""
    bot = interaction.client
    found = await bot.database.read(_list_orders, bot.resolver, person(interaction), campaign, update)
    selects = [*_order_selects(campaign, found.orders, ARRANGE if found.leads else CHANGE), *_pass_select(found)]
    some = [selects[start : start + MAX_SELECTS] for start in range(0, len(selects), MAX_SELECTS)]
    pages, below = _list_pages(found), [Controls(*items) for items in some]
    more = [[Embed(description="More orders:", colour=COLOURS["neutral"])]]
    pages += more * (len(below) - len(pages))
    views: list[ui.View | None] = [*[None] * (len(pages) - len(below)), *below]
    for page, view in zip(pages, views, strict=True):
        await say(interaction, embeds=page, **({"view": view} if view else {}))


def _list_pages(found: OrderList) -> ledger.Pages:
    lines = [*([kinds.describe_lock(found.locked)] if found.locked else []), *_list_lines(found)]
    if found.passed:
        lines.append(f"{kinds.EMPTY * bool(found.orders)}**Passed:** {joined([plain(name) for name in found.passed])}")
    lines = lines if found.orders or found.passed else [*lines, found.none]
    embeds = _embeds(found, "Orders", lines)
    embeds += _embeds(found.before, "Your results", [*_list_lines(found.before)]) if found.before else []
    return paginate(embeds)


def _list_lines(found: OrderList) -> Iterator[str]:
    yield from kinds.group_by_phase(
        (kinds.phase_line(known), line)
        for order, known, came in found.orders
        for line in (
            f"\N{BULLET} {kinds.order_line(known, order)} (entry #{order.entry}){kinds.describe_arrangement(order)}",
            *(f"-# {plain(line)}" for line in came),
        )
    )


def _embeds(found: OrderList, what: str, lines: Sequence[str]) -> list[Embed]:
    title = f"{what}: {plain(found.update)}"
    return fit_embeds(title, lines, colour=COLOURS["neutral"], footer=found.campaign.name)


def _order_selects(
    campaign: Campaign, orders: Sequence[tuple[StandingOrder, kinds.LabelledKind, object]], asks: str
) -> Iterator[ui.Select[ui.LayoutView]]:
    shown = [(order, known) for order, known, _ in orders if order.stands]
    for place, start in enumerate(range(0, len(shown), parsing.MAX_CHOICES)):
        some = shown[start : start + parsing.MAX_CHOICES]
        which = f" ({start + 1} to {start + len(some)})" if len(shown) > parsing.MAX_CHOICES else ""
        yield from order_select(campaign, place, some, f"{asks}{which}")


def _pass_select(found: OrderList) -> Iterator[ui.Select[ui.LayoutView]]:
    shown = [(f"{item.name} #{item.id}", item.name, "") for item in found.idle[: parsing.MAX_CHOICES]]
    more = f" (the first {len(shown)} of {len(found.idle)})" if len(found.idle) > len(shown) else ""
    yield from receipt.picker(kinds.PASS.fill(campaign=found.campaign.id), f"{PASS}{more}", shown)


def order_select(
    campaign: Campaign, place: int, orders: Sequence[tuple[StandingOrder, kinds.LabelledKind]], asks: str = CHANGE
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield a select of up to 25 orders. `place` keeps ids of several selects apart."""
    shown = [
        (f"{order.who.id}.{order.entry}", f"{order.who.name}: {known.kind.label}", order.to.name if order.to else "")
        for order, known in orders
    ]
    yield from receipt.picker(kinds.PICK.fill(campaign=campaign.id, _place=place), asks, shown)
