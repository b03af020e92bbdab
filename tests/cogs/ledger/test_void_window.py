"""The void window, the receipt it came from, and the notice."""

from __future__ import annotations

import pytest
import simcord

from tests.cogs.ledger.test_void import PATROL, window
from tests.support.acting import moved, roll_command, take_back, use_writeup
from tests.support.reading import components, newest, offers, response, said, text
from tests.support.world import World

MOVES = ("Luna", "Granada", "Solomon", "Axis", "Loum", "Sweetwater", "Texas")


async def move_seven_times(world: World) -> None:
    """Take a captive (entry 3) and move them seven times."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    for place in MOVES:
        await moved(world.gm, world.orders, captive="Kai", at=place)


async def open_window(world: World, receipt: simcord.ResponseMessage) -> simcord.InteractionResult:
    """Open the window of a receipt's Undo button."""
    return await world.gm.click(receipt, label="Undo")


async def test_the_reason_comes_first_and_a_long_list_is_folded(world: World) -> None:
    """Five of seven are named, the rest counted."""
    await move_seven_times(world)
    shown = await world.gm.slash(world.orders, "gm undo", entry=3)
    assert shown.modal is not None
    assert [item["type"] for item in shown.modal["components"]] == [18, 10]
    told = window(shown)
    assert told.count("was moved") == 5
    assert "and 2 more, up to entry #10" in told


@pytest.mark.slow
async def test_one_notice_tells_of_all_that_was_taken_back(world: World) -> None:
    """Eight void entries in one message, without buttons."""
    await move_seven_times(world)
    before = len(world.staff.history())
    await take_back(world, "gm undo", entry=3, reason="A slip")
    assert len(world.staff.history()) == before + 1
    told = text(newest(world.staff))
    assert "8 entries undone" in told
    assert [f"**#{number}** Kai" in told for number in range(3, 11)] == [True] * 8
    assert told.count("**Why:** A slip") == 1
    assert not offers(newest(world.staff), "publish")


async def test_players_and_staff_are_each_told_once(world: World) -> None:
    """Players read of the roll, the staff also of the claim."""
    await roll_command(world, "patrol", 20, **PATROL)
    await use_writeup(world.player, world.orders, "claim", "3")
    await take_back(world, "gm undo", entry=3, reason="A slip")
    assert "Entry #3 undone" in text(newest(world.results))
    assert "#4" not in text(newest(world.results))
    assert "Entry #4 undone" in text(newest(world.staff))


@pytest.mark.slow
async def test_a_message_of_embeds_keeps_its_text_and_loses_its_buttons(world: World) -> None:
    """The answer comes below."""
    answers = [
        await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort"),
        await world.gm.slash(world.orders, "capture", captive="Amuro", by="Red", at="Fort"),
    ]
    shown = [response(answers[0]), response(await world.gm.slash(world.orders, "ledger", entry=4))]
    for number, message in enumerate(shown, 3):
        before = text(message)
        result = await world.gm.submit_modal(await open_window(world, message), {"reason": "slip"})
        assert text(message) == before
        assert not list(components(message))
        assert f"Entry #{number} undone" in text(result.followups[-1])


async def test_a_refused_window_leaves_the_button(world: World) -> None:
    """Without a reason it can be pressed again."""
    receipt = response(await roll_command(world, "patrol", 18, **PATROL))
    shown = await open_window(world, receipt)
    await world.gm.submit_modal(shown, {"reason": "  "})
    assert "void:1:3" in {item.get("custom_id") for item in components(receipt)}
    assert "Rolled: entry #3" in text(receipt)
    assert "reason is missing" in said(await world.gm.submit_modal(await open_window(world, receipt), {"reason": " "}))
