"""The ledger's rows: appended and read; only a publication changes an audience."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import transactions
from bot.core.records import Entry, Link, SaltedText
from bot.core.schema import actor, book_version, entry, entry_text

_ASIDE = {"campaign_id", "interaction", "step"}
COLUMNS = [column for column in entry.c if column.name not in _ASIDE]
_MINE = entry.c.campaign_id == sa.bindparam("campaign")
_ENTRIES = sa.select(*COLUMNS).where(_MINE)
_ONE = _ENTRIES.where(entry.c.number == sa.bindparam("of"))
_SOME = _ENTRIES.where(entry.c.number.in_(sa.bindparam("numbers", expanding=True)))
_AFTER = _ENTRIES.where(entry.c.number > sa.bindparam("after")).order_by(entry.c.number).limit(sa.bindparam("batch"))
_TEXTS = sa.select(entry_text).where(
    entry_text.c.campaign_id == sa.bindparam("campaign"),
    entry_text.c.number.in_(sa.bindparam("numbers", expanding=True)),
)
_TEXTS_BETWEEN = sa.select(entry_text).where(
    entry_text.c.campaign_id == sa.bindparam("campaign"),
    entry_text.c.number.between(sa.bindparam("first"), sa.bindparam("last")),
)
NEWEST = sa.select(entry.c.number, entry.c.hash).where(_MINE).order_by(entry.c.number.desc()).limit(1)
_ADD = entry.insert()
_NO_TEXTS = '"texts":{}'  # in a header
_BY_INTERACTION = sa.select(sa.func.count()).where(entry.c.interaction == sa.bindparam("interaction"))
_PEOPLE = sa.select(actor.c.pseudonym, actor.c.user_id).where(
    actor.c.campaign_id == sa.bindparam("campaign"), actor.c.pseudonym.in_(sa.bindparam("of", expanding=True))
)
_BOOK = sa.select(book_version.c.fingerprint).where(
    book_version.c.campaign_id == sa.bindparam("campaign"), book_version.c.fingerprint == sa.bindparam("of")
)


def find_link(tx: Connection, campaign_id: int, uuid: str) -> Link:
    """Return the link that the campaign's next entry follows: its newest entry, or none yet."""
    found = transactions.read_rows(tx, NEWEST, {"campaign": campaign_id})
    return Link(uuid, found[0].number, found[0].hash) if found else Link(uuid)


def append_entry(tx: Connection, campaign_id: int, sealed: Entry) -> None:
    """Insert a sealed entry with its texts."""
    values = {column.name: getattr(sealed, column.name) for column in COLUMNS}
    transactions.note_campaign(tx, campaign_id)
    interaction, step = transactions.count_step(tx, sealed.number)
    aside = {"campaign_id": campaign_id, "interaction": interaction, "step": step}
    transactions.write(tx, _ADD, {**aside, **values})
    if sealed.texts:
        key = {"campaign_id": campaign_id, "number": sealed.number}
        rows = [{**key, "name": name, "salt": item.salt, "text": item.text} for name, item in sealed.texts.items()]
        tx.execute(entry_text.insert(), rows)


def count_of_interaction(tx: Connection, interaction: int) -> int:
    """Return how many entries an interaction wrote anywhere."""
    return tx.scalar(_BY_INTERACTION, {"interaction": interaction}) or 0


def get_entry(tx: Connection, campaign_id: int, number: int) -> Entry | None:
    """Return one entry with its free texts; None if it doesn't exist."""
    row = tx.execute(_ONE, {"campaign": campaign_id, "of": number}).first()
    return None if row is None else _entry(row, read_entry_texts(tx, campaign_id, [number]).get(number, {}))


def get_entries(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, Entry]:
    """Return these entries by number, with texts; missing ones are left out."""
    rows = tx.execute(_SOME, {"campaign": campaign_id, "numbers": list(numbers)}).all()
    texts = read_entry_texts(tx, campaign_id, [row.number for row in rows if _NO_TEXTS not in row.header])
    return {row.number: _entry(row, texts.get(row.number, {})) for row in rows}


def get_entries_bare(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, Entry]:
    """Return the existing entries by number, without texts."""
    return transactions.read_each(tx, (Entry, campaign_id), numbers, partial(_read_bare, tx, campaign_id))


def _read_bare(tx: Connection, campaign_id: int, numbers: Sequence[int]) -> dict[int, Entry]:
    rows = tx.execute(_SOME, {"campaign": campaign_id, "numbers": numbers})
    return {row.number: _entry(row, {}) for row in rows}


