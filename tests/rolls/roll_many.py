"""A process of its own that rolls many patrols: `python -m tests.rolls.roll_many URL NAME COUNT`."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time

from bot.app import FEATURES, utc_now
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.system_dice import SystemDice
from bot.kernel import Kernel
from bot.rolls.resolver import RollOrder
from rules.compose import Composer
from tests.support.backend import GM, patrol
from tests.support.world import BOOKS


async def roll(url: str, name: str, count: int) -> float:
    """Roll one after the other into the first campaign; gives the seconds it took."""
    database = Database(url)
    ledger = Ledger(utc_now, secrets.token_bytes)
    kernel = Kernel.build(
        FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=SystemDice()
    )
    begun = time.perf_counter()
    for number in range(count):
        order = RollOrder(1, GM.user_id, patrol(f"Zaku {number}", by=name, reason="again"))
        await database.write(kernel.resolver.roll, order)
    spent = time.perf_counter() - begun
    await database.close()
    return spent


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(roll(sys.argv[1], sys.argv[2], int(sys.argv[3]))):.2f}\n")
