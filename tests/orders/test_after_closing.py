"""Rolls of a closed update, amended and undone, and its closing undone."""

from __future__ import annotations

import pytest
import simcord

from tests.cogs.captives.test_escape import another_player, flee, imprison
from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_void import undo_entry
from tests.orders.ordering import edited, listed, order, picked, populate
from tests.orders.test_board import posted, standing
from tests.orders.test_resolving import newest_roll, resolved
from tests.orders.test_tried_by_hand import done, rolled, tried
from tests.support.acting import close_update
from tests.support.reading import press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, rows, written


@pytest.mark.parametrize("way", ["now", pytest.param("resolved", marks=pytest.mark.slow)])
async def test_a_roll_of_an_update_that_is_over_is_amended_and_taken_back_by_itself(world: World, way: str) -> None:
    """The update stays closed; undone, the order is open in the present one."""
    await imprison(world, "Amuro")
    await tried(world, way)
    await close_update(world)
    first = newest_roll(world)
    await amend_with(world, first, "1", "Rope")
    assert "order.escape" not in kept(world, "Amuro")
    await undo_entry(world, newest_roll(world))
    assert "order.escape" not in kept(world, "Amuro")
    await undo_entry(world, first)
    assert "Update 2" in said(await world.gm.slash(world.orders, "update show"))
    assert done(world, "Amuro") == {}
    assert "failed to escape" in await resolved(world, 10)
    await require_whole(world)


async def test_a_closing_that_is_taken_back_brings_its_orders_back(world: World) -> None:
    """Orders given since stay."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    number = await rolled(world, "now", 10)
    await close_update(world)
    ((closing,),) = rows(world, "select max(number) from entry where kind = 'update'")
    await undo_entry(world, closing)
    assert done(world, "Amuro") == {"escape": number}
    await close_update(world)
    await flee(world.player, world, captive="Amuro")
    given = kept(world, "Amuro")["order.escape"]
    await undo_entry(world, number)
    assert kept(world, "Amuro")["order.escape"] == given
    await require_whole(world)


def newest_order(world: World) -> int:
    """Return the newest entry about orders."""
    return int(rows(world, "select max(number) from entry where kind = 'order'")[0][0])


@pytest.mark.slow
async def test_what_has_gone_with_its_update_comes_back_into_no_later_one(world: World) -> None:
    """A resolved order stays with its update."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, 10)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await close_update(world)
    await undo_entry(world, newest_order(world))
    assert "order.scout" not in kept(world, "Kai")
    assert "No orders yet" in await listed(world)
    await require_whole(world)


@pytest.mark.slow
async def test_an_order_that_has_come_into_another_update_is_taken_back_with_what_replaced_it(world: World) -> None:
    """Both stay void."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    first = newest_order(world)
    await close_update(world)
    await order(world, "Scout a base", "Kai", to="Luna")
    told = await undo_entry(world, first)
    assert told.count("Scout a base") == 2, told
    assert "order.scout" not in kept(world, "Kai")
    await require_whole(world)


async def test_an_order_that_was_held_is_resolved_in_the_next_update(world: World) -> None:
    """Once its replacement is undone."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    shown = await picked(world, world.gm)
    await world.gm.click(shown, custom_id=press(shown, "hold"))
    await order(world, "Scout a base", "Kai", to="Luna")
    await close_update(world)
    await undo_entry(world, newest_order(world))
    assert kept(world, "Kai")["order.scout"]["to"] == "Fort Anvil"
    assert not kept(world, "Kai")["order.scout"]["held"]
    await require_whole(world)


