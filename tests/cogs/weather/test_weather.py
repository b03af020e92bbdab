"""The weekly rollover in Discord: previewed, rolled once, set by hand and taken back."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from msgspec.structs import replace

from bot.app import create_bot
from bot.cogs.weather import rollover
from bot.cogs.weather.rollover import PreviewKey
from bot.config import Settings
from bot.errors import NotOpen
from tests.cogs.weather.skywatch import (
    FAIR,
    ROUGH,
    WATCHED,
    details,
    other_process,
    preview,
    put,
    roll,
    told_whole,
    weeks,
)
from tests.support.acting import confirmed, take_back
from tests.support.reading import control, newest, offers, press, refused, response, said, text
from tests.support.world import BOOKS, World, entry, entry_texts, send_raw, written


async def test_the_preview_is_private_and_tells_carry_over_watches_and_odds(world: World) -> None:
    """Before a rollover the game master alone sees what carries over and why, each due watch and the odds; nothing is written."""
    await roll(world, *ROUGH)
    before = written(world)
    result = await world.gm.slash(world.orders, "weather rollover")
    assert result.ephemeral
    told = said(result)
    assert "Weather of week 2" in told
    for line in (
        "**South Africa** · −1 Antarctic Sea had category 6 or 7 West last week",  # noqa: RUF001
        "**North Africa** · no carry-over",
        "**South and Southeast Asia** · −1 North Africa had category 6 last week",  # noqa: RUF001
        "**Australia** · +1 Australia had category 6 last week",
        "**Antarctic Sea** · +1 Antarctic Sea had category 6 or 7 West last week",
        "**Good** 35% · **1** 10% · **2** 10% · **3** 15% · **4** 10% · **5** 10% · **6** 10%",
    ):
        assert line in told.splitlines()
    assert told.count("Severe Storms in week 1") == WATCHED
    assert "Saharan Africa" not in told, "Severe Storms call for no watch there"
    assert written(world) == before


async def test_one_press_rolls_all_as_one_entry_with_one_digest(world: World) -> None:
    """Five zones and seventeen watches are one entry and one post; the receipt links to it and has no button left."""
    await roll(world, *ROUGH)
    entries, cards, changes, posts = written(world)
    result = await roll(world, *FAIR, *[10] * WATCHED)
    assert written(world) == (entries + 1, cards, changes, posts + 1)
    parts = entry(world)["parts"]
    assert [part["subjects"].get("region", "") == "" for part in parts] == [True] * 5 + [False] * WATCHED
    assert [part["steps"][0]["sum"] for part in parts[:5]] == [-1, 0, -1, 1, 1]
    message = newest(world.results)
    assert len(world.results.history()) == 2
    assert "Weather of week 2" in text(message)
    assert "**Mud/Flood:** Zambeze Basin, South Africa, Madagascar, " in text(message)
    assert " and 13 more\n**Better:** everywhere\n" in text(message)
    whole = await told_whole(world, message)
    assert "Mud/Flood: Zambeze Basin (10), South Africa (10), Madagascar (10)" in whole
    assert response(result).ephemeral
    told = said(result)
    assert "Week 2 is rolled: entry #4" in told
    assert "**Mud/Flood:** Zambeze Basin, South Africa, Madagascar" in told
    assert f"https://discord.com/channels/{world.guild.id}/{world.results.id}/{message.id}" in told
    assert not offers(response(result), "roll")


async def test_a_week_is_rolled_once_whoever_presses(world: World) -> None:
    """A second person's press, and a second press, are answered privately with the entry and a link; nothing is rolled."""
    first, second = await preview(world), await preview(world, world.gm2)
    key = press(first, "roll")
    world.dice.script(*FAIR)
    await world.gm.click(first, custom_id=key)
    before = written(world)
    link = f"/{world.results.id}/{newest(world.results).id}"
    for result in (
        await world.gm2.click(second, custom_id=press(second, "roll")),
        await send_raw(world.gm, world.orders, key),
        await world.gm.slash(world.orders, "weather rollover", week=1),
    ):
        told = refused(result)
        assert "Week 1 is rolled already: entry #3" in told
        assert link in told
    assert written(world) == before


