"""The rule books as a campaign plays them: under its files of house rules and its own climate; its own tables; and free dice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from typing import Protocol, Self

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.chores import forget_old
from bot.core.encoding import Json
from bot.core.schema import document
from bot.core.transactions import Row
from bot.errors import BadInput
from rules.book import HOUSE, Effect
from rules.books import fields_of
from rules.climate import Climate
from rules.effects import EFFECT
from rules.errors import BookError, Fault
from rules.fields import Field
from rules.ruleset import RuleSet
from rules.subjects import name_key

MAX_WAITING = 20
"""How many files of a campaign that were never switched on are stored at once."""

FILES = "house"
"""The subject of all files; each stands under `FILE` and the key of its name, those of earlier versions under the key alone."""

FILE = "File:"
"""How the names of these values begin: people choose names of files, and one called `battle` would be taken for a battle. No key has a capital letter."""

forget_old_files = partial(forget_old, document.c.sent_at, only=[sa.not_(document.c.kept)])
"""The chore that deletes files that were never switched on, a day after they were sent."""


class HouseFile(Struct, frozen=True):
    """A file of house rules in its newest version, and whether it is on.

    `fingerprint` is that of its text, `file` its file name when it was sent, `extends` the id of the book that it changes
    or adds to, `tables` the tables that it adds, id to title. `entry` is the number of the entry that switched it on or
    off last; files count in the order of `since`, the number of the entry since which they have been on.
    """

    name: str
    version: int
    fingerprint: str
    file: str
    extends: str
    tables: Mapping[str, str]
    entry: int
    since: int
    on: bool

    @classmethod
    def of(cls, value: Mapping[str, Json]) -> Self:
        """Return the file from what the state keeps."""
        return cls(**value)

    def value(self) -> dict[str, Json]:
        """Return what the state keeps of the file."""
        return asdict(self) | {"tables": dict(self.tables)}

    @property
    def key(self) -> str:
        """The name under which it stands."""
        return name_key(self.name)

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} v{self.version}"


class SentFile(Struct, frozen=True):
    """A file as it was sent. Those never switched on are not `kept`: they expire."""

    fingerprint: str
    file: str
    text: str
    sent_at: datetime
    kept: bool


def hash_file(text: str) -> str:
    """Return the SHA-256 of a file's text, in hex."""
    return sha256(text.encode()).hexdigest()


def versions_subject(key: str) -> str:
    """Return the subject under which the state keeps all versions of a file."""
    return f"{FILES}:{key}"


def version_name(number: int) -> str:
    """Return the name under which the state keeps a version: its fingerprint, file name, and entry."""
    return f"v{number}"


def list_house_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return all files that a campaign ever had, in the order in which they count."""
    values = state.get_values(tx, campaign_id, {FILES}).values()
    return sorted(map(HouseFile.of, values), key=lambda file: (file.since, file.key))


def find_state_name(tx: Connection, campaign_id: int, key: str) -> str:
    """Return under which name the state keeps the file with a key, or is to keep it."""
    return f"{FILE}{key}" if state.get_value(tx, campaign_id, FILES, key) is None else key


def list_active_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return the files that are on, in the order in which they count."""
    return [file for file in list_house_files(tx, campaign_id) if file.on]


def get_version(tx: Connection, campaign_id: int, key: str, number: int) -> dict[str, Json] | None:
    """Return what the state keeps of one version of a file."""
    value: dict[str, Json] | None = state.get_value(tx, campaign_id, versions_subject(key), version_name(number))
    return value


def store_file(tx: Connection, campaign_id: int, new: SentFile) -> None:
    """Store a file, or renew it when it was sent before; beyond 20 files never switched on, the oldest are deleted."""
    sent_again = document.update().where(_is_mine(campaign_id), document.c.fingerprint == new.fingerprint)
    if not (tx.execute(sent_again.values(file=new.file, sent_at=new.sent_at))).rowcount:
        tx.execute(document.insert(), {"campaign_id": campaign_id, **asdict(new)})
    is_new = document.c.fingerprint == new.fingerprint
    expiring = sa.select(document.c.fingerprint).where(*_expiring(campaign_id))
    newest = expiring.order_by(document.c.sent_at.desc(), is_new.desc()).limit(MAX_WAITING)
    tx.execute(document.delete().where(*_expiring(campaign_id), document.c.fingerprint.not_in(newest)))


