from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from rules.books.infinity.skill import Skill, check_burst, divide_up
from rules.checks import Check, Fall, best, check_odds, contest, contest_odds
from rules.errors import RollError, WrongDice

D20 = 20


@pytest.mark.parametrize(
    ("attribute", "modifiers", "value"),
    [
        (13, (-6, -3, -6), 1),
        (12, (-3,), 9),
        (13, (15, -3), 25),
        (13, (13, -1), 25),
        (10, (-13,), -2),
        (12, (-12,), 0),
        (23, (15,), 35),
        (0, (), 0),
        (99, (12,), 111),
    ],
)
def test_the_sum_of_modifiers_is_capped(attribute: int, modifiers: tuple[int, ...], value: int) -> None:
    """The net sum goes to 12 either way and no further; the attribute is not capped (A6 to A8)."""
    assert Skill(attribute, modifiers).check.value == value


@pytest.mark.parametrize("attribute", [-1, 100])
def test_an_attribute_has_a_range(attribute: int) -> None:
    """Attributes outside 0 to 99 are refused (A7)."""
    with pytest.raises(RollError, match="0 to 99"):
        Skill(attribute)


@pytest.mark.parametrize(
    ("value", "face", "outcome", "result"),
    [
        (9, 8, "success", 8),
        (9, 9, "critical", 9),
        (9, 12, "failure", 12),
        (1, 1, "critical", 1),
        (1, 2, "failure", 2),
        (20, 20, "critical", 20),
        (20, 19, "success", 19),
        (21, 18, "success", 19),
        (21, 19, "critical", 20),
        (23, 4, "success", 7),
        (23, 16, "success", 19),
        (23, 17, "critical", 20),
        (23, 20, "critical", 23),
        (38, 1, "success", 19),
        (39, 1, "critical", 20),
    ],
)
def test_a_die_reads_as_printed(value: int, face: int, outcome: str, result: int) -> None:
    """At or under the value is a success, on it a critical; above 20 the rest is added (A11, A13, A14)."""
    (fall,) = Check(value, D20).read([face])
    assert (fall.outcome, fall.result) == (outcome, result)


def test_a_skill_without_criticals_has_plain_successes() -> None:
    """Without criticals the same faces succeed, and their results are compared as numbers (A5)."""
    check = Check(23, D20, criticals=False)
    falls = check.read([17, 20])
    assert falls == (Fall("success", 20), Fall("success", 23))
    assert contest(check.read([20]), check.read([17])).reason == "higher_success"
    assert check_odds(check).critical == 0


@pytest.mark.parametrize(
    ("value", "faces", "words"),
    [(0, [5], "No die is rolled"), (9, [], "no face is left"), (9, [0], "no face 0"), (25, [21], "no face 21")],
)
def test_wrong_dice_are_refused(value: int, faces: list[int], words: str) -> None:
    """A die that is not rolled, is missing, or has no such face is refused."""
    with pytest.raises(WrongDice, match=words):
        Check(value, D20).read(faces)


CONTESTS = [
    (12, [8], 12, [5], "a", "higher_success", 1),
    (12, [5], 15, [9], "b", "higher_success", 1),
    (12, [8], 12, [8], "none", "tie", 0),
    (12, [8], 12, [13], "a", "only_success", 1),
    (12, [13], 12, [14], "none", "both_failed", 0),
    (5, [5], 15, [14], "a", "critical", 1),
    (12, [13], 12, [12], "b", "critical", 1),
    (5, [5], 23, [20], "none", "both_critical", 0),
    (23, [14], 18, [16], "a", "higher_success", 1),
    (0, [], 12, [3], "b", "only_success", 1),
    (0, [], 12, [12], "b", "critical", 1),
    (0, [], 12, [13], "none", "both_failed", 0),
    (0, [], -4, [], "none", "no_roll", 0),
    (12, [3, 12, 9, 17], 12, [8], "a", "critical", 2),
    (12, [9, 10, 3, 20], 12, [8, 19], "a", "higher_success", 2),
    (12, [8, 3], 12, [8], "none", "tie", 0),
    (12, [4, 1, 2], 12, [20], "a", "only_success", 3),
    (12, [12, 12, 3], 9, [9], "none", "both_critical", 0),
]


@pytest.mark.parametrize(("a", "a_faces", "b", "b_faces", "winner", "reason", "hits"), CONTESTS)
def test_contests(  # noqa: PLR0913, PLR0917 - one column each
    a: int, a_faces: list[int], b: int, b_faces: list[int], winner: str, reason: str, hits: int
) -> None:
    """Who wins, why, and with how many hits, on every edge (A1 to A4), from either side."""
    ours, theirs = Check(a, D20).read(a_faces), Check(b, D20).read(b_faces)
    found = contest(ours, theirs)
    assert (found.winner, found.reason, found.hits) == (winner, reason, hits)
    turned = contest(theirs, ours)
    assert (turned.winner, turned.reason, turned.hits) == ({"a": "b", "b": "a"}.get(winner, winner), reason, hits)


@pytest.mark.parametrize("value", [-3, 0, 1, 9, 20, 21, 23, 38, 39, 60])
def test_odds_of_one_side_are_those_of_brute_force(value: int) -> None:
    """For one to three dice, counting every fall gives the same numbers."""
    check = Check(value, D20)
    for dice in (1, 2, 3):
        falls = product(range(1, D20 + 1), repeat=dice)
        seen = Counter(best(check.read([] if check.auto_fail else faces)).standing[0] for faces in falls)
        odds = check_odds(check, dice)
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
    """Counting every fall of both sides gives the same numbers, with bursts and without criticals too."""
    ours, theirs = Check(a, D20, criticals), Check(b, D20, criticals)
    faces = range(1, D20 + 1)
    mine = [ours.read([] if ours.auto_fail else fall) for fall in product(faces, repeat=a_dice)]
    others = [theirs.read([] if theirs.auto_fail else fall) for fall in product(faces, repeat=b_dice)]
    seen = Counter(contest(fall, against).winner for fall in mine for against in others)
    odds = contest_odds(ours, a_dice, theirs, b_dice)
    assert (odds.of, odds.a_wins, odds.b_wins, odds.none) == (
        D20 ** (a_dice + b_dice),
        seen["a"],
        seen["b"],
        seen["none"],
    )


def test_odds_of_the_longest_bursts_add_up() -> None:
    """Ten dice against ten are out of 20**20, and alike sides win alike."""
    odds = contest_odds(Check(13, D20), 10, Check(13, D20), 10)
    assert odds.of == D20**20 == odds.a_wins + odds.b_wins + odds.none
    assert odds.a_wins == odds.b_wins > 0


@pytest.mark.parametrize("burst", [0, -1, 11])
def test_a_burst_has_a_range(burst: int) -> None:
    """Bursts outside 1 to 10 are refused."""
    with pytest.raises(RollError, match="1 to 10"):
        check_burst(burst)


@pytest.mark.parametrize(("number", "by", "quotient"), [(5, 2, 3), (4, 2, 2), (-3, 2, -1), (1, 3, 1)])
def test_fractions_are_rounded_up(number: int, by: int, quotient: int) -> None:
    """Up is towards plus infinity, for negative numbers too (A9)."""
    assert divide_up(number, by) == quotient


def test_nothing_is_divided_by_zero() -> None:
    """A divisor of 0 is refused."""
    with pytest.raises(RollError, match="by 0"):
        divide_up(5, 0)
