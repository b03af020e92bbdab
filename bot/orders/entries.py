"""Entries about orders: sealed, for the staff and who gave them. And orders that are cancelled by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, cast

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, open_campaign
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person
from bot.core.records import Change, Entry, read_body
from bot.errors import BadInput, NotAsItIs
from bot.orders.ids import UpdateKey, open_update
from bot.orders.kinds import CalledKind, cancel_reason, phase_line, with_kinds
from bot.orders.standing import StandingOrder, all_orders, list_standing
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.receipt import plain_pages
from bot.ui.text import listing, plain
from rules.ruleset import RuleSet


class OrderBody(TypedDict):
    """An order that was given or withdrawn: what its kind and phase are called, who does it to whom, who besides; `before` is the entry of one that it changes."""

    deed: Literal["give", "withdraw"]
    label: str
    phase: str
    who: str
    to: str | None
    beside: Sequence[str]
    before: int | None


class LapseBody(TypedDict):
    """Nothing came of an order (the entry `before`), or of the `rest` of it, and why."""

    deed: Literal["lapse", "rest"]
    label: str
    phase: str
    who: str
    to: str | None
    beside: Sequence[str]
    before: int
    why: str


class PassBody(TypedDict):
    """Somebody does nothing more in this update."""

    deed: Literal["pass"]
    who: str


TITLES = {
    "give": "Order given",
    "withdraw": "Order cancelled",
    "pass": "Passed",
    "lapse": "Order cancelled",
    "rest": "Rest of an order cancelled",
}
LAPSED = {"lapse": "cancelled", "rest": "the rest cancelled"}


def sentence(body: Body, _view: View = "staff") -> str:
    """Return an entry about an order in one line."""
    if body["deed"] == "pass":
        return f"{plain(body['who'])} passes in this update"
    order = cast("OrderBody", body)
    about = [name for name in (order["to"], *order["beside"]) if name]
    line = f"{plain(order['label'])}: {plain(order['who'])}" + (f" ({listing([*map(plain, about)])})" if about else "")
    if body["deed"] in LAPSED:
        return f"{line}, {LAPSED[body['deed']]}: {plain(cancel_reason(body))}"
    return f"{line}, cancelled" if order["deed"] == "withdraw" else line


def _pages(shown: EntryView, view: View) -> Pages:
    body, note, reason = read_body(shown.entry), shown.entry.text("note"), shown.entry.text("reason")
    lines = [sentence(body, view)]
    if body["deed"] != "pass":
        lines.append(f"Phase: {plain(body['phase'])}")
    if body.get("before"):
        lines.append(f"{'Replaces' if body['deed'] == 'give' else 'Given as'} entry #{body['before']}")
    lines += [f"**{label}:** {plain(text)}" for label, text in (("Note", note), ("Reason", reason)) if text]
    return plain_pages(shown, TITLES[body["deed"]], lines)


ORDER_ENTRY = EntryKind("order", "maker", sentence, _pages)


DROPPED = "the update closes"


class Work(Struct, frozen=True):
    """A transaction in which somebody decides about the orders of a campaign."""

    tx: Connection
    resolver: Resolver
    person: Person
    campaign: Campaign


def require_reason(typed: str) -> str:
    """Return the reason that was typed."""
    reason = parsing.text(typed, "reason")
    if reason is None:
        raise BadInput("This needs a reason.", "Write one. The player sees it.")
    return reason


def cancel_order(work: Work, known: CalledKind, order: StandingOrder, why: str, reason: str | None = None) -> Entry:
    """Enter that nothing comes of an order, or of what it has left, and why; a `reason` that somebody gave is a text of the entry."""
    had = order.in_phase(known.phase.id)
    body: LapseBody = {
        "deed": "rest" if had else "lapse",
        "label": known.kind.label,
        "phase": phase_line(known) if reason else known.phase.label,  # by hand it lapses in none
        "who": order.who.name,
        "to": order.to.name if order.to else None,
        "beside": [who.name for who in order.beside],
        "before": order.entry,
        "why": why,
    }
    after = (
        order.with_end(known.phase.id, had[-1]) if had else replace(order, lapsed=next_number(work.tx, work.campaign))
    )
    change = Change(order.who.key, order.name, order.value(), after.value())
    texts = {"reason": reason} if reason else {}
    draft = EntryDraft("order", "maker", body, (change,), texts, subjects=(order.who,))
    return work.resolver.ledger.enter(work.tx, work.campaign, work.person.user_id, draft)


def cancel_with_scene(work: Work, book: RuleSet, why: str) -> list[Entry]:
    """Enter that nothing comes of what is left of all orders of a book, as the scene is over on which they hang."""
    return [cancel_order(work, known, item, why) for item, known in open_orders(work.tx, work.campaign, book)]


def open_orders(tx: Connection, campaign: Campaign, book: RuleSet) -> list[tuple[StandingOrder, CalledKind]]:
    """Return the orders of a book of which something is still to come, with their kinds."""
    orders = [item for item in all_orders(tx, campaign) if item.book == book.id and item.unresolved]
    return with_kinds(tx, campaign, [book], orders)


def cancel_all(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, typed: str) -> list[Entry]:
    """Enter that nothing comes of all orders that stand in the update that was seen, each by an entry of its own, with a reason."""
    reason = require_reason(typed)
    left = orders_to_cancel(tx, resolver, person, key, lock=True)
    work = Work(tx, resolver, person, open_campaign(tx, key.campaign))
    return [cancel_order(work, known, item, DROPPED, reason) for item, known in left]


def orders_to_cancel(
    tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, *, lock: bool = False
) -> list[tuple[StandingOrder, CalledKind]]:
    """Return the orders that stand in the update that was seen, with their kinds, for a game master who may drop them."""
    campaign = open_update(tx, person, key, "cancel orders", lock=lock)
    left = with_kinds(tx, campaign, resolver.library.played(tx, campaign), list_standing(tx, campaign))
    if not left:
        raise NotAsItIs("No open orders to cancel.", "See /order list.")
    return left
