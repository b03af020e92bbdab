"""The kernel put together: what features stand on, without Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from discord import ui

from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.ledger import Ledger
from bot.core.library import Composer, Library
from bot.feature import Feature
from bot.outbox.delivery import Outbox
from bot.outbox.store import Post
from bot.rolls.entries import ROLL
from bot.rolls.extension import RollExtension
from bot.rolls.resolver import Resolver
from bot.ui.picture import Picture
from rules.dice import Dice
from rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Kernel:
    """Everything below the features, and what they bring to it."""

    database: Database
    ledger: Ledger
    library: Library
    outbox: Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]

    @classmethod
    def build(  # noqa: PLR0913 - all that comes from outside is handed in by name
        cls,
        features: Sequence[Feature],
        *,
        database: Database,
        ledger: Ledger,
        books: Mapping[str, RuleSet],
        dice: Dice,
        composer: Composer,
    ) -> Self:
        """Put the kernel together; time, chance, dice and books come in from outside."""
        kinds = entry_kinds(features)
        library = Library(books, composer)
        illustrate = _Pictures(features, database, library)
        outbox = Outbox(database, ledger=ledger, illustrate=illustrate, buttons=_Buttons(features))
        extension = RollExtension.join(feature.rolls for feature in features)
        resolver = Resolver(library, ledger=ledger, outbox=outbox, dice=dice, kinds=kinds, extension=extension)
        return cls(database, ledger, library, outbox, resolver, kinds, tuple(features))


def entry_kinds(features: Sequence[Feature]) -> EntryKinds:
    """Return the kinds of entries that features and rolls write."""
    return EntryKinds([*(kind for feature in features for kind in feature.entry_kinds), ROLL])


class _Buttons:
    """Give the buttons under posts, whoever's they are."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self._makers = [feature.post_buttons for feature in features if feature.post_buttons]

    def __call__(self, post: Post) -> ui.View | None:
        """Return the buttons under a post; None where it has none."""
        return next((view for maker in self._makers if (view := maker(post)) is not None), None)


class _Pictures:
    """Draw the pictures of posts, whoever's they are."""

    def __init__(self, features: Sequence[Feature], database: Database, library: Library) -> None:
        self._makers = [feature.illustrate for feature in features if feature.illustrate]
        self._database = database
        self._library = library

    async def __call__(self, post: Post) -> Picture | None:
        """Return the picture of a post; None where nobody draws one."""
        for maker in self._makers:
            if picture := await maker(self._database, self._library, post):
                return picture
        return None
