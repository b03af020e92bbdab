"""The vocabulary of rolls: what is asked for, how a procedure resolves it, and what comes of it.

`rules.stages` is the method of rolls on tables; books bring methods of their own beside their tables.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct, StructMeta, field

from rules.book import Book
from rules.dice import Dice, Roll
from rules.effects import Change, ConsequenceRule, Kept
from rules.errors import RollError
from rules.modifiers import Adjustment, Facts, JsonObject, WeighedModifier
from rules.subjects import name_key
from rules.tables import Consequence, Deed, Reading, RollTable, Source, TableRow, Tone

Again = Literal["pair", "update", "ever", "never"]

Audience = Literal["results", "staff", "maker", "person"]
"""Who sees what a part comes to: everybody, the staff, the staff and who has rolled, or that one alone."""

SUMMARY = "summary"
"""Under which name the record of a part keeps what is told of it where many rolls are told together: the `phase` (id) in which a digest has it, and `lines`, none where it has decided nothing."""

Shared = tuple[str, Literal["actor", "subject"]]
"""A table, and in which role of the procedure is who throws its die once for all parts in which they stand there."""


class Part(Struct, frozen=True):
    """One target, one scouter or one pair: who it is about and all that is known of it.

    `subjects` maps roles to names; `marks` are ticks by hand, modifier id to count (0: unticked); `choices` are answers
    that the procedure asks for, such as the stance of a target; `inputs` are the numbers, words and lists that it takes
    besides, as JSON has them; `lacking` are facts that do not hold although players take them for true. `kept` is what is
    kept, of that which the method `keeps`, of everybody in it, and of their scene where they stand in one; in a preview
    as far as whoever looks may know.
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
    """A roll that is asked for: the family, and its parts in the order in which they are rolled."""

    family: str
    parts: tuple[Part, ...]


class Conclusion(Struct, frozen=True):
    """What a part came to. `stops` tells why later parts are not rolled any more, None when they are."""

    outcome: str
    text: str
    tone: Tone
    audience: Audience
    consequences: tuple[Consequence, ...] = ()
    stops: str | None = None


class Step(Struct, frozen=True):
    """One die thrown on one table: faces, every modifier as weighed, sum, total and the row they led to.

    `value` is what the total was read against, None on a table that reads the total alone; `uncapped` is the sum before
    any cap held it.
    """

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

    @property
    def secret(self) -> bool:
        """Whether something counted that players may not know, or did not count."""
        return any(item.hides for item in self.modifiers)


class Throw(Struct, frozen=True):
    """Dice that are read otherwise than on a table: what for, how they fell, and what they came to.

    Without `rolls` no die was thrown; without `source` no page is behind it.
    """

    title: str
    text: str
    rolls: tuple[Roll, ...] = ()
    source: Source | None = None
    line: int | None = None


class Chance(Struct, frozen=True):
    """One thing a part can come to and how likely it is. All chances of a part add up to 1.

    `under` is how likely it is under each throw of a die that all parts share, the lowest first; empty where they share none.
    """

    conclusion: Conclusion
    chance: Fraction
    under: tuple[Fraction, ...] = ()


class MethodResult(Struct, frozen=True):
    """A part as it was played: its steps, what they came to, what of it others build on, as JSON has it, and what it changes.

    Who stands in `changes` is in the part, or is the `SCENE`; their values are mappings, to which the entry that set them
    is added, and to turns that end them the scene of the roll; None is seen by everybody. What is kept of a participant by its scene has the name `rules.scenes.MEMBER`.
    """

    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion
    record: JsonObject = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


class Stage(Struct, frozen=True):
    """A table to be rolled on, and which stage follows which of its outcomes.

    `value` is what its total is read against, if not what the table itself says; one that `opposes` is read against the
    total of the stage before.
    """

    table: RollTable
    reading: Reading | None = None
    then: Mapping[str, Stage] = field(default_factory=dict)
    value: int | None = None
    opposes: bool = False

    @property
    def number(self) -> int | None:
        """What its total is read against; None where that is nothing."""
        against = self.table.against
        value = against.value if against is not None and self.value is None else self.value
        if against is not None and value is None:
            raise RollError(f"{self.table.title}: a number to read it against is missing.")
        return value

    def require_numbers(self) -> None:
        """Check that all that it is read against, and what may follow, is known before the first die."""
        if self.table.against is not None:
            _ = self.number
        for following in self.then.values():
            if not following.opposes:
                following.require_numbers()

    def after(self, outcome: str, total: int) -> Stage | None:
        """Return the stage that follows an outcome which came of this total; None when there is none."""
        following = self.then.get(outcome)
        if following is None or not following.opposes:
            return following
        return Stage(following.table, following.reading, following.then, total)


class WeighedStage(Struct, frozen=True):
    """A stage with its modifiers weighed for a part, before any die."""

    stage: Stage
    modifiers: tuple[WeighedModifier, ...]
    adjustments: tuple[Adjustment, ...]
    sum: int
    uncapped: int


