"""Roll tables: a die, and what each total means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from rules import kinds
from rules.dice import DiceTerm, Die, TablePool
from rules.effects import Change, End, KeptValue, Moment
from rules.modifiers import Adjustment, Modifier, ModifierSet, WeighedModifier

Tone = Literal["success", "failure", "danger", "neutral"]
TableAudience = Literal["results", "staff"]
Calls = Literal["battle", "write-up"]
DOUBLES = (*range(11, 100, 11), 100)
"""The faces of a d100 with two equal digits; 100 is 00."""
ADJUSTED = "adjusted"
"""The group name of game masters' adjustments in caps."""


class Source(kinds.RuleItem, frozen=True):
    """Where a rule or table is printed."""

    noun = "source"
    book: kinds.Text
    section: kinds.Text


class Consequence(kinds.RuleItem, frozen=True):
    """What a row does, to a role, for some turns."""

    noun = "consequence"
    do: kinds.Name
    to: kinds.Name | None = None
    amount: kinds.Whole | None = None
    turns: kinds.Count | None = None


class ConsequenceKind(kinds.RuleItem, frozen=True):
    """What rows can do (a `deed` in files), as a sentence; `bare` has no amount.

    It `calls` for a text. `house` tables may use it, `alone` without target; with `most`, it needs an amount. An
    `effect` lasts until `end` and keeps the `other` one; it `ends` others. It `adds` to a field or `takes` from it: an
    `amount` that a row may replace, times `times`, divided by `per`. Its book may change more.
    """

    noun = "deed"
    linked = frozenset({"id", "effect", "until"})
    examples: ClassVar[Mapping[str, str]] = {
        "until": 'until = "update" or until = "cleared"',
        "effect": 'effect = "scouted"',
        "adds": 'adds = "treasury"',
        "takes": 'takes = "hull"',
        "amount": 'amount = 3, amount = "total" or amount = "cities"',
        "times": "times = 24",
        "per": "per = 3",
    }

    id: kinds.Name
    text: kinds.Text
    line: kinds.Line
    bare: kinds.Text | None = None
    calls: Calls | None = None
    house: bool = True
    alone: bool = False
    most: Annotated[int, Meta(ge=0)] | None = None
    effect: kinds.Name | None = None
    end: End = End("cleared")
    other: bool = False
    ends: tuple[kinds.Name, ...] = ()
    adds: kinds.Name | None = None
    takes: kinds.Name | None = None
    amount: kinds.Drawn | None = None
    times: kinds.Count = 1
    per: kinds.Count = 1

    @property
    def counts(self) -> kinds.Name | None:
        """The field whose number it changes."""
        return self.adds or self.takes

    @property
    def only_ends(self) -> bool:
        """Whether all it does is end effects."""
        return bool(self.ends) and self.effect is None and self.counts is None

    def scale(self, number: int) -> int:
        """Multiply and divide a number."""
        return number * self.times // self.per

    def sentence(self, amount: int | None) -> str:
        """Return the deed as a sentence with the amount; `{to}` stays."""
        sentence = self.bare if amount is None and self.bare is not None else self.text
        if amount is None and isinstance(self.amount, str):  # not rolled yet
            by = "".join(f" {a} {n}" for a, n in (("\N{MULTIPLICATION SIGN}", self.times), ("/", self.per)) if n > 1)
            return sentence.replace("{amount}", f"({self.amount}{by})")
        if amount is None and isinstance(self.amount, int):
            amount = self.scale(self.amount)
        return sentence.replace("{amount}", "some" if amount is None else str(amount))


Lookup = Callable[[str, str], Any]


def _find_nothing(_who: str, _name: str) -> None:
    return


class AppliedConsequence(Struct, frozen=True):
    """A consequence for one person, with what was kept before.

    `look` finds others' values. `whose` turns are counted; `other` is the other one in the roll.
    """

    consequence: Consequence
    deed: ConsequenceKind
    name: str
    moment: Moment
    kept: KeptValue
    look: Lookup = _find_nothing
    whose: int | None = None
    other: int | None = None

    def effect(self, **more: object) -> dict[str, object]:
        """Return an effect's value from now on."""
        end, turns = self.deed.end, self.consequence.turns
        end = end if turns is None else End("turns", turns, end.of)
        other = {"other": self.other} if self.deed.other else {}
        return {"entry": self.moment.entry, **end.expiry_keys(self.moment, self.whose), **other, **more}


