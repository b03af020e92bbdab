"""Looking weather up in Discord, what its categories mean and how that is changed, and what is offered while typing."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.cogs.weather.skywatch import FAIR, ROUGH, details, put, roll, whole
from tests.support.reading import components, press, refused, response, said, text
from tests.support.world import World, entry, send_raw, written


def pictures(result: simcord.InteractionResult) -> list[tuple[str, str | None]]:
    """The pictures of an answer: file name, and what shows it."""
    answer = response(result)
    assert answer.ephemeral
    shown = [embed.image.url for embed in answer.embeds if embed.image.url]
    return list(zip([item.filename for item in answer.attachments], shown, strict=True))


async def test_a_week_is_shown_to_players_with_its_map(world: World) -> None:
    """The newest week is shown privately with all zones, their regions' conditions, its entry and the map."""
    await roll(world, *FAIR)
    await roll(world, *ROUGH)
    result = await world.player.slash(world.orders, "weather show")
    told = said(result)
    assert "Weather of week 2" in told
    assert "South Africa **5**" in told
    assert "**Worse:** everywhere" in told
    assert "Entry #4" in told
    assert pictures(result) == [("weather.png", "attachment://weather.png")]
    assert response(result).embeds[0].description is None, "the map comes first"
    told = await details(world, "weather show")
    assert "**South Africa: 5**" in told
    assert "Severe Storms, Rainstorm: Madagascar" in told
    older = await world.player.slash(world.orders, "weather show", week=1)
    assert "**South Africa: Good**" in whole(await world.player.click(response(older), label="Details"))


@pytest.mark.slow
async def test_a_week_that_was_set_names_both_entries(world: World) -> None:
    """The rollover's entry, and the one by which the game master set something in it since."""
    await roll(world, *FAIR)
    assert "Entry #3 \N{MIDDLE DOT} Iron Sea" in said(await world.player.slash(world.orders, "weather show"))
    await put(world, "Australia", "6")
    told = said(await world.player.slash(world.orders, "weather show"))
    assert "Entry #3, set by hand in entry #4 \N{MIDDLE DOT} Iron Sea" in told


async def test_one_region_is_shown_for_one_week(world: World) -> None:
    """A region, named in any case, is told alone with the week before, and an older week on request."""
    await roll(world, *FAIR)
    await roll(world, *ROUGH)
    told = said(await world.gm.slash(world.orders, "weather show", region="new  ZEALAND"))
    assert "New Zealand, week 2" in told
    assert "**Severe Storms, Snowstorm, Freezing, Thick Fog**" in told
    assert "Last week: Good weather" in told
    assert "Madagascar" not in told
    told = said(await world.gm.slash(world.orders, "weather show", region="New Zealand", week=1))
    assert "**Good weather**" in told
    assert "Last week" not in told


@pytest.mark.slow
async def test_a_region_named_like_a_zone_has_a_history_of_its_own(world: World) -> None:
    """South Africa is a zone and a region: shown as a region, and in the history the zone unless the region is picked."""
    await put(world, "South Africa", "2", 1)
    told = said(await world.gm.slash(world.orders, "weather show", region="South Africa"))
    assert "South Africa, week 1" in told
    assert "**Fog, Overcast**" in told
    assert "**Week 1** · category 2" in said(
        await world.gm.slash(world.orders, "weather history", place="South Africa")
    )
    offered = await world.gm.autocomplete(world.orders, "weather history", "place", "south africa")
    assert [choice["value"] for choice in offered] == ["South Africa", "South Africa (region)"]
    told = said(await world.gm.slash(world.orders, "weather history", place=offered[1]["value"]))
    assert "**Week 1** · Fog, Overcast" in told


UNKNOWN: list[tuple[str, dict[str, Any], list[str]]] = [
    ("show", {"region": "Madagascr"}, ["knows no region 'Madagascr'", "Did you mean Madagascar?"]),
    ("show", {"region": "**Luna**"}, ["knows no region '**Luna**'", "offered while you type"]),
    ("show", {"week": 2}, ["Week 2 has no weather", "Known are weeks 1 to 1"]),
    ("show", {"week": 0}, ["Week 0 has no weather"]),
    ("history", {"place": "Indai"}, ["knows no zone or region 'Indai'", "Did you mean India?"]),
    ("categories", {"zone": "India"}, ["knows no weather zone 'India'"]),
    ("edit", {"region": "Indai", "category": "3"}, ["knows no region 'Indai'", "Did you mean India?"]),
    ("edit", {"region": "India", "category": "goood"}, ["no category 'goood'", "Did you mean Good?"]),
    (
        "edit",
        {"region": "Davis Sea", "category": "6"},
        ["Antarctic Sea has no category '6'", "There are: 7 East, 6 East"],
    ),
]


async def test_what_is_not_known_is_named_with_what_is_near(world: World) -> None:
    """An unknown region, zone, category or week is refused privately with a suggestion in the page's own spelling."""
    await roll(world, *FAIR)
    for command, options, words in UNKNOWN:
        told = refused(await world.gm.slash(world.orders, f"weather {command}", **options))
        assert [word for word in words if word not in told.replace("\\", "")] == []
        assert "**Luna**" not in told


