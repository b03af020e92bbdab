from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.total_war import combat
from rules.books.total_war.board import Attack, Fighter
from rules.books.total_war.catalog import COIN, CoinFace, Terms, UnitClass
from rules.books.total_war.combat import Die, Shooting
from rules.geometry import Square
from tests.rules.total_war.asking import BOOK, ask

TERMS = Terms(BOOK)
CHANCES = st.lists(st.sampled_from([0, 5, 10, 15, 20, 25, 50, 100]), max_size=11)
ATTACKS = st.builds(Attack, st.integers(1, 20), st.integers(2, 100), st.none() | st.integers(1, 100))


class Tree:
    """Plays an act through all faces of its dice."""

    def __init__(self) -> None:
        self._path: list[tuple[int, int]] = []
        self._asked = 0
        self._done = False

    def __call__(self, die: Die) -> int:
        """Return the face that the die has in this way."""
        if self._asked == len(self._path):
            self._path.append((1, die.sides))
        face, sides = self._path[self._asked]
        assert sides == die.sides
        self._asked += 1
        return face

    def ways(self, play: Callable[[Tree], object]) -> Iterator[tuple[object, Fraction]]:
        """Yield each result with its chance."""
        while not self._done:
            self._asked = 0
            out = play(self)
            assert self._asked == len(self._path)
            likely = Fraction(1)
            for _, sides in self._path:
                likely /= sides
            yield out, likely
            while self._path and self._path[-1][0] == self._path[-1][1]:
                self._path.pop()
            if self._path:
                face, sides = self._path.pop()
                self._path.append((face + 1, sides))
            self._done = not self._path


def add_up(ways: Iterable[tuple[object, Fraction]]) -> dict[object, Fraction]:
    """Sum the chances of each result."""
    sums: Counter[object] = Counter()
    for out, likely in ways:
        sums[out] += likely  # type: ignore[assignment]
    return {**sums}  # type: ignore[dict-item]


def _find_fallen(out: combat.Melee) -> tuple[bool, bool]:
    return out.target_destroyed, out.attacker_destroyed


PLAIN = [Attack(attempts, sides) for attempts, sides in product((1, 2, 3), (2, 4, 6))]
AIMED = [Attack(*of) for of in ((1, 6, 40), (1, 4, 100), (2, 2, 1), (2, 2, 99))]


@pytest.mark.parametrize(("attack", "defense"), [*product(PLAIN, (-1, 0, 3, 5, 6)), *product(AIMED, (0, 1, 3))])
def test_the_chance_of_a_shot_is_that_of_all_faces(attack: Attack, defense: int) -> None:
    """D3, D4: odds match all faces."""
    ends = add_up(Tree().ways(lambda throw: "beats" in combat.shoot(attack, defense, throw)))

    assert combat.hit_chance(attack, defense) == ends.get(True, 0)
    assert sum(ends.values()) == 1


def test_the_numbers_of_the_page_come_out() -> None:
    """D3, D6: 11/36, and 3/4 combined."""
    grunt, second = Attack(2, 6), Attack(1, 4)
    together = combat.combine_attacks(TERMS, [Shooting(grunt), Shooting(second)])

    assert combat.hit_chance(grunt, 5) == Fraction(11, 36)
    assert (str(together), combat.hit_chance(together, 5)) == ("2x 1d10", Fraction(3, 4))
    misread = sum(a + b <= 5 for a, b in product(range(1, 7), range(1, 5)))
    assert 1 - Fraction(misread, 24) ** 2 == Fraction(119, 144) != combat.hit_chance(together, 5)


@given(attacks=st.lists(ATTACKS, min_size=2, max_size=6))
def test_a_combined_attack_is_made_of_all(attacks: list[Attack]) -> None:
    """AMB-51: attempts, sides, accuracy, and who gets the kill."""
    together = combat.combine_attacks(Terms(BOOK, {"combine-limit": 6}), [Shooting(attack) for attack in attacks])
    most = max(attack.attempts for attack in attacks)
    aimed = [attack.accuracy for attack in attacks if attack.accuracy]

    assert (together.attempts, together.sides) == (most, sum(attack.sides for attack in attacks))
    assert together.accuracy == (min(aimed) if aimed else None)
    assert combat.best_attacker(attacks) == [attack.attempts for attack in attacks].index(most)


