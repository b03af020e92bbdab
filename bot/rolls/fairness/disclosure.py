"""The dice proof thread, and verification files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import discord
from msgspec import Struct, json, structs
from sqlalchemy import Connection

from bot.core import campaigns, draws, entries, epochs, errors, permissions, sites, state
from bot.core.campaigns import Campaign
from bot.core.epochs import EpochEntry, EpochStart
from bot.core.ledger import Epoch, Ledger, find_link_and_epoch, is_full
from bot.core.records import GENESIS, Entry, Link
from bot.core.seeds import SLOTS, build_merkle_tree, choose_nodes, hash_entries, make_merkle_proof
from bot.outbox import queue
from bot.rolls.fairness import forms
from bot.rolls.fairness.draw import ASKED, situation
from bot.ui.text import COLOURS, channel_link
from rules.phrases import format_count

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
_FACES = '"faces":'  # a record without it has no dice; typed quotation marks are escaped


def _draw_first_page(campaign: Campaign, about: str, lines: Sequence[str]) -> list[discord.Embed]:
    head = _head(campaign)
    return _pages("Every roll can be checked", about, [*head, *lines], len(head))


def _draw_opening(campaign: Campaign, link: Link, first: Epoch, following: Epoch) -> list[discord.Embed]:
    next_lines = (_next_line(campaign, epoch) for epoch in (first, following))
    return _draw_first_page(campaign, ABOUT, [f"after {link.number} {link.hash}", *next_lines])


def _draw_arrival(
    campaign: Campaign, left: Epoch, listed: Sequence[EpochEntry], begun: tuple[Epoch, Epoch]
) -> list[discord.Embed]:
    lines = [*(_next_line(campaign, epoch) for epoch in begun), *_end_lines(campaign, left, listed)]
    return _draw_first_page(campaign, f"{ABOUT} {MOVED}", lines)


def draw_closing(
    campaign: Campaign, closed: Epoch, following: Epoch, listed: Sequence[EpochEntry]
) -> list[discord.Embed]:
    """Return a closed epoch's message."""
    first, last = listed[0].number, listed[-1].number
    hidden = [item for item in listed if not item.is_open]
    lines = [*_head(campaign), *_end_lines(campaign, closed, listed)]
    secret = {closed.slot(item.number) for item in hidden}
    nodes = choose_nodes(bytes.fromhex(closed.secret), [slot for slot in range(SLOTS) if slot not in secret])
    lines += [f"reveal {node.first}-{node.first + node.slots - 1} {node.value.hex()}" for node in nodes]
    lines += [f"secret {item.number} {item.hash}" for item in hidden]
    lines += [_next_line(campaign, following)]
    kept = (
        f"Seeds kept secret until their entries are public: {len(hidden)}."
        if hidden
        else "All their seeds are revealed."
    )
    summary = f"{format_count(len(listed), 'entries')}, #{first} to #{last}. {kept}"
    return _pages(f"Dice set {closed.number} is closed", summary, lines, len(_head(campaign)) + 1)


def _end_lines(campaign: Campaign, closed: Epoch, listed: Sequence[EpochEntry]) -> Iterator[str]:
    yield f"epoch {closed.number}"
    yield f"entries {listed[0].number}-{listed[-1].number}"
    yield f"head {listed[-1].hash}"
    yield f"hashes {hash_entries(item.hash for item in listed)}"
    yield f"commitment {closed.commitment(campaign.uuid)}"


def _head(campaign: Campaign) -> list[str]:
    return [FORMAT, f"campaign {campaign.uuid}"]


def _next_line(campaign: Campaign, epoch: Epoch) -> str:
    return f"next {epoch.number} {epoch.commitment(campaign.uuid)}"


def _pages(title: str, summary: str, lines: Sequence[str], head: int) -> list[discord.Embed]:
    pages: list[list[str]] = [[]]
    for line in lines:
        if sum(map(len, pages[-1])) + len(pages[-1]) + len(line) > _MOST:
            pages.append([*lines[:head]])
        pages[-1].append(line)
    texts = ["\n".join(["```", *page, "```"]) for page in pages]
    return [
        discord.Embed(title=title, description=f"{summary}\n{text}" if not at else text, colour=COLOURS["neutral"])
        for at, text in enumerate(texts)
    ]


