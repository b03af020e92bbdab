"""A search in a ledger: what is wanted, what is found, the same as a file, and an update summed up."""

from __future__ import annotations

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
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.cogs.ledger.service import PAGE, EntryDetails, details_of
from bot.core import entries, search_index, subjects
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.chores import forget_old, log_fault
from bot.core.database import Database
from bot.core.encoding import Json
from bot.core.entries import AudienceFilter, Span
from bot.core.entry_kinds import EntryKinds
from bot.core.permissions import Person, audience_filter
from bot.core.records import read_body
from bot.core.schema import asked_search
from bot.core.search_index import SearchIndex, list_forms, make_term, split_words
from bot.core.visibility import make_viewer
from bot.errors import BadInput, NotOpen
from bot.kernel import Client
from bot.orders.digest import DIGEST
from bot.outbox.store import Post
from bot.ui.files import guard_cell
from bot.ui.text import DOT, plain, strip_marks

MAX_TEXT = 100
"""Characters of the text that is searched for."""


class EntrySearch(Struct, frozen=True, omit_defaults=True):
    """What an entry is to have, all of it: words, and what it is about; `person` is a user id, `update` a number."""

    text: str | None = None
    family: str | None = None
    person: int | None = None
    unit: str | None = None
    outcome: str | None = None
    region: str | None = None
    week: int | None = None
    update: int | None = None

    def told(self) -> str:
        """Return in words what is searched for."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        shown = given | ({"person": f"<@{self.person}>"} if self.person is not None else {})
        return DOT.join(f"{name} {value if name == 'person' else plain(str(value))}" for name, value in shown.items())


class Search(Struct, frozen=True):
    """What is looked for on behalf of somebody: groups of words, one of each (none where a number suffices), where, and what the person may know.

    None in place of words stands for what no entry has.
    """

    allowed: AudienceFilter
    words: tuple[tuple[str, ...], ...] | None
    span: Span

    def numbers(self, tx: Connection, campaign: Campaign, span: Span, limit: int) -> list[int]:
        """Return the numbers of entries that fit, newest first or oldest first, within what is searched and a span."""
        if self.words is None:
            return []
        above, below = max(self.span.above, span.above), min(self.span.below, span.below)
        within = Span(above, below, span.oldest, limit)
        if self.words:
            return search_index.find_matching(tx, campaign.id, self.allowed, self.words, within)
        return entries.find_numbers(tx, campaign.id, self.allowed, within)


def search_for(
    tx: Connection, person: Person, campaign: Campaign, wanted: EntrySearch, *, everything: bool = False
) -> Search:
    """Return how something is looked for on behalf of a person; where nothing is wanted all fits, if `everything` may."""
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    allowed = audience_filter(tx, person, campaign, mine)
    if wanted == EntrySearch() and not everything:
        raise BadInput(
            "You didn't say what to search for.", "Fill in at least one option, such as text, unit or update."
        )
    looked_for = dict.fromkeys(_words(wanted))
    maker = None if wanted.person is None else entries.find_pseudonym(tx, campaign.id, wanted.person)
    if maker is not None:
        looked_for[(make_term("by", maker),)] = None
    unit = None if wanted.unit is None else _unit(tx, person, campaign, wanted.unit)
    if unit is not None:
        looked_for[(make_term("unit", unit),)] = None
    nobodys = (wanted.person is not None and maker is None) or (wanted.unit is not None and unit is None)
    return Search(allowed, None if nobodys else (*looked_for,), _span(tx, campaign, wanted.update))


def _unit(tx: Connection, person: Person, campaign: Campaign, name: str) -> int | None:
    """Return the number of whom a name means for a person; None for nobody.

    That is no error: a name of which nothing is kept stands in entries, which may be for others.
    """
    meant = subjects.find_meant(tx, campaign.id, [name], make_viewer(tx, person, campaign).knows)
    return next((item.id for item in meant.values()), None)


def _words(wanted: EntrySearch) -> Iterator[tuple[str, ...]]:
    if wanted.text is not None:
        typed = list(split_words(wanted.text))
        if not typed:
            raise BadInput("That text has no words.", "Search for words or numbers.")
        yield from map(list_forms, typed)
    for name in ("family", "outcome", "region", "week"):
        if (value := getattr(wanted, name)) is not None:
            yield (make_term(name, value),)


def _span(tx: Connection, campaign: Campaign, update: int | None) -> Span:
    """Return which entries are of an update: those behind the closing that began it, up to the one that ended it."""
    if update is None:
        return Span()
    now = current_update(tx, campaign.id)["number"]
    if update > now:
        raise BadInput(f"Update {update} hasn't begun: this is number {now}.", "Updates are counted from 1.")
    above = began(tx, campaign, update) if update > 1 else 0
    return Span(above, began(tx, campaign, update + 1) + 1) if update < now else Span(above)


def began(tx: Connection, campaign: Campaign, update: int) -> int:
    """Return the number of the entry that began an update, out of the index where all of the past is read in."""
    if search_index.get_backlog(tx, campaign.id):
        return find_update_entry(tx, campaign.id, update)
    public = AudienceFilter(("results",), None)
    wanted = [(make_term("opened", update),)]
    opened = search_index.find_matching(tx, campaign.id, public, wanted, Span(limit=1))
    return next(iter(opened), 0)


FileFormat = Literal["csv", "jsonl"]
BATCH = 100
"""How many entries are read in one transaction; others have their turn in between."""

MOST_BYTES = 8 * 2**20
"""How large a file may be: under what Discord takes on every server."""

COLUMNS = (
    *("number", "at", "kind", "family", "outcomes", "region", "week", "update"),
    *("by", "void_by", "amended_by", "text", "hash"),
)
"""The columns of CSV and the keys of JSON, in their order; `docs/ledger.md` says what each holds."""

Row = Mapping[str, Json]


class Exported(Struct, frozen=True):
    """A file of entries, newest first: how many, and up to which number what is older is still to be read in, 0 where all is."""

    data: bytes
    count: int
    upto: int = 0


async def export(
    database: Database, kinds: EntryKinds, person: Person, campaign: Campaign, wanted: EntrySearch, form: FileFormat
) -> Exported:
    """Return the entries that fit and that the person may know of, as a file; a search for nothing fits all."""
    file, count, below = io.BytesIO(_HEADS[form]), 0, Span().below
    file.seek(0, io.SEEK_END)
    upto = await database.read(search_index.get_backlog, campaign.id) if wanted != EntrySearch() else 0
    while True:
        lines, numbers = await database.read(_lines, kinds, person, campaign, wanted, form, below)
        if file.tell() + len(lines) > MOST_BYTES:
            raise BadInput(
                f"The file would exceed {MOST_BYTES // 2**20} MB. It reaches down to about entry #{below}.",
                "Narrow it, for example with update, family or unit.",
            )
        file.write(lines)
        count += len(numbers)
        if len(numbers) < BATCH:
            return Exported(file.getvalue(), count, upto)
        below = numbers[-1]


def _lines(
    tx: Connection,
    kinds: EntryKinds,
    person: Person,
    campaign: Campaign,
    wanted: EntrySearch,
    form: FileFormat,
    below: int,
) -> tuple[bytes, list[int]]:
    """Return the next entries under a number as a part of the file, and their numbers."""
    search = search_for(tx, person, campaign, wanted, everything=True)
    numbers = search.numbers(tx, campaign, Span(below=below), BATCH)
    found = entries.get_entries(tx, campaign.id, numbers)
    listed = details_of(tx, person, campaign, [found[number] for number in numbers])
    return _FORMS[form]([_row(kinds, item) for item in listed]).encode(), numbers


def _row(kinds: EntryKinds, item: EntryDetails) -> Row:
    """Return an entry as it is told to whom it is for."""
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


def _json_lines(rows: Sequence[Row]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _csv_lines(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    """Return a value as a cell of a table; one that a spreadsheet would calculate has an apostrophe before it."""
    return guard_cell("; ".join(value) if isinstance(value, list) else "" if value is None else str(value))


_FORMS: Mapping[FileFormat, Callable[[Sequence[Row]], str]] = {"csv": _csv_lines, "jsonl": _json_lines}
_HEADS: Mapping[FileFormat, bytes] = {"csv": f"{','.join(COLUMNS)}\n".encode(), "jsonl": b""}


BATCHES = 100
"""How many batches of the past are read in at a time, before other things have their turn."""


class SearchPage(Struct, frozen=True):
    """One page: the entries, newest first, the numbers from which the pages beside it go on, and what is not read in yet.

    `newer` and `older` are None where there is no page; `upto` is the number up to which words are still unread, 0 for none.
    """

    entries: Sequence[EntryDetails]
    newer: int | None
    older: int | None
    upto: int


def find(tx: Connection, person: Person, campaign: Campaign, wanted: EntrySearch, span: Span) -> SearchPage:
    """Return ten of the entries that fit and that the person may know of: the newest of a span, or its oldest."""
    search = search_for(tx, person, campaign, wanted)
    numbers = search.numbers(tx, campaign, span, PAGE + 1)
    if span.oldest and len(numbers) <= PAGE:
        span, numbers = Span(), search.numbers(tx, campaign, Span(), PAGE + 1)
    page = sorted(numbers[:PAGE], reverse=True)
    found = entries.get_entries(tx, campaign.id, page)
    listed = details_of(tx, person, campaign, [found[number] for number in page])
    is_newest = span == Span()
    newer = page[0] if page and not is_newest else None
    older = page[-1] if page and (span.oldest or len(numbers) > PAGE) else None
    return SearchPage(listed, newer, older, search_index.get_backlog(tx, campaign.id) if search.words else 0)


def keep(tx: Connection, campaign: Campaign, person: Person, key: str, wanted: EntrySearch) -> None:
    """Keep a search, so that its buttons, whose ids have the key, go on with it."""
    row = {"campaign_id": campaign.id, "id": key, "asker_id": person.user_id, "asked_at": person.at}
    tx.execute(asked_search.insert(), {**row, "wanted": msgspec.to_builtins(wanted)})


def asked(tx: Connection, campaign: Campaign, person: Person, key: str) -> EntrySearch:
    """Return what the person has searched for."""
    mine = (asked_search.c.id == key) & (asked_search.c.asker_id == person.user_id)
    query = sa.select(asked_search.c.wanted).where(asked_search.c.campaign_id == campaign.id, mine)
    found = tx.scalar(query)
    if found is None:
        raise NotOpen("That search has expired.", "Search again with /ledger search.")
    return msgspec.convert(found, EntrySearch)


forget_old_searches = partial(forget_old, asked_search.c.asked_at)


async def read_in(client: Client) -> Sequence[Post]:
    """Read in some of what was made since, and of the past, whose words are not kept yet; nothing is posted about it."""
    index = SearchIndex(client.kinds)
    await _read_in(client.database, search_index.find_behind, index.catch_up)
    await _read_in(client.database, search_index.find_backlog, index.fill)
    return ()


async def _read_in(
    database: Database, look: Callable[[Connection, int], int | None], read: Callable[[Connection, int], int]
) -> None:
    """Read in some of what waits, campaign by campaign; one that cannot be read in is logged, and keeps no other from it."""
    campaign_id, left = 0, BATCHES
    while left > 0 and (waiting := await database.read(look, campaign_id)) is not None:
        campaign_id = waiting
        (done,) = await asyncio.gather(_batches(database, read, campaign_id, left), return_exceptions=True)
        if isinstance(done, BaseException):
            log_fault("search.bug", done, campaign=campaign_id)
        left -= 1 if isinstance(done, BaseException) else done


async def _batches(database: Database, read: Callable[[Connection, int], int], campaign_id: int, most: int) -> int:
    """Read in of a campaign what waits, in so many batches at most; return in how many."""
    for done in range(most):
        if not await database.write(read, campaign_id):
            return done + 1
    return most


async def catch_up(database: Database, kinds: EntryKinds, campaign: Campaign) -> None:
    """Read in what was made in a campaign since that was last done, as far as it is no long past, before somebody looks for it."""
    index = SearchIndex(kinds)
    for _ in range(BATCHES):
        if not await database.write(index.catch_up, campaign.id):
            break


MOST = 300
"""How many entries of an update are told of, the newest; of more, that there are."""


class UpdateSummary(Struct, frozen=True):
    """An update (number, name, since) and whether it lasts; how many of what were entered, what came of rolls, newest first, and its digests (entries).

    `more` says that there are older entries of it that are not counted.
    """

    update: Mapping[str, Json]
    lasts: bool
    counts: Sequence[tuple[str, int]]
    results: Sequence[str]
    digests: Sequence[int]
    more: bool


def sum_up(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, number: int | None) -> UpdateSummary:
    """Return what an update came to, the current one unless numbered."""
    now = current_update(tx, campaign.id)
    number = number or now["number"]
    search = search_for(tx, person, campaign, EntrySearch(update=number))
    numbers = search.numbers(tx, campaign, Span(), MOST + 1)
    found = entries.get_entries(tx, campaign.id, numbers[:MOST])
    listed = details_of(tx, person, campaign, [found[item] for item in numbers[:MOST]])
    lasts = number == now["number"]
    update = now if lasts else _closed(tx, campaign, number)
    counts = Counter(_what(item) for item in listed)
    digests = [item.shown.entry.number for item in listed if item.shown.entry.kind == DIGEST]
    results = list(_results(kinds, listed))
    return UpdateSummary(update, lasts, counts.most_common(), results, digests, more=len(numbers) > MOST)


def _closed(tx: Connection, campaign: Campaign, number: int) -> Mapping[str, object]:
    """Return an update as its closing tells of it."""
    closing = entries.get_entry(tx, campaign.id, began(tx, campaign, number + 1))
    told_of: Mapping[str, object] = {} if closing is None else closing.content()["closed"]
    return told_of


def _what(item: EntryDetails) -> str:
    """Return in words what an entry is counted as."""
    entry = item.shown.entry
    if item.shown.voided is not None:
        return "undone or amended"
    return plain(str(entry.content()["title"])) if entry.kind == "roll" else entry.kind


def _results(kinds: EntryKinds, listed: Sequence[EntryDetails]) -> Iterator[str]:
    """Yield what came of the rolls that stand."""
    for item in listed:
        entry = item.shown.entry
        if entry.kind == "roll" and item.shown.voided is None:
            yield from (f"**#{entry.number}** {line}" for line in kinds.results(entry, read_body(entry), item.view))
