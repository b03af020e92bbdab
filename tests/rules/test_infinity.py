from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from rules.books.infinity import skill
from rules.errors import WrongDice

D20 = 20


def test_a_skill_without_criticals_has_plain_successes() -> None:
    """The same faces succeed and compare as numbers (A5)."""
    check = skill.Check(23, D20, criticals=False)
    falls = check.read([17, 20])
    assert falls == (skill.DieResult("success", 20), skill.DieResult("success", 23))
    assert skill.compare_sides(check.read([20]), check.read([17])).reason == "higher_success"
    assert skill.check_odds(check).critical == 0


@pytest.mark.parametrize(
    ("value", "faces", "words"),
    [(0, [5], "You don't roll"), (9, [], "no more faces"), (9, [0], "no face 0"), (25, [21], "no face 21")],
)
def test_wrong_dice_are_refused(value: int, faces: list[int], words: str) -> None:
    """Extra, missing and impossible dice are."""
    with pytest.raises(WrongDice, match=words):
        skill.Check(value, D20).read(faces)


def test_a_contest_is_the_same_from_either_side() -> None:
    """Order doesn't matter, at any value."""
    sides = [
        skill.Check(value, D20).read(faces)
        for value in (-4, 9, 12, 23)
        for faces in ([[]] if value < 1 else [[8], [9], [12], [20], [3, 12], [9, 20]])
    ]
    for ours, theirs in product(sides, repeat=2):
        found, turned = skill.compare_sides(ours, theirs), skill.compare_sides(theirs, ours)
        assert (turned.reason, turned.hits) == (found.reason, found.hits)
        assert turned.winner == {"a": "b", "b": "a"}.get(found.winner, found.winner)


@pytest.mark.parametrize(
    "value", [0, 20, 39, *(pytest.param(value, marks=pytest.mark.slow) for value in (-3, 1, 9, 21, 23, 38, 60))]
)
def test_odds_of_one_side_are_those_of_brute_force(value: int) -> None:
    """Up to three dice agree with counting."""
    check = skill.Check(value, D20)
    for dice in (1, 2, 3):
        falls = product(range(1, D20 + 1), repeat=dice)
        seen = Counter(skill.find_best(check.read([] if check.auto_fail else faces)).rank[0] for faces in falls)
        odds = skill.check_odds(check, dice)
        assert (odds.of, odds.critical, odds.plain_success, odds.failure) == (D20**dice, seen[2], seen[1], seen[0])


@pytest.mark.parametrize(
    ("a", "a_dice", "b", "b_dice", "criticals"),
    [
        *((a, 1, b, 1, True) for a in (-2, 1, 9, 20, 24, 45) for b in (0, 9, 13, 20, 24)),
        (12, 2, 15, 1, True),
        (23, 1, 11, 2, True),
        (23, 2, 25, 1, False),
        (0, 2, 14, 1, True),
    ],
)
def test_odds_of_contests_are_those_of_brute_force(
    a: int, a_dice: int, b: int, b_dice: int, *, criticals: bool
) -> None:
    """With bursts, and without criticals."""
    ours, theirs = skill.Check(a, D20, criticals), skill.Check(b, D20, criticals)
    faces = range(1, D20 + 1)
    mine = [ours.read([] if ours.auto_fail else fall) for fall in product(faces, repeat=a_dice)]
    others = [theirs.read([] if theirs.auto_fail else fall) for fall in product(faces, repeat=b_dice)]
    seen = Counter(skill.compare_sides(fall, against).winner for fall in mine for against in others)
    odds = skill.contest_odds(ours, a_dice, theirs, b_dice)
    assert (odds.of, odds.a_wins, odds.b_wins, odds.none) == (
        D20 ** (a_dice + b_dice),
        seen["a"],
        seen["b"],
        seen["none"],
    )


def test_odds_of_the_longest_bursts_add_up() -> None:
    """Out of 20**20; equal sides are equal."""
    odds = skill.contest_odds(skill.Check(13, D20), 10, skill.Check(13, D20), 10)
    assert odds.of == D20**20 == odds.a_wins + odds.b_wins + odds.none
    assert odds.a_wins == odds.b_wins > 0
