"""Whether one line of what is told says all that another one does."""

from __future__ import annotations

import pytest

from bot.ui.text import has_words, plain


@pytest.mark.parametrize(
    ("told", "line", "all_of_it"),
    [
        ("1st Fleet moves from 2,-2 to 0,0.", "**1st Fleet** moves to 0,0", True),
        ("2nd Fleet moves from -2,2 to -2,0.", plain("2nd Fleet moves to ") + plain("-2,0"), True),
        ("Noa joins Zeon.", "**Noa** joins Zeon", True),
        ("u12 goes to A3", "u12 moves", False),
        ("Contact", "**Kilo** patrols", False),
        ("moves to 0,0: 1st Fleet", "1st Fleet moves to 0,0", False),
    ],
)
def test_a_line_is_told_where_all_its_words_are_in_their_order(told: str, line: str, *, all_of_it: bool) -> None:
    """Marks and stops do not count; a word that is missing or out of place does."""
    assert has_words(told, line) is all_of_it
