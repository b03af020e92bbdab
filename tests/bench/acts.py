"""What a person waits for, beside a bare `/ping` of the same bot in the same simulated server.

An act is timed as the simulated person waits for it, less what simcord sleeps with nothing to do: when a task ends in the
very turn of the event loop in which simcord looks, it naps for 50 ms, which hits `/ping` and spares others by chance.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import simcord
import simcord.env
from sqlalchemy import Connection

from bot.actions import Action, perform
from bot.app import FEATURES
from bot.client import Adjutant
from bot.cogs.effects import EndEffect, SetEffect, queries
from bot.cogs.weather.rollover import roll_next
from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.draws import SystemDice
from bot.core.engine import CONNECTIONS
from bot.core.ledger import Ledger
from bot.core.permissions import Person
from bot.kernel import Kernel
from rules.books.roe.turns import LastingMark
from rules.library import Composer
from tests.support.reading import offers, press, response
from tests.support.world import BOOKS, World, running

Act = Callable[[int], Awaitable[object]]
Timed = Callable[[int], Awaitable[float]]


async def in_turns(acts: Mapping[str, Timed], rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of each act that says how many it took, taken in turns so that the machine's mood falls on all alike."""
    spent: dict[str, list[float]] = {name: [] for name in acts}
    for turn in range(rounds + warm_up):
        for name, act in acts.items():
            spent[name].append(await act(turn))
    return {name: median(times[warm_up:]) for name, times in spent.items()}