THREAD = "Dice proof"
THREADS = frozenset({queue.thread_topic(THREAD), queue.thread_topic("Audit of rolls")})
"""Topics of the thread, also from older versions."""

AHEAD = 2
"""Epochs committed to at a close: the one that begins and the next."""

EPOCH = "epoch:"
"""The beginning of a post's topic; the epoch's number follows."""


def begin(tx: Connection, ledger: Ledger, campaign: Campaign, link: Link) -> tuple[Epoch, list[queue.OutgoingMessage]]:
    """Begin a campaign's first epoch; return it with messages."""
    first, following = epochs.begin_epoch(tx, campaign.id, _start_epoch(ledger, campaign, link))
    return first, _make_messages(tx, campaign, first, _draw_opening(campaign, link, first, following))


def begin_or_close(
    tx: Connection, ledger: Ledger, campaign: Campaign, link: Link, current: Epoch | None
) -> tuple[Epoch, list[queue.OutgoingMessage]]:
    """Begin the first or next epoch; return it with messages."""
    return begin(tx, ledger, campaign, link) if current is None else _close(tx, ledger, campaign, current)


def leave(
    tx: Connection, ledger: Ledger, campaign: Campaign, enter: Callable[[], Entry]
) -> tuple[Entry, list[queue.OutgoingMessage]]:
    """Close the current epoch with `enter`'s entry; return it with messages."""
    # No seed up to that entry is drawn from any more.
    link, found = find_link_and_epoch(tx, campaign.id, campaign.uuid)
    under_way, begun = (found, []) if found is not None else begin(tx, ledger, campaign, link)
    last = enter()
    return last, [*begun, *_close(tx, ledger, campaign, under_way)[1]]


def arrive(tx: Connection, ledger: Ledger, campaign: Campaign, left: Epoch) -> list[queue.OutgoingMessage]:
    """Begin an epoch after a move; return messages."""
    # The next two numbers were committed to there, with secrets that stayed there.
    link = entries.find_link(tx, campaign.id, campaign.uuid)
    number = left.number + AHEAD + 1
    begun = epochs.begin_epoch(tx, campaign.id, _start_epoch(ledger, campaign, link), number)
    listed = epochs.list_epoch_entries(tx, campaign.id, left)
    return _make_messages(tx, campaign, begun[0], _draw_arrival(campaign, left, listed, begun))


def close_due(tx: Connection, ledger: Ledger, campaign_id: int) -> Sequence[queue.OutgoingMessage]:
    """Close a full epoch, or one with rolls whose day is over, or begin the first; return messages."""
    campaign = campaigns.get_campaign(tx, campaign_id, lock=True)
    if campaign is None:
        return ()
    link, found = find_link_and_epoch(tx, campaign.id, campaign.uuid)
    if found is None or is_full(found, link.number + 1):
        return begin_or_close(tx, ledger, campaign, link, found)[1]
    if found.closes_at is None or found.closes_at > ledger.now():
        return ()
    if not epochs.has_rolls(tx, campaign_id, found):
        epochs.extend_epoch(tx, campaign_id, found, _find_midnight(campaign, ledger.now()))
        return ()
    return _close(tx, ledger, campaign, found)[1]


def _close(
    tx: Connection, ledger: Ledger, campaign: Campaign, ending: Epoch
) -> tuple[Epoch, list[queue.OutgoingMessage]]:
    beginning = _start_epoch(ledger, campaign, entries.find_link(tx, campaign.id, campaign.uuid))
    closed, begun, following = epochs.close_epoch(tx, campaign.id, ending, ledger.now(), beginning)
    listed = epochs.list_epoch_entries(tx, campaign.id, closed)
    return begun, _make_messages(tx, campaign, closed, draw_closing(campaign, closed, following, listed))


def audit_posts(tx: Connection, campaign: Campaign, epoch: int) -> list[queue.Post]:
    """Return the thread's posts for checking an epoch."""
    topics = {f"{EPOCH}{number}" for number in range(epoch - AHEAD, epoch + 1)}
    return queue.find_on(tx, campaign.id, "audit", THREADS | topics)


