"""Roll tables: a die and the rows that say what each total means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from rules.dice import DiceTerm, Die
from rules.ends import End
from rules.kinds import (
    Count,
    Lasts,
    Letter,
    LetterId,
    Line,
    Name,
    PartLasts,
    RuleItem,
    Stat,
    Text,
    Token,
    Whole,
)
from rules.modifiers import Adjustment, Facts, Modifier, ModifierSet, WeighedModifier, fact_of_role

Tone = Literal["success", "failure", "danger", "neutral"]
TableAudience = Literal["results", "staff"]
Calls = Literal["battle", "write-up"]
ADJUSTED = "adjusted"
"""The group of what game masters add by themselves, where a cap names it."""


class Source(RuleItem, frozen=True):
    """The page and section that a table is printed on."""

    noun = "source"
    book: Text
    section: Text


class Consequence(RuleItem, frozen=True):
    """What a row does: the deed `do` of its book, `to` whom (a role), by which `amount`, for how many `turns` if not as declared."""

    noun = "consequence"
    do: Name
    to: Name | None = None
    amount: Whole | None = None
    turns: Count | None = None


class Deed(RuleItem, frozen=True):
    """Something that rows can do, told in a sentence with `{to}` and `{amount}`; `bare` is the one for no amount.

    It `calls` for something to be written. Tables of `house` rules may do it, `alone` to nobody; it needs an amount, up to
    `most`, where that is given. It lasts as the effect of a trait until its `end`, which keeps the `other` one in the roll
    (its number), and `ends` other effects; what more it changes is for a function of its book.
    """

    noun = "deed"
    linked = frozenset({"id", "effect", "until"})
    examples: ClassVar[Mapping[str, str]] = {
        "until": 'until = "update" or until = "cleared"',
        "effect": 'effect = "scouted"',
    }

    id: Name
    text: Text
    line: Line
    bare: Text | None = None
    calls: Calls | None = None
    house: bool = True
    alone: bool = False
    most: Annotated[int, Meta(ge=0)] | None = None
    effect: Name | None = None
    end: End = End("cleared")
    other: bool = False
    ends: tuple[Name, ...] = ()

    def sentence(self, amount: int | None) -> str:
        """Return what it does by an amount; `{to}` stands for whom it befalls."""
        told = self.bare if amount is None and self.bare is not None else self.text
        return told.replace("{amount}", str(amount))


class EventPart(RuleItem, frozen=True):
    """One thing that an event does, and for how long; `until_gone` is until the unit or its foe is off the field.

    `changes` tells by how much it moves the morale level, the armour rating and the attack dice, in steps.
    """

    noun = "part"
    text: Text
    lasts: PartLasts
    changes: Mapping[Stat, Whole] = field(default_factory=dict)


class Event(RuleItem, frozen=True):
    """What a row brings besides its text. `letter` tells which units it can strike, `needs` what the struck one must have.

    `die` is rolled along with it and named in its text; of the unit's `pick` one is drawn and lost; `token` is what the side
    holds from then on; `removes` says that the unit is off the field for good. `orders` tells of what it leaves no choice:
    of two that share one of these the later one holds. `parts` are what it does one by one; in a file one without parts does
    what the row's text says, and `changes` are of that.
    """

    noun = "event"
    cause: Text
    lasts: Lasts = "turn"
    scope: Literal["unit", "player", "enemy", "two_friendly_units", "all_flying_both_sides"] = "unit"
    letter: LetterId | None = None
    needs: Literal["caster"] | None = None
    die: Die | None = None
    pick: Literal["spell"] | None = None
    token: Token | None = None
    removes: bool = False
    orders: tuple[Name, ...] = ()
    changes: Mapping[Stat, Whole] = field(default_factory=dict)
    parts: tuple[EventPart, ...] = ()


class TableRow(RuleItem, frozen=True):
    """A range of totals, both ends included; None is an open end. `percent` is the chance as printed, if any is.

    `event` is what it brings on a table of random events, `source` where it is printed if elsewhere than its table.
    """

    noun = "row"
    key = "outcome"
    linked = frozenset({"outcome", "min", "max"})
    derived = frozenset({"source"})
    examples: ClassVar[Mapping[str, str]] = {
        "cause": 'cause = "Swarm of bees"',
        "changes": "changes = { ml = -1 }",
        "die": "die = 8",
        "event": 'event = { cause = "Swarm of bees" }',
        "lasts": 'lasts = "battle"',
        "orders": 'orders = ["move"]',
        "parts": 'parts = [{ text = "ML +1", lasts = "battle", changes = { ml = 1 } }]',
        "removes": "removes = true",
    }

    outcome: Name
    text: Text
    line: Line
    min: Whole | None = None
    max: Whole | None = None
    tone: Tone = "neutral"
    then: tuple[Consequence, ...] = ()
    percent: Annotated[int, Meta(ge=0, le=100)] | None = None
    note: Text | None = None
    event: Event | None = None
    source: Source | None = None

    def holds(self, total: int) -> bool:
        """Return whether the total falls in this row."""
        return (self.min is None or self.min <= total) and (self.max is None or total <= self.max)


class Natural(RuleItem, frozen=True):
    """A face that decides by itself, whatever the modifiers."""

    noun = "natural"
    key = "face"
    face: Whole
    outcome: Name
    line: Line


class Number(RuleItem, frozen=True):
    """A number that the page prints beside its rows and modifiers."""

    noun = "number"
    id: Name
    value: Whole
    label: Text
    line: Line


class Against(RuleItem, frozen=True):
    """What rows are read off in place of the total.

    `reach`: by how much the total is above `value`. `under`: by how much the value, with the modifiers on it, is above the
    die. `number`: the value with the modifiers, without any die. Without a `value` of its own the roll has to bring one.
    """

    noun = "against"
    reads: Literal["reach", "under", "number"]
    line: Line
    value: Whole | None = None


class Cap(RuleItem, frozen=True):
    """The least and the most that the modifiers of a group come to, or all that is added up where no group is named."""

    noun = "cap"
    line: Line
    group: Name | None = None
    low: Whole | None = None
    high: Whole | None = None

    def held(self, amount: int) -> int:
        """Return the amount, or the end of the cap that it is beyond."""
        if self.low is not None and amount < self.low:
            return self.low
        return self.high if self.high is not None and amount > self.high else amount


def hold_within_caps(
    caps: Sequence[Cap], modifiers: Sequence[WeighedModifier], adjustments: Sequence[Adjustment], total: int
) -> int:
    """Return what counts, each group held to its cap, and then all of it; adjustments are a group of their own."""
    of_groups = {cap.group: cap for cap in caps}
    whole = of_groups.pop(None, None)
    for group, cap in of_groups.items():
        amount = sum([item.amount for item in modifiers if item.count and item.modifier.group == group])
        amount += sum([item.value for item in adjustments]) if group == ADJUSTED else 0
        total += cap.held(amount) - amount
    return total if whole is None else whole.held(total)


class Reading(RuleItem, frozen=True):
    """Another way to read a table in a special case: some rows read as others, some groups of modifiers left out.

    Faces that decide by themselves do so under it too, unless it is `plain`.
    """

    noun = "reading"
    derived = frozenset({"id"})
    id: str
    line: Line
    plain: bool = False
    without: frozenset[Name] = frozenset()
    rows: Mapping[Name, Name] = field(default_factory=dict)


class RollTable(RuleItem, frozen=True, dict=True):
    """One printed table. Its rows cover every total, from an open bottom to an open top, each exactly once.

    `letters` stand behind the events of its rows. `audience` is who sees what it comes to, where no procedure says so.
    `files` are the house rules that it came with or that changed it. `against` makes it a check, or a table that reads a
    number; `caps` hold what its modifiers come to; `deeds` are what its rows do, by id.
    """

    noun = "table"
    derived = frozenset({"files", "deeds"})
    apart: ClassVar[Mapping[str, object]] = {
        **dict.fromkeys(("rows", "naturals", "numbers", "letters", "modifiers"), list[object]),
        "readings": dict[Name, object],
        "like": Name,
        "scores": dict[Name, list[Name]],
    }
    examples: ClassVar[Mapping[str, str]] = {
        "like": 'like = "duel.dodge"',
        "scores": 'scores = { actor = ["accuracy"] }',
    }

    id: Name
    title: Text
    die: Die
    source: Source
    rows: tuple[TableRow, ...]
    naturals: tuple[Natural, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict)
    letters: Mapping[str, Letter] = field(default_factory=dict)
    modifiers: tuple[Modifier, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict)
    audience: TableAudience | None = None
    files: tuple[str, ...] = ()
    against: Against | None = None
    caps: tuple[Cap, ...] = ()
    deeds: Mapping[str, Deed] = field(default_factory=dict)

    @property
    def thrown(self) -> str:
        """What is thrown on it, and what that is read against, if anything: `1d100 against 50`."""
        if self.against is None:
            return str(self.die)
        number = "a number" if self.against.value is None else str(self.against.value)
        match self.against.reads:
            case "reach":
                return f"{self.die} against {number}"
            case "under":
                return f"{self.die}, at most {number}"
            case "number":
                return f"no die, reads {number}"

    def row(self, outcome: str) -> TableRow:
        """Return the row of this outcome; KeyError where there is none."""
        for row in self.rows:
            if row.outcome == outcome:
                return row
        raise KeyError(outcome)

    def read(self, face: int, total: int, reading: Reading | None = None) -> tuple[TableRow, bool]:
        """Return the row that the face and what the rows are read off fall in, and whether the natural face decided."""
        for natural in self.naturals:
            if natural.face == face and not (reading and reading.plain):
                return self.row(natural.outcome), True
        for row in self.rows:
            if row.holds(total):
                break
        if reading is not None and row.outcome in reading.rows:
            row = self.row(reading.rows[row.outcome])
        return row, False

    def score(self, thrown: int, modifiers: int, value: int | None) -> tuple[int, int]:
        """Return the total of a throw, and what the rows are read off: the total itself, or how it stands to the value.

        Without a value it is the table's own that counts.
        """
        if self.against is None:
            return thrown + modifiers, thrown + modifiers
        number = (self.against.value if value is None else value) or 0
        match self.against.reads:
            case "reach":
                return thrown + modifiers, thrown + modifiers - number
            case "under":
                return thrown, number + modifiers - thrown
            case "number":
                return number + modifiers, number + modifiers

    def thrown_as(self, die: DiceTerm, naturals: Sequence[Natural]) -> RollTable:
        """Return the table with another die and the faces that decide on it; what counts on it is sorted once for both."""
        other = replace(self, die=die, naturals=tuple(naturals))
        other.__dict__["_modifier_sets"] = self._modifier_sets
        return other

    def modifier_set(self, reading: Reading | None = None) -> ModifierSet:
        """Return the modifiers that apply under the reading."""
        return self._modifier_sets[reading.id if reading else None]

    @cached_property
    def _modifier_sets(self) -> dict[str | None, ModifierSet]:
        read: dict[str | None, ModifierSet] = {
            reading.id: ModifierSet(tuple(item for item in self.modifiers if item.group not in reading.without))
            for reading in self.readings.values()
        }
        return {None: ModifierSet(self.modifiers), **read}


class Score(RuleItem, frozen=True, dict=True):
    """What somebody adds to rolls of one kind, or has: `base` and all that counts, within the caps, printed once for all roles.

    Its modifiers tell of their bearer as `self`; on a table that takes it, and in `borne`, a role stands there.
    """

    noun = "score"
    linked = frozenset({"id"})
    apart: ClassVar[Mapping[str, object]] = {"modifiers": list[object]}

    id: Name
    label: Text
    line: Line
    base: Whole = 0
    modifiers: tuple[Modifier, ...] = ()
    caps: tuple[Cap, ...] = ()

    def borne(self, role: str) -> ModifierSet:
        """Return its modifiers as they count for whoever stands in a role."""
        kept: dict[str, ModifierSet] = self.__dict__.setdefault("_borne", {})
        if role not in kept:
            kept[role] = ModifierSet(tuple(map(partial(modifier_of_role, role), self.modifiers)))
        return kept[role]


def modifier_of_role(role: str, item: Modifier) -> Modifier:
    """Return a modifier of a score as it counts for whoever stands in a role."""
    times = item.times and fact_of_role(item.times, role)
    one_of = item.one_of and f"{role}.{item.one_of}"
    when = tuple(tuple(fact_of_role(literal, role) for literal in clause) for clause in item.when)
    return replace(item, id=f"{role}.{item.id}", when=when, times=times, one_of=one_of)


class WeighedScore(Struct, frozen=True):
    """A score as weighed for somebody: every modifier, what they come to with the base, and that within the caps."""

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
    """Weigh a score for whoever stands in a role: facts, ticks by hand and adjustments count as on a table."""
    modifiers = score.borne(role).weigh(facts, marks or {})
    raw = score.base + sum(item.amount for item in modifiers) + sum(item.value for item in adjustments)
    return WeighedScore(score, modifiers, raw, hold_within_caps(score.caps, modifiers, adjustments, raw))
