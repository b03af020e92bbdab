"""Game masters pause orders, set priorities, and give reasons."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, picked, populate
from tests.orders.test_board import board, posted, standing
from tests.orders.test_resolving import newest_roll, resolved, rolls
from tests.support.acting import close_update
from tests.support.reading import components, offers, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, entry_texts, nothing_written, rows, send_raw, written


async def arranged(world: World, given: int, deed: str) -> tuple[Any, str]:
    """Pick an order from Arrange, and return the id of a button."""
    message = standing(world)
    shown = response(await world.gm.click(message, custom_id=press(message, "arrange:1")))
    select = next(item for item in components(shown) if item["type"] == 3)
    value = next(item["value"] for item in select["options"] if item["value"].endswith(f".{given}"))
    chosen = response(await world.gm.select(shown, [value], custom_id=select["custom_id"]))
    return chosen, press(chosen, f"{given}:{deed}")


async def test_an_order_that_is_held_is_not_resolved_in_this_update(world: World) -> None:
    """Others don't meet it; its giver sees the pause."""
    await populate(world)
    await save(world.bots[0].database, Profile("Zaku", "squad", side="Zaku"))
    await posted(world)
    await order(world, "Move through a sector", "White Base", to="Valley")
    move = written(world)[0]
    await order(world, "Patrol or blockade a sector", "Zaku", world.gm, to="Valley")
    asked = response(await world.gm.slash(world.orders, "order list"))
    assert "Arrange, change or cancel" in str([*components(asked)])
    shown, key = await arranged(world, move, "hold:1")
    assert "stays unresolved" in said(await world.gm.click(shown, custom_id=key))
    assert "paused" in await board(world)
    assert "paused" in await listed(world, world.gm)
    assert "*paused*" in await listed(world)
    assert "*paused*" in said(await world.player.slash(world.orders, "update show"))
    assert "*paused*" in text(await picked(world, world.player))
    assert "already paused" in refused(await send_raw(world.gm, world.orders, key))
    assert "**Zaku** watches" in await resolved(world)
    again = said(await order(world, "Move through a sector", "White Base", to="Valley"))
    assert "replaces" in again
    assert "*paused*" in again
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await close_update(world)
    assert "held" not in await listed(world, world.gm)
    assert "moves through" in said(await world.gm.slash(world.orders, "gm resolve")).replace("*", "")
    await require_whole(world)


@pytest.mark.slow
async def test_an_order_of_which_nothing_comes_is_not_called_held(world: World) -> None:
    """Board and list show the refusal only."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    given = written(world)[0]
    shown, key = await arranged(world, given, "hold:1")
    shown = response(await world.gm.click(shown, custom_id=key))
    window = await world.gm.click(shown, custom_id=press(shown, f"{given}:refuse"))
    await world.gm.submit_modal(window, {"reason": "No"})
    for told in (await board(world), await listed(world, world.gm)):
        assert "ancelled" in told
        assert "paused" not in told


async def test_patrols_meet_by_the_priority_that_game_masters_gave(world: World) -> None:
    """The lower number goes first (lines 22, 65)."""
    await populate(world)
    await save(world.bots[0].database, Profile("Alpha", "squad", side="Alpha"), Profile("Zulu", "squad", side="Zulu"))
    await posted(world)
    await order(world, "Move through a sector", "White Base", to="Valley")
    await order(world, "Patrol or blockade a sector", "Alpha", world.gm, to="Valley")
    alpha = written(world)[0]
    await order(world, "Patrol or blockade a sector", "Zulu", world.gm, to="Valley")
    shown, key = await arranged(world, alpha, "rank")
    for typed in ("x", "-1", "\N{SUPERSCRIPT TWO}"):
        window = await world.gm.click(shown, custom_id=key)
        with nothing_written(world):
            assert "isn't a priority" in refused(await world.gm.submit_modal(window, {"rank": typed}))
    window = await world.gm.click(shown, custom_id=key)
    assert "Priority 7" in said(await world.gm.submit_modal(window, {"rank": "7"}))
    assert (entry(world)["rank"], entry(world)["held"]) == (7, False)
    assert "priority 7" in await board(world)
    since = written(world)[0]
    await resolved(world, 10, 10)
    assert _patrols(world, since)[0] == "Zulu"


@pytest.mark.parametrize("deed", ["hold:1", pytest.param("rank", marks=pytest.mark.slow)])
async def test_arranging_is_for_game_masters(world: World, deed: str) -> None:
    """Forged presses change nothing; the giver's list shows it."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    given = written(world)[0]
    own = await picked(world, world.player)
    assert not offers(own, f"{given}:{deed}")
    shown, key = await arranged(world, given, deed)
    if deed == "hold:1":
        with nothing_written(world):
            for actor in (world.player, another_player(world)):
                assert "game masters" in refused(await send_raw(actor, world.orders, key))
        return
    window = await world.gm.click(shown, custom_id=key)
    await world.gm.submit_modal(window, {"rank": "3"})
    assert "priority 3" not in said(await world.player.slash(world.orders, "ledger"))
    assert "priority 3" in said(await world.gm.slash(world.orders, "ledger"))
    assert "priority 3" in await listed(world)


