"""How battles are shown, large ones too."""

from __future__ import annotations

import pytest

from bot.ui.text import chunks
from tests.cogs.battles.battlefield import ask, check, ford, option, posted
from tests.support.reading import assert_says, components, press, response
from tests.support.world import World, send_raw

MINUS = "\N{MINUS SIGN}"


async def test_only_what_can_be_ended_so_is_offered(world: World) -> None:
    """By token, by condition, or cancelled."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")

    async def offered(**options: str) -> list[str]:
        found = await world.gm.autocomplete(world.orders, "gm-events use", "event", "", **options)
        return [choice["name"].partition(":")[0] for choice in found]

    await check(world, [1, 1, 1], (100, 3), (100, 54), (100, 45))
    assert await offered() == []
    assert await offered(how="condition") == ["Ogres"]
    assert await offered(how="cancel") == ["Pikes", "Ogres"]
    await ask(world, "turn")
    await check(world, [2, 1, 2], (100, 52))
    assert await offered() == await offered(how="token") == ["Axes"]
    await ask(world, "use", event=await option(world, "Axes", how="token"))
    assert await offered() == []


async def test_the_table_is_paged_and_looked_up(world: World) -> None:
    """A number shows one row; pages stop at the last."""
    await ford(world)
    first = response(await world.player.slash(world.orders, "events table"))
    beyond = response(await send_raw(world.player, world.orders, "events:1:table:999", on=first))
    assert "**65** Components mislaid" in str(list(components(beyond)))
    assert press(beyond, "table:3")
    row = await ask(world, "table", world.player, number=33)
    assert_says(row, "33: Garbled orders", "this turn", "M:** only missile units (line 8)", "line 80")
    assert "66\N{EN DASH}100" in await ask(world, "table", number=97)
    for number in (23, 39):
        row = await ask(world, "table", world.player, number=number)
        assert "1 is straight ahead, then clockwise, unless you agree otherwise" in row
    assert "clockwise" not in await ask(world, "table", number=64)


@pytest.mark.slow
async def test_a_large_check_lists_no_names_twice(world: World) -> None:
    """Above ten struck units the dice stand without names."""
    names = [f"U{number:02}" for number in range(11)]
    await ford(world, reds=", ".join(names), blues="Ogres")
    await check(world, [*[1] * 11, 2], *((100, 80) for _ in range(11)))
    assert f"11d4: **{', '.join(['1'] * 11)}** → 1 for 11 units, listed below" in posted(world)
    await ask(world, "turn")
    await check(world, [*[1] * 10, 2, 2], *((100, 80) for _ in range(10)))
    assert f"→ 1 for {', '.join(names[:10])}\n" in posted(world)


def test_a_block_of_lines_stays_together_where_it_fits() -> None:
    """A block too long for any text is split between lines."""
    assert list(chunks(["aaaa", "bb\ncc"], 8)) == ["aaaa", "bb\ncc"]
    assert list(chunks(["bbbb\ncccc\ndd"], 8)) == ["bbbb", "cccc\ndd"]
    assert list(chunks(["x" * 10], 8)) == ["x" * 8, "xx"]
