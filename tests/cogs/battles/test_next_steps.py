"""A battle from button to button: started under the roll that calls for it, joined, checked, its turns ended, checked once more."""

from __future__ import annotations

from itertools import product
from typing import Any

import simcord

from tests.cogs.battles.battlefield import (
    battle_over,
    begun,
    check,
    ford,
    join,
    option,
    sound,
    state,
    told,
    written_down,
)
from tests.support.reading import components, newest, press, refused, response, said, text
from tests.support.world import World, entry_texts, rows, send_raw, written

PATROL = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}


def labels(message: Any) -> list[str]:  # noqa: ANN401 - a message
    """What stands on the buttons of a message."""
    return [item["label"] for item in components(message) if item["type"] == 2]


async def test_a_roll_that_calls_for_a_battle_offers_to_start_it(world: World) -> None:
    """Name and sides stand in the window already; units are added, the turn is checked and ended, each by the next button."""
    await world.gm.slash(world.orders, "campaign edit", books="battlesystem")
    world.dice.script(18)
    receipt = response(await world.gm.slash(world.orders, "patrol", **PATROL))
    assert "Start the battle" in labels(receipt)
    window = await world.gm.click(receipt, label="Start the battle")
    assert "Kilo against Zaku" in str(window.modal)
    answer = response(await world.gm.submit_modal(window, {"name": "Loum", "sides": "Kilo, Zaku"}))
    assert "A battle begins" in text(answer)
    assert labels(answer) == ["Add units", "Take back"]
    window = await world.gm.click(answer, label="Add units")
    answer = response(await world.gm.submit_modal(window, {"units": "Pikes, Bows", "side": ["1"]}))
    assert "2 for Zaku" in text(answer)
    assert labels(answer) == ["Check turn 1", "Add units", "Take back"]
    written_down(world, [(4, 2), (4, 2)])
    checked = response(await world.gm.click(answer, label="Check turn 1"))
    assert labels(checked) == ["End turn 1", "Take back"]
    ended = await world.gm.click(checked, label="End turn 1")
    assert "Turn 1 has ended" in text(checked)
    assert "Check turn 2" in labels(ended.followups[0])
    before = written(world)
    assert "has ended already" in refused(await world.gm.click(answer, label="Check turn 1"))
    assert written(world) == before
    assert await sound(world)


async def test_only_where_random_events_are_played(world: World) -> None:
    """A campaign without the book has no such button; neither has a player's receipt."""
    world.dice.script(18, 18)
    assert "Start the battle" not in labels(response(await world.gm.slash(world.orders, "patrol", **PATROL)))
    await world.gm.slash(world.orders, "campaign edit", books="battlesystem", players_may="patrol")
    mine = response(await world.player.slash(world.orders, "patrol", patrol="Lima", target="Dom", roll="now"))
    assert "Start the battle" not in labels(mine)


