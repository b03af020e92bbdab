"""The words by which entries are found: what an entry says to everybody who may read it, and what it says to the staff besides.

They are taken from what the entry shows, so that nobody finds by a word what they do not read. What is asked for besides,
such as a region, is a word of its own, in which a mark stands that no typed word has. Another mark makes other words of those
for the staff: what players look for costs the same whatever the staff reads. They are kept as rows, read in soon after each entry
was made, and again when it reads otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.database import Database
from bot.core.entries import AudienceFilter, Span
from bot.core.entry_kinds import EntryKinds, EntryView, Pages, Publication, View, published_late
from bot.core.records import Entry, read_body
from bot.core.schema import campaign, entry, search, search_backlog

MAX_WORD, MAX_WORDS = 40, 5000
"""Letters of a word that count, and how many different words of an entry are kept."""

_MARK, _STAFF = "=", "!"
BEGINNING = "*"
"""What stands behind a word that is searched for where all words fit that begin with it."""

TERMS = frozenset({"by", "family", "opened", "outcome", "region", "to", "unit", "week"})
"""What entries are found by besides their words, by name."""

MIN_BEGINNING = 3
"""Letters that a word has to have for longer ones to fit."""

_PLURAL = re.compile(r"(?:(?<=[sxz])|(?<=[cs]h))es$|(?<=[^s])s$")
_PUBLIC, _ALL = frozenset({"results", "mixed"}), "all"
"""The audiences of entries that all who play know of, and what stands for them."""

_WORD = re.compile(r"[^\W_]+")
_UNSPOKEN = re.compile(r"(?<!\\)<[^<>\s]+>|\(https?://\S+\)")
"""What stands in a text for Discord: mentions, times and addresses."""


def split_words(text: str) -> Iterator[str]:
    """Yield the words of a text, without regard to capitals and accents."""
    folded = text if text.isascii() else unicodedata.normalize("NFKD", text)
    letters = folded if folded.isascii() else "".join(item for item in folded if not unicodedata.combining(item))
    return (word[:MAX_WORD] for word in _WORD.findall(letters.casefold()))


def list_forms(word: str) -> tuple[str, ...]:
    """Return what fits a typed word: all that begins with it, or with its singular; of numbers and short words they alone.

    Where the names of terms begin so, which nobody reads, its singular and plural fit instead.
    """
    if not word.isalpha() or len(word) < MIN_BEGINNING:
        return (word,)
    stem = _PLURAL.sub("", word)
    stems = (
        (stem, f"{stem[:-2]}y") if word.endswith("ies") else (stem, f"{stem[:-1]}ie") if word.endswith("y") else (stem,)
    )
    if any(name.startswith(item) for name in TERMS for item in stems):
        return tuple(dict.fromkeys((word, *stems, *(f"{item}s" for item in stems))))
    return tuple(item + BEGINNING for item in stems if len(item) >= MIN_BEGINNING) or (word,)


def make_term(name: str, value: object) -> str:
    """Return the word by which entries are found that have a value under a name, one of `TERMS`."""
    if name not in TERMS:
        raise ValueError(f"{name} is not among the terms")
    return f"{name}{_MARK}{_MARK.join(split_words(str(value)))}"


def _list_reader_terms(allowed: AudienceFilter) -> list[str]:
    """Return the words of which every entry has one that passes a filter, but for those that amend somebody's own."""
    own = [make_term("to", allowed.pseudonym)] if allowed.pseudonym else []
    if allowed.is_staff:
        return [mark_for_staff(make_term("to", "staff")), *own]
    return [*(make_term("to", name) for name in (_ALL, *allowed.audiences) if name not in _PUBLIC), *own]


def _reader_terms(entry: Entry, view: View) -> Iterator[str]:
    """Yield the words that tell who reads an entry: the staff, or of all others who."""
    if entry.audience in {"person", "maker"}:
        yield make_term("to", entry.actor)
    elif view == "public":
        yield make_term("to", _ALL if entry.audience in _PUBLIC else entry.audience)
    if view == "staff" and entry.audience != "person":
        yield make_term("to", "staff")


