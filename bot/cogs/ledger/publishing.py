"""Publishing a result that was not public: at once, or by itself on a date."""

from __future__ import annotations

from datetime import datetime
from itertools import chain, takewhile
from typing import NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.ledger import service
from bot.cogs.ledger.entries import PublicationBody, PublicationDateBody
from bot.cogs.ledger.service import is_publishable, views_of
from bot.core import campaigns, entries, state, voiding
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.entry_kinds import Publication
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.core.schema import campaign as campaign_table
from bot.core.schema import state as state_table
from bot.core.search_index import SearchIndex
from bot.core.state import PUBLISH_AT, PUBLISHED, VOIDED
from bot.errors import NotOpen
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.amended import since
from bot.rolls.embed import result_pages
from bot.rolls.entry_body import was_kept
from bot.rolls.resolver import Resolver
from bot.rolls.restyle import restyled
from bot.schedules.recurrence import checked_date

# Per campaign, since that is how the names of values are indexed.
_DUE = (
    sa.select(campaign_table.c.id, state_table.c.subject)
    .join(state_table, (state_table.c.campaign_id == campaign_table.c.id) & (state_table.c.name == PUBLISH_AT))
    .where(campaign_table.c.archived_at.is_(None), state_table.c.value["at"].as_string() <= sa.bindparam("now"))
    .order_by(campaign_table.c.id, state_table.c.value["at"].as_string())
)


class DueResult(NamedTuple):
    """A result whose date is reached: its campaign (id), the entry that was given the date, and the one that stands for it by now."""

    campaign_id: int
    dated: int
    number: int


