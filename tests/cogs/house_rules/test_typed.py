"""`/table add` without a file: a window into which a table is typed."""

from __future__ import annotations

from typing import Any

import simcord

from tests.cogs.house_rules.homebrew import rolled, whole
from tests.support.reading import press, refused, response, said, text
from tests.support.world import World, rows, send_raw, written

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


async def test_a_typed_table_is_looked_at_switched_on_and_rolled(world: World) -> None:
    """As a sent file is: exact odds first, then on, then rolled on by its name; it is handed out as a file."""
    shown = response(await typed(world))
    assert "**25%** (1/4) \N{MIDDLE DOT} 5 or less: It blows up" in text(shown)
    assert "**5%** (1/20) \N{MIDDLE DOT} 20 or more: Jackpot" in text(shown)
    assert "Salvage v1 is on" in said(await world.gm.click(shown, custom_id=press(shown, "on:")))
    assert "Jackpot" in await rolled(world, "Salvage", 20, sides=20)
    assert 'title = "Salvage"' in rows(world, "select text from document")[0][0]
    assert await whole(world)


async def test_all_that_is_wrong_with_the_lines_is_told_at_once(world: World) -> None:
    """With the lines' numbers and what was typed, to copy; nothing is kept."""
    before = written(world)
    lines = "1-5 It blows up\nNothing\n6-20 ```Jackpot"
    result = await typed(world, lines)
    told = said(result)
    assert "1 fault in what you typed" in told
    assert "**Line 2:** 'Nothing': it begins with no number: write it like 6-19 Nothing" in told
    assert "Use /table add once more" in told
    assert "```\n1-5 It blows up\nNothing\n6-20 '''Jackpot\n```" in text(result.followups[-1])
    assert written(world) == before
    assert rows(world, "select count(*) from document") == [(0,)]
    assert "7 stands in no line" in said(await typed(world, "1-6 Bad\n8-20 Good"))


async def test_a_typed_table_takes_no_name_that_is_taken(world: World) -> None:
    """The faults of a file are told of it as well."""
    told = said(await typed(world, name="patrol"))
    assert "a roll of the book campaign" in told


async def test_only_game_masters_type_tables(world: World) -> None:
    """Neither is the window opened to others nor, forged, is one read."""
    for who in (world.player, world.stranger):
        assert "Only game masters" in refused(await who.slash(world.orders, "table add", name="Loot"))
        assert "Only game masters" in refused(await send_raw(who, world.orders, "table:1:lines:Loot", modal=True))
    assert "two lines at least" in said(await send_raw(world.gm, world.orders, "table:1:lines:Loot", modal=True))
    assert "1 to 32 characters" in refused(await world.gm.slash(world.orders, "table add", name="n" * 33))


async def test_the_largest_window_is_answered(world: World) -> None:
    """Four thousand characters of faults are told, and given back whole."""
    lines = "\n".join("`" * 39 for _ in range(100))
    result = await typed(world, lines)
    back = "".join(text(item) for item in result.followups)
    assert back.count("'" * 39) == 100
