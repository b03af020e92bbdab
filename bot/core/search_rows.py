"""Rows of words by which entries are found, on either kind of database."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.entries import AudienceFilter
from bot.core.schema import entry, search, search_backlog
from bot.core.search_words import Document, for_readers

_SPAN = 2**32
"""How far apart the rows of two campaigns begin: an entry's row has its number, counted from there."""

_SQLITE = sa.table("search_words", sa.column("rowid", sa.BigInteger), sa.column("search_words", sa.Text))
_PUBLIC, _STAFF = (f"array_to_tsvector(string_to_array(search.{column}, ' '))" for column in ("public", "staff"))
_POSTGRESQL: dict[bool, sa.ColumnElement[Any]] = {
    True: sa.literal_column(f"({_PUBLIC} || {_STAFF})"),
    False: sa.literal_column(f"({_PUBLIC})"),
}
"""What the indexes of PostgreSQL are made of, in the same words; `whole` has the words of the staff in it."""

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
    wanted: Sequence[str],
    span: Span,
    limit: int,
    *,
    whole: bool,
) -> list[int]:
    """Return the numbers of entries that have all of these words and pass the filter: the newest first, or the oldest.

    `whole` looks for them in what the staff reads too. The words are such as `search_words` makes.
    """
    either = for_readers(allowed)  # so that nobody waits until as many entries are passed over that are for others
    found = _matching(tx, campaign_id, allowed, _Terms(wanted, either, whole), span, limit)
    amending = [] if whole else [*allowed.amending()]
    if amending:
        found += _matching(tx, campaign_id, allowed, _Terms(wanted, (), whole, amending), span, limit)
    return sorted({*found}, reverse=not span.oldest)[:limit]


class _Terms(Struct, frozen=True):
    """Words that an entry is to have all of, others of which one suffices, whether those of the staff count, and which entries (numbers) are meant, if not all."""

    every: Sequence[str]
    either: Sequence[str]
    whole: bool
    among: Sequence[int] = ()

    def fts(self) -> str:
        """Return them as FTS5 takes them."""
        said = self._joined('"{}"', " AND ", " OR ")
        return said if self.whole else f"public : ({said})"

    def tsquery(self) -> str:
        """Return them as PostgreSQL takes them."""
        return self._joined("'{}'", " & ", " | ")

    def _joined(self, quoted: str, both: str, one: str) -> str:
        either = one.join(map(quoted.format, self.either))
        return both.join([*map(quoted.format, self.every), *([f"({either})"] if either else [])])


def _matching(  # noqa: PLR0913, PLR0917 - as above
    tx: Connection, campaign_id: int, allowed: AudienceFilter, terms: _Terms, span: Span, limit: int
) -> list[int]:
    first = campaign_id * _SPAN
    if tx.dialect.name == "sqlite":
        row, table = _SQLITE.c.rowid, _SQLITE
        found = _SQLITE.c.search_words.op("MATCH")(terms.fts())
    else:
        row, table = search.c.id, search
        found = _POSTGRESQL[terms.whole].op("@@")(sa.cast(terms.tsquery(), _TsQuery()))
    among = [row.in_([first + number for number in terms.among])] if terms.among else []
    number = row - sa.literal(first, sa.BigInteger)
    query = (
        sa.select(entry.c.number)
        .join_from(table, entry, sa.and_(entry.c.campaign_id == campaign_id, entry.c.number == number))
        .where(found, *among, row > first + span.above, row < first + span.below, sa.or_(*allowed.clauses()))
        .order_by(row if span.oldest else row.desc())
        .limit(limit)
    )
    return [*tx.scalars(query)]


def put(tx: Connection, campaign_id: int, documents: Mapping[int, Document]) -> None:
    """Keep the words of entries by number, in place of what is kept; only what differs is written."""
    before = of(tx, campaign_id, documents)
    for number, item in documents.items():
        if number not in before:
            add(tx, campaign_id, number, item)
        elif before[number] != item:
            tx.execute(_CHANGE.values(public=item.public, staff=item.staff), {"row": row_of(campaign_id, number)})


def add(tx: Connection, campaign_id: int, number: int, item: Document) -> None:
    """Keep the words of an entry of which none are kept."""
    key = {"id": row_of(campaign_id, number), "campaign_id": campaign_id}
    tx.execute(_ADD, {**key, "public": item.public, "staff": item.staff})


def of(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, Document]:
    """Return the words of entries by number, as far as they are kept."""
    first = campaign_id * _SPAN
    rows = tx.execute(sa.select(search).where(search.c.id.in_([first + number for number in numbers])))
    return {row.id - first: Document(row.public, row.staff) for row in rows}


def backlog(tx: Connection, campaign_id: int) -> int:
    """Return up to which entry (number) the words are still to be read in; 0 where all are."""
    return tx.scalar(sa.select(search_backlog.c.upto).where(_BACKLOG), {"campaign": campaign_id}) or 0


def any_backlog(tx: Connection) -> int | None:
    """Return a campaign (id) of which words are still to be read in; None where there is none."""
    return tx.scalar(sa.select(search_backlog.c.campaign_id).order_by(search_backlog.c.campaign_id).limit(1))


def set_backlog(tx: Connection, campaign_id: int, upto: int) -> None:
    """Keep up to which entry (number) words are still to be read in."""
    tx.execute(search_backlog.delete().where(_BACKLOG), {"campaign": campaign_id})
    if upto:
        tx.execute(search_backlog.insert(), {"campaign_id": campaign_id, "upto": upto})


def make_index_anew(tx: Connection) -> None:
    """Make SQLite's index of words anew out of the rows; PostgreSQL keeps its own in order."""
    if tx.dialect.name == "sqlite":
        tx.execute(sa.text("INSERT INTO search_words(search_words) VALUES ('rebuild')"))


def drop_what_was(tx: Connection) -> None:
    """Let SQLite's index forget what was taken out of it: until then its pages may hold words that nobody finds any more."""
    if tx.dialect.name == "sqlite":
        tx.execute(sa.text("INSERT INTO search_words(search_words) VALUES ('optimize')"))


class _TsQuery(sa.types.UserDefinedType[str]):
    """PostgreSQL's kind of value that words are looked for by."""

    cache_ok = True

    def get_col_spec(self, **_options: object) -> str:
        """Return its name."""
        return "tsquery"
