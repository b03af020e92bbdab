"""How game masters arrange orders: the priority that one has, and whether it is held, which is not resolved in this update."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.errors import BadInput, NotAsItIs
from bot.orders import service
from bot.orders.bodies import ArrangeBody
from bot.orders.ids import OrderKey
from bot.orders.kinds import CalledKind
from bot.orders.service import SeenOrder
from bot.orders.standing import StandingOrder
from bot.rolls.resolver import Resolver
from bot.ui.entries import plain_pages
from bot.ui.text import plain

ARRANGE, ARRANGING = "arrange", "arrange orders"
MAX_RANK = 99


def hold(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, on: bool) -> tuple[SeenOrder, Entry]:
    """Hold an order, or let it go; return it as it stands then, with the entry."""
    seen = service.led(tx, resolver, person, key, ARRANGING, lock=True)
    if seen.order.held == on:
        raise NotAsItIs("That order is already paused." if on else "That order isn't paused.", "See /order list.")
    return _arranged(tx, resolver, person, seen, replace(seen.order, held=on))


def prefer(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, typed: str) -> tuple[SeenOrder, Entry]:
    """Give an order a priority, the lowest first; return it as it stands then, with the entry."""
    seen = service.led(tx, resolver, person, key, ARRANGING, lock=True)
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


def sentence(body: Body, _view: View = "staff") -> str:
    """Return in one line how an order is arranged."""
    order = cast("ArrangeBody", body)
    paused = "paused, " if order["held"] else ""
    return f"{plain(order['label'])}: {plain(order['who'])} (entry #{order['order']}), {paused}priority {order['rank']}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Order arranged", [sentence(shown.entry.content())])


ARRANGE_ENTRY = EntryKind(ARRANGE, "staff", sentence, _pages)
