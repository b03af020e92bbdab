"""Token buckets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.client import Buckets, Limits
from bot.core.config import Pace

PACES = st.builds(Pace, st.integers(1, 50), st.sampled_from([0.5, 1.0, 3.0, 20.0]))
STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 5)), max_size=200)


@given(PACES, STEPS)
def test_nobody_gets_more_than_the_pace_allows_and_nobody_less(pace: Pace, steps: list[tuple[str, float]]) -> None:
    """In any span, for each key."""
    buckets, now = Buckets(pace), 1000.0
    got: dict[str, list[float]] = {"a": [], "b": []}
    for key, pause in steps:
        now += pause
        wait = buckets.wait(key, now)
        if wait:
            assert buckets.wait(key, now + wait) == 0
            assert buckets.wait(key, now + wait / 2) > 0
        else:
            buckets.take(key, now)
            got[key].append(now)
            for first, since in enumerate(got[key]):
                assert len(got[key]) - first <= pace.burst + (now - since) * pace.rate + 0.01
    assert all(len(times) >= min(pace.burst, sum(key == item for item, _ in steps)) for key, times in got.items())


def test_the_edge_of_a_pace() -> None:
    """A burst's next token comes after a second."""
    buckets = Buckets(Pace(3, 1))
    for _ in range(3):
        assert buckets.wait("a", 10.0) == 0
        buckets.take("a", 10.0)
    assert buckets.wait("a", 10.0) == pytest.approx(1)
    assert buckets.wait("a", 10.99) == pytest.approx(0.01)
    assert buckets.wait("a", 11.0) == 0


def test_full_buckets_are_forgotten() -> None:
    """Only recent ones are in memory."""
    buckets = Buckets(Pace(10, 1))
    for number in range(100_000):
        buckets.take(number, number / 100)
    assert len(buckets) <= 2 * 10 * 100 + 1


def test_who_is_held_back_leaves_others_what_is_theirs() -> None:
    """Members and servers don't starve each other."""
    limits = Limits(Pace(10, 1), Pace(60, 20))
    asked = [limits.wait(1, member, 0.0) for member in range(500)]
    assert sum(wait == 0 for wait in asked) == 60
    assert limits.wait(2, 1, 0.0) == 0
    limits = Limits(Pace(10, 1), Pace(60, 20))
    assert sum(limits.wait(1, 7, 0.0) == 0 for _ in range(1000)) == 10
    assert sum(limits.wait(1, member, 0.0) == 0 for member in range(100, 200)) == 50


def test_without_paces_nobody_waits() -> None:
    """Limits can be off, or only a server's."""
    limits = Limits(None, None)
    assert not any(limits.wait(1, 1, 0.0) for _ in range(1000))
    private = Limits(Pace(2, 1), Pace(1, 1))
    assert [limits > 0 for limits in (private.wait(None, 1, 0.0) for _ in range(3))] == [False, False, True]


@pytest.mark.parametrize("text", ["20+2", "10+0.5", "1+1"])
def test_a_pace_is_written_as_it_is_read(text: str) -> None:
    """Text and pace convert both ways."""
    assert str(Pace.read(text)) == text


@pytest.mark.parametrize("text", ["", "20", "0+1", "1+0", "-1+2", "20+2+3", "many", "1+1e9"])
def test_what_is_no_pace_is_refused(text: str) -> None:
    """The error says what's right."""
    with pytest.raises(ValueError, match="such as 20"):
        Pace.read(text)
