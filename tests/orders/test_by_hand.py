"""Orders count as printed; no pair fights twice."""

from __future__ import annotations

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.captives.test_escape import joint
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import resolved, rolls
from tests.support.world import World, rows, written


async def _people(world: World) -> None:
    await populate(world)
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(
        database,
        Profile("Hayato", "pc", side="EF", owner=mine),
        Profile("Zaku", "squad", side="Zaku"),
        Profile("Luna", "base"),
    )
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")


@pytest.mark.slow
async def test_the_ambushed_are_not_fought_twice(world: World) -> None:
    """An ambush ends the move (line 23)."""
    await _people(world)
    await save(world.bots[0].database, Profile("Hunter", "squad", side="Hunter"))
    await order(world, "Hide", "Hayato", to="Valley")
    await order(world, "Move through a sector", "Hayato", to="Valley")
    await order(world, "Detect in a sector", "Hunter", world.gm, to="Valley")
    await order(world, "Patrol or blockade a sector", "Zaku", world.gm, to="Valley")
    since = written(world)[0]
    told = await resolved(world, 1, 18, 10, 10)
    made = rolls(world, since)
    assert [body["family"] for body in made].count("complications") == 1, told
    sides = {part["subjects"]["side"] for body in made if body["family"] == "complications" for part in body["parts"]}
    assert sides == {"Hunter", "EF"}


@pytest.mark.slow
async def test_captives_who_are_to_escape_elsewhere_count_as_trying_too(world: World) -> None:
    """Two places, one count (line 341)."""
    await _people(world)
    await world.gm.slash(world.orders, "capture", captive="Hayato", by="Zeon", at="Luna")
    await order(world, "Escape", "Amuro")
    await order(world, "Escape", "Hayato")
    since = written(world)[0]
    await resolved(world, 10, 10)
    parts = [part for body in rolls(world, since) for part in body["parts"]]
    assert [joint(part) for part in parts] == ["others try in this update"] * 2
    assert rows(world, "select count(*) from entry where kind = 'roll' and number > ?", since) == [(2,)]
