"""The facts known about one roll: the fact providers are asked in turn, each fact comes with its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.profiles import Profile, profile
from bot.core.state import State
from bot.core.subjects import PartCast, Subject
from bot.rolls.request import RollRequest
from rules.book import Book
from rules.climate import Sky
from rules.facts import Known
from rules.procedure import Procedure
from rules.subjects import PROFILE


class RollContext(Struct, frozen=True):
    """Whom the parts of a roll are about, where and when.

    `sky` is the weather of the region that it names; `update` is the number of the campaign's current update; `cast` is
    who is meant by the names, and `kept` is what the state keeps of them. `secrets` tells whether they are asked for too:
    what players may not know must not show by what is missing either.
    """

    campaign: Campaign
    procedure: Procedure
    book: Book
    request: RollRequest
    sky: Sky
    update: int
    cast: Sequence[PartCast]
    kept: State
    secrets: bool = True

    @property
    def subjects(self) -> list[Mapping[str, str]]:
        """The names in each part, by role."""
        return [part.subjects for part in self.request.parts]

    def saved(self) -> list[list[tuple[str, Profile]]]:
        """Return for each part who of those in it is saved, in which role."""
        everyone = self.everyone()
        return [[(role, item) for role, who in part if (item := profile(self.kept, who))] for part in everyone]

    def everyone(self) -> list[list[tuple[str, Subject]]]:
        """Return for each part who is meant in which role, but for those of whom nothing is kept."""
        return [[(role, item) for role, some in part.items() for item in some if item] for part in self.cast]

    def is_secret(self, subject: str) -> bool:
        """Return whether players may not know what is true of a subject, since it is saved as secret."""
        value = self.kept.get((subject, PROFILE))
        return value is not None and bool(value["secret"])


FactProvider = Callable[[Connection, RollContext], Sequence[Mapping[str, Known]]]
"""Return the facts that a source knows, part by part."""


class Situation:
    """The facts of all providers; of two that know the same fact, the later one counts."""

    def __init__(self, providers: Sequence[FactProvider]) -> None:
        self._providers = tuple(providers)

    def facts(self, tx: Connection, context: RollContext) -> tuple[dict[str, Known], ...]:
        """Return every declared fact that is known of each part; without those that players may not know unless secrets are asked for."""
        known_facts: tuple[dict[str, Known], ...] = tuple({} for _ in context.subjects)
        declared = context.book.facts
        for provider in self._providers:
            for part, facts in zip(known_facts, provider(tx, context), strict=True):
                part.update(
                    (fact, known)
                    for fact, known in facts.items()
                    if fact in declared and (context.secrets or not (known.secret or declared[fact].secret))
                )
        return known_facts
