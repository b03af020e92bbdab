"""Where a roll happens and what is known there: facts, scenes, weather, kept values."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from msgspec import Struct, structs
from sqlalchemy import Connection

from bot.core import campaigns, errors, records, scenes, state
from bot.core.profiles import ALONE, Profile, profile_of
from bot.core.scenes import SceneMembership
from bot.core.subjects import PartCast, Subject, list_cast, pair_names
from bot.rolls.request import RollRequest
from rules.book import Book
from rules.climate import RegionWeather
from rules.effects import SCENE, Kept, Moment, is_current, is_open, scene_of
from rules.modifiers import KnownFact, Origin
from rules.procedure import Procedure
from rules.scenes import MEMBER, kind_of
from rules.subjects import PROFILE


class RollScenes(Struct, frozen=True):
    """The named scene, and each participant's by subject number (`standing`). Those of `foreign` kinds don't count."""

    named: SceneMembership | None
    standing: Mapping[int, SceneMembership]
    foreign: Collection[str] = ()

    @classmethod
    def of(
        cls, tx: Connection, campaign_id: int, kept: state.State, named: str | None, foreign: Collection[str] = ()
    ) -> Self:
        """Read the named scene (subject) and those of participants in `kept`."""
        header = scenes.find_header(tx, campaign_id, named) if named else None
        if header is not None and header.over:
            raise errors.NotOpen(f"{header.name} is over: it ended in turn {header.turn}.", "Roll outside the scene.")
        standing = scenes.find_stands(tx, campaign_id, kept)
        ours = {number: at for number, at in standing.items() if kind_of(at.scene) not in foreign}
        return cls(SceneMembership(named, header, {}) if named and header else None, ours, foreign)

    def count(self, value: Mapping[str, records.Json]) -> bool:
        """Return whether a lasting effect (its value) counts: not if a scene of another book ends it."""
        return kind_of(scene_of(value) or "") not in self.foreign

    def where(self, people: Iterable[Subject]) -> SceneMembership | None:
        """Return the named scene, else the one scene of these; None for none or several."""
        found = {at.scene: at for item in people if (at := self.standing.get(item.id))}
        return self.named or (next(iter(found.values())) if len(found) == 1 else None)

    def openly(self, cast: Iterable[PartCast]) -> SceneMembership | None:
        """Return the scene as every player may know it, without secret people."""
        return self.where(item for item in list_cast(cast).values() if not item.secret)

    def facts(self, people: Sequence[tuple[str, Subject]], hides: Callable[[Subject], bool]) -> dict[str, KnownFact]:
        """Return conditions (0: not so) by name, marks as `role.mark`. A scene with only secret people is secret."""
        at, secret = self.where(item for _, item in people if not hides(item)), False
        if at is None:
            at, secret = self.where(item for _, item in people), True
        conditions = at.header.conditions.items() if at else ()
        found = {fact: KnownFact(count, _origin(at), secret) for fact, count in conditions if at}
        marked = [(role, item, own) for role, item in people if (own := self.standing.get(item.id))]
        return found | {
            f"{role}.{mark}": KnownFact(count, _origin(own), hides(item))
            for role, item, own in marked
            for mark, count in own.marks.items()
            if count
        }


class RollContext(Struct, frozen=True, dict=True):
    """Who a roll is about, where and when. With `secrets`, also what `mine`, the asking player, may not know."""

    campaign: campaigns.Campaign
    procedure: Procedure
    book: Book
    request: RollRequest
    skies: Sequence[RegionWeather]
    moment: Moment
    cast: Sequence[PartCast]
    kept: state.State
    scenes: RollScenes
    secrets: bool = True
    mine: str | None = None

    @property
    def subjects(self) -> list[Mapping[str, str]]:
        """Each part's names by role."""
        return [part.subjects for part in self.request.parts]

    @cached_property
    def profiles_by_role(self) -> Sequence[Sequence[tuple[str, Profile]]]:
        """Each part's (role, profile) pairs, for saved people only."""
        return [[(role, item) for role, who in part if (item := profile_of(self.kept, who))] for part in self.everyone]

    @cached_property
    def everyone(self) -> Sequence[Sequence[tuple[str, Subject]]]:
        """Each part's (role, subject) pairs."""
        aliases = self.procedure.method.aliases
        names = {role: (role, *(alias for own, alias in aliases if own == role)) for part in self.cast for role in part}
        return [
            [(name, item) for role, some in part.items() for name in names[role] for item in some if item]
            for part in self.cast
        ]

    def knows(self, item: Subject | Profile) -> bool:
        """Return whether someone may be shown: open, the player's own, or with `secrets`."""
        return self.secrets or not item.secret or (self.mine is not None and item.owner == self.mine)

    def hides(self, item: Subject | Profile) -> bool:
        """Return whether facts about someone are secret, except for their own player."""
        return item.secret and (self.secrets or not self.knows(item))

    def is_secret(self, subject: str) -> bool:
        """Return whether a subject is saved as secret."""
        value = self.kept.get((subject, PROFILE))
        return value is not None and bool(value["secret"])


FactProvider = Callable[[Connection, RollContext], Sequence[Mapping[str, KnownFact]]]

SkyReader = Callable[[Connection, campaigns.Campaign, Book, RollRequest, str | None], RegionWeather]
"""Read a region's weather in the roll's week. BadInput for an unknown week."""