async def test_before_any_week_there_is_a_forecast_and_nothing_to_show(world: World) -> None:
    """Without a week, show and history say how to begin; the forecast tells the plain odds of week 1."""
    for command in ("show", "history"):
        told = refused(await world.player.slash(world.orders, f"weather {command}"))
        assert "Iron Sea has no weather yet" in told
        assert "/weather rollover" in told
        assert "/weather set" in told
    result = await world.player.slash(world.orders, "weather forecast")
    assert "Forecast for week 1" in said(result)
    assert "Nothing carries over from last week." in said(result)
    assert pictures(result) == [("forecast.png", "attachment://forecast.png")]
    told = await details(world, "weather forecast")
    assert "no carry-over" in told
    assert "Mud/Flood" not in told


async def test_the_forecast_tells_next_weeks_exact_odds(world: World) -> None:
    """From this week's state: carry-over with its reason, odds by category, storms and Mud/Flood by region."""
    await roll(world, *ROUGH)
    before = written(world)
    shown = said(await world.player.slash(world.orders, "weather forecast"))
    assert "Australia +1" in shown
    told = await details(world, "weather forecast")
    assert "Forecast for week 2" in told
    assert "**Australia** · +1 Australia had category 6 last week" in told
    assert "**7** 10% · **Good** 35% · **1** 10% · **2** 10% · **3** 15% · **4** 10% · **5** 10%" in told
    # West Australia: Storms of 3 and 4, Severe Storms of 5; flooded by 1-10, else when 3, 4 or 5 makes it wet.
    assert "West Australia: Storms 25%, Severe Storms 10%, Mud/Flood 67.5%" in told
    assert "• West Australia: Severe Storms in week 1" in told
    assert written(world) == before


def told_weeks(told: str) -> list[int]:
    """The numbers of the weeks that a history tells, in its order."""
    lines = [line for line in told.splitlines() if line.startswith("**")]
    return [int(line.removeprefix("**Week ").partition("**")[0]) for line in lines]


@pytest.mark.slow
async def test_the_history_tells_twelve_weeks_with_a_heat_map(world: World) -> None:
    """Twelve weeks unless told otherwise, the newest first, two of them at once; more or fewer on request; of a zone or a region too."""
    await put(world, "North Africa", "6", 1)
    await put(world, "South and Southeast Asia", "3", 1)
    await roll(world, *FAIR, *[20] * 4)
    for _ in range(11):
        await roll(world, *FAIR)
    result = await world.player.slash(world.orders, "weather history")
    assert told_weeks(said(result)) == [13, 12]
    assert pictures(result) == [("history.png", "attachment://history.png")]
    assert told_weeks(await details(world, "weather history")) == list(range(13, 1, -1))
    assert told_weeks(await details(world, "weather history", weeks=3)) == [13, 12, 11]
    told = await details(world, "weather history", weeks=52)
    assert told_weeks(told) == list(range(13, 0, -1))
    assert "**Week 1** · South Africa not known · North Africa 6" in told
    assert "**Week 1** · Storms" in await details(world, "weather history", place="india", weeks=52)
    zone = await details(world, "weather history", place="North Africa", weeks=52)
    assert "**Week 1** · category 6 · Severe Storms, Dust Storms" in zone
    few = await world.player.slash(world.orders, "weather history", weeks=2)
    assert not list(components(response(few))), "nothing is left for Details"


async def test_the_details_of_a_region_named_like_a_zone_are_its_own(world: World) -> None:
    """The button below a region's history tells that region, though a zone has its name."""
    for number in (3, 2, 1):
        await put(world, "South Africa", "2", number)
    told = await details(world, "weather history", place="South Africa (region)")
    assert "**Week 1** · Fog, Overcast" in told


async def test_categories_are_shown_zone_by_zone_and_one_by_one(world: World) -> None:
    """A picture of one zone and a few lines; lists below lead to other zones, and to all that one category means."""
    shown = response(await world.player.slash(world.orders, "weather categories", zone="australia"))
    assert shown.ephemeral
    assert "Australia" in text(shown)
    assert "house default" in text(shown)
    assert "Madagascar" not in text(shown)
    assert [item.filename for item in shown.attachments] == ["categories.png"]
    zones, categories = (item for item in components(shown) if item["type"] == 3)
    assert len(zones["options"]) == 5
    assert categories["options"][-1]["description"] == "a total of 1 · 5%"
    await world.player.select(shown, ["category-6"], custom_id=categories["custom_id"])
    assert "**Category 6** · a total of 1 · 5%\nSevere Storms, Violent Storms: Central Indian Ocean" in text(shown)
    await world.player.select(shown, ["antarctic"], custom_id=zones["custom_id"])
    assert "Antarctic Sea" in text(shown)
    assert [item.filename for item in shown.attachments] == ["categories.png"]
    assert "South Africa" in said(await world.player.slash(world.orders, "weather categories")), "the first zone"


