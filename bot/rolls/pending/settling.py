"""Rolls that wait for somebody who can take part no more: they go on without, or lapse, at once."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.errors import UserError
from bot.outbox.store import Post
from bot.rolls.pending import service, store
from bot.rolls.pending.answering import Answering
from bot.rolls.pending.service import PendingRoll
from bot.rolls.pending.store import NOBODY, Pending
from bot.rolls.resolver import Resolver
from rules.errors import RulesError

log = logging.getLogger(__name__)


def settle(tx: Connection, resolver: Resolver, campaign: Campaign) -> Iterator[Post]:
    """Go on without those who can take part no more: what waited for them alone is rolled, what is nothing without them lapses.

    Yield the posts that tell of it.
    """
    for pending in store.still_open(tx, campaign.id):
        how = resolver.extension.answering(pending.request)
        if how is None or how.there is None:
            continue
        asked_for = {seat.subject for seat in pending.seats if seat.subject is not None}
        there, found = how.there(tx, campaign, pending.request, asked_for), service.posted(tx, campaign, pending)
        left = pending if there is None else _without(how, pending, there)
        if there is None:
            yield from service.end_as(tx, resolver, found, "withdrawn").told()
        elif left != pending:
            yield from _went_on(tx, resolver, replace(found, pending=left))


def settled(tx: Connection, resolver: Resolver, _person: Person, campaign: Campaign, _number: int) -> Iterator[Post]:
    """Go on without whoever an entry (number) has removed; yield the posts, as `settle` does."""
    return settle(tx, resolver, campaign)


def _without(how: Answering, pending: Pending, there: Collection[int]) -> Pending:
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
