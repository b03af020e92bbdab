"""Epochs begin and close, and the audit thread of their campaign is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, epochs
from bot.core.campaigns import Campaign
from bot.core.epochs import Beginning, Epoch
from bot.core.ledger import Ledger
from bot.core.records import Entry, Link
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, threaded
from bot.rolls.fairness import words

THREAD = "Dice proof"
THREADS = frozenset({threaded(THREAD), threaded("Audit of rolls")})
"""By which topics the thread is found, also one that an older version has opened."""

AHEAD = 2
"""How many epochs are committed to when one is closed: the one that begins, and the one behind it."""

EPOCH = "epoch:"
"""How the topic of a post in the audit thread begins; the number of the epoch that it tells of follows."""


def begin(tx: Connection, ledger: Ledger, campaign: Campaign, link: Link) -> tuple[Epoch, list[OutgoingMessage]]:
    """Begin a campaign's first epoch behind its newest entry; return it with the messages that commit to it."""
    first, following = epochs.begin(tx, campaign.id, _beginning(ledger, campaign, link))
    return first, _tell(tx, campaign, first, words.opening(campaign, link, first, following))


@contextmanager
def under_way(
    tx: Connection, ledger: Ledger, campaign: Campaign
) -> Iterator[tuple[Link, Epoch, Sequence[OutgoingMessage]]]:
    """Give what the campaign's next entry is chained to and the epoch in which it is rolled, with what the audit thread is to be told of that.

    A roll that is refused within leaves the epochs as they were, also where its transaction goes on.
    """
    link, found = epochs.with_newest(tx, campaign.id, campaign.uuid)
    if found is not None and not epochs.is_full(found, link.number + 1):
        yield link, found, ()
        return
    with tx.begin_nested():
        yield link, *(begin(tx, ledger, campaign, link) if found is None else _close(tx, ledger, campaign, found))


def leave(
    tx: Connection, ledger: Ledger, campaign: Campaign, enter: Callable[[], Entry]
) -> tuple[Entry, list[OutgoingMessage]]:
    """Close the epoch that is under way with the entry that `enter` makes; return it with what the audit thread is to be told.

    No seed of an entry up to that one is drawn from any more.
    """
    link, found = epochs.with_newest(tx, campaign.id, campaign.uuid)
    under_way, begun = (found, []) if found is not None else begin(tx, ledger, campaign, link)
    last = enter()
    return last, [*begun, *_close(tx, ledger, campaign, under_way)[1]]


def arrive(tx: Connection, ledger: Ledger, campaign: Campaign, left: Epoch) -> list[OutgoingMessage]:
    """Begin an epoch with fresh secrets behind the one with which a campaign has left another place; return what its audit thread begins with.

    The two numbers behind that one were committed to there, with secrets that stayed there.
    """
    link = entries.newest(tx, campaign.id, campaign.uuid)
    first, following = epochs.begin(tx, campaign.id, _beginning(ledger, campaign, link), left.number + AHEAD + 1)
    listed = epochs.listed(tx, campaign.id, left)
    return _tell(tx, campaign, first, words.arrival(campaign, left, listed, (first, following)))


def close_due(tx: Connection, ledger: Ledger, campaign_id: int) -> Sequence[OutgoingMessage]:
    """Close the epoch of a campaign whose day is over, if a roll is in it, or that is full; return what the audit thread is to be told.

    Where there is none, as in a campaign from before all epochs, the first begins.
    """
    campaign = campaigns.get(tx, campaign_id, lock=True)
    if campaign is None:
        return ()
    link, found = epochs.with_newest(tx, campaign.id, campaign.uuid)
    if found is None:
        return begin(tx, ledger, campaign, link)[1]
    if epochs.is_full(found, link.number + 1):
        return _close(tx, ledger, campaign, found)[1]
    if found.closes_at is None or found.closes_at > ledger.now():
        return ()
    if not epochs.has_rolls(tx, campaign_id, found):
        epochs.prolong(tx, campaign_id, found, _midnight(campaign, ledger.now()))
        return ()
    return _close(tx, ledger, campaign, found)[1]


def _close(tx: Connection, ledger: Ledger, campaign: Campaign, ending: Epoch) -> tuple[Epoch, list[OutgoingMessage]]:
    beginning = _beginning(ledger, campaign, entries.newest(tx, campaign.id, campaign.uuid))
    closed, begun, following = epochs.close(tx, campaign.id, ending, ledger.now(), beginning)
    listed = epochs.listed(tx, campaign.id, closed)
    return begun, _tell(tx, campaign, closed, words.closing(campaign, closed, following, listed))


def told(tx: Connection, campaign: Campaign, epoch: int) -> list[Post]:
    """Return the posts of the audit thread that an epoch is checked against: what was said of it, and the commitment to it."""
    topics = {f"{EPOCH}{number}" for number in range(epoch - 2, epoch + 1)}
    return store.on(tx, campaign.id, "audit", THREADS | topics)


def _tell(tx: Connection, campaign: Campaign, of: Epoch, pages: Sequence[discord.Embed]) -> list[OutgoingMessage]:
    """Return messages for the audit thread; where there is none, the first goes to the results channel and gets one."""
    thread, topic = _thread(tx, campaign), f"{EPOCH}{of.number}"
    if thread is not None:
        return [OutgoingMessage("audit", thread, [page], topic) for page in pages]
    first, *others = (OutgoingMessage("audit", campaign.results_channel_id, [page], topic) for page in pages)
    return [replace(first, topic=threaded(THREAD)), *others]


def _beginning(ledger: Ledger, campaign: Campaign, link: Link) -> Beginning:
    return Beginning(link.number + 1, _midnight(campaign, ledger.now()), ledger.randomness)


def _thread(tx: Connection, campaign: Campaign) -> int | None:
    """Return the audit thread of a campaign (id); None where there is none, or no more."""
    opened = next(reversed(store.on(tx, campaign.id, "audit", THREADS)), None)
    if opened is None or opened.thread_id is None:
        return None
    return None if store.is_gone(tx, campaign.id, opened.thread_id) else opened.thread_id


def _midnight(campaign: Campaign, now: datetime) -> datetime:
    """Return when the day is over in the campaign's time zone."""
    day = now.astimezone(ZoneInfo(campaign.timezone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)
