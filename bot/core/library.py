"""Rule books as a campaign plays them: house rules, climate, its own tables; and free dice."""

from collections import ChainMap, OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from typing import Protocol, Self, TypeVar, cast

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import campaigns, database, errors, state, transactions
from bot.core.records import Json
from bot.core.schema import document
from rules.book import HOUSE, Act, Effect, Score
from rules.books import fields_of
from rules.climate import Climate
from rules.effects import EFFECT
from rules.errors import BookError, Fault
from rules.modifiers import list_mentioned_facts
from rules.ruleset import RuleSet
from rules.subjects import Field, name_key
from rules.tables import RollTable

MAX_WAITING = 20
FILES = "house"
"""The subject of all files. Names are `FILE` plus the key; older versions have the key only."""

FILE = "File:"
"""Prefix of these names, so a file called `battle` isn't taken for a battle. Keys have no capitals."""

forget_old_files = partial(database.forget_old, document.c.sent_at, only=[sa.not_(document.c.kept)])


class HouseFile(Struct, frozen=True):
    """A house rule file in its newest version.

    It `extends` a book by id and adds `tables`, id to title. `entry` switched it last; files count in the order of `since`, the entry
    that switched them on. `weather`: it has zones, so the commands for weather are there.
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
    weather: bool = False

    @classmethod
    def of(cls, value: Mapping[str, Json]) -> Self:
        """Return the file from its state value."""
        return cls(**value)

    def value(self) -> dict[str, Json]:
        """Return the state value."""
        kept = asdict(self) | {"tables": dict(self.tables)}
        return kept if self.weather else {name: item for name, item in kept.items() if name != "weather"}

    @property
    def key(self) -> str:
        """The file's name without case and signs."""
        return name_key(self.name)

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} v{self.version}"


class SentFile(Struct, frozen=True):
    """A file as sent. Unless `kept`, it expires."""

    fingerprint: str
    file: str
    text: str
    sent_at: datetime
    kept: bool


def hash_file(text: str) -> str:
    """Return the SHA-256 of a text (hex)."""
    return sha256(text.encode()).hexdigest()


def versions_subject(key: str) -> str:
    """Return the state's subject for a file's versions."""
    return f"{FILES}:{key}"


def version_name(number: int) -> str:
    """Return the state's name for a version."""
    return f"v{number}"


def list_house_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return all files a campaign had, in order."""
    values = state.get_values(tx, campaign_id, {FILES}).values()
    return sorted(map(HouseFile.of, values), key=lambda file: (file.since, file.key))


def find_state_name(tx: Connection, campaign_id: int, key: str) -> str:
    """Return the name of a file's state value, in its older form if that is in use."""
    return f"{FILE}{key}" if state.get_value(tx, campaign_id, FILES, key) is None else key


def list_active_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return the files switched on, in order."""
    return [file for file in list_house_files(tx, campaign_id) if file.on]


def get_version(tx: Connection, campaign_id: int, key: str, number: int) -> dict[str, Json] | None:
    """Return a version's state value: fingerprint, file name, entry."""
    value: dict[str, Json] | None = state.get_value(tx, campaign_id, versions_subject(key), version_name(number))
    return value


def store_file(tx: Connection, campaign_id: int, new: SentFile) -> None:
    """Store a sent file, or renew its time; of files not kept, only the 20 newest stay."""
    sent_again = document.update().where(_is_mine(campaign_id), document.c.fingerprint == new.fingerprint)
    if not (tx.execute(sent_again.values(file=new.file, sent_at=new.sent_at))).rowcount:
        tx.execute(document.insert(), {"campaign_id": campaign_id, **asdict(new)})
    is_new = document.c.fingerprint == new.fingerprint
    expiring = sa.select(document.c.fingerprint).where(*_is_expiring(campaign_id))
    newest = expiring.order_by(document.c.sent_at.desc(), is_new.desc()).limit(MAX_WAITING)
    tx.execute(document.delete().where(*_is_expiring(campaign_id), document.c.fingerprint.not_in(newest)))


def find_file(tx: Connection, campaign_id: int, prefix: str) -> SentFile | None:
    """Return the file whose fingerprint begins with a prefix."""
    query = sa.select(document).where(_is_mine(campaign_id), document.c.fingerprint.like(f"{prefix}%")).limit(1)
    row = tx.execute(query).first()
    return _make_file(row) if row else None


def read_texts(tx: Connection, campaign_id: int, fingerprints: Collection[str]) -> dict[str, str]:
    """Return files' texts by fingerprint."""
    query = sa.select(document.c.fingerprint, document.c.text)
    rows = tx.execute(query.where(_is_mine(campaign_id), document.c.fingerprint.in_(fingerprints)))
    return {row.fingerprint: row.text for row in rows}


def each_file(tx: Connection, campaign_id: int) -> Iterator[SentFile]:
    """Return all files of a campaign."""
    return (_make_file(row) for row in tx.execute(sa.select(document).where(_is_mine(campaign_id))))


