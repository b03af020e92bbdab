"""Searches in a ledger, exports as files, and updates summed up."""

import asyncio
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import partial
from typing import Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.ledger.service import PAGE, EntryDetails, make_details
from bot.core import entries, search_index, visibility
from bot.core.campaigns import Campaign, current_update
from bot.core.database import Database, forget_old
from bot.core.entries import Span
from bot.core.entry_search import EntrySearch, Search, find_beginning, make_search
from bot.core.errors import BadInput, NotOpen
from bot.core.ledger import EntryKinds
from bot.core.outages import log_fault
from bot.core.permissions import Person
from bot.core.records import Json, read_body
from bot.core.schema import asked_search
from bot.kernel import Client
from bot.orders.digest import DIGEST
from bot.outbox.queue import Post
from bot.ui.files import guard_cell
from bot.ui.text import DOT, plain, strip_marks


def _make_search(tx: Connection, person: Person, campaign: Campaign, wanted: EntrySearch) -> Search:
    return make_search(tx, visibility.make_viewer(tx, person, campaign), wanted)


def describe_search(wanted: EntrySearch) -> str:
    """Describe what is searched."""
    given = {name: value for name, value in msgspec.structs.asdict(wanted).items() if value is not None}
    shown = given | ({"person": f"<@{wanted.person}>"} if wanted.person is not None else {})
    return DOT.join(f"{name} {value if name == 'person' else plain(str(value))}" for name, value in shown.items())


FileFormat = Literal["csv", "jsonl"]
BATCH = 100
"""How many entries one transaction reads, so that others get a turn."""

MOST_BYTES = 8 * 2**20
"""How large a file may be on every server."""

COLUMNS = (
    *("number", "at", "kind", "family", "outcomes", "region", "week", "update"),
    *("by", "void_by", "amended_by", "text", "hash"),
)
"""Columns of CSV and keys of JSON; `docs/ledger.md` explains them."""

Row = Mapping[str, Json]


class EntriesFile(Struct, frozen=True):
    """An exported file of entries, newest first.

    Entries up to number `upto` weren't indexed yet, so some may be missing; 0 if all were.
    """

    data: bytes
    count: int
    upto: int = 0


async def export(
    database: Database, kinds: EntryKinds, person: Person, campaign: Campaign, wanted: EntrySearch, form: FileFormat
) -> EntriesFile:
    """Export the matching entries a person may know."""
    file, count, below = io.BytesIO(), 0, Span().below
    file.write(f"{','.join(COLUMNS)}\n".encode() if form == "csv" else b"")
    upto = await database.read(search_index.get_backlog, campaign.id) if wanted != EntrySearch() else 0
    while True:
        lines, numbers = await database.read(_write_lines, kinds, person, campaign, wanted, form, below)
        if file.tell() + len(lines) > MOST_BYTES:
            what = f"The file would exceed {MOST_BYTES // 2**20} MB. It reaches down to about entry #{below}."
            raise BadInput(what, "Narrow it, for example with update, family or unit.")
        file.write(lines)
        count += len(numbers)
        if len(numbers) < BATCH:
            return EntriesFile(file.getvalue(), count, upto)
        below = numbers[-1]


def _write_lines(
    tx: Connection,
    kinds: EntryKinds,
    person: Person,
    campaign: Campaign,
    wanted: EntrySearch,
    form: FileFormat,
    below: int,
) -> tuple[bytes, list[int]]:
    search = _make_search(tx, person, campaign, wanted)
    numbers = search.numbers(tx, campaign, Span(below=below), BATCH)
    found = entries.get_entries(tx, campaign.id, numbers)
    listed = make_details(tx, person, campaign, [found[number] for number in numbers])
    return _write_rows([_make_row(kinds, item) for item in listed], form).encode(), numbers


def _make_row(kinds: EntryKinds, item: EntryDetails) -> Row:
    entry, body, mark = item.shown.entry, read_body(item.shown.entry), item.shown.voided
    about = list(kinds.about(entry, body, item.view))
    known = {name: value for name, value in about if name in {"family", "region", "week"}}
    values = {
        "number": entry.number,
        "at": entry.at.astimezone(UTC).isoformat(timespec="seconds"),
        "kind": entry.kind,
        "outcomes": [value for name, value in about if name == "outcome"],
        "update": body["update"]["number"] if entry.kind == "roll" and known else None,
        "by": None if item.user_id is None else str(item.user_id),
        "void_by": mark.by if mark and not mark.amended else None,
        "amended_by": mark.by if mark and mark.amended else None,
        "text": strip_marks("\n".join(kinds.results(entry, body, item.view))),
        "hash": entry.hash,
    }
    return {name: (known | values).get(name) for name in COLUMNS}


def _write_rows(rows: Sequence[Row], form: FileFormat) -> str:
    if form == "jsonl":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_make_cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue()


def _make_cell(value: object) -> str:
    return guard_cell("; ".join(value) if isinstance(value, list) else "" if value is None else str(value))


BATCHES = 100
"""How many batches are indexed before other work gets a turn."""


class SearchPage(Struct, frozen=True):
    """One page of matches, the numbers where newer and older pages start, and the newest unindexed entry, or 0."""

    entries: Sequence[EntryDetails]
    newer: int | None
    older: int | None
    upto: int


