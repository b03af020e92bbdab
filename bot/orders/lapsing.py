"""Orders of which nothing comes: each lapses by an entry that says why; game masters drop all that are left with a reason."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, on_server, open_campaign, require_update
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.errors import BadInput, NotAsItIs
from bot.orders.bodies import LapseBody
from bot.orders.called import called
from bot.orders.ids import UpdateKey
from bot.orders.kinds import CalledKind
from bot.orders.standing import StandingOrder, every, standing
from bot.orders.words import phase_line
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from rules.ruleset import RuleSet

DROPPED = "the update closes"


class Work(Struct, frozen=True):
    """A transaction in which somebody decides about the orders of a campaign."""

    tx: Connection
    resolver: Resolver
    person: Person
    campaign: Campaign


def reason_for(typed: str) -> str:
    """Return the reason that was typed."""
    reason = parsing.text(typed, "reason")
    if reason is None:
        raise BadInput("This needs a reason.", "Write one. The player sees it.")
    return reason


def lapse(work: Work, known: CalledKind, order: StandingOrder, why: str, reason: str | None = None) -> Entry:
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


def lapse_with_scene(work: Work, book: RuleSet, why: str) -> list[Entry]:
    """Enter that nothing comes of what is left of all orders of a book, as the scene is over on which they hang."""
    return [lapse(work, known, item, why) for item, known in left_of(work.tx, work.campaign, book)]


def left_of(tx: Connection, campaign: Campaign, book: RuleSet) -> list[tuple[StandingOrder, CalledKind]]:
    """Return the orders of a book of which something is still to come, with their kinds."""
    orders = [item for item in every(tx, campaign) if item.book == book.id and item.unresolved]
    return called(tx, campaign, [book], orders)


def drop_all(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, typed: str) -> list[Entry]:
    """Enter that nothing comes of all orders that stand in the update that was seen, each by an entry of its own, with a reason."""
    reason = reason_for(typed)
    left = to_drop(tx, resolver, person, key, lock=True)
    work = Work(tx, resolver, person, open_campaign(tx, key.campaign))
    return [lapse(work, known, item, DROPPED, reason) for item, known in left]


def to_drop(
    tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, *, lock: bool = False
) -> list[tuple[StandingOrder, CalledKind]]:
    """Return the orders that stand in the update that was seen, with their kinds, for a game master who may drop them."""
    campaign = open_campaign(tx, on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, "cancel orders")
    require_update(tx, key.campaign, key.number)
    left = called(tx, campaign, resolver.library.played(tx, campaign), standing(tx, campaign))
    if not left:
        raise NotAsItIs("No open orders to cancel.", "See /order list.")
    return left