def list_words(kinds: EntryKinds, entry: Entry) -> str:
    """Return the words of an entry as it reads now, parted by blanks: all that are for the staff alone are marked so."""
    public = frozenset() if entry.audience == "staff" else frozenset(_spoken_words(kinds, entry, "public"))
    more = frozenset(_spoken_words(kinds, entry, "staff")) - public
    return " ".join([*_choose_words(public), *map(mark_for_staff, _choose_words(more))])


def mark_for_staff(word: str) -> str:
    """Return the word by which the staff finds an entry that says it to the staff alone."""
    return f"{_STAFF}{word}"


def _choose_words(found: Collection[str]) -> list[str]:
    """Return what an entry is about, then as many other words as are kept."""
    terms = {word for word in found if _MARK in word}
    return [*sorted(terms), *sorted(word for word in found if _MARK not in word)][:MAX_WORDS]


def _spoken_words(kinds: EntryKinds, entry: Entry, view: View) -> Iterator[str]:
    """Yield the words of what an entry shows, and those of what it is about."""
    body = read_body(entry)
    shown = EntryView(entry, "", Publication() if published_late(entry) else None)
    lines = [*kinds.results(entry, body, view), *_texts(kinds.whole(shown, view))]
    yield from split_words(_UNSPOKEN.sub(" ", "\n".join(lines)))
    yield from (make_term(name, value) for name, value in kinds.about(entry, body, view))
    yield make_term("by", entry.actor)
    yield from _reader_terms(entry, view)


def _texts(pages: Pages) -> Iterator[str]:
    """Yield the texts of messages, but for their footers, which tell where an entry stands."""
    for embed in (embed for page in pages for embed in page):
        fields = (text for item in embed.fields for text in (item.name, item.value))
        yield from filter(None, (embed.title, embed.description, *fields))


_SPAN = 2**32
"""How far apart the rows of two campaigns begin: an entry's row has its number, counted from there."""

_SQLITE = sa.table("search_words", sa.column("rowid", sa.BigInteger), sa.column("search_words", sa.Text))
_POSTGRESQL: sa.ColumnElement[object] = sa.literal_column("array_to_tsvector(string_to_array(search.words, ' '))")
"""What the index of PostgreSQL is made of, in the same words."""

MERGED = 64
"""How many pages of SQLite's index are written anew in one transaction."""

_MERGE = sa.text("INSERT INTO search_words(search_words, rank) VALUES ('merge', :pages)")
_CHANGES = sa.text("SELECT total_changes()")
_ADD = search.insert()
_CHANGE = search.update().where(search.c.id == sa.bindparam("row"))
_BACKLOG = search_backlog.c.campaign_id == sa.bindparam("campaign")


def row_id(campaign_id: int, number: int) -> int:
    """Return the id of an entry's row."""
    return campaign_id * _SPAN + number


def find_matching(
    tx: Connection, campaign_id: int, allowed: AudienceFilter, wanted: Sequence[Sequence[str]], span: Span
) -> list[int]:
    """Return the numbers of the entries of a span that have one of each group of words and pass the filter.

    For game masters they are looked for in what the staff reads, too.
    """
    every = [[*some, *map(mark_for_staff, some)] if allowed.is_staff else some for some in wanted]
    # Terms of readers, so that nobody waits until as many entries are passed over that are for others.
    readers = _list_reader_terms(allowed)
    found = _matching(tx, campaign_id, allowed, [*every, readers], span)
    amending = () if allowed.is_staff else allowed.amending()
    if amending:
        found += _matching(tx, campaign_id, allowed, every, span, amending)
    return sorted({*found}, reverse=not span.oldest)[: span.limit]


class _Signs(Struct, frozen=True):
    """How a database writes a word, the beginning of one, that both of two are wanted, and that either is."""

    word: str
    beginning: str
    both: str
    either: str


_FTS, _TSQUERY = _Signs('"{}"', '"{}"*', " AND ", " OR "), _Signs("'{}'", "'{}':*", " & ", " | ")


def _query(every: Sequence[Sequence[str]], signs: _Signs) -> str:
    forms = {True: signs.beginning, False: signs.word}
    written = (
        [forms[word.endswith(BEGINNING)].format(word.removesuffix(BEGINNING)) for word in some] for some in every
    )
    return signs.both.join(f"({signs.either.join(some)})" for some in written)


