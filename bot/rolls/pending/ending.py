"""Rolls that stop waiting: withdrawn, out of time, without those who can't take part any more, or erased."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.chores import do_each
from bot.core.permissions import Person
from bot.errors import NotAllowed, UserError
from bot.outbox.store import Post
from bot.rolls.pending import service, store
from bot.rolls.pending.messages import link_results
from bot.rolls.pending.service import PendingRef, PendingRoll
from bot.rolls.pending.store import NOBODY, Answering, Pending
from bot.rolls.resolver import Resolver
from rules.errors import RulesError

log = logging.getLogger(__name__)


def withdraw(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef) -> PendingRoll:
    """Take back what is asked, as who has asked it or as a game master; where its time is over, that ends it."""
    found = service.find(tx, ref, person)
    if person.user_id != found.pending.asker_id and not person.leads(found.campaign):
        what = f"Only {found.pending.words.name} or a game master can withdraw this."
        raise NotAllowed(what, "You can also leave it unanswered.")
    service.require_waiting(found.pending)
    overdue = found.pending.expires_at <= resolver.ledger.now()
    return end(tx, resolver, ref) if overdue else service.end_as(tx, resolver, found, "withdrawn")


def end(tx: Connection, resolver: Resolver, ref: PendingRef) -> PendingRoll:
    """End what waits: roll it without the answers that are missing, or let it lapse, as what cannot be rolled any more does too.

    What was ended meanwhile owes no post.
    """
    found = service.find(tx, ref)
    if found.pending.state != "open":
        return replace(found, post=None)
    if found.pending.words.otherwise:
        try:
            return service.roll(tx, resolver, found, found.pending.asker_id)
        except (UserError, RulesError) as problem:  # raised ahead of the dice, when nothing has been written
            log.warning("pending.refused", extra={"campaign": found.campaign.id, "fault": str(problem)})
    return service.end_as(tx, resolver, found, "expired")


async def end_overdue(client: Any) -> list[Post]:  # noqa: ANN401 - `bot.client.Adjutant`, which stands above this module
    """End all whose time is over, each in a transaction of its own; return the posts that tell of it, the caller's to send."""
    due = await client.database.read(store.overdue, client.ledger.now())
    return await do_each((end_one(client, PendingRef(*key)) for key in due), "pending.bug")


async def end_one(client: Any, ref: PendingRef) -> Sequence[Post]:  # noqa: ANN401 - as above
    """End one whose time is over, and send its roll, if that is made; return the post that tells of it, the caller's to send."""
    over: PendingRoll = await client.database.write(end, client.resolver, ref)
    if over.rolled is None:
        return over.told()
    sent = await client.outbox.send(client, over.rolled.posts)
    return await link_results(client, sent, over.told())


def settle(tx: Connection, resolver: Resolver, campaign: Campaign) -> Iterator[Post]:
    """Go on without those who can take part no more: what waited for them alone is rolled, what is nothing without them lapses.

    Yield the posts that tell of it.
    """
    for pending in store.still_open(tx, campaign.id):
        how = resolver.extension.answering(pending.request)
        if how is None or how.there is None:
            continue
        asked_for = {seat.subject for seat in pending.seats if seat.subject is not None}
        there, found = how.there(tx, campaign, pending.request, asked_for), service.find_posted(tx, campaign, pending)
        left = pending if there is None else _without_absent(how, pending, there)
        if there is None:
            yield from service.end_as(tx, resolver, found, "withdrawn").told()
        elif left != pending:
            yield from _went_on(tx, resolver, replace(found, pending=left))


def settle_after_removal(
    tx: Connection, resolver: Resolver, _person: Person, campaign: Campaign, _number: int
) -> Iterator[Post]:
    """Go on without whoever an entry (number) has removed; yield the posts, as `settle` does."""
    return settle(tx, resolver, campaign)


def _without_absent(how: Answering, pending: Pending, there: Collection[int]) -> Pending:
    """Return what waits without the answers of those who are not there, for whom nobody waits any more."""
    for place, seat in enumerate(pending.seats):
        if seat.subject is not None and seat.subject not in there and seat.by != NOBODY:
            request = how.fold(pending.request, place, None)
            pending = replace(pending.seated(place, by=NOBODY, unseen=True, draft=None), request=request)
    return pending


def _went_on(tx: Connection, resolver: Resolver, found: PendingRoll) -> Iterator[Post]:
    if found.pending.awaited:
        yield from service.keep(tx, resolver, found).told()
        return
    try:
        made = service.roll(tx, resolver, found, found.pending.asker_id)
    except (UserError, RulesError) as problem:  # as `end`
        log.warning("pending.refused", extra={"campaign": found.campaign.id, "fault": str(problem)})
        made = service.end_as(tx, resolver, found, "withdrawn")
    yield from (*(made.rolled.posts if made.rolled else ()), *made.told())
