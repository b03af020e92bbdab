"""House rules that are taken back: what players may roll on is as it was before them."""

from __future__ import annotations

import pytest

from bot.core import campaigns
from tests.cogs.house_rules.homebrew import rolled, shown, switched_on, table
from tests.support.acting import take_back
from tests.support.reading import assert_says, refused, said
from tests.support.soundness import require_whole
from tests.support.world import World, entry


async def taken_back(world: World, number: int) -> str:
    """What taking an entry back is answered with."""
    return said(await take_back(world, "void", entry=number, reason="A slip"))


async def open_tables(world: World) -> tuple[str, ...]:
    """What players may do in the campaign."""
    return (await world.bots[-1].database.read(campaigns.open_campaign, 1, lock=False)).players_may


@pytest.mark.slow
async def test_a_removal_that_is_taken_back_opens_its_tables_again(world: World) -> None:
    """The players who could roll on a table can do so again; the answer and the ledger say it, to players nothing of it."""
    await switched_on(world, table() + table("gems"))
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, loot")
    await world.gm.slash(world.orders, "table remove", name="loot")
    assert await open_tables(world) == ("scouting",)
    told = await taken_back(world, 5)
    assert_says(told, "Entry #5 undone", "Open to players again: loot.")
    assert await open_tables(world) == ("scouting", "loot")
    assert entry(world)["edited"] == {"players_may": {"before": ["scouting"], "after": ["scouting", "loot"]}}
    assert "Open to players again: loot." in await shown(world, 6)
    assert "loot" not in (await shown(world, 6, world.player)).partition("undone")[2].partition("Why")[2]
    world.dice.script(6, sides=6)
    assert "Much" in said(await world.player.slash(world.orders, "table roll", name="loot", roll="now"))
    assert "I can't find a table" in refused(await world.player.slash(world.orders, "table roll", name="gems"))
    await require_whole(world)


@pytest.mark.slow
async def test_a_version_that_is_taken_back_takes_its_tables_along(world: World) -> None:
    """What the version before brought is open again as it was, and what the new one brought is closed."""
    await switched_on(world, table())
    await world.gm.slash(world.orders, "campaign edit", players_may="loot")
    await switched_on(world, table("gems"), do="edit")
    await world.gm.slash(world.orders, "campaign edit", players_may="gems, scouting")
    await taken_back(world, 5)
    assert await open_tables(world) == ("scouting", "loot")
    assert "Little" in await rolled(world, "loot", 1)
    await require_whole(world)


@pytest.mark.slow
async def test_a_first_version_that_is_taken_back_opens_nothing(world: World) -> None:
    """Its table is gone, and what was open besides stays open."""
    await switched_on(world, table())
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, loot")
    assert "again" not in await taken_back(world, 3)
    assert await open_tables(world) == ("scouting",)
    await require_whole(world)
