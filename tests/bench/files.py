"""Files of rules and rosters that are made to take long beside the load of the campaign book, and that load beside TOML's."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from functools import partial
from itertools import islice

from rules.loader import BOOKS, load_folder
from rules.odds import table_odds
from tests.cogs.roster import test_import_bounds as rosters
from tests.rules import test_house as rules


async def measure(rounds: int, most: int) -> dict[str, float]:
    """Milliseconds, best of all rounds: a load of the campaign book, TOML's part of it, and the worst of at most so many files of each kind."""
    texts = [path.read_text("utf-8") for path in sorted((BOOKS / "campaign").glob("*.toml"))]
    full = rules.make_book(rules.fill_file()).tables.values()
    return {
        "load": _best(rounds, lambda: load_folder(BOOKS / "campaign")),
        "toml": _best(rounds, lambda: [tomllib.loads(text) for text in texts]),
        "refused_rules": max(_best(1, partial(rules.list_faults, text)) for text in islice(rules.BOMBS.values(), most)),
        "full_rules": _best(1, lambda: rules.make_book(rules.fill_file())),
        "odds": _best(1, lambda: [table_odds(table, 0) for table in full]),
        "refused_roster": max(_best(1, partial(rosters.faults, *item)) for item in islice(rosters.BOMBS.items(), most)),
    }


def _best(rounds: int, work: Callable[[], object]) -> float:
    spent = []
    for _ in range(rounds):
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return min(spent) * 1000
