from __future__ import annotations

import json
from typing import Any

import pytest

from tests.answers.infinity import answer


def ask(op: str, **query: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Answer one query."""
    return answer(json.dumps({"op": op, **query}).encode())


def side(attribute: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Make a side without modifiers."""
    return {"attribute": attribute, "mods": [], **more}


def test_a_success_value_is_told_with_its_parts() -> None:
    """Raw sum, what counts, and its meaning."""
    assert ask("sv", attribute=13, mods=[-6, -3, -6]) == {
        "mod_sum": -15,
        "mod_applied": -12,
        "sv": 1,
        "effective_sv": 1,
        "die_bonus": 0,
        "auto_fail": False,
    }
    high = ask("sv", attribute=23, mods=[15])
    assert (high["sv"], high["effective_sv"], high["die_bonus"]) == (35, 20, 15)
    assert ask("sv", attribute=3, mods=[-6])["auto_fail"] is True


def test_a_normal_roll() -> None:
    """Below 1 nothing is rolled."""
    done = {"sv": 9, "outcome": "success", "result": 8, "die_rolled": True, "succeeded": True}
    assert ask("normal", attribute=12, mods=[-3], die=8) == done
    none = {"sv": -3, "outcome": "auto_failure", "result": None, "die_rolled": False, "succeeded": False}
    assert ask("normal", attribute=3, mods=[-6]) == none
    assert ask("normal", attribute=23, die=17, crits=False)["outcome"] == "success"


def test_a_face_to_face_roll() -> None:
    """Also if a side has no dice."""
    assert ask("face_to_face", a=side(12, dice=[9, 12, 3]), b=side(13, dice=[8])) == {
        "winner": "a",
        "reason": "critical",
        "winner_hits": 2,
        "a": {"sv": 12, "outcome": "critical", "result": 12},
        "b": {"sv": 13, "outcome": "success", "result": 8},
    }
    one = ask("face_to_face", a=side(0), b=side(12, dice=[5], burst=1))
    assert (one["winner"], one["reason"]) == ("b", "only_success")
    assert one["a"] == {"sv": 0, "outcome": "auto_failure", "result": None}


def test_odds_are_whole_numbers() -> None:
    """Unrolled dice count as failures."""
    assert ask("odds_normal", attribute=23) == {"of": 20, "critical": 4, "plain_success": 16, "failure": 0}
    assert ask("odds_normal", attribute=0)["failure"] == 20
    odds = ask("odds_face_to_face", a=side(12, burst=10), b=side(0, burst=1))
    assert (odds["of"], odds["b_wins"]) == (20**11, 0)
    assert odds["none"] == 8**10 * 20


BAD = [
    (b"", "blank"),
    (b"[]", "isn't a JSON object"),
    (b"{}", "missing op"),
    (b'{"op": 1}', "unknown op"),
    (b'{"op": "nromal"}', "did you mean normal?"),
    (b'{"op": "sv"}', "missing attribute"),
    (b'{"op": "sv", "attribute": 1, "attribute": 2}', "written twice"),
    (b'{"op": "sv", "attribute": 13.5}', "attribute: 13.5 is not a whole number"),
    (b'{"op": "sv", "attribute": 100}', "0 to 99, not 100"),
    (b'{"op": "sv", "attribute": 12, "mods": ["-3"]}', 'mods: "-3" is not a whole number'),
    (b'{"op": "sv", "attribute": 12, "mods": "-3"}', 'mods: "-3" is not a list'),
    (b'{"op": "sv", "attribute": 12, "mdos": []}', "did you mean mods?"),
    (b'{"op": "normal", "attribute": 12}', "missing die"),
    (b'{"op": "normal", "attribute": 12, "die": 21}', "no face 21"),
    (b'{"op": "normal", "attribute": 0, "die": 5}', "You don't roll"),
    (b'{"op": "odds_normal", "attribute": 12, "burst": 0}', "1 to 10 dice, not 0"),
    (b'{"op": "face_to_face", "a": {"attribute": 9, "dice": [1]}}', "missing b"),
    (b'{"op": "face_to_face", "a": {"attribute": 9, "dice": [1]}, "b": 3}', "b: 3 is not a table"),
    (
        b'{"op": "face_to_face", "a": {"attribute": 9}, "b": {"attribute": 9, "dice": [1]}}',
        "a: The roll needs another d20",
    ),
    (
        b'{"op": "face_to_face", "a": {"attribute": 9, "dice": [1]}, "b": {"attribute": 9, "dice": [1, 2], "burst": 3}}',
        "b: A burst of 3",
    ),
    (
        b'{"op": "face_to_face", "a": {"attribute": 9, "dice": [1]}, "b": {"attribute": 9, "dise": [1]}}',
        "b: dise: unknown key, did you mean dice?",
    ),
    (b'{"op": "odds_face_to_face", "a": {"attribute": 9}, "b": {"attribute": 9}, "c": {}}', "c: unknown key"),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[words for _, words in BAD])
def test_a_bad_line_is_answered(line: bytes, words: str) -> None:
    """With an error that explains it."""
    found = answer(line)
    assert list(found) == ["error"]
    assert words in found["error"]