def keep_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Keep a file from expiring."""
    tx.execute(document.update().where(_is_mine(campaign_id), document.c.fingerprint == fingerprint).values(kept=True))


def drop_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Delete a file that was never switched on."""
    tx.execute(document.delete().where(*_is_expiring(campaign_id), document.c.fingerprint == fingerprint))


def _is_mine(campaign_id: int) -> sa.ColumnElement[bool]:
    return document.c.campaign_id == campaign_id


def _is_expiring(campaign_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (_is_mine(campaign_id), sa.not_(document.c.kept))


def _make_file(row: transactions.Row) -> SentFile:
    fields = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    return SentFile(**{name: fields[name] for name in SentFile.__struct_fields__})


CLIMATE = "climate"
MAX_AMENDED = 256


class BookComposer(Protocol):
    """Builds changed books; implemented by `rules.library.Composer`."""

    free_dice: RuleSet
    own_rules: RuleSet

    def list_reserved_names(self, books: Iterable[RuleSet], /) -> dict[str, str]:
        """Return names that tables can't use, and why."""

    def with_house_rules(
        self, book_id: str, files: Sequence[tuple[str, str]], labels: Mapping[str, str], others: Mapping[str, str], /
    ) -> RuleSet:
        """Return a book with house rules, or raise BookError."""

    def with_climate(self, rules: RuleSet, climate: Climate, /) -> RuleSet:
        """Return a book with a campaign's climate."""

    def in_world(self, rules: RuleSet, others: Sequence[RuleSet], /) -> RuleSet:
        """Return a book with the others' map and fields."""


class Library:
    """Books as campaigns play them, cached; `shipped` by id, with an empty one for a campaign's own rules."""

    def __init__(self, books: Mapping[str, RuleSet], composer: BookComposer) -> None:
        every = [{HOUSE: composer.own_rules}, cast("MutableMapping[str, RuleSet]", books)]  # neither is changed
        self.shipped: Mapping[str, RuleSet] = ChainMap(*every)
        self._composer = composer
        self._amended: OrderedDict[Hashable, RuleSet] = OrderedDict()  # the one asked for longest ago comes first

    @cached_property
    def _name_owners(self) -> dict[str, str]:
        return self._composer.list_reserved_names(self.shipped.values())

    def book(self, tx: Connection, campaign: campaigns.Campaign, book_id: str) -> RuleSet:
        """Return a campaign's book with its house rules, or raise BadInput."""
        if book_id == self._composer.free_dice.id:
            return self._composer.free_dice
        self.require(campaign, book_id)
        return self._amend(tx, campaign, book_id, list_active_files(tx, campaign.id))

    def list_books(self, tx: Connection, campaign: campaigns.Campaign) -> list[RuleSet]:
        """Return a campaign's books; raises like `book`."""
        for book_id in campaign.books:
            self.require(campaign, book_id)
        files = list_active_files(tx, campaign.id)
        return [self._amend(tx, campaign, book_id, files) for book_id in campaign.books]

    def list_known_books(self, tx: Connection, campaign: campaigns.Campaign) -> list[RuleSet]:
        """Return a campaign's books, as printed if its house rules no longer fit."""
        with suppress(errors.BadInput):
            return self.list_books(tx, campaign)
        return [self.shipped[book] for book in campaign.books if book in self.shipped]

    def list_limits(self, tx: Connection, campaign: campaigns.Campaign) -> dict[str, tuple[int, int]]:
        """Return the lowest and highest number of each number field, by id."""
        fields = [field for book in self.list_known_books(tx, campaign) for field in book.fields.values()]
        return {it.id: (it.min, it.max) for it in fields if it.min is not None and it.max is not None}

    def _amend(self, tx: Connection, campaign: campaigns.Campaign, book_id: str, files: Sequence[HouseFile]) -> RuleSet:
        try:
            return self.with_files(campaign, book_id, files, partial(read_texts, tx, campaign.id))
        except BookError as error:
            fault = error.faults[0]
            what = f"The house rules of {campaign.name} no longer fit the book {book_id}."
            do = "A game master can fix them with /gm rules. /table show has a button that removes them."
            raise errors.BadInput(f"{what} {fault.file}, line {fault.line}: {fault.what}.", do) from error

    def require(self, campaign: campaigns.Campaign, book_id: str) -> None:
        """Refuse a book that the campaign or the bot lacks."""
        if book_id in campaign.books and book_id not in self.shipped:
            raise errors.BadInput(f"The rule book {book_id!r} is no longer part of the bot.", "You can't roll with it.")
        if book_id != HOUSE and book_id not in campaign.books:
            book = self.shipped.get(book_id)
            what = f"{campaign.name} doesn't use the book {book.title_with_id if book else repr(book_id)}."
            raise errors.BadInput(what, "A game master can switch it on with /gm settings books.")

    def with_files(
        self,
        campaign: campaigns.Campaign,
        book_id: str,
        files: Sequence[HouseFile],
        texts_of: Callable[[Collection[str]], Mapping[str, str]],
    ) -> RuleSet:
        """Return a book with these files, or raise BookError; `texts_of` reads texts by fingerprint."""
        mine = [file for file in files if file.extends == book_id]
        printed = self.shipped.get(book_id)
        if printed is None:
            raise BookError([Fault(book_id, 1, "this rule book is no longer part of the bot")])
        if not mine and book_id != HOUSE:
            return printed
        theirs = [file for file in files if file.extends != book_id]
        others = self._name_owners | {table: f"the file {file.name}" for file in theirs for table in file.tables}
        key = (book_id, *((file.label, file.fingerprint) for file in mine), *sorted(others.keys() - self._name_owners))

        def load() -> RuleSet:
            texts = texts_of({file.fingerprint for file in mine})
            for file in mine:  # what is kept ready serves all campaigns, so that no text may pass for another's
                if hash_file(texts[file.fingerprint]) != file.fingerprint:
                    raise BookError([Fault(file.name, 1, "the saved text isn't the one that was switched on")])
            sources = [(file.name, texts[file.fingerprint]) for file in mine]
            return self._composer.with_house_rules(book_id, sources, {file.name: file.label for file in mine}, others)

        book = self._cache(key, load) if mine else printed
        if book_id != HOUSE:
            return book
        played = (self.with_files(campaign, name, files, texts_of) for name in campaign.books if name != HOUSE)
        around = [other for other in played if other.zones or other.fields]
        for other in around:
            if book.zones and other.zones:
                what = f"zones: {other.title} has weather: leave zones out, or turn that book off"
                raise BookError([Fault(mine[0].name if mine else book.id, 1, what)])
            for name in other.fields.keys() & book.fields.keys():
                what = f"field {name}: {other.title} has one: give it another id"
                raise BookError([Fault(mine[0].name if mine else book.id, 1, what)])
        key = (book.fingerprint, book.versions, *(other.fingerprint for other in around))
        return self._cache(key, partial(self._composer.in_world, book, around)) if around else book

    def effects(self, tx: Connection, campaign: campaigns.Campaign) -> dict[str, Effect]:
        """Return the effects of a campaign's books, by trait."""
        return {trait: effect for book in self.list_books(tx, campaign) for trait, effect in book.effects.items()}

    def fields(self, tx: Connection, campaign: campaigns.Campaign) -> dict[str, Field]:
        """Return the fields of a campaign's books, by id."""
        return {name: item for book in self.list_books(tx, campaign) for name, item in fields_of(book).items()}

    def local(self, book: RuleSet, climate: Climate) -> RuleSet:
        """Return a book with the campaign's climate."""
        if not climate.cells and not climate.land:
            return book
        key = (book.fingerprint, book.versions, repr(climate))
        return self._cache(key, partial(self._composer.with_climate, book, climate))

    def _cache(self, key: Hashable, build: Callable[[], RuleSet]) -> RuleSet:
        # Threads need no lock: each dictionary step is atomic, and the first book built counts.
        book = self._amended.get(key)
        if book is None:
            book = self._amended.setdefault(key, build())
        with suppress(KeyError):  # another thread has evicted it meanwhile
            self._amended.move_to_end(key)
        if len(self._amended) > MAX_AMENDED:
            self._amended.popitem(last=False)
        return book


def label_effect(known: Mapping[str, Effect], name: str, value: Mapping[str, Json]) -> str:
    """Return an effect's label: its own, or its book's."""
    trait = name.removeprefix(EFFECT)
    effect = known.get(trait)
    return effect.label if effect else str(value.get("label") or trait.replace("-", " ").capitalize())


ModifiedT = TypeVar("ModifiedT", RollTable, Score)


def hide_secrets(book: RuleSet) -> RuleSet:
    """Remove what players may not read: secret facts and staff tables."""
    secret = frozenset(name for name, fact in book.facts.items() if fact.secret)
    tables = {name: _drop_secret_modifiers(table) for name, table in book.tables.items() if table.audience != "staff"}
    return replace(
        book,
        tables=tables,
        scores={name: _drop_secret_modifiers(score) for name, score in book.scores.items()},
        effects={name: effect for name, effect in book.effects.items() if not effect.secret},
        contests={name: item for name, item in book.contests.items() if {item.actor, item.resister} <= {*tables}},
        strikes={name: item for name, item in book.strikes.items() if {item.tally, *item.rolls} <= {*tables}},
        acts={name: _drop_secret_facts(act, secret) for name, act in book.acts.items()},
    )


def _drop_secret_modifiers(item: ModifiedT) -> ModifiedT:
    return replace(item, modifiers=tuple(each for each in item.modifiers if not each.secret))


def _drop_secret_facts(act: Act, secret: frozenset[str]) -> Act:
    refused = tuple(item for item in act.refused if secret.isdisjoint(list_mentioned_facts(item.when)))
    costs = tuple(
        cost if secret.isdisjoint(list_mentioned_facts(cost.unless)) else replace(cost, unless=()) for cost in act.costs
    )
    variants = tuple(item for item in act.variants if secret.isdisjoint(list_mentioned_facts(item.when)))
    return replace(act, refused=refused, costs=costs, variants=variants)
