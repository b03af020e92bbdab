"""A roll before its dice: what is known, what counts, and the exact odds."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Connection

from bot.core import campaigns, permissions, records, scenes, subjects, visibility
from bot.core.errors import BadInput
from bot.core.state import State
from bot.core.subjects import PartCast, Subject, list_cast
from bot.rolls.request import PartRequest, RollRequest
from rules import climate, effects
from rules.modifiers import Facts, Origin, WeighedModifier
from rules.odds import JointOdds, joint_odds
from rules.procedure import Chance, Part, Procedure, WeighedStage
from rules.ruleset import RuleSet, blind_unticks, prepare_part
from rules.stages import Tickable, list_tickables
from rules.subjects import name_key, names_of


class PartPreview(Struct, frozen=True, dict=True):
    """One part before its roll. `known` are its facts without ticks."""

    part: Part
    procedure: Procedure
    book: RuleSet
    known: Facts

    @cached_property
    def stages(self) -> tuple[WeighedStage, ...]:
        """All stages, weighed."""
        return self.procedure.method.stages(self.part, self.book)

    @cached_property
    def odds(self) -> tuple[Chance, ...]:
        """The exact odds."""
        return self.procedure.method.odds(self.part, self.book)

    @cached_property
    def ticks(self) -> dict[str, Tickable]:
        """What can be ticked, by id."""
        lines = (item.modifier for stage in self.stages for item in stage.modifiers)
        return list_tickables(lines, self.procedure, self.book)

    @cached_property
    def lines(self) -> Sequence[str]:
        """What the method adds to the lines of a card."""
        return self.procedure.method.lines(self.part, self.book)

    @cached_property
    def modifiers(self) -> dict[str, WeighedModifier]:
        """Every modifier by id; if several stages have it, the one that counts."""
        modifiers: dict[str, WeighedModifier] = {}
        for stage in self.stages:
            for item in stage.modifiers:
                if item.count or item.modifier.id not in modifiers:
                    modifiers[item.modifier.id] = item
        return modifiers

    def count_tick(self, tick: str) -> tuple[int, Origin | None]:
        """Return how often a modifier counts, and where its fact comes from. A known fact without modifier counts once."""
        item = self.modifiers.get(tick)
        if item is not None:
            return item.count, item.origin if item.count else None
        fact = self.part.facts.get(tick)
        return (0, None) if fact is None else (1, fact.origin)

    def list_ticks(self, manual_facts: Sequence[str]) -> list[str]:
        """Return what counts as `id*count`, then the adjustments, to compare with what was shown."""
        ticks = {name: item.count for name, item in self.modifiers.items() if item.count}
        ticks |= {fact: 1 for fact in manual_facts if fact in self.part.facts}
        adjusted = [f"{item.value:+d} {item.reason}" for stage in self.stages for item in stage.adjustments]
        return [f"{name}*{count}" for name, count in sorted(ticks.items())] + adjusted


class Preview(Struct, frozen=True):
    """A roll before its dice, which `repeats` an entry. A `whole` one leaves nothing out; `then` is an amended roll's old state."""

    campaign: campaigns.Campaign
    request: RollRequest
    procedure: Procedure
    book: RuleSet
    skies: Sequence[climate.RegionWeather]
    cast: Sequence[PartCast]
    state: State
    known: tuple[Facts, ...]
    parts: tuple[PartPreview, ...]
    asks_reason: str | None
    update: Mapping[str, records.Json]
    whole: bool
    moment: effects.Moment
    scene: scenes.SceneMembership | None = None
    kept: Sequence[effects.Kept] = ()
    hidden: Sequence[bool] = ()
    then: State | None = None
    repeats: int | None = None

    @property
    def at_home(self) -> RollRequest:
        """The request with its scene's channel, unless it has another."""
        channel = self.scene and self.scene.header.channel
        if self.request.here is not None or channel in {None, str(self.campaign.results_channel_id)}:
            return self.request
        return structs.replace(self.request, here=int(channel))

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
        """Whether players may see less: a map, or tables that ask for facts."""
        tables = (self.book.table(table) for table in self.procedure.method.tables)
        return bool(self.book.zones) or any(modifier.when for table in tables for modifier in table.modifiers)

    @property
    def discloses(self) -> bool:
        """Whether the outcome says something hidden."""
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
        parts = weigh_parts(request, self.procedure, self.book, self.known, self.kept)
        return structs.replace(self, request=request, parts=parts)


KEPT_FOR = timedelta(seconds=10)
"""How long a kept preview serves: effects may end by the clock. A roll always looks again."""


class KeptPreview(Struct, frozen=True):
    """A card's preview at a revision and the newest entry's hash."""

    revision: int
    head: str | None
    preview: Preview

    def find(self, campaign: campaigns.Campaign, revision: int, head: str | None, now: datetime) -> Preview | None:
        """Return the preview if it's still that of the card."""
        same = (self.revision, self.head, self.preview.campaign) == (revision, head, campaign)
        return self.preview if same and now - datetime.fromisoformat(self.preview.moment.hence(0)) < KEPT_FOR else None


