"""A roll before its dice: what is known, what counts, and the exact odds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bot.core.campaigns import Campaign
from bot.core.permissions import is_group
from bot.core.records import Json
from bot.core.scenes import SceneMembership
from bot.core.state import State
from bot.core.subjects import PartCast
from bot.rolls.request import PartRequest, RollRequest, part_keys
from rules.climate import RegionWeather
from rules.effects import Kept
from rules.ends import Moment
from rules.modifiers import Facts, Origin, OverruledFact, WeighedModifier
from rules.odds import JointOdds, joint_odds
from rules.procedure import Chance, Part, Procedure, WeighedStage
from rules.ruleset import RuleSet, blind_unticks, find_overruled, prepare_part
from rules.stages import Tickable, list_tickables


class PartPreview(Struct, frozen=True, dict=True):
    """One part before its roll. `known` are its facts without ticks."""

    part: Part
    procedure: Procedure
    book: RuleSet
    known: Facts

    @cached_property
    def stages(self) -> tuple[WeighedStage, ...]:
        """Return every stage of the part, weighed."""
        return self.procedure.method.stages(self.part, self.book)

    @cached_property
    def odds(self) -> tuple[Chance, ...]:
        """Return the exact odds of the part."""
        return self.procedure.method.odds(self.part, self.book)

    @cached_property
    def ticks(self) -> dict[str, Tickable]:
        """Return what can be ticked, by id."""
        lines = (item.modifier for stage in self.stages for item in stage.modifiers)
        return list_tickables(lines, self.procedure, self.book)

    @property
    def facts_overruled(self) -> tuple[OverruledFact, ...]:
        """Return known facts that were removed by hand."""
        return tuple(find_overruled(self.known, self.part.marks, self.procedure, self.book))

    @cached_property
    def lines(self) -> Sequence[str]:
        """What the method adds to the lines of a card."""
        return self.procedure.method.lines(self.part, self.book)

    @cached_property
    def modifiers(self) -> dict[str, WeighedModifier]:
        """Every modifier by id; if several stages have it, the one that counts."""
        modifiers: dict[str, WeighedModifier] = {}
        for item in (item for stage in self.stages for item in stage.modifiers):
            if item.modifier.id not in modifiers or item.is_counted:
                modifiers[item.modifier.id] = item
        return modifiers

    def count_of(self, tick: str) -> int:
        """Return how often a modifier counts; 1 for a known fact without modifier, else 0."""
        item = self.modifiers.get(tick)
        return item.count if item is not None else int(tick in self.part.facts)

    def origin(self, tick: str) -> Origin | None:
        """Return where the fact behind a counted modifier comes from; None if unknown."""
        item = self.modifiers.get(tick)
        if item is not None:
            return item.origin if item.is_counted else None
        return self.part.facts[tick].origin if tick in self.part.facts else None

    def list_ticks(self, manual_facts: Sequence[str]) -> list[str]:
        """Return what counts as `id*count`, then the adjustments, to compare with what was shown."""
        ticks = {name: item.count for name, item in self.modifiers.items() if item.is_counted}
        ticks |= {fact: 1 for fact in manual_facts if fact in self.part.facts}
        adjusted = [f"{item.value:+d} {item.reason}" for stage in self.stages for item in stage.adjustments]
        return [f"{name}*{count}" for name, count in sorted(ticks.items())] + adjusted


class Preview(Struct, frozen=True):
    """A roll before its dice. A `whole` one leaves nothing out; `then` is an amended roll's old state."""

    campaign: Campaign
    request: RollRequest
    procedure: Procedure
    book: RuleSet
    skies: Sequence[RegionWeather]
    cast: Sequence[PartCast]
    state: State
    known: tuple[Facts, ...]
    parts: tuple[PartPreview, ...]
    asks_reason: str | None
    update: Mapping[str, Json]
    whole: bool
    moment: Moment
    scene: SceneMembership | None = None
    kept: Sequence[Kept] = ()
    hidden: Sequence[bool] = ()
    then: State | None = None

    @property
    def at_home(self) -> RollRequest:
        """Return the request with its scene's channel, unless it has another."""
        channel = self.scene and self.scene.header.channel
        if self.request.here is not None or channel in {None, str(self.campaign.results_channel_id)}:
            return self.request
        return self.request.model_copy(update={"here": int(channel)})

    @property
    def joint(self) -> JointOdds | None:
        """The joint odds of parts that share one die; None if they don't, or a part can end the roll."""
        shared = self.procedure.method.find_shared_die(self.book) if len(self.parts) > 1 else None
        if shared is None or any(item.conclusion.stops for part in self.parts for item in part.odds):
            return None
        if len({self.procedure.thrower(item.part, shared) for item in self.parts}) > 1:
            return None
        unders = [{item.conclusion.outcome: item.under for item in part.odds} for part in self.parts]
        return joint_odds(self.book.table(shared[0]).die, unders)

    @property
    def hides(self) -> bool:
        """Return whether players may see less: a map, or tables that ask for facts."""
        tables = (self.book.table(table) for table in self.procedure.method.tables)
        return bool(self.book.zones) or any(modifier.when for table in tables for modifier in table.modifiers)

    @property
    def discloses(self) -> bool:
        """Return whether the outcome says something hidden."""
        return self.procedure.method.discloses and any(self.hidden)

    def uses(self, needed: Iterable[Any]) -> list[int]:
        """Return the entries (numbers) that this roll's facts, kept values and `needed` values come from, sorted."""
        known = {fact.origin.entry for facts in self.known for fact in facts.values()}
        values = [*needed, *(value for part in self.kept for some in part.values() for value in some.values())]
        known |= {value.get("entry") for value in values if isinstance(value, dict)}
        return sorted(number for number in known if number is not None)

    def check(self) -> None:
        """Refuse parts that can't be played, with RollError."""
        for item in self.parts:
            self.procedure.method.check(item.part, self.book)

    def revise(self, request: RollRequest) -> Preview:
        """Return the same situation with other ticks, options or adjustments."""
        return replace(
            self, request=request, parts=weigh_parts(request, self.procedure, self.book, self.known, self.kept)
        )


