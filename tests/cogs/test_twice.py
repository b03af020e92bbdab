"""Two presses have one effect, and looking waits for no writer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import Connection

from bot.cogs.house_rules import service as house_rules
from bot.cogs.roster import embed as roster
from bot.core import campaigns
from tests.cogs.battles.battlefield import check, ford
from tests.cogs.captives.test_captives import captive, take_one
from tests.cogs.house_rules.homebrew import prepare_file, table
from tests.cogs.roster.saving import add
from tests.cogs.weather.skywatch import FAIR, preview, roll
from tests.support.acting import close_update, fill_in, more, more_of, opened, reopened, roll_command, take_back, tick
from tests.support.backend import GM, House
from tests.support.reading import assert_says, press, refused, response, said, text, ticked
from tests.support.world import World, nothing_written, send_raw, written


async def test_closing_an_update_asks_first_and_says_what_goes(world: World) -> None:
    """For game masters only; nothing is written."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku column", roll="now")
    before = written(world)
    asked = await world.gm.slash(world.orders, "gm close", name="Day *2*")
    assert_says(said(asked), "Close Update 1?", "Ends with this update", "Kilo: stop used", "**Next:** Day \\*2\\*")
    assert response(asked).ephemeral
    assert written(world) == before
    assert "Only game masters" in refused(await send_raw(world.player, world.orders, press(response(asked), "close")))
    assert written(world) == before


async def test_two_game_masters_close_one_update_once(world: World) -> None:
    """The next update stays open."""
    asked = [response(await who.slash(world.orders, "gm close", name="Day 2")) for who in (world.gm, world.gm2)]
    assert "Update 1 is closed: entry #3" in said(await world.gm.click(asked[0], custom_id=press(asked[0], "close")))
    with nothing_written(world):
        answer = refused(await world.gm2.click(asked[1], custom_id=press(asked[1], "close")))
        assert "Update 1 is already closed. The current one is Day 2 (number 2)." in answer
    assert "Number 2" in said(await world.gm.slash(world.orders, "update show"))


async def test_the_longest_name_of_an_update_fits_its_button(world: World) -> None:
    """Sixty characters."""
    name = "ä:" * 30
    await close_update(world, name=name)
    assert name in said(await world.gm.slash(world.orders, "update show"))


async def test_of_windows_about_a_captive_one_takes_back(world: World) -> None:
    """Each window is refused or named the entry."""
    await take_one(world)
    window = await world.gm.slash(world.orders, "gm undo", entry=3)
    assert window.modal is not None
    assert "Amuro was captured by Red and is held at Fort Anvil" in str(window.modal)
    await captive(world, "move", captive="Amuro", at="Luna")
    with nothing_written(world):
        answer = refused(await world.gm.submit_modal(window, {"reason": "A slip"}))
        assert "Entry #3 changed with entry #4 since you looked." in answer
    windows = [await who.slash(world.orders, "gm undo", entry=4, reason="A slip") for who in (world.gm, world.gm2)]
    assert "Entry #4 undone (#5)" in said(await world.gm.submit_modal(windows[0], {"reason": "A slip"}))
    assert "held by Red at Fort Anvil" in await captive(world, "show", captive="Amuro")
    with nothing_written(world):
        answer = refused(await world.gm2.submit_modal(windows[1], {"reason": "A slip"}))
        assert "Entry #4 was already undone by #5." in answer


async def test_two_windows_take_one_week_back(world: World) -> None:
    """Week 1 stays."""
    await roll(world, *FAIR)
    old = await world.gm.slash(world.orders, "gm undo", entry=3)
    await roll(world, *FAIR)
    answer = refused(await world.gm.submit_modal(old, {"reason": "A slip"}))
    assert "Entry #3 changed with entry #4 since you looked." in answer
    windows = [await who.slash(world.orders, "gm undo", entry=4) for who in (world.gm, world.gm2)]
    assert "Entry #4 undone (#5): Weather of week 2" in said(
        await world.gm.submit_modal(windows[0], {"reason": "A slip"})
    )
    with nothing_written(world):
        answer = refused(await world.gm2.submit_modal(windows[1], {"reason": "A slip"}))
        assert "Entry #4 was already undone by #5." in answer