def find(tx: Connection, person: Person, campaign: Campaign, wanted: EntrySearch, span: Span) -> SearchPage:
    """Find up to ten matches, newest first; from the newest or the `oldest` end of a span."""
    search = _make_search(tx, person, campaign, wanted)
    numbers = search.numbers(tx, campaign, span, PAGE + 1)
    if span.oldest and len(numbers) <= PAGE:
        span, numbers = Span(), search.numbers(tx, campaign, Span(), PAGE + 1)
    page = sorted(numbers[:PAGE], reverse=True)
    found = entries.get_entries(tx, campaign.id, page)
    listed = make_details(tx, person, campaign, [found[number] for number in page])
    is_newest = span == Span()
    newer = page[0] if page and not is_newest else None
    older = page[-1] if page and (span.oldest or len(numbers) > PAGE) else None
    return SearchPage(listed, newer, older, search_index.get_backlog(tx, campaign.id) if search.words else 0)


def save(tx: Connection, campaign: Campaign, person: Person, key: str, wanted: EntrySearch) -> None:
    """Save a search for its buttons."""
    row = {"campaign_id": campaign.id, "id": key, "asker_id": person.user_id, "asked_at": person.at}
    tx.execute(asked_search.insert(), {**row, "wanted": msgspec.to_builtins(wanted)})


def find_saved(tx: Connection, campaign: Campaign, person: Person, key: str) -> EntrySearch:
    """Return a person's saved search."""
    mine = (asked_search.c.id == key) & (asked_search.c.asker_id == person.user_id)
    query = sa.select(asked_search.c.wanted).where(asked_search.c.campaign_id == campaign.id, mine)
    found = tx.scalar(query)
    if found is None:
        raise NotOpen("That search has expired.", "Search again with /ledger.")
    return msgspec.convert(found, EntrySearch)


forget_old_searches = partial(forget_old, asked_search.c.asked_at)


async def index_entries(client: Client) -> Sequence[Post]:
    """Index some new and past entries; posts nothing."""
    index = search_index.SearchIndex(client.kinds)
    await _index_campaigns(client.database, search_index.find_behind, index.catch_up)
    await _index_campaigns(client.database, search_index.find_backlog, index.fill)
    return ()


async def _index_campaigns(
    database: Database, look: Callable[[Connection, int], int | None], read: Callable[[Connection, int], int]
) -> None:
    campaign_id, left = 0, BATCHES
    while left > 0 and (waiting := await database.read(look, campaign_id)) is not None:
        campaign_id = waiting
        (done,) = await asyncio.gather(_index_batches(database, read, campaign_id, left), return_exceptions=True)
        if isinstance(done, BaseException):
            log_fault("search.bug", done, campaign=campaign_id)
        left -= 1 if isinstance(done, BaseException) else done


async def _index_batches(
    database: Database, read: Callable[[Connection, int], int], campaign_id: int, most: int
) -> int:
    for done in range(most):
        if not await database.write(read, campaign_id):
            return done + 1
    return most


async def catch_up(database: Database, kinds: EntryKinds, campaign: Campaign) -> None:
    """Index a campaign's new entries before a search."""
    index = search_index.SearchIndex(kinds)
    for _ in range(BATCHES):
        if not await database.write(index.catch_up, campaign.id):
            break


MOST = 300


class UpdateSummary(Struct, frozen=True):
    """An update's entries and results, newest first; with `more`, older ones aren't counted."""

    update: Mapping[str, Json]
    lasts: bool
    counts: Sequence[tuple[str, int]]
    results: Sequence[str]
    digests: Sequence[int]
    more: bool


def sum_up(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, number: int) -> UpdateSummary:
    """Summarise what they may see of an update."""
    now = current_update(tx, campaign.id)
    number = number or now["number"]  # a forged id may have 0
    search = _make_search(tx, person, campaign, EntrySearch(update=number))
    numbers = search.numbers(tx, campaign, Span(), MOST + 1)
    found = entries.get_entries(tx, campaign.id, numbers[:MOST])
    listed = make_details(tx, person, campaign, [found[item] for item in numbers[:MOST]])
    lasts, update = number == now["number"], now
    if not lasts:
        closing = entries.get_entry(tx, campaign.id, find_beginning(tx, campaign, number + 1))
        update = {} if closing is None else closing.content()["closed"]
    counts = Counter(_name_kind(item) for item in listed)
    digests = [item.shown.entry.number for item in listed if item.shown.entry.kind == DIGEST]
    results = list(_describe_results(kinds, listed))
    return UpdateSummary(update, lasts, counts.most_common(), results, digests, more=len(numbers) > MOST)


def _name_kind(item: EntryDetails) -> str:
    entry = item.shown.entry
    if item.shown.voided is not None:
        return "undone or amended"
    return plain(str(entry.content()["title"])) if entry.kind == "roll" else entry.kind


def _describe_results(kinds: EntryKinds, listed: Sequence[EntryDetails]) -> Iterator[str]:
    for item in listed:
        entry = item.shown.entry
        if entry.kind == "roll" and item.shown.voided is None:
            yield from (f"**#{entry.number}** {line}" for line in kinds.results(entry, read_body(entry), item.view))
