from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import BY_HAND, KEPT, MAX_DICE, MAX_SIDES, DiceTerm, FallenDie, KeptDice, Roll, ScriptedDice
from rules.errors import WrongDice


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("20", DiceTerm(1, 20)),
        ("1d20", DiceTerm(1, 20)),
        (" 2d6 ", DiceTerm(2, 6)),
        ("d6", DiceTerm(1, 6)),
        ("D%", DiceTerm(1, 100)),
        ("\uff12d6", DiceTerm(2, 6)),
        ("d66", DiceTerm(2, 6, digits=True)),
        ("d666", DiceTerm(3, 6, digits=True)),
        ("66", DiceTerm(1, 66)),
        ("0d6", None),
        ("1", None),
        ("1d1", None),
        ("21d6", None),
        ("1d1001", None),
        ("2d6+1", None),
        ("d", None),
        ("", None),
    ],
)
def test_a_term_is_read_or_refused(text: str, term: DiceTerm | None) -> None:
    """Counts and sides within bounds are read."""
    if term is None:
        with pytest.raises(ValueError, match=r"isn't a die|dice must be"):
            DiceTerm.parse(text)
    else:
        assert DiceTerm.parse(text) == term


@given(st.integers(1, MAX_DICE), st.integers(2, MAX_SIDES))
@settings(max_examples=50)
def test_a_term_reads_back_as_written(count: int, sides: int) -> None:
    """Every term survives writing and reading."""
    term = DiceTerm(count, sides)
    assert DiceTerm.parse(str(term)) == term


@given(st.integers(1, 4), st.integers(2, 8))
@settings(max_examples=32)
def test_ways_count_every_fall(count: int, sides: int) -> None:
    """Ways equal those of trying all falls."""
    term = DiceTerm(count, sides)
    falls = Counter(map(sum, product(range(1, sides + 1), repeat=count)))
    assert term.ways() == falls
    assert (min(falls), max(falls)) == (term.low, term.high)


def test_ways_are_worked_out_once_also_of_digits() -> None:
    """Equal terms share immutable ways; d66 has no digits above 6."""
    ways = DiceTerm(20, 20).ways()
    assert DiceTerm(20, 20).ways() is ways
    assert not isinstance(ways, dict)
    largest = DiceTerm(MAX_DICE, MAX_SIDES).ways()
    assert (sum(largest.values()), len(largest)) == (MAX_SIDES**MAX_DICE, MAX_DICE * (MAX_SIDES - 1) + 1)
    term = DiceTerm.parse("d66")
    numbers = [number for number, ways in term.ways().items() if ways]
    assert numbers == [10 * tens + ones for tens in range(1, 7) for ones in range(1, 7)]
    assert (sum(term.ways().values()), term.low, term.high, str(term)) == (36, 11, 66, "d66")
    assert Roll(term, (3, 5), "scripted").total == 35


def test_scripted_faces_come_in_order() -> None:
    """Leftover faces are reported."""
    dice = ScriptedDice([(6, 2), (6, 5), (20, 13)])
    assert dice.roll(DiceTerm(2, 6)) == Roll(DiceTerm(2, 6), (2, 5), "scripted")
    assert dice.roll(DiceTerm(1, 20)).total == 13
    dice.finish()
    dice = ScriptedDice.of([1, 2, 3])
    dice.roll(DiceTerm(1, 20))
    with pytest.raises(WrongDice, match="2 of 3 dice"):
        dice.finish()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([(6, 3)], "next die written down is a d6"),
        ([(20, 21)], "no face 21"),
        ([(20, 0)], "no face 0"),
        ([], "no more faces"),
    ],
)
def test_wrong_dice_are_refused(script: list[tuple[int, int]], words: str) -> None:
    """Other dice, impossible faces and empty scripts are."""
    with pytest.raises(WrongDice, match=words):
        ScriptedDice(script).roll(DiceTerm(1, 20))


def test_kept_dice_are_not_thrown_again() -> None:
    """Faces come in order; missing ones are thrown."""
    thrown = ScriptedDice([(6, 4), (6, 3)])
    dice = KeptDice(
        [FallenDie(20, 7, "system"), FallenDie(6, 1, BY_HAND), FallenDie(20, 9, "kept"), FallenDie(8, 2, "system")],
        thrown,
    )
    assert dice.roll(DiceTerm(1, 20)) == Roll(DiceTerm(1, 20), (7,), KEPT)
    assert dice.roll(DiceTerm(2, 6)) == Roll(DiceTerm(2, 6), (1, 4), "by hand and scripted")
    assert dice.roll(DiceTerm(1, 6)) == Roll(DiceTerm(1, 6), (3,), "scripted")
    assert dice.spare_dice == (Roll(DiceTerm(1, 20), (9,), KEPT), Roll(DiceTerm(1, 8), (2,), KEPT))
    thrown.finish()
