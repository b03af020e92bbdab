"""The board: one staff message, edited in place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import edited, order, picked, populate
from tests.support.acting import close_update, use_desk
from tests.support.reading import assert_says, components, newest, offers, press, refused, response, said, text
from tests.support.world import World, rows, send_raw, written


async def posted(world: World) -> Any:  # noqa: ANN401 - a message
    """Post the board anew."""
    await use_desk(world.gm, world.orders, "Board")
    return standing(world)


def standing(world: World) -> Any:  # noqa: ANN401 - a message
    """Return the board's message."""
    return next(item for item in reversed(world.staff.history()) if offers(item, "nudge"))


async def board(world: World) -> str:
    """Return the board's text after its edit."""
    await edited(world)
    return text(standing(world))


async def test_the_board_is_edited_in_place_by_all_that_changes_orders(world: World) -> None:
    """A closing starts it anew."""
    await populate(world)
    message = await posted(world)
    assert "No orders yet" in await board(world)
    assert "Waiting for 2:** Amuro and Kai" in await board(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    assert "**Scouting**" in await board(world)
    assert "**Kai**: Scout a base, Fort Anvil" in await board(world)
    assert "Waiting for 1:** Amuro" in await board(world)
    shown = await picked(world, world.gm)
    key = press(shown, f"{written(world)[0]}:refuse")
    await world.gm.submit_modal(await world.gm.click(shown, custom_id=key), {"reason": "No"})
    assert f"cancelled, #{written(world)[0]}" in await board(world)
    assert "Waiting for 2" in await board(world)
    await order(world, "Hide", "Amuro", to="Valley")
    shown = await picked(world, world.player)
    await world.player.click(shown, custom_id=press(shown, f"{written(world)[0]}:withdraw"))
    assert "Valley" not in await board(world)
    await world.player.slash(world.orders, "order give", kind="Pass", who="Amuro")
    assert "Waiting for 1:** Kai" in await board(world)
    await order(world, "Hide", "Kai", to="Valley")
    assert "Everyone has ordered or passed" in await board(world)
    plan = response(await world.gm.click(standing(world), custom_id=press(standing(world), "plan:1")))
    await world.gm.click(plan, custom_id=press(plan, "resolve"))
    await edited(world)
    messages = world.staff.history()
    now = next(item for item in messages if item.id == message.id)
    assert "Hide, Valley (#" in text(now)
    await close_update(world)
    await edited(world)
    now = next(item for item in world.staff.history() if item.id == message.id)
    assert "Orders: Update 2" in text(now)
    assert sum(offers(item, "nudge") for item in world.staff.history()) == 1


@pytest.mark.slow
async def test_a_squads_order_is_its_members(world: World) -> None:
    """Characters without an owner are never missing."""
    await populate(world)
    await posted(world)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    assert "Waiting for 1:** Amuro" in await board(world)


@pytest.mark.slow
async def test_a_newer_board_takes_the_place_of_the_older(world: World) -> None:
    """The older one loses its buttons."""
    await populate(world)
    assert "game masters" in refused(await use_desk(world.player, world.orders, "Board"))
    old = await posted(world)
    new = await posted(world)
    assert old.id != new.id
    await order(world, "Hide", "Kai", to="Valley")
    await edited(world)
    by_id = {item.id: item for item in world.staff.history()}
    assert "Valley" in text(by_id[new.id])
    assert "Valley" not in text(by_id[old.id])
    assert not list(components(by_id[old.id]))


async def test_nudge_pings_those_awaited_once_an_hour(world: World) -> None:
    """Only if pings are on; no names."""
    await populate(world)
    shown = await posted(world)
    key = press(shown, "nudge:1")
    await world.gm.slash(world.orders, "gm settings", pings="nobody")
    assert "/gm settings pings" in refused(await world.gm.click(shown, custom_id=key))
    await world.gm.slash(world.orders, "gm settings", pings="players")
    assert "game masters" in refused(await send_raw(another_player(world), world.orders, key))
    await world.gm.click(shown, custom_id=key)
    nudged = newest(world.results)
    assert nudged.content == f"<@{world.player.id}>"
    assert "Kai" not in text(nudged)
    count = len(world.results.history())
    assert "less than an hour ago" in refused(await world.gm.click(shown, custom_id=key))
    world.clock.advance(hours=1)
    await world.player.slash(world.orders, "order give", kind="Pass", who="Amuro")
    await world.gm.click(standing(world), custom_id=key)
    assert len(world.results.history()) == count + 1
    await world.player.slash(world.orders, "order give", kind="Pass", who="Kai")
    world.clock.advance(hours=1)
    assert "Everyone has ordered or passed" in refused(await world.gm.click(standing(world), custom_id=key))


async def test_who_left_or_lost_the_role_is_listed_and_not_pinged(world: World) -> None:
    """Board, nudge and names say so."""
    await populate(world)
    other = another_player(world)
    await world.gm.slash(world.orders, "roster edit", name="Amuro", owner=other)
    await world.gm.slash(world.orders, "gm settings", pings="players")
    assert "Can't order" not in said(await use_desk(world.gm, world.orders, "Board"))
    world.env.backend.remove_member_role(world.guild.id, other.id, world.roles["player"].id)
    unable = "Can't order, because their player left the server or lost the player role: Amuro."
    assert unable in said(await use_desk(world.gm, world.orders, "Board"))
    shown = standing(world)
    assert unable in said(await world.gm.click(shown, custom_id=press(shown, "nudge:1")))
    assert newest(world.results).content == f"<@{world.player.id}>"
    assert unable in said(await world.gm.click(shown, custom_id=press(shown, "tell:1")))


async def test_the_names_alone_are_told_to_all_but_for_the_secret(world: World) -> None:
    """In the results channel, without orders."""
    await populate(world)
    await world.gm.slash(world.orders, "roster edit", name="Amuro", secret=True)
    await order(world, "Hide", "Ramba", world.gm, to="Cave")
    shown = await posted(world)
    await world.gm.click(shown, custom_id=press(shown, "tell:1"))
    told = text(newest(world.results))
    assert_says(told, "Kai", "`/order give`, or `/order give kind:Pass` for none")
    for hidden in ("Amuro", "Cave", "Ramba"):
        assert hidden not in told
    assert newest(world.results).content == ""


async def test_a_second_press_of_lock_changes_nothing(world: World) -> None:
    """Nor a player's, nor one after closing."""
    await populate(world)
    key = press(await posted(world), "lock:1:1")
    assert "game masters" in refused(await send_raw(world.player, world.orders, key))
    for _ in range(2):
        await send_raw(world.gm, world.orders, key)
    assert rows(world, "select count(*) from entry where kind = 'order-lock'") == [(1,)]
    await close_update(world)
    assert "already closed" in refused(await send_raw(world.gm, world.orders, key))
