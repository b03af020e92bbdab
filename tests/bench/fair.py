"""A patrol whose dice follow from a committed seed beside one with the system's dice and no record of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.epochs import Epoch
from bot.core.ledger import EntryDraft, Ledger
from bot.core.records import Link
from bot.core.system_dice import SystemDice
from bot.rolls import resolver
from tests.bench.acts import napping


class _System(SystemDice):
    """Dice of the operating system in place of a draw."""

    def __init__(self, *_drawn_from: object) -> None:
        pass

    def of_part(self, _part: int) -> SystemDice:
        """Return the dice of a part."""
        return self

    def recorded(self, draft: EntryDraft) -> EntryDraft:
        """Return the entry without a record of its dice."""
        return draft


@contextmanager
def _uncommitted(tx: Connection, _ledger: Ledger, campaign: Campaign) -> Iterator[tuple[Link, Epoch, tuple[()]]]:
    """Give what the next entry is chained to, as before there were epochs."""
    yield entries.newest(tx, campaign.id, campaign.uuid), Epoch(0, "", ""), ()


@contextmanager
def _by_the_system() -> Iterator[None]:
    module: Any = resolver
    kept, under_way = module.Draw, module.turnover.under_way
    module.Draw, module.turnover.under_way = _System, _uncommitted
    try:
        yield
    finally:
        module.Draw, module.turnover.under_way = kept, under_way


async def measure(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of a whole `/patrol roll:now` of either kind, taken in turns."""
    spent: dict[str, list[float]] = {"commit": [], "system": []}
    async with napping(f"sqlite:///{folder / 'fair.db'}", drawn=True) as (world, naps):
        for turn in range(rounds + warm_up):
            for name, times in spent.items():
                options = {"patrol": f"{name} {turn}", "target": "Grey Ghost", "roll": "now"}
                act = world.gm.slash(world.orders, "patrol", **options)
                if name == "commit":
                    times.append(await naps.timed(act))
                    continue
                with _by_the_system():
                    times.append(await naps.timed(act))
    return {name: median(times[warm_up:]) for name, times in spent.items()}