def weigh_parts(
    request: RollRequest, procedure: Procedure, book: RuleSet, known: Sequence[Facts], kept: Sequence[effects.Kept]
) -> tuple[PartPreview, ...]:
    """Weigh every part with its facts and kept values."""
    keys = _part_keys(request.parts, procedure.actor, procedure.subject)
    lacking = [{fact: item for fact, item in facts.items() if not item.count} for facts in known]
    if any(lacking):
        known = [{fact: item for fact, item in facts.items() if item.count} for facts in known]
    parts = (_part(*fields) for fields in zip(keys, request.parts, known, lacking, kept, strict=True))
    return tuple(
        PartPreview(prepare_part(part, procedure, book), procedure, book, facts)
        for part, facts in zip(parts, known, strict=True)
    )


def _part_keys(parts: tuple[PartRequest, ...], actor: str, subject: str) -> tuple[str, ...]:
    pairs = [(part.subjects.get(subject, ""), part.subjects.get(actor, "")) for part in parts]
    subjects, actors = map(set, zip(*pairs, strict=True))
    if len(actors) == 1 and subjects != {""}:
        return tuple(about for about, _ in pairs)
    if len(subjects) == 1:
        return tuple(who for _, who in pairs)
    return tuple(" / ".join(dict.fromkeys(filter(None, pair))) for pair in pairs)


def drop_blind_unticks(
    request: RollRequest, known: Sequence[Facts], unseen: Sequence[Collection[str]], procedure: Procedure, book: RuleSet
) -> RollRequest:
    """Remove ticks that take away facts that the player can't see, part by part."""
    for place, (part, facts, hidden) in enumerate(zip(request.parts, known, unseen, strict=True)):
        blind = blind_unticks(facts, hidden, part.marks, procedure, book)
        if blind:
            marks = {mark: count for mark, count in part.marks.items() if mark not in blind}
            request = request.with_part(place, structs.replace(part, marks=marks))
    return request


def _part(key: str, part: PartRequest, facts: Facts, lacking: Facts, kept: effects.Kept) -> Part:
    return Part(
        key=key,
        subjects=part.subjects,
        facts=facts,
        marks=part.marks,
        adjustments=tuple(item.adjustment() for item in part.adjustments),
        choices=part.choices,
        inputs=part.inputs,
        lacking={fact: structs.replace(item, count=1) for fact, item in lacking.items()},
        kept=kept,
    )


def send_secrets_to_staff(request: RollRequest, secret: Collection[int]) -> RollRequest:
    """Send a roll that was typed in a group's channel to the staff if it has `secret` parts (places).

    What a game master sends to a group on purpose stays the group's.
    """
    typed_there = permissions.is_group(request.to) and request.here is not None
    return structs.replace(request, to="staff") if secret and typed_there else request


def identify(tx: Connection, viewer: visibility.Viewer, parts: Sequence[PartRequest]) -> tuple[PartRequest, ...]:
    """Add to names the numbers of subjects that the person means. Refuse one named twice."""
    typed = {name for part in parts for role, name in _names_by_role(part) if role not in part.ids}
    others = {number for part in parts for ids in part.ids.values() for number in ids if number is not None}
    _, meant = subjects.find_subjects(tx, viewer.campaign.id, others, typed, viewer.knows)
    known = {name: meant[name_key(name)] for name in typed if name_key(name) in meant}
    _require_apart(known, others)
    return tuple(_add_numbers(part, known) for part in parts)


def resolve_names(tx: Connection, campaign_id: int, request: RollRequest) -> tuple[RollRequest, tuple[PartCast, ...]]:
    """Update a request's names, and return who each part means.

    Numbers decide, then names. A player's roll never means someone secret by name.
    """
    knows = None if request.staff else subjects.is_open
    numbers = {number for part in request.parts for ids in part.ids.values() for number in ids if number is not None}
    others = {name for part in request.parts for name in _list_unnumbered(part, numbers)}
    known, bearers = subjects.find_subjects(tx, campaign_id, numbers, others, knows)
    request = structs.replace(request, parts=tuple(_update_names(part, known) for part in request.parts))
    gone = {name for part in request.parts for name in _list_unnumbered(part, known)} - others
    bearers |= subjects.find_meant(tx, campaign_id, gone, knows)
    return request, tuple(_cast(part, known, bearers) for part in request.parts)


def find_unborne(parts: Sequence[PartRequest], cast: Sequence[PartCast]) -> set[str]:
    """Return the keys of names in a roll that no subject has yet."""
    return {
        name_key(name)
        for part, meant in zip(parts, cast, strict=True)
        for role, some in meant.items()
        if role not in part.people
        for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        if item is None
    }


def require_played(tx: Connection, viewer: visibility.Viewer, roles: Sequence[str], cast: Iterable[PartCast]) -> None:
    """Refuse a player's roll if the first role names others' characters, unless another role names only the player's own."""
    for part in cast if roles else ():
        sides = [[item for item in part.get(role, ()) if item and item.saved and viewer.knows(item)] for role in roles]
        others = visibility.list_others(tx, viewer, sides[0])
        if others and not any(side and not visibility.list_others(tx, viewer, side) for side in sides[1:]):
            raise visibility.refuse_acting(tx, viewer, others[0])


