"""An open order found, cancelled, refused, paused or put first; and passes."""

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, ledger, state, subjects, visibility
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.records import Change, Entry
from bot.orders import kinds
from bot.orders.entries import (
    GONE,
    ORDER_ENTRY,
    OrderWork,
    cancel_order,
    find_commanded,
    order_body,
    require_reason,
    require_unlocked,
)
from bot.orders.kinds import OrderKey
from bot.orders.standing import StandingOrder, find_passed, list_standing, visible_to
from bot.rolls.resolver import Resolver
from bot.ui import parsing, receipt
from bot.ui.text import plain
from rules.orders import PASSED

REFUSED, REFUSING = "refused by a game master", "refuse orders"


class SeenOrder(Struct, frozen=True):
    """An open order as a person sees it; `own` if they gave it."""

    campaign: campaigns.Campaign
    known: kinds.LabelledKind
    order: StandingOrder
    own: bool
    note: str | None = None


def withdraw(tx: Connection, resolver: Resolver, person: Person, key: OrderKey) -> tuple[SeenOrder, Entry]:
    """Withdraw an open order. Return it, and the entry."""
    seen = find_standing(tx, resolver, person, key, lock=True)
    campaign, known, order = seen.campaign, seen.known, seen.order
    require_unlocked(tx, resolver.library, person, campaign)
    body, change = (
        order_body("withdraw", known, order, before=key.number),
        Change(order.who.key, order.name, order.value(), None),
    )
    draft = ledger.EntryDraft(ORDER_ENTRY.name, "maker", body, (change,), subjects=order.mentions)
    return seen, resolver.ledger.enter(tx, campaign, person.user_id, draft)


def find_standing(
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, lock: bool = False
) -> SeenOrder:
    """Return an open order that the person may see. NotOpen if there is none."""
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    viewer = visibility.make_viewer(tx, person, campaign)
    mine = [item for item in visible_to(viewer, list_standing(tx, campaign)) if item.who.id == key.subject]
    order = next((item for item in mine if item.entry == key.number), None)
    if order is None:
        raise NotOpen(*GONE)
    found = kinds.with_kinds(tx, campaign, resolver.library.list_books(tx, campaign), [order])
    given = entries.get_entry(tx, campaign.id, order.entry)
    note = given.text("note") if given else None
    ((_, known),) = found
    return SeenOrder(campaign, known, order, own=order.giver == viewer.mine, note=note)


def refuse(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, reason: str) -> tuple[SeenOrder, Entry]:
    """Cancel an order as a game master, with a reason. Return order and entry."""
    text, seen = require_reason(reason), find_for_game_master(tx, resolver, person, key, REFUSING, lock=True)
    work = OrderWork(tx, resolver, person, seen.campaign)
    return seen, cancel_order(work, seen.known, seen.order, REFUSED, text)


def find_for_game_master(  # noqa: PLR0913 - who does what about which
    tx: Connection, resolver: Resolver, person: Person, key: OrderKey, action: str, *, lock: bool = False
) -> SeenOrder:
    """Return an open order, for game masters only; the refusal names the `action`."""
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, action)
    return find_standing(tx, resolver, person, key, lock=lock)


def pass_on(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, who: str
) -> tuple[campaigns.Campaign, Entry, subjects.Subject]:
    """Enter that someone without orders passes for this update. Return campaign, entry, subject."""
    (name,) = parsing.names(who, "name", 1)
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, campaign_id).id)
    viewer = visibility.make_viewer(tx, person, campaign)
    visibility.require_part(viewer)
    require_unlocked(tx, resolver.library, person, campaign)
    subject, now = find_commanded(tx, viewer, name), find_now(tx, person, campaign)
    mine = [item for item in visible_to(viewer, list_standing(tx, campaign)) if item.who.id == subject.id]
    if mine:
        raise NotAsItIs(f"{subject.name} already has orders: entry #{mine[0].entry}.", "Cancel them in /order list.")
    before = find_passed(tx, campaign, now).get(subject.id)
    if before is not None:
        raise NotAsItIs(f"{subject.name} has already passed.", "Changed your mind? Use /order give.")
    after = {"entry": ledger.next_number(tx, campaign), "update": now.update}
    old = state.get_value(tx, campaign.id, subject.key, PASSED)
    body = {"deed": "pass", "who": subject.name}
    draft = ledger.EntryDraft(
        ORDER_ENTRY.name, "maker", body, (Change(subject.key, PASSED, old, after),), subjects=(subject,)
    )
    return campaign, resolver.ledger.enter(tx, campaign, person.user_id, draft), subject


ARRANGE, ARRANGING = "arrange", "arrange orders"


MAX_RANK = 99


def set_held(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, *, on: bool) -> tuple[SeenOrder, Entry]:
    """Pause (`on`) or resume an order. Return the changed order and the entry."""
    seen = find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    if seen.order.held == on:
        raise NotAsItIs("That order is already paused." if on else "That order isn't paused.", "See /order list.")
    return _enter_arrangement(tx, resolver, person, seen, replace(seen.order, held=on))


def set_rank(tx: Connection, resolver: Resolver, person: Person, key: OrderKey, typed: str) -> tuple[SeenOrder, Entry]:
    """Give an order a priority, 0 to 99, lowest first. Return the changed order and the entry."""
    seen = find_for_game_master(tx, resolver, person, key, ARRANGING, lock=True)
    word = typed.strip()
    if not (word.isdecimal() and word.isascii() and int(word) <= MAX_RANK):
        raise BadInput(
            f"{word[:60]!r} isn't a priority.", f"Write a number from 0 to {MAX_RANK}. The lowest goes first."
        )
    if seen.order.rank == int(word):
        raise NotAsItIs(f"That order already has priority {int(word)}.", "See /order list.")
    return _enter_arrangement(tx, resolver, person, seen, replace(seen.order, rank=int(word)))


def _enter_arrangement(
    tx: Connection, resolver: Resolver, person: Person, seen: SeenOrder, after: StandingOrder
) -> tuple[SeenOrder, Entry]:
    before = seen.order
    change = Change(before.who.key, before.name, before.value(), after.value())
    about = {"label": seen.known.kind.label, "who": after.who.name, "order": after.entry}
    body = {**about, "rank": after.rank, "held": after.held}
    draft = ledger.EntryDraft(ARRANGE, "staff", body, (change,), subjects=(before.who,))
    entry = resolver.ledger.enter(tx, seen.campaign, person.user_id, draft)
    return replace(seen, order=after), entry


def _sentence(body: ledger.Body, _view: ledger.View = "staff") -> str:
    paused = "paused, " if body["held"] else ""
    return f"{plain(body['label'])}: {plain(body['who'])} (entry #{body['order']}), {paused}priority {body['rank']}"


def _pages(shown: ledger.EntryView, _view: ledger.View) -> ledger.Pages:
    return receipt.plain_pages(shown, "Order arranged", [_sentence(shown.entry.content())])


ARRANGE_ENTRY = ledger.EntryKind(ARRANGE, "staff", _sentence, _pages)
