"""Battle results, ambushes and bribes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.acting import close_update, effect_ended, roll_command, use_writeup
from tests.support.reading import assert_says, newest, refused, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written

AWAITS, STOPPED = "effect.awaits-battle", "effect.move-stopped"


async def roll_catch(world: World, *faces: int, target: str = "Ghost", **options: Any) -> None:  # noqa: ANN401
    """A patrol with these faces."""
    await roll_command(
        world, "patrol", *(faces or (20,)), patrol="Kilo", target=target, note="again", roll="now", **options
    )


async def enter_result(world: World, result: str, number: str = "3", actor: Any = None) -> Any:  # noqa: ANN401
    """The answer to a result."""
    return await use_writeup(actor or world.gm, world.orders, "result", number, result=result)


async def roll_ambush(world: World, how: str) -> str:
    """What the staff reads of an ambush."""
    if how == "hand":
        return said(await world.gm.slash(world.orders, "gm effect", who="Ghost", effect="ambushed-today"))
    await roll_command(world, "detect", 1, detector="Owl", hidden="Ghost", roll="now")
    return text(newest(world.staff))


@pytest.mark.parametrize(("result", "moves"), [("won", True), ("drawn", False), ("lost", False)])
@pytest.mark.slow
async def test_the_result_of_a_battle_decides_on_the_move(world: World, result: str, *, moves: bool) -> None:
    """Line 24 and PB-9: only a win moves on."""
    await roll_catch(world)
    assert AWAITS in kept(world, "Ghost")
    assert "Must win its battle to move on" in said(await world.gm.slash(world.orders, "gm effect"))
    assert f"battle {result}" in said(await enter_result(world, result))
    assert AWAITS not in kept(world, "Ghost")
    assert (STOPPED in kept(world, "Ghost")) != moves
    answer = said(await world.gm.slash(world.orders, "ledger", entry=4))
    assert ("the move goes on" if moves else "the move is stopped") in answer
    assert f"battle {result}" in said(await world.player.slash(world.orders, "writeups"))
    await require_whole(world)


async def test_of_two_results_the_later_one_holds(world: World) -> None:
    """The first result's effects go."""
    await roll_catch(world)
    for result, stopped in (("lost", True), ("won", False), ("drawn", True)):
        await enter_result(world, result)
        assert (STOPPED in kept(world, "Ghost")) == stopped
    with nothing_written(world):
        assert "already has that result" in refused(await enter_result(world, "drawn"))
    await require_whole(world)


async def test_a_result_stays_while_it_is_claimed_and_written(world: World) -> None:
    """Before and after."""
    await roll_catch(world)
    await enter_result(world, "won")
    await use_writeup(world.player, world.orders, "claim", "3")
    answer = said(await use_writeup(world.player, world.orders, "done", "3"))
    assert_says(answer, "done", "battle won")
    assert "battle lost" in said(await enter_result(world, "lost"))


async def test_a_result_is_the_game_masters_to_enter_and_a_battles_alone(world: World) -> None:
    """Even without a move."""
    await roll_catch(world)
    await roll_command(world, "scout", 6, 1, scouter="Jonas, Priya", base="Fort", roll="now")
    with nothing_written(world):
        assert "game master" in refused(await enter_result(world, "won", actor=world.player))
        assert "isn't about a battle" in refused(await enter_result(world, "won", number="4.1"))
    assert "battle won" in said(await enter_result(world, "won", number="4.2"))
    assert "move" not in said(await world.gm.slash(world.orders, "ledger", entry=5))


@pytest.mark.slow
async def test_a_result_of_an_earlier_update_stops_nothing_now(world: World) -> None:
    """It sets no old effects."""
    await roll_catch(world)
    await close_update(world)
    await enter_result(world, "lost")
    assert STOPPED not in kept(world, "Ghost")
    await require_whole(world)


