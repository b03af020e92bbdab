"""Measure everything and print one JSON object; exit 1 when a figure is out of reach."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import acts, fair, fights, files, maps, orders, past, plain, rolls, wars, web

Figures = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Samples:
    """How often each thing is measured, after how many times that do not count; `weeks` are the histories that are compared, `fight` is how many fight with how many entries behind them, `orders` is how many are resolved in one update, that many `updates` long; `turn` is how many a turn of a war has, `past` how many entries lie behind those that are compared, `files` how many files of each kind are tried at most."""

    rounds: int = 15
    warm_up: int = 3
    weeks: tuple[int, int] = (10, 1000)
    fight: tuple[int, int] = (12, 1000)
    orders: int = 100
    updates: int = 5
    turn: int = 40
    past: tuple[int, int] = (100, 10_000)
    files: int = 100

    @property
    def each(self) -> tuple[int, int]:
        """How often an act is measured, after how many times that do not count."""
        return self.rounds, self.warm_up

    @property
    def long(self) -> tuple[int, int]:
        """The same of what takes many rolls each time."""
        return self.updates, min(self.warm_up, 1)


Measure = Callable[[Path, Samples], Awaitable[Mapping[str, float]]]
Group = Callable[[Path, Samples], Awaitable[Figures]]


def figure(value: float, reach: float, parts: Mapping[str, float]) -> dict[str, Any]:
    """A figure with what it is made of and what it is to stay under."""
    rounded = {name: _rounded(part) for name, part in parts.items()}
    return {"value": _rounded(value), "reach": reach, "within": value <= reach, "parts": rounded}


def _rounded(value: float) -> float:
    """Four digits, wherever they begin: a file that is refused at once costs a two-hundredth of a load, not nothing."""
    return float(f"{value:.4g}")


def ratios(measure: Measure, unit: str = "ms", **wanted: tuple[str, str, float]) -> Group:
    """Figures by name: what is measured beside what, and how many times as much it may cost."""

    async def figures(folder: Path, samples: Samples) -> Figures:
        spent = await measure(folder, samples)
        return {
            name: figure(spent[one] / spent[other], reach, {f"{part}_{unit}": spent[part] for part in (one, other)})
            for name, (one, other, reach) in wanted.items()
        }

    return figures


GROUPS: dict[str, Group] = {
    # The engine beside d20, and a contest beside the table of a patrol.
    "resolution": ratios(
        lambda _, n: rolls.measure(n.rounds),
        "us",
        resolve_vs_d20=("patrol", "d20", 2.5),
        contest_vs_patrol=("contest", "patrol", 1.5),
    ),
    # The campaign book beside TOML's part of it, and the worst files that people may send beside the book.
    "sent": ratios(
        lambda _, n: files.measure(n.rounds, n.files),
        book_load_vs_toml=("load", "toml", 4),
        refused_rules_vs_book_load=("refused_rules", "load", 30),
        full_rules_vs_book_load=("full_rules", "load", 30),
        odds_vs_book_load=("odds", "load", 30),
        refused_roster_vs_book_load=("refused_roster", "load", 90),
    ),
    # A week's rollover in the simulated server.
    "waits": ratios(
        lambda folder, n: acts.rollovers(folder, *n.each), weather_rollover_vs_ping=("weather_rollover", "ping", 40)
    ),
    # Few weeks of weather out of many beside as many out of few.
    "histories": ratios(
        lambda folder, n: acts.histories(folder, *n.each, n.weeks), history_1000_weeks_vs_10=("many", "few", 1.5)
    ),
    # An attack with three rolls, and its card, beside those of a patrol.
    "attacks": ratios(
        lambda folder, n: fights.beside_patrols(folder, *n.each),
        attack_now_vs_patrol=("attack_now", "patrol_now", 1.5),
        attack_card_vs_patrol=("attack_card", "patrol_card", 1.5),
    ),
    # An attack among many with a long past beside one among two.
    "crowds": ratios(
        lambda folder, n: fights.among_many(folder, *n.each, n.fight), attack_among_12_vs_2=("many", "few", 1.1)
    ),
    # The end of a turn with 20 effects.
    "turns": ratios(
        lambda folder, n: acts.turns(folder, *n.each), turn_end_20_effects_vs_patrol_now=("turn_end", "patrol_now", 1.5)
    ),
    # An order and the edit of the board.
    "ordered": ratios(
        lambda folder, n: orders.beside_ping(folder, *n.each),
        order_give_vs_ping=("order_give", "ping", 8),
        board_edit_vs_ping=("board_edit", "ping", 8),
    ),
    # An update of many orders beside as many patrols that are rolled at once.
    "updates": ratios(
        lambda folder, n: orders.update(folder, *n.long, n.orders),
        update_100_orders_vs_100_patrol_now=("update", "patrols", 0.7),
    ),
    # The map of a war beside the map of a week's weather.
    "drawn": ratios(
        lambda _, n: maps.measure(n.rounds), war_map_100_panels_vs_weather_map=("war_map", "weather_map", 2)
    ),
    # A patrol with dice from a committed seed beside one with the system's dice and no record of them.
    "committed": ratios(
        lambda folder, n: fair.measure(folder, *n.each), draw_commit_vs_system=("commit", "system", 1.1)
    ),
    # The supply of a large map.
    "supplied": ratios(
        lambda folder, n: wars.supplied(folder, *n.each), supply_of_1000_panels_vs_patrol_now=("supply", "patrol", 1)
    ),
    # An act on the board of a battle.
    "battles": ratios(
        lambda folder, n: wars.acts(folder, *n.each), battle_act_now_vs_patrol_now=("act", "patrol", 1.3)
    ),
    # A turn of a war beside patrols that are rolled at once.
    "war_turns": ratios(
        lambda folder, n: wars.beside_patrols(folder, *n.long, n.turn),
        turn_of_40_orders_vs_40_patrol_now=("turn", "patrols", 1.2),
    ),
    # A turn of a war with a long past beside a short one.
    "war_pasts": ratios(
        lambda folder, n: wars.behind(folder, 2 * n.updates, min(n.warm_up, 1), n.turn, n.past),
        turn_with_10000_entries_vs_100=("many", "few", 1.1),
    ),
}


PAGES = {"ledger_list": ("ledger_page_1m_vs_1k", 1.1), "search_page": ("search_page_1m_vs_1k", 1.2)}
"""What figures of a long past are called that have a name of their own, and their reach."""


async def pasts(folder: Path) -> Figures:
    """A campaign with a million entries beside one with a thousand."""
    spent = await past.measure(folder, 4 * Samples().rounds)
    figures = {}
    for act, (few, many) in spent.items():
        name, reach = PAGES.get(act, (f"{act}_1000000_vs_1000", 1.2))
        figures[name] = figure(many / few, reach, {"many_ms": many, "few_ms": few})
    return figures


async def site(folder: Path, pages: int = 200, cached: int = 10_000, rounds: int = 10, times: int = 20) -> Figures:
    """A public site: 1,000 cached pages a second, 100 uncached ones, and patrols beside readers."""
    found = await web.measure(folder, pages, cached, rounds, times)
    figures = {}
    for name, reach in (("cached", 1), ("uncached", 10)):
        each, slowest = found[name]
        figures[f"page_{name}_ms"] = figure(each, reach, {"a_second": 1000 / each})
        figures[f"page_{name}_p99_ms"] = figure(slowest, 100, {"p99_ms": slowest})
    beside, alone = found["patrol"]
    figures["patrol_beside_readers_vs_alone"] = figure(beside / alone, 1.1, {"beside_ms": beside, "alone_ms": alone})
    return figures


async def main(what: str | None, keep: Path | None) -> int:
    """Run all benchmarks, or those of a long past, the plain bot or a public site; `keep` is where the campaigns of those stay to be used again."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as name:
        if what == "plain":
            rows = await plain.measure(Path(name), rounds=6, times=200, starts=5)
            sys.stdout.write(plain.table(rows) + "\n")
            return int(any(row.value > row.reach for row in rows))
        if what == "past":
            figures = await pasts(keep or Path(name))
        elif what == "web":
            figures = await site(Path(name))
        else:
            for group in GROUPS.values():
                figures |= await group(Path(name), Samples())
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return int(not all(item["within"] for item in figures.values()))


WHAT = (
    "only what a long past costs (3 GB, some minutes), what an act costs compared with a plain bot (seven minutes),"
    " or what readers of a public site wait for (a minute)"
)

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["past", "plain", "web"], help=WHAT)
    parser.add_argument("--keep", type=Path, help="the folder in which the campaigns with a long past are kept")
    given = parser.parse_args()
    raise SystemExit(asyncio.run(main(given.what, given.keep)))