def find_facts(
    tx: Connection, context: RollContext, providers: Iterable[FactProvider]
) -> tuple[dict[str, KnownFact], ...]:
    """Return each part's declared facts, scene facts last. A later provider wins."""
    found: tuple[dict[str, KnownFact], ...] = tuple({} for _ in context.subjects)
    declared = context.book.facts
    for provider in (*providers, _of_scene):
        for part, facts in zip(found, provider(tx, context), strict=True):
            part.update(
                (fact, known)
                for fact, known in facts.items()
                if fact in declared and (context.secrets or not (known.secret or declared[fact].secret))
            )
    return tuple({fact: item for fact, item in part.items() if item.count or item.secret} for part in found)


def _of_scene(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    return [context.scenes.facts(part, context.hides) for part in context.everyone]


def _origin(at: SceneMembership) -> Origin:
    return Origin("scene", at.header.name, at.header.entry)


ProfileSight = Callable[[Iterable[Profile]], Iterable[Profile]]
"""Return profiles that somebody may know, with as much as they may know."""


def find_home(procedure: Procedure, saved: Iterable[tuple[str, Profile]]) -> Profile | None:
    """Return the profile whose home region a part gets: place before subject, actor, others. Captives don't count."""
    order = (procedure.place, procedure.subject, procedure.actor)
    settled = [(role, item) for role, item in saved if item.region and role not in ALONE]
    ranked = [(order.index(role) if role in order else len(order), item.id, item) for role, item in settled]
    return min(ranked)[2] if ranked else None


def find_known_homes(
    procedure: Procedure, parts: Sequence[Sequence[tuple[str, Profile]]], sight: ProfileSight
) -> list[Profile | None]:
    """Return the profile of `find_home` for each part, from what `sight` lets through; None where none fits."""
    known = {item.id: item for item in sight([item for part in parts for _, item in part])}
    return [find_home(procedure, [(role, known[item.id]) for role, item in part if item.id in known]) for part in parts]


def place_roll(tx: Connection, context: RollContext, sky: SkyReader, sight: ProfileSight) -> RollContext:
    """Add region and weather to each part, within what someone may know.

    A secret region is never the roll's own, not even for game masters: it would appear in public results.
    """
    request, procedure = context.request, context.procedure
    if request.at_home:
        homes = find_known_homes(procedure, context.profiles_by_role, sight)
        regions = [None if item is None else "" if item.secret else item.region for item in homes]
        shared = {*regions} - {None, ""}
        region = shared.pop() if len(shared) == 1 else None  # a part without a region joins the others
        apart = [None if own == region else own for own in regions]
        parts = [structs.replace(part, region=own) for part, own in zip(request.parts, apart, strict=True)]
        request = structs.replace(request, region=region, parts=tuple(parts))
    where = [request.where(part) for part in request.parts]
    skies = dict.fromkeys(where, RegionWeather())
    if procedure.policy.on_request:
        skies = {region: sky(tx, context.campaign, context.book, request, region) for region in skies}
    return structs.replace(context, request=request, skies=[skies[region] for region in where])


def read_scenes(tx: Connection, context: RollContext) -> state.State:
    """Read the values of the roll's scene, and of the one that players know; empty if the method uses none."""
    stands = (context.scenes.openly(context.cast), context.scenes.where(list_cast(context.cast).values()))
    there = {at.scene for at in stands if at} if context.procedure.method.keeps not in {(), (MEMBER,)} else ()
    return state.get_values(tx, context.campaign.id, there) if there else {}


def list_kept(context: RollContext, own: state.State, sight: Callable[[state.State], state.State] | None) -> list[Kept]:
    """Return each part's valid kept values, by role and for its scene, as `sight` shows them; all if None."""
    keeps, skips = context.procedure.method.keeps, context.procedure.method.skips
    if not keeps:
        return [{} for _ in context.cast]
    there = list_cast(context.cast)
    at = context.scenes.openly(context.cast) if sight else context.scenes.where(there.values())
    of = {*(item.key for item in there.values()), *({at.scene} if at else ())}
    saved = {item.key: item for part in context.profiles_by_role for _, item in part}
    found = {
        key: saved[key[0]].value() if key[1] == PROFILE else value
        for key, value in (context.kept | own).items()
        if key[0] in of and key[1].startswith(keeps) and not key[1].startswith(MEMBER) and key[1] not in skips
    }
    known = found
    if sight:  # open ones, nearly all of a war, aren't looked up
        opened = {key: value for key, value in found.items() if is_open(value)}
        known = {**sight({key: value for key, value in found.items() if key not in opened}), **opened}
    if MEMBER in keeps:
        for item in there.values():
            stands = context.scenes.standing.get(item.id) if context.knows(item) else None
            if stands:
                known[item.key, MEMBER] = context.kept[stands.scene, f"{MEMBER}{item.id}"]
    values: dict[str, dict[str, object]] = {subject: {} for subject in of}
    for (subject, name), value in known.items():
        if name == PROFILE or not isinstance(value, dict) or is_current(value, context.moment):
            values[subject][name] = value
    scene = {SCENE: values[at.scene]} if at else {}
    parts = zip(context.subjects, context.cast, strict=True)
    return [
        scene | {who: values[item.key] if item else {} for who, item in pair_names(subjects, cast)}
        for subjects, cast in parts
    ]
