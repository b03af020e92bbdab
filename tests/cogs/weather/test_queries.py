"""Looking weather up in Discord, what its categories mean and how that is changed, and what is offered while typing."""

from __future__ import annotations

from typing import Any

from tests.cogs.weather.skywatch import FAIR, put, roll, whole
from tests.support.reading import assert_says, components, refused, response, said, text
from tests.support.world import World, send_raw


async def test_a_region_named_like_a_zone_has_a_history_of_its_own(world: World) -> None:
    """South Africa is a zone and a region: shown as a region, named in any case; in the history the zone unless the region is picked, with its Details."""
    for number in (3, 2, 1):
        await put(world, "South Africa", "2", number)
    told = said(await world.gm.slash(world.orders, "weather show", region="SOUTH  africa", week=1))
    assert_says(told, "South Africa, week 1", "**Fog, Overcast**")
    zone = await world.gm.slash(world.orders, "weather history", place="South Africa")
    assert "**Week 3** · category 2" in said(zone)
    offered = await world.gm.autocomplete(world.orders, "weather history", "place", "south africa")
    assert [choice["value"] for choice in offered] == ["South Africa", "South Africa (region)"]
    shown = response(await world.gm.slash(world.orders, "weather history", place=offered[1]["value"]))
    assert "**Week 1** · Fog, Overcast" in whole(await world.gm.click(shown, label="Details"))


UNKNOWN: list[tuple[str, dict[str, Any], list[str]]] = [
    ("show", {"region": "Madagascr"}, ["I don't know the region 'Madagascr'", "Did you mean Madagascar?"]),
    ("show", {"region": "**Luna**"}, ["I don't know the region '**Luna**'", "from the list while you type"]),
    ("show", {"week": 2}, ["I don't know the weather of week 2", "Pick a week from 1 to 1"]),
    ("show", {"week": 0}, ["I don't know the weather of week 0"]),
    ("history", {"place": "Indai"}, ["I don't know the zone or region 'Indai'", "Did you mean India?"]),
    ("categories", {"zone": "India"}, ["I don't know the weather zone 'India'"]),
    ("edit", {"region": "Indai", "category": "3"}, ["I don't know the region 'Indai'", "Did you mean India?"]),
    ("edit", {"region": "India", "category": "goood"}, ["no category 'goood'", "Did you mean Good?"]),
    (
        "edit",
        {"region": "Davis Sea", "category": "6"},
        ["Antarctic Sea has no category '6'", "Pick one of: 7 East, 6 East"],
    ),
]


async def test_what_is_not_known_is_named_with_what_is_near(world: World) -> None:
    """An unknown region, zone, category or week is refused privately with a suggestion in the page's own spelling."""
    await roll(world, *FAIR)
    for command, options, words in UNKNOWN:
        told = refused(await world.gm.slash(world.orders, f"weather {command}", **options))
        assert [word for word in words if word not in told.replace("\\", "")] == []
        assert "**Luna**" not in told


async def test_a_list_of_categories_that_sends_nothing_breaks_nothing(world: World) -> None:
    """A use of the lists without a pick, which Discord does not send, is refused or shows the zone."""
    shown = response(await world.player.slash(world.orders, "weather categories", zone="australia"))
    zones, categories = (item["custom_id"] for item in components(shown) if item["type"] == 3)
    assert "I don't know the weather zone" in refused(await send_raw(world.player, world.orders, zones))
    await send_raw(world.player, world.orders, categories, on=shown)
    assert "what the categories mean" in text(shown)


async def offered(world: World, command: str, option: str, typed: str, **filled: str) -> list[str]:
    """The values offered for an option being typed, each shown as it is; Discord takes 25 of 100 characters."""
    found = await world.gm.autocomplete(world.orders, command, option, typed, **filled)
    assert len(found) <= 25
    assert all(1 <= len(choice["name"]) <= 100 and choice["name"] == choice["value"] for choice in found)
    values = [choice["value"] for choice in found]
    assert len(set(values)) == len(values), "nothing is offered twice"
    return values


async def test_zones_regions_and_places_are_completed(world: World) -> None:
    """Each option offers those of the weather's names that hold what was typed, in any case."""
    cases: list[tuple[str, str, str, list[str]]] = [
        ("weather show", "region", "indian", [f"{name} Indian Ocean" for name in ("West", "Central", "East", "South")]),
        ("weather edit", "region", " INDIA ", ["West Indian Ocean", "India"]),
        ("weather categories", "zone", "asia", ["South and Southeast Asia"]),
        ("weather set", "zone", "afr", ["South Africa", "North Africa"]),
        ("weather history", "place", "asia", ["South and Southeast Asia", "Southeast Asia"]),
        ("patrol", "region", "mada", ["Madagascar"]),
        ("scout", "region", "mada", ["Madagascar"]),
        ("detect", "region", "mada", ["Madagascar"]),
        ("detect", "region", "luna", []),
    ]
    for command, option, typed, expected in cases:
        found = await offered(world, command, option, typed)
        assert found[: len(expected)] == expected
        assert expected or not found


async def test_categories_are_those_of_the_zone_beside_them(world: World) -> None:
    """Set offers the categories of the zone that is named, edit those of the region's zone; all while none is named."""
    asia = ["Good", *map(str, range(1, 7))]
    assert await offered(world, "weather set", "category", "", zone="south and southeast asia") == asia
    assert await offered(world, "weather edit", "category", "", region="India") == asia
    west = await offered(world, "weather edit", "category", "west", region="Davis Sea")
    assert west == [f"{number} West" for number in range(1, 8)]
    every = await offered(world, "weather set", "category", "")
    assert {"7", "7 East", "7 West", "Good"} <= set(every)
    assert len(await offered(world, "weather history", "place", "")) == 25


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """In an unbound channel the weather offers nothing, and its commands say what to do."""
    lobby = world.guild.create_text_channel("lobby")
    for command, option in (
        ("weather show", "region"),
        ("weather history", "place"),
        ("weather categories", "zone"),
        ("weather set", "category"),
        ("patrol", "region"),
    ):
        assert await world.gm.autocomplete(lobby, command, option, "a") == []
    for command in ("show", "history", "forecast", "categories", "rollover"):
        assert "/campaign link" in refused(await world.gm.slash(lobby, f"weather {command}"))
