"""Updates: the game's day or week. What happens the same day happens in one update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection

from bot.cogs.update.entries import Update, UpdateBody
from bot.core.campaigns import UPDATE, Campaign, current_update, on_server, open_campaign, require_open
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE
from bot.errors import BadInput, NotOpen
from bot.feature import Feature
from bot.rolls import told_here
from rules.names import visible

MAX_NAME = 60
CLOSING = "close an update"

Lasting = tuple[str, str]
"""The name of a bearer, and what lasts on it."""


@dataclass(frozen=True, slots=True)
class UpdateView:
    """The current update as somebody sees it, what ends with it, what lasts beyond it, and what was rolled where people play."""

    update: Update
    ending: tuple[Lasting, ...] = ()
    lasting: tuple[Lasting, ...] = ()
    rolled: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class UpdateToClose:
    """The current update as it is shown before it is closed, and what the next one is to be called, empty for its number."""

    campaign: Campaign
    view: UpdateView
    next_name: str


@dataclass(frozen=True, slots=True)
class SeenUpdate:
    """Which update somebody was asked about, and what the next one is to be called."""

    number: int
    next_name: str


@dataclass(frozen=True, slots=True)
class ClosedUpdate:
    """An update that was closed, the one that began, what ended with it, number and hash of the entry that says so, and what was rolled in it where people play."""

    before: Update
    after: Update
    ended: tuple[Lasting, ...]
    entry: int
    hash: str
    rolled: Sequence[str] = ()


def look(tx: Connection, features: Sequence[Feature], person: Person, campaign: Campaign) -> UpdateView:
    """Return the current update; game masters see what ends with it and what lasts beyond it."""
    update = _current(tx, campaign)
    rolled = told_here.of_update(tx, campaign) if person.takes_part(campaign) else ()
    if not person.leads(campaign):
        return UpdateView(update, rolled=rolled)
    hooks = [feature.lasting for feature in features if feature.lasting is not None]
    lasting = tuple(item for hook in hooks for item in hook(tx, campaign))
    return UpdateView(update, _ending(tx, features, campaign, update["number"]), lasting, rolled)


def to_close(
    tx: Connection, features: Sequence[Feature], person: Person, campaign: Campaign, name: str | None
) -> UpdateToClose:
    """Return the current update with what ends with it, and what the next is to be called, as typed.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: the next update's name is too long.
        NotOpen: the campaign is archived.

    """
    require_open(campaign)
    require_game_master(person, campaign, CLOSING)
    return UpdateToClose(campaign, look(tx, features, person, campaign), _title(name))


def close_by_hand(
    tx: Connection, ledger: Ledger, features: Sequence[Feature], person: Person, campaign_id: int, seen: SeenUpdate
) -> ClosedUpdate:
    """Close the current update, if it is the one that was seen, and begin the next, under a name as typed or its number.

    Raises:
        NotAllowed, BadInput: as `to_close`.
        NotOpen: it is closed already, or the campaign is archived.

    """
    on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, CLOSING)
    now = _current(tx, campaign)
    if now["number"] != seen.number:
        what = f"Update number {seen.number} is closed already: {now['name']} has begun, number {now['number']}."
        raise NotOpen(what, "Nothing more was closed. See /update show.")
    return close(tx, ledger, campaign, person.user_id, _title(seen.next_name), features)


def close(
    tx: Connection, ledger: Ledger, campaign: Campaign, user_id: int, title: str, features: Sequence[Feature]
) -> ClosedUpdate:
    """Close the current update of a locked campaign on behalf of `user_id`; without a title the next has its number."""
    before = _current(tx, campaign)
    ended, rolled = _ending(tx, features, campaign, before["number"]), told_here.of_update(tx, campaign)
    number = before["number"] + 1
    after = Update(number=number, name=title or f"Update {number}", since=ledger.now().isoformat())
    body = UpdateBody(closed=before, opened=after)
    draft = EntryDraft("update", "results", body, (Change(CAMPAIGN_STATE, UPDATE, before, after),))
    entry = ledger.enter(tx, campaign, user_id, draft)
    return ClosedUpdate(before, after, ended, entry.number, entry.hash, rolled)


def _title(name: str | None) -> str:
    title = visible(name or "")
    if len(title) > MAX_NAME:
        raise BadInput(f"An update's name has at most {MAX_NAME} characters; that one has {len(title)}.")
    return title


def _current(tx: Connection, campaign: Campaign) -> Update:
    return cast("Update", current_update(tx, campaign.id))


def _ending(tx: Connection, features: Sequence[Feature], campaign: Campaign, number: int) -> tuple[Lasting, ...]:
    hooks = [feature.update_closed for feature in features if feature.update_closed is not None]
    return tuple(item for hook in hooks for item in hook(tx, campaign, number))