ConsequenceRule = Callable[[AppliedConsequence], Iterator[Change]]


class EventPart(kinds.RuleItem, frozen=True):
    """One thing an event does, with steps of morale, armour and dice."""

    noun = "part"
    text: kinds.Text
    lasts: kinds.PartLasts
    changes: Mapping[kinds.Stat, kinds.Whole] = field(default_factory=dict)


class Event(kinds.RuleItem, frozen=True):
    """What a row brings besides text.

    `letter` and `needs` say which units it strikes. `die` is in its text. One of `pick` is lost; the side gets `token`.
    Of two with a common one of `orders`, the later counts. Without `parts`, the row's text and `changes` are one.
    """

    noun = "event"
    cause: kinds.Text
    lasts: kinds.Lasts = "turn"
    scope: Literal["unit", "player", "enemy", "two_friendly_units", "all_flying_both_sides"] = "unit"
    letter: kinds.LetterId | None = None
    needs: Literal["caster"] | None = None
    die: Die | None = None
    pick: Literal["spell"] | None = None
    token: kinds.Token | None = None
    removes: bool = False
    orders: tuple[kinds.Name, ...] = ()
    changes: Mapping[kinds.Stat, kinds.Whole] = field(default_factory=dict)
    parts: tuple[EventPart, ...] = ()


class TableRow(kinds.RuleItem, frozen=True):
    """A range of totals with both ends; None is open. `percent` is printed."""

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
        "rolls": 'rolls = "boons"',
    }

    outcome: kinds.Name
    text: kinds.Text
    line: kinds.Line
    min: kinds.Whole | None = None
    max: kinds.Whole | None = None
    tone: Tone = "neutral"
    then: tuple[Consequence, ...] = ()
    percent: Annotated[int, Meta(ge=0, le=100)] | None = None
    note: kinds.Text | None = None
    event: Event | None = None
    source: Source | None = None
    rolls: kinds.Name | None = None

    def holds(self, total: int) -> bool:
        """Check whether the total is in this row."""
        return (self.min is None or self.min <= total) and (self.max is None or total <= self.max)


class Natural(kinds.RuleItem, frozen=True):
    """A face that decides, whatever the modifiers."""

    noun = "natural"
    key = "face"
    face: kinds.Whole
    outcome: kinds.Name
    line: kinds.Line


class Number(kinds.RuleItem, frozen=True):
    """A number printed next to rows and modifiers."""

    noun = "number"
    id: kinds.Name
    value: kinds.Whole
    label: kinds.Text
    line: kinds.Line


class Against(kinds.RuleItem, frozen=True):
    """What rows are read off instead of the total.

    `reach`: total minus `value`. `under`: value with modifiers minus die. `number`: value with modifiers, no die.
    """

    noun = "against"
    reads: Literal["reach", "under", "number"]
    line: kinds.Line
    value: kinds.Whole | None = None


class Cap(kinds.RuleItem, frozen=True):
    """Limits the modifiers of a group, or all."""

    noun = "cap"
    line: kinds.Line
    group: kinds.Name | None = None
    low: kinds.Whole | None = None
    high: kinds.Whole | None = None

    def limit(self, amount: int) -> int:
        """Return the amount within the limits."""
        if self.low is not None and amount < self.low:
            return self.low
        return self.high if self.high is not None and amount > self.high else amount


def hold_within_caps(
    caps: Sequence[Cap], modifiers: Sequence[WeighedModifier], adjustments: Sequence[Adjustment], total: int
) -> int:
    """Return a total with each group's modifiers capped, then the whole; adjustments are a group."""
    of_groups = {cap.group: cap for cap in caps}
    whole = of_groups.pop(None, None)
    for group, cap in of_groups.items():
        amount = sum([item.amount for item in modifiers if item.count and item.modifier.group == group])
        amount += sum([item.value for item in adjustments]) if group == ADJUSTED else 0
        total += cap.limit(amount) - amount
    return total if whole is None else whole.limit(total)