def find_file(tx: Connection, campaign_id: int, prefix: str) -> SentFile | None:
    """Return the file whose fingerprint begins with a prefix."""
    query = sa.select(document).where(_is_mine(campaign_id), document.c.fingerprint.like(f"{prefix}%")).limit(1)
    row = tx.execute(query).first()
    return _sent_file(row) if row else None


def read_texts(tx: Connection, campaign_id: int, fingerprints: Collection[str]) -> dict[str, str]:
    """Return the texts of files, by fingerprint."""
    query = sa.select(document.c.fingerprint, document.c.text)
    rows = tx.execute(query.where(_is_mine(campaign_id), document.c.fingerprint.in_(fingerprints)))
    return {row.fingerprint: row.text for row in rows}


def each_file(tx: Connection, campaign_id: int) -> Iterator[SentFile]:
    """Return all files of a campaign."""
    return (_sent_file(row) for row in tx.execute(sa.select(document).where(_is_mine(campaign_id))))


def keep_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Mark a file as kept: it does not expire."""
    tx.execute(document.update().where(_is_mine(campaign_id), document.c.fingerprint == fingerprint).values(kept=True))


def drop_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Delete a file that was never switched on."""
    tx.execute(document.delete().where(*_expiring(campaign_id), document.c.fingerprint == fingerprint))


def _is_mine(campaign_id: int) -> sa.ColumnElement[bool]:
    return document.c.campaign_id == campaign_id