async def test_a_preview_from_before_a_week_was_taken_back_rolls_nothing(world: World) -> None:
    """Its preview shows again."""
    shown = await preview(world)
    await roll(world, *FAIR)
    await take_back(world, "gm undo", entry=3, reason="A slip")
    with nothing_written(world):
        assert "has changed since you looked" in said(await world.gm.click(shown, custom_id=press(shown, "roll")))
    world.dice.script(*FAIR)
    assert "Week 1 is rolled" in said(await world.gm.click(shown, custom_id=press(shown, "roll")))


async def test_a_turn_that_has_only_begun_is_not_ended_at_once(world: World) -> None:
    """Late presses do nothing."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [2, 2])
    assert "turn 1 ended" in said(await world.gm.slash(world.orders, "gm-events turn"))
    with nothing_written(world):
        asked = [response(await who.slash(world.orders, "gm-events turn")) for who in (world.gm, world.gm2)]
        assert all("Neither side has checked random events in turn 2" in text(item) for item in asked)

    assert "Turn 2 has ended" in said(await world.gm.click(asked[0], custom_id=press(asked[0], "turn")))
    with nothing_written(world):
        answer = refused(await world.gm2.click(asked[1], custom_id=press(asked[1], "turn")))
        assert "is already over. It's turn 3" in answer


async def test_an_adjustment_that_arrives_twice_counts_once(world: World) -> None:
    """A later one counts."""
    card = await opened(world)
    windows = [await world.gm.click(card, custom_id=press(card, "adjust")) for _ in range(2)]
    for window in windows:
        await world.gm.submit_modal(window, {"value": "2", "reason": "dusk"})
        assert text(card).count("+2 dusk") == 1
    await fill_in(world.gm, card, {"value": "2", "reason": "dusk"}, custom_id=press(card, "adjust"))
    assert text(card).count("+2 dusk") == 2


async def test_reset_wipes_nothing_that_was_not_seen(world: World) -> None:
    """The card shows as it is now."""
    card = await more_of(world.gm, await opened(world))
    other = await reopened(world, world.gm2)
    await tick(world.gm2, other, "patrol", "patrol.newtype")
    assert "The card has changed since you saw it" in said(await world.gm.click(card, custom_id=press(card, "reset")))
    assert ticked(card, "patrol") == {"patrol.newtype"}
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert ticked(card, "patrol") == set()


async def test_the_button_of_an_old_desk_rolls_no_escapes(world: World) -> None:
    """Later orders stay."""
    await take_one(world)
    await world.gm.slash(world.orders, "gm settings", players_may="none")
    await world.gm.slash(world.orders, "roster add", name="Amuro", kind="pc", owner=world.player)
    await world.player.slash(world.orders, "escape", captive="Amuro")
    desk = response(await world.gm.slash(world.orders, "update show"))
    key = press(desk, "escapes:")
    await roll_command(world, "escape", 10, captive="Amuro", roll="now")
    with nothing_written(world):
        assert "No escapes to roll" in refused(await world.gm.click(desk, custom_id=key))
    await close_update(world)
    await world.player.slash(world.orders, "escape", captive="Amuro")
    with nothing_written(world):
        assert "is already closed" in refused(await world.gm.click(desk, custom_id=key))


PATIENCE = 60


@asynccontextmanager
async def lock_campaign(house: House) -> AsyncIterator[None]:
    """A writer locks the campaign."""
    reached, over = threading.Event(), threading.Event()

    def hold(tx: Connection) -> None:
        campaigns.get_campaign(tx, house.campaign.id, lock=True)
        reached.set()
        assert over.wait(2 * PATIENCE)

    writing = asyncio.create_task(house.database.write(hold))
    try:
        assert await asyncio.to_thread(reached.wait, PATIENCE)
        async with asyncio.timeout(PATIENCE):
            yield
    finally:
        over.set()
        await writing


async def test_a_saved_unit_is_looked_at_while_somebody_writes(house: House) -> None:
    """Its card is drawn."""
    saved = await add(house, "White Base", "base")
    async with lock_campaign(house):
        seen = await house.database.read(roster.find_profile, house.resolver, GM, house.campaign.id, saved.profile.id)
    assert seen.profile == saved.profile


async def test_a_waiting_file_is_looked_at_while_somebody_writes(house: House) -> None:
    """Its preview is drawn."""
    shown = await prepare_file(house, "loot", table())
    async with lock_campaign(house):
        seen = await house_rules.read_preview(house.kernel, GM, shown)
    assert (seen.file.name, seen.file.on) == ("loot", True)
