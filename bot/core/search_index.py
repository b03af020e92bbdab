"""The words by which entries are found, from what an entry shows to everyone or to the staff.

No reader finds a word they can't read. Search terms, such as a region, are words with a mark that no one types. Another mark makes
separate words for the staff, so players' searches cost the same.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries, ledger, records
from bot.core.database import Database
from bot.core.schema import campaign, entry, search, search_backlog

MAX_WORD, MAX_WORDS = 40, 5000
"""Letters of a word that count, and different words per entry."""

_MARK, _STAFF = "=", "!"
BEGINNING = "*"
"""Suffix of a searched word that also matches longer ones."""

TERMS = frozenset({"by", "family", "opened", "outcome", "region", "to", "unit", "week"})
MIN_BEGINNING = 3
_PLURAL = re.compile(r"(?:(?<=[sxz])|(?<=[cs]h))es$|(?<=[^s])s$")
_PUBLIC, _ALL = frozenset({"results", "mixed"}), "all"
"""Audiences known to all players, and their term."""

_WORD = re.compile(r"[^\W_]+")
_UNSPOKEN = re.compile(r"(?<!\\)<[^<>\s]+>|\(https?://\S+\)")


def split_words(text: str) -> Iterator[str]:
    """Yield a text's words, without case and accents."""
    folded = text if text.isascii() else unicodedata.normalize("NFKD", text)
    letters = folded if folded.isascii() else "".join(item for item in folded if not unicodedata.combining(item))
    return (word[:MAX_WORD] for word in _WORD.findall(letters.casefold()))


def list_forms(word: str) -> tuple[str, ...]:
    """Return what matches a typed word: longer words, singulars, terms."""
    if not word.isalpha() or len(word) < MIN_BEGINNING:
        return (word,)
    stem = _PLURAL.sub("", word)
    other = (f"{stem[:-2]}y",) if word.endswith("ies") else (f"{stem[:-1]}ie",) if word.endswith("y") else ()
    stems = (stem, *other)
    if any(name.startswith(item) for name in TERMS for item in stems):
        return tuple(dict.fromkeys((word, *stems, *(f"{item}s" for item in stems))))
    return tuple(item + BEGINNING for item in stems if len(item) >= MIN_BEGINNING) or (word,)


def make_term(name: str, value: object) -> str:
    """Return the search word for a term's value."""
    if name not in TERMS:
        raise ValueError(f"{name} is not among the terms")
    return f"{name}{_MARK}{_MARK.join(split_words(str(value)))}"


def list_words(kinds: ledger.EntryKinds, entry: records.Entry) -> str:
    """Return an entry's search words separated by spaces; those only for the staff are marked."""
    public = frozenset() if entry.audience == "staff" else frozenset(_list_shown_words(kinds, entry, "public"))
    more = frozenset(_list_shown_words(kinds, entry, "staff")) - public
    return " ".join([*_choose_words(public), *map(mark_staff_word, _choose_words(more))])


def mark_staff_word(word: str) -> str:
    """Return a word in the form in which only the staff's searches find it."""
    return f"{_STAFF}{word}"


def _choose_words(found: Collection[str]) -> list[str]:
    terms = {word for word in found if _MARK in word}
    return [*sorted(terms), *sorted(word for word in found if _MARK not in word)][:MAX_WORDS]


def _list_shown_words(kinds: ledger.EntryKinds, entry: records.Entry, view: ledger.View) -> Iterator[str]:
    body = records.read_body(entry)
    shown = ledger.EntryView(entry, "", ledger.Publication() if ledger.is_published_late(entry) else None)
    lines = [*kinds.results(entry, body, view)]
    for embed in (embed for page in kinds.whole(shown, view) for embed in page):
        fields = (text for item in embed.fields for text in (item.name, item.value))
        lines += filter(None, (embed.title, embed.description, *fields))
    yield from split_words(_UNSPOKEN.sub(" ", "\n".join(lines)))
    yield from (make_term(name, value) for name, value in kinds.about(entry, body, view))
    yield make_term("by", entry.actor)
    if entry.audience in {"person", "maker"}:
        yield make_term("to", entry.actor)
    elif view == "public":
        yield make_term("to", _ALL if entry.audience in _PUBLIC else entry.audience)
    if view == "staff" and entry.audience != "person":
        yield make_term("to", "staff")


_SPAN = 2**32
"""Rows per campaign: a row's id is this times the campaign's, plus the entry's number."""

_SQLITE = sa.table("search_words", sa.column("rowid", sa.BigInteger), sa.column("search_words", sa.Text))
_POSTGRESQL: sa.ColumnElement[object] = sa.literal_column("array_to_tsvector(string_to_array(search.words, ' '))")
MERGED = 64
_MERGE = sa.text("INSERT INTO search_words(search_words, rank) VALUES ('merge', :pages)")
_CHANGES = sa.text("SELECT total_changes()")
_BACKLOG = search_backlog.c.campaign_id == sa.bindparam("campaign")


