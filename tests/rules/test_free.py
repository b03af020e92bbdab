from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.dice import MAX_DICE, DiceTerm, Roll, ScriptedDice
from rules.errors import RollError
from rules.expression import MAX_ALL_DICE, Expression
from rules.library import FREE_DICE, FREE_ROLL, inputs_of, mean_text
from rules.procedure import Part, PartResult, Request, Throw
from rules.ruleset import resolve, take_fingerprint

TOP = 10**9


class _LoadedDice:
    """Repeats these faces, capped to the die."""

    def __init__(self, *faces: int) -> None:
        self.faces = faces
        self.count = 0

    def roll(self, term: DiceTerm) -> Roll:
        """Return one face."""
        face = self.faces[self.count % len(self.faces)]
        self.count += 1
        return Roll(term, (min(face, term.sides),), "loaded")


def _roll_free(text: str, dice: _LoadedDice | ScriptedDice) -> PartResult:
    expression = Expression.parse(text)
    part = Part("dice", {"roller": "Amuro", "dice": expression.formula}, inputs=inputs_of(expression))
    (result,) = resolve(Request("dice", (part,)), FREE_DICE, dice).parts
    return result


def _describe_throws(text: str, sides: int, *faces: int) -> list[tuple[str, str]]:
    dice = ScriptedDice.of(faces, sides)
    steps = _roll_free(text, dice).steps
    dice.finish()
    return [(step.title, step.text) for step in steps[:-1] if isinstance(step, Throw)]


@pytest.mark.parametrize(
    ("text", "sides", "faces", "throws"),
    [
        ("2d6+3", 6, (4, 5), [("2d6", "9; 2d6+3 = 12")]),
        ("2d6", 6, (4, 5), [("2d6", "9")]),
        ("d20", 20, (7,), [("1d20", "7")]),
        ("4d6kh3", 6, (3, 1, 6, 4), [("4d6kh3", "13, dropped 1")]),
        ("2d20kl", 20, (7, 15), [("2d20kl1", "7, dropped 15")]),
        ("2d6!", 6, (6, 6, 2, 3), [("2d6!", "(6! + 6! + 2) + 3 = 17")]),
        ("d6!", 6, (6, 2), [("1d6!", "(6! + 2) = 8")]),
        ("3d6!kh2", 6, (6, 2, 1, 3), [("3d6!kh2", "(6! + 2) + 3 = 11, dropped 1")]),
        ("5d6>=5", 6, (5, 4, 6, 1, 5), [("5d6 >= 5", "3 successes: 5, 6, 5")]),
        ("2d6>=5", 6, (1, 4), [("2d6 >= 5", "0 successes")]),
        ("(2d6>=5)", 6, (1, 5), [("2d6 >= 5", "1 success: 5")]),
        ("(2d6>=5)+2", 6, (1, 5), [("2d6 >= 5", "1 success: 5; (2d6>=5)+2 = 3")]),
        ("2d6+1>=8", 6, (3, 4), [("2d6", "7; 2d6+1>=8: 1 success")]),
        ("(d6)>=1", 6, (1,), [("1d6", "1; (d6)>=1: 1 success")]),
        ("7>=8", 6, (), [("no dice", "0 successes")]),
        ("2x (2d6+1) at dusk", 6, (6, 2, 1, 1), [("Roll 1: 2d6", "8; (2d6+1) = 9"), ("Roll 2: 2d6", "2; (2d6+1) = 3")]),
        ("2x 2d6", 6, (1, 2, 3, 4), [("Roll 1: 2d6", "3"), ("Roll 2: 2d6", "7")]),
        ("2d6-d6", 6, (1, 2, 6), [("2d6", "3"), ("1d6", "6; 2d6-d6 = -3")]),
        ("7", 6, (), [("no dice", "total 7")]),
    ],
)
def test_a_throw_tells_what_counts(
    text: str, sides: int, faces: tuple[int, ...], throws: list[tuple[str, str]]
) -> None:
    """Kept, dropped and exploded dice are in words."""
    assert _describe_throws(text, sides, *faces) == throws


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2d6+3", "5 to 15, mean 10"),
        ("d6", "1 to 6, mean 3.5"),
        ("4d6kh3", "3 to 18, mean about 12.2446"),
        ("2x d6", "1 to 6 each, mean 3.5"),
        ("2x 4d6>=5", "0 to 4 successes each, mean about 1.3333"),
        ("50d2!", "50 to 200, mean 112.5; a die explodes once at most"),
        ("50d10kh3", "3 to 30, the mean takes too long to compute"),
    ],
)
def test_the_card_and_the_result_tell_mean_and_range(text: str, expected: str) -> None:
    """Both say the same."""
    result = _roll_free(text, _LoadedDice(1))
    assert "; ".join(FREE_ROLL.method.lines(result.part, FREE_DICE)) == expected
    last = result.steps[-1]
    assert isinstance(last, Throw)
    assert (last.text, last.rolls) == (expected, ())