def _expiring(campaign_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (_is_mine(campaign_id), sa.not_(document.c.kept))


def _sent_file(row: Row) -> SentFile:
    fields = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    return SentFile(**{name: fields[name] for name in SentFile.__struct_fields__})


CLIMATE = "climate"
"""The name under which the state keeps what a campaign has changed of its book's climate."""

MAX_AMENDED = 256
"""How many books with a campaign's own climate or house rules are cached."""


class BookComposer(Protocol):
    """What makes books anew; `rules.library.Composer` does."""

    free_dice: RuleSet

    def reserved_names(self, books: Iterable[RuleSet], /) -> dict[str, str]:
        """Return the names that no table of a campaign's own can have, and who has them."""

    def with_house_rules(
        self,
        book_id: str,
        files: Sequence[tuple[str, str]],
        labels: Mapping[str, str],
        others: Mapping[str, str],
        /,
    ) -> RuleSet:
        """Return a book with house rules. Raises BookError when the files have faults."""

    def with_climate(self, rules: RuleSet, climate: Climate, /) -> RuleSet:
        """Return a book with a campaign's own climate."""

    def in_world(self, rules: RuleSet, others: Sequence[RuleSet], /) -> RuleSet:
        """Return a book with the map and the fields of others."""


class Library:
    """Hand out books as campaigns play them, made by a composer and kept ready; `shipped` are those there are, by id."""

    def __init__(self, books: Mapping[str, RuleSet], composer: BookComposer) -> None:
        self.shipped = books
        self._composer = composer
        self._amended: OrderedDict[Hashable, RuleSet] = OrderedDict()  # the one asked for longest ago comes first

    @cached_property
    def _reserved(self) -> dict[str, str]:
        return self._composer.reserved_names(self.shipped.values())

    def book(self, tx: Connection, campaign: Campaign, book_id: str) -> RuleSet:
        """Return a book that the campaign plays by, with the house rules that are on; or the book of its own tables.

        Raises:
            BadInput: it does not play by the book, or a house rule does not fit the book any more.

        """
        if book_id == self._composer.free_dice.id:
            return self._composer.free_dice
        self.require(campaign, book_id)
        return self._amended_by(tx, campaign, book_id, list_active_files(tx, campaign.id))

    def played(self, tx: Connection, campaign: Campaign) -> list[RuleSet]:
        """Return the books that a campaign plays by; raises as `book` does."""
        for book_id in campaign.books:
            self.require(campaign, book_id)
        files = list_active_files(tx, campaign.id)
        return [self._amended_by(tx, campaign, book_id, files) for book_id in campaign.books]

    def _amended_by(self, tx: Connection, campaign: Campaign, book_id: str, files: Sequence[HouseFile]) -> RuleSet:
        try:
            return self.with_files(campaign, book_id, files, partial(read_texts, tx, campaign.id))
        except BookError as error:
            fault = error.faults[0]
            what = f"The house rules of {campaign.name} no longer fit the book {book_id}."
            do = "A game master can fix them with /table edit or remove them with /table remove."
            raise BadInput(f"{what} {fault.file}, line {fault.line}: {fault.what}.", do) from error

    def require(self, campaign: Campaign, book_id: str) -> None:
        """Refuse a book that the campaign does not play by, or that the bot no longer has."""
        if book_id in campaign.books and book_id not in self.shipped:
            raise BadInput(f"The rule book {book_id!r} is no longer part of the bot.", "You can't roll with it.")
        if book_id != HOUSE and book_id not in campaign.books:
            book = self.shipped.get(book_id)
            raise BadInput(
                f"{campaign.name} doesn't use the book {book.named if book else repr(book_id)}.",
                "A game master can switch it on with /campaign edit books.",
            )

    def with_files(
        self,
        campaign: Campaign,
        book_id: str,
        files: Sequence[HouseFile],
        texts_of: Callable[[Collection[str]], Mapping[str, str]],
    ) -> RuleSet:
        """Return a book with these files applied; `texts_of` gives the texts of those that were not read yet, by fingerprint.

        Raises:
            BookError: they have faults, or the bot no longer has the book.

        """
        mine = [file for file in files if file.extends == book_id]
        printed = self.shipped.get(book_id)
        if printed is None and book_id != HOUSE:
            raise BookError([Fault(book_id, 1, "this rule book is no longer part of the bot")])
        if printed is not None and not mine:
            return printed
        others = self._reserved | {
            table: f"the file {file.name}" for file in files if file.extends != book_id for table in file.tables
        }
        key = (book_id, *((file.label, file.fingerprint) for file in mine), *sorted(others.keys() - self._reserved))

        def load() -> RuleSet:
            texts = texts_of({file.fingerprint for file in mine})
            for file in mine:  # what is kept ready serves all campaigns, so that no text may pass for another's
                if hash_file(texts[file.fingerprint]) != file.fingerprint:
                    raise BookError([Fault(file.name, 1, "the saved text isn't the one that was switched on")])
            sources = [(file.name, texts[file.fingerprint]) for file in mine]
            return self._composer.with_house_rules(book_id, sources, {file.name: file.label for file in mine}, others)

        book = self._cached(key, load)
        if book_id != HOUSE:
            return book
        played = (self.with_files(campaign, name, files, texts_of) for name in campaign.books if name in self.shipped)
        around = [other for other in played if other.zones or other.fields]
        key = (book.fingerprint, book.versions, *(other.fingerprint for other in around))
        return self._cached(key, partial(self._composer.in_world, book, around)) if around else book

    def effects(self, tx: Connection, campaign: Campaign) -> dict[str, Effect]:
        """Return the effects of all books that a campaign plays by, by trait."""
        return {trait: effect for book in self.played(tx, campaign) for trait, effect in book.effects.items()}

    def fields(self, tx: Connection, campaign: Campaign) -> dict[str, Field]:
        """Return what all books that a campaign plays by have kept, by id."""
        return {name: item for book in self.played(tx, campaign) for name, item in fields_of(book).items()}

    def local(self, book: RuleSet, climate: Climate) -> RuleSet:
        """Return a book with the campaign's own climate."""
        if not climate.cells and not climate.land:
            return book
        key = (book.fingerprint, book.versions, repr(climate))
        return self._cached(key, partial(self._composer.with_climate, book, climate))

    def _cached(self, key: Hashable, build: Callable[[], RuleSet]) -> RuleSet:
        """Return the cached book of a key, built when there is none; the least recently used is evicted.

        Transactions ask from several threads at once, without a lock: when several build the same book, all get the
        first that is ready. Each step on the dictionary is atomic.
        """
        book = self._amended.get(key)
        if book is None:
            book = self._amended.setdefault(key, build())
        with suppress(KeyError):  # another thread has evicted it meanwhile
            self._amended.move_to_end(key)
        if len(self._amended) > MAX_AMENDED:
            self._amended.popitem(last=False)
        return book


def label_effect(known: Mapping[str, Effect], name: str, value: Mapping[str, Json]) -> str:
    """Return what an effect is called: by its book, or by itself where it brings a label of its own."""
    trait = name.removeprefix(EFFECT)
    effect = known.get(trait)
    return effect.label if effect else str(value.get("label") or trait.replace("-", " ").capitalize())
