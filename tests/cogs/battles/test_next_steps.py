"""A battle by buttons, from the roll that calls for it."""

from __future__ import annotations

from itertools import product

import simcord

from tests.cogs.battles.battlefield import battle_over, begun, check, ford, join, state, told, written_down
from tests.support.reading import labels, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw

PATROL = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}


async def test_only_where_random_events_are_played(world: World) -> None:
    """No button without the book, nor for players."""
    world.dice.script(18, 18)
    assert "Start the battle" not in labels(response(await world.gm.slash(world.orders, "patrol", **PATROL)))
    await world.gm.slash(world.orders, "gm settings", books="battlesystem", players_may="patrol")
    mine = response(await world.player.slash(world.orders, "patrol", patrol="Lima", target="Dom", roll="now"))
    assert "Start the battle" not in labels(mine)


async def test_a_reason_for_a_second_check_comes_too_late_in_a_later_turn(world: World) -> None:
    """In time, only that side is checked."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [2, 2])
    told_off = response(await world.gm.slash(world.orders, "gm-events roll", side="Blues"))
    window = await world.gm.click(told_off, label="Roll anyway …")
    written_down(world, [(4, 2)])
    assert "Rolled: entry #" in said(await world.gm.submit_modal(window, {"reason": "Ogres had been forgotten"}))
    window = await world.gm.click(told_off, label="Roll anyway …")
    await world.gm.slash(world.orders, "gm-events turn")
    with nothing_written(world):
        assert "is already over" in refused(await world.gm.submit_modal(window, {"reason": "once more"}))


async def test_forged_buttons_do_nothing(world: World) -> None:
    """Players, strangers, and battles that are over."""
    await ford(world)
    await join(world, "Reds", "Pikes")
    with nothing_written(world):
        keys = (
            "start:4.0",
            "join:4",
            "check:4:1",
            "again:4:1:unit:0",
            "again:4:1:side:2",
            "turn:4:1",
            "start:99.9",
            "cancel:4:Pikes",
        )
        for key, actor in product(keys, (world.player, world.stranger)):
            assert refused(await send_raw(actor, world.orders, f"events:1:{key}"))
            if not key.startswith(("check", "turn")):
                assert refused(await send_raw(actor, world.orders, f"events:1:{key}", modal=True))
        for key in ("again:4:1:none:0", "again:4:1:unit:3"):
            assert refused(await send_raw(world.gm, world.orders, f"events:1:{key}", modal=True))
        assert "No side was picked" in refused(await send_raw(world.gm, world.orders, "events:1:join:4", modal=True))
    result: simcord.InteractionResult = await begun(world, "Hill")
    assert "Battle started" in told(result)
    await battle_over(world, name="Hill")
    button = press(response(result), "join")
    assert "battle is over" in refused(await world.gm.click(response(result), custom_id=button))


async def test_the_end_of_a_battle_is_asked_about_first(world: World) -> None:
    """The question lists what ends, for the turn that was seen."""
    await ford(world, reds="Pikes", blues="Ogres")
    await world.gm.slash(world.orders, "roster add", name="Ghosts", kind="squad", secret=True)
    await join(world, "Reds", "Ghosts")
    await world.gm.slash(world.orders, "gm effect", who="Ghosts", effect="Under siege", until="scene")
    await check(world, [1, 2, 2], (100, 3))
    with nothing_written(world):
        asked = response(await world.gm.slash(world.orders, "gm-events battle", action="end"))
        assert "End Black Ford in turn 1?" in text(asked)
        assert "Ghosts: Under siege \N{EM DASH} ends" in text(asked)
        assert "Pikes: Bonus promised (3): ML +1 until the battle ends \N{EM DASH} ends" in text(asked)
    await world.gm.slash(world.orders, "gm-events turn")
    assert "is already over" in refused(await world.gm.click(asked, custom_id=press(asked, "end")))
    done = await battle_over(world)
    assert "Black Ford is over: entry #" in done
    assert "Ghosts" not in done
    assert state(world, "effect.") == {}
    await begun(world, "Hill")
    asked = response(await world.gm.slash(world.orders, "gm-events battle", action="end"))
    assert "No events end with it" in text(asked)
