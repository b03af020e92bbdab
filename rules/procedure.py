"""The vocabulary of rolls: requests, procedures, results, and consequences carried out."""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct, StructMeta, field
from msgspec.structs import replace

from rules import errors, kinds
from rules.book import Book
from rules.dice import Dice, PoolTerm, Roll
from rules.effects import EFFECT, Change, Kept
from rules.modifiers import Adjustment, Facts, JsonObject, WeighedModifier
from rules.subjects import PROFILE, Field, find_bearer, name_key
from rules.tables import (
    AppliedConsequence,
    Consequence,
    ConsequenceKind,
    ConsequenceRule,
    Reading,
    RollTable,
    Source,
    TableRow,
    Tone,
)


def with_changes(kept: Kept, changes: Iterable[Change]) -> Kept:
    """Return kept values after changes (None removes one); names match in any spelling, unknown people are skipped."""
    made = {who: dict(values) for who, values in kept.items()}
    keys = {who: name_key(who) for who in made}
    for changed, name, value in changes:
        for who in (who for who, key in keys.items() if key == name_key(changed)):
            made[who][name] = value
    return {who: {name: item for name, item in values.items() if item is not None} for who, values in made.items()}


def apply_as_declared(applied: AppliedConsequence, number: Field | None = None) -> Iterator[Change]:
    """Yield the declared changes: a number within the limits of its field, ended effects, and a new one."""
    deed, amount, saved = applied.deed, applied.consequence.amount, applied.kept.get(PROFILE)
    if number is not None and amount is not None and saved is not None and find_bearer(saved["kind"]) in number.on:
        known = saved.get(number.id)  # its field may have taken words before
        there = known if isinstance(known, int) else 0
        low, high = min(number.min or 0, there), max(number.max or 0, there)  # a field may have been narrowed since
        changed = max(low, min(there + (amount if deed.adds else -amount), high))
        yield applied.name, PROFILE, {**saved, number.id: changed}
    for trait in deed.ends:
        yield applied.name, EFFECT + trait, None
    if deed.effect is not None:
        yield applied.name, EFFECT + deed.effect, applied.effect(**({} if amount is None else {"amount": amount}))


Again = Literal["pair", "update", "ever", "never"]
Audience = Literal["results", "staff", "maker", "person"]
"""Who sees a result: everyone, the staff, the staff and the roller, or only that person."""
SUMMARY = "summary"
"""The key of a record for digests: a `phase` (id) and `lines`, empty if it decided nothing."""
SharedDie = tuple[str, Literal["actor", "subject"]]
"""A table whose die one person throws for all parts, and that person's role."""


class Part(Struct, frozen=True):
    """One target, scouter or pair of a roll, and all that's known.

    `marks` are ticks (0: unticked), `inputs` further JSON. Players believe `lacking` facts. `kept` are the values its
    method `keeps`; in a preview, those the viewer may know.
    """

    key: str
    subjects: Mapping[str, str]
    facts: Facts = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    adjustments: tuple[Adjustment, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    inputs: JsonObject = field(default_factory=dict)
    lacking: Facts = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)


class Request(Struct, frozen=True):
    """A requested roll; parts are rolled in order."""

    family: str
    parts: tuple[Part, ...]


class Conclusion(Struct, frozen=True):
    """A part's result; `stops` says why later parts aren't rolled."""

    outcome: str
    text: str
    tone: Tone
    audience: Audience
    consequences: tuple[Consequence, ...] = ()
    stops: str | None = None


class Step(Struct, frozen=True):
    """One die on one table, with modifiers and row; `uncapped` is the sum before caps."""

    table: RollTable
    roll: Roll
    modifiers: tuple[WeighedModifier, ...]
    adjustments: tuple[Adjustment, ...]
    sum: int
    total: int
    row: TableRow
    natural: bool
    uncapped: int
    value: int | None = None

    def find_amount(self, word: str) -> int:
        """Return what a deed's amount of this word is, at least 0."""
        if word == kinds.TOTAL:
            return max(0, self.total)
        if word == kinds.MARGIN:
            table, added = self.table.with_added(self.sum)
            return abs(table.score(self.roll.total, added, self.value)[1])
        term = self.roll.term
        if not isinstance(term, PoolTerm) or term.first is None:
            return 0
        return term.settle(self.roll.faces).count(1)

    @property
    def secret(self) -> bool:
        """Whether players may not know what counted."""
        return any(item.hides for item in self.modifiers)