def row_id(campaign_id: int, number: int) -> int:
    """Return the id of an entry's row in the index, from campaign and number."""
    return campaign_id * _SPAN + number


def find_matching(
    tx: Connection,
    campaign_id: int,
    allowed: entries.AudienceFilter,
    wanted: Sequence[Sequence[str]],
    span: entries.Span,
) -> list[int]:
    """Return readable entries with a word of each group."""
    every = [[*some, *map(mark_staff_word, some)] if allowed.is_staff else some for some in wanted]
    # Terms of readers, so that no search has to pass over many entries for others.
    readers = [make_term("to", allowed.pseudonym)] if allowed.pseudonym else []
    if allowed.is_staff:
        readers.append(mark_staff_word(make_term("to", "staff")))
    else:
        readers += [make_term("to", name) for name in (_ALL, *allowed.audiences) if name not in _PUBLIC]
    found = _find_numbers(tx, campaign_id, allowed, [*every, readers], span)
    amending = () if allowed.is_staff else allowed.amending()
    if amending:
        found += _find_numbers(tx, campaign_id, allowed, every, span, amending)
    return sorted({*found}, reverse=not span.oldest)[: span.limit]


_NAMED = """
    SELECT asked.number FROM {asked} WHERE EXISTS (
        SELECT 1 FROM {table} JOIN entry ON entry.campaign_id = :campaign AND entry.number = {row} - :first
        WHERE {found} AND {row} BETWEEN :first AND :last AND entry.audience IN :audiences)
"""
_AUDIENCES: sa.BindParameter[Sequence[str]] = sa.bindparam("audiences", expanding=True)
_NAMED_SQLITE = sa.text(
    _NAMED.format(
        asked="(SELECT value AS number FROM json_each(:numbers)) AS asked",
        table="search_words",
        row="search_words.rowid",
        found=f"""search_words MATCH '"unit=' || asked.number || '" AND "to={_ALL}"'""",
    )
).bindparams(_AUDIENCES)
_NAMED_POSTGRESQL = sa.text(
    _NAMED.format(
        asked="json_array_elements_text(CAST(:numbers AS json)) AS asked (number)",
        table="search",
        row="search.id",
        found=f"{_POSTGRESQL} @@ CAST('''unit=' || asked.number || ''' & ''to={_ALL}''' AS tsquery)",
    )
).bindparams(_AUDIENCES)


def find_named(tx: Connection, campaign_id: int, allowed: entries.AudienceFilter, numbers: Collection[int]) -> set[int]:
    """Return which subjects entries for everyone name."""
    first, statement = campaign_id * _SPAN, _NAMED_SQLITE if tx.dialect.name == "sqlite" else _NAMED_POSTGRESQL
    given = {"campaign": campaign_id, "first": first, "last": first + _SPAN - 1, "audiences": [*allowed.audiences]}
    return {int(row[0]) for row in tx.execute(statement, {**given, "numbers": json.dumps([*numbers])})}


class _Signs(Struct, frozen=True):
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


def _find_numbers(  # noqa: PLR0913, PLR0917 - as above
    tx: Connection,
    campaign_id: int,
    allowed: entries.AudienceFilter,
    every: Sequence[Sequence[str]],
    span: entries.Span,
    numbers: Collection[int] = (),
) -> list[int]:
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
    """Save entries' words by number; write only differences."""
    before = find_words(tx, campaign_id, documents)
    for number, words in documents.items():
        if number not in before:
            _add_words(tx, campaign_id, number, words)
        elif before[number] != words:
            tx.execute(search.update().where(search.c.id == row_id(campaign_id, number)).values(words=words))


def find_words(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, str]:
    """Return saved words by entry."""
    first = campaign_id * _SPAN
    rows = tx.execute(sa.select(search).where(search.c.id.in_([first + number for number in numbers])))
    return {row.id - first: row.words for row in rows}


def _add_words(tx: Connection, campaign_id: int, number: int, words: str) -> None:
    key = {"id": row_id(campaign_id, number), "campaign_id": campaign_id}
    tx.execute(search.insert(), {**key, "words": words})


def get_backlog(tx: Connection, campaign_id: int) -> int:
    """Return the newest old entry not read in; 0: none."""
    return tx.scalar(sa.select(search_backlog.c.upto).where(_BACKLOG), {"campaign": campaign_id}) or 0


def _get_read_upto(tx: Connection, campaign_id: int) -> int:
    first = campaign_id * _SPAN
    newest = tx.scalar(sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)))
    return max(0 if newest is None else newest - first, get_backlog(tx, campaign_id))


