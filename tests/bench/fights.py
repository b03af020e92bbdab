"""What an attack costs in a fight: beside a patrol of the same bot, and among many with a long past beside two with a short one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import simcord

from bot.core.draws import SystemDice
from tests.bench.acts import Naps, Timed, age, in_turns, napping, own_campaign, patrol_now
from tests.support.reading import components, newest, press, response
from tests.support.world import World

SWINGS = "S_s_Blade"
"""A weapon of three attack rolls in one Action, after which nothing is owed."""
AT = {"target": "Fighter 1", "roll": "now"}


async def beside_patrols(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of an attack with three rolls, of its card, and of the same of a patrol."""
    async with napping(f"sqlite:///{folder / 'attack.db'}") as (world, naps):
        await _fight(world, world.orders, 2)
        slash = world.gm.slash
        acts: dict[str, Timed] = {
            "patrol_now": naps.of(partial(patrol_now, world)),
            "attack_now": partial(_attack, world, naps, world.orders, 2),
            "patrol_card": naps.of(lambda turn: slash(world.orders, "patrol", patrol=f"C{turn}", target="Ghost")),
            "attack_card": naps.of(lambda _: slash(world.orders, "roe attack", target="Fighter 1")),
        }
        return await in_turns(acts, rounds, warm_up)


async def _attack(world: World, naps: Naps, channel: simcord.ChannelHandle, fighters: int, _turn: int) -> float:
    """Attack, which is timed, and let everybody end the turn."""
    taken = await naps.timed(world.gm.slash(channel, "roe attack", **AT))
    await _round(world, channel, fighters)
    return taken


async def among_many(folder: Path, rounds: int, warm_up: int, many: tuple[int, int]) -> dict[str, float]:
    """Median milliseconds of an attack in a fight of two, and in one of so many with so many entries behind it."""
    async with napping(f"sqlite:///{folder / 'among.db'}", campaign=False) as (world, naps):
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        acts = {}
        for name, (fighters, entries) in (("few", (2, 0)), ("many", many)):
            channel = await own_campaign(world, name)
            await _fight(world, channel, fighters)
            await age(world, channel, entries)
            acts[name] = partial(_attack, world, naps, channel, fighters)
        return await in_turns(acts, rounds, warm_up)


async def _fight(world: World, channel: simcord.ChannelHandle, fighters: int) -> None:
    """Begin a fight of so many, in which the first one has the turn."""
    world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    slash, names = world.gm.slash, [f"Fighter {number}" for number in range(fighters)]
    await slash(channel, "gm settings", books="campaign, roe")
    for name in names:
        await slash(channel, "roster add", kind="pc", name=name)
        await slash(channel, "roster edit", name=name, fields=f"hp: 1000; weapons: {SWINGS}")
    await slash(channel, "fight start", who=", ".join(names))
    await world.gm.click(newest(channel), custom_id=press(newest(channel), "choose"))


async def _round(world: World, channel: simcord.ChannelHandle, fighters: int) -> None:
    """Let everybody end the turn."""
    for _ in range(fighters):
        shown = response(await world.gm.slash(channel, "fight turn"))
        (end,) = [item["custom_id"] for item in components(shown) if ":turn" in item.get("custom_id", "")]
        await world.gm.click(shown, custom_id=end)
