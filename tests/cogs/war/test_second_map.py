"""A war that goes on across another map, once the first capitol has fallen and its leaders want it so."""

from __future__ import annotations

import json
import re

from tests.cogs.war.front import E, Front, begun, example, in_fog
from tests.support.reading import response, text
from tests.support.world import World, rows

EARTH = example().replace('"first-days"', '"earth"').replace('"First days"', '"Earth"').replace("= 100\n", "= 500\n")


async def fallen(world: World) -> Front:
    """A war in fog in which Zeon's fleet has taken Luna II, so that both leaders are asked."""
    second = example().replace('title         = "First days"', 'title = "First days"\nsecond = "earth"')
    front = await begun(world, in_fog(second))
    garrison = re.findall(r"\bu[0-9]+\b", await front.sheet("3,-3"))
    for what, to in (*(("unit", f"- {unit}") for unit in garrison), ("force", "2nd Fleet to 2,-3")):
        await world.gm.slash(world.orders, "war set", what=what, to=to, reason="Luna II is open")
    await front.order(front.bo, "Move a force", "2nd Fleet", to="3,-3")
    await front.resolve()
    return front


async def moved_on(front: Front) -> str:
    """Let both leaders answer that the war goes on, and the second scenario begin; return what its preview says."""
    world = front.world
    await world.gm.slash(world.orders, "update close", name="Two")
    await front.order(front.ann, "Answer for a faction", E, to="on")
    await front.order(front.bo, "Answer for a faction", "Zeon", to="on")
    await front.resolve()
    onlooker = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    for who in (world.gm, onlooker):  # that it goes on is no secret, unlike who has answered what
        assert "The war goes on with the scenario earth. A game master starts it" in await front.sheet(who=who)
    shown = response(await world.gm.slash(world.orders, "war new", scenario=("earth.toml", EARTH.encode())))
    await world.gm.click(shown, label="Start")
    return text(shown)


async def test_the_groups_of_factions_go_on(world: World) -> None:
    """Whatever they are called by then, with those in them; no others are made."""
    front = await fallen(world)
    await world.gm.slash(world.orders, "campaign group edit", group=E, name="Federals")
    before = text(response(await world.gm.slash(world.orders, "campaign group list")))
    await moved_on(front)
    assert text(response(await world.gm.slash(world.orders, "campaign group list"))) == before
    assert "Ann" in before


async def test_turns_are_counted_on_across_the_second_map(world: World) -> None:
    """The war that begins there is in the turn in which the other one ended, wherever a turn is named."""
    front = await fallen(world)
    await moved_on(front)
    turns = [json.loads(value)["turn"] for (value,) in rows(world, "select value from state where name = 'war'")]
    assert turns == [2, 2]
    assert "Earth, turn 2" in await front.sheet()
