"""The weekly rollover in Discord: previewed, what its preview tells, and who rolls nothing."""

from __future__ import annotations

import discord
import pytest

from tests.cogs.weather.skywatch import FAIR, preview, put, roll, without_weather
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw


@pytest.mark.slow
async def test_the_preview_says_when_the_newest_week_came_about(world: World) -> None:
    """Before any, after one that was set, and after a rollover, which is told as Discord shows times."""
    assert "no week is known yet" in text(await preview(world))
    await put(world, "Australia", "good", 11)
    assert "week 11 was set by hand" in text(await preview(world))
    await roll(world, *FAIR)
    assert f"week 12 was rolled <t:{int(world.clock.now.timestamp())}:R>" in text(await preview(world))


@pytest.mark.slow
async def test_a_watch_that_is_due_for_another_reason_is_shown_anew(world: World) -> None:
    """When a watch is still due, but for another reason than the preview told, the press rolls nothing and shows it anew."""
    await put(world, "South Africa", "2", 1)
    await put(world, "South Africa", "2", 0)
    shown = await preview(world)
    assert "Zambeze Basin: Storms in weeks 0 and 1" in text(shown)
    window = await world.gm.slash(world.orders, "weather edit", region="Zambeze Basin", category="1")
    await world.gm.submit_modal(window, {"conditions": ["severe-storms"], "ground": ["land"]})
    await put(world, "South Africa", "1", 1)
    with nothing_written(world):
        again = response(await world.gm.click(shown, custom_id=press(shown, "roll")))
        assert_says(text(again), "has changed since you looked", "Zambeze Basin: Severe Storms in week 1")


@pytest.mark.slow
async def test_a_preview_and_a_window_work_over_a_restart(world: World) -> None:
    """They carry ids and no state: what is from before a restart is rolled, or taken, by the new process."""
    shown = await preview(world)
    window = await world.gm.slash(world.orders, "weather edit", region="Madagascar", category="3")
    await world.restart()
    told = said(await world.gm.submit_modal(window, {"conditions": ["freezing"], "ground": ["land"]}))
    assert "category 3 means Storms, Fog → Freezing" in told
    world.dice.script(*FAIR)
    assert "Week 1 is rolled: entry #4" in said(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert [item.filename for item in newest(world.results).attachments] == ["weather.png"]


async def test_another_servers_game_master_rolls_nothing_here(world: World) -> None:
    """The ids of a campaign on one server do nothing on another one."""
    key = press(await preview(world), "roll")
    guild = world.env.create_guild("Elsewhere")
    channel = guild.create_text_channel("orders")
    boss = guild.add_member(
        world.env.create_user("boss"), roles=[guild.create_role("All", permissions=discord.Permissions.all())]
    )
    with nothing_written(world):
        assert "isn't on this server" in refused(await send_raw(boss, channel, key))


async def test_a_campaign_without_such_a_book_has_no_weather(world: World) -> None:
    """Every command of the weather says that no book has it and how to switch one on; nothing is offered to pick."""
    await without_weather(world)
    with nothing_written(world):
        changes = {
            "set": {"zone": "Australia", "category": "3", "reason": "so"},
            "edit": {"region": "India", "category": "3"},
        }
        for command in ("show", "history", "forecast", "categories", "rollover", "set", "edit"):
            told = refused(await world.gm.slash(world.orders, f"weather {command}", **changes.get(command, {})))
            assert "None of the books of Iron Sea has weather" in told, command
            assert "/campaign edit books" in told
        assert await world.gm.autocomplete(world.orders, "weather show", "region", "") == []


FORGED = (
    "1 1:roll 1:roll:x:abcdef x:roll:1:abcdef 999:roll:1:abcdef 1:roll:7:abcdef 1:explode:1 1:edit:category-3:india"
)
FORGED += " 1:edit:category-9:india 1:edit:category-3:atlantis 999:edit:category-3:india"
IDS = ["weather", "weather:", *(f"weather:{rest}" for rest in (*FORGED.split(), f"{'9' * 30}:roll:1:abcdef"))]


@pytest.mark.parametrize("modal", [False, True])
async def test_forged_ids_change_nothing(world: World, *, modal: bool) -> None:
    """Ids that the bot never gave out get a private refusal that is no bug, as button and as window."""
    with nothing_written(world):
        for custom_id in IDS:
            told = refused(await send_raw(world.gm, world.orders, custom_id, modal=modal))
            assert "on our side" not in told, custom_id
