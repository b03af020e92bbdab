"""Measure everything and print one JSON object; exit 1 when a figure is out of reach."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from tests.bench import acts, canned, fair, fights, files, maps, orders, past, rolls, start, wars, wire

Figures = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Samples:
    """How often each thing is measured, after how many times that do not count; `weeks` are the histories that are compared, `fight` is how many fight with how many entries behind them, `orders` is how many are resolved in one update, that many `updates` long; `turn` is how many a turn of a war has, `past` how many entries lie behind those that are compared, `files` how many files of each kind are tried at most."""

    rounds: int = 15
    warm_up: int = 3
    answers: int = 40
    starts: int = 5
    weeks: tuple[int, int] = (10, 1000)
    fight: tuple[int, int] = (12, 1000)
    orders: int = 100
    updates: int = 5
    turn: int = 40
    past: tuple[int, int] = (100, 10_000)
    files: int = 100


class Group(Protocol):
    """Figures that are measured together."""

    __name__: str

    async def __call__(self, folder: Path, samples: Samples, /) -> Figures:
        """Measure them, with files in a folder."""
        ...


def figure(value: float, reach: float, parts: Mapping[str, float]) -> dict[str, Any]:
    """A figure with what it is made of and what it is to stay under."""
    rounded = {name: round(part, 3) for name, part in parts.items()}
    return {"value": round(value, 2), "reach": reach, "within": value <= reach, "parts": rounded}


async def resolution(_folder: Path, samples: Samples) -> Figures:
    """The engine beside d20, and a contest beside the table of a patrol."""
    spent = rolls.measure(samples.rounds)
    ours, theirs, contest = spent["patrol"], spent["d20"], spent["contest"]
    return {
        "resolve_vs_d20": figure(ours / theirs, 2.5, {"resolve_us": ours, "d20_us": theirs}),
        "contest_vs_patrol": figure(contest / ours, 1.5, {"contest_us": contest, "patrol_us": ours}),
    }


async def sent(_folder: Path, samples: Samples) -> Figures:
    """The campaign book beside TOML's part of it, and the worst files that people may send beside the book."""
    spent = files.measure(samples.rounds, samples.files)
    load = spent["load"]
    reaches = {"refused_rules": 30, "full_rules": 30, "odds": 30, "refused_roster": 90}
    return {"book_load_vs_toml": figure(load / spent["toml"], 4, {"load_ms": load, "toml_ms": spent["toml"]})} | {
        f"{name}_vs_book_load": figure(spent[name] / load, reach, {f"{name}_ms": spent[name], "load_ms": load})
        for name, reach in reaches.items()
    }


async def waits(folder: Path, samples: Samples) -> Figures:
    """Commands and card changes beside /ping."""
    spent = await acts.measure(folder, samples.rounds, samples.warm_up)
    reaches = {"patrol_now": 10, "card_open": 8, "card_change": 6, "weather_rollover": 40}
    return {
        f"{name}_vs_ping": figure(
            spent[name] / spent["ping"], reach, {f"{name}_ms": spent[name], "ping_ms": spent["ping"]}
        )
        for name, reach in reaches.items()
    }


async def turns(folder: Path, samples: Samples) -> Figures:
    """The end of a turn with 20 effects beside a patrol that is rolled at once."""
    spent = await acts.turns(folder, samples.rounds, samples.warm_up)
    parts = {f"{name}_ms": value for name, value in spent.items()}
    return {"turn_end_20_effects_vs_patrol_now": figure(spent["turn_end"] / spent["patrol_now"], 1.5, parts)}


async def constants(folder: Path, samples: Samples) -> Figures:
    """The same beside constants of the same size."""
    spent = await canned.measure(folder, samples.answers, samples.warm_up)
    reaches = {"patrol_now": 2, "card_open": 1.8, "card_change": 1.7}
    return {
        f"{name}_vs_canned": figure(
            spent[name][0] / spent[name][1], reach, {f"{name}_ms": spent[name][0], "canned_ms": spent[name][1]}
        )
        for name, reach in reaches.items()
    }


async def wired(folder: Path, samples: Samples) -> Figures:
    """The same over a socket, up to the first answer, beside /ping."""
    spent = await wire.measure(folder, samples.answers, samples.warm_up)
    reaches = {"patrol_now": 4, "card_open": 3, "card_change": 3}
    return {
        f"{name}_vs_ping_wired": figure(
            spent[name] / spent["ping"], reach, {f"{name}_ms": spent[name], "ping_ms": spent["ping"]}
        )
        for name, reach in reaches.items()
    }


async def histories(folder: Path, samples: Samples) -> Figures:
    """Few weeks of weather out of many beside as many out of few."""
    spent = await acts.histories(folder, samples.rounds, samples.warm_up, samples.weeks)
    few, many = spent.values()
    return {"history_1000_weeks_vs_10": figure(many / few, 1.5, {"many_ms": many, "few_ms": few})}