async def test_a_list_of_categories_that_sends_nothing_breaks_nothing(world: World) -> None:
    """A use of the lists without a pick, which Discord does not send, is refused or shows the zone."""
    shown = response(await world.player.slash(world.orders, "weather categories", zone="australia"))
    zones, categories = (item["custom_id"] for item in components(shown) if item["type"] == 3)
    assert "knows no weather zone" in refused(await send_raw(world.player, world.orders, zones))
    await send_raw(world.player, world.orders, categories, on=shown)
    assert "what the categories mean" in text(shown)


async def window(world: World, region: str = "Madagascar", category: str = "3") -> simcord.InteractionResult:
    """The window that changes a cell."""
    result = await world.gm.slash(world.orders, "weather edit", region=region, category=category)
    assert result.modal is not None
    return result


def picked(shown: simcord.InteractionResult, field: str) -> list[str]:
    """What a select of the window has picked already."""
    assert shown.modal is not None
    select: dict[str, Any] = next(
        item["component"] for item in shown.modal["components"] if item["component"]["custom_id"] == field
    )
    return [option["value"] for option in select["options"] if option["default"]]


async def test_the_window_shows_how_a_cell_is_now(world: World) -> None:
    """The window of a cell has its conditions and land or sea picked; Mud/Flood is nothing to pick."""
    shown = await window(world)
    assert shown.modal is not None
    assert shown.modal["title"] == "Madagascar: category 3"
    assert picked(shown, "conditions") == ["fog", "storms"]
    assert picked(shown, "ground") == ["land"]
    assert picked(await window(world, "Coral Sea", "7"), "ground") == ["sea"]
    assert "mud-flood" not in str(shown.modal)


async def test_a_cell_is_changed_from_the_next_rollover_on(world: World) -> None:
    """The change is told, stands in the ledger and the categories, and counts for what is rolled or set from then on."""
    await roll(world, 8, 20, 20, 15, 10)
    result = await world.gm.submit_modal(
        await window(world), {"conditions": ["thick-fog", "dust-storms"], "ground": ["land"]}
    )
    told = said(result)
    assert response(result).ephemeral
    assert "In Madagascar (South Africa), category 3 means Storms, Fog → Thick Fog, Dust Storms" in told
    assert "The house default is: Storms, Fog. Pick that again to go back to it." in told
    body = entry(world)
    assert (body["deed"], body["region"], body["land"]) == ("edit", "Madagascar", None)
    assert "Madagascar" in said(await world.player.slash(world.orders, "ledger list"))
    shown = response(await world.player.slash(world.orders, "weather categories", zone="South Africa"))
    assert "✏ changed in this campaign: category 3" in text(shown)
    await world.player.select(shown, ["category-3"], custom_id=press(shown, "zone:"))
    assert "Thick Fog, Dust Storms: Madagascar ✏" in text(shown)
    assert picked(await window(world), "conditions") == ["thick-fog", "dust-storms"]
    assert "Storms, Fog: Madagascar" in await details(world, "weather show")
    await roll(world, 8, 20, 20, 15, 10)
    assert "Thick Fog, Dust Storms: Madagascar" in await details(world, "weather show")


@pytest.mark.slow
async def test_land_can_become_sea(world: World) -> None:
    """A region that is sea has no Flood Watch any more; its conditions stay."""
    await put(world, "South Africa", "4", 1)
    before = said(await world.gm.slash(world.orders, "weather rollover"))
    assert "Madagascar: Severe Storms in week 1" in before
    told = said(await world.gm.submit_modal(await window(world), {"conditions": ["fog", "storms"], "ground": ["sea"]}))
    assert "Madagascar is sea from now on" in told
    assert "means" not in told
    assert "Madagascar" not in said(await world.gm.slash(world.orders, "weather rollover"))
    assert "The house default is: land. Pick that again" in told
    assert "Sea: Madagascar ✏, West Indian Ocean" in said(
        await world.gm.slash(world.orders, "weather categories", zone="South Africa")
    )


@pytest.mark.slow
async def test_a_window_may_be_submitted_after_a_restart(world: World) -> None:
    """The window carries ids and no state: the new process takes it."""
    shown = await window(world)
    await world.restart()
    told = said(await world.gm.submit_modal(shown, {"conditions": ["freezing"], "ground": ["land"]}))
    assert "category 3 means Storms, Fog → Freezing" in told


@pytest.mark.parametrize(
    ("conditions", "words"),
    [(["good", "fog"], "Good weather goes with nothing else"), (["fog", "storms"], "That is how it is already")],
)
async def test_what_makes_no_sense_changes_nothing(world: World, conditions: list[str], words: str) -> None:
    """Good weather beside something else, or a cell as it is already, is refused privately and not written."""
    shown = await window(world)
    before = written(world)
    result = await world.gm.submit_modal(shown, {"conditions": conditions, "ground": ["land"]})
    assert words in refused(result)
    assert written(world) == before


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
        assert "/campaign bind" in refused(await world.gm.slash(lobby, f"weather {command}"))
