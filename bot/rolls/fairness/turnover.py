"""Epochs begin and close, and the audit thread of their campaign says so: in words, and in lines that are pasted to check a roll."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, epochs
from bot.core.campaigns import Campaign
from bot.core.epochs import Epoch, EpochEntry, EpochStart
from bot.core.ledger import Ledger
from bot.core.records import Entry, Link
from bot.core.seeds import SLOTS, choose_nodes, hash_entries
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, thread_topic
from bot.ui.colours import COLOURS
from rules.phrases import counted

FORMAT = "adjutant audit 1"
ABOUT = (
    "Before each roll, its dice are fixed by a commitment in this thread. After a day with rolls, I reveal the seeds of its "
    "public dice. `/verify` checks any roll against these lines."
)
MOVED = (
    "The campaign moved here from another place. Earlier commitments and seeds are in the dice proof thread there. The lines "
    "below say how far its ledger went."
)
_MOST = 3800
"""Characters of lines in one message."""


def opening(campaign: Campaign, link: Link, first: Epoch, following: Epoch) -> list[discord.Embed]:
    """Return the first message: what is checked here, how far the ledger goes by then, and the commitments to the first two epochs."""
    lines = [*_head(campaign), f"after {link.number} {link.hash}", _next(campaign, first), _next(campaign, following)]
    return _pages("Every roll can be checked", ABOUT, lines, len(_head(campaign)))


def arrival(
    campaign: Campaign, left: Epoch, listed: Sequence[EpochEntry], begun: Sequence[Epoch]
) -> list[discord.Embed]:
    """Return the first message in a new place: how far the ledger goes by then, as it was when the epoch was closed with which it left, and the commitments to the epochs to come."""
    lines = [*_head(campaign), *(_next(campaign, epoch) for epoch in begun), *_ended(campaign, left, listed)]
    return _pages("Every roll can be checked", f"{ABOUT} {MOVED}", lines, len(_head(campaign)))


def closing(campaign: Campaign, closed: Epoch, following: Epoch, listed: Sequence[EpochEntry]) -> list[discord.Embed]:
    """Return the message of an epoch that was closed: what it revealed, what stays secret, and the next commitment."""
    first, last = listed[0].number, listed[-1].number
    hidden = [item for item in listed if not item.is_open]
    lines = [*_head(campaign), *_ended(campaign, closed, listed)]
    lines += _revealed(closed, listed)
    lines += [f"secret {item.number} {item.hash}" for item in hidden]
    lines += [_next(campaign, following)]
    told = f"{counted(len(listed), 'entries')}, #{first} to #{last}. {_how_many(len(hidden))}"
    return _pages(f"Dice set {closed.number} is closed", told, lines, len(_head(campaign)) + 1)


def _ended(campaign: Campaign, closed: Epoch, listed: Sequence[EpochEntry]) -> Iterator[str]:
    yield f"epoch {closed.number}"
    yield f"entries {listed[0].number}-{listed[-1].number}"
    yield f"head {listed[-1].hash}"
    yield f"hashes {hash_entries(item.hash for item in listed)}"
    yield f"commitment {closed.commitment(campaign.uuid)}"


def _how_many(hidden: int) -> str:
    if hidden:
        return f"Seeds kept secret until their entries are public: {hidden}."
    return "All their seeds are revealed."


def _revealed(closed: Epoch, listed: Iterable[EpochEntry]) -> Iterator[str]:
    """Yield the nodes from which the seeds of public entries follow, and those of slots that were not used."""
    hidden = {closed.slot(item.number) for item in listed if not item.is_open}
    for node in choose_nodes(bytes.fromhex(closed.secret), [slot for slot in range(SLOTS) if slot not in hidden]):
        yield f"reveal {node.first}-{node.first + node.slots - 1} {node.value.hex()}"


def _head(campaign: Campaign) -> list[str]:
    return [FORMAT, f"campaign {campaign.uuid}"]


def _next(campaign: Campaign, epoch: Epoch) -> str:
    return f"next {epoch.number} {epoch.commitment(campaign.uuid)}"


def _pages(title: str, told: str, lines: Sequence[str], head: int) -> list[discord.Embed]:
    """Return the lines in as few messages as they need; each begins with the first `head` of them, and so is whole by itself."""
    pages: list[list[str]] = [[]]
    for line in lines:
        if sum(map(len, pages[-1])) + len(pages[-1]) + len(line) > _MOST:
            pages.append([*lines[:head]])
        pages[-1].append(line)
    texts = ["\n".join(["```", *page, "```"]) for page in pages]
    return [
        discord.Embed(title=title, description=f"{told}\n{text}" if not at else text, colour=COLOURS["neutral"])
        for at, text in enumerate(texts)
    ]


THREAD = "Dice proof"
THREADS = frozenset({thread_topic(THREAD), thread_topic("Audit of rolls")})
"""By which topics the thread is found, also one that an older version has opened."""

AHEAD = 2
"""How many epochs are committed to when one is closed: the one that begins, and the one behind it."""

EPOCH = "epoch:"
"""How the topic of a post in the audit thread begins; the number of the epoch that it tells of follows."""


def begin(tx: Connection, ledger: Ledger, campaign: Campaign, link: Link) -> tuple[Epoch, list[OutgoingMessage]]:
    """Begin a campaign's first epoch behind its newest entry; return it with the messages that commit to it."""
    first, following = epochs.begin_epoch(tx, campaign.id, _beginning(ledger, campaign, link))
    return first, _tell(tx, campaign, first, opening(campaign, link, first, following))