@pytest.mark.parametrize(
    ("text", "faces", "concluded"),
    [
        ("2d6+3", (4, 5), "Total 12"),
        ("2x d6", (4, 5), "Totals 4, 5"),
        ("3d6>=5", (4, 4, 4), "0 successes"),
        ("3d6>=5", (4, 5, 4), "1 success"),
        ("3d6>=5", (4, 5, 6), "2 successes"),
        ("2x 2d6>=5", (4, 5, 1, 1), "Successes 1, 0"),
    ],
)
def test_what_a_roll_came_to(text: str, faces: tuple[int, ...], concluded: str) -> None:
    """The headline has a total or successes."""
    conclusion = _roll_free(text, ScriptedDice.of(faces, 6)).conclusion
    assert conclusion is not None
    assert conclusion.text == concluded


def test_a_mean_is_told_in_decimals() -> None:
    """Up to four, else "about"."""
    assert mean_text(Fraction(18461, 1296)) == "about 14.2446"
    assert mean_text(Fraction(10**12, 3**9)) == "about 50805263.4253"
    assert mean_text(Fraction(-7, 2)) == "-3.5"


def test_the_label_is_no_part_of_what_is_kept() -> None:
    """No input, throw or record has it."""
    result = _roll_free("2d6+1 for Amuro's secret", ScriptedDice.of((1, 2), 6))
    assert "secret" not in str(replace(result, part=replace(result.part, subjects={})))
    assert result.part.inputs["expression"] == "2d6+1"
    assert result.record == {"totals": [4]}


def test_the_fingerprint_follows_the_version() -> None:
    """Another version has another one."""
    assert take_fingerprint(FREE_DICE) == FREE_DICE.fingerprint
    later = replace(FREE_DICE, procedures={"dice": replace(FREE_ROLL, version=FREE_ROLL.version + 1)})
    assert take_fingerprint(later) != FREE_DICE.fingerprint


SHAPES = st.builds(
    "{}{}d{}{}{}{}".format,
    st.sampled_from(["", "2x ", "10x "]),
    st.integers(1, 40),
    st.sampled_from(["2", "6", "10", "1000", "%"]),
    st.sampled_from(["", "!"]),
    st.sampled_from(["", "kh1", "kl2", "dl", " > 1"]),
    st.sampled_from(["", "+3", " - 2d4", "*2d6kh1"]),
)


@given(SHAPES, st.lists(st.sampled_from([1, 2, 5, TOP]), min_size=1, max_size=7))
@settings(max_examples=150, deadline=None)
def test_what_is_told_adds_up(text: str, faces: list[int]) -> None:
    """Faces are in one throw each; totals are in range."""
    try:
        Expression.parse(text)
    except RollError:
        return
    dice = _LoadedDice(*faces)
    result = _roll_free(text, dice)
    rolls = [roll for step in result.steps if isinstance(step, Throw) for roll in step.rolls]
    assert sum(len(roll.faces) for roll in rolls) == dice.count <= MAX_ALL_DICE
    assert all(len(roll.faces) == roll.term.count <= MAX_DICE for roll in rolls)
    inputs = result.part.inputs
    assert all(inputs["low"] <= total <= inputs["high"] for total in result.record["totals"])
    assert inputs["mean"] is None or inputs["low"] <= Fraction(inputs["mean"]) <= inputs["high"]
