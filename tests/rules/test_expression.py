from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rules.dice import DiceTerm, Roll, ScriptedDice
from rules.errors import RollError
from rules.expression import MAX_ALL_DICE, MAX_LENGTH, MAX_VALUE, BadExpression, Expression, RepeatResult
from rules.terms import MAX_FALLS

TOP = "top"


class _CountedDice:
    """Repeats given faces, capped to the die, and counts them."""

    def __init__(self, *faces: int | str) -> None:
        self.faces = faces
        self.count = 0

    def roll(self, term: DiceTerm) -> Roll:
        """Return one face."""
        told = self.faces[self.count % len(self.faces)]
        self.count += 1
        face = term.sides if isinstance(told, str) else (told - 1) % term.sides + 1
        return Roll(term, (face,), "counted")


def _roll_expression(text: str, *script: tuple[int, int]) -> tuple[RepeatResult, ...]:
    dice = ScriptedDice(script)
    falls = Expression.parse(text).roll(dice)
    dice.finish()
    return falls


@pytest.mark.parametrize(
    ("text", "sides", "faces", "total"),
    [
        ("7", 6, [], 7),
        ("2d6+3", 6, [4, 5], 12),
        (" 2D6 + 3 ", 6, [4, 5], 12),
        ("d%", 100, [77], 77),
        ("10-2d6*3", 6, [1, 2], 1),
        ("10-3-2", 6, [], 5),
        ("(10-2d6)*3", 6, [1, 2], 21),
        ("-2d6*-3", 6, [2, 6], 24),
        ("4d6kh3", 6, [3, 1, 6, 4], 13),
        ("4d6dl", 6, [3, 1, 6, 4], 13),
        ("4d6 kl2", 6, [3, 1, 6, 4], 4),
        ("4d6dh3", 6, [3, 1, 6, 4], 1),
        ("2d20kh", 20, [7, 15], 15),
        ("2d6!", 6, [6, 6, 2, 3], 17),
        ("3d6!kh1", 6, [5, 6, 1, 5], 7),
        ("5d6>=5", 6, [5, 4, 6, 1, 5], 3),
        ("5d6 = 6", 6, [5, 4, 6, 1, 6], 2),
        ("3d6! > 4", 6, [6, 5, 4, 1], 2),
        ("4d6kl2 < 3", 6, [1, 2, 2, 5], 2),
        ("(5d6>=5)+1", 6, [5, 4, 6, 1, 5], 4),
        ("(2d6)>=7", 6, [3, 4], 1),
        ("2d6+3 >= 10", 6, [3, 3], 0),
        ("2d6-12 <= -5", 6, [3, 4], 1),
        ("2 d 6", 6, [3, 4], 7),
        ("d66", 6, [3, 4], 34),
        ("2d66+1", 6, [1, 1, 6, 5], 77),
        ("d666", 6, [1, 2, 3], 123),
    ],
)
def test_dice_come_to_their_total(text: str, sides: int, faces: list[int], total: int) -> None:
    """All operators work as written."""
    (fall,) = _roll_expression(text, *((sides, face) for face in faces))
    assert fall.total == total


def test_a_fall_can_be_explained() -> None:
    """Faces keep order, explosions and whether they count."""
    (fall,) = _roll_expression("2d6!+3d8kl2", (6, 6), (6, 2), (6, 3), (8, 8), (8, 8), (8, 1))
    six, eight = fall.pool_rolls
    assert [(die.faces, die.kept) for die in six.dice] == [((6, 2), True), ((3,), True)]
    assert [(die.faces, die.kept) for die in eight.dice] == [((8,), True), ((8,), False), ((1,), True)]
    assert (six.total, eight.total, fall.total) == (11, 9, 20)
    assert [str(six.pool), str(eight.pool)] == ["2d6!", "3d8kl2"]
    assert six.dice[0].rolls[0].source == "scripted"