@pytest.mark.parametrize("call", COIN)
@pytest.mark.parametrize("target", [*BOOK.entries_of(UnitClass)])
@pytest.mark.parametrize("attacker", [name for name, kind in BOOK.entries_of(UnitClass).items() if kind.melee])
def test_the_odds_of_melee_are_those_of_all_faces(attacker: str, target: str, call: CoinFace) -> None:
    """L1 to L3: odds match all faces."""
    outs = Tree().ways(lambda throw: _find_fallen(combat.fight_melee(TERMS, attacker, target, call, throw)))
    ends = add_up(outs)
    odds = combat.melee_odds(TERMS, attacker, target)

    assert sum(ends.values()) == 1 == odds.target + odds.attacker + odds.nobody
    assert [odds.target, odds.attacker, odds.nobody] == [ends.get(end, 0) for end in ((1, 0), (0, 1), (0, 0))]


@pytest.mark.parametrize("percents", [(), (25,), (50, 100), (0, 25), (5, 50), (100, 100, 20)])
def test_the_odds_of_fire_are_those_of_all_faces(percents: tuple[int, ...]) -> None:
    """W3 to W7: odds match all faces."""
    chances = {Square(number, 1): percent for number, percent in enumerate(percents, 2)}
    ends = add_up(Tree().ways(lambda throw: len(combat.fire_lane(chances, throw))))
    number = combat.kill_chances(percents)

    assert len(number) == len(percents) + 1
    assert all(number[count] == ends.get(count, 0) for count in range(len(number)))
    assert number[0] == prod(1 - Fraction(percent, 100) for percent in percents)


@given(percents=CHANCES)
def test_the_odds_of_fire_are_whole(percents: list[int]) -> None:
    """Chances sum to 1, with the right mean."""
    number = combat.kill_chances(percents)

    assert sum(number) == 1
    assert sum(count * chance for count, chance in enumerate(number)) == Fraction(sum(percents), 100)
    assert number[0] == prod(1 - Fraction(percent, 100) for percent in percents)


@given(attack=ATTACKS, defense=st.integers(-5, 120))
def test_a_shot_has_a_chance_between_never_and_always(attack: Attack, defense: int) -> None:
    """More defense never helps the attacker."""
    assert 0 <= combat.hit_chance(attack, defense + 1) <= combat.hit_chance(attack, defense) <= 1


@given(kind=st.sampled_from([*BOOK.entries_of(UnitClass)]), ace=st.integers(0, 5), hero=st.booleans())
def test_fire_destroys_as_the_page_prints(kind: str, ace: int, hero: bool) -> None:  # noqa: FBT001
    """W3 to W7, AMB-57: printed chances by class."""
    percent = combat.kill_chance(TERMS, Fighter("", kind, Square(1, 1), None, 0, ace=ace, hero=hero))
    aces = (25, 25, 20, 15, 10, 5)
    printed = {"ms": aces[ace], "ma": aces[ace], "combat": 100, "noncombat": 100, "warship": 50}

    assert percent == (0 if hero else printed[kind])


@given(turns=st.lists(st.integers(1, 40), unique=True).map(sorted), blocked=st.integers(1, 3))
def test_between_two_shots_so_many_turns_are_blocked(turns: list[int], blocked: int) -> None:
    """W8: ships fire as soon as the switch allows."""
    terms = Terms(BOOK, {"cooldown": blocked})
    told = ask(op="cooldown", turns=turns, switches={"cooldown": blocked})
    accepted, refused = told["accepted"], told["refused"]

    assert sorted((*accepted, *refused)) == turns
    assert all(later - earlier > blocked for earlier, later in pairwise(accepted))
    for turn in turns:
        last = max((shot for shot in accepted if shot < turn), default=None)
        assert (turn in accepted) == (last is None or turn - last > blocked) == combat.can_fire(terms, last, turn)
