"""Rolls by hand settle the orders of those in them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.captives.test_escape import flee, imprison, joint
from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_void import undo_entry
from tests.orders.ordering import listed, order, populate
from tests.orders.test_board import board, posted
from tests.orders.test_resolving import newest_roll, resolved
from tests.support.acting import more, use_desk
from tests.support.reading import press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, send_raw

FAILS = "Failed, no write-up"


def done(world: World, name: str, kind: str = "escape") -> dict[str, int]:
    """Return the entries of an order by phase."""
    value: dict[str, Any] = kept(world, name)[f"order.{kind}"]
    return dict(value["done"])


async def rolled(world: World, way: str, *faces: int) -> int:
    """Roll an escape by hand, and return its entry."""
    named = {"captive": "Amuro"} if "named" in way else {}
    world.dice.script(*faces)
    if "card" in way:
        card = response(await flee(world.gm, world, **named))
        await world.gm.click(card, custom_id=press(card, "roll"))
    else:
        await flee(world.gm, world, **named, roll="now")
    return newest_roll(world)


async def tried(world: World, way: str) -> None:
    """Order an escape and roll a 10, by resolution or hand."""
    await flee(world.player, world, captive="Amuro")
    if way == "resolved":
        await resolved(world, 10)
    else:
        await rolled(world, way, 10)


@pytest.mark.parametrize(
    "way", ["card", *(pytest.param(other, marks=pytest.mark.slow) for other in ("now", "named card", "named now"))]
)
async def test_whoever_tries_by_hand_is_not_rolled_again(world: World, way: str) -> None:
    """List and digest have it."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    number = await rolled(world, way, 10)
    assert done(world, "Amuro") == {"escape": number}
    assert FAILS in await listed(world)
    assert f"(entry #{number})" in await listed(world, world.gm)
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await use_desk(world.gm, world.orders, "Digest")
    (line,) = entry(world)["lines"]
    assert (line["phase"], line["entry"]) == ("Escapes", number)
    await require_whole(world)


async def test_who_is_not_in_the_roll_still_waits(world: World) -> None:
    """The other counts as trying (line 341)."""
    await imprison(world, "Amuro", "Kai")
    await flee(world.player, world, captive="Amuro, Kai")
    number = await rolled(world, "named now", 10)
    assert joint(entry(world, number)["parts"][0]) == "others try in this update"
    assert (done(world, "Amuro"), done(world, "Kai")) == ({"escape": number}, {})
    await resolved(world, 10)
    (part,) = entry(world, newest_roll(world))["parts"]
    assert (part["subjects"]["captive"], joint(part)) == ("Kai", "others try in this update")
    await require_whole(world)


@pytest.mark.slow
async def test_an_order_that_is_held_is_carried_out_too(world: World) -> None:
    """By name only."""
    await imprison(world, "Amuro")
    given = response(await flee(world.player, world, captive="Amuro"))
    await send_raw(world.gm, world.orders, press(given, "").removesuffix("change") + "hold:1")
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    number = await rolled(world, "named now", 10)
    assert done(world, "Amuro") == {"escape": number}
    await world.gm.slash(world.orders, "gm close")
    await require_whole(world)


@pytest.mark.parametrize("way", ["now", pytest.param("resolved", marks=pytest.mark.slow)])
async def test_a_roll_that_is_void_leaves_the_order_standing(world: World, way: str) -> None:
    """It resolves again."""
    await imprison(world, "Amuro")
    await tried(world, way)
    await undo_entry(world, newest_roll(world))
    assert done(world, "Amuro") == {}
    assert "failed to escape" in await resolved(world, 10)
    assert done(world, "Amuro") == {"escape": newest_roll(world)}
    await require_whole(world)


@pytest.mark.parametrize("way", ["now", "resolved"])
@pytest.mark.slow
async def test_an_order_has_come_to_what_its_roll_is_amended_to(world: World, way: str) -> None:
    """Undoing the amendment restores the first roll."""
    await imprison(world, "Amuro")
    await tried(world, way)
    first = newest_roll(world)
    for plus in ("1", "2"):
        await amend_with(world, newest_roll(world), plus, "Rope")
        assert done(world, "Amuro") == {"escape": newest_roll(world)}
        assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await undo_entry(world, newest_roll(world))
    await undo_entry(world, first + (2 if way == "resolved" else 1))
    assert done(world, "Amuro") == {"escape": first}
    await require_whole(world)


@pytest.mark.slow
async def test_orders_with_a_target_follow_their_amended_roll(world: World) -> None:
    """Both scouts' orders."""
    await populate(world)
    for who in ("Kai", "White Base"):
        await order(world, "Scout a base", who, to="Fort Anvil")
    await resolved(world, 10, 10)
    await amend_with(world, newest_roll(world), "1", "Rope")
    number = newest_roll(world)
    assert [done(world, who, "scout") for who in ("Kai", "White Base")] == [{"scout": number}] * 2
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await require_whole(world)


async def test_a_private_roll_is_told_to_nobody(world: World) -> None:
    """The giver only reads that it is resolved."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    card = response(await flee(world.gm, world))
    await world.gm.select(card, ["me"], custom_id=await more(world.gm, card, "to"))
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    number = newest_roll(world)
    assert done(world, "Amuro") == {"escape": number}
    for actor in (world.player, world.gm2):
        assert FAILS not in await listed(world, actor)
        assert "A game master will give you the result" in await listed(world, actor)
    await use_desk(world.gm, world.orders, "Digest")
    assert FAILS not in "".join(text(item) for item in (*world.staff.history(), *world.results.history()))
    assert entry(world)["lines"] == []


async def test_the_board_tells_what_was_carried_out_by_hand(world: World) -> None:
    """The receipt doesn't."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    await posted(world)
    world.dice.script(10)
    told = said(await flee(world.gm, world, roll="now"))
    assert f"**Amuro**: Escape (#{newest_roll(world)})" in await board(world)
    assert f"<#{world.staff.id}>" not in told
