"""What random.org replies is read whatever it is, and counts only where it fits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rolls.fairness.outside import LACKING, METHOD, NUMBERS, describe_lacking, describe_outside
from bot.rolls.fairness.random_org import Usage, read_reply, read_usage

ASKED = {"campaign": "c", "entry": 3, "intent": "f" * 64, "situation": "0" * 64}
RANDOM: dict[str, Any] = {
    "method": METHOD,
    **NUMBERS,
    "replacement": True,
    "base": 10,
    "data": list(range(9)),
    "userData": ASKED,
    "serialNumber": 7,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["random", "data", "code", "id", "n"]), inner),
    max_leaves=10,
)


def replied(**changed: Any) -> bytes:  # noqa: ANN401 - any JSON
    """A reply with a random object in which something may be otherwise."""
    result = {"random": RANDOM | changed, "signature": "c2ln", "advisoryDelay": 1500}
    return json.dumps({"jsonrpc": "2.0", "result": result, "id": "name"}).encode()


def test_a_fitting_reply_is_an_answer() -> None:
    """The random object is kept as it was written, spaces too; the pause is told in seconds."""
    reply = read_reply(replied(), 200, "name", ASKED)
    assert reply.answer is not None
    assert reply.answer.random == json.dumps(RANDOM)
    assert (reply.lacking, reply.pause) == (None, 1.5)


@given(st.binary(), st.integers(100, 599))
def test_no_bytes_make_it_raise(data: bytes, status: int) -> None:
    """What is no reply is told as such."""
    for lacking in (read_reply(data, status, "name", ASKED).lacking, read_usage(data, status, "name")):
        assert not isinstance(lacking, Usage)
        assert lacking is not None
        assert lacking["why"] in LACKING


@given(JSON, st.sampled_from(["result", "error", "id", "jsonrpc"]))
@pytest.mark.slow
def test_no_envelope_makes_it_raise(value: Any, name: str) -> None:  # noqa: ANN401 - any JSON
    """Whatever stands in a reply of the right form, it is read, and why there is no answer can be said."""
    envelope = {**json.loads(replied()), name: value}
    reply = read_reply(json.dumps(envelope).encode(), 200, "name", ASKED)
    assert reply.answer is not None or describe_outside({"lacking": reply.lacking}).endswith("seed alone")


@given(JSON, st.sampled_from(sorted(RANDOM)))
def test_nothing_else_than_was_asked_for_is_an_answer(value: Any, name: str) -> None:  # noqa: ANN401 - any JSON
    """A random object with another value anywhere is none, but for what random.org itself chooses."""
    reply = read_reply(replied(**{name: value}), 200, "name", ASKED)
    chosen = name in {"data", "serialNumber"} or value == RANDOM[name]
    assert chosen or reply.answer is None


def test_every_reason_is_a_sentence() -> None:
    """Each reads as the beginning of one, with the code where there is one."""
    for why in LACKING:
        words = describe_lacking({"why": why, "code": 418})
        assert words[0].isupper() or words.startswith("random.org")
        assert "{" not in words
