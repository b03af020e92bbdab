"""A rule book as loaded: its facts, tables and zones, under one fingerprint. Pure data: `rules.ruleset` adds procedures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal, TypeVar, cast

from msgspec import Meta, Struct, field

from rules.ends import End
from rules.errors import UnknownTable
from rules.fields import Field
from rules.kinds import (
    Bearers,
    Catalog,
    CatalogEntry,
    Line,
    Mark,
    Member,
    Name,
    Position,
    PrintedNumber,
    RuleItem,
    Tests,
    Text,
)
from rules.modifiers import Fact, Facts, matching_facts, mentioned_facts
from rules.subjects import name_key
from rules.tables import Consequence, Deed, RollTable, Score, TableAudience

EntryT = TypeVar("EntryT", bound=CatalogEntry)
OTHER = ".other"
"""How a fact ends that is about the other one in the roll: before it stand role and trait of an effect."""
HOUSE = "house"
"""The book that tables of a campaign's own make up."""


MAX_TRIES = 20
"""Most tries of one strike: a house default."""


class Contest(RuleItem, frozen=True):
    """Two tables rolled against each other: the resister's rows are read off by how much it is above the actor's total.

    `against` names, by what came of the actor's roll, the reading under which the resister's table is read. `each` is whose
    die is thrown once where several are on the other side.
    """

    noun = "contest"
    examples: ClassVar[Mapping[str, str]] = {
        "actor": 'actor = "duel.attack"',
        "resister": 'resister = "duel.dodge"',
        "against": 'against = { critical = "against-critical" }',
        "each": 'each = "actor"',
    }

    id: Name
    title: Text
    actor: Name
    resister: Name
    line: Line
    against: Mapping[Name, Name] = field(default_factory=dict)
    each: Literal["actor", "resister"] | None = None


class Strikes(RuleItem, frozen=True, kw_only=True):
    """Several tries: one hits when each of its rolls, table by table, comes to one of `hits`; `tally` reads how many did.

    Without rolls every try hits. `tries` is how many there are, if the roll does not say; they end with the hit `until`.
    """

    noun = "strikes"
    examples: ClassVar[Mapping[str, str]] = {
        "rolls": 'rolls = ["shot.accuracy", "shot.damage"]',
        "hits": 'hits = ["hit"]',
        "tally": 'tally = "shot.tally"',
        "tries": "tries = 3",
        "until": "until = 1",
    }

    id: Name
    title: Text
    rolls: tuple[Name, ...] = ()
    hits: frozenset[Name] = frozenset()
    tally: Name
    line: Line
    tries: Annotated[int, Meta(ge=1, le=MAX_TRIES)] | None = None
    until: Annotated[int, Meta(ge=1, le=MAX_TRIES)] | None = None


class Refusal(RuleItem, frozen=True):
    """What makes an act impossible, and what its `words` say of that, with roles in braces."""

    noun = "refusal"
    when: Annotated[Tests, Meta(min_length=1)]
    words: Text
    line: Line


class Cost(RuleItem, frozen=True):
    """How much of a mark of its scene an act takes from whoever does it: nothing where the facts of `unless` hold.

    One of the `whole` takes all that there is, and needs `amount` of it at least.
    """

    noun = "cost"
    mark: Name
    amount: Annotated[int, Meta(ge=0, le=1000)]
    label: Text
    line: Line
    unless: Tests = ()
    whole: bool = False


class Variant(RuleItem, frozen=True):
    """How an act goes otherwise when facts hold: without a die, or so that it takes effect later than `now`."""

    noun = "variant"
    when: Annotated[Tests, Meta(min_length=1)]
    line: Line
    rolled: bool = True
    effect: Name = "now"


