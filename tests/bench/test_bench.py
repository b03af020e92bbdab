"""The benchmark gives every figure that it promises; how large they are is no test's business."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.__main__ import GROUPS, Group, Samples
from tests.bench.load import under

pytestmark = pytest.mark.slow

FIGURES = {
    "resolution": {"resolve_vs_d20", "contest_vs_patrol"},
    "sent": {
        "book_load_vs_toml",
        *(f"{name}_vs_book_load" for name in ("refused_rules", "full_rules", "odds", "refused_roster")),
    },
    "waits": {"patrol_now_vs_ping", "card_open_vs_ping", "card_change_vs_ping", "weather_rollover_vs_ping"},
    "turns": {"turn_end_20_effects_vs_patrol_now"},
    "constants": {"patrol_now_vs_canned", "card_open_vs_canned", "card_change_vs_canned"},
    "wired": {"patrol_now_vs_ping_wired", "card_open_vs_ping_wired", "card_change_vs_ping_wired"},
    "histories": {"history_1000_weeks_vs_10"},
    "attacks": {"attack_now_vs_patrol", "attack_card_vs_patrol", "attack_among_12_vs_2"},
    "ordered": {"order_give_vs_ping", "board_edit_vs_ping", "update_100_orders_vs_100_patrol_now"},
    "drawn": {"war_map_100_panels_vs_weather_map"},
    "committed": {"draw_commit_vs_system"},
    "campaigned": {
        "supply_of_1000_panels_vs_patrol_now",
        "battle_act_now_vs_patrol_now",
        "turn_of_40_orders_vs_40_patrol_now",
        "turn_with_10000_entries_vs_100",
    },
    "starts": {"start_vs_bare", "rss_over_bare_mib"},
}
ONE_OF_EACH = Samples(
    rounds=1,
    warm_up=0,
    answers=1,
    starts=1,
    weeks=(1, 2),
    fight=(3, 1),
    orders=3,
    updates=1,
    turn=3,
    past=(1, 2),
    files=1,
)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
async def test_one_sample_of_each_gives_every_figure(group: Group, tmp_path: Path) -> None:
    """Each group measures what it is for, as a number with its parts."""
    figures = await group(tmp_path, ONE_OF_EACH)
    assert set(figures) == FIGURES[group.__name__]
    assert all(item["value"] and all(part > 0 for part in item["parts"].values()) for item in figures.values())


async def test_a_short_load_is_answered_whole(tmp_path: Path) -> None:
    """The driver uses the bot of its own process in every way that the mix names, and each use is answered without an excuse."""
    figures = await under(tmp_path, rate=20, seconds=4)
    assert figures["uses"] == 80
    assert (figures["unanswered"], figures["excuses"]) == (0, {})
    assert all(figures["wait_ms_by_kind"].values())
