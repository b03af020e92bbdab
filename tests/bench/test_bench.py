"""The benchmark gives every figure that it promises; how large they are is no test's business."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import plain
from tests.bench.__main__ import GROUPS, Samples, site
from tests.bench.load import under

pytestmark = pytest.mark.slow

ONE_OF_EACH = Samples(
    rounds=1,
    warm_up=0,
    weeks=(1, 2),
    fight=(3, 1),
    orders=3,
    updates=1,
    turn=3,
    past=(1, 2),
    files=1,
)


@pytest.mark.parametrize("group", GROUPS)
async def test_one_sample_of_each_gives_every_figure(group: str, tmp_path: Path) -> None:
    """Each group measures what it is for, as numbers with their parts."""
    figures = await GROUPS[group](tmp_path, ONE_OF_EACH)
    assert figures
    assert all(item["value"] and all(part > 0 for part in item["parts"].values()) for item in figures.values())


async def test_readers_of_a_site_are_measured(tmp_path: Path) -> None:
    """Cached and uncached pages, and patrols beside readers."""
    figures = await site(tmp_path, pages=10, cached=20, rounds=1, times=2)
    assert len(figures) == 5
    assert all(item["value"] > 0 for item in figures.values())


async def test_every_act_is_measured_beside_the_plain_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both bots answer each act, and the table has CPU time and wait of each, memory and start."""
    monkeypatch.setattr(plain, "REST", 0)
    rows = await plain.measure(tmp_path, rounds=1, times=40, starts=1)
    assert len(rows) == 2 * len(plain.REACHES) + 2
    assert all(cost > 0 for row in rows for cost in row.both)
    assert plain.table(rows).count("\n") == len(rows) + 1


async def test_a_short_load_is_answered_whole(tmp_path: Path) -> None:
    """The driver uses the bot of its own process in every way that the mix names, and each use is answered without an excuse."""
    figures = await under(tmp_path, rate=20, seconds=4)
    assert figures["uses"] == 80
    assert (figures["unanswered"], figures["excuses"]) == (0, {})
    assert all(figures["wait_ms_by_kind"].values())