def require_procedure(person: permissions.Person, campaign: campaigns.Campaign, procedure: Procedure) -> None:
    """Refuse a roll that isn't open to a player."""
    opened, what = procedure.policy.open_to_players, f"the {procedure.title} roll"
    permissions.require_roller(person, campaign, procedure.family, opened=opened, named=what)


def require_asked(tx: Connection, viewer: visibility.Viewer, roles: Sequence[str], request: RollRequest) -> None:
    """Resolve a request's names, and refuse it as `require_played` does."""
    require_played(tx, viewer, roles, resolve_names(tx, viewer.campaign.id, request)[1])


def find_secret_parts(cast: Sequence[PartCast]) -> frozenset[int]:
    """Return the places of parts with someone secret."""
    return frozenset(
        place for place, part in enumerate(cast) if any(item.secret for item in list_cast([part]).values())
    )


def hide_names(request: RollRequest, cast: Sequence[PartCast], viewer: visibility.Viewer) -> RollRequest:
    """Replace names that the viewer may not know, such as a captive's base."""
    parts = (_hide_in_part(part, meant, viewer) for part, meant in zip(request.parts, cast, strict=True))
    return structs.replace(request, parts=tuple(parts))


def list_namesakes(tx: Connection, campaign_id: int, request: RollRequest, cast: Sequence[PartCast]) -> Iterator[str]:
    """Yield a staff line for each secret subject that has a name of a player's roll but isn't in it."""
    names = {name_key(name): name for part in request.parts for _, name in _names_by_role(part)}
    there = list_cast(cast)
    secret = subjects.find_secret(tx, campaign_id, names)
    for item in secret:
        if item.id not in there:
            yield f"A hidden unit is also called {item.name}. It didn't count here."


def _hide_in_part(part: PartRequest, cast: PartCast, viewer: visibility.Viewer) -> PartRequest:
    names = {
        role: ", ".join(
            name if item is None else viewer.name_of(item, records.hide_name(role))
            for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        )
        for role, some in cast.items()
        if any(item is not None and item.secret for item in some)
    }
    return structs.replace(part, subjects={**part.subjects, **names}) if names else part


def _names_by_role(part: PartRequest) -> Iterator[tuple[str, str]]:
    for role, names in part.subjects.items():
        yield from ((role, name) for name in names_of(names) if name and role not in part.people)


def _list_unnumbered(part: PartRequest, known: Container[int]) -> Iterator[str]:
    for role, names in part.subjects.items():
        parted = names_of(names)
        ids = part.ids.get(role, (None,) * len(parted))
        if role not in part.people:
            yield from (name for name, number in zip(parted, ids, strict=True) if name and (number or 0) not in known)


def _require_apart(known: Mapping[str, Subject], others: Collection[int]) -> None:
    typed: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for name, item in known.items():
        if item.id in others:
            raise BadInput(f"{item.name!r} is on both sides.", "Check the names.")
        if name_key(typed.setdefault(item.id, name)) != name_key(name):
            raise BadInput(f"{item.name} is named twice.", "Name each one once.")
        if numbers.setdefault(name_key(item.name), item.id) != item.id:
            raise BadInput(f"Two units named {item.name} are in this roll.", "Roll them one after the other.")


def _add_numbers(part: PartRequest, known: Mapping[str, Subject]) -> PartRequest:
    ids = dict(part.ids)
    spelled = dict(part.subjects)
    for role, names in part.subjects.items():
        if role not in ids and role not in part.people:
            found = [known.get(name) for name in names_of(names)]
            ids[role] = tuple(item.id if item else None for item in found)
            spelled[role] = _spell(names, found)
    return structs.replace(part, subjects=spelled, ids=ids)


def _update_names(part: PartRequest, known: Mapping[int, Subject]) -> PartRequest:
    found = {role: [known.get(number or 0) for number in ids] for role, ids in part.ids.items()}
    spelled = {role: _spell(part.subjects[role], some) for role, some in found.items()}
    return structs.replace(part, subjects={**part.subjects, **spelled})


def _cast(part: PartRequest, known: Mapping[int, Subject], bearers: Mapping[str, Subject]) -> PartCast:
    cast: dict[str, tuple[Subject | None, ...]] = dict.fromkeys(part.people, ())
    for role, names in part.subjects.items():
        if role in part.people:
            continue
        parted = names_of(names)
        ids = part.ids.get(role, (None,) * len(parted))
        cast[role] = tuple(
            known.get(number or 0) or bearers.get(name_key(name)) for name, number in zip(parted, ids, strict=True)
        )
    return cast


def _spell(names: str, found: Sequence[Subject | None]) -> str:
    pairs = zip(names_of(names), found, strict=True)
    return ", ".join(item.name if item and name_key(typed) != name_key(item.name) else typed for typed, item in pairs)