@contextmanager
def find_current(
    tx: Connection, ledger: Ledger, campaign: Campaign
) -> Iterator[tuple[Link, Epoch, Sequence[OutgoingMessage]]]:
    """Give what the campaign's next entry is chained to and the epoch in which it is rolled, with what the audit thread is to be told of that.

    A roll that is refused within leaves the epochs as they were, also where its transaction goes on.
    """
    link, found = epochs.find_link_and_epoch(tx, campaign.id, campaign.uuid)
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
    link, found = epochs.find_link_and_epoch(tx, campaign.id, campaign.uuid)
    under_way, begun = (found, []) if found is not None else begin(tx, ledger, campaign, link)
    last = enter()
    return last, [*begun, *_close(tx, ledger, campaign, under_way)[1]]


def arrive(tx: Connection, ledger: Ledger, campaign: Campaign, left: Epoch) -> list[OutgoingMessage]:
    """Begin an epoch with fresh secrets behind the one with which a campaign has left another place; return what its audit thread begins with.

    The two numbers behind that one were committed to there, with secrets that stayed there.
    """
    link = entries.find_link(tx, campaign.id, campaign.uuid)
    first, following = epochs.begin_epoch(tx, campaign.id, _beginning(ledger, campaign, link), left.number + AHEAD + 1)
    listed = epochs.list_epoch_entries(tx, campaign.id, left)
    return _tell(tx, campaign, first, arrival(campaign, left, listed, (first, following)))


def close_due(tx: Connection, ledger: Ledger, campaign_id: int) -> Sequence[OutgoingMessage]:
    """Close the epoch of a campaign whose day is over, if a roll is in it, or that is full; return what the audit thread is to be told.

    Where there is none, as in a campaign from before all epochs, the first begins.
    """
    campaign = campaigns.get_campaign(tx, campaign_id, lock=True)
    if campaign is None:
        return ()
    link, found = epochs.find_link_and_epoch(tx, campaign.id, campaign.uuid)
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
    beginning = _beginning(ledger, campaign, entries.find_link(tx, campaign.id, campaign.uuid))
    closed, begun, following = epochs.close_epoch(tx, campaign.id, ending, ledger.now(), beginning)
    listed = epochs.list_epoch_entries(tx, campaign.id, closed)
    return begun, _tell(tx, campaign, closed, closing(campaign, closed, following, listed))


def audit_posts(tx: Connection, campaign: Campaign, epoch: int) -> list[Post]:
    """Return the posts of the audit thread that an epoch is checked against: what was said of it, and the commitment to it."""
    topics = {f"{EPOCH}{number}" for number in range(epoch - 2, epoch + 1)}
    return store.find_on(tx, campaign.id, "audit", THREADS | topics)


def _tell(tx: Connection, campaign: Campaign, of: Epoch, pages: Sequence[discord.Embed]) -> list[OutgoingMessage]:
    """Return messages for the audit thread; where there is none, the first goes to the results channel and gets one."""
    thread, topic = _thread(tx, campaign), f"{EPOCH}{of.number}"
    if thread is not None:
        return [OutgoingMessage("audit", thread, [page], topic) for page in pages]
    first, *others = (OutgoingMessage("audit", campaign.results_channel_id, [page], topic) for page in pages)
    return [replace(first, topic=thread_topic(THREAD)), *others]


def _beginning(ledger: Ledger, campaign: Campaign, link: Link) -> EpochStart:
    return EpochStart(link.number + 1, _midnight(campaign, ledger.now()), ledger.randomness)


def _thread(tx: Connection, campaign: Campaign) -> int | None:
    """Return the audit thread of a campaign (id); None where there is none, or no more."""
    opened = next(reversed(store.find_on(tx, campaign.id, "audit", THREADS)), None)
    if opened is None or opened.thread_id is None:
        return None
    return None if store.is_gone(tx, campaign.id, opened.thread_id) else opened.thread_id


def _midnight(campaign: Campaign, now: datetime) -> datetime:
    """Return when the day is over in the campaign's time zone."""
    day = now.astimezone(ZoneInfo(campaign.timezone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)
