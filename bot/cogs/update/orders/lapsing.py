"""Orders of which nothing comes: each lapses by an entry that says why; a game master refuses one with a reason."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.update.orders.bodies import LapseBody
from bot.cogs.update.orders.kinds import KnownKind
from bot.cogs.update.orders.standing import StandingOrder
from bot.core.campaigns import Campaign
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.errors import BadInput
from bot.rolls.resolver import Resolver
from bot.ui import parsing


class Work(Struct, frozen=True):
    """A transaction in which somebody decides about the orders of a campaign."""

    tx: Connection
    resolver: Resolver
    person: Person
    campaign: Campaign


def reason_for(typed: str) -> str:
    """Return the reason that was typed.

    Raises:
        BadInput: there is none, or it is too long.

    """
    reason = parsing.text(typed, "reason")
    if reason is None:
        raise BadInput("That needs a reason.", "Write one: whoever gave the order reads it.")
    return reason


def lapse(work: Work, known: KnownKind, order: StandingOrder, why: str, reason: str | None = None) -> Entry:
    """Enter that nothing comes of an order, and why; a `reason` that somebody gave is a text of the entry."""
    body: LapseBody = {
        "deed": "lapse",
        "label": known.kind.label,
        "phase": known.phase.label,
        "who": order.who.name,
        "to": order.to.name if order.to else None,
        "beside": [who.name for who in order.beside],
        "before": order.entry,
        "why": why,
    }
    after = replace(order, lapsed=next_number(work.tx, work.campaign))
    change = Change(order.who.key, order.name, order.value(), after.value())
    texts = {"reason": reason} if reason else {}
    draft = EntryDraft("order", "maker", body, (change,), texts, subjects=(order.who,))
    return work.resolver.ledger.enter(work.tx, work.campaign, work.person.user_id, draft)
