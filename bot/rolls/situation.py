"""The facts known about one roll: the fact providers are asked in turn, each fact comes with its origin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, scenes
from bot.core.campaigns import Campaign, moment
from bot.core.profiles import Profile, profile
from bot.core.scenes import Stand
from bot.core.state import State
from bot.core.subjects import PartCast, Subject, everybody
from bot.errors import NotOpen
from bot.rolls.request import RollRequest
from rules.book import Book
from rules.climate import Sky
from rules.ends import Moment, scene_of
from rules.facts import Known, Origin
from rules.procedure import Procedure
from rules.scenes import kind_of
from rules.subjects import PROFILE


class InScene(Struct, frozen=True):
    """The scene that a roll names, if it does, and where those in it stand, by number; but for scenes of `foreign` kinds, which other books play."""

    named: Stand | None
    standing: Mapping[int, Stand]
    foreign: Collection[str] = ()

    @classmethod
    def of(
        cls, tx: Connection, campaign_id: int, kept: State, named: str | None, foreign: Collection[str] = ()
    ) -> Self:
        """Return the scene that is named (its subject), and those of the participants whose values are in `kept`."""
        header = scenes.header(tx, campaign_id, named) if named else None
        if header is not None and header.over:
            raise NotOpen(f"{header.name} is over: it ended in turn {header.turn}.", "Roll outside the scene.")
        standing = scenes.standing(tx, campaign_id, kept)
        ours = {number: at for number, at in standing.items() if kind_of(at.scene) not in foreign}
        return cls(Stand(named, header, {}) if named and header else None, ours, foreign)

    def count(self, value: Mapping[str, Any]) -> bool:
        """Return whether what lasts counts in the roll: not what lasts as long as a scene that another book plays."""
        return kind_of(scene_of(value) or "") not in self.foreign

    def where(self, people: Iterable[Subject]) -> Stand | None:
        """Return the one scene in which a roll with these happens; None where they stand in none, or in several."""
        found = {at.scene: at for item in people if (at := self.standing.get(item.id))}
        return self.named or (next(iter(found.values())) if len(found) == 1 else None)

    def openly(self, cast: Iterable[PartCast]) -> Stand | None:
        """Return where a roll happens, as far as everybody may know."""
        return self.where(item for item in everybody(cast).values() if not item.secret)

    def facts(self, people: Sequence[tuple[str, Subject]], hides: Callable[[Subject], bool]) -> dict[str, Known]:
        """Return what these have of their scene: the conditions of its start, and their marks, by their roles.

        A condition that did not hold has a count of 0. Where only somebody stands in it of whom all is a secret (`hides`), so is that.
        """
        at, secret = self.where(item for _, item in people if not hides(item)), False
        if at is None:
            at, secret = self.where(item for _, item in people), True
        conditions = at.header.conditions.items() if at else ()
        found = {fact: Known(count, _origin(at), secret) for fact, count in conditions if at}
        marked = [(role, item, own) for role, item in people if (own := self.standing.get(item.id))]
        return found | {
            f"{role}.{mark}": Known(count, _origin(own), hides(item))
            for role, item, own in marked
            for mark, count in own.marks.items()
            if count
        }


class RollContext(Struct, frozen=True, dict=True):
    """Whom the parts of a roll are about, where and when.

    `skies` are the weather where each part happens; `moment` is when it is looked at; `cast` is
    who is meant by the names, and `kept` is what the state keeps of them, `scenes` where they stand. `secrets` tells whether they are asked for too:
    what players may not know must not show by what is missing either. `mine` is the pseudonym of the player who asks, who
    knows what is true of their own.
    """

    campaign: Campaign
    procedure: Procedure
    book: Book
    request: RollRequest
    skies: Sequence[Sky]
    moment: Moment
    cast: Sequence[PartCast]
    kept: State
    scenes: InScene
    secrets: bool = True
    mine: str | None = None

    @property
    def subjects(self) -> list[Mapping[str, str]]:
        """The names in each part, by role."""
        return [part.subjects for part in self.request.parts]

    @cached_property
    def saved(self) -> Sequence[Sequence[tuple[str, Profile]]]:
        """For each part who of those in it is saved, in which role."""
        return [[(role, item) for role, who in part if (item := profile(self.kept, who))] for part in self.everyone]

    @cached_property
    def everyone(self) -> Sequence[Sequence[tuple[str, Subject]]]:
        """For each part who is meant in which role, but for those of whom nothing is kept."""
        return [[(role, item) for role, some in part.items() for item in some if item] for part in self.cast]

    def knows(self, item: Subject | Profile) -> bool:
        """Return whether it may be told of somebody: of everybody where secrets are asked for, else of who is open or the player's own."""
        return self.secrets or not item.secret or (self.mine is not None and item.owner == self.mine)

    def hides(self, item: Subject | Profile) -> bool:
        """Return whether what is true of somebody is a secret: of who is secret, but for the player who asks about their own."""
        return item.secret and (self.secrets or not self.knows(item))

    def is_secret(self, subject: str) -> bool:
        """Return whether players may not know what is true of a subject, since it is saved as secret."""
        value = self.kept.get((subject, PROFILE))
        return value is not None and bool(value["secret"])


def when(  # noqa: PLR0913, PLR0917 - all that makes up a moment
    tx: Connection, campaign_id: int, request: RollRequest, update: int, now: datetime, at: Stand | None
) -> Moment:
    """Return when a roll is made, in an update, and where: now, or when the one was that it amends."""
    since = request.amends and entries.get(tx, campaign_id, request.amends.since)
    return moment(update, since.at if since else now, scene=at.scene if at else None)


FactProvider = Callable[[Connection, RollContext], Sequence[Mapping[str, Known]]]
"""Return the facts that a source knows, part by part."""


SkyReader = Callable[[Connection, Campaign, Book, RollRequest, str | None], Sky]
"""Read the weather of a region, in the week that a roll names. Raises BadInput for a week that is not known."""


def known_facts(
    tx: Connection, context: RollContext, providers: Iterable[FactProvider]
) -> tuple[dict[str, Known], ...]:
    """Return every declared fact that is known of each part; without those that players may not know unless secrets are asked for.

    Those of the roll's scene come last. Of two that know the same fact, the later one counts.
    """
    found: tuple[dict[str, Known], ...] = tuple({} for _ in context.subjects)
    declared = context.book.facts
    for provider in (*providers, _of_scene):
        for part, facts in zip(found, provider(tx, context), strict=True):
            part.update(
                (fact, known)
                for fact, known in facts.items()
                if fact in declared and (context.secrets or not (known.secret or declared[fact].secret))
            )
    return tuple({fact: item for fact, item in part.items() if item.count or item.secret} for part in found)


def _of_scene(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    return [context.scenes.facts(part, context.hides) for part in context.everyone]


def _origin(at: Stand) -> Origin:
    return Origin("scene", at.header.name, at.header.entry)