@pytest.mark.parametrize("text", ["3x2d6", "3x 2d6", "3#2d6", "3 X 2d6 for the charge"])
def test_repeats_are_rolled_one_after_the_other(text: str) -> None:
    """Each has its dice and total."""
    falls = _roll_expression(text, *((6, face) for face in (1, 2, 3, 4, 5, 6)))
    assert [fall.total for fall in falls] == [3, 7, 11]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        *((f"2d6 {label}", label) for label in ("Mk2 cannon", "GM2 fires", "RX78", "MS06 charge")),
        ("2d6", ""),
        ("2d6 for the charge, at 3!", "for the charge, at 3!"),
        ("4d6 kh3 khan", "khan"),
        ("2d6 >= 4 hits ", "hits"),
        ("2d6 advancing in disarray", "advancing in disarray"),
        ("2d6 for advantage", "for advantage"),
        ("2d6 дозор", "дозор"),
        ("1d20+6 dex save", "dex save"),
        ("1d20 please do not fail", "please do not fail"),
        ("2d10 kidneys", "kidneys"),
        ("d100 lookout (glasses +20, night -20)", "lookout (glasses +20, night -20)"),
        ("2d6 for the charge", "for the charge"),
        ("2d6 best effort, drop pods high - 2nd try", "best effort, drop pods high - 2nd try"),
        (
            "2d6 M\N{RIGHT SINGLE QUOTATION MARK}s \N{EN DASH} last",
            "M\N{RIGHT SINGLE QUOTATION MARK}s \N{EN DASH} last",
        ),
        ("3 dogs", "dogs"),
    ],
)
def test_a_label_stands_behind_the_expression(text: str, label: str) -> None:
    """It follows a space and starts with a letter."""
    assert Expression.parse(text).label == label


@pytest.mark.parametrize("text", [" 2x 2d6 + 3 for (2d6 + 3)", "d20 d", "2d6"])
def test_the_formula_is_the_text_without_its_label(text: str) -> None:
    """It reads as the same dice."""
    found = Expression.parse(text)
    again = Expression.parse(found.formula)
    assert (again.term, again.repeats, again.label) == (found.term, found.repeats, "")
    assert found.formula + (f" {found.label}" if found.label else "") == text.strip()


