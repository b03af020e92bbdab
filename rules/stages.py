"""Rolls on tables: which of them a part goes through, what counts on each, and what their rows come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from rules.engine import Chance, Conclusion, Part, Played, Procedure, Step
from rules.modifiers import Adjustment, Considered, Modifier
from rules.odds import table_odds
from rules.tables import Reading, RollTable, TableRow

if TYPE_CHECKING:
    from rules.book import Book
    from rules.dice import Dice

ALSO = "also true"
"""The group of facts that can be ticked although no modifier stands on them."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A table to be rolled on, and which stage follows which of its outcomes."""

    table: RollTable
    reading: Reading | None = None
    then: Mapping[str, Stage] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class Tables:
    """The way of most families: table by table, each reached by what the one before it came to.

    `plan` gives the first stage for a part; `conclude` says what the rows gone through come to.
    """

    plan: Callable[[Part, Book], Stage]
    conclude: Callable[[Part, Sequence[TableRow]], Conclusion]

    def play(self, part: Part, book: Book, dice: Dice) -> Played:
        """Roll on one table after the other."""
        stage: Stage | None = self.plan(part, book)
        steps: list[Step] = []
        while stage is not None:
            step = _roll_stage(weigh_stage(stage, part, first=not steps), dice)
            steps.append(step)
            stage = stage.then.get(step.row.outcome)
        return Played(tuple(steps), self.conclude(part, [step.row for step in steps]))

    def stages(self, part: Part, book: Book) -> tuple[Weighed, ...]:
        """Every stage that the prepared part can come through, weighed, first stage first."""
        found: list[Weighed] = []
        waiting = [self.plan(part, book)]
        while waiting:
            stage = waiting.pop(0)
            found.append(weigh_stage(stage, part, first=not found))
            waiting.extend(stage.then.values())
        return tuple(found)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """The chance of everything that a prepared part can come to, in the order of the tables' rows.

        What cannot happen is left out; ways to the same outcome are added up.
        """
        chances: dict[str, Chance] = {}
        for rows, chance in _paths(self.plan(part, book), part, ()):
            conclusion = self.conclude(part, rows)
            before = chances[conclusion.outcome].chance if conclusion.outcome in chances else Fraction(0)
            chances[conclusion.outcome] = Chance(conclusion, before + chance)
        return tuple(chances.values())

    def lines(self, _part: Part, _book: Book) -> Sequence[str]:
        """Nothing: the stages tell it all."""
        return ()


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


def _roll_stage(weighed: Weighed, dice: Dice) -> Step:
    table = weighed.stage.table
    roll = dice.roll(table.die)
    total = roll.total + weighed.sum
    row, natural = table.read(roll.total, total, weighed.stage.reading)
    return Step(table, roll, weighed.considered, weighed.adjustments, weighed.sum, total, row, natural)


def _paths(stage: Stage, part: Part, before: tuple[TableRow, ...]) -> Iterator[tuple[tuple[TableRow, ...], Fraction]]:
    weighed = weigh_stage(stage, part, first=not before)
    for outcome, chance in table_odds(stage.table, weighed.sum, stage.reading).items():
        if not chance:
            continue
        rows = (*before, stage.table.row(outcome))
        following = stage.then.get(outcome)
        if following is None:
            yield rows, chance
        else:
            for path, further in _paths(following, part, rows):
                yield path, chance * further