def find_thread(tx: Connection, campaign: Campaign) -> str | None:
    """Return the thread's address, if known."""
    opened = [item.thread_id for item in queue.find_on(tx, campaign.id, "audit", THREADS) if item.thread_id]
    return channel_link(campaign.guild_id, opened[-1]) if opened else None


def draw_thread(tx: Connection, campaign: Campaign, epoch: int) -> list[discord.Embed]:
    """Return the messages of `audit_posts`, from kept secrets."""
    kept = epochs.read_epochs(tx, campaign.id, range(epoch - 2 * AHEAD - 1, epoch + AHEAD + 1))
    begun = (number for number in range(epoch - AHEAD, epoch + 1) if number in kept and kept[number].first is not None)
    return [page for number in begun for page in _draw_again(tx, campaign, kept, number)]


def _draw_again(tx: Connection, campaign: Campaign, kept: Mapping[int, Epoch], number: int) -> Iterator[discord.Embed]:
    # Where a campaign moved, some messages are only in the old thread: what they commit to isn't kept.
    this, following, left = kept[number], kept.get(number + 1), kept.get(number - AHEAD - 1)
    if following is None:
        return
    begun = this, following
    if number == 1:
        before = entries.get_entry(tx, campaign.id, (this.first or 1) - 1)
        link = Link(campaign.uuid) if before is None else Link(campaign.uuid, before.number, before.hash)
        yield from _draw_opening(campaign, link, *begun)
    elif number - 1 not in kept and left is not None:
        yield from _draw_arrival(campaign, left, epochs.list_epoch_entries(tx, campaign.id, left), begun)
    if this.closed_at is not None and number + AHEAD in kept:
        yield from draw_closing(campaign, this, kept[number + AHEAD], _list_as_closed(tx, campaign, this))


def _list_as_closed(tx: Connection, campaign: Campaign, closed: Epoch) -> list[EpochEntry]:
    # What was published since then was still private in the thread.
    listed = epochs.list_epoch_entries(tx, campaign.id, closed)
    marks = state.get_values_named(tx, campaign.id, [f"entry:{item.number}" for item in listed], {state.PUBLISHED})
    published = {mark["by"] for mark in marks.values() if mark and mark["by"] > (closed.last or 0)}
    made = entries.get_entries_bare(tx, campaign.id, published).values()
    changes = (item for each in made for item in each.content()["changes"] if item["name"] == state.AUDIENCE)
    before = {item["subject"]: item["before"] for item in changes}
    return [item._replace(audience=before.get(f"entry:{item.number}", item.audience)) for item in listed]


def _make_messages(
    tx: Connection, campaign: Campaign, of: Epoch, pages: Sequence[discord.Embed]
) -> list[queue.OutgoingMessage]:
    # Without a thread, the first goes to the results channel and opens it.
    opened, topic = next(reversed(queue.find_on(tx, campaign.id, "audit", THREADS)), None), f"{EPOCH}{of.number}"
    thread = None if opened is None else opened.thread_id
    if thread is not None and not queue.is_gone(tx, campaign.id, thread):
        return [queue.OutgoingMessage("audit", thread, [page], topic) for page in pages]
    first, *others = (queue.OutgoingMessage("audit", campaign.results_channel_id, [page], topic) for page in pages)
    return [structs.replace(first, topic=queue.thread_topic(THREAD)), *others]


def _start_epoch(ledger: Ledger, campaign: Campaign, link: Link) -> EpochStart:
    return EpochStart(link.number + 1, _find_midnight(campaign, ledger.now()), ledger.randomness)


