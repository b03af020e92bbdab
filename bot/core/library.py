"""The rule books as a campaign plays them: under its house rules and its own climate; its own tables; and free dice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Protocol

from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.house_files import HouseFile
from bot.errors import BadInput
from rules.book import HOUSE, Effect
from rules.books import fields_of
from rules.climate import Climate
from rules.effects import EFFECT
from rules.errors import BookError, Fault
from rules.fields import Field
from rules.ruleset import RuleSet

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
        return self._amended_by(tx, campaign, book_id, house_files.list_active_files(tx, campaign.id))

    def played(self, tx: Connection, campaign: Campaign) -> list[RuleSet]:
        """Return the books that a campaign plays by; raises as `book` does."""
        for book_id in campaign.books:
            self.require(campaign, book_id)
        files = house_files.list_active_files(tx, campaign.id)
        return [self._amended_by(tx, campaign, book_id, files) for book_id in campaign.books]

    def _amended_by(self, tx: Connection, campaign: Campaign, book_id: str, files: Sequence[HouseFile]) -> RuleSet:
        try:
            return self.with_files(campaign, book_id, files, partial(house_files.read_texts, tx, campaign.id))
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
                if house_files.hash_file(texts[file.fingerprint]) != file.fingerprint:
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