class Naps:
    """Stands for asyncio within simcord's settling, and adds up how long it waited for tasks of which none ended."""

    def __init__(self, database: Database) -> None:
        self._seconds = 0.0
        self._database = database

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever asyncio has
        return getattr(asyncio, name)

    async def wait(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - asyncio's own signature
        """Wait as asyncio does, and note it when it was in vain: nothing ended, and no thread was at work."""
        begun = time.perf_counter()
        done, pending = await asyncio.wait(*args, **named)
        if not done and all(isinstance(waited, asyncio.Task) for waited in pending) and not self._transaction_runs():
            self._seconds += time.perf_counter() - begun
        return done, pending

    def _transaction_runs(self) -> bool:
        """Check whether a thread of aiosqlite is at work; simcord has no future to wait for it."""
        connections: Any = self._database._connections
        return bool(connections._turns._value < CONNECTIONS)

    async def timed(self, act: Awaitable[object]) -> float:
        """Milliseconds of an act, without the naps in it."""
        begun, napped = time.perf_counter(), self._seconds
        await act
        return (time.perf_counter() - begun - self._seconds + napped) * 1000

    def of(self, act: Act) -> Timed:
        """Return an act that says how many milliseconds it took, without the naps in it."""
        return lambda turn: self.timed(act(turn))


@asynccontextmanager
async def napping(database: str, *, campaign: bool = True, drawn: bool = False) -> AsyncIterator[tuple[World, Naps]]:
    """A world as `running` makes it, and its naps."""
    module: Any = simcord.env
    async with running(database, campaign=campaign, drawn=drawn) as world:
        module.asyncio = naps = Naps(world.bots[0].database)
        try:
            yield world, naps
        finally:
            module.asyncio = asyncio


PEOPLE = 100
"""About how many people a past is: it grows by what happens, and they stay as many."""
BATCH = 500
"""How many entries are made in one transaction."""
EFFECTS = 20
"""How many effects last on the two whose turns end."""


async def turns(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of a turn's end in a fight in which effects last, and of a patrol."""
    async with napping(f"sqlite:///{folder / 'fights.db'}") as (world, naps):
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        await _lasting(world)

        async def end(_turn: int) -> float:
            # Found before the clock runs, since the player who presses sees it.
            post = next(post for post in reversed(world.orders.history()) if offers(post, "turn"))
            asked = response(await world.gm.click(post, custom_id=press(post, "turn")))
            return await naps.timed(world.gm.click(asked, custom_id=press(asked, "sure")))

        return await in_turns({"turn_end": end, "patrol_now": naps.of(partial(patrol_now, world))}, rounds, warm_up)


def patrol_now(world: World, turn: int, name: str = "Patrol") -> Awaitable[object]:
    """Roll a patrol at once."""
    return world.gm.slash(world.orders, "patrol", patrol=f"{name} {turn}", target="Grey Ghost", roll="now")


async def _lasting(world: World) -> None:
    """Begin a fight of two on whom as many effects last, each for more turns than are measured; none takes HP, which is a roll of its own."""
    book = BOOKS["roe"]
    taking = {item.effect for item in book.entries_of(LastingMark).values() if item.takes}
    names = [item.label for item in book.effects.values() if item.trait not in taking]
    who = ["Char", "Kai"]
    await world.gm.slash(world.orders, "gm settings", books="campaign, roe")
    for name in who:
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name, fields="hp: 1000")
    await world.gm.slash(world.orders, "fight start", who=", ".join(who))
    await world.gm.click(world.orders.history()[-1], custom_id=press(world.orders.history()[-1], "choose"))
    for place in range(EFFECTS):
        asked = {"who": who[place % 2], "effect": names[place // 2], "turns": 100}
        await world.gm.slash(world.orders, "gm effect", **asked)


async def rollovers(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of a week's rollover and of `/ping`."""
    async with napping(f"sqlite:///{folder / 'bench.db'}") as (world, naps):
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        acts: dict[str, Act] = {
            "ping": lambda _: world.manager.slash(world.orders, "ping"),
            "weather_rollover": lambda _: _rollover(world),
        }
        return await in_turns({name: naps.of(act) for name, act in acts.items()}, rounds, warm_up)


async def histories(folder: Path, rounds: int, warm_up: int, known: tuple[int, int]) -> dict[str, float]:
    """Median milliseconds of `/forecast view:past weeks` over as many of the newest weeks as the fewest, where few and many weeks are known."""
    async with napping(f"sqlite:///{folder / 'history.db'}", campaign=False) as (world, naps):
        channels = {name: await _live_through(world, weeks) for name, weeks in zip(("few", "many"), known, strict=True)}

        def shown(channel: simcord.ChannelHandle, _turn: int) -> Awaitable[object]:
            return world.gm.slash(channel, "forecast", view="past", weeks=min(known))

        acts = {name: naps.of(partial(shown, channel)) for name, channel in channels.items()}
        return await in_turns(acts, rounds, warm_up)


async def own_campaign(world: World, name: str) -> simcord.ChannelHandle:
    """Create a campaign in channels of its own; gives that of its results."""
    results, staff = (world.guild.create_text_channel(f"{what}-{name}") for what in ("results", "staff"))
    roles = {"game_master": world.roles["gm"], "player": world.roles["player"]}
    await world.manager.slash(results, "campaign create", name=name, results=results, staff=staff, **roles)
    return results


async def campaign_of(world: World, channel: simcord.ChannelHandle) -> Campaign:
    """Return the campaign of a channel."""
    return await world.bots[0].database.read(campaigns.locate_campaign, world.guild.id, (channel.id,))


def master(world: World) -> Person:
    """Return the game master, as the services know them."""
    return Person(world.gm.id, world.guild.id, frozenset({world.roles["gm"].id}), manages_server=False)


async def age(world: World, channel: simcord.ChannelHandle, entries: int) -> None:
    """Let so much happen beside what is measured."""
    bot, campaign = world.bots[0], await campaign_of(world, channel)
    for begins in range(0, entries, BATCH):
        numbers = range(begins, min(begins + BATCH, entries))
        await bot.database.write(_happen, bot, master(world), campaign, numbers)


def _happen(tx: Connection, bot: Adjutant, who: Person, campaign: Campaign, numbers: Sequence[int]) -> None:
    for number in numbers:
        name = f"Somebody {number % PEOPLE}"
        ends = number // PEOPLE % 2
        action: Action = SetEffect(who=name, effect="stunned", until="cleared")
        if ends:
            (lasting,) = queries.list_effects(tx, bot.library, who, campaign, name)
            picked = queries.KEY.match(lasting.key)
            action = EndEffect(**queries.KEY.read(picked)) if picked else action
        perform(tx, bot.resolver, who, campaign.id, action)


async def _live_through(world: World, weeks: int) -> simcord.ChannelHandle:
    """Let a campaign live through many weeks, below the panels; gives its channel."""
    results, database = await own_campaign(world, f"weeks-{weeks}"), world.bots[0].database
    ledger = Ledger(world.clock, secrets.token_bytes)
    kernel = Kernel.build(
        FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=SystemDice()
    )
    campaign = await campaign_of(world, results)
    for _ in range(weeks):
        await database.write(roll_next, kernel.resolver, campaign, world.gm.id)
    return results


async def _rollover(world: World) -> object:
    """The week's whole chore: the preview, and the press that rolls, posts the digest and draws its map."""
    preview = response(await world.gm.slash(world.orders, "weather rollover"))
    return await world.gm.click(preview, custom_id=press(preview, "roll"))