class Throw(Struct, frozen=True):
    """Dice read without a table, or no dice."""

    title: str
    text: str
    rolls: tuple[Roll, ...] = ()
    source: Source | None = None
    line: int | None = None


class Chance(Struct, frozen=True):
    """A possible conclusion; `under` has its chance for each shared throw."""

    conclusion: Conclusion
    chance: Fraction
    under: tuple[Fraction, ...] = ()


def set_amounts(
    conclusion: Conclusion, steps: Sequence[Step | Throw], deeds: Mapping[str, ConsequenceKind], facts: Facts
) -> Conclusion:
    """Give consequences without an amount their deed's: a number, a fact's, or what the row's roll came to, unless 0."""
    if all(item.amount is not None or deeds[item.do].amount is None for item in conclusion.consequences):
        return conclusion
    rolled = [step for step in steps if isinstance(step, Step)]
    doing = [(step, done) for step in rolled for done in step.row.then]
    filled: list[Consequence] = []
    for item in conclusion.consequences:
        alike = [place for place, (_, done) in enumerate(doing) if done.do == item.do]
        place = next((place for place in alike if doing[place][1].to == item.to), next(iter(alike), None))
        step = doing.pop(place)[0] if place is not None else next(reversed(rolled), None)
        amount = item.amount if item.amount is not None else _find_amount(deeds[item.do], item.to, step, facts)
        if amount != 0 or item.amount is not None or deeds[item.do].effect or deeds[item.do].ends:
            filled.append(replace(item, amount=amount))
    return replace(conclusion, consequences=tuple(filled))


def _find_amount(deed: ConsequenceKind, to: str | None, step: Step | None, facts: Facts) -> int | None:
    number = deed.amount
    if isinstance(number, str) and number in kinds.DRAWN:
        number = step.find_amount(number) if step else 0
    elif isinstance(number, str):
        known = facts.get(f"{to}.{number}")
        number = max(0, known.number) if known else 0
    return None if number is None else deed.scale(number)


class MethodResult(Struct, frozen=True):
    """A part as played; later parts read its `record`.

    `changes` are of people in it or the `SCENE`. The entry adds its number to mappings; None is public.
    """

    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion
    record: JsonObject = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


class Stage(Struct, frozen=True):
    """A table to roll on, and what follows; one that `opposes` reads the total before."""

    table: RollTable
    reading: Reading | None = None
    then: Mapping[str, Stage] = field(default_factory=dict)
    value: int | None = None
    opposes: bool = False

    @property
    def number(self) -> int | None:
        """The number its total is read against; None without one. Raises RollError if it's missing."""
        against = self.table.against
        value = against.value if against is not None and self.value is None else self.value
        if against is not None and value is None:
            raise errors.RollError(f"{self.table.title}: a number to read it against is missing.")
        return value

    def require_numbers(self) -> None:
        """Refuse a stage with a missing number, here or in later tables, before the first die."""
        if self.table.against is not None:
            _ = self.number
        for following in self.then.values():
            if not following.opposes:
                following.require_numbers()

    def after(self, outcome: str, total: int) -> Stage | None:
        """Return the next stage, if any."""
        following = self.then.get(outcome)
        if following is None or not following.opposes:
            return following
        return Stage(following.table, following.reading, following.then, total)


class WeighedStage(Struct, frozen=True):
    """A stage with its weighed modifiers; `sum` is within caps, `uncapped` before them."""

    stage: Stage
    modifiers: tuple[WeighedModifier, ...]
    adjustments: tuple[Adjustment, ...]
    sum: int
    uncapped: int


