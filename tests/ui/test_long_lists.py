from __future__ import annotations

from typing import Any

import pytest

from bot.cogs.war.wars import LAYERS
from bot.core.profiles import Profile
from rules.geometry import Hex, disc, hex_distance
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.privacy.people import show_data
from tests.cogs.war.front import begun, example
from tests.orders.test_limits import NAMES, require_fitting
from tests.support.acting import open_group, open_settings, save_group
from tests.support.prepared import prepared
from tests.support.reading import response, text
from tests.support.world import World

LISTS: list[tuple[str, dict[str, Any]]] = [
    ("ledger", {}),
    ("ledger", {"text": "note"}),
    ("unit", {}),
    ("gm effect", {}),
    ("captives", {}),
    ("order list", {}),
    ("update show", {}),
    ("writeups", {}),
    ("gm settings", {}),
    ("table show", {}),
    ("help", {}),
    ("luck", {}),
]


@prepared
async def crowded(world: World) -> None:
    """Fill a campaign with the longest names."""
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(database, *(Profile(name, "base", side=name[::-1], region=name) for name in NAMES[:60]))
    await save(database, *(Profile(f"C{name[:59]}", "pc", owner=mine) for name in NAMES[:60]))
    for name in NAMES[:12]:
        await world.gm.slash(world.orders, "capture", captive=f"C{name[:59]}", by=name[::-1], at=name)
        await world.gm.slash(world.orders, "gm effect", who=name, effect="under-siege")
    world.dice.script(*[10] * 250)
    for place in range(10):
        sides = {"detector": ", ".join(NAMES[place : place + 5]), "hidden": ", ".join(NAMES[20 + place : 25 + place])}
        await world.gm.slash(world.orders, "detect", **sides, note="note " + "*_" * 240, roll="now")


@pytest.mark.parametrize(("command", "options"), LISTS, ids=[command for command, _ in LISTS])
async def test_each_list_fits(world: World, command: str, options: dict[str, Any]) -> None:
    """For the staff, who see all."""
    await crowded(world)
    result = await world.gm.slash(world.orders, command, **options)
    for message in (response(result), *result.followups):
        require_fitting(message)


async def test_what_is_kept_about_a_player_fits(world: World) -> None:
    """With sixty characters of theirs."""
    await crowded(world)
    require_fitting(await show_data(world, world.player))


async def test_a_group_of_many_is_saved_and_answered(world: World) -> None:
    """With the longest names."""
    await crowded(world)
    units = ", ".join(NAMES[:50])
    result = await save_group(world, name="G" * 60, members=units)
    require_fitting(response(result))
    listed = await open_settings(world.gm, world.orders, "Groups")
    assert "G" * 60 in text(response(listed))
    for message in (response(listed), *listed.followups):
        require_fitting(message)
    window = await world.gm.click(await open_group(world, "G" * 60), label="Edit")
    assert window.modal is not None
    assert window.modal["components"][1]["component"]["value"].count(", ") == 49


@pytest.mark.parametrize("layer", LAYERS)
async def test_the_largest_map_fits(world: World, layer: str) -> None:
    """A war on the most panels."""
    far = [panel for panel in disc(Hex(0, 0), 30) if hex_distance(panel, Hex(0, 0)) > 3]
    owned = ", ".join(f'"{at}"' for at in far[: len(far) // 2])
    largest = example().replace("radius  = 3", "radius  = 30").replace("{ E = [", f"{{ E = [{owned}, ")
    front = await begun(world, largest)
    shown = await world.gm.slash(front.world.orders, "war map", layer=layer)
    require_fitting(response(shown))