async def test_a_second_check_is_rolled_for_a_reason_from_a_window(world: World) -> None:
    """As it was typed: the units of one side; the refusal stays, and pressed in a later turn it does nothing. Typed faces are kept by no button."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [2, 2])
    refusal = response(await world.gm.slash(world.orders, "events roll", faces="1 2"))
    assert "Give a reason" in text(refusal)
    assert not refusal.components
    told_off = response(await world.gm.slash(world.orders, "events roll", side="Blues"))
    window = await world.gm.click(told_off, label="Roll anyway because ...")
    written_down(world, [(4, 2)])
    assert "Rolled: entry #" in said(await world.gm.submit_modal(window, {"reason": "Ogres had been forgotten"}))
    (number,) = rows(world, "select max(number) from entry")[0]
    assert entry_texts(world, number) == {"reason": "Ogres had been forgotten"}
    assert "checked again" in text(newest(world.results))
    window = await world.gm.click(told_off, label="Roll anyway because ...")
    await world.gm.slash(world.orders, "events turn")
    before = written(world)
    assert "has ended already" in refused(await world.gm.submit_modal(window, {"reason": "once more"}))
    assert written(world) == before


async def test_players_have_the_buttons_of_what_is_opened_to_them(world: World) -> None:
    """Whoever may roll random events adds units, checks and ends turns; taking back is for game masters alone."""
    await ford(world)
    await world.gm.slash(world.orders, "campaign edit", players_may="random-events")
    answer = response(await world.player.slash(world.orders, "events unit add", units="Pikes", side="Reds"))
    assert labels(answer) == ["Check turn 1", "Add units"]
    written_down(world, [(4, 2)])
    checked = response(await world.player.click(answer, label="Check turn 1"))
    assert labels(checked) == ["End turn 1"]
    await world.player.click(checked, label="End turn 1")
    assert "Turn 1 has ended" in text(checked)


async def test_forged_buttons_do_nothing(world: World) -> None:
    """Where random events are for game masters, a player and a stranger neither press nor send anything; windows take what they offered, of a battle that is not over."""
    await ford(world)
    await join(world, "Reds", "Pikes")
    before = written(world)
    keys = ("start:4.0", "join:4", "check:4:1", "again:4:1:unit:0", "again:4:1:side:2", "turn:4:1", "start:99.9")
    for key, actor in product(keys, (world.player, world.stranger)):
        assert refused(await send_raw(actor, world.orders, f"events:1:{key}"))
        if not key.startswith(("check", "turn")):
            assert refused(await send_raw(actor, world.orders, f"events:1:{key}", modal=True))
    for key in ("again:4:1:none:0", "again:4:1:unit:3"):
        assert refused(await send_raw(world.gm, world.orders, f"events:1:{key}", modal=True))
    assert "No side was picked" in refused(await send_raw(world.gm, world.orders, "events:1:join:4", modal=True))
    assert written(world) == before
    result: simcord.InteractionResult = await begun(world, "Hill")
    assert "A battle begins" in told(result)
    await battle_over(world, name="Hill")
    button = press(response(result), "join")
    assert "battle is over" in refused(await world.gm.click(response(result), custom_id=button))


async def test_an_event_is_cancelled_for_a_reason_from_a_window(world: World) -> None:
    """The refusal has the way; once it is cancelled, the same press finds nothing to end; a player is refused."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 3))
    event = await option(world, "Pikes")
    refusal = response(await world.gm.slash(world.orders, "events use", event=event, how="cancel"))
    window = await world.gm.click(refusal, label="Cancel it because ...")
    key = press(refusal, "cancel")
    before = written(world)
    for modal in (False, True):
        assert refused(await send_raw(world.player, world.orders, key, modal=modal))
    assert "reason" in refused(await world.gm.submit_modal(window, {"reason": " "}))
    assert written(world) == before
    answer = await world.gm.submit_modal(
        await world.gm.click(refusal, label="Cancel it because ..."), {"reason": "slip"}
    )
    assert "An event is cancelled" in told(answer)
    again = await world.gm.click(refusal, label="Cancel it because ...")
    assert refused(await world.gm.submit_modal(again, {"reason": "slip"}))


async def test_the_end_of_a_battle_is_asked_about_first(world: World) -> None:
    """The question names the events and effects that end with it, writes nothing, and holds for the turn that was seen."""
    await ford(world, reds="Pikes", blues="Ogres")
    await world.gm.slash(world.orders, "unit add", name="Ghosts", kind="squad", secret=True)
    await join(world, "Reds", "Ghosts")
    await world.gm.slash(world.orders, "effect set", who="Ghosts", effect="Under siege", until="scene")
    await check(world, [1, 2, 2], (100, 3))
    before = written(world)
    asked = response(await world.gm.slash(world.orders, "events battle", action="end"))
    assert "End Black Ford in turn 1?" in text(asked)
    assert "Ghosts: Under siege \N{EM DASH} ends" in text(asked)
    assert "Pikes: Bonus promised (3): ML +1 until the battle ends \N{EM DASH} ends" in text(asked)
    assert written(world) == before
    await world.gm.slash(world.orders, "events turn")
    assert "has ended already" in refused(await world.gm.click(asked, custom_id=press(asked, "end")))
    done = await battle_over(world)
    assert "Black Ford is over: entry #" in done
    assert "Ghosts" not in done
    assert state(world, "effect.") == {}
    await begun(world, "Hill")
    asked = response(await world.gm.slash(world.orders, "events battle", action="end"))
    assert "Nothing in force ends with it" in text(asked)
