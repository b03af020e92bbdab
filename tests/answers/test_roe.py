"""RoE: one answer for each line, in order."""

from __future__ import annotations

import pytest

from rules.loader import load_book
from tests.answers.roe import answer

ROE = load_book("roe")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"op": "stack", "size": 5, "size": 6}', "size: written twice"),
        (b'{"op": "stack", "size": "\\ud800"}', "half of a surrogate pair"),
        (b'{"op": "stack", "size": NaN}', "NaN isn't a JSON number"),
        (b'{"op": "stack", "size": "5"}', "Expected `int`, got `str` - at `size`"),
        (b'{"op": "stack", "size": true}', "Expected `int`, got `bool` - at `size`"),
        (b'{"op": "stack", "size": 10000000000}', "a number is too large: at most 1,000,000,000"),
        (b'{"op": "move", "mods": [1e999]}', "a number is too large: at most 1,000,000,000"),
        (b'{"op": "stack", "heap": 5}', "Object contains unknown field `heap`"),
        (b'{"op": "stak", "size": 5}', "op 'stak' is unknown, did you mean stack?"),
        (b'{"op": ["stack"], "size": 5}', "op ['stack'] is unknown"),
    ],
)
def test_what_is_wrong_is_told(line: bytes, words: str) -> None:
    """Each fault is named."""
    assert words in answer(line, ROE)["error"]


def test_a_null_is_as_good_as_nothing() -> None:
    """Optional keys may be null."""
    asked = b'{"op": "sum", "mods": [{"name": "Scope", "value": 5, "for": null}], "gm": null, "seat": null}'
    assert answer(asked, ROE) == {"raw": 5, "applied": 5}
    assert "mods" in answer(b'{"op": "sum", "mods": null}', ROE)["error"]
    assert "Expected" in answer(b'{"op": "sum", "mods": [null]}', ROE)["error"]
