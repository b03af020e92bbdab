"""A person's own settings: mentions, and bars with odds."""

from __future__ import annotations

import pytest
import simcord

from tests.cogs.privacy import people
from tests.cogs.privacy.test_service import export_data
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring, open_ring
from tests.support.acting import use_desk
from tests.support.reading import (
    assert_lacks,
    assert_says,
    labels,
    newest,
    offers,
    press,
    refused,
    response,
    said,
    text,
)
from tests.support.world import World, rows, send_raw

BAR = "\N{FULL BLOCK}"


@pytest.fixture
async def ring(world: World) -> Ring:
    """Kai is the player's, Char the rival's."""
    return await open_ring(world)


async def turn_off(world: World, who: simcord.MemberActor, name: str) -> None:
    """Turn a setting off, from the first page of help."""
    shown = response(await who.click(response(await who.slash(world.orders, "help")), label="Your settings"))
    await who.click(shown, custom_id=press(shown, f"{name}:0"))


def kept(world: World) -> list[tuple[int, ...]]:
    """What is kept of people's settings."""
    return rows(world, "select user_id, mentions, bars from actor where not (mentions and bars)")


async def test_settings_are_one_press_from_help_and_each_is_a_button(world: World) -> None:
    """Private, and a second press changes nothing."""
    help_page = response(await world.player.slash(world.orders, "help"))
    opened = await world.player.click(help_page, label="Your settings")
    shown = response(opened)
    assert shown.ephemeral
    assert_says(text(shown), "Your settings in Iron Sea", "**Mentions:** on", "**Bars:** on")
    assert labels(shown) == ["Mentions off", "Bars off"]
    off = await world.player.click(shown, label="Mentions off")
    assert_says(said(off), "**Mentions:** off", "**Bars:** on")
    assert kept(world) == [(world.player.id, 0, 1)]
    await send_raw(world.player, world.orders, "settings:1:mentions:0")
    assert kept(world) == [(world.player.id, 0, 1)]
    await send_raw(world.player, world.orders, "settings:1:mentions:1")
    assert kept(world) == []


async def test_a_forged_setting_changes_nothing(world: World) -> None:
    """Neither another name, nor another server's campaign."""
    assert "no longer works" in refused(await send_raw(world.player, world.orders, "settings:1:owner_id:0"))
    assert "isn't on this server" in refused(await send_raw(world.player, world.orders, "settings:2:bars:0"))
    assert kept(world) == []


async def test_settings_say_that_a_campaign_mentions_no_player(world: World) -> None:
    """The game masters' choice counts first."""
    await world.gm.slash(world.orders, "gm settings", pings="nobody")
    assert "have turned mentions of players off" in said(await send_raw(world.player, world.orders, "settings:1"))


async def test_who_wants_no_mention_gets_none_and_others_still_do(ring: Ring) -> None:
    """In a fight, on their own, after a restart too."""
    await turn_off(ring.world, ring.player, "mentions")
    await ring.world.restart()
    await ring.use("start", who=f"{KAI}, {CHAR}")
    assert newest(ring.world.orders).content == ""
    await ring.click("choose", ring.gm)
    assert newest(ring.world.orders).content == ""
    await ring.end_turn(ring.player)
    assert newest(ring.world.orders).content == f"<@{ring.rival.id}>"


async def test_who_wants_no_mention_gets_none_of_a_capture_or_a_nudge(ring: Ring) -> None:
    """No message is posted for nobody."""
    await turn_off(ring.world, ring.player, "mentions")
    await ring.gm.slash(ring.world.orders, "capture", captive=KAI, by=CHAR, at="Fort")
    assert ring.world.results.last_message is None
    await ring.gm.slash(ring.world.orders, "roster edit", name=CHAR, secret=True)
    await use_desk(ring.gm, ring.world.orders, "Board")
    await turn_off(ring.world, ring.rival, "mentions")
    board = [item for item in ring.world.staff.history() if offers(item, "nudge:1")][-1]
    answer = await ring.gm.click(board, custom_id=press(board, "nudge:1"))
    assert "no player I can ping" in refused(answer)


async def test_a_mention_is_sent_once(ring: Ring) -> None:
    """An edit takes it off, and a restart sends nothing again."""
    await ring.use("start", who=f"{KAI}, {CHAR}")
    (first,) = [item for item in ring.world.orders.history() if item.content]
    await ring.click("choose", ring.gm)  # settles the first post
    await ring.world.restart()
    await ring.world.env.advance_time(60)
    mentioned = [item for item in ring.world.orders.history() if item.content]
    assert [item.content for item in mentioned] == [f"<@{ring.player.id}>"]
    assert mentioned[0].id != first.id


@pytest.mark.parametrize("command", ["scout", "infinity odds"])
async def test_odds_without_bars_keep_their_numbers(world: World, command: str) -> None:
    """On that person's cards and answers only."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity", players_may="scouting")
    options = {"scouter": "Kilo", "base": "Fort"} if command == "scout" else {"attribute": 10}
    before = said(await world.player.slash(world.orders, command, **options))
    assert BAR in before
    await turn_off(world, world.player, "bars")
    after = said(await world.player.slash(world.orders, command, **options))
    assert_lacks(after, BAR, "\N{LIGHT SHADE}", "``")
    assert after.count("**") == before.count("**")
    assert BAR in said(await world.gm.slash(world.orders, command, **options))


async def test_settings_are_shown_exported_and_erased(world: World) -> None:
    """Also of someone who has done nothing else."""
    for name in ("mentions", "bars"):
        await turn_off(world, world.stranger, name)
    assert "mentions off \N{MIDDLE DOT} bars off" in text(await people.show_data(world, world.stranger))
    data = await export_data(world, world.stranger)
    assert data["campaigns"][0]["settings"] == {"mentions": False, "bars": False}
    assert "Erased" in said(await people.erase(world, world.stranger))
    assert kept(world) == []
