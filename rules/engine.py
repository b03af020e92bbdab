"""How a roll is resolved: linked steps for each part (target, scouter, pair, check of a turn) of the roll.

A procedure says what a roll family is, and its way how a part is played: table by table (`rules.stages`), a check, a
contest, the events of a turn. The engine does the rest, once for every roll family of every book.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rules.errors import UnknownModifier, UnknownOption
from rules.facts import Facts, Known
from rules.modifiers import BY_HAND, Adjustment, Considered
from rules.tables import Consequence, RollTable, Source, TableRow, Tone

if TYPE_CHECKING:
    from fractions import Fraction

    from rules.book import Book
    from rules.dice import Dice, Roll
    from rules.stages import Weighed

Again = Literal["pair", "update", "ever", "never"]

_TICKED = Known(1, BY_HAND)

Audience = Literal["results", "staff", "person"]


@dataclass(frozen=True, slots=True)
class Part:
    """One target, one scouter or one pair: who it is about and all that is known of it.

    `subjects` maps roles to names; `marks` are ticks by hand, modifier id to count (0: unticked); `choices` are answers
    that the procedure asks for, such as the stance of a target; `inputs` are the numbers, words and lists that it takes
    besides, as JSON has them.
    """

    key: str
    subjects: Mapping[str, str]
    facts: Facts = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    adjustments: tuple[Adjustment, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A roll that is asked for: the family, and its parts in the order in which they are rolled."""

    family: str
    parts: tuple[Part, ...]


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
class Throw:
    """Dice that are read otherwise than on a table: what for, how they fell, and what they came to.

    Without `rolls` no die was thrown; without `source` no page is behind it.
    """

    title: str
    text: str
    rolls: tuple[Roll, ...] = ()
    source: Source | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Chance:
    """One thing a part can come to and how likely it is. All chances of a part add up to 1."""

    conclusion: Conclusion
    chance: Fraction


@dataclass(frozen=True, slots=True)
class Played:
    """A part as it was played: its steps, what they came to, and what of it others build on, as JSON has it."""

    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion
    record: Mapping[str, Any] = field(default_factory=dict)


class Way(Protocol):
    """How a part of a roll is played. Every method takes a part that is `ready`.

    Raises:
        RollError: the part cannot be played as asked; raised by every method alike, before any die.

    """

    def play(self, part: Part, book: Book, dice: Dice) -> Played:
        """Throw the dice."""
        ...

    def stages(self, part: Part, book: Book) -> tuple[Weighed, ...]:
        """The tables that it can come through, weighed, first one first; none where it rolls on no table."""
        ...

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """The exact chance of everything that it can come to; empty where that cannot be listed."""
        ...

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """What can be told of it before its dice besides stages and odds, in plain text."""
        ...


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
    whom, with the roles in braces, and `headline_alone` when there is no subject; `way` is how a part is played, `tables`
    are all tables it may go through.
    `looks_for` are the rows, as table and outcome, that it knows by name and cannot do without.
    `told` are facts that a person may tick although no modifier stands on them; `spends` is the effect under which the
    actor has nothing left to roll for in this update; `again` says which second roll asks a game master for a reason: that
    of the same actor and subject in one update, any of the actor in one update, any of the actor at all, or none. `settled` are
    modifiers that a choice decides, so that nobody ticks them. `version` goes up
    with every change of what the procedure does, and is part of the book's fingerprint.
    `prepare` turns choices into the facts that the page makes of them; `follow` adds what the parts rolled before it have
    made true.
    `needs` pairs roles with what must be kept of whoever stands in them, such as being a captive.
    `writes` is the field of the actor's profile that the roll settles: where it is known already, a reason is asked for too.
    `on_request` is false where no roll command asks for it: a service of its own sees to when it is rolled, and by whom.
    `open_to_players` lets whoever plays roll it, without the campaign opening it to them first.
    """

    family: str
    title: str
    actor: str
    subject: str
    headline: str
    way: Way
    tables: tuple[str, ...] = ()
    prepare: Callable[[Part], Part] = lambda part: part
    follow: Callable[[Part, Sequence[PartResult], Book], Part] = lambda part, _before, _book: part
    choices: tuple[Choice, ...] = ()
    headline_alone: str = ""
    looks_for: tuple[tuple[str, str], ...] = ()
    told: tuple[str, ...] = ()
    spends: str | None = None
    again: Again = "pair"
    settled: frozenset[str] = frozenset()
    needs: tuple[tuple[str, str], ...] = ()
    writes: str | None = None
    on_request: bool = True
    open_to_players: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True)
class PartResult:
    """What became of one part: its steps and conclusion, or why it was not rolled."""

    part: Part
    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion | None
    unrolled: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def on_tables(self) -> tuple[Step, ...]:
        """The steps that were rolled on tables."""
        return tuple([step for step in self.steps if isinstance(step, Step)])

    @property
    def secret(self) -> bool:
        """Whether something counted that players may not know."""
        return any(step.secret for step in self.on_tables)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The answer to a request, and the book that gave it; `cited` is the title by which the book's page is cited."""

    family: str
    book: str
    fingerprint: str
    parts: tuple[PartResult, ...]
    cited: Mapping[str, str] = field(default_factory=dict)


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
        rolled = procedure.follow(part, results, book)
        played = procedure.way.play(rolled, book, dice)
        results.append(PartResult(rolled, played.steps, played.conclusion, record=played.record))
        stopped = played.conclusion.stops
    return Resolution(request.family, book.id, book.fingerprint, tuple(results), book.cited)


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
    return procedure.prepare(
        Part(part.key, part.subjects, facts, part.marks, part.adjustments, part.choices, part.inputs)
    )


def _ticked(part: Part, book: Book) -> Facts:
    """The facts with what was ticked or unticked by hand, for ticks that are facts themselves."""
    facts = dict(part.facts)
    for mark, count in part.marks.items():
        if not count:
            facts.pop(mark, None)
        elif mark in book.facts:
            facts.setdefault(mark, _TICKED if count == 1 else Known(count, BY_HAND))
    return facts
