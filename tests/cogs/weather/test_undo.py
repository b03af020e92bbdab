"""`/weather undo`, and a week that was set wrongly: what is taken back, and what is told of it."""

from __future__ import annotations

import pytest

from tests.cogs.weather.skywatch import FAIR, ROUGH, put, roll, weeks
from tests.support.acting import take_back
from tests.support.reading import newest, refused, response, said, text
from tests.support.world import World, entry_texts, rows


async def test_undo_voids_the_last_rollover_and_keeps_its_entry(world: World) -> None:
    """An undone week is gone from the weather and marked void in the ledger; it can be rolled again, and a preview of then works."""
    await roll(world, *ROUGH)
    result = await take_back(world, "weather undo", reason="the wrong dice")
    assert "Entry #3 is void (entry #4): Weather of week 1" in said(result)
    told = text(newest(world.results))
    assert [
        word for word in ("Entry #3 is void", "Weather of week 1", "**Why:** the wrong dice") if word not in told
    ] == []
    assert entry_texts(world, 4) == {"reason": "the wrong dice"}
    listed = said(await world.player.slash(world.orders, "ledger list"))
    assert [line.endswith("*void by #4*") for line in listed.splitlines() if line.startswith("**#3**")] == [True]
    shown = await world.gm.slash(world.orders, "ledger show", number=3)
    assert "~~Weather of week 1~~" in said(shown)
    assert response(shown).embeds[0].author.name == "Void: taken back by entry #4"
    for who in (world.gm, world.player):
        assert "the wrong dice" in said(await who.slash(world.orders, "ledger show", number=4))
    assert "has no weather yet" in refused(await world.gm.slash(world.orders, "weather show"))
    assert "Week 1 is rolled: entry #5" in said(await roll(world, *FAIR))


@pytest.mark.slow
async def test_undo_names_what_goes_with_it(world: World) -> None:
    """What was set by hand in the undone week since its rollover goes too, in window, answer and the one notice; not what was set elsewhere."""
    await put(world, "Australia", "good", 0)
    await roll(world, *FAIR)
    await put(world, "Australia", "3")
    await put(world, "Australia", "2", 0)
    await put(world, "North Africa", "3")
    window = await world.gm.slash(world.orders, "weather undo")
    asked = str(window.modal)
    assert "these go with it" in asked
    assert [f"**#{number}**" in asked for number in (3, 4, 5, 6, 7)] == [False, True, True, False, True]
    told = said(await world.gm.submit_modal(window, {"reason": "the wrong dice"}))
    assert [f"Entry #{number} is void" in told for number in (3, 4, 5, 6, 7)] == [False, True, True, False, True]
    notice = text(world.results.history()[-1])
    assert "3 entries are void" in notice
    assert [f"**#{number}**" in notice for number in (3, 4, 5, 6, 7)] == [False, True, True, False, True]
    assert weeks(world) == ["week.0"]
    assert "Week 0, Australia" in said(await world.gm.slash(world.orders, "ledger show", number=6))


async def test_a_first_week_that_was_set_wrongly_is_taken_back(world: World) -> None:
    """The week that the game begins with was set as 36 instead of 35: taken back, the campaign has no weather and may begin anew."""
    await put(world, "Australia", "good", 36)
    window = await world.gm.slash(world.orders, "void", entry=3)
    assert "Entry #3 is void" in said(await world.gm.submit_modal(window, {"reason": "It is week 35"}))
    assert weeks(world) == []
    await put(world, "Australia", "good", 35)
    assert weeks(world) == ["week.35"]


async def test_undo_reaches_the_newest_rollover_only(world: World) -> None:
    """Two undos take back two weeks, newest first; a week that was set by hand, or nothing at all, is not undone so."""
    assert "no rollover to take back" in refused(await take_back(world, "weather undo", reason="so"))
    await put(world, "Australia", "good")
    await roll(world, *FAIR)
    await roll(world, *FAIR)
    for left in (["week.0", "week.1"], ["week.0"]):
        await take_back(world, "weather undo", reason="so")
        assert weeks(world) == left
    told = refused(await take_back(world, "weather undo", reason="so"))
    assert "set by hand is changed with /weather set" in told
    assert rows(world, "select count(*) from entry where kind = 'void'") == [(2,)]
