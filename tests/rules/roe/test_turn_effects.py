"""Effects in a fight end with their turns."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from rules import effects
from rules.books.roe import fights as steps
from rules.books.roe.fights import Fight, FightHeader
from rules.scenes import Participant, Replacement, Scene, find_passed, stamp_turn
from rules.subjects import subject_key

MOST, LEAST = 6, 2
MOVES = st.lists(
    st.tuples(
        st.sampled_from(["end", "end", "end", "join", "leave", "order", "set"]), st.integers(0, 5), st.integers(1, 4)
    ),
    max_size=40,
)


class Ring:
    """A running fight: for each effect its turns, and whether this one counts."""

    def __init__(self) -> None:
        roster = tuple(Participant(number, f"F{number}", place=number) for number in (1, 2, 3))
        self.fight: Fight = Scene(
            FightHeader("Ring", (), 1, order="participants", defender=1, mode="dice", since=1), roster
        )
        self.entry, self.come = 1, 3
        self.lasting: dict[tuple[str, str], Any] = {}
        self.expected: dict[tuple[str, str], tuple[int, int, bool]] = {}

    def move(self, what: str, place: int, count: int) -> None:
        """Do one thing, as one entry."""
        self.entry += 1
        fight, numbers = self.fight, [item.id for item in self.fight.roster]
        chosen = numbers[place % len(numbers)]
        if what == "set":
            self._set(chosen, count)
        elif what == "end":
            self._count()
            self._make(steps.end_turn(fight))
        elif what == "join" and len(numbers) < MOST:
            self.come += 1
            new = Participant(self.come, f"F{self.come}")
            self._make(steps.join(fight, new, chosen, waits=bool(count % 2)))
        elif what == "leave" and len(numbers) > LEAST:
            self._make(steps.leave(fight, chosen))
            self.expected = {key: value for key, value in self.expected.items() if value[0] != chosen}
        elif what == "order":
            self._make(steps.reorder(fight, numbers[place:] + numbers[:place]))

    def _set(self, whose: int, turns: int) -> None:
        key = (subject_key(whose), f"effect.e{self.entry}")
        counted = {"scene": self.fight.header.subject, "of": whose, "left": turns}
        self.lasting[key] = {"entry": self.entry, "turns": counted}
        self.expected[key] = (whose, turns, self.fight.now != whose)

    def _count(self) -> None:
        for key, (whose, left, counts) in [*self.expected.items()]:
            if whose == self.fight.now:
                self.expected[key] = (whose, left - counts, True)
        self.expected = {key: value for key, value in self.expected.items() if value[1]}

    def _make(self, replacements: list[Replacement]) -> None:
        replacements = stamp_turn(self.fight, replacements, self.entry)
        changed = effects.end_values(self.lasting, **asdict(find_passed(self.fight, replacements)))
        self.lasting = {key: value for key, value in (self.lasting | changed).items() if value is not None}
        self.fight = steps.after(self.fight, replacements)
        for key, (whose, left, counts) in self.expected.items():  # a turn before which others come begins anew
            self.expected[key] = (whose, left, counts or self.fight.now != whose)


@given(MOVES)
def test_every_effect_ends_when_its_turns_are_over(moves: list[tuple[str, int, int]]) -> None:
    """After exactly so many turns, or when their owner leaves."""
    ring = Ring()
    for what, place, count in moves:
        ring.move(what, place, count)
        left = {key: value["turns"]["left"] for key, value in ring.lasting.items()}
        assert left == {key: turns for key, (_, turns, _) in ring.expected.items()}