class ResolutionMethod(ABC):
    """How a part of a roll is played. Every function takes a part that `rules.ruleset.prepare_part` has made.

    `tables` are the ids of all tables that it may roll on, `required_rows` the rows, as table and outcome, that it knows by
    name and cannot do without. `manual_facts` are facts that a person may tick although no modifier stands on them;
    `decided_by_choice` are modifiers that a choice decides, so that nobody ticks them.

    `keeps` are the names of the values that it reads of those in a part and of their scene, or how such names begin, but for
    those that it `skips`: what it does not read gives nothing away. Where what it comes to `discloses` these, it is not for
    everybody as long as any of them is not.
    By these `check` alone refuses: it has them as far as whoever rolls may know, since a refusal is an answer; `play`, which
    has all of them, takes what there is.
    """

    __slots__ = ()

    tables: tuple[str, ...] = ()
    required_rows: tuple[tuple[str, str], ...] = ()
    manual_facts: tuple[str, ...] = ()
    decided_by_choice: frozenset[str] = frozenset()
    keeps: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    discloses: bool = False

    def check(self, _part: Part, _book: Book) -> None:
        """Refuse what `play` would: all parts of a roll are checked before the dice of the first are thrown."""
        return

    @abstractmethod
    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice."""

    def stages(self, _part: Part, _book: Book) -> tuple[WeighedStage, ...]:
        """Return the tables that it can come through, weighed, first one first; none where modifiers count on no table."""
        return ()

    def odds(self, _part: Part, _book: Book) -> tuple[Chance, ...]:
        """Return the exact chance of everything that it can come to; nothing where that cannot be listed."""
        return ()

    def shared(self, _book: Book) -> Shared | None:
        """Return the table whose die somebody throws once for all parts of a roll; None where each throws its own."""
        return None

    def lines(self, _part: Part, _book: Book) -> Sequence[str]:
        """Return what can be told before the dice besides stages and odds, in plain text."""
        return ()


class _AbstractStruct(StructMeta, ABCMeta):
    """The class of structs with abstract methods."""


class FrozenMethod(ResolutionMethod, Struct, frozen=True, metaclass=_AbstractStruct):
    """A method with fields: those of equal fields are equal."""


class Choice(Struct, frozen=True):
    """A question that a procedure asks about each part; the first option is the default."""

    id: str
    label: str
    options: tuple[str, ...]


class Policy(Struct, frozen=True):
    """What the caller of a procedure decides by: whether a roll may be made, by whom, and what it leaves behind.

    `again` says which second roll asks a game master for a reason: that of the same actor and subject in one update, any of
    the actor in one update, any of the actor at all, or none. `needs` pairs roles with what must be kept of whoever stands
    in them, such as being a captive. `writes` is the field of the actor's profile that the roll settles: where it is known
    already, a reason is asked for too. `spends` is the effect under which the actor has nothing left to roll for in this
    update. `on_request` is false where no roll command asks for it: a service of its own sees to when it is rolled, and by
    whom. `by_card` is false where no card asks for it, since a service adds changes of its own. `open_to_players` lets whoever
    plays roll it, without the campaign opening it to them first. `played` are roles of which a player has to play one, the usual one
    first; the actor's where it is None.
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
    """What became of one part: its steps and conclusion, or why it was not rolled."""

    part: Part
    steps: tuple[Step | Throw, ...]
    conclusion: Conclusion | None
    unrolled: str | None = None
    record: JsonObject = field(default_factory=dict)
    changes: tuple[Change, ...] = ()

    @property
    def on_tables(self) -> tuple[Step, ...]:
        """The steps that were rolled on tables."""
        return tuple([step for step in self.steps if isinstance(step, Step)])

    @property
    def secret(self) -> bool:
        """Whether something counted that players may not know."""
        return any(step.secret for step in self.on_tables)


def _prepare_nothing(part: Part) -> Part:
    return part


Carry = Callable[[Part, Sequence[PartResult], Book], Part]
"""Return a part with what the parts rolled before it have made true."""


def carry_nothing(part: Part, _before: Sequence[PartResult], _book: Book) -> Part:
    """Return a part as it is."""
    return part


class Procedure(Struct, frozen=True):
    """One roll family of a book.

    `actor` and `subject` are the roles of who rolls and whom it is about, `place` is that of where it happens; `headline` tells in one line who does what to
    whom, with the roles and the words that it takes in braces, and `headline_alone` when there is no subject. `prepare` turns choices into the facts
    that the page makes of them; `carry` adds what the parts rolled before it have made true. `version` goes up with every
    change of what the procedure does, and is part of the book's fingerprint.
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
    def played(self) -> tuple[str, ...]:
        """The roles of which a player who rolls has to play one; empty where anybody may roll."""
        return (self.actor,) if self.policy.played is None else self.policy.played

    @property
    def amendable(self) -> bool:
        """Whether a roll can be amended: a card asks for it, on tables, with modifiers to tick."""
        return self.policy.on_request and self.policy.by_card and bool(self.method.tables)

    def thrower(self, part: Part, shared: Shared) -> str:
        """Return who throws a die once in a part and all others with the same one (key of the name)."""
        return name_key(part.subjects.get(self.actor if shared[1] == "actor" else self.subject, ""))


class Resolution(Struct, frozen=True):
    """The answer to a request, and the book that gave it; `cited` is the title of its page, `deeds` what its rows can do."""

    family: str
    book: str
    fingerprint: str
    parts: tuple[PartResult, ...]
    cited: Mapping[str, str] = field(default_factory=dict)
    deeds: Mapping[str, Deed] = field(default_factory=dict)
