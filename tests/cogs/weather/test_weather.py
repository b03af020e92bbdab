"""The weather in Discord: rollovers and look-ups."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.cogs.weather.skywatch import FAIR, preview, put, roll, whole, without_weather
from tests.support.reading import assert_says, components, newest, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw, show_every_command

VIEWS = ("week", "past", "odds", "categories")


async def use_weather(world: World, what: str, channel: Any = None, **options: Any) -> Any:  # noqa: ANN401 - as simcord takes them
    """Use a view of `/forecast`, or a command of `/weather`."""
    if what in VIEWS:
        return await world.gm.slash(channel or world.orders, "forecast", view=what, **options)
    return await world.gm.slash(channel or world.orders, f"weather {what}", **options)


@pytest.mark.slow
async def test_the_preview_says_when_the_newest_week_came_about(world: World) -> None:
    """With Discord's times."""
    assert "no week is known yet" in text(await preview(world))
    await put(world, "Australia", "good", 11)
    assert "week 11 was set by hand" in text(await preview(world))
    await roll(world, *FAIR)
    assert f"week 12 was rolled <t:{int(world.clock.now.timestamp())}:R>" in text(await preview(world))


@pytest.mark.slow
async def test_a_watch_that_is_due_for_another_reason_is_shown_anew(world: World) -> None:
    """The press rolls nothing."""
    await put(world, "South Africa", "2", 1)
    await put(world, "South Africa", "2", 0)
    shown = await preview(world)
    assert "Storms in weeks 0 and 1: Zambeze Basin" in text(shown)
    window = await world.gm.slash(world.orders, "weather edit", place="Zambeze Basin", category="1")
    await world.gm.submit_modal(window, {"conditions": ["severe-storms"], "ground": ["land"]})
    await put(world, "South Africa", "1", 1)
    with nothing_written(world):
        again = response(await world.gm.click(shown, custom_id=press(shown, "roll")))
        assert_says(text(again), "has changed since you looked", "Severe Storms in week 1: Zambeze Basin")


