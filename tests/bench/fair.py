"""A patrol whose dice follow from a committed seed beside one with the system's dice and no record of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.draws import SystemDice
from bot.core.ledger import EntryDraft, Epoch, Ledger
from bot.core.records import Link
from bot.rolls import resolver
from tests.bench.acts import in_turns, napping, patrol_now


class _System(SystemDice):
    """Dice of the operating system in place of a draw."""

    def __init__(self, *_drawn_from: object) -> None:
        pass

    def of_part(self, _part: int) -> SystemDice:
        """Return the dice of a part."""
        return self

    def add_record(self, draft: EntryDraft) -> EntryDraft:
        """Return the entry without a record of its dice."""
        return draft


@contextmanager
def _uncommitted(tx: Connection, _ledger: Ledger, campaign: Campaign) -> Iterator[tuple[Link, Epoch, tuple[()]]]:
    """Give what the next entry is chained to, as before there were epochs."""
    yield entries.find_link(tx, campaign.id, campaign.uuid), Epoch(0, "", ""), ()


@contextmanager
def _by_the_system() -> Iterator[None]:
    module: Any = resolver
    kept, current = module.Draw, module.find_current
    module.Draw, module.find_current = _System, _uncommitted
    try:
        yield
    finally:
        module.Draw, module.find_current = kept, current


async def measure(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of a whole `/patrol roll:now` of either kind."""
    async with napping(f"sqlite:///{folder / 'fair.db'}", drawn=True) as (world, naps):

        async def system(turn: int) -> float:
            with _by_the_system():
                return await naps.timed(patrol_now(world, turn, "System"))

        return await in_turns({"commit": naps.of(partial(patrol_now, world)), "system": system}, rounds, warm_up)
