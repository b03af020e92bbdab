"""Rows of words by which entries are found, on either kind of database."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.entries import AudienceFilter
from bot.core.schema import campaign, entry, search, search_backlog
from bot.core.search_words import BEGINNING, for_readers, for_staff

_SPAN = 2**32
"""How far apart the rows of two campaigns begin: an entry's row has its number, counted from there."""

_SQLITE = sa.table("search_words", sa.column("rowid", sa.BigInteger), sa.column("search_words", sa.Text))
_POSTGRESQL: sa.ColumnElement[Any] = sa.literal_column("array_to_tsvector(string_to_array(search.words, ' '))")
"""What the index of PostgreSQL is made of, in the same words."""

MERGED = 64
"""How many pages of SQLite's index are written anew in one transaction."""

_MERGE = sa.text("INSERT INTO search_words(search_words, rank) VALUES ('merge', :pages)")
_CHANGES = sa.text("SELECT total_changes()")
_ADD = search.insert()
_CHANGE = search.update().where(search.c.id == sa.bindparam("row"))
_BACKLOG = search_backlog.c.campaign_id == sa.bindparam("campaign")


class Span(Struct, frozen=True):
    """Which entries are looked through: numbers above one and under another, the newest first, or the oldest."""

    above: int = 0
    below: int = 2**31 - 1
    oldest: bool = False


def row_of(campaign_id: int, number: int) -> int:
    """Return the id of an entry's row."""
    return campaign_id * _SPAN + number


def matching(  # noqa: PLR0913, PLR0917 - who looks where for what, and how much of it is asked for
    tx: Connection,
    campaign_id: int,
    allowed: AudienceFilter,
    wanted: Sequence[Sequence[str]],
    span: Span,
    limit: int,
    *,
    whole: bool,
) -> list[int]:
    """Return the numbers of entries that have one of each group of words and pass the filter: the newest first, or the oldest.

    `whole` looks for them in what the staff reads too. The words are such as `search_words` makes.
    """
    every = [[*some, *map(for_staff, some)] if whole else some for some in wanted]
    readers = for_readers(
        allowed, whole=whole
    )  # so that nobody waits until as many entries are passed over that are for others
    found = _matching(tx, campaign_id, allowed, [*every, readers], span, limit)
    amending = () if whole else allowed.amending()
    if amending:
        found += _matching(tx, campaign_id, allowed, every, span, limit, amending)
    return sorted({*found}, reverse=not span.oldest)[:limit]


class _Signs(Struct, frozen=True):
    """How a database writes a word, the beginning of one, that both of two are wanted, and that either is."""

    word: str
    beginning: str
    both: str
    either: str


_FTS, _TSQUERY = _Signs('"{}"', '"{}"*', " AND ", " OR "), _Signs("'{}'", "'{}':*", " & ", " | ")


def _query(every: Sequence[Sequence[str]], signs: _Signs) -> str:
    """Return a query for entries that have of each of these groups of words one."""
    return signs.both.join(f"({signs.either.join(_written(word, signs) for word in some)})" for some in every)


def _written(word: str, signs: _Signs) -> str:
    form = signs.beginning if word.endswith(BEGINNING) else signs.word
    return form.format(word.removesuffix(BEGINNING))


def _matching(  # noqa: PLR0913, PLR0917 - as above
    tx: Connection,
    campaign_id: int,
    allowed: AudienceFilter,
    every: Sequence[Sequence[str]],
    span: Span,
    limit: int,
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
        .limit(limit)
    )
    return [*tx.scalars(query)]


def put(tx: Connection, campaign_id: int, documents: Mapping[int, str]) -> None:
    """Keep the words of entries by number, in place of what is kept; only what differs is written."""
    before = of(tx, campaign_id, documents)
    for number, words in documents.items():
        if number not in before:
            add(tx, campaign_id, number, words)
        elif before[number] != words:
            tx.execute(_CHANGE.values(words=words), {"row": row_of(campaign_id, number)})


def add(tx: Connection, campaign_id: int, number: int, words: str) -> None:
    """Keep the words of an entry of which none are kept."""
    key = {"id": row_of(campaign_id, number), "campaign_id": campaign_id}
    tx.execute(_ADD, {**key, "words": words})


def of(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, str]:
    """Return the words of entries by number, as far as they are kept."""
    first = campaign_id * _SPAN
    rows = tx.execute(sa.select(search).where(search.c.id.in_([first + number for number in numbers])))
    return {row.id - first: row.words for row in rows}


def backlog(tx: Connection, campaign_id: int) -> int:
    """Return up to which entry (number) the words are still to be read in; 0 where all are."""
    return tx.scalar(sa.select(search_backlog.c.upto).where(_BACKLOG), {"campaign": campaign_id}) or 0


def read_upto(tx: Connection, campaign_id: int) -> int:
    """Return the number of the newest entry that is read in, or is among those of the past that wait for it."""
    first = campaign_id * _SPAN
    newest = tx.scalar(sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)))
    return max(0 if newest is None else newest - first, backlog(tx, campaign_id))


def any_behind(tx: Connection, above: int = 0) -> int | None:
    """Return the first campaign, of those with ids `above` one, with entries that were made since its newest were read in; None where there is none."""
    first = campaign.c.id * sa.literal(_SPAN, sa.BigInteger)
    made = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == campaign.c.id).scalar_subquery()
    read = sa.select(sa.func.max(search.c.id)).where(search.c.id.between(first, first + _SPAN - 1)).scalar_subquery()
    waits = sa.select(search_backlog.c.upto).where(search_backlog.c.campaign_id == campaign.c.id).scalar_subquery()
    known = sa.func.coalesce(read - first, waits, 0)
    return tx.scalar(
        sa.select(campaign.c.id).where(made > known, campaign.c.id > above).order_by(campaign.c.id).limit(1)
    )


def any_backlog(tx: Connection, above: int = 0) -> int | None:
    """Return the first campaign, of those with ids `above` one, of which words are still to be read in; None where there is none."""
    waits = sa.select(search_backlog.c.campaign_id).where(search_backlog.c.campaign_id > above)
    return tx.scalar(waits.order_by(search_backlog.c.campaign_id).limit(1))


def set_backlog(tx: Connection, campaign_id: int, upto: int) -> None:
    """Keep up to which entry (number) words are still to be read in."""
    tx.execute(search_backlog.delete().where(_BACKLOG), {"campaign": campaign_id})
    if upto:
        tx.execute(search_backlog.insert(), {"campaign_id": campaign_id, "upto": upto})


def make_index_anew(tx: Connection) -> None:
    """Make SQLite's index of words anew out of the rows; PostgreSQL keeps its own in order."""
    if tx.dialect.name == "sqlite":
        tx.execute(sa.text("INSERT INTO search_words(search_words) VALUES ('rebuild')"))


def drop_what_was(tx: Connection, *, begin: bool) -> bool:
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
