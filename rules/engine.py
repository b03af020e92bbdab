"""How a roll is resolved: linked steps, one per table, for each part (target, scouter, pair) of the roll.

A procedure says which tables a part goes through and what the rows come to; the engine does the rest, once for every
roll family of every book: `resolve` with dice, `rules.odds` with all faces at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from rules.errors import UnknownModifier, UnknownOption
from rules.facts import Facts, Known
from rules.modifiers import BY_HAND, Adjustment, Considered, Modifier
from rules.tables import Consequence, Reading, RollTable, TableRow, Tone

if TYPE_CHECKING:
    from rules.book import Book
    from rules.dice import Dice, Roll

ALSO = "also true"
"""The group of facts that can be ticked although no modifier stands on them."""

Again = Literal["pair", "update", "ever"]

_TICKED = Known(1, BY_HAND)

Audience = Literal["results", "staff", "person"]


@dataclass(frozen=True, slots=True)
class Part:
    """One target, one scouter or one pair: who it is about and all that is known of it.

    `subjects` maps roles to names; `marks` are ticks by hand, modifier id to count (0: unticked); `choices` are answers
    that the procedure asks for, such as the stance of a target.
    """

    key: str
    subjects: Mapping[str, str]
    facts: Facts = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    adjustments: tuple[Adjustment, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A roll that is asked for: the family, and its parts in the order in which they are rolled."""

    family: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A table to be rolled on, and which stage follows which of its outcomes."""

    table: RollTable
    reading: Reading | None = None
    then: Mapping[str, Stage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a part came to. `stops` tells why later parts are not rolled any more, None when they are."""

    outcome: str
    text: str
    tone: Tone
    audience: Audience
    consequences: tuple[Consequence, ...] = ()
    stops: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A question that a procedure asks about each part; the first option is the default."""

    id: str
    label: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Procedure:
    """One roll family of a book.

    `actor` and `subject` are the roles of who rolls and whom it is about; `headline` tells in one line who does what to
    whom, with the roles in braces, and `headline_alone` when there is no subject; `tables` are all tables a part may go
    through.
    `told` are facts that a person may tick although no modifier stands on them; `spends` is the effect under which the
    actor has nothing left to roll for in this update; `again` says which second roll asks a game master for a reason: that
    of the same actor and subject in one update, any of the actor in one update, or any of the actor at all. `settled` are
    modifiers that a choice decides, so that nobody ticks them. `version` goes up
    with every change of what the procedure does, and is part of the book's fingerprint.
    `plan` gives the first stage for a part; `conclude` says what the rows gone through come to; `prepare` turns choices
    into the facts that the page makes of them; `follow` adds what the parts rolled before it have made true.
    `needs` pairs roles with what must be kept of whoever stands in them, such as being a captive.
    `writes` is the field of the actor's profile that the roll settles: where it is known already, a reason is asked for too.
    `on_request` is false where no roll command asks for it: a service of its own sees to when it is rolled, and by whom.
    """

    family: str
    title: str
    actor: str
    subject: str
    headline: str
    tables: tuple[str, ...]
    plan: Callable[[Part, Book], Stage]
    conclude: Callable[[Part, Sequence[TableRow]], Conclusion]
    prepare: Callable[[Part], Part] = lambda part: part
    follow: Callable[[Part, Sequence[PartResult], Book], Part] = lambda part, _before, _book: part
    choices: tuple[Choice, ...] = ()
    headline_alone: str = ""
    told: tuple[str, ...] = ()
    spends: str | None = None
    again: Again = "pair"
    settled: frozenset[str] = frozenset()
    needs: tuple[tuple[str, str], ...] = ()
    writes: str | None = None
    on_request: bool = True
    version: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One die thrown on one table: faces, every modifier considered, sum, total and the row they led to."""

    table: RollTable
    roll: Roll
    considered: tuple[Considered, ...]
    adjustments: tuple[Adjustment, ...]
    sum: int
    total: int
    row: TableRow
    natural: bool

    @property
    def secret(self) -> bool:
        """Whether something counted that players may not know."""
        return any(item.counted and item.secret for item in self.considered)


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of one part: its steps and conclusion, or why it was not rolled."""

    part: Part
    steps: tuple[Step, ...]
    conclusion: Conclusion | None
    unrolled: str | None = None

    @property
    def secret(self) -> bool:
        """Whether something counted that players may not know."""
        return any(step.secret for step in self.steps)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer to a request, and the book that gave it."""

    family: str
    book: str
    fingerprint: str
    parts: tuple[PartResult, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A stage with its modifiers weighed for a part, before any die."""

    stage: Stage
    considered: tuple[Considered, ...]
    adjustments: tuple[Adjustment, ...]
    sum: int


@dataclass(frozen=True, slots=True)
class Tickable:
    """Something that a person can tick: a modifier with its value on each table it stands on, or a bare fact without any."""

    id: str
    label: str
    group: str
    values: tuple[int, ...]
    one_of: str | None = None
    per: str | None = None
    note: str | None = None

    @classmethod
    def of(cls, modifier: Modifier, values: tuple[int, ...]) -> Self:
        """A modifier as something to tick."""
        return cls(modifier.id, modifier.label, modifier.group, values, modifier.one_of, modifier.per, modifier.note)


def resolve(request: Request, book: Book, dice: Dice) -> Resolution:
    """Roll every part of the request in order, until a conclusion leaves nothing to roll for.

    Raises:
        UnknownFamily: the book has no such procedure.
        RollError: a part cannot be rolled as asked; checked for all parts before the first die is drawn.

    """
    procedure = book.procedure(request.family)
    parts = [ready(part, procedure, book) for part in request.parts]
    results: list[PartResult] = []
    stopped: str | None = None
    for part in parts:
        if stopped is not None:
            results.append(PartResult(part, (), None, unrolled=stopped))
            continue
        result = _roll_part(procedure.follow(part, results, book), procedure, book, dice)
        results.append(result)
        stopped = result.conclusion.stops if result.conclusion else None
    return Resolution(request.family, book.id, book.fingerprint, tuple(results))


def ready(part: Part, procedure: Procedure, book: Book) -> Part:
    """The part with its choices and ticks turned into facts, checked against every table of the procedure.

    Raises:
        UnknownOption: a choice is answered with what it does not offer.
        UnknownModifier: a mark names no modifier of these tables that can be ticked.
        BadCount, Contradiction: see `rules.modifiers.Sheet.check`.

    """
    for choice in procedure.choices:
        if part.choices.get(choice.id, choice.options[0]) not in choice.options:
            raise UnknownOption(part.choices[choice.id], choice.options)
    sheet = book.sheets[procedure.family]
    for mark in part.marks:
        if mark not in sheet.places and mark not in procedure.told:
            raise UnknownModifier(mark, (*sheet.places, *procedure.told))
    sheet.check(part.marks)
    facts = _ticked(part, book) if part.marks else part.facts
    return procedure.prepare(Part(part.key, part.subjects, facts, part.marks, part.adjustments, part.choices))


def _ticked(part: Part, book: Book) -> Facts:
    """The facts with what was ticked or unticked by hand, for ticks that are facts themselves."""
    facts = dict(part.facts)
    for mark, count in part.marks.items():
        if not count:
            facts.pop(mark, None)
        elif mark in book.facts:
            facts.setdefault(mark, _TICKED if count == 1 else Known(count, BY_HAND))
    return facts


def stages(part: Part, procedure: Procedure, book: Book) -> tuple[Weighed, ...]:
    """Every stage that the prepared part can come through, weighed, first stage first."""
    found: list[Weighed] = []
    waiting = [procedure.plan(part, book)]
    while waiting:
        stage = waiting.pop(0)
        found.append(weigh_stage(stage, part, first=not found))
        waiting.extend(stage.then.values())
    return tuple(found)


def weigh_stage(stage: Stage, part: Part, *, first: bool) -> Weighed:
    """Weigh the modifiers and adjustments of one stage for a prepared part."""
    considered = stage.table.sheet(stage.reading).weigh(part.facts, part.marks)
    table = stage.table.id
    adjustments = tuple([item for item in part.adjustments if item.table == table or (first and item.table is None)])
    total = sum([item.amount for item in considered if item.count]) + sum([item.value for item in adjustments])
    return Weighed(stage, considered, adjustments, total)


def tickables(stages: Sequence[Stage], procedure: Procedure, book: Book) -> dict[str, Tickable]:
    """What a person can tick by hand for these stages, by id in the order of the page; what carries no value comes last."""
    found: dict[str, Tickable] = {}
    for stage in stages:
        for modifier in stage.table.sheet(stage.reading).modifiers:
            if modifier.id in procedure.settled:
                continue
            before = found[modifier.id].values if modifier.id in found else ()
            found[modifier.id] = Tickable.of(modifier, (*before, modifier.value))
    for fact in procedure.told:
        found[fact] = Tickable(fact, book.facts[fact].label, ALSO, ())
    return found


def family_tickables(procedure: Procedure, book: Book) -> dict[str, Tickable]:
    """What a person can tick by hand for any part of a family."""
    return tickables([Stage(book.table(table)) for table in procedure.tables], procedure, book)


def roll_table(table: RollTable, part: Part, dice: Dice, reading: Reading | None = None) -> Step:
    """One roll on one table.

    Raises:
        BadCount, Contradiction: see `rules.modifiers.Sheet.check`.

    """
    table.sheet(reading).check(part.marks)
    return _roll_stage(weigh_stage(Stage(table, reading), part, first=True), dice)


def _roll_part(part: Part, procedure: Procedure, book: Book, dice: Dice) -> PartResult:
    stage: Stage | None = procedure.plan(part, book)
    steps: list[Step] = []
    while stage is not None:
        step = _roll_stage(weigh_stage(stage, part, first=not steps), dice)
        steps.append(step)
        stage = stage.then.get(step.row.outcome)
    return PartResult(part, tuple(steps), procedure.conclude(part, [step.row for step in steps]))


def _roll_stage(weighed: Weighed, dice: Dice) -> Step:
    table = weighed.stage.table
    roll = dice.roll(table.die)
    total = roll.total + weighed.sum
    row, natural = table.read(roll.total, total, weighed.stage.reading)
    return Step(table, roll, weighed.considered, weighed.adjustments, weighed.sum, total, row, natural)
