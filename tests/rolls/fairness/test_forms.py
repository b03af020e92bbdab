"""Texts of a verification file: which are canonical JSON within our bounds, however they are read."""

import json
from typing import Any

import pytest

from bot.rolls.fairness import forms


def _nest(levels: int, inner: str = "") -> str:
    return "[" * levels + inner + "]" * levels


GOOD = [
    f'{{"a":{forms.MOST},"b":[true,null,-{forms.MOST}]}}',
    '{"a":1.5,"b":1e-7}',
    '{"a":"\\u001f\\n\\"\\\\","ä":"\u2039"}',
    '{"a":"\U0001f3b2"}',
    '{"\U0001f3b2":1,"\ufb00":2}',
    _nest(8, "1"),
    _nest(20, "1"),
    _nest(forms.DEPTH - 1, "1"),
    _nest(forms.DEPTH),
]
BAD = {
    f'{{"a":{forms.MOST + 1}}}': "too large",
    '{"a":99999999999999999999999}': "too large",
    '{"a":1e300}': "too large",
    '{"a":1.0}': "not canonical",
    '{"a":-0}': "not canonical",
    '{"a":NaN}': "isn't a number",
    '{"a": 1}': "not canonical",
    '{"b":1,"a":2}': "not canonical",
    '{"a":1,"a":1}': "not canonical",
    '{"a":"\\u0041"}': "not canonical",
    '{"a":"\\ud800"}': "surrogate|UTF-8",
    '{"\ufb00":2,"\U0001f3b2":1}': "not canonical",
    _nest(forms.DEPTH, "1"): "too deep",
    _nest(100_000): "too deep",
    '{"a":1}x': "Extra data",
    "": "Expecting value",
}


@pytest.mark.parametrize("text", GOOD)
def test_canonical_text_within_the_bounds_is_read(text: str) -> None:
    """What is canonical and within the bounds is read as it is."""
    assert forms.read(text, Any) == json.loads(text)


@pytest.mark.parametrize(("text", "why"), BAD.items(), ids=lambda text: text[:40])
def test_any_other_text_is_refused(text: str, why: str) -> None:
    """What is malformed, not canonical, too large or too deep is refused."""
    with pytest.raises(ValueError, match=why):
        forms.read(text, Any)
