"""What an attack costs in a fight: beside a patrol of the same bot, and among many with a long past beside two with a short one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import simcord

from bot.app import FEATURES
from bot.cogs.effects.service import set_effect
from bot.core import campaigns
from bot.core.permissions import Person
from bot.core.system_dice import SystemDice
from tests.bench.acts import napping
from tests.support.reading import components, newest, press, response
from tests.support.world import World

SWINGS = "S_s_Blade"
"""A weapon of three attack rolls in one Action, after which nothing is owed."""
AT = {"target": "Fighter 1", "roll": "now"}


async def beside_patrols(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of an attack with three rolls, of its card, and of the same of a patrol, taken in turns."""
    async with napping(f"sqlite:///{folder / 'attack.db'}") as (world, naps):
        await _fight(world, world.orders, 2)
        slash = world.gm.slash
        acts: dict[str, Callable[[int], Awaitable[object]]] = {
            "patrol_now": lambda turn: slash(world.orders, "patrol", patrol=f"P{turn}", target="Ghost", roll="now"),
            "attack_now": lambda _: slash(world.orders, "roe attack", **AT),
            "patrol_card": lambda turn: slash(world.orders, "patrol", patrol=f"C{turn}", target="Ghost"),
            "attack_card": lambda _: slash(world.orders, "roe attack", target="Fighter 1"),
        }
        spent: dict[str, list[float]] = {name: [] for name in acts}
        for turn in range(rounds + warm_up):
            for name, act in acts.items():
                spent[name].append(await naps.timed(act(turn)))
                if name == "attack_now":
                    await _round(world, world.orders, 2)
        return {name: median(times[warm_up:]) for name, times in spent.items()}


async def among_many(folder: Path, rounds: int, warm_up: int, many: tuple[int, int]) -> dict[str, float]:
    """Median milliseconds of an attack in a fight of two, and in one of so many with so many entries behind it."""
    async with napping(f"sqlite:///{folder / 'among.db'}", campaign=False) as (world, naps):
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        channels = {}
        for fighters, entries in ((2, 0), many):
            channels[fighters] = await own_campaign(world, f"Sea {fighters}")
            await _fight(world, channels[fighters], fighters)
            await _age(world, f"Sea {fighters}", entries)
        spent: dict[int, list[float]] = {fighters: [] for fighters in channels}
        for _ in range(rounds + warm_up):
            for fighters, channel in channels.items():
                spent[fighters].append(await naps.timed(world.gm.slash(channel, "roe attack", **AT)))
                await _round(world, channel, fighters)
        few, more = (median(times[warm_up:]) for times in spent.values())
        return {"few": few, "many": more}


async def own_campaign(world: World, name: str) -> simcord.ChannelHandle:
    """Create a campaign of this name, such as Sea 2, in channels of its own; gives that of its results."""
    results, staff = (world.guild.create_text_channel(f"{what}-{name[4:]}") for what in ("results", "staff"))
    roles = {"game_master": world.roles["gm"], "player": world.roles["player"]}
    await world.manager.slash(results, "campaign create", name=name, results=results, staff=staff, **roles)
    return results


async def _fight(world: World, channel: simcord.ChannelHandle, fighters: int) -> None:
    """Begin a fight of so many, in which the first one has the turn."""
    world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    slash, names = world.gm.slash, [f"Fighter {number}" for number in range(fighters)]
    await slash(channel, "campaign edit", books="campaign, roe")
    for name in names:
        await slash(channel, "character add", name=name)
        await slash(channel, "character edit", name=name, fields=f"hp: 1000; weapons: {SWINGS}")
    await slash(channel, "fight start", who=", ".join(names))
    await world.gm.click(newest(channel), custom_id=press(newest(channel), "choose"))


async def _round(world: World, channel: simcord.ChannelHandle, fighters: int) -> None:
    """Let everybody end the turn."""
    for _ in range(fighters):
        shown = response(await world.gm.slash(channel, "fight turn"))
        (end,) = [item["custom_id"] for item in components(shown) if ":turn" in item.get("custom_id", "")]
        await world.gm.click(shown, custom_id=end)


async def _age(world: World, name: str, entries: int) -> None:
    """Let so much happen outside of the fight."""
    bot = world.bots[0]
    campaign = await bot.database.read(campaigns.by_name, world.guild.id, name)
    assert campaign is not None
    assert campaign.game_master_role_id is not None
    asker = Person(world.gm.id, world.guild.id, frozenset({campaign.game_master_role_id}), manages_server=False)
    for number in range(entries):
        by = (bot.ledger, bot.library, FEATURES, asker, campaign.id)
        await bot.database.write(set_effect, *by, f"Somebody {number}", "stunned", "cleared")
