"""The alt text of a picture, made of lines."""

from __future__ import annotations

import pytest

from bot.ui.picture import MAX_ALT, alt_of


@pytest.mark.parametrize(
    "lines", [[], [""], ["One."], ["One.", "Two."], ["x" * 5000], ["x" * 990, "y" * 20], ["z" * 30] * 500]
)
def test_an_alt_text_has_room_for_what_it_says(lines: list[str]) -> None:
    """It is never longer than Discord takes, has whole lines in their order, and says how many it leaves out."""
    text = alt_of(lines)

    assert len(text) <= MAX_ALT
    whole = " ".join(filter(None, lines))
    assert text == whole or text.endswith(" more lines.")
    assert whole.startswith(text.rpartition(" And ")[0])


def test_what_fits_is_all_there() -> None:
    """Short lines stand one after another, each with a blank before."""
    assert alt_of(["Map of a war.", "Zeon: 3 panels."]) == "Map of a war. Zeon: 3 panels."
    assert alt_of(["a" * 900, "b" * 200, "c"]).endswith(" And 2 more lines.")