def publish(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> tuple[Post, ...]:
    """Let a result go to the results channel after all; its posts, and those of the staff that say so, are the caller's to send.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: it is public already, or no result of a roll; or the campaign is archived, or another server's.

    """
    campaign, entry = _unpublished(tx, person, campaign_id, number)
    return _made_public(tx, resolver, campaign, entry, resolver.ledger.actor(tx, campaign, person.user_id))


def require_unpublished(tx: Connection, person: Person, campaign_id: int, number: int) -> None:
    """Refuse what `publish` refuses.

    Raises:
        NotAllowed, NotOpen: as it.

    """
    _unpublished(tx, person, campaign_id, number, lock=False)


def set_date(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int, typed: str
) -> tuple[Entry, datetime]:
    """Give a result a date on which it goes to the results channel by itself; return the entry that says so, and the moment (UTC).

    Raises:
        NotAllowed, NotOpen: as `publish`.
        BadInput: what is typed is no date to come.

    """
    campaign, entry = _unpublished(tx, person, campaign_id, number)
    at = checked_date(typed, ZoneInfo(campaign.timezone), resolver.ledger.now())
    key, body = f"entry:{entry.number}", PublicationDateBody(entry=entry.number, at=at.isoformat())
    kept = {"at": at.isoformat(), "by": next_number(tx, campaign)}
    change = Change(key, PUBLISH_AT, state.get(tx, campaign.id, key, PUBLISH_AT), kept)
    draft = EntryDraft("publication_date", "staff", body, (change,))
    return resolver.ledger.enter(tx, campaign, person.user_id, draft), at


def due(tx: Connection, now: datetime) -> list[DueResult]:
    """Return the results, of all servers, whose date is reached and that are not public by then."""
    found = tx.execute(_DUE, {"now": now.isoformat()})
    numbered = ((campaign_id, int(subject.removeprefix("entry:"))) for campaign_id, subject in found)
    standing = (DueResult(here, number, _standing(tx, here, number)) for here, number in numbered)
    return [item for item in standing if _is_due(tx, item)]


def publish_due(tx: Connection, resolver: Resolver, due: DueResult) -> tuple[Post, ...]:
    """Publish a result whose date is reached, as whom has set that; nothing if it became public or void meanwhile."""
    campaign = campaigns.get(tx, due.campaign_id, lock=True)
    entry = entries.get(tx, due.campaign_id, due.number)
    date = state.get(tx, due.campaign_id, f"entry:{due.dated}", PUBLISH_AT)
    if campaign is None or entry is None or date is None or not _is_due(tx, due):
        return ()
    by = entries.some(tx, campaign.id, [date["by"]])[date["by"]]
    return _made_public(tx, resolver, campaign, entry, by.actor, dated=due.dated)


def _unpublished(
    tx: Connection, person: Person, campaign_id: int, number: int, *, lock: bool = True
) -> tuple[Campaign, Entry]:
    """Return an open campaign and a result of it that a game master may publish."""
    require_game_master(person, on_server(tx, person.guild_id, campaign_id), "publish a result")
    campaign = open_campaign(tx, campaign_id, lock=lock)
    details = service.find(tx, person, campaign, number)
    if not details.publishable:
        raise NotOpen(f"Entry #{number} has nothing left to publish.")
    return campaign, details.shown.entry


def _made_public(
    tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry, actor: str, dated: int | None = None
) -> tuple[Post, ...]:
    """Enter as somebody (pseudonym) that a result is public, and queue its posts; on the date that the entry `dated` was given, if it has one."""
    key, dates = f"entry:{entry.number}", f"entry:{dated or entry.number}"
    published, link = _publication(tx, campaign, entry), entries.newest(tx, campaign.id, campaign.uuid)
    body = PublicationBody(entry=entry.number, update=published.update, rolls=published.rolls)
    kept = {"by": link.number + 1, "update": published.update, "rolls": published.rolls}
    changes = [Change(key, "audience", entry.audience, "results"), Change(key, PUBLISHED, None, kept)]
    date = state.get(tx, campaign.id, dates, PUBLISH_AT)
    if date is not None:
        changes.append(Change(dates, PUBLISH_AT, date, None))
    if dated is not None:
        body["dated"] = dated
    draft = EntryDraft("publication", "results", body, tuple(changes))
    resolver.ledger.append(tx, campaign.id, actor, draft, link)
    entries.set_audience(tx, campaign.id, entry.number, "results")
    SearchIndex(resolver.kinds).renew(tx, campaign.id, [entry.number])
    (view,) = views_of(tx, campaign, [entry])
    pages = result_pages(replace(view, published=published), "public")
    messages = [OutgoingMessage("published", campaign.results_channel_id, embeds) for embeds in pages]
    told = tuple(restyled(tx, resolver.outbox, resolver.kinds, campaign, entry))
    return (*resolver.outbox.queue(tx, campaign.id, entry.number, messages), *told)


def _is_due(tx: Connection, item: DueResult) -> bool:
    """Tell whether the result that a date was given to is still private, and stands, and has the date."""
    entry, key = entries.get(tx, item.campaign_id, item.number), f"entry:{item.number}"
    kept = state.named(tx, item.campaign_id, {key}, {VOIDED, PUBLISHED})
    return entry is not None and is_publishable(entry, kept)


def _standing(tx: Connection, campaign_id: int, number: int) -> int:
    """Return which entry stands for a roll by now: itself, or the last that amends it."""
    while (mark := voiding.voided_by(tx, campaign_id, number)) is not None and mark.amended:
        number = mark.by
    return number


def _publication(tx: Connection, campaign: Campaign, entry: Entry) -> Publication:
    """Return what is told of a roll that becomes public: how many its maker has kept private in the same update.

    None are counted for one that the rules kept. A roll that was amended is one roll, made when its dice fell, by whoever
    threw them.
    """
    first = entries.get(tx, campaign.id, since(entry.number, entry.content())) or entry
    update = _update(first)
    if not was_kept(first.content()):
        return Publication(update)
    same = (
        takewhile(lambda other: _amends(other) or _update(other) == update, side)
        for side in entries.around(tx, campaign.id, first)
    )
    kept = (was_kept(other.content()) and not _amends(other) for other in chain.from_iterable(same))
    return Publication(update, 1 + sum(kept))


def _amends(roll: Entry) -> bool:
    """Tell whether a roll amends another."""
    return "amends" in roll.content()


def _update(roll: Entry) -> int:
    """Return the number of the update in which a roll was made."""
    return int(roll.content()["update"]["number"])