class ResolutionMethod(ABC):
    """How a prepared part is played.

    `tables` are all it may roll on, `required_rows` (table, outcome) pairs. `manual_facts` can be ticked without a
    modifier, `decided_by_choice` can't be ticked. `keeps` are names or prefixes of values it reads, except `skips`:
    what it doesn't read can't leak. If it `discloses` them, its result is public only while they are. Only `check`
    refuses by them: it sees what the roller may know, since a refusal is an answer. `play` sees all.
    """

    __slots__ = ()

    tables: tuple[str, ...] = ()
    required_rows: tuple[tuple[str, str], ...] = ()
    manual_facts: tuple[str, ...] = ()
    decided_by_choice: frozenset[str] = frozenset()
    keeps: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    discloses: bool = False
    aliases: tuple[tuple[str, str], ...] = ()  # roles of its roll, with what its tables call them

    def check(self, _part: Part, _book: Book) -> None:
        """Refuse what `play` would, before the first die."""
        return

    @abstractmethod
    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice."""

    def stages(self, _part: Part, _book: Book) -> tuple[WeighedStage, ...]:
        """List the tables it may roll on, with weighed modifiers, the first one first."""
        return ()

    def odds(self, _part: Part, _book: Book) -> tuple[Chance, ...]:
        """List exact chances; empty if too many."""
        return ()

    def find_shared_die(self, _book: Book) -> SharedDie | None:
        """Return the table whose die is thrown once, if any."""
        return None

    def lines(self, _part: Part, _book: Book) -> Sequence[str]:
        """Return lines to show before the roll, such as costs."""
        return ()


class _AbstractStruct(StructMeta, ABCMeta):
    """Lets structs have abstract methods."""


class FrozenMethod(ResolutionMethod, Struct, frozen=True, metaclass=_AbstractStruct):
    """A method with fields, compared by them."""


class Choice(Struct, frozen=True):
    """A question about each part; the first option counts. If not `asked`, no one has to answer."""

    id: str
    label: str
    options: tuple[str, ...]
    asked: bool = True


class Policy(Struct, frozen=True):
    """Whether a roll is allowed, for which people, and what it leaves.

    `again` says which repeat needs a reason. `needs` pairs roles with kept values. A known profile field `writes` needs
    a reason too. After `spends` the actor can't roll this update. Services handle rolls without `on_request` or
    `by_card`. Players may always roll `open_to_players`. They must play one of the `played` roles (None: the actor).
    """

    again: Again = "pair"
    needs: tuple[tuple[str, str], ...] = ()
    writes: str | None = None
    spends: str | None = None
    on_request: bool = True
    by_card: bool = True
    open_to_players: bool = False
    played: tuple[str, ...] | None = None


class PartResult(Struct, frozen=True):
    """A part's result, or why it wasn't rolled."""

    part: Part
    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion | None
    unrolled: str | None = None
    record: JsonObject = field(default_factory=dict)
    changes: tuple[Change, ...] = ()

    @property
    def on_tables(self) -> tuple[Step, ...]:
        """The steps on tables."""
        return tuple([step for step in self.steps if isinstance(step, Step)])

    @property
    def secret(self) -> bool:
        """Whether a modifier that counted would reveal a secret to players."""
        return any(step.secret for step in self.on_tables)


def _prepare_nothing(part: Part) -> Part:
    return part


Carry = Callable[[Part, Sequence[PartResult], Book], Part]
"""Adds to a part what the parts rolled before made true."""


def carry_nothing(part: Part, _before: Sequence[PartResult], _book: Book) -> Part:
    """Return a part unchanged."""
    return part


class Procedure(Struct, frozen=True):
    """One roll family of a book.

    `headline` has roles in braces; `headline_alone` is without subject. `prepare` makes facts of choices, `carry` of
    earlier parts. `version`, part of the fingerprint, goes up with every change.
    """

    family: str
    title: str
    actor: str
    subject: str
    headline: str
    method: ResolutionMethod
    headline_alone: str = ""
    place: str = "base"
    choices: tuple[Choice, ...] = ()
    prepare: Callable[[Part], Part] = _prepare_nothing
    carry: Carry = carry_nothing
    policy: Policy = Policy()
    version: int = 1
    settles: Mapping[str, ConsequenceRule] = field(default_factory=dict)

    @property
    def roller_roles(self) -> tuple[str, ...]:
        """Roles of which the roller plays one; empty for anyone."""
        return (self.actor,) if self.policy.played is None else self.policy.played

    @property
    def amendable(self) -> bool:
        """Whether it's rolled by card, with modifiers to tick."""
        return self.policy.on_request and self.policy.by_card and bool(self.method.tables)

    def thrower(self, part: Part, shared: SharedDie) -> str:
        """Return the folded name of the person who throws a part's shared die."""
        return name_key(part.subjects.get(self.actor if shared[1] == "actor" else self.subject, ""))


class Resolution(Struct, frozen=True):
    """The results, and the book that gave them."""

    family: str
    book: str
    fingerprint: str
    parts: tuple[PartResult, ...]
    cited: Mapping[str, str] = field(default_factory=dict)
    deeds: Mapping[str, ConsequenceKind] = field(default_factory=dict)
