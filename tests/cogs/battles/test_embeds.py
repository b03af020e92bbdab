"""How battles are told: losses so far, what can be ended how, the table's help, and large battles without repetition."""

from __future__ import annotations

import pytest

from bot.ui.paging import chunks
from tests.cogs.battles.battlefield import ask, check, ford, join, option, posted, sound
from tests.support.reading import components, press, response
from tests.support.world import World, send_raw

MINUS = "\N{MINUS SIGN}"


async def test_what_is_lost_stands_beside_what_is_in_force(world: World) -> None:
    """`/events active` lists each side's losses of 52, 53 and 64 with turn and entry, until a game master cancels one."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Witches", caster=True, spells=3)
    assert "Lost so far" not in await ask(world, "active")
    await check(world, [1, 1, 1], (100, 52), (100, 64), (3, 1), (100, 53))
    reds, blues = (await ask(world, "active", world.player)).split("**__Blues__**")
    assert (
        "**Lost so far**\n• Pikes: Stragglers (52): Takes one hit now, without an AR check · turn 1, entry #8\n" in reds
    )
    assert "• Witches: Caster interrupted (64): Loses a spell picked by chance (d3: 1) · turn 1, entry #8" in reds
    assert "**Lost so far**\n• Ogres: Stragglers (53): Loses a figure now · turn 1, entry #8" in blues
    await ask(world, "use", event="Ogres", how="cancel", reason="misread")
    await ask(world, "turn")
    reds, blues = (await ask(world, "active")).split("**__Blues__**")
    assert "turn 1, entry #8" in reds
    assert "Lost so far" not in blues


async def test_only_what_can_be_ended_so_is_offered(world: World) -> None:
    """By token: what came after a token of its side; by condition: what hangs on one; cancelled: everything."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")

    async def offered(**options: str) -> list[str]:
        found = await world.gm.autocomplete(world.orders, "events use", "event", "", **options)
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
    """Buttons turn the pages, also after a restart; each page explains the letters and repeats no duration; a number shows one row, with its direction."""
    await ford(world)
    first = response(await world.player.slash(world.orders, "events table"))
    await world.restart()
    shown, pages = first, [str(list(components(first)))]
    for page in (1, 2, 3, 4):
        shown = response(await world.player.click(shown, custom_id=press(shown, f"table:{page}")))
        pages += [str(list(components(shown)))]
    assert "**14**" in pages[0]
    assert "**15**" not in pages[0]
    assert "**15** No army orders" in pages[1]
    for seen in pages:
        assert "[M] only missile units · [I] only units without missile · [F] only flying units" in seen
    assert [[word for word in ("Earlier", "Later") if word in page] for page in pages] == [
        ["Later"],
        *[["Earlier", "Later"]] * 3,
        ["Earlier"],
    ]
    whole = "\n".join(pages)
    assert "ML +1 until the battle ends" in whole
    assert "until the battle ends · this battle" not in whole
    assert "nor rallies · until" not in whole
    assert f"ML {MINUS}1 · this turn" in whole
    assert "ML -1" not in whole
    beyond = response(await send_raw(world.player, world.orders, "events:1:table:999", on=first))
    assert "**65** Components mislaid" in str(list(components(beyond)))
    assert press(beyond, "table:3")
    row = await ask(world, "table", world.player, number=33)
    for words in ("33: Garbled orders", "this turn", "M:** only missile units (line 8)", "line 80"):
        assert words in row
    assert "66\N{EN DASH}100" in await ask(world, "table", number=97)
    for number in (23, 39):
        row = await ask(world, "table", world.player, number=number)
        assert "read 1 as straight ahead, on clockwise, unless you agree otherwise" in row
    assert "clockwise" not in await ask(world, "table", number=64)


async def test_an_end_is_told_once_and_a_minus_is_one(world: World) -> None:
    """In the check's post and in what is in force, the duration stands behind those texts alone that do not tell it."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 1, 1], (100, 51), (100, 45), (100, 13))
    public = posted(world)
    assert f"51, Lost confidence: ML {MINUS}1 until the battle ends\n" in public
    assert f"13, Rumours: ML {MINUS}1 (this turn)" in public
    assert "until its condition is met" not in public
    shown = await ask(world, "active")
    assert f"Lost confidence (51): ML {MINUS}1 until the battle ends · turn 1, entry #7" in shown
    assert f"Rumours (13): ML {MINUS}1 · this turn · turn 1, entry #7" in shown
    assert "nor rallies · turn 1, entry #7" in shown


@pytest.mark.slow
async def test_a_large_check_lists_no_names_twice(world: World) -> None:
    """Of more than ten units that rolled a 1 the dice are shown and each is told below; of ten the names are listed."""
    names = [f"U{number:02}" for number in range(11)]
    await ford(world, reds=", ".join(names), blues="Ogres")
    await check(world, [*[1] * 11, 2], *((100, 80) for _ in range(11)))
    assert f"11d4: **{', '.join(['1'] * 11)}** → 1 for 11 units, each told below" in posted(world)
    await ask(world, "turn")
    await check(world, [*[1] * 10, 2, 2], *((100, 80) for _ in range(10)))
    assert f"→ 1 for {', '.join(names[:10])}\n" in posted(world)


@pytest.mark.slow
async def test_a_turns_end_tells_alike_events_once(world: World) -> None:
    """Units under the same event stand in one line in the roster's order, what stays in another; the ledger adds up."""
    await ford(world, reds="Zouaves, Axes, Pikes", blues="Ogres")
    await check(world, [1, 1, 1, 1], (100, 57), (100, 57), (100, 3), (100, 3))
    await ask(world, "turn")
    lines = posted(world).splitlines()
    (ended,) = [line for line in lines if "(57)" in line]
    assert ended.startswith("• Right unit for this (57): May move before everyone")
    assert ended.endswith("— ended: Zouaves, Axes")
    assert "• In force still: Bonus promised (3) on Pikes, Ogres" in lines
    assert await sound(world)


def test_a_block_of_lines_stays_together_where_it_fits() -> None:
    """A block that does not fit behind others begins the next text; one too long for any text is parted between its lines."""
    assert list(chunks(["aaaa", "bb\ncc"], 8)) == ["aaaa", "bb\ncc"]
    assert list(chunks(["bbbb\ncccc\ndd"], 8)) == ["bbbb", "cccc\ndd"]
    assert list(chunks(["x" * 10], 8)) == ["x" * 8, "xx"]