PUBLIC = ("results", "mixed")
"""Audiences of what everyone may know, at least in part."""


class AudienceFilter(Struct, frozen=True):
    """Which entries a person may know: by audience, and their `person` and `maker` entries.

    A `maker` entry is also for the maker of the entry it amends (`amending`).
    """

    audiences: tuple[str, ...]
    pseudonym: str | None
    amending: Callable[[], frozenset[int]] = frozenset

    @property
    def is_staff(self) -> bool:
        """Whether a game master reads."""
        return "staff" in self.audiences

    def clauses(self) -> list[sa.ColumnElement[bool]]:
        """Return alternative SQL conditions, each served by an index."""
        private = entry.c.audience == sa.literal_column("'person'")  # so that the index of private ones is taken
        made = [private] if "maker" in self.audiences else [private, entry.c.audience == "maker"]
        own = [mine & (entry.c.actor == (self.pseudonym or "")) for mine in made]
        own += [(entry.c.audience == "maker") & entry.c.number.in_(numbers) for numbers in [self.amending()] if numbers]
        return [*(entry.c.audience == audience for audience in self.audiences), *own]

    def shows(self, made: Entry) -> bool:
        """Return whether an entry passes."""
        if made.audience in self.audiences or (made.audience in {"person", "maker"} and made.actor == self.pseudonym):
            return True
        return made.audience == "maker" and made.number in self.amending()


class Span(Struct, frozen=True):
    """A range of entry numbers (exclusive), direction and limit."""

    above: int = 0
    below: int = 2**31 - 1  # without a bound, SQLite would take another index for private entries
    oldest: bool = False
    limit: int = 100


def page_entries(
    tx: Connection, campaign_id: int, allowed: AudienceFilter, span: Span, *, without: str | None = None
) -> list[Entry]:
    """Return the entries in a span that the person may know, except those of the kind `without`."""
    found = find_numbers(tx, campaign_id, allowed, span, without=without)
    listed = get_entries(tx, campaign_id, found)
    return [listed[number] for number in found]


def find_numbers(
    tx: Connection, campaign_id: int, allowed: AudienceFilter, span: Span, *, without: str | None = None
) -> list[int]:
    """Return the numbers of `page_entries`."""
    between = [entry.c.number < span.below, *([entry.c.number > span.above] if span.above else [])]
    between += [entry.c.kind != without] if without else []
    first = entry.c.number if span.oldest else entry.c.number.desc()
    mine = sa.select(entry.c.number).where(entry.c.campaign_id == campaign_id, *between)
    query = mine.order_by(first).limit(span.limit)
    each = [sa.select(query.where(clause).subquery().c.number) for clause in allowed.clauses()]
    return sorted(tx.scalars(sa.union_all(*each)), reverse=not span.oldest)[: span.limit]


def walk_around(tx: Connection, campaign_id: int, made: Entry) -> tuple[Iterator[Entry], Iterator[Entry]]:
    """Return two iterators, nearest first: entries of the same kind before and after this one, without texts."""
    query = sa.select(*COLUMNS).where(entry.c.campaign_id == campaign_id, entry.c.kind == made.kind)
    before = query.where(entry.c.number < made.number).order_by(entry.c.number.desc())
    after = query.where(entry.c.number > made.number).order_by(entry.c.number)
    return _stream(tx, before), _stream(tx, after)


def walk_back(  # noqa: PLR0913 - whose entries, and which of them
    tx: Connection,
    campaign_id: int,
    kind: str,
    allowed: AudienceFilter | None = None,
    *,
    after: int = 0,
    where: Iterable[sa.ColumnElement[bool]] = (),
) -> Iterator[Entry]:
    """Yield readable entries of a kind, newest first, without texts."""
    query = sa.select(*COLUMNS).where(entry.c.campaign_id == campaign_id, entry.c.number > after, *where)
    query = query.order_by(entry.c.number.desc())
    if allowed is None:
        return _stream(tx, query.where(entry.c.kind == kind))
    # Of each audience there is an index, of all none; and as a column the kind would have SQLite take that of the kinds,
    # which has all entries of an update where that of an audience has few.
    of_kind = query.where(entry.c.kind.concat("") == kind)
    each = (_stream(tx, of_kind.where(clause)) for clause in allowed.clauses())
    return merge(*each, key=attrgetter("number"), reverse=True)


