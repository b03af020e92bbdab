"""What orders cost: one that is given, and the edit of the board, beside `/ping`; and an update of many, beside as many patrols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from bot.core.campaigns import open_campaign
from bot.core.draws import SystemDice
from bot.core.profiles import Profile
from bot.orders import board
from bot.orders.board import BOARD, board_buttons, draw_embeds
from bot.orders.giving import AskedOrder, enter_order
from bot.outbox import queue
from bot.outbox.queue import Post
from bot.rolls.resolver import Resolver
from rules.dice import DiceTerm, Roll
from tests.bench.acts import Naps, Timed, in_turns, master, napping, patrol_now
from tests.cogs.captives.cells import save
from tests.support.acting import close_update, use_desk
from tests.support.reading import press, response
from tests.support.world import World

LIMIT = 60.0
"""Seconds that simcord waits for an answer: one press makes many rolls, also where others use the machine."""

FRIENDS = 5
"""How many others have ordered before, whom the board shows too."""


async def beside_ping(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of an order that replaces an earlier one and of `/ping`, and then of the edit of the board that follows an order."""
    async with napping(f"sqlite:///{folder / 'orders.db'}") as (world, naps):
        squads = await _squads(world, FRIENDS)
        await _scouts(world, squads)
        given = {"ping": naps.of(partial(_ping, world)), "order_give": naps.of(partial(_give, world))}
        spent = await in_turns(given, rounds, warm_up)
        await use_desk(world.gm, world.orders, "Board")

        async def edited(turn: int) -> float:
            await _scout(world, squads[0], f"Hill {turn}")
            return await naps.timed(_edit(world))

        return spent | await in_turns({"board_edit": edited}, rounds, warm_up)


async def update(folder: Path, rounds: int, warm_up: int, orders: int) -> dict[str, float]:
    """Median milliseconds of the press that resolves so many orders of one roll each, and of as many patrols that are rolled at once."""
    async with napping(f"sqlite:///{folder / 'update.db'}") as (world, naps):
        world.env.settle_timeout = LIMIT
        squads = await _squads(world, orders)

        async def resolved(_turn: int) -> float:
            await _scouts(world, squads)
            plan = await world.gm.slash(world.orders, "gm resolve")
            shown = (plan.followups or [response(plan)])[-1]
            world.dice.roll = _highest  # type: ignore[method-assign]
            taken = await naps.timed(world.gm.click(shown, custom_id=press(shown, "resolve")))
            world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
            await close_update(world)
            return taken

        acts: dict[str, Timed] = {"update": resolved, "patrols": partial(patrols, world, naps, orders)}
        return await in_turns(acts, rounds, warm_up)


def _highest(term: DiceTerm) -> Roll:
    """Scout a base without being noticed, so that no battle comes of it, which would be a roll of its own."""
    return Roll(term, (term.sides,) * term.count, "bench")


async def patrols(world: World, naps: Naps, number: int, turn: int) -> float:
    """Roll so many patrols at once; gives their milliseconds together."""
    return sum([await naps.timed(patrol_now(world, turn, f"Patrol {place}.")) for place in range(number)])


async def _ping(world: World, _turn: int) -> object:
    return await world.manager.slash(world.orders, "ping")


async def _give(world: World, turn: int) -> object:
    return await world.gm.slash(world.orders, "order give", kind="Scout a base", who="Squad 0", to=f"Base {turn}")


async def _edit(world: World) -> None:
    """Draw the board anew and edit its message."""
    bot = world.bots[0]
    (sent,) = await bot.outbox.send(bot, await bot.database.write(_drawn, bot.resolver))
    assert sent.message_id is not None


def _drawn(tx: Connection, resolver: Resolver) -> list[Post]:
    drawn, old = board.read_board(tx, resolver, open_campaign(tx, 1)), queue.find_about(tx, 1, BOARD, BOARD)
    assert old is not None
    return [resolver.outbox.revise(tx, old, draw_embeds(drawn), buttons=board_buttons(drawn))]


async def _squads(world: World, number: int) -> list[str]:
    """Save as many squads; gives their names."""
    world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    names = [f"Squad {place}" for place in range(number)]
    await save(world.bots[0].database, *(Profile(name, "squad") for name in names))
    return names


async def _scouts(world: World, names: Sequence[str]) -> None:
    """Let squads be ordered to scout a base each, below the commands."""
    for place, name in enumerate(names):
        await _scout(world, name, f"Base {place}")


async def _scout(world: World, name: str, base: str) -> None:
    bot = world.bots[0]
    await bot.database.write(enter_order, bot.resolver, master(world), 1, AskedOrder("Scout a base", name, base))
