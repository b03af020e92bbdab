"""The kernel put together: what features stand on, without Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Self

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.ledger import Ledger
from bot.core.library import Composer, Library
from bot.core.records import Entry
from bot.feature import Feature
from bot.outbox.delivery import Outbox
from bot.outbox.pictures import Drawing, illustrate
from bot.outbox.store import Post
from bot.rolls.entries import ROLL
from bot.rolls.extension import RollExtension
from bot.rolls.fairness.asking import Outside
from bot.rolls.fairness.entry_checks import entry_faults
from bot.rolls.resolver import Resolver
from rules.dice import Dice
from rules.ruleset import RuleSet


class Kernel(Struct, frozen=True):
    """Everything below the features, and what they bring to it."""

    database: Database
    ledger: Ledger
    library: Library
    outbox: Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]
    outside: Outside | None = None

    @classmethod
    def build(  # noqa: PLR0913 - all that comes from outside is handed in by name
        cls,
        features: Sequence[Feature],
        *,
        database: Database,
        ledger: Ledger,
        books: Mapping[str, RuleSet],
        dice: Dice | None,
        composer: Composer,
        outside: Outside | None = None,
    ) -> Self:
        """Put the kernel together; time, chance, dice and books come in from outside, and where random.org is asked."""
        kinds = entry_kinds(features)
        library = Library(books, composer)
        outbox = Outbox(
            database,
            ledger=ledger,
            illustrate=partial(illustrate, database, partial(drawing_of, library, features)),
            buttons=[item.post_buttons for item in features if item.post_buttons],
        )
        extension = RollExtension.join(feature.rolls for feature in features)
        resolver = Resolver(
            library, ledger=ledger, outbox=outbox, dice=dice, kinds=kinds, extension=extension, outside=outside
        )
        return cls(database, ledger, library, outbox, resolver, kinds, tuple(features), outside)


def drawing_of(library: Library, features: Sequence[Feature], tx: Connection, post: Post) -> Drawing | None:
    """Return what draws the picture of the entry that a post tells of; None when it has none."""
    campaign = campaigns.get(tx, post.campaign_id)
    entry = None if post.entry_number is None else entries.get(tx, post.campaign_id, post.entry_number)
    return None if campaign is None or entry is None else picture_of(library, features, tx, campaign, entry)


def picture_of(
    library: Library, features: Sequence[Feature], tx: Connection, campaign: Campaign, entry: Entry
) -> Drawing | None:
    """Return what draws the picture of an entry; None when it has none."""
    body, pictures = entry.content(), (item for feature in features for item in feature.pictures)
    mine = (item for item in pictures if item.kind.name == entry.kind and item.kind.matches(body))
    return next((draw for item in mine if (draw := item.plan(tx, library, campaign, body))), None)


def entry_kinds(features: Sequence[Feature]) -> EntryKinds:
    """Return the kinds of entries that features and rolls write."""
    return EntryKinds([*(kind for feature in features for kind in feature.entry_kinds), ROLL], entry_faults)
