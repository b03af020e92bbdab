"""The kernel put together: what features stand on, without Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Self

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.ledger import Ledger
from bot.core.library import Composer, Library
from bot.feature import Feature, picture_of
from bot.outbox.delivery import Outbox
from bot.outbox.pictures import Drawing, illustrate
from bot.outbox.store import Post
from bot.rolls import buttons as rolls
from bot.rolls.entries import ROLL
from bot.rolls.extension import RollExtensions, no_sky
from bot.rolls.fairness.asking import Outside
from bot.rolls.fairness.entry_checks import entry_faults
from bot.rolls.resolver import Resolver
from bot.schedules import buttons as schedules
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
            buttons=[schedules.post_buttons, rolls.post_buttons],
        )
        brought = brought_to_rolls(features)
        resolver = Resolver(
            library, ledger=ledger, outbox=outbox, dice=dice, kinds=kinds, extension=brought, outside=outside
        )
        return cls(database, ledger, library, outbox, resolver, kinds, tuple(features), outside)


def brought_to_rolls(features: Sequence[Feature]) -> RollExtensions[Resolver]:
    """Return what features bring to rolls."""
    return RollExtensions(
        rolls=tuple(item for feature in features for item in feature.rolls),
        requirements={name: rule for feature in features for name, rule in feature.requirements.items()},
        sky=next((feature.sky for feature in features if feature.sky is not None), no_sky),
        played={kind: feature.book for feature in features if feature.book for kind in feature.scenes},
        voidable=tuple(item for feature in features for item in feature.voidable),
        hanging=tuple(item for feature in features for item in feature.hanging),
        after_void=tuple(item.after_void for item in features if item.after_void is not None),
        concerns=tuple(item for feature in features for item in feature.concerns),
        questions=tuple((feature.book, item) for feature in features for item in feature.questions),
        keeps_effect=tuple(item.keeps_effect for item in features if item.keeps_effect is not None),
        effect_set=tuple(item.effect_set for item in features if item.effect_set is not None),
    )


def drawing_of(library: Library, features: Sequence[Feature], tx: Connection, post: Post) -> Drawing | None:
    """Return what draws the picture of the entry that a post tells of; None when it has none."""
    campaign = campaigns.get(tx, post.campaign_id)
    entry = None if post.entry_number is None else entries.get(tx, post.campaign_id, post.entry_number)
    return None if campaign is None or entry is None else picture_of(library, features, tx, campaign, entry)


def entry_kinds(features: Sequence[Feature]) -> EntryKinds:
    """Return the kinds of entries that features and rolls write."""
    return EntryKinds([*(kind for feature in features for kind in feature.entry_kinds), ROLL], entry_faults)