@pytest.mark.parametrize("how", ["detection", pytest.param("hand", marks=pytest.mark.slow)])
async def test_an_ambush_after_the_catch_is_fought_in_the_patrols_place(world: World, how: str) -> None:
    """Line 23: no one writes or decides it."""
    await roll_catch(world)
    answer = await roll_ambush(world, how)
    assert_says(answer, "Ghost was caught, then ambushed", "Write-up #3, the patrol's battle, is cancelled")
    assert AWAITS not in kept(world, "Ghost")
    assert STOPPED in kept(world, "Ghost")
    assert "cancelled" in said(await world.gm.slash(world.orders, "writeups", state="all"))
    assert "Kilo" not in said(await world.gm.slash(world.orders, "writeups"))
    assert "is cancelled" in refused(await enter_result(world, "won"))
    assert "is cancelled" in refused(await use_writeup(world.player, world.orders, "claim", "3"))
    await require_whole(world)


@pytest.mark.parametrize("how", ["detection", pytest.param("hand", marks=pytest.mark.slow)])
async def test_an_ambush_is_fought_in_place_of_all_patrols_battles(world: World, how: str) -> None:
    """Line 23: two of three are cancelled."""
    for patrol in ("Kilo", "Lima", "Mike"):
        await roll_command(world, "patrol", 20, patrol=patrol, target="Ghost", roll="now")
    await enter_result(world, "won", number="5")
    assert AWAITS in kept(world, "Ghost"), "two battles are to come still"
    answer = await roll_ambush(world, how)
    for number in (3, 4):
        assert f"Write-up #{number}, the patrol's battle, is cancelled" in answer
        assert "is cancelled" in refused(await enter_result(world, "won", number=f"{number}"))
    assert "Write-up #5" not in answer
    assert AWAITS not in kept(world, "Ghost")
    assert STOPPED in kept(world, "Ghost")
    await require_whole(world)


@pytest.mark.parametrize(("first", "second"), [("won", "lost"), pytest.param("lost", "won", marks=pytest.mark.slow)])
async def test_a_move_waits_for_every_battle(world: World, first: str, second: str) -> None:
    """One loss stops it."""
    for patrol in ("Kilo", "Lima"):
        await roll_command(world, "patrol", 20, patrol=patrol, target="Ghost", roll="now")
    await enter_result(world, first, number="4")
    assert AWAITS in kept(world, "Ghost")
    await enter_result(world, second, number="3")
    assert AWAITS not in kept(world, "Ghost")
    assert STOPPED in kept(world, "Ghost")
    await require_whole(world)


@pytest.mark.slow
async def test_an_ambush_withdraws_no_battle_that_is_fought_already(world: World) -> None:
    """Also in a later update."""
    await roll_catch(world)
    await enter_result(world, "won")
    await world.gm.slash(world.orders, "gm effect", who="Ghost", effect="ambushed-today")
    assert STOPPED not in kept(world, "Ghost")
    await roll_catch(world, target="Wraith")
    await close_update(world)
    await world.gm.slash(world.orders, "gm effect", who="Wraith", effect="ambushed-today")
    assert "withdrawn" not in said(await world.gm.slash(world.orders, "writeups", state="all"))


@pytest.mark.slow
async def test_a_bribe_is_kept_as_owed_until_it_is_paid(world: World) -> None:
    """Lines 70 and 72: 25 SP each, over updates."""
    await roll_catch(world, 20, 1, stance="neutral")
    await close_update(world)
    await roll_catch(world, 20, 11, stance="neutral")
    owed = said(await world.gm.slash(world.orders, "gm effect", who="Ghost"))
    assert owed.count("Owes 25 SP as a bribe") == 2
    assert entry(world)["parts"][0]["outcome"]["id"] == "passed-bribe"
    await effect_ended(world.gm, world.orders, who="Ghost", effect="Owes 25 SP as a bribe")
    owed = said(await world.gm.slash(world.orders, "gm effect", who="Ghost"))
    assert owed.count("Owes 25 SP as a bribe") == 1
    await require_whole(world)