def find_behind(tx: Connection, above: int = 0) -> int | None:
    """Return the lowest campaign id above this with new entries not read in; None without one."""
    first = campaign.c.id * sa.literal(_SPAN, sa.BigInteger)
    made = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == campaign.c.id).scalar_subquery()
    read = sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)).scalar_subquery()
    waits = sa.select(search_backlog.c.upto).where(search_backlog.c.campaign_id == campaign.c.id).scalar_subquery()
    known = sa.func.coalesce(read - first, waits, 0)
    query = sa.select(campaign.c.id).where(made > known, campaign.c.id > above)
    return tx.scalar(query.order_by(campaign.c.id).limit(1))


def find_backlog(tx: Connection, above: int = 0) -> int | None:
    """Return the lowest campaign id above this with old entries not read in; None without one."""
    waits = sa.select(search_backlog.c.campaign_id).where(search_backlog.c.campaign_id > above)
    return tx.scalar(waits.order_by(search_backlog.c.campaign_id).limit(1))


def set_backlog(tx: Connection, campaign_id: int, upto: int) -> None:
    """Save the newest old entry not read in."""
    tx.execute(search_backlog.delete().where(_BACKLOG), {"campaign": campaign_id})
    if upto:
        tx.execute(search_backlog.insert(), {"campaign_id": campaign_id, "upto": upto})


def rebuild_index(tx: Connection) -> None:
    """Rebuild SQLite's index; PostgreSQL maintains its own."""
    if tx.dialect.name == "sqlite":
        tx.execute(sa.text("INSERT INTO search_words(search_words) VALUES ('rebuild')"))


def merge_index(tx: Connection, *, begin: bool) -> bool:
    """Remove deleted words from SQLite's pages; return whether some may be left.

    The first call passes `begin`. Each is short; `optimize` would block writers.
    """
    if tx.dialect.name != "sqlite":
        return False
    before = tx.execute(_CHANGES).scalar_one()
    tx.execute(_MERGE, {"pages": -MERGED if begin else MERGED})
    return int(tx.execute(_CHANGES).scalar_one()) - int(before) >= 2  # noqa: PLR2004 - fewer say that nothing was left to do


class _TsQuery(sa.types.UserDefinedType[str]):
    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        return "tsquery"


BATCH, REFILL = 10, 50
"""Entries read in per transaction, which blocks other writers; and when all are read in again."""

Progress = Callable[[int, int], object]


class SearchIndex(Struct, frozen=True):
    """Saves the words of entries of these kinds."""

    kinds: ledger.EntryKinds

    def catch_up(self, tx: Connection, campaign_id: int) -> int:
        """Read in the oldest new entries; return how many."""
        campaigns.get_campaign(tx, campaign_id, lock=True)  # no other process reads in the same
        new = islice(entries.walk_entries(tx, campaign_id, BATCH, after=_get_read_upto(tx, campaign_id)), BATCH)
        documents = {made.number: list_words(self.kinds, made) for made in new}
        for number, words in documents.items():
            _add_words(tx, campaign_id, number, words)
        return len(documents)

    def renew(self, tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
        """Save entries' words after a publication or erasure; then call `forget_erased` once."""
        upto = _get_read_upto(tx, campaign_id)
        every = sorted(number for number in numbers if number <= upto)
        for start in range(0, len(every), REFILL):
            made = entries.get_entries(tx, campaign_id, every[start : start + REFILL])
            put_words(tx, campaign_id, {number: list_words(self.kinds, item) for number, item in made.items()})

    def fill(self, tx: Connection, campaign_id: int, batch: int = BATCH) -> int:
        """Read in the newest old entries; return how many."""
        campaigns.get_campaign(tx, campaign_id, lock=True)  # no other process reads in the same
        upto = get_backlog(tx, campaign_id)
        left = max(upto - batch, 0)
        self.renew(tx, campaign_id, range(upto, left, -1))
        set_backlog(tx, campaign_id, left)
        return upto - left


async def forget_erased(database: Database) -> None:
    """Remove erased words in short steps between other writes."""
    begin = True
    while await database.write(merge_index, begin=begin):
        begin = False


async def refill_index(
    database: Database, kinds: ledger.EntryKinds, whole: Collection[int], progress: Progress | None = None
) -> None:
    """Read in campaigns' (ids) entries again, writing differences."""
    index, done, of = SearchIndex(kinds), 0, await database.write(_begin_refill, whole)
    for campaign_id in whole:
        while read := await database.write(index.fill, campaign_id, REFILL):
            done += read
            if progress is not None:
                progress(done, of)


def _begin_refill(tx: Connection, whole: Collection[int]) -> int:
    rebuild_index(tx)
    newest = sa.select(entry.c.campaign_id, sa.func.max(entry.c.number)).group_by(entry.c.campaign_id)
    found = {campaign_id: number for campaign_id, number in tx.execute(newest) if campaign_id in whole}
    for campaign_id, number in found.items():
        set_backlog(tx, campaign_id, number)
    return sum(found.values())