class Act(RuleItem, frozen=True):
    """Something that is done in a turn or to a thing, and the roll family that it makes up.

    `rolls` is the table, contest, strikes or roll family of the book that decides; without one it is done, which `text` tells.
    `then` is what it sets, whatever a die comes to. Players do what is `own` for saved characters of theirs. `headline` tells in one line who does what to whom, with the roles in braces.
    It `takes` a value of some kind, which its part has as an input of that name; `by` is the command of its own, where it has one.
    It is done to whoever is `bound` to the actor by the actor's effect of that trait, unless somebody is named; where it has a
    role `beside`, to that one first, and then to who is named, beside whom that one stands in this role; of one that has a
    command of its own that says who stands beside. Of one that is `loud` all hear, even where whoever does it hides.
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

    id: Name
    title: Text
    headline: Text
    text: Text
    line: Line
    actor: Name = "actor"
    subject: Name = "target"
    headline_alone: str = ""
    rolls: Name | None = None
    audience: TableAudience = "results"
    refused: tuple[Refusal, ...] = ()
    costs: tuple[Cost, ...] = ()
    then: tuple[Consequence, ...] = ()
    variants: tuple[Variant, ...] = ()
    own: bool = False
    takes: Name | None = None
    by: Name | None = None
    beside: Name | None = None
    bound: Name | None = None
    loud: bool = False

    @property
    def has_other(self) -> bool:
        """Whether it is done to somebody else, whom its headline names."""
        return f"{{{self.subject}}}" in self.headline

    def about_other(self, fact: str) -> bool:
        """Return whether a fact is one of the other one in the act, or of both."""
        return fact.startswith(f"{self.subject}.") or fact.endswith(OTHER)

    @property
    def facts(self) -> frozenset[str]:
        """All facts that it reads."""
        tests = [item.when for item in self.refused] + [item.when for item in self.variants]
        tests += [cost.unless for cost in self.costs]
        return frozenset(fact for test in tests for fact in mentioned_facts(test))

    def variant(self, facts: Facts) -> Variant:
        """Return how it goes when these facts hold."""
        plain = Variant((), self.line)
        return next((item for item in self.variants if matching_facts(item.when, facts) is not None), plain)


class Condition(RuleItem, frozen=True):
    """A weather that a region can have, as the fact `weather.<trait>`.

    `severity` goes from 0 (fair) to 4 (the worst), `mark` are one or two letters for a map. Both are house defaults.
    """

    noun = "condition"
    key = "trait"
    derived = frozenset({"label"})
    examples: ClassVar[Mapping[str, str]] = {
        "trait": 'trait = "storms"',
        "severity": "a number from 0 (fair) to 4, as in severity = 2",
        "mark": 'one or two letters, as in mark = "St"',
    }

    trait: Name
    label: str
    severity: Annotated[int, Meta(ge=0, le=4)]
    mark: Mark


class Trait(RuleItem, frozen=True):
    """Something that a saved unit or character can carry from roll to roll: in any role it is the fact `role.<id>`.

    `on` says who can carry it: "unit", "character", "place", "thing" or several. `group` is where it stands on the card that edits traits; of
    those that share a `one_of` at most one is carried; a `counted` one has a number. A unit has it too where one of its
    members has it who is of a kind in `of_any`, and a squad, or somebody alone, where all have the trait `of_all`.
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

    id: Name
    label: Text
    on: Bearers
    group: Text
    one_of: Name | None = None
    counted: bool = False
    of_any: frozenset[Member] = frozenset()
    of_all: Name | None = None


class Effect(RuleItem, frozen=True):
    """Something that befalls a unit or character for a while: in any role it is the fact `role.<trait>`.

    `end` is its own, where nothing else is said when it begins. What takes more than its name to begin has a `command` for
    that, and is not set by hand. `by_other`: where it is kept with another one, that one has done it.
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

    trait: Name
    label: Text
    end: End
    secret: bool
    command: Text | None = None
    by_other: bool = False


class Region(RuleItem, frozen=True):
    """A place on the map. `land`, and `at`, its column and row on a schematic map, are house defaults.

    `severe_storms_flood` tells whether Severe Storms call for a Flood Watch there (campaign-rolls, line 262).
    """

    noun = "region"
    apart: ClassVar[Mapping[str, object]] = {"note": Text}

    id: Name
    label: Text
    line: Line
    land: bool = True
    at: Position | None = None
    severe_storms_flood: bool = True


class Zone(RuleItem, frozen=True):
    """A group of regions that share one weather roll on `table`.

    `climate` gives, for each outcome of the table and each region, the traits of the conditions there. The page does
    not print it: it is a house default, open to change.
    """

    noun = "zone"
    derived = frozenset({"climate"})
    examples: ClassVar[Mapping[str, str]] = {
        "at": "column and row, as in at = [3, 0]",
        "land": "land = false",
    }

    id: Name
    label: Text
    table: Name
    line: Line
    regions: tuple[Region, ...]
    climate: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


class Book(Struct, frozen=True, dict=True):
    """All that one rule book says. `fingerprint` is the SHA-256 of its content, overlays included.

    `versions` names the house rules of a campaign's own that are in it, and in which version; `source` is the page behind
    the book, empty where there is none. `catalog` is what it lists besides tables.
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
    fields: Mapping[str, Field] = field(default_factory=dict)
    deeds: Mapping[str, Deed] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    source: str = ""
    contests: Mapping[str, Contest] = field(default_factory=dict)
    strikes: Mapping[str, Strikes] = field(default_factory=dict)
    acts: Mapping[str, Act] = field(default_factory=dict)
    scores: Mapping[str, Score] = field(default_factory=dict)
    catalog: Catalog = field(default_factory=dict)

    @property
    def named(self) -> str:
        """Its title, and its id as it is typed."""
        return f"{self.title} ({self.id})"

    @cached_property
    def cited(self) -> dict[str, str]:
        """The page behind the book, and the title that it is cited by."""
        return {self.source: self.title} if self.source else {}

    @cached_property
    def places(self) -> dict[str, tuple[Zone, Region]]:
        """Every region with its zone, by its id and by its label in lower case."""
        places = {}
        for zone in self.zones.values():
            for region in zone.regions:
                places[region.id] = places[name_key(region.label)] = (zone, region)
        return places

    def listed(self, kind: type[EntryT]) -> Mapping[str, EntryT]:
        """Return the entries of a kind, by their ids."""
        return cast("Mapping[str, EntryT]", self.catalog.get(kind.kind, {}))

    def number(self, name: str) -> int:
        """Return a number that the page prints for no table."""
        return self.listed(PrintedNumber)[name].value

    def table(self, table: str) -> RollTable:
        """Return the table of this id."""
        try:
            return self.tables[table]
        except KeyError:
            raise UnknownTable(table, self.tables) from None