class Reading(kinds.RuleItem, frozen=True):
    """Another way to read rows; `plain` ignores naturals."""

    noun = "reading"
    derived = frozenset({"id"})
    id: str
    line: kinds.Line
    plain: bool = False
    without: frozenset[kinds.Name] = frozenset()
    rows: Mapping[kinds.Name, kinds.Name] = field(default_factory=dict)


class RollTable(kinds.RuleItem, frozen=True, dict=True):
    """A printed table; its rows cover every total once.

    House rule `files` brought or changed it; `deeds` are what rows do. `doubles` of a d100 give other rows.
    """

    noun = "table"
    derived = frozenset({"files", "deeds"})
    apart: ClassVar[Mapping[str, object]] = {
        **dict.fromkeys(("rows", "naturals", "numbers", "letters", "modifiers"), list[object]),
        "readings": dict[kinds.Name, object],
        "like": kinds.Name,
        "scores": dict[kinds.Name, list[kinds.Name]],
    }
    examples: ClassVar[Mapping[str, str]] = {
        "like": 'like = "duel.dodge"',
        "scores": 'scores = { actor = ["accuracy"] }',
        "pool": 'pool = { reads = "highest" }',
        "doubles": 'doubles = { success = "critical", failure = "fumble" }',
    }

    id: kinds.Name
    title: kinds.Text
    die: Die
    source: Source
    rows: tuple[TableRow, ...]
    naturals: tuple[Natural, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict)
    letters: Mapping[str, kinds.Letter] = field(default_factory=dict)
    modifiers: tuple[Modifier, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict)
    audience: TableAudience | None = None
    files: tuple[str, ...] = ()
    against: Against | None = None
    caps: tuple[Cap, ...] = ()
    pool: TablePool | None = None
    doubles: Mapping[kinds.Name, kinds.Name] = field(default_factory=dict)
    deeds: Mapping[str, ConsequenceKind] = field(default_factory=dict)

    @property
    def dice_text(self) -> str:
        """What is thrown, such as `1d100 against 50`."""
        if self.pool is not None:
            return self.pool.describe(f"d{self.die.sides}s")
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
        """Return the row of this outcome; raise KeyError."""
        for row in self.rows:
            if row.outcome == outcome:
                return row
        raise KeyError(outcome)

    def read(self, face: int, total: int, reading: Reading | None = None) -> tuple[TableRow, bool]:
        """Return (row, whether a natural decided) for a face and a total."""
        for natural in self.naturals:
            if natural.face == face and not (reading and reading.plain):
                return self.row(natural.outcome), True
        for row in self.rows:
            if row.holds(total):
                break
        if reading is not None and row.outcome in reading.rows:
            row = self.row(reading.rows[row.outcome])
        if face in DOUBLES and row.outcome in self.doubles:
            row = self.row(self.doubles[row.outcome])
        return row, False

    def score(self, thrown: int, modifiers: int, value: int | None) -> tuple[int, int]:
        """Return the total, and the number by which the row is found."""
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

    def with_die(self, die: DiceTerm, naturals: Sequence[Natural]) -> RollTable:
        """Return the table with another die and naturals."""
        other = replace(self, die=die, naturals=tuple(naturals))
        other.__dict__["_modifier_sets"] = self._modifier_sets
        return other

    def with_added(self, added: int) -> tuple[RollTable, int]:
        """Return the table with the dice of its pool, and what modifiers still add to a throw."""
        if self.pool is None:
            return self, added
        return replace(self, die=self.pool.term(self.die.sides, added), pool=None), 0

    def push_pool(self) -> RollTable:
        """Return the table with its pool to be pushed, if it can be."""
        if self.pool is None or self.pool.push is None:
            return self
        other = replace(self, pool=replace(self.pool, pushed=True))
        other.__dict__["_modifier_sets"] = self._modifier_sets
        return other

    def modifier_set(self, reading: Reading | None = None) -> ModifierSet:
        """Return the modifiers that count under the reading."""
        return self._modifier_sets[reading.id if reading else None]

    @cached_property
    def _modifier_sets(self) -> dict[str | None, ModifierSet]:
        read: dict[str | None, ModifierSet] = {
            reading.id: ModifierSet(tuple(item for item in self.modifiers if item.group not in reading.without))
            for reading in self.readings.values()
        }
        return {None: ModifierSet(self.modifiers), **read}