def _matching(  # noqa: PLR0913, PLR0917 - as above
    tx: Connection,
    campaign_id: int,
    allowed: AudienceFilter,
    every: Sequence[Sequence[str]],
    span: Span,
    numbers: Collection[int] = (),
) -> list[int]:
    """Return the entries that have of each group of words one; out of these `numbers`, where there are any."""
    first = campaign_id * _SPAN
    if tx.dialect.name == "sqlite":
        row, table = _SQLITE.c.rowid, _SQLITE
        found = _SQLITE.c.search_words.op("MATCH")(_query(every, _FTS))
    else:
        row, table = search.c.id, search
        found = _POSTGRESQL.op("@@")(sa.cast(_query(every, _TSQUERY), _TsQuery()))
    among = [row.in_([first + number for number in numbers])] if numbers else []
    number = row - sa.literal(first, sa.BigInteger)
    query = (
        sa.select(entry.c.number)
        .join_from(table, entry, sa.and_(entry.c.campaign_id == campaign_id, entry.c.number == number))
        .where(found, *among, row > first + span.above, row < first + span.below, sa.or_(*allowed.clauses()))
        .order_by(row if span.oldest else row.desc())
        .limit(span.limit)
    )
    return [*tx.scalars(query)]


def put_words(tx: Connection, campaign_id: int, documents: Mapping[int, str]) -> None:
    """Keep the words of entries by number, in place of what is kept; only what differs is written."""
    before = find_words(tx, campaign_id, documents)
    for number, words in documents.items():
        if number not in before:
            add_words(tx, campaign_id, number, words)
        elif before[number] != words:
            tx.execute(_CHANGE.values(words=words), {"row": row_id(campaign_id, number)})


def add_words(tx: Connection, campaign_id: int, number: int, words: str) -> None:
    """Keep the words of an entry of which none are kept."""
    key = {"id": row_id(campaign_id, number), "campaign_id": campaign_id}
    tx.execute(_ADD, {**key, "words": words})


def find_words(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, str]:
    """Return the words of entries by number, as far as they are kept."""
    first = campaign_id * _SPAN
    rows = tx.execute(sa.select(search).where(search.c.id.in_([first + number for number in numbers])))
    return {row.id - first: row.words for row in rows}


def get_backlog(tx: Connection, campaign_id: int) -> int:
    """Return up to which entry (number) the words are still to be read in; 0 where all are."""
    return tx.scalar(sa.select(search_backlog.c.upto).where(_BACKLOG), {"campaign": campaign_id}) or 0


def get_read_upto(tx: Connection, campaign_id: int) -> int:
    """Return the number of the newest entry that is read in, or is among those of the past that wait for it."""
    first = campaign_id * _SPAN
    newest = tx.scalar(sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)))
    return max(0 if newest is None else newest - first, get_backlog(tx, campaign_id))


def find_behind(tx: Connection, above: int = 0) -> int | None:
    """Return the first campaign, of those with ids `above` one, with entries that were made since its newest were read in; None where there is none."""
    first = campaign.c.id * sa.literal(_SPAN, sa.BigInteger)
    made = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == campaign.c.id).scalar_subquery()
    read = sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)).scalar_subquery()
    waits = sa.select(search_backlog.c.upto).where(search_backlog.c.campaign_id == campaign.c.id).scalar_subquery()
    known = sa.func.coalesce(read - first, waits, 0)
    return tx.scalar(
        sa.select(campaign.c.id).where(made > known, campaign.c.id > above).order_by(campaign.c.id).limit(1)
    )


def find_backlog(tx: Connection, above: int = 0) -> int | None:
    """Return the first campaign, of those with ids `above` one, of which words are still to be read in; None where there is none."""
    waits = sa.select(search_backlog.c.campaign_id).where(search_backlog.c.campaign_id > above)
    return tx.scalar(waits.order_by(search_backlog.c.campaign_id).limit(1))


def set_backlog(tx: Connection, campaign_id: int, upto: int) -> None:
    """Keep up to which entry (number) words are still to be read in."""
    tx.execute(search_backlog.delete().where(_BACKLOG), {"campaign": campaign_id})
    if upto:
        tx.execute(search_backlog.insert(), {"campaign_id": campaign_id, "upto": upto})


