from __future__ import annotations

import json

import pytest

from rules.loader import load_book
from tests.answers.tables import answer, event

BOOK = load_book("battlesystem")


def test_an_event_is_told_by_its_face() -> None:
    """With number, letter, duration and text."""
    assert answer(event, b'{"op": "event", "d100": 42}', BOOK) == {
        "event": 42,
        "happens": True,
        "restriction": "F",
        "duration": "turn",
        "scope": "all_flying_both_sides",
        "text": BOOK.table("battlesystem.random-events").row("strong-winds").text,
    }
    told = answer(event, b'{"op": "event", "d100": 54}', BOOK)
    assert (told["restriction"], told["duration"], told["scope"]) == (None, "held_until_used", "player")


@pytest.mark.parametrize("face", [66, 100])
def test_above_65_nothing_happens(face: int) -> None:
    """The answer says so."""
    line = json.dumps({"op": "event", "d100": face}).encode()
    assert answer(event, line, BOOK) == {"event": None, "happens": False}


BAD_LINES = [
    (b"", "this line is blank"),
    (b"{", "this line isn't JSON"),
    (b"[42]", "this line isn't a JSON object: [42]"),
    (b'{"op": "event", "d100": 0}', "a d100 has no face 0"),
    (b'{"op": "event", "d100": 101}', "a d100 has no face 101"),
    (b'{"op": "event", "d100": "42"}', 'd100: "42" is not a whole number: write "d100": 42 without quotes'),
    (b'{"op": "event", "d100": 42.0}', "d100: 42.0 is not a whole number"),
    (b'{"op": "event", "d100": true}', "d100: true is not a whole number"),
    (b'{"op": "event"}', 'missing d100: write for example "d100": 42'),
    (b'{"d100": 42}', 'missing op: write for example "op": "event"'),
    (b'{"op": "evnt", "d100": 42}', "unknown op evnt, did you mean event?"),
    (b'{"op": "event", "d10": 42}', "d10: unknown key, did you mean d100?"),
    (b'{"op": "event", "d100": 42, "d100": 43}', "d100: written twice"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_line_is_answered(line: bytes, words: str) -> None:
    """With an error that explains it."""
    found = answer(event, line, BOOK)
    assert list(found) == ["error"]
    assert words in found["error"]
