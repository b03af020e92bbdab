"""A rule book as data; `rules.ruleset` adds procedures."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, ClassVar, Literal, TypeVar, cast

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from rules import effects, errors, kinds, subjects
from rules.modifiers import (
    Adjustment,
    Fact,
    Facts,
    Modifier,
    ModifierSet,
    WeighedModifier,
    fact_of_role,
    find_matching_facts,
    list_mentioned_facts,
)
from rules.tables import Cap, Consequence, ConsequenceKind, RollTable, TableAudience, hold_within_caps
from rules.upkeep import UpkeepRule

EntryT = TypeVar("EntryT", bound=kinds.CatalogEntry)
OTHER = ".other"
"""How a fact about the other one in a roll ends; role and trait of an effect come before it."""
HOUSE = "house"
"""The book of a campaign's own tables, or its game."""
HOUSE_TITLE = "House rules"
"""Its title without a game."""
MAX_TRIES = 20
"""Most tries of one strike: a house default."""


class Contest(kinds.RuleItem, frozen=True):
    """Two tables: the resister's rows are read off the actor's total.

    `against` picks its reading by the actor's outcome; a die of side `each` is thrown once for several opponents.
    """

    noun = "contest"
    examples: ClassVar[Mapping[str, str]] = {
        "actor": 'actor = "duel.attack"',
        "resister": 'resister = "duel.dodge"',
        "against": 'against = { critical = "against-critical" }',
        "each": 'each = "actor"',
    }

    id: kinds.Name
    title: kinds.Text
    actor: kinds.Name
    resister: kinds.Name
    line: kinds.Line
    against: Mapping[kinds.Name, kinds.Name] = field(default_factory=dict)
    each: Literal["actor", "resister"] | None = None


class Strikes(kinds.RuleItem, frozen=True, kw_only=True):
    """Up to `tries` tries, until hit number `until`; `tally` reads the hits.

    A try hits if each of its rolls ends in one of `hits`.
    """

    noun = "strikes"
    examples: ClassVar[Mapping[str, str]] = {
        "rolls": 'rolls = ["shot.accuracy", "shot.damage"]',
        "hits": 'hits = ["hit"]',
        "tally": 'tally = "shot.tally"',
        "tries": "tries = 3",
        "until": "until = 1",
    }

    id: kinds.Name
    title: kinds.Text
    rolls: tuple[kinds.Name, ...] = ()
    hits: frozenset[kinds.Name] = frozenset()
    tally: kinds.Name
    line: kinds.Line
    tries: Annotated[int, Meta(ge=1, le=MAX_TRIES)] | None = None
    until: Annotated[int, Meta(ge=1, le=MAX_TRIES)] | None = None


class Refusal(kinds.RuleItem, frozen=True):
    """A test that makes an act impossible, and the message for that, with roles in braces."""

    noun = "refusal"
    when: Annotated[kinds.Tests, Meta(min_length=1)]
    words: kinds.Text
    line: kinds.Line


class Cost(kinds.RuleItem, frozen=True):
    """What an act takes of a mark, unless `unless` is true; `whole` takes all there is, at least `amount`."""

    noun = "cost"
    mark: kinds.Name
    amount: Annotated[int, Meta(ge=0, le=1000)]
    label: kinds.Text
    line: kinds.Line
    unless: kinds.Tests = ()
    whole: bool = False


class Variant(kinds.RuleItem, frozen=True):
    """Another way an act goes: without a die, or later."""

    noun = "variant"
    when: Annotated[kinds.Tests, Meta(min_length=1)]
    line: kinds.Line
    rolled: bool = True
    effect: kinds.Name = "now"


