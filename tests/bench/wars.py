"""What a war costs: a turn of many orders beside as many patrols, with a long past beside a short one, and what is supplied on a large map."""

from __future__ import annotations

import timeit
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import simcord

from bot.core.draws import SystemDice
from bot.orders.giving import AskedOrder, enter_order
from rules.books.total_war.war import War, supply
from rules.dice import DiceTerm, Roll
from rules.geometry import Hex
from tests.bench.acts import Naps, age, campaign_of, in_turns, master, napping, own_campaign
from tests.bench.orders import LIMIT, patrols
from tests.cogs.war.battle.field import opened
from tests.cogs.war.front import example
from tests.cogs.war.pictures.wars import RULES, scattered
from tests.support.reading import press, response
from tests.support.world import World

PANELS = 1000
RADIUS = 6
"""How far the map of the turns reaches from its middle: 127 panels."""

COLUMNS = (1, -1, 2, -2, 4, -4, 5, -5, 6, -6)
"""Where squadrons stand, apart from the enemy's: in these columns the enemy has nothing on the way."""
SIDES = (("Z", "zaku"), ("E", "gm"))
SQUADRON = """
[[forces]]
name    = "Squadron {}"
kind    = "squadron"
faction = "{}"
units   = ["{}"]
at      = "{}"
"""


async def supplied(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of what is supplied of all factions of a map of 1,000 panels, and of a patrol that is rolled at once."""
    war = _held(scattered(PANELS, 1))
    async with napping(f"sqlite:///{folder / 'supply.db'}") as (world, naps):
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]

        async def supply_all(_turn: int) -> float:
            return timeit.timeit(partial(_all_supplied, war), number=1) * 1000

        return await in_turns({"supply": supply_all, "patrol": partial(patrols, world, naps, 1)}, rounds, warm_up)


async def acts(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of a shot on the board of a battle, and of a patrol, both rolled at once."""
    async with napping(f"sqlite:///{folder / 'acts.db'}") as (world, naps):
        field = await opened(world)
        await world.gm.slash(world.orders, "gm settings", books="campaign, total_war")
        await field.placed(u12="E5", u22="E8")

        async def shoot(_turn: int) -> float:
            world.dice.roll = _lowest  # type: ignore[method-assign]
            taken = await naps.timed(field.do(world.gm, "act", unit="u12", target="u22", roll="now"))
            for _ in ("E", "Z"):
                await field.do(world.gm, "next")
            world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
            return taken

        return await in_turns({"act": shoot, "patrol": partial(patrols, world, naps, 1)}, rounds, warm_up)


def _lowest(term: DiceTerm) -> Roll:
    """Miss, so that whoever is shot at is there in the next turn too."""
    return Roll(term, (1,) * term.count, "bench")


async def beside_patrols(folder: Path, rounds: int, warm_up: int, orders: int) -> dict[str, float]:
    """Median milliseconds of the press that resolves a turn of so many orders, and of as many patrols that are rolled at once."""
    async with napping(f"sqlite:///{folder / 'turns.db'}") as (world, naps):
        world.env.settle_timeout = LIMIT
        names = await _begin(world, world.orders, orders)
        turn = partial(_turn, world, naps, world.orders, names)
        return await in_turns({"turn": turn, "patrols": partial(patrols, world, naps, orders)}, rounds, warm_up)


async def behind(folder: Path, rounds: int, warm_up: int, orders: int, past: tuple[int, int]) -> dict[str, float]:
    """Least milliseconds of the press that resolves a turn of so many orders with few entries behind it, and with many, taken in turns.

    What else runs on the machine makes some rounds longer and none shorter.
    """
    async with napping(f"sqlite:///{folder / 'behind.db'}", campaign=False) as (world, naps):
        world.env.settle_timeout = LIMIT
        channels = {}
        for entries in past:
            channels[entries] = await own_campaign(world, f"war-{entries}")
            names = await _begin(world, channels[entries], orders)
            await age(world, channels[entries], entries)
        spent: dict[int, list[float]] = {entries: [] for entries in past}
        for turn in range(rounds + warm_up):
            for entries, channel in sorted(channels.items(), reverse=turn % 2 == 1):
                spent[entries].append(await _turn(world, naps, channel, names, turn))
        few, many = (min(times[warm_up:]) for times in spent.values())
        return {"few": few, "many": many}


def _held(war: War) -> War:
    """Return a war in which each half of the map is one faction's, so that all of it is supplied."""
    for at in war.panels:
        war = war.with_panel(at, owner="E" if at.q > 0 else "Z")
    return war


def _all_supplied(war: War) -> int:
    found = sum(len(supply(RULES, war, name)) for name in war.factions)
    assert found == PANELS
    return found


async def _begin(world: World, channel: simcord.ChannelHandle, forces: int) -> list[str]:
    """Begin a war with so many squadrons; gives their names."""
    world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    world.typed.append("gm")  # what a model of units is called, and the game master too
    await world.gm.slash(channel, "gm settings", books="campaign, roe, total_war")
    text, names = _scenario(forces)
    shown = response(await world.gm.slash(channel, "gm-war new", scenario=("war.toml", text.encode())))
    await world.gm.click(shown, label="Start")
    return names


def _scenario(forces: int) -> tuple[str, list[str]]:
    """Return the shipped scenario on a larger map with so many squadrons, two panels from each other, and their names."""
    head, forces_and_boards = example().split("[[forces]]", 1)
    boards = forces_and_boards[forces_and_boards.index("[[boards]]") :]
    places = [Hex(q, r) for q in COLUMNS for r in range(max(-RADIUS, -q - RADIUS), min(RADIUS, RADIUS - q) + 1)[1::2]]
    assert len(places) >= forces
    made = [SQUADRON.format(number, *SIDES[at.q > 0], at) for number, at in enumerate(places[:forces])]
    text = "\n".join([head.replace("radius  = 3", f"radius  = {RADIUS}"), *made, boards])
    return text, [f"Squadron {number}" for number in range(forces)]


async def _turn(world: World, naps: Naps, channel: simcord.ChannelHandle, names: Sequence[str], turn: int) -> float:
    """Order each squadron a panel to the north, or back again in every other turn, and end the turn; gives what the press took."""
    bot, campaign = world.bots[0], await campaign_of(world, channel)
    way = "S" if turn % 2 else "N"
    for name in names:
        asked = AskedOrder("Move a force", name, way)
        await bot.database.write(enter_order, bot.resolver, master(world), campaign.id, asked)
    plan = await world.gm.slash(channel, "gm resolve")
    shown = (plan.followups or [response(plan)])[-1]
    taken = await naps.timed(world.gm.click(shown, custom_id=press(shown, "resolve")))
    closing = response(await world.gm.slash(channel, "gm close"))
    await world.gm.click(closing, custom_id=press(closing, "close"))
    return taken