@pytest.mark.slow
async def test_two_processes_roll_a_week_once(world: World) -> None:
    """Of a press here and a roll in another process at the same moment one rolls the week, and the other says so."""
    bot, person = other_process(world)
    shown = await preview(world)
    *_, week, seen = press(shown, "roll").split(":")
    world.dice.script(*FAIR)
    mine, theirs = await asyncio.gather(
        world.gm.click(shown, custom_id=press(shown, "roll")),
        bot.database.write(rollover.roll, bot.resolver, person, 1, PreviewKey(int(week), seen)),
        return_exceptions=True,
    )
    assert not isinstance(mine, BaseException)
    refusals = isinstance(theirs, NotOpen), "Week 1 is rolled already: entry #3" in said(mine)
    assert sorted(refusals) == [False, True]
    assert weeks(world) == ["week.1"]
    assert written(world)[0] == 3


async def test_what_another_process_rolled_is_answered_here(world: World) -> None:
    """A press on the preview of a week that another process has rolled meanwhile is answered privately."""
    bot, person = other_process(world)
    shown = await preview(world)
    *_, seen = press(shown, "roll").split(":")
    world.dice.script(*FAIR)
    await bot.database.write(rollover.roll, bot.resolver, person, 1, PreviewKey(1, seen))
    assert "Week 1 is rolled already: entry #3" in refused(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert written(world)[0] == 3


async def test_only_the_next_week_can_be_rolled(world: World) -> None:
    """A week too far ahead names the one that comes first; one before the first known week is refused as well."""
    told = refused(await world.gm.slash(world.orders, "weather rollover", week=37))
    assert "Week 1 comes first; a game that is under way begins with /weather set week:36." in told
    await put(world, "Australia", "good", 37)
    told = refused(await world.gm.slash(world.orders, "weather rollover", week=40))
    assert "Week 38 comes first" in told
    assert "/weather set" not in told
    assert "before the first week" in refused(await world.gm.slash(world.orders, "weather rollover", week=3))
    told = refused(await world.gm.slash(world.orders, "weather rollover", week=37))
    assert "Week 37 is set by hand already: entry #3" in told
    assert "Weather of week 38" in said(await world.gm.slash(world.orders, "weather rollover", week=38))


async def test_a_preview_that_is_out_of_date_is_shown_anew(world: World) -> None:
    """When the weather was set meanwhile, the press rolls nothing and shows what is different; the next press rolls."""
    await roll(world, *FAIR)
    shown = await preview(world)
    await put(world, "Australia", "6")
    before = written(world)
    again = response(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert "Something has changed since you looked" in text(again)
    assert "**Australia** · +1 Australia had category 6 last week" in text(again)
    assert written(world) == before
    world.dice.script(*FAIR, *[20] * 3)
    assert "Week 2 is rolled" in said(await world.gm.click(again, custom_id=press(again, "roll")))


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
    before = written(world)
    again = response(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert "Something has changed since you looked" in text(again)
    assert "Zambeze Basin: Severe Storms in week 1" in text(again)
    assert written(world) == before


@pytest.mark.slow
async def test_a_preview_works_over_a_restart(world: World) -> None:
    """The button carries ids and no state: a preview from before a restart is rolled by the new process."""
    shown = await preview(world)
    await world.restart()
    world.dice.script(*FAIR)
    assert "Week 1 is rolled: entry #3" in said(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert [item.filename for item in newest(world.results).attachments] == ["weather.png"]


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("weather rollover", {}),
    ("weather set", {"zone": "Australia", "category": "3", "reason": "so"}),
    ("weather undo", {"reason": "so"}),
    ("weather edit", {"region": "India", "category": "3"}),
]


async def test_weather_is_made_by_game_masters(world: World) -> None:
    """Whoever is no game master is refused privately by every command and button that changes weather; nothing is written."""
    shown = await preview(world)
    window = (await world.gm.slash(world.orders, "weather edit", region="India", category="3")).modal
    assert window is not None
    before = written(world)
    for actor in (world.player, world.stranger, world.manager):
        told = [refused(await actor.slash(world.orders, command, **options)) for command, options in CHANGES]
        told.append(refused(await send_raw(actor, world.orders, press(shown, "roll"))))
        told.append(refused(await send_raw(actor, world.orders, window["custom_id"], modal=True)))
        assert all("Only game masters of Iron Sea" in line for line in told)
        assert all(f"<@&{world.roles['gm'].id}>" in line for line in told)
    assert written(world) == before
    assert weeks(world) == []


async def test_another_servers_game_master_rolls_nothing_here(world: World) -> None:
    """The ids of a campaign on one server do nothing on another one."""
    key = press(await preview(world), "roll")
    guild = world.env.create_guild("Elsewhere")
    channel = guild.create_text_channel("orders")
    boss = guild.add_member(
        world.env.create_user("boss"), roles=[guild.create_role("All", permissions=discord.Permissions.all())]
    )
    before = written(world)
    assert "not on this server" in refused(await send_raw(boss, channel, key))
    assert written(world) == before


@pytest.mark.slow
async def test_an_archived_campaign_has_no_more_weather(world: World) -> None:
    """The weather of an archived campaign can be looked up, but nothing changes it."""
    await roll(world, *FAIR)
    shown = await preview(world)
    await confirmed(world, "campaign archive", world.manager, campaign="Iron Sea")
    before = written(world)
    assert "archived" in refused(await world.gm.click(shown, custom_id=press(shown, "roll")))
    assert "archived" in refused(await put(world, "Australia", "3"))
    assert "archived" in refused(await take_back(world, "weather undo", reason="so"))
    assert written(world) == before
    assert "Weather of week 1" in said(await world.player.slash(world.orders, "weather show"))


async def without_weather(world: World) -> None:
    """Let the campaign play by a book without weather."""
    plain = replace(BOOKS["campaign"], id="plain", zones={}, conditions={})
    settings = Settings(database_url=world.database)
    books = {**BOOKS, "plain": plain}
    bot = create_bot(settings, clock=world.clock, dice=world.dice, randomness=world.randomness, books=books)
    world.bots.append(bot)
    await world.env.restart_bot(bot)
    await world.gm.slash(world.orders, "campaign edit", books="plain, -campaign")


async def test_a_campaign_without_such_a_book_has_no_weather(world: World) -> None:
    """Every command of the weather says that no book has it and how to switch one on; nothing is offered to pick."""
    await without_weather(world)
    before = written(world)
    looks: list[tuple[str, dict[str, Any]]] = [
        *((f"weather {name}", {}) for name in ("show", "history", "forecast", "categories"))
    ]
    for command, options in [*looks, *CHANGES]:
        if command != "weather undo":
            told = refused(await world.gm.slash(world.orders, command, **options))
            assert "None of the books of Iron Sea has weather" in told, command
            assert "/campaign edit books" in told
    assert "no rollover to take back" in refused(await take_back(world, "weather undo", reason="so"))
    assert await world.gm.autocomplete(world.orders, "weather show", "region", "") == []
    assert written(world) == before


FORGED = [
    "weather",
    "weather:",
    "weather:1",
    "weather:1:roll",
    "weather:1:roll:x:abcdef",
    "weather:x:roll:1:abcdef",
    "weather:999:roll:1:abcdef",
    f"weather:{'9' * 30}:roll:1:abcdef",
    "weather:1:roll:7:abcdef",
    "weather:1:explode:1",
    "weather:1:edit:category-3:india",
    "weather:1:edit:category-9:india",
    "weather:1:edit:category-3:atlantis",
    "weather:999:edit:category-3:india",
]


@pytest.mark.parametrize("modal", [False, True])
async def test_forged_ids_change_nothing(world: World, *, modal: bool) -> None:
    """Ids that the bot never gave out get a private refusal that is no bug, as button and as window."""
    before = written(world)
    for custom_id in FORGED:
        told = refused(await send_raw(world.gm, world.orders, custom_id, modal=modal))
        assert "on our side" not in told, custom_id
    assert written(world) == before


async def test_the_opening_state_is_set_by_hand(world: World) -> None:
    """Before any week is rolled zones can be set for any week; the first rollover is of the week after, with their carry-over."""
    told = said(await put(world, "Antarctic Sea", "6 West", 37))
    assert "Week 37 opens in Antarctic Sea with category 6 West" in told
    assert f"/{world.results.id}/{newest(world.results).id}" in told
    assert "Weather set by hand" in text(newest(world.results))
    assert "Week 37, Australia: category 6" in said(await put(world, "australia", "category-6"))
    shown = text(await preview(world))
    assert "Weather of week 38" in shown
    assert "**South Africa** · −1 Antarctic Sea had" in shown  # noqa: RUF001
    assert "**Australia** · +1 Australia had" in shown
    assert "**South and Southeast Asia** · no carry-over" in shown


async def test_the_week_before_the_first_is_week_0_unless_named(world: World) -> None:
    """Without a week the opening state is that of week 0, so that the first rollover is of week 1."""
    assert "Week 0 opens" in said(await put(world, "Australia", "good"))
    assert "Weather of week 1" in text(await preview(world))


@pytest.mark.slow
async def test_a_past_week_can_be_set_and_keeps_its_entry(world: World) -> None:
    """A zone of an earlier week is changed with a reason; that week is told anew, and its newer neighbour not."""
    await roll(world, *FAIR)
    await roll(world, *FAIR)
    told = said(await put(world, "South Africa", "3", 1))
    assert "Week 1, South Africa: Good → category 3" in told
    assert "Week 2 stays as rolled." in told
    body = entry(world)
    assert (body["week"], body["before"], body["after"]) == (1, "good", "category-3")
    assert entry_texts(world, 5) == {"reason": "as the page had it"}
    notice = text(newest(world.results))
    assert "Week 2 stays as rolled." in notice
    assert "Storms, Fog: Madagascar" in notice
    assert "as the page had it" not in notice
    assert "Storms, Fog: Madagascar" in await details(world, "weather show", week=1)
    assert "Madagascar" not in (await details(world, "weather show")).partition("Good weather")[0]


async def test_what_cannot_be_set_is_refused(world: World) -> None:
    """A zone, category or week that cannot be is named with what is near it; nothing is written."""
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"category": "gud"}, ["Australia has no category 'gud'", "Did you mean Good?"]),
        ({"category": "8"}, ["Australia has no category '8'", "There are: 7, Good, 1, 2, 3, 4, 5, 6."]),
        ({"category": "6 West"}, ["Australia has no category"]),
        ({"zone": "Australa"}, ["knows no weather zone 'Australa'", "Did you mean Australia?"]),
        ({"zone": "Moon"}, ["knows no weather zone 'Moon'", "offered while you type"]),
        ({"category": "Good"}, ["That is how it is already.", "Nothing was changed."]),
        ({"week": 4}, ["Week 4 is not rolled yet", "The newest is week 3"]),
        ({"week": 1}, ["there must be no gap", "Set week 2 first"]),
    ]
    await put(world, "Australia", "good", 3)
    for options, words in cases:
        before = written(world)
        given = {"zone": "Australia", "category": "3", "reason": "so"} | options
        told = refused(await world.gm.slash(world.orders, "weather set", **given)).replace("\\", "")
        assert [word for word in words if word not in told] == []
        assert written(world) == before


async def test_the_button_says_which_week_it_rolls(world: World) -> None:
    """The preview has one button, labelled with the week."""
    button = control(await preview(world), "roll")
    assert button["label"] == "Roll week 1"