@pytest.mark.parametrize("locks", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_a_pass_or_a_lock_of_an_update_that_is_over_is_taken_back_by_itself(world: World, *, locks: bool) -> None:
    """The update stays closed."""
    await populate(world)
    if locks:
        message = await posted(world)
        await world.gm.click(message, custom_id=press(message, "lock"))
    else:
        await world.player.slash(world.orders, "order give", kind="Pass", who="Kai")
    number = written(world)[0]
    await close_update(world)
    assert "Update 1 closed" not in await undo_entry(world, number)
    assert "Update 2" in said(await world.gm.slash(world.orders, "update show"))
    await require_whole(world)


@pytest.mark.slow
async def test_an_unlocking_that_is_taken_back_locks_no_later_update(world: World) -> None:
    """The lock was of a closed update."""
    await populate(world)
    message = await posted(world)
    await world.gm.click(message, custom_id=press(message, "lock"))
    await edited(world)
    await world.gm.click(standing(world), custom_id=press(standing(world), "lock"))
    number = written(world)[0]
    await close_update(world)
    await undo_entry(world, number)
    assert "Order given" in said(await order(world, "Hide", "Kai", to="Valley"))
    await require_whole(world)


@pytest.mark.slow
async def test_an_order_in_the_place_of_one_that_was_withdrawn_before_is_taken_back_alone(world: World) -> None:
    """Undoing the withdrawal undoes later orders too."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    shown = await picked(world, world.player)
    await world.player.click(shown, custom_id=press(shown, "withdraw"))
    withdrawal = newest_order(world)
    await close_update(world)
    await order(world, "Scout a base", "Kai", to="Luna")
    second = newest_order(world)
    assert "Fort Anvil" not in await undo_entry(world, second)
    assert "order.scout" not in kept(world, "Kai")
    await order(world, "Scout a base", "Kai", to="Axis")
    assert "Axis" in await undo_entry(world, withdrawal)
    assert kept(world, "Kai")["order.scout"]["to"] == "Fort Anvil"
    assert "failed to scout" in await resolved(world, 10)
    await require_whole(world)


async def of_update(world: World, number: int, actor: simcord.MemberActor | None = None) -> str:
    """Return a person's list of a closed update."""
    return text(response(await (actor or world.player).slash(world.orders, "order list", update=number)))


async def scouted(world: World, *faces: int) -> int:
    """Scout a base, close, and return the roll."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, *faces)
    await close_update(world)
    return newest_roll(world)


@pytest.mark.slow
async def test_what_came_of_an_order_is_read_after_its_update_by_its_giver(world: World) -> None:
    """In the next list, then by number; others read nothing."""
    await scouted(world, 3, 10, 10)
    came = "**Kai**: Scout a base, Fort Anvil"
    shown, _, before = (await listed(world)).partition("Your results: Update 1")
    assert "No orders yet" in shown
    assert came in before
    assert "Failed: the defences attack" in before
    assert "Resolved" not in before, "the battle of it tells a player nothing more"
    assert came not in await listed(world, another_player(world))
    await close_update(world)
    assert came not in await listed(world)
    assert came in await of_update(world, 1)
    assert "No results that you can see" in await of_update(world, 2)
    refusal = await world.player.slash(world.orders, "order list", update=3)
    assert "Update 3 isn't closed yet: the current one is number 3." in refused(refusal)


async def test_what_was_amended_after_the_closing_is_read_as_it_stands(world: World) -> None:
    """Undone, it is gone."""
    number = await scouted(world, 10)
    await amend_with(world, number, "1", "Rope")
    amending = newest_roll(world)
    assert f"(entry #{amending})" in await of_update(world, 1, world.gm)
    await undo_entry(world, amending)
    assert f"(entry #{number})" in await of_update(world, 1, world.gm)
    await undo_entry(world, number)
    assert "Your results" not in await listed(world)


@pytest.mark.slow
async def test_what_was_amended_before_the_closing_holds_again_once_that_is_taken_back(world: World) -> None:
    """The list has the first roll again."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, 10)
    number = newest_roll(world)
    await amend_with(world, number, "1", "Rope")
    await close_update(world)
    await undo_entry(world, newest_roll(world))
    assert f"(entry #{number})" in await of_update(world, 1, world.gm)
    await undo_entry(world, number)
    assert "No results that you can see" in await of_update(world, 1)


@pytest.mark.slow
async def test_an_amended_roll_leaves_the_order_that_has_followed(world: World) -> None:
    """Undoing the first roll voids the later order."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, 10)
    first = kept(world, "Kai")["order.scout"]
    await order(world, "Scout a base", "Kai", to="Castle")
    second = kept(world, "Kai")["order.scout"]
    number = newest_roll(world)
    await amend_with(world, number, "1", "Rope")
    amending = newest_roll(world)
    assert amending > number
    assert kept(world, "Kai")["order.scout"] == second
    assert kept(world, "Kai")[f"order.scout:#{first['entry']}"]["done"] == {"scout": amending}
    await require_whole(world)
    await undo_entry(world, amending)
    assert kept(world, "Kai")["order.scout"] == second
    assert kept(world, "Kai")[f"order.scout:#{first['entry']}"]["done"] == {"scout": number}
    await undo_entry(world, number)
    assert (await listed(world)).count("**Kai**") == 1
    assert "Fort Anvil" in await listed(world)
    await require_whole(world)