class Act(kinds.RuleItem, frozen=True):
    """Something done in a turn or to a thing; also a roll family.

    `rolls` decides; `then` is set anyway. Players do their `own`. It `takes` an input; `by` is its own command. `bound`
    is the effect that names its default target, `beside` the role of who is near that. Everyone hears a `loud` one.
    """

    noun = "act"
    linked = frozenset({"id", "actor"})
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "reload"',
        "headline": 'headline = "{actor} reloads"',
        "text": 'text = "The weapon is loaded"',
        "rolls": 'rolls = "toy.climb"',
        "refused": 'refused = [{ when = [["actor.stunned"]], words = "{actor} is stunned.", line = 1 }]',
        "variants": 'variants = [{ when = [["actor.waived"]], rolled = false, line = 1 }]',
        "costs": 'costs = [{ mark = "actions", amount = 1, label = "actions", line = 1 }]',
    }

    id: kinds.Name
    title: kinds.Text
    headline: kinds.Text
    text: kinds.Text
    line: kinds.Line
    actor: kinds.Name = "actor"
    subject: kinds.Name = "target"
    headline_alone: str = ""
    rolls: kinds.Name | None = None
    audience: TableAudience = "results"
    refused: tuple[Refusal, ...] = ()
    costs: tuple[Cost, ...] = ()
    then: tuple[Consequence, ...] = ()
    variants: tuple[Variant, ...] = ()
    own: bool = False
    takes: kinds.Name | None = None
    by: kinds.Name | None = None
    beside: kinds.Name | None = None
    bound: kinds.Name | None = None
    loud: bool = False

    @property
    def has_other(self) -> bool:
        """Whether the headline names a target."""
        return f"{{{self.subject}}}" in self.headline

    def about_other(self, fact: str) -> bool:
        """Check whether a fact concerns the target."""
        return fact.startswith(f"{self.subject}.") or fact.endswith(OTHER)

    @property
    def facts(self) -> frozenset[str]:
        """All fact ids that its refusals, variants and costs read."""
        tests = [item.when for item in self.refused] + [item.when for item in self.variants]
        tests += [cost.unless for cost in self.costs]
        return frozenset(fact for test in tests for fact in list_mentioned_facts(test))

    def variant(self, facts: Facts) -> Variant:
        """Return the variant for these facts; without a matching one a plain Variant."""
        plain = Variant((), self.line)
        return next((item for item in self.variants if find_matching_facts(item.when, facts) is not None), plain)


class Score(kinds.RuleItem, frozen=True, dict=True):
    """What a person adds to rolls of one kind; facts use the role `self`."""

    noun = "score"
    linked = frozenset({"id"})
    apart: ClassVar[Mapping[str, object]] = {"modifiers": list[object]}

    id: kinds.Name
    label: kinds.Text
    line: kinds.Line
    base: kinds.Whole = 0
    modifiers: tuple[Modifier, ...] = ()
    caps: tuple[Cap, ...] = ()

    def for_role(self, role: str) -> ModifierSet:
        """Return the score's modifiers with `self` replaced by a role."""
        kept: dict[str, ModifierSet] = self.__dict__.setdefault("_borne", {})
        if role not in kept:
            kept[role] = ModifierSet(tuple(map(partial(modifier_of_role, role), self.modifiers)))
        return kept[role]


def modifier_of_role(role: str, item: Modifier) -> Modifier:
    """Return a score's modifier for a role."""
    times = item.times and fact_of_role(item.times, role)
    one_of = item.one_of and f"{role}.{item.one_of}"
    when = tuple(tuple(fact_of_role(literal, role) for literal in clause) for clause in item.when)
    return replace(item, id=f"{role}.{item.id}", when=when, times=times, one_of=one_of)


class WeighedScore(Struct, frozen=True):
    """A weighed score: sum (`raw`) and capped `value`."""

    score: Score
    modifiers: tuple[WeighedModifier, ...]
    raw: int
    value: int


def weigh_score(
    score: Score,
    role: str,
    facts: Facts,
    marks: Mapping[str, int] | None = None,
    adjustments: Sequence[Adjustment] = (),
) -> WeighedScore:
    """Weigh a score for a role."""
    modifiers = score.for_role(role).weigh(facts, marks or {})
    raw = score.base + sum(item.amount for item in modifiers) + sum(item.value for item in adjustments)
    return WeighedScore(score, modifiers, raw, hold_within_caps(score.caps, modifiers, adjustments, raw))


class Condition(kinds.RuleItem, frozen=True):
    """A weather: the fact `weather.<trait>`; severity and mark are house defaults."""

    noun = "condition"
    key = "trait"
    derived = frozenset({"label"})
    examples: ClassVar[Mapping[str, str]] = {
        "trait": 'trait = "storms"',
        "severity": "a number from 0 (fair) to 4, as in severity = 2",
        "mark": 'one or two letters, as in mark = "St"',
    }

    trait: kinds.Name
    label: str
    severity: Annotated[int, Meta(ge=0, le=4)]
    mark: kinds.Mark


