from __future__ import annotations

import re

import pytest

from rules.expression import BadExpression, Expression


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("4d6 k3", "4d6kh3"),
        ("4d6k3", "4d6kh3"),
        ("2d20 k1", "2d20kh1"),
        ("2d20h", "2d20kh"),
        ("4d6L", "4d6kl"),
        ("4d6 drop 1", "4d6dl1"),
        ("4d6 drop lowest, for luck", "4d6dl for luck"),
        ("4d6 keep the best 3", "4d6kh3"),
        ("2d20 highest", "2d20kh"),
        ("2d20 worst 1", "2d20kl1"),
        ("6d10 t7", "6d10 >= 7"),
        ("6d10t7", "6d10 >= 7"),
        ("d20 vs 15", "d20 >= 15"),
        ("d20+3 vs. AC 15", "d20+3 >= 15"),
        ("2d6 at most 5", "(2d6) <= 5 or 2d6 <= 5"),
        ("2d6 vs 9", "(2d6) >= 9"),
        ("d20 under 3", "d20 < 3"),
        ("1d20+5 x3", "3x 1d20+5 or (1d20+5)*3"),
        ("1d20x3", "3x 1d20 or 1d20*3"),
        ("2d6 x 10", "10x 2d6 or 2d6*10"),
        ("2d6 \N{MULTIPLICATION SIGN} 10", "10x 2d6 or 2d6*10"),
        ("2d6 plus 3", "2d6+3"),
        ("2d6 and 1d4 fire", "2d6+1d4 fire"),
        ("2d6 minus 1", "2d6-1"),
        ("1w20", "1d20"),
        ("W6+2", "d6+2"),
        ("1d8 fire + 1d6 cold", "1d8 + 1d6 fire cold"),
        ("1d8 + 1d6 cold + 3", "1d8 + 1d6 + 3 cold"),
        ("1d8 fire - 1 + d6", "1d8 - 1 + d6 fire"),
    ],
)
def test_what_reads_like_a_part_of_the_roll_is_told_in_its_right_spelling(text: str, meant: str) -> None:
    """It isn't taken for a label."""
    with pytest.raises(BadExpression, match=re.escape(f"Did you mean {meant}?")):
        Expression.parse(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("4d6 r2", "You can't reroll"),
        ("3d6 e6", "! explodes"),
        ("3d6 exploding", "! explodes"),
        ("1d20+5 with advantage", "Advantage is written"),
        ("1d20+5 attack with disadvantage", "Disadvantage is written"),
        ("1d8 fire, 1d6 cold", "A label ends the roll"),
        ("2d6 fire x2", "A label ends the roll"),
        ("2d6 b2 bomber", "A label starts with a word"),
    ],
)
def test_a_part_of_the_roll_with_no_right_spelling_is_refused(text: str, what: str) -> None:
    """It isn't rolled without it."""
    with pytest.raises(BadExpression, match=what):
        Expression.parse(text)


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("\uff12\uff24\uff16\uff0b\uff13", "2D6+3"),
        ("2d6\N{MINUS SIGN}1", "2d6-1"),
        ("2d6 \N{EN DASH} 1", "2d6 - 1"),
        ("\N{ARABIC-INDIC DIGIT THREE}d6", "3d6"),
        ("2d6\N{NO-BREAK SPACE}+\N{ZERO WIDTH SPACE}3", "2d6 + 3"),
    ],
)
def test_typographic_signs_are_read_as_those_of_a_keyboard(typed: str, plain: str) -> None:
    """Dashes, digits and spaces of all kinds."""
    assert Expression.parse(typed) == Expression.parse(plain)
