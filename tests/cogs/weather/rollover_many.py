"""A process that rolls weeks: `python -m tests.cogs.weather.rollover_many URL LAST DEATH`.

It asks for a week per line that it reads, up to LAST, and answers 1 if it rolled it, else 0. DEATH is `none`, or where
it kills itself in the last week: `dice` (some are rolled), `clock` (nothing is entered), `nonce` (nothing is committed)
or `committed` (nothing is posted). Without Discord's simulation it starts twice as fast.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ParamSpec, TypeVar

from bot.app import FEATURES
from bot.cogs.weather import rollover
from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.draws import SystemDice
from bot.core.errors import NotOpen
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.core.permissions import Person
from bot.kernel import Kernel
from bot.outbox.delivery import Outbox
from bot.rolls.resolver import Resolver, RollResult
from rules.dice import DiceTerm, Roll
from rules.library import Composer, load_shipped_books

LEADER = 2**60
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Thrown:
    """Dice by a function."""

    roll: Callable[[DiceTerm], Roll]


def noon() -> datetime:
    """A fixed time."""
    return datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def die() -> None:
    """End the process like a power cut."""
    os.kill(os.getpid(), signal.SIGKILL)


def mortal(call: Callable[P, T], use: int | None) -> Callable[P, T]:
    """Die at this call of a function."""
    count = itertools.count(1)

    def mortal_call(*args: P.args, **kwargs: P.kwargs) -> T:
        if next(count) == use:
            die()
        return call(*args, **kwargs)

    return mortal_call


def resolver_of(database: Database, death: str) -> Resolver:
    """A resolver that may kill the process."""
    books, randomness = load_shipped_books(), secrets.token_bytes
    nonce = mortal(randomness, 1 if death == "nonce" else None)
    now = mortal(noon, 1 if death == "clock" else None)
    dice = Thrown(mortal(SystemDice().roll, 3 if death == "dice" else None))
    ledger = Ledger(now, randomness)
    kernel = Kernel.build(FEATURES, database=database, ledger=ledger, books=books, composer=Composer(), dice=dice)
    outbox = Outbox(database, ledger=Ledger(noon, nonce))
    return Resolver(
        Library(books, Composer()),
        ledger=ledger,
        outbox=outbox,
        dice=dice,
        kinds=kernel.kinds,
        extension=kernel.resolver.extension,
    )


def write_line(word: object) -> None:
    """Answer the parent process."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def run(url: str, last: int, death: str) -> None:
    """Ask for each week."""
    database = Database(url)
    campaign = await database.read(lambda tx: campaigns.get_campaign(tx, 1))
    assert campaign is not None
    leader = Person(LEADER, campaign.guild_id, frozenset({campaign.game_master_role_id}), manages_server=False)
    resolver = resolver_of(database, death)
    write_line("ready")
    for number in range(1, last + 1):
        sys.stdin.readline()
        write_line(await roll_week(database, resolver, campaign, leader, number))
        if death == "committed" and number == last:
            die()
    await database.close()


async def roll_week(database: Database, resolver: Resolver, campaign: Campaign, leader: Person, number: int) -> int:
    """1 if this process rolled it."""
    try:
        shown = await database.read(rollover.preview, resolver.library, leader, campaign, number)
        answer = await database.write(rollover.roll, resolver, leader, campaign.id, shown.key)
        return int(isinstance(answer, RollResult))
    except NotOpen:
        return 0


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
