"""What lasts for turns (lines 437 to 459): in which it stands, how it befalls again, is removed and ends, and what its ticks take.

Turns are those of whoever they are counted on, from 1. Each turn ends by the same function as in a scene that is played
(`rules.ends.after`): what did not stand at its start is not counted with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from rules.book import Book
from rules.books.roe.sides import racial_facts, score_of
from rules.books.roe.turn_catalog import Lasting
from rules.ends import End, after
from rules.errors import RollError, WrongDice
from rules.modifiers import Adjustment
from rules.scores import weigh_score

BEARER = "resister"
STEP = 10
"""Numbers of entries from the start of one turn to the start of the next, in a course that is imagined."""
WITHIN = {"before": -1, "during": 1, "after": STEP - 1}
KEY, SCENE, WHO = ("subject:1", "effect"), "scene:fight", 1
MOST_TURNS = 1000
"""The latest turn that is asked about, and the most turns that something lasts: our own bound."""


class Moment(Struct, frozen=True, forbid_unknown_fields=True):
    """A moment before, during or after a turn."""

    turn: int
    when: Literal["before", "during", "after"]

    @property
    def entry(self) -> int:
        """Its place among all: a turn begins with its number times the step. After one turn is before the next."""
        if not 1 <= self.turn <= MOST_TURNS:
            raise RollError(f"Turns are numbered from 1 to {MOST_TURNS}, not {self.turn}.")
        return self.turn * STEP + WITHIN[self.when]


START = Moment(1, "before")


class Story(Struct, frozen=True):
    """When something befalls with how many stacks, when again with one each, and when it is removed."""

    at: Moment = START
    again: tuple[Moment, ...] = ()
    removed: Moment | None = None
    stacks: int = 1


TOLD = Story()


class Course(Struct, frozen=True):
    """What becomes of something: the turns at whose start it stands, how many stacks each, and those of the last time it took hold.

    `took` tells of each further time whether it took hold; `immune` is the last turn through which it cannot befall again.
    """

    active: tuple[int, ...]
    at: tuple[int, ...]
    stacks: int
    took: tuple[bool, ...]
    immune: int | None


def end_of(book: Book, entry: Lasting, turns: int | None, racial: str | None = None) -> End:
    """Return when something ends for a bearer of a racial option: after its own turns, or those said in their place."""
    own = End("turns", 0, entry.of) if entry.effect is None else book.effects[entry.effect].end
    if (entry.said or entry.effect is None) and turns is None:
        raise RollError(f"{entry.label}: add how many turns it lasts.")
    count = own.count if turns is None else turns
    if not 1 <= count <= MOST_TURNS:
        raise RollError(f"{entry.label}: it lasts for 1 to {MOST_TURNS} turns, not {count}.")
    facts = racial_facts(book, BEARER, racial)
    return End("turns", max(0, count + sum(score_of(book, score, facts, BEARER) for score in entry.scores)), own.of)


def course(entry: Lasting, turns: int, story: Story = TOLD) -> Course:
    """Return what becomes of something that lasts so many turns."""
    if story.stacks < 1:
        raise RollError("Give at least one stack.")
    befalls = [(item.entry, place, 1 if place else story.stacks) for place, item in enumerate((story.at, *story.again))]
    removed = [] if story.removed is None else [(story.removed.entry, len(befalls), 0)]
    events = sorted([*befalls, *removed])
    if events[0] != befalls[0]:
        raise RollError("It can't start again or be removed before it began.")
    return _Run(entry, turns).through(events)


class _Run:
    """A course as it goes on, turn by turn."""

    def __init__(self, entry: Lasting, turns: int) -> None:
        self.entry, self.turns = entry, turns
        self.value: Mapping[str, Any] | None = None
        self.stacks = 0
        self.immune: int | None = None
        self.active: list[tuple[int, int]] = []
        self.took: dict[int, bool] = {}

    def through(self, events: Sequence[tuple[int, int, int]]) -> Course:
        """Go through events in their order: at which entry, named in which place, how many stacks come (0: it is removed)."""
        waiting = list(events)
        turn = max(1, events[0][0] // STEP)
        while waiting or self.value is not None:
            self._until(turn * STEP, waiting)
            if self.value is not None:
                self.active.append((turn, self.stacks))
            self._until(turn * STEP + STEP // 2, waiting)
            self._end(turn)
            turn += 1
        active = tuple(turn for turn, _ in self.active)
        took = tuple(took for place, took in sorted(self.took.items()) if place)
        return Course(active, tuple(stacks for _, stacks in self.active), self.stacks, took, self.immune)

    def _until(self, limit: int, waiting: list[tuple[int, int, int]]) -> None:
        while waiting and waiting[0][0] < limit:
            at, place, stacks = waiting.pop(0)
            if stacks:
                self.took[place] = self._befall(at, stacks)
            elif self.value is not None:
                self._over(at)

    def _befall(self, at: int, stacks: int) -> bool:
        """Let it befall, for its whole time anew where it stands; tell whether it takes hold."""
        self.stacks = min(self.entry.most_stacks, stacks + (self.stacks if self.value else 0))
        immune = self.value is None and self.immune is not None and at < self.immune * STEP + STEP // 2
        if immune or not self.turns:
            return False
        self.value = {"entry": at, "turns": {"scene": SCENE, "of": WHO, "left": self.turns}}
        return True

    def _end(self, turn: int) -> None:
        if self.value is not None:
            changed = after({KEY: self.value}, SCENE, began=turn * STEP, turns={WHO})
            self.value = changed.get(KEY, self.value)
            if self.value is None:
                self._over(turn * STEP + STEP // 2)

    def _over(self, at: int) -> None:
        """End it: what cannot befall again at once cannot until the end of the next turn (line 452)."""
        self.value = None
        if self.entry.immune:
            self.immune = at // STEP + self.entry.immune


def armour(book: Book, dr: int, racial: str | None = None) -> int:
    """Return the damage reduction of somebody of a racial option, within its cap."""
    facts = racial_facts(book, BEARER, racial)
    return weigh_score(book.scores["dr"], BEARER, facts, adjustments=[Adjustment(dr, "modifier")]).value


def damages(entry: Lasting, at: Sequence[int], dice: Sequence[Sequence[int]], dr: int = 0) -> list[int]:
    """Return what each tick takes, with so many stacks each and, where it has dice, these; `dr` is subtracted where it helps."""
    if entry.die is None:
        if dice:
            raise WrongDice(f"{entry.label} takes no dice.")
        return [] if entry.amount is None else [entry.amount for _ in at]
    if [len(item) for item in dice] != list(at):
        raise WrongDice(f"{entry.label} takes a d{entry.die} for each stack, tick by tick: {list(at)}.")
    if any(not 1 <= face <= entry.die for face in _faces(dice)):
        raise WrongDice(f"A d{entry.die} has faces from 1 to {entry.die}.")
    return [max(0, sum(item) - (dr if entry.reduced else 0)) for item in dice]


def _faces(dice: Sequence[Sequence[int]]) -> Iterator[int]:
    return (face for item in dice for face in item)


def drained(hp: int, ticks: Sequence[int]) -> list[int]:
    """Return the HP left after each tick."""
    if hp < 0:
        raise RollError("HP can't be below 0.")
    left = []
    for tick in ticks:
        hp = max(0, hp - tick)
        left.append(hp)
    return left