async def attacks(folder: Path, samples: Samples) -> Figures:
    """An attack with three rolls, and its card, beside those of a patrol, and among many beside among two."""
    spent = await fights.beside_patrols(folder, samples.rounds, samples.warm_up)
    figures = {
        f"attack_{how}_vs_patrol": figure(
            spent[f"attack_{how}"] / spent[f"patrol_{how}"],
            1.5,
            {f"{what}_ms": spent[f"{what}_{how}"] for what in ("attack", "patrol")},
        )
        for how in ("now", "card")
    }
    among = await fights.among_many(folder, samples.rounds, samples.warm_up, samples.fight)
    parts = {f"{name}_ms": taken for name, taken in among.items()}
    return figures | {"attack_among_12_vs_2": figure(among["many"] / among["few"], 1.1, parts)}


async def ordered(folder: Path, samples: Samples) -> Figures:
    """An order and the edit of the board beside /ping; and an update of many beside as many patrols that are rolled at once."""
    spent = await orders.beside_ping(folder, samples.rounds, samples.warm_up)
    figures = {
        f"{name}_vs_ping": figure(spent[name] / spent["ping"], 8, {f"{name}_ms": spent[name], "ping_ms": spent["ping"]})
        for name in ("order_give", "board_edit")
    }
    taken = await orders.update(folder, samples.updates, min(samples.warm_up, 1), samples.orders)
    parts = {f"{name}_ms": value for name, value in taken.items()}
    return figures | {"update_100_orders_vs_100_patrol_now": figure(taken["update"] / taken["patrols"], 1.1, parts)}


async def drawn(_folder: Path, samples: Samples) -> Figures:
    """The map of a war beside the map of a week's weather."""
    spent = maps.measure(samples.rounds)
    parts = {f"{name}_ms": value for name, value in spent.items()}
    return {"war_map_100_panels_vs_weather_map": figure(spent["war_map"] / spent["weather_map"], 2, parts)}


async def committed(folder: Path, samples: Samples) -> Figures:
    """A patrol with dice from a committed seed beside one with the system's dice and no record of them."""
    spent = await fair.measure(folder, samples.rounds, samples.warm_up)
    parts = {f"{name}_ms": value for name, value in spent.items()}
    return {"draw_commit_vs_system": figure(spent["commit"] / spent["system"], 1.1, parts)}


async def campaigned(folder: Path, samples: Samples) -> Figures:
    """A turn of a war beside patrols that are rolled at once, and with a long past beside a short one; an act on a board, and the supply of a large map."""
    first = min(samples.warm_up, 1)
    spent = await wars.supplied(folder, samples.rounds, samples.warm_up)
    acts_on_board = await wars.acts(folder, samples.rounds, samples.warm_up)
    turn = await wars.beside_patrols(folder, samples.updates, first, samples.turn)
    behind = await wars.behind(folder, 2 * samples.updates, first, samples.turn, samples.past)
    few, many = behind["few"], behind["many"]
    return {
        "supply_of_1000_panels_vs_patrol_now": figure(spent["supply"] / spent["patrol"], 1, _in_ms(spent)),
        "battle_act_now_vs_patrol_now": figure(
            acts_on_board["act"] / acts_on_board["patrol"], 1.3, _in_ms(acts_on_board)
        ),
        "turn_of_40_orders_vs_40_patrol_now": figure(turn["turn"] / turn["patrols"], 1.2, _in_ms(turn)),
        "turn_with_10000_entries_vs_100": figure(many / few, 1.1, _in_ms(behind)),
    }


def _in_ms(spent: Mapping[str, float]) -> dict[str, float]:
    return {f"{name}_ms": value for name, value in spent.items()}


async def starts(folder: Path, samples: Samples) -> Figures:
    """The process beside a bare bot, in turns; the first start migrates and is not counted."""
    database = folder / "start.db"
    await start.start(start.ADJUTANT, database)
    taken = [
        (await start.start(start.ADJUTANT, database), await start.start(start.BARE, database))
        for _ in range(samples.starts)
    ]
    ours, bare = median(a.seconds for a, _ in taken), median(b.seconds for _, b in taken)
    held, bare_held = median(a.mib for a, _ in taken), median(b.mib for _, b in taken)
    return {
        "start_vs_bare": figure(ours / bare, 1.8, {"adjutant_s": ours, "bare_s": bare}),
        "rss_over_bare_mib": figure(held - bare_held, 32, {"adjutant_mib": held, "bare_mib": bare_held}),
    }


GROUPS: tuple[Group, ...] = (
    resolution,
    sent,
    waits,
    constants,
    wired,
    histories,
    attacks,
    turns,
    ordered,
    drawn,
    committed,
    campaigned,
    starts,
)


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


async def main(what: str | None, keep: Path | None) -> int:
    """Run all benchmarks, or those of a long past; `keep` is where the campaigns of those stay to be used again."""
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as name:
        if what == "past":
            figures = await pasts(keep or Path(name))
        else:
            for group in GROUPS:
                figures |= await group(Path(name), Samples())
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return int(not all(item["within"] for item in figures.values()))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["past"], help="only what a long past costs (3 GB, some minutes)")
    parser.add_argument("--keep", type=Path, help="the folder in which the campaigns with a long past are kept")
    given = parser.parse_args()
    raise SystemExit(asyncio.run(main(given.what, given.keep)))