@pytest.mark.parametrize(
    ("text", "once"), [("3x (2d6+1) for (4x 2d6)", "(2d6+1)"), (" 2 # d20", "d20"), ("2d6 + 3", "2d6 + 3")]
)
def test_what_is_rolled_in_each_repeat(text: str, once: str) -> None:
    """Repeats and label are left out."""
    assert Expression.parse(text).once == once


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("5d6>=5", True),
        ("(5d6>=5)", True),
        ("(5d6>=5) + (2d8=8)", True),
        ("2d6+3 >= 10", True),
        ("(5d6>=5)+1", False),
        ("(5d6>=5)*2", False),
        ("(5d6>=5)-(2d6>=5)", False),
        ("5d6", False),
        ("(0)", False),
    ],
)
def test_whether_successes_are_counted(text: str, *, counts: bool) -> None:
    """Tests, and sums of tests, count."""
    assert Expression.parse(text).counts is counts


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", 1, "Expected dice"),
        ("  ", 3, "Expected dice"),
        ("2d6+", 5, "Expected dice"),
        ("2d6++-1", 6, "Expected dice"),
        ("charge", 1, "Expected dice"),
        ("2d6)", 4, "Expected + - *"),
        ("2d6 3", 5, "A label starts with a letter."),
        ("2d6+3 # charge", 7, "A label starts with a letter."),
        ("2d6 'charge'", 5, "A label starts with a letter."),
        ("2d6/2", 4, "You can't divide here."),
        ("(2d6) \N{DIVISION SIGN} 2", 7, "You can't divide here."),
        ("3d6r1", 4, "You can't reroll. Use ! to explode, kh1 to keep."),
        ("3d6R<3", 4, "You can't reroll. Use ! to explode, kh1 to keep."),
        ("d20 adv", 5, "Advantage is written 2d20kh1."),
        ("d20+5 Advantage", 7, "Advantage is written 2d20kh1."),
        ("d20+5 attack, with advantage", 15, "Advantage is written 2d20kh1."),
        ("2d20 dis, at dusk", 6, "Disadvantage is written 2d20kl1."),
        ("d20disadvantage", 4, "Disadvantage is written 2d20kl1."),
        ("2d6 d6", 5, "Expected + - *"),
        ("2d6foo", 4, "A label needs a space before it."),
        ("2d6dagger", 4, "A label needs a space before it."),
        ("1d", 2, "How many sides? Write 1d6 or 1d20."),
        ("3 + d for the charge", 5, "How many sides? Write d6 or d20."),
        ("4d6kx3", 4, "Keep or drop is written kh3, kl3, dh1 or dl1."),
        ("d66!", 2, "neither explodes nor keeps or drops"),
        ("4d6dx1", 4, "Keep or drop is written kh3, kl3, dh1 or dl1."),
        ("(2d6) kh1", 7, "Expected + - *"),
        ("2d6 >= x", 5, "Expected + - *"),
        ("(2d6", 5, "closing bracket"),
        ("0d6", 1, "Write 1 to 100 dice, not 0"),
        ("1+101d6", 3, "Write 1 to 100 dice, not 101"),
        ("2d1", 3, "Write 2 to 1000 sides, not 1"),
        ("2d1001", 3, "Write 2 to 1000 sides, not 1001"),
        ("4d6kh5", 6, "Write 1 to 4 dice to keep"),
        ("4d6dl4", 6, "Write 1 to 3 dice to keep"),
        ("4d6kh0", 6, "Write 1 to 4 dice to keep"),
        ("d6dl", 3, "only die"),
        ("2d6>=7", 4, "for the sum write (2d6) >= 7"),
        ("2d6>=1", 4, "for the sum write"),
        ("0x2d6", 1, "Write 1 to 10 repeats, not 0"),
        ("11#2d6", 1, "Write 1 to 10 repeats, not 11"),
        ("1234567", 1, "at most 6 digits"),
        ("99999999999d6", 1, "at most 6 digits"),
        ("(" * 11 + "1" + ")" * 11, 11, "at most 10 deep"),
        ("60d6+41d6", 1, "The limit is 100 dice in all."),
        ("3x34d6", 1, "The limit is 100 dice in all."),
        ("51d6!", 1, "The limit is 100 dice in all, explosions included."),
        ("100000*100000", 1, "exceed 1,000,000,000"),
        ("1" + "+1" * 100, MAX_LENGTH + 1, "at most 200 characters"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(text: str, place: int, what: str) -> None:
    """Errors name the character and the mistake."""
    with pytest.raises(BadExpression) as refused:
        Expression.parse(text)
    assert refused.value.place == place
    assert what in str(refused.value)
    assert str(refused.value).startswith(f"At character {place}: ")


@pytest.mark.parametrize("text", ["(" * 10 + "1" + ")" * 10, "1" + "+1" * 99, "100d1000", "10x10d6", "50d6!"])
def test_the_limits_themselves_are_allowed(text: str) -> None:
    """Exactly at a limit it's rolled."""
    assert Expression.parse(text).roll(_CountedDice(1))


@pytest.mark.parametrize(
    ("text", "share", "drawn"), [("d6!", 99, 100), ("11d6!", 8, 99), ("2x10d6!+5d6", 3, 90), ("50d2!", 1, 100)]
)
def test_exploding_dice_share_the_limit(text: str, share: int, drawn: int) -> None:
    """They stop at their share of 100."""
    dice = _CountedDice(TOP)
    expression = Expression.parse(text)
    expression.roll(dice)
    assert (expression.explosions, dice.count) == (share, drawn)


@pytest.mark.parametrize(
    ("text", "span", "mean"),
    [
        ("2d6+3", (5, 15), Fraction(10)),
        ("100d1000", (100, 100_000), Fraction(50_050)),
        ("4d6kh3", (3, 18), Fraction(15_869, 1296)),
        ("2d20kl", (1, 20), Fraction(287, 40)),
        ("50d10kh3", (3, 30), None),
        ("50d2!", (50, 200), Fraction(225, 2)),
        ("2d6!kh", (1, 300), None),
        ("5d6>=5", (0, 5), Fraction(5, 3)),
        ("50d2! = 2", (0, 100), Fraction(75, 2)),
        ("50d2! = 1", (0, 50), Fraction(75, 2)),
        ("(2d6)>=7", (0, 1), Fraction(7, 12)),
        ("2d6+3 = 5", (0, 1), Fraction(1, 36)),
        ("2d6 + 3 = 99", (0, 0), Fraction(0)),
        ("(60d6) > 200", (0, 1), None),
        ("2d6*(1d4-5)", (-48, -2), Fraction(-35, 2)),
    ],
)
def test_range_and_mean_are_exact(text: str, span: tuple[int, int], mean: Fraction | None) -> None:
    """As worked out by hand; slow means are left out."""
    expression = Expression.parse(text)
    assert (expression.span, expression.mean) == (span, mean)


def _grow_text(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.builds("{}{}{}".format, inner, st.sampled_from(["+", " - ", "*"]), inner)
    tested = st.builds("({} {} {})".format, inner, st.sampled_from([">=", "<", "="]), st.integers(-4, 12))
    return joined | tested | st.builds("({})".format, inner)


KEPT = st.sampled_from(["", "", "kh", "kl1", "dl1", "dh"])
DICE = st.builds("{}d{}{}".format, st.integers(2, 3), st.integers(2, 4), KEPT)
SMALL = st.recursive(DICE | st.integers(0, 9).map(str), _grow_text, max_leaves=3)
ANY = st.recursive(
    st.builds(
        "{}d{}{}{}".format,
        st.integers(1, 60),
        st.integers(2, 1000),
        st.sampled_from(["", "!"]),
        st.sampled_from(["", "kh3", "dl", "> 2"]),
    )
    | st.integers(0, 999_999).map(str),
    _grow_text,
    max_leaves=6,
)


@pytest.mark.slow
@given(SMALL)
@settings(max_examples=150, deadline=None)
def test_range_and_mean_equal_brute_force(text: str) -> None:
    """Every fall agrees."""
    try:
        expression = Expression.parse(text)
    except RollError:
        return
    (fall,) = expression.roll(_CountedDice(1))
    sides = [thrown.pool.sides for thrown in fall.pool_rolls for _ in thrown.dice]
    if len(sides) > 6:
        return
    totals = [
        fall.total
        for faces in product(*(range(1, high + 1) for high in sides))
        for fall in expression.roll(ScriptedDice(zip(sides, faces, strict=True)))
    ]
    assert expression.mean == Fraction(sum(totals), len(totals))
    low, high = expression.span
    assert low <= min(totals) <= max(totals) <= high
    if "(" not in text and "=" not in text:
        assert expression.span == (min(totals), max(totals))


@given(st.sampled_from(["", "2x ", "10#"]), ANY, st.lists(st.integers(1, 1000) | st.just(TOP), min_size=1, max_size=9))
@settings(max_examples=200)
def test_no_expression_goes_over_its_limits(repeat: str, text: str, faces: list[int | str]) -> None:
    """Dice, totals, means and spreads stay bounded."""
    try:
        expression = Expression.parse(repeat + text)
    except RollError:
        return
    dice = _CountedDice(*faces)
    falls = expression.roll(dice)
    low, high = expression.span
    assert dice.count <= MAX_ALL_DICE
    assert all(-MAX_VALUE <= low <= fall.total <= high <= MAX_VALUE for fall in falls)
    assert expression.mean is None or low <= expression.mean <= high
    assert len(expression.term.spread() or ()) <= MAX_FALLS


@given(st.text(max_size=250) | st.text("0123456789dkhl!<>=()+-*x#% ", max_size=60))
@example("²d6")
@example("٣d6")
@example("2d6 \udc80")
@example("-" * 200)
@settings(max_examples=200)
def test_any_text_is_rolled_or_refused(text: str) -> None:
    """Random text raises only RollError."""
    try:
        expression = Expression.parse(text)
    except RollError:
        return
    assert len(expression.roll(_CountedDice(1))) == expression.repeats
