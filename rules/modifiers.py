"""Modifiers as printed, and which of them count in a situation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.errors import BadCount, Contradiction
from rules.facts import Facts, Origin, When, satisfied

BY_HAND = Origin("typed", "ticked by hand")


@dataclass(frozen=True, slots=True)
class Modifier:
    """One printed line that adds to or takes from a roll.

    `one_of` names the set of alternatives of which at most one counts; `per` names the unit of a line that multiplies;
    `secret` is true when what it stands on is not for players; `note` tells of a reading that a game master should know.
    """

    id: str
    value: int
    label: str
    group: str
    line: int
    when: When
    one_of: str | None = None
    per: str | None = None
    secret: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Considered:
    """A modifier as weighed in one step: whether it counted, how often, and why or why not."""

    modifier: Modifier
    count: int
    why: str
    origin: Origin | None
    secret: bool

    @property
    def counted(self) -> bool:
        """Whether it enters the sum."""
        return self.count > 0

    @property
    def amount(self) -> int:
        """What it adds to the sum."""
        return self.modifier.value * self.count


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A game master's own plus or minus with its reason; on `table`, or on the first table of the roll when None."""

    value: int
    reason: str
    table: str | None = None


def weigh(modifiers: Sequence[Modifier], facts: Facts, marks: Mapping[str, int]) -> tuple[Considered, ...]:
    """Consider every modifier once, in the order of the page.

    `marks` are ticks by hand, id to count, where 0 means unticked; they win over facts. Of alternatives that only facts
    switch on, the one farthest from zero counts (the later one when equal), since it names the more particular case.

    Raises:
        BadCount: a mark is negative, or above 1 on a line that is not per unit.
        Contradiction: two alternatives are ticked by hand.

    """
    weighed = [_consider(modifier, facts, marks) for modifier in modifiers]
    chosen = _choose(weighed, marks)
    return tuple(_yield_to(item, chosen) for item in weighed)


def check_marks(modifiers: Iterable[Modifier], marks: Mapping[str, int]) -> None:
    """Refuse ticks by hand that can never be right, whatever the facts.

    Raises:
        BadCount: a mark is negative, or above 1 on a line that is not per unit.
        Contradiction: two alternatives are ticked by hand.

    """
    ticked: dict[str, list[str]] = {}
    for modifier in modifiers:
        count = marks.get(modifier.id, 0)
        if count < 0 or (count > 1 and modifier.per is None):
            raise BadCount(modifier.id, count, per=modifier.per)
        if count and modifier.one_of:
            ticked.setdefault(modifier.one_of, []).append(modifier.id)
    for ids in ticked.values():
        if len(ids) > 1:
            raise Contradiction(ids)


def _consider(modifier: Modifier, facts: Facts, marks: Mapping[str, int]) -> Considered:
    clause = satisfied(modifier.when, facts)
    if modifier.id in marks:
        count = marks[modifier.id]
        by_hand = facts[clause[0]].origin if clause and count else BY_HAND
        return Considered(modifier, count, "" if count else "unticked by hand", by_hand, modifier.secret)
    if clause is None:
        return Considered(modifier, 0, "not known to be true", None, modifier.secret)
    count = max((facts[fact].count for fact in clause), default=1) if modifier.per else 1
    origin = facts[clause[0]].origin if clause else None
    return Considered(modifier, count, "", origin, modifier.secret)


def _choose(weighed: Sequence[Considered], marks: Mapping[str, int]) -> dict[str, str]:
    """The modifier that counts in each set of alternatives."""
    check_marks((item.modifier for item in weighed), marks)
    best: dict[str, tuple[bool, int, int]] = {}
    chosen: dict[str, str] = {}
    for place, item in enumerate(weighed):
        key = item.modifier.one_of
        if key is None or not item.counted:
            continue
        rank = (item.modifier.id in marks, abs(item.modifier.value), place)
        if key not in best or rank > best[key]:
            best[key] = rank
            chosen[key] = item.modifier.id
    return chosen


def _yield_to(item: Considered, chosen: Mapping[str, str]) -> Considered:
    winner = chosen.get(item.modifier.one_of or "")
    if winner is None or winner == item.modifier.id or not item.counted:
        return item
    return Considered(item.modifier, 0, f"{winner} counts instead", item.origin, item.secret)
