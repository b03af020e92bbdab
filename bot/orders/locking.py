"""The lock on players' orders: until it is lifted or the update closes, game masters alone give, change and withdraw any."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypedDict

import discord
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, next_number
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE
from bot.errors import NotOpen
from bot.orders.ids import UpdateKey, open_update
from bot.orders.played_scene import are_sealed
from bot.orders.standing import all_orders
from bot.rolls.resolver import Resolver
from bot.ui.receipt import plain_pages
from rules.orders import LOCK

_LATER = "Ask a game master, or wait for the next update."


class LockBody(TypedDict):
    """Players' orders of an update (its name) were locked or unlocked."""

    deed: Literal["lock", "unlock"]
    update: str


def locked_since(tx: Connection, campaign: Campaign) -> datetime | None:
    """Return since when players' orders are locked; None when they are not."""
    kept: Mapping[str, Json] | None = state.get_value(tx, campaign.id, CAMPAIGN_STATE, LOCK)
    return None if kept is None else datetime.fromisoformat(kept["at"])


def require_unlocked(tx: Connection, library: Library, person: Person, campaign: Campaign) -> None:
    """Refuse what players do about orders while these are locked or being resolved."""
    if person.leads(campaign):
        return
    since, name = locked_since(tx, campaign), current_update(tx, campaign.id)["name"]
    if since is not None:
        raise NotOpen(f"Orders for {name} have been locked since {discord.utils.format_dt(since, 't')}.", _LATER)
    if _half_resolved(tx, library, campaign):
        raise NotOpen(f"Orders for {name} are being resolved.", "Wait until they're done, or ask a game master.")


def _half_resolved(tx: Connection, library: Library, campaign: Campaign) -> bool:
    """Return whether some sealed orders of the update were resolved while others that had been given by then are still open."""
    orders = all_orders(tx, campaign)
    given = min((item.entry for item in orders if item.unresolved and not item.held), default=None)
    sealed = {book.id for book in library.played(tx, campaign) if are_sealed(tx, campaign.id, book)}
    later = {number for item in orders if item.book in sealed for number in item.entries if given and number > given}
    # What players rolled themselves settles their orders too, but resolves no others.
    return any("orders" in entry.content() for entry in entries.get_entries_bare(tx, campaign.id, later).values())


def enter_lock(tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int, *, lock: bool) -> None:
    """Lock or unlock players' orders in a locked campaign on behalf of `user_id`, unless they are so."""
    before = state.get_value(tx, campaign.id, CAMPAIGN_STATE, LOCK)
    if lock == (before is not None):
        return
    at, update = resolver.ledger.now().isoformat(), current_update(tx, campaign.id)
    after = {"entry": next_number(tx, campaign), "update": update["number"], "at": at} if lock else None
    body = LockBody(deed="lock" if lock else "unlock", update=update["name"])
    draft = EntryDraft(LOCK, "staff", body, (Change(CAMPAIGN_STATE, LOCK, before, after),))
    resolver.ledger.enter(tx, campaign, user_id, draft)


def set_lock(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, *, lock: bool) -> None:
    """Lock or unlock players' orders of the update that was seen."""
    enter_lock(tx, resolver, open_update(tx, person, key, "lock orders"), person.user_id, lock=lock)


def _sentence(body: Body, _view: View = "staff") -> str:
    return f"Players' orders {body['deed']}ed"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Orders", [_sentence(shown.entry.content())])


LOCK_ENTRY = EntryKind(LOCK, "staff", _sentence, _pages)