def rebuild_index(tx: Connection) -> None:
    """Make SQLite's index of words anew out of the rows; PostgreSQL keeps its own in order."""
    if tx.dialect.name == "sqlite":
        tx.execute(sa.text("INSERT INTO search_words(search_words) VALUES ('rebuild')"))


def merge_index(tx: Connection, *, begin: bool) -> bool:
    """Let SQLite's index forget some of what was taken out of it; return whether there may be more to forget.

    Until all is forgotten its pages may hold words that nobody finds any more. The first of several transactions is to
    `begin`; each takes some hundredths of a second, while `optimize` would let those who write wait for the whole index.
    """
    if tx.dialect.name != "sqlite":
        return False
    before = tx.execute(_CHANGES).scalar_one()
    tx.execute(_MERGE, {"pages": -MERGED if begin else MERGED})
    return int(tx.execute(_CHANGES).scalar_one()) - int(before) >= 2  # noqa: PLR2004 - fewer say that nothing was left to do


class _TsQuery(sa.types.UserDefinedType[str]):
    """PostgreSQL's kind of value that words are looked for by."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        """Return its name."""
        return "tsquery"


BATCH, ANEW = 10, 50
"""How many entries are read in in one transaction: others who write wait for it, about as long as for a roll; and where all is read in anew."""

Progress = Callable[[int, int], object]
"""Is told how many entries have been read in, and how many there are."""


class SearchIndex(Struct, frozen=True):
    """What keeps the words of entries, which are of these kinds."""

    kinds: EntryKinds

    def catch_up(self, tx: Connection, campaign_id: int) -> int:
        """Read in the oldest of a campaign's entries that were made since it was last done; return how many, 0 where nothing is left."""
        campaigns.get_campaign(tx, campaign_id, lock=True)  # nobody reads in the same at once
        new = islice(entries.walk_entries(tx, campaign_id, BATCH, after=get_read_upto(tx, campaign_id)), BATCH)
        documents = {made.number: list_words(self.kinds, made) for made in new}
        for number, words in documents.items():
            add_words(tx, campaign_id, number, words)
        return len(documents)

    def renew(self, tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
        """Keep of these entries the words that they say now, in the transaction that has published them or erased texts of theirs.

        What was erased is found no more. Whoever erases calls `forget_erased` afterwards, once for all. What was
        not read in yet is read in as it is then.
        """
        upto = get_read_upto(tx, campaign_id)
        every = sorted(number for number in numbers if number <= upto)
        for start in range(0, len(every), ANEW):
            made = entries.get_entries(tx, campaign_id, every[start : start + ANEW])
            put_words(tx, campaign_id, {number: list_words(self.kinds, item) for number, item in made.items()})

    def fill(self, tx: Connection, campaign_id: int, batch: int = BATCH) -> int:
        """Read in the newest entries of a campaign's past of which no words are kept; return how many, 0 where nothing is left."""
        campaigns.get_campaign(tx, campaign_id, lock=True)  # nobody reads in the same at once
        upto = get_backlog(tx, campaign_id)
        numbers = range(upto, max(upto - batch, 0), -1)
        self.renew(tx, campaign_id, numbers)
        set_backlog(tx, campaign_id, max(upto - batch, 0))
        return len(numbers)


async def forget_erased(database: Database) -> None:
    """Let the index forget what was taken out of it, a little at a time: others who write take their turns in between."""
    begin = True
    while await database.write(merge_index, begin=begin):
        begin = False


async def refill_index(
    database: Database, kinds: EntryKinds, whole: Collection[int], progress: Progress | None = None
) -> None:
    """Read in all entries of these campaigns (ids) anew; only words that differ from what is kept are written."""
    index, done, of = SearchIndex(kinds), 0, await database.write(_begin_anew, whole)
    for campaign_id in whole:
        while read := await database.write(index.fill, campaign_id, ANEW):
            done += read
            if progress is not None:
                progress(done, of)


def _begin_anew(tx: Connection, whole: Collection[int]) -> int:
    rebuild_index(tx)
    newest = sa.select(entry.c.campaign_id, sa.func.max(entry.c.number)).group_by(entry.c.campaign_id)
    found = {campaign_id: number for campaign_id, number in tx.execute(newest) if campaign_id in whole}
    for campaign_id, number in found.items():
        set_backlog(tx, campaign_id, number)
    return sum(found.values())