@pytest.mark.slow
async def test_a_preview_and_a_window_work_over_a_restart(world: World) -> None:
    """They work in the new process."""
    shown = await preview(world)
    window = await world.gm.slash(world.orders, "weather edit", place="Madagascar", category="3")
    await world.restart()
    answer = said(await world.gm.submit_modal(window, {"conditions": ["freezing"], "ground": ["land"]}))
    assert "category 3 means Storms, Fog → Freezing" in answer
    world.dice.script(*FAIR)
    assert "Week 1 is rolled: entry #4" in said(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert [item.filename for item in newest(world.results).attachments] == ["weather.png"]


async def test_another_servers_game_master_rolls_nothing_here(world: World) -> None:
    """By another campaign's ids."""
    key = press(await preview(world), "roll")
    guild = world.env.create_guild("Elsewhere")
    channel = guild.create_text_channel("orders")
    boss = guild.add_member(
        world.env.create_user("boss"), roles=[guild.create_role("All", permissions=discord.Permissions.all())]
    )
    with nothing_written(world):
        assert "isn't on this server" in refused(await send_raw(boss, channel, key))


async def test_a_campaign_without_such_a_book_has_no_weather(world: World) -> None:
    """Nothing can be picked."""
    await without_weather(world)
    await show_every_command(world)
    with nothing_written(world):
        changes = {
            "set": {"zone": "Australia", "category": "3", "reason": "so"},
            "edit": {"place": "India", "category": "3"},
        }
        for command in ("rollover", "set", "edit", *VIEWS):
            answer = refused(await use_weather(world, command, **changes.get(command, {})))
            assert "None of the books of Iron Sea has weather" in answer, command
            assert "/gm settings books" in answer
        assert await world.gm.autocomplete(world.orders, "forecast", "place", "") == []


FORGED = (
    "1 1:roll 1:roll:x:abcdef x:roll:1:abcdef 999:roll:1:abcdef 1:roll:7:abcdef 1:explode:1 1:edit:category-3:india"
)
FORGED += " 1:edit:category-9:india 1:edit:category-3:atlantis 999:edit:category-3:india 1:set:x 999:set:1 1:set:99 1:edit-zone 999:edit-zone:good"
IDS = ["weather", "weather:", *(f"weather:{rest}" for rest in (*FORGED.split(), f"{'9' * 30}:roll:1:abcdef"))]


@pytest.mark.parametrize("modal", [False, True])
async def test_forged_ids_change_nothing(world: World, *, modal: bool) -> None:
    """Buttons and windows."""
    with nothing_written(world):
        for custom_id in IDS:
            answer = refused(await send_raw(world.gm, world.orders, custom_id, modal=modal))
            assert "on our side" not in answer, custom_id


async def test_a_region_named_like_a_zone_has_a_history_of_its_own(world: World) -> None:
    """In the history it's the zone, unless picked."""
    for number in (3, 2, 1):
        await put(world, "South Africa", "2", number)
    answer = said(await world.gm.slash(world.orders, "forecast", place="SOUTH  africa (region)", week=1))
    assert_says(answer, "South Africa, week 1", "**Fog, Overcast**")
    answer = said(await world.gm.slash(world.orders, "forecast", place="South africa", week=1))
    assert_says(answer, "South Africa, week 1", "**2**", "Zambeze Basin")
    zone = await world.gm.slash(world.orders, "forecast", view="past", place="South Africa")
    assert "**Week 3** · category 2" in said(zone)
    offered = await world.gm.autocomplete(world.orders, "forecast", "place", "south africa")
    assert [choice["value"] for choice in offered] == ["South Africa", "South Africa (region)"]
    shown = response(await world.gm.slash(world.orders, "forecast", view="past", place=offered[1]["value"]))
    assert "**Week 1** · Fog, Overcast" in whole(await world.gm.click(shown, label="Details"))


UNKNOWN: list[tuple[str, dict[str, Any], list[str]]] = [
    ("week", {"place": "Madagascr"}, ["I don't know the zone or region 'Madagascr'", "Did you mean Madagascar?"]),
    ("week", {"place": "**Luna**"}, ["I don't know the zone or region '**Luna**'", "from the list while you type"]),
    ("week", {"week": 2}, ["I don't know the weather of week 2", "Pick a week from 1 to 1"]),
    ("week", {"week": 0}, ["I don't know the weather of week 0"]),
    ("past", {"place": "Indai"}, ["I don't know the zone or region 'Indai'", "Did you mean India?"]),
    ("categories", {"place": "Indai"}, ["I don't know the zone or region 'Indai'", "Did you mean India?"]),
    ("edit", {"place": "Indai", "category": "3"}, ["I don't know the zone or region 'Indai'", "Did you mean India?"]),
    ("edit", {"place": "India", "category": "goood"}, ["no category 'goood'", "Did you mean Good?"]),
    (
        "edit",
        {"place": "Davis Sea", "category": "6"},
        ["Antarctic Sea has no category '6'", "Pick one of: 7 East, 6 East"],
    ),
]


async def test_what_is_not_known_is_named_with_what_is_near(world: World) -> None:
    """Privately, with a suggestion."""
    await roll(world, *FAIR)
    for command, options, words in UNKNOWN:
        answer = refused(await use_weather(world, command, **options))
        assert [word for word in words if word not in answer.replace("\\", "")] == []
        assert "**Luna**" not in answer


async def test_a_list_of_categories_that_sends_nothing_breaks_nothing(world: World) -> None:
    """Discord doesn't send that."""
    shown = response(await world.player.slash(world.orders, "forecast", view="categories", place="australia"))
    zones, categories = (item["custom_id"] for item in components(shown) if item["type"] == 3)
    assert "I don't know the zone or region" in refused(await send_raw(world.player, world.orders, zones))
    await send_raw(world.player, world.orders, categories, on=shown)
    assert "what the categories mean" in text(shown)


async def list_offered(world: World, command: str, option: str, typed: str, **filled: str) -> list[str]:
    """Offered values of an option."""
    found = await world.gm.autocomplete(world.orders, command, option, typed, **filled)
    assert len(found) <= 25
    assert all(1 <= len(choice["name"]) <= 100 and choice["name"] == choice["value"] for choice in found)
    values = [choice["value"] for choice in found]
    assert len(set(values)) == len(values), "nothing is offered twice"
    return values


async def test_zones_regions_and_places_are_completed(world: World) -> None:
    """In any case."""
    cases: list[tuple[str, str, str, list[str]]] = [
        ("forecast", "place", "indian", [f"{name} Indian Ocean" for name in ("West", "Central", "East", "South")]),
        ("weather edit", "place", " INDIA ", ["West Indian Ocean", "India"]),
        ("weather set", "zone", "afr", ["South Africa", "North Africa"]),
        ("forecast", "place", "asia", ["South and Southeast Asia", "Southeast Asia"]),
        ("patrol", "region", "mada", ["Madagascar"]),
        ("scout", "region", "mada", ["Madagascar"]),
        ("detect", "region", "mada", ["Madagascar"]),
        ("detect", "region", "luna", []),
    ]
    for command, option, typed, expected in cases:
        found = await list_offered(world, command, option, typed)
        assert found[: len(expected)] == expected
        assert expected or not found


async def test_categories_are_those_of_the_zone_beside_them(world: World) -> None:
    """Without a zone, all."""
    asia = ["Good", *map(str, range(1, 7))]
    assert await list_offered(world, "weather set", "category", "", zone="south and southeast asia") == asia
    assert await list_offered(world, "weather edit", "category", "", place="India") == asia
    west = await list_offered(world, "weather edit", "category", "west", place="Davis Sea")
    assert west == [f"{number} West" for number in range(1, 8)]
    every = await list_offered(world, "weather set", "category", "")
    assert {"7", "7 East", "7 West", "Good"} <= set(every)
    assert len(await list_offered(world, "forecast", "place", "")) == 25


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """Commands say what to do."""
    lobby = world.guild.create_text_channel("lobby")
    for command, option in (
        ("forecast", "place"),
        ("weather set", "category"),
        ("patrol", "region"),
    ):
        assert await world.gm.autocomplete(lobby, command, option, "a") == []
    for command in ("rollover", *VIEWS):
        assert "/campaign link" in refused(await use_weather(world, command, lobby))
