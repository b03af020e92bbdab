"""A process of its own that rolls weeks of weather: `python -m tests.store.rollover_many URL LAST DEATH`.

It says when it is ready, waits for a line, asks for every week up to LAST in order and writes how many it rolled itself.
DEATH is `none`, or where in the first week that it rolls it kills itself on the spot: `dice` (half of the zones are
thrown), `clock` (all is thrown, nothing is entered), `nonce` (all is written, nothing is committed), or `committed`
(nothing is posted).
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
from typing import ParamSpec, TypeVar

from bot.app import PROVIDERS
from bot.dice.system import SystemDice
from bot.errors import NotOpen
from bot.library import Library
from bot.posts import Outbox
from bot.resolver import Resolver, Rolled
from bot.services.almanac import Almanac
from bot.services.people import Person
from bot.services.weather import Weather
from bot.situation import Situation
from bot.store import campaigns
from bot.store.database import Database
from rules.dice import DiceTerm, Roll
from tests.bot.world import BOOKS, Clock
from tests.store.house import GM

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Thrown:
    """Dice by a function."""

    roll: Callable[[DiceTerm], Roll]


def die() -> None:
    """End this process as a power cut does."""
    os.kill(os.getpid(), signal.SIGKILL)


def mortal(call: Callable[P, T], use: int | None) -> Callable[P, T]:
    """The function, which ends the process at this use of it; never when None."""
    count = itertools.count(1)

    def mortal_call(*args: P.args, **kwargs: P.kwargs) -> T:
        if next(count) == use:
            die()
        return call(*args, **kwargs)

    return mortal_call


def service(database: Database, death: str) -> Weather:
    """The service on a database, with ends that may kill it."""
    library, clock, randomness = Library(BOOKS), Clock(), secrets.token_bytes
    almanac = Almanac(database, library)
    nonce = mortal(randomness, 1 if death == "nonce" else None)
    outbox = Outbox(database, clock=clock, randomness=nonce)
    resolver = Resolver(
        database,
        library,
        dice=Thrown(mortal(SystemDice().roll, 3 if death == "dice" else None)),
        situation=Situation(PROVIDERS),
        outbox=outbox,
        clock=clock,
        randomness=randomness,
    )
    now = mortal(clock, 1 if death == "clock" else None)
    return Weather(database, resolver, almanac, outbox, clock=now, randomness=randomness)


async def roll(url: str, last: int, death: str) -> int:
    """Ask for every week in turn; gives how many this process rolled."""
    database = Database(url)
    campaign = await database.read(lambda tx: campaigns.get(tx, 1))
    assert campaign is not None
    leader = Person(GM.user_id, campaign.guild_id, frozenset({campaign.game_master_role_id}), manages_server=False)
    weather = service(database, death)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    mine = 0
    for number in range(1, last + 1):
        try:
            ahead = await weather.preview(leader, campaign, number)
            mine += isinstance(await weather.roll(leader, campaign.id, number, ahead.seen), Rolled)
        except NotOpen:
            continue
        if death == "committed":
            die()
    await database.close()
    return mine


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(roll(sys.argv[1], int(sys.argv[2]), sys.argv[3]))}\n")
