"""`/table add` without a file: a window into which a table is typed."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.cogs.house_rules.homebrew import rolled
from tests.support.acting import fill_in
from tests.support.reading import newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, nothing_written, rows, send_raw

LINES = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"


async def typed(
    world: World,
    lines: str = LINES,
    die: str = "",
    name: str = "Salvage",
    who: Any = None,  # noqa: ANN401 - an actor
) -> simcord.InteractionResult:
    """What sending the window is answered with."""
    actor = who or world.gm
    window = await actor.slash(world.orders, "table add", name=name)
    assert window.modal is not None, said(window)
    return await actor.submit_modal(window, {"die": die, "lines": lines})


async def test_a_d66_table_is_rolled_as_tens_and_ones(world: World) -> None:
    """Its odds are those of 36 numbers; the post shows both dice as one number, and the ledger is as it ought to be."""
    shown = response(await typed(world, "11-36 Calm\n41-66 Storm"))
    assert "**50%** (1/2) \N{MIDDLE DOT} 40 or less: Calm" in text(shown)
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    assert "Storm" in await rolled(world, "Salvage", 4, 1, sides=6)
    assert "d66: **41** + 0 = **41**" in text(newest(world.results))
    await require_whole(world)


async def test_all_that_is_wrong_with_the_lines_is_told_at_once(world: World) -> None:
    """With the lines' numbers; nothing is entered."""
    with nothing_written(world):
        result = await typed(world, "1-5 It blows up\nNothing\n6-20 ```Jackpot")
        told = said(result)
        assert "1 error in what you typed" in told
        assert "**Line 2:** 'Nothing': it doesn't begin with a number: write it like 6-19 Nothing" in told
        assert "Press Edit the text to fix it" in told
    assert "no line says what 7 means" in said(await typed(world, "1-6 Bad\n8-20 Good"))


async def edited(world: World, refusal: simcord.InteractionResult) -> dict[str, str]:
    """What stands in the window that Edit the text opens, by its fields."""
    window = await world.gm.click(response(refusal), label="Edit the text")
    assert window.modal is not None, said(window)
    return {box["custom_id"]: box.get("value", "") for box in boxes(window.modal)}


def boxes(modal: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The text boxes of a window."""
    return [label["component"] for label in modal["components"] if label["component"]["type"] == 4]


@pytest.mark.slow
async def test_what_was_refused_is_mended_in_the_window(world: World) -> None:
    """It opens with all that was typed, after a restart too; mended, it is looked at."""
    lines = "1-5 It blows up\nNothing\n6-20 ```Jackpot"
    refusal = await typed(world, lines, die="20")
    await world.restart()
    assert await edited(world, refusal) == {"die": "20", "lines": lines}
    shown = await fill_in(world.gm, response(refusal), {"die": "", "lines": LINES}, label="Edit the text")
    assert "Jackpot" in said(shown)
    assert "Salvage v1 is on" in said(await world.gm.click(response(shown), custom_id=press(response(shown), "on:")))
    await require_whole(world)


@pytest.mark.slow
async def test_what_was_refused_is_kept_for_a_day_and_for_game_masters(world: World) -> None:
    """Others are refused whatever they forge; after a day the button says what to do."""
    refusal = await typed(world, "Nothing")
    key = press(response(refusal), "text:")
    for who in (world.player, world.stranger):
        assert "Only game masters" in refused(await send_raw(who, world.orders, key))
    assert "is gone" in refused(await send_raw(world.gm, world.orders, "table:1:0123456789abcdef:text:Loot"))
    world.clock.advance(hours=25)
    assert "older than a day" in refused(await world.gm.click(response(refusal), custom_id=key))
    await world.env.advance_time(25)
    assert rows(world, "select count(*) from document") == [(0,)]


async def test_a_name_that_is_taken_is_refused_before_anything_is_typed(world: World) -> None:
    """A table that is on has its next version by a file; one that came meanwhile leaves what was typed to be mended."""
    window = await world.gm.slash(world.orders, "table add", name="Salvage")
    shown = response(await typed(world))
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    assert "Salvage v1 is already on" in refused(await world.gm.slash(world.orders, "table add", name="salvage"))
    refusal = await world.gm.submit_modal(window, {"die": "", "lines": "1-19 Bad\n20 Good"})
    assert "Salvage v1 is already on" in refused(refusal)
    assert (await edited(world, refusal))["lines"] == "1-19 Bad\n20 Good"


async def test_what_was_refused_is_in_the_window_again(world: World) -> None:
    """The faults of a file are faults here too; four thousand characters of them are told, and can be edited."""
    refusal = await typed(world, name="patrol")
    assert "a roll of the book campaign" in said(refusal)
    assert (await edited(world, refusal))["lines"] == LINES
    lines = "\n".join("`" * 39 for _ in range(100))
    assert (await edited(world, await typed(world, lines)))["lines"] == lines


async def test_only_game_masters_type_tables(world: World) -> None:
    """Neither is the window opened to others nor, forged, is one read."""
    for who in (world.player, world.stranger):
        assert "Only game masters" in refused(await who.slash(world.orders, "table add", name="Loot"))
        assert "Only game masters" in refused(await send_raw(who, world.orders, "table:1:lines:Loot", modal=True))
    assert "at least two lines" in said(await send_raw(world.gm, world.orders, "table:1:lines:Loot", modal=True))
    assert "1 to 32 characters" in refused(await world.gm.slash(world.orders, "table add", name="n" * 33))
