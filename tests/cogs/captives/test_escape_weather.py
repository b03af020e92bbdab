"""The weather of an escape: of a region and week that are named, or where a secret place lies."""

from __future__ import annotations

from typing import Any

from tests.cogs.weather.skywatch import FAIR, put, roll
from tests.support.reading import components, option, refused, response, said, text, ticked
from tests.support.world import World, entry

COVER = "weather.covers-escape"


async def taken(world: World, *names: str, at: str = "Fort", **place: Any) -> None:  # noqa: ANN401
    """A base, saved when something is told of it, that holds these captives."""
    if place:
        await world.gm.slash(world.orders, "unit add", name=at, kind="base", **place)
    for name in names:
        await world.gm.slash(world.orders, "captive take", captive=name, by="Zeon", at=at)


async def flee(world: World, **options: Any) -> Any:  # noqa: ANN401
    """What the game master's escape is answered with."""
    return await world.gm.slash(world.orders, "escape", **options)


async def test_a_region_and_a_week_can_be_named(world: World) -> None:
    """Lines 337 and 350: at a place that is not saved the weather counts where and when it is said to be."""
    await put(world, "South Africa", "3", 1)
    await roll(world, *FAIR)
    await taken(world, "Kai")
    card = response(await flee(world, captive="Kai"))
    assert ticked(card, "conditions") == set()
    card = response(await flee(world, captive="Kai", region="madagascar", week=1))
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert ticked(card, "conditions") == {COVER}
    card = response(await flee(world, captive="Kai", region="Lutzow-Holm Bay", week=1))
    assert ticked(card, "conditions") == {COVER, "weather.heatwave-or-freezing"}
    assert "A week needs a region" in refused(await flee(world, captive="Kai", week=1))


async def test_a_region_that_is_named_holds_for_all_who_try(world: World) -> None:
    """Captives of two regions, refused together otherwise, are rolled in the one that is named, those of orders too."""
    await put(world, "South Africa", "3", 1)
    await taken(world, "Kai", region="Madagascar")
    await taken(world, "Ryu", at="Luna", region="Coral Sea")
    assert "name one as region" in refused(await flee(world, captive="Kai, Ryu"))
    card = response(await flee(world, captive="Kai, Ryu", region="Zambeze Basin"))
    assert "in Zambeze Basin" in text(card)
    await world.gm.slash(world.orders, "character add", name="Job", owner=world.player)
    await taken(world, "Job", at="Fort")
    assert "Leave them out and use the note" in refused(
        await world.player.slash(world.orders, "escape", captive="Job", region="Coral Sea")
    )
    await world.player.slash(world.orders, "escape", captive="Job")
    assert "in Zambeze Basin" in text(response(await flee(world, region="zambeze basin", week=1)))


async def test_the_weather_at_a_secret_base_counts_in_secret(world: World) -> None:
    """A captive at a secret base has the weather there, told to the staff by the base's name; the result goes to them."""
    await put(world, "South Africa", "3", 1)
    await taken(world, "Kai", region="Madagascar", secret=True)
    await taken(world, "Ryu", at="Luna", region="Coral Sea", secret=True)
    card = response(await flee(world, captive="Kai, Ryu"))
    assert option(card, "tick:conditions:0", COVER)["description"].startswith("weather at Fort, week 1")
    assert "Madagascar" not in str(list(components(card)))
    world.dice.script(10, 10)
    said(await flee(world, captive="Kai, Ryu", roll="now"))
    first, second = entry(world)["parts"]
    assert [part["audience"] for part in (first, second)] == ["staff", "staff"]
    assert {name for name in first["facts"] if name.startswith("weather.")} == {"weather.storms", "weather.fog"}
    assert not [name for name in second["facts"] if name.startswith("weather.")]
