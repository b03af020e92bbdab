"""Roll many patrols in a process: `python -m tests.rolls.roll_many URL NAME COUNT`."""

from __future__ import annotations

import asyncio
import secrets
import sys

from bot.app import FEATURES, utc_now
from bot.core.database import Database
from bot.core.draws import SystemDice
from bot.core.ledger import Ledger
from bot.kernel import Kernel
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import RollOrder
from rules.library import Composer, load_shipped_books

LEADER = 2**60


async def roll(url: str, name: str, count: int) -> None:
    """Roll repeatedly in the first campaign."""
    database = Database(url)
    ledger = Ledger(utc_now, secrets.token_bytes)
    kernel = Kernel.build(
        FEATURES, database=database, ledger=ledger, books=load_shipped_books(), composer=Composer(), dice=SystemDice()
    )
    for number in range(count):
        part = PartRequest(subjects={"patrol": name, "target": f"Zaku {number}"}, choices={"stance": "hostile"})
        request = RollRequest(book="campaign", family="patrol", parts=(part,), reason="again")
        await database.write(kernel.resolver.roll, RollOrder(1, LEADER, request))
    await database.close()


if __name__ == "__main__":
    asyncio.run(roll(sys.argv[1], sys.argv[2], int(sys.argv[3])))