def _find_midnight(campaign: Campaign, now: datetime) -> datetime:
    day = now.astimezone(ZoneInfo(campaign.timezone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)


class _Viewer(Struct, frozen=True):
    allowed: entries.AudienceFilter
    leads: bool

    def parts(self, entry: Entry) -> tuple[draws.PartLine, ...]:
        if entry.draw is None or not self.allowed.shows(entry):
            return ()
        parts = draws.read_record(entry.draw).parts
        return tuple(part for part in parts if self.leads or draws.may_know_part(entry.audience, part.who))

    def reads(self, entry: Entry) -> bool:
        if draws.has_parts(entry.draw):
            return bool(self.parts(entry))
        return self.allowed.shows(entry) and (self.leads or (entry.draw is None and entry.audience != "mixed"))


def document_of(tx: Connection, person: permissions.Person, campaign: Campaign, number: int) -> forms.VerificationFile:
    """Return an entry's verification file, if they may know it."""
    mine = campaigns.find_pseudonym(tx, campaign.id, person.user_id)
    viewer = _Viewer(permissions.audience_filter(tx, person, campaign, mine), person.leads(campaign))
    asked = entries.get_entry(tx, campaign.id, number)
    if asked is None or not viewer.allowed.shows(asked):
        raise errors.BadInput(f"You don't know of an entry #{number}.", "See /ledger.")
    epoch = epochs.epoch_of_entry(tx, campaign.id, number)
    if epoch is None or epoch.first is None:
        raise errors.NotOpen(f"Entry #{number} is from before dice were committed to.", "Later ones can be checked.")
    tree = build_merkle_tree(bytes.fromhex(epoch.secret))
    there = [*_list_entries(tx, campaign, epoch)]
    before = entries.get_entry(tx, campaign.id, epoch.first - 1)
    read = {item.book for item in there if item.draw is not None and viewer.reads(item)}
    return forms.VerificationFile(
        format=forms.FORMAT,
        campaign=campaign.uuid,
        about=number,
        epoch=forms.EpochRecord(epoch.number, epoch.commitment(campaign.uuid), epoch.root, epoch.first, epoch.last),
        after=GENESIS if before is None else before.hash,
        entries=tuple(_record(viewer, epoch, tree, item) for item in there),
        books={name: content for name, _, content in entries.list_kept_books(tx, campaign.id) if name in read},
    )


def has_public_dice(entry: Entry) -> bool:
    """Return whether everyone can check its dice."""
    if entry.draw is None or not draws.has_open_part(entry.audience, entry.draw):
        return False
    parts = draws.read_record(entry.draw).parts
    return any(draws.may_know_part(entry.audience, part.who) and _FACES in part.text for part in parts)


def find_check(tx: Connection, campaign: Campaign, number: int, public_url: str) -> str | None:
    """Return the page that checks public dice, if any."""
    page, entry = sites.find_page(tx, public_url, campaign.id, number), entries.get_entry(tx, campaign.id, number)
    return f"{page}/check" if page is not None and entry is not None and has_public_dice(entry) else None


def document_bytes(made: forms.VerificationFile) -> bytes:
    """Return a file as JSON."""
    return json.encode(made)


def _list_entries(tx: Connection, campaign: Campaign, epoch: Epoch) -> Iterator[Entry]:
    for item in entries.walk_entries(tx, campaign.id, after=(epoch.first or 1) - 1):
        if epoch.last is not None and item.number > epoch.last:
            return
        yield item


def _record(viewer: _Viewer, epoch: Epoch, tree: Sequence[Sequence[bytes]], item: Entry) -> forms.EntryRecord:
    if not viewer.reads(item):
        return forms.EntryRecord(item.number, item.hash)
    shown = forms.EntryRecord(item.number, item.hash, item.header)
    if viewer.leads:
        shown = structs.replace(shown, body=forms.SaltedRecord(item.salt, item.body))
    if item.draw is None or item.draw_salt is None or not draws.has_parts(item.draw):
        return shown
    drawn = structs.replace(shown, draw=_make_draw_record(item.draw, item.draw_salt, viewer.parts(item), item))
    if epoch.closed_at is None:
        return drawn
    return structs.replace(
        drawn, seed=epoch.seed(item.number).hex(), proof=make_merkle_proof(tree, epoch.slot(item.number))
    )


def _make_draw_record(draw: str, secret: str, parts: Sequence[draws.PartLine], item: Entry) -> forms.DrawRecord:
    drawn, asked = draws.read_record(draw), situation(item.content()[ASKED]).placed
    placed = drawn.place_texts(secret)
    shown = (
        forms.PartRecord(
            draws.salt_at(secret, part.place), part.text, placed.proof(part.place), asked.proof(part.place)
        )
        for part in parts
    )
    return forms.DrawRecord(draws.salt_of_all(secret), drawn.of_all, tuple(shown))