async def test_a_task_that_waits_for_a_reason_is_rolled_with_it(world: World) -> None:
    """Once earlier phases are resolved."""
    await populate(world)
    await posted(world)
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort Anvil", roll="now")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await order(world, "Hide", "Amuro", to="Valley")
    assert "Needs your answer" in await board(world)
    message = standing(world)
    result = await world.gm.click(message, custom_id=press(message, "arrange:1"))
    shown = next(item for item in [response(result), *result.followups] if offers(item, "reason"))
    with nothing_written(world):
        key = press(shown, "reason:1")
        for actor, words in ((world.gm, "another one comes first"), (world.player, "game masters")):
            assert words in refused(await send_raw(actor, world.orders, key))
            assert refused(await send_raw(actor, world.orders, key, modal=True))
    plan = response(await world.gm.click(standing(world), custom_id=press(standing(world), "plan:1")))
    shown = response(await world.gm.click(plan, custom_id=press(plan, "resolve")))
    assert "1 needs you" in text(shown)
    assert rows(world, "select count(*) from entry where kind = 'digest'") == [(0,)]
    key, before = press(shown, "reason:1"), written(world)
    window = await world.gm.click(shown, custom_id=key)
    assert "needs a reason" in refused(await world.gm.submit_modal(window, {"reason": " "}))
    assert written(world) == before
    again = await world.gm.click(shown, custom_id=key)
    window = await world.gm.click(shown, custom_id=key)
    world.dice.script(12)
    assert "failed to scout **Fort Anvil**" in said(await world.gm.submit_modal(window, {"reason": "A second team"}))
    assert entry_texts(world, newest_roll(world))["reason"] == "A second team"
    assert rows(world, "select count(*) from entry where kind = 'digest'") == [(1,)]
    assert "is done or cancelled" in refused(await world.gm.submit_modal(again, {"reason": "Twice"}))
    assert "Needs your answer" not in await board(world)


@pytest.mark.slow
async def test_a_later_patrol_waits_for_one_that_waits_for_a_reason(world: World) -> None:
    """Only in the same sector (lines 22, 65)."""
    await populate(world)
    await save(
        world.bots[0].database, *(Profile(name, "squad", side=name) for name in ("Alfa", "Bravo", "Hunter", "Zaku"))
    )
    world.dice.script(3)
    await world.gm.slash(world.orders, "patrol", patrol="Alfa", target="White Base", roll="now")
    for kind, who, place in (
        ("Patrol or blockade a sector", "Alfa", "Valley"),
        ("Patrol or blockade a sector", "Bravo", "Valley"),
        ("Patrol or blockade a sector", "Hunter", "Hill"),
        ("Move through a sector", "White Base", "Valley"),
        ("Move through a sector", "Zaku", "Hill"),
    ):
        await order(world, kind, who, world.gm, to=place)
    since = written(world)[0]
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    world.dice.script(3)
    shown = response(await world.gm.click(plan, custom_id=press(plan, "resolve")))
    assert _patrols(world, since) == ["Hunter"]
    window = await world.gm.click(shown, custom_id=press(shown, "reason:1"))
    world.dice.script(3)
    await world.gm.submit_modal(window, {"reason": "They came back"})
    await resolved(world, 3)
    assert _patrols(world, since) == ["Hunter", "Alfa", "Bravo"]


def _patrols(world: World, since: int) -> list[str]:
    return [body["parts"][0]["subjects"]["patrol"] for body in rolls(world, since) if body["family"] == "patrol"]


@pytest.mark.slow
async def test_the_plan_says_what_is_held(world: World) -> None:
    """Also if only paused orders are left."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    shown, key = await arranged(world, written(world)[0], "hold:1")
    await world.gm.click(shown, custom_id=key)
    assert "1 paused: resume" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await order(world, "Hide", "Amuro", to="Valley")
    assert "Paused: Kai." in said(await world.gm.slash(world.orders, "gm resolve"))