class Trait(kinds.RuleItem, frozen=True):
    """What a saved unit or character can have: the fact `role.<id>`.

    `group` is its place on a card. At most one of a `one_of` is set; a `counted` one has a number. A unit has it too if
    a member of a kind in `of_any` has it, or all have `of_all`.
    """

    noun = "trait"
    linked = frozenset({"id", "group", "one-of"})
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "newtype"',
        "label": 'label = "Newtype aboard"',
        "on": 'on = ["unit"], ["character"] or both',
        "group": 'group = "crew"',
        "one-of": 'one-of = "territory"',
        "counted": "counted = true",
        "of-any": 'of-any = ["pc", "npc"], or ["pc"] where only player characters count',
        "of-all": 'of-all = "operative"',
    }

    id: kinds.Name
    label: kinds.Text
    on: kinds.Bearers
    group: kinds.Text
    one_of: kinds.Name | None = None
    counted: bool = False
    of_any: frozenset[kinds.Member] = frozenset()
    of_all: kinds.Name | None = None


class Effect(kinds.RuleItem, frozen=True):
    """What a unit or character has for a while: the fact `role.<trait>`.

    One with a `command` isn't set by hand. With `by_other`, the other one in the roll did it.
    """

    noun = "effect"
    key = "trait"
    linked = frozenset({"trait"})
    derived = frozenset({"secret"})
    examples: ClassVar[Mapping[str, str]] = {
        "trait": 'trait = "scouted"',
        "label": 'label = "Scouted"',
        "until": 'until = "update" or until = "cleared"',
    }

    trait: kinds.Name
    label: kinds.Text
    end: effects.End
    secret: bool
    command: kinds.Text | None = None
    by_other: bool = False


class Region(kinds.RuleItem, frozen=True):
    """A place on the map; `land` and `at` (column, row) are house defaults.

    `severe_storms_flood`: Severe Storms call for a Flood Watch (campaign-rolls, line 262).
    """

    noun = "region"
    apart: ClassVar[Mapping[str, object]] = {"note": kinds.Text}

    id: kinds.Name
    label: kinds.Text
    line: kinds.Line
    land: bool = True
    at: kinds.Position | None = None
    severe_storms_flood: bool = True


class Zone(kinds.RuleItem, frozen=True):
    """Regions with one weather roll; `climate` is a house default."""

    noun = "zone"
    derived = frozenset({"climate"})
    examples: ClassVar[Mapping[str, str]] = {"at": "column and row, as in at = [3, 0]", "land": "land = false"}

    id: kinds.Name
    label: kinds.Text
    table: kinds.Name
    line: kinds.Line
    regions: tuple[Region, ...]
    climate: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


class Book(Struct, frozen=True, dict=True):
    """All that one rule book says; `fingerprint` is its SHA-256, with overlays.

    `versions` are its house rules, `source` is its page, `catalog` lists things besides tables.
    """

    id: str
    title: str
    fingerprint: str
    facts: Mapping[str, Fact]
    tables: Mapping[str, RollTable]
    zones: Mapping[str, Zone] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    traits: Mapping[str, Trait] = field(default_factory=dict)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    fields: Mapping[str, subjects.Field] = field(default_factory=dict)
    deeds: Mapping[str, ConsequenceKind] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    source: str = ""
    contests: Mapping[str, Contest] = field(default_factory=dict)
    strikes: Mapping[str, Strikes] = field(default_factory=dict)
    acts: Mapping[str, Act] = field(default_factory=dict)
    scores: Mapping[str, Score] = field(default_factory=dict)
    upkeep: Mapping[str, UpkeepRule] = field(default_factory=dict)
    catalog: kinds.Catalog = field(default_factory=dict)

    @property
    def title_with_id(self) -> str:
        """The title, with the id in brackets."""
        return f"{self.title} ({self.id})"

    @cached_property
    def weather_facts(self) -> frozenset[str]:
        """The facts that are weather."""
        return frozenset(name for name, fact in self.facts.items() if fact.role == "weather")

    @cached_property
    def page_titles(self) -> dict[str, str]:
        """The title to cite, by page."""
        return {self.source: self.title} if self.source else {}

    @cached_property
    def places(self) -> dict[str, tuple[Zone, Region]]:
        """Each region's (zone, region), by region id and by folded label."""
        places = {}
        for zone in self.zones.values():
            for region in zone.regions:
                places[region.id] = places[subjects.name_key(region.label)] = (zone, region)
        return places

    def entries_of(self, kind: type[EntryT]) -> Mapping[str, EntryT]:
        """Return the entries of a kind, by id."""
        return cast("Mapping[str, EntryT]", self.catalog.get(kind.kind, {}))

    def number(self, name: str) -> int:
        """Return a number printed outside tables."""
        return self.entries_of(kinds.PrintedNumber)[name].value

    def table(self, table: str) -> RollTable:
        """Return a table; raise UnknownTable."""
        try:
            return self.tables[table]
        except KeyError:
            raise errors.UnknownTable(table, self.tables) from None
