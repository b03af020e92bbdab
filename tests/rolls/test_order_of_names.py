"""The order in which names are typed never changes what they come to."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.cogs.weather.skywatch import put
from tests.support.prepared import prepared
from tests.support.reading import assert_says, control, odds, press, response, text
from tests.support.world import World, entry

PLACES = {"Ghost": "Arabia", "Wraith": "Madagascar", "Shade": "Madagascar", "Mole": "Saharan Africa", "Reed": None}
"""Where each hider is saved to be: in Arabia is Fog, in Madagascar Storms and Fog, in Saharan Africa nothing that counts."""


@prepared
async def hiders(world: World) -> None:
    """Hiders in several weathers, of whom Ghost is secret."""
    await put(world, "South Africa", "6", 1)
    await put(world, "North Africa", "1", 1)
    for name, region in PLACES.items():
        place = {} if region is None else {"region": region}
        await world.gm.slash(world.orders, "unit add", name=name, kind="squad", secret=name == "Ghost", **place)


async def chances(world: World, command: str, **options: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401
    """The exact odds of each part on a card, by its key."""
    card = response(await world.gm.slash(world.orders, command, **options))
    found = {}
    for part in control(card, "part")["options"]:
        await world.gm.select(card, [part["value"]], custom_id=press(card, "part"))
        found[part["label"].partition(". ")[2]] = odds(card)
    return found


@pytest.mark.parametrize(
    "names",
    [
        ("Ghost", "Wraith"),
        ("Ghost", "Reed", "Shade"),
        ("Mole", "Wraith", "Ghost"),
        pytest.param(("Reed", "Mole", "Shade", "Ghost"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    ("command", "role", "others"),
    [
        ("detect", "hidden", {"detector": "Owl"}),
        pytest.param("patrol", "target", {"patrol": "Kilo"}, marks=pytest.mark.slow),
        pytest.param("scout", "scouter", {"base": "Fort"}, marks=pytest.mark.slow),
    ],
)
async def test_names_come_to_the_same_in_every_order(
    world: World, command: str, role: str, others: dict[str, str], names: tuple[str, ...]
) -> None:
    """Also with somebody secret among them, and in several regions."""
    await hiders(world)
    orders = [*permutations(names)]
    found = [await chances(world, command, **others, **{role: ", ".join(some)}) for some in orders]
    assert {*found[0]} == {*names}
    assert all(one == found[0] for one in found)


async def test_a_secret_name_first_leaves_the_others_their_weather(world: World) -> None:
    """Of two hiders the open one has the weather of its region, and the region is told of it."""
    await hiders(world)
    world.dice.script(10, 10)
    await world.gm.slash(world.orders, "detect", detector="Owl", hidden="Ghost, Wraith", roll="now")
    (found,) = (part for part in entry(world)["parts"] if part["key"] == "Wraith")
    assert found["steps"][0]["total"] == 11
    assert entry(world)["region"] == "Madagascar"


async def test_each_part_has_the_weather_where_it_happens(world: World) -> None:
    """Hiders in two regions have two weathers; card, result and search name the region of each."""
    await hiders(world)
    card = response(await world.gm.slash(world.orders, "detect", detector="Owl", hidden="Wraith, Mole"))
    assert "in Madagascar: Severe Storms and Violent Storms" in text(card)
    await world.gm.select(card, ["1"], custom_id=press(card, "part"))
    assert "in Saharan Africa" in text(card)
    world.dice.script(10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["region"] for part in entry(world)["parts"]] == ["Madagascar", "Saharan Africa"]
    assert_says("\n".join(text(message) for message in world.staff.history()), "Madagascar", "Saharan Africa")
    found = text(response(await world.gm.slash(world.orders, "ledger search", region="Saharan Africa")))
    assert "Mole" in found