def walk_kinds(tx: Connection, campaign_id: int, kinds: Iterable[str]) -> Iterator[Entry]:
    """Yield entries of these kinds, oldest first, without texts."""
    query = sa.select(*COLUMNS).where(entry.c.campaign_id == campaign_id).order_by(entry.c.number)
    return merge(*(_stream(tx, query.where(entry.c.kind == kind)) for kind in kinds), key=attrgetter("number"))


def walk_entries(tx: Connection, campaign_id: int, batch: int = 200, *, after: int = 0) -> Iterator[Entry]:
    """Yield all entries after a number, in batches."""
    while True:
        rows = tx.execute(_AFTER, {"campaign": campaign_id, "after": after, "batch": batch}).all()
        texts = read_entry_texts(tx, campaign_id, [row.number for row in rows])
        for row in rows:
            yield _entry(row, texts.get(row.number, {}))
        if len(rows) < batch:
            return
        after = rows[-1].number


def set_audience(tx: Connection, campaign_id: int, number: int, audience: str) -> None:
    """Change an entry's audience after a publication."""
    query = entry.update().where(entry.c.campaign_id == campaign_id, entry.c.number == number)
    transactions.write(tx, query.values(audience=audience))


def add_actor(tx: Connection, campaign_id: int, user_id: int, salt: str, pseudonym: str) -> None:
    """Save a person's pseudonym."""
    values = {"campaign_id": campaign_id, "user_id": user_id, "salt": salt, "pseudonym": pseudonym}
    transactions.write(tx, actor.insert().values(**values))


def find_users(tx: Connection, campaign_id: int, pseudonyms: Iterable[str]) -> dict[str, int]:
    """Return user ids by pseudonym, without erased people."""
    wanted = {*pseudonyms}
    rows = tx.execute(_PEOPLE, {"campaign": campaign_id, "of": [*wanted]}) if wanted else ()
    return {row.pseudonym: row.user_id for row in rows}


def list_actors(tx: Connection, campaign_id: int) -> Iterator[tuple[int, str, str]]:
    """Return user id, salt and pseudonym of each person."""
    query = sa.select(actor.c.user_id, actor.c.salt, actor.c.pseudonym).where(actor.c.campaign_id == campaign_id)
    return (tuple(row) for row in tx.execute(query))


def list_kept_books(tx: Connection, campaign_id: int) -> Iterator[tuple[str, str, str]]:
    """Return fingerprint, id and content of used books."""
    query = sa.select(book_version.c.fingerprint, book_version.c.book, book_version.c.content)
    return (tuple(row) for row in tx.execute(query.where(book_version.c.campaign_id == campaign_id)))


def keep_book(tx: Connection, campaign_id: int, fingerprint: str, book: str, content: Callable[[], str]) -> bool:
    """Save a book's tables for later explanations; return whether they were already saved."""
    if tx.scalar(_BOOK, {"campaign": campaign_id, "of": fingerprint}) is not None:
        return True
    values = {"campaign_id": campaign_id, "fingerprint": fingerprint, "book": book, "content": content()}
    tx.execute(book_version.insert().values(**values))
    return False


def read_entry_texts(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, dict[str, SaltedText]]:
    """Return free texts by entry number, then by key; entries without texts are left out."""
    if not numbers:
        return {}
    return _by_number(tx.execute(_TEXTS, {"campaign": campaign_id, "numbers": list(numbers)}))


def read_texts_between(tx: Connection, campaign_id: int, first: int, last: int) -> dict[int, dict[str, SaltedText]]:
    """Return free texts of a range (inclusive), by number."""
    return _by_number(tx.execute(_TEXTS_BETWEEN, {"campaign": campaign_id, "first": first, "last": last}))


def _by_number(rows: Iterable[transactions.Row]) -> dict[int, dict[str, SaltedText]]:
    texts: dict[int, dict[str, SaltedText]] = {}
    for row in rows:
        texts.setdefault(row.number, {})[row.name] = SaltedText(row.salt, row.text)
    return texts


def _stream(tx: Connection, query: sa.Select[Any]) -> Iterator[Entry]:
    with tx.execute(query.execution_options(yield_per=50)) as rows:
        for row in rows:
            yield _entry(row, {})


def _entry(row: transactions.Row, texts: dict[str, SaltedText]) -> Entry:
    return Entry(**row._mapping, texts=texts)  # noqa: SLF001 - SQLAlchemy's public name for it
