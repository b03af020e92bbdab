"""The map of a war of 100 panels beside the map of a week's weather, each with its facts, words and bytes."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from statistics import median

from bot.cogs.war.wars import MapView
from bot.cogs.weather.drawing import draw_week
from bot.cogs.weather.pictures import alt
from bot.ui.pictures.gallery import kept
from rules.books.campaign.weather import describe_week
from rules.climate import WeekAccount
from tests.cogs.war.pictures.wars import RULES, scattered
from tests.cogs.weather.skies import BOOK, week

PANELS = 100


async def measure(rounds: int) -> dict[str, float]:
    """Median milliseconds of each, taken in turns, once both have been drawn."""
    war, account = scattered(PANELS, 1), describe_week(week(BOOK, 3, "good"), None, BOOK)
    draws: dict[str, Callable[[], object]] = {
        "war_map": MapView(RULES, war).draw,
        "weather_map": partial(_week, account),
    }
    spent: dict[str, list[float]] = {name: [] for name in draws}
    for _ in range(rounds + 1):
        for name, draw in draws.items():
            kept.clear()
            spent[name].append(timeit.timeit(draw, number=1))
    return {name: median(times[1:]) * 1e3 for name, times in spent.items()}


def _week(account: WeekAccount) -> tuple[bytes, str]:
    return draw_week(account, BOOK), alt(account)