def weigh_parts(
    request: RollRequest, procedure: Procedure, book: RuleSet, known: Sequence[Facts], kept: Sequence[Kept]
) -> tuple[PartPreview, ...]:
    """Weigh every part with its facts and kept values."""
    keys = part_keys(request.parts, procedure.actor, procedure.subject)
    lacking = [{fact: item for fact, item in facts.items() if not item.count} for facts in known]
    if any(lacking):
        known = [{fact: item for fact, item in facts.items() if item.count} for facts in known]
    parts = (_part(*fields) for fields in zip(keys, request.parts, known, lacking, kept, strict=True))
    return tuple(
        PartPreview(prepare_part(part, procedure, book), procedure, book, facts)
        for part, facts in zip(parts, known, strict=True)
    )


def drop_blind_unticks(
    request: RollRequest, known: Sequence[Facts], unseen: Sequence[Collection[str]], procedure: Procedure, book: RuleSet
) -> RollRequest:
    """Remove ticks that take away facts that the player can't see, part by part."""
    for place, (part, facts, hidden) in enumerate(zip(request.parts, known, unseen, strict=True)):
        blind = blind_unticks(facts, hidden, part.marks, procedure, book)
        if blind:
            marks = {mark: count for mark, count in part.marks.items() if mark not in blind}
            request = request.with_part(place, part.model_copy(update={"marks": marks}))
    return request


def _part(key: str, part: PartRequest, facts: Facts, lacking: Facts, kept: Kept) -> Part:
    return Part(
        key=key,
        subjects=part.subjects,
        facts=facts,
        marks=part.marks,
        adjustments=tuple(item.adjustment() for item in part.adjustments),
        choices=part.choices,
        inputs=part.inputs,
        lacking={fact: replace(item, count=1) for fact, item in lacking.items()},
        kept=kept,
    )


def send_secrets_to_staff(request: RollRequest, secret: Collection[int]) -> RollRequest:
    """Send a roll that was typed in a group's channel to the staff if it has `secret` parts (places).

    What a game master sends to a group on purpose stays the group's.
    """
    typed_there = is_group(request.to) and request.here is not None
    return request.model_copy(update={"to": "staff"}) if secret and typed_there else request
