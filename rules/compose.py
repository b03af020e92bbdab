"""Books made anew from the shipped ones: with a campaign's house rules, with its climate, with another book's map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from rules.amend import amend
from rules.climate import Climate
from rules.dump import fingerprint
from rules.free import BOOK as FREE_DICE
from rules.own import reserved_names
from rules.ruleset import RuleSet


class Composer:
    """Make books; `overlays` are the operator's own house rules, which the shipped books have already."""

    free_dice = FREE_DICE

    def __init__(self, overlays: Sequence[Path] = ()) -> None:
        self._overlays = tuple(overlays)

    def reserved_names(self, books: Iterable[RuleSet]) -> dict[str, str]:
        """Return the names that no table of a campaign's own can have, and who has them."""
        return reserved_names((*books, FREE_DICE))

    def with_house_rules(
        self, book_id: str, files: Sequence[tuple[str, str]], labels: Mapping[str, str], others: Mapping[str, str]
    ) -> RuleSet:
        """Return a book with house rules, given as (name, text), or the book of a campaign's own tables.

        `labels` are the names and versions of the files; `others` are names of tables that are taken, and by whom.
        """
        from rules import house  # noqa: PLC0415 - loads with the first house rules
        from rules.loader import load_with_house_rules  # noqa: PLC0415 - as above

        documents = [house.read(name, text.encode()) for name, text in files]
        rules = load_with_house_rules(book_id, documents, others=others, overlays=self._overlays)
        tables = {
            name: replace(table, files=tuple(labels[file] for file in table.files if file in labels))
            for name, table in rules.tables.items()
        }
        return replace(rules, tables=tables, versions=tuple(labels.values()))

    def with_climate(self, rules: RuleSet, climate: Climate) -> RuleSet:
        """Return a book with a campaign's own climate."""
        return amend(rules, climate)

    def in_world(self, rules: RuleSet, others: Sequence[RuleSet]) -> RuleSet:
        """Return a book with the map and the fields of others, so that its rolls can name a region and know what is kept."""
        world = next((other for other in others if other.zones), rules)
        fields = {name: item for other in others for name, item in other.fields.items()}
        mapped = replace(rules, zones=world.zones, conditions=world.conditions, fields=fields)
        return replace(mapped, fingerprint=fingerprint(mapped))
