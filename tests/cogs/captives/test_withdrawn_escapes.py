"""Escapes that players have declared and take back."""

from __future__ import annotations

from typing import Any

from bot.app import KINDS
from bot.cogs.captives import rolls
from bot.core import audit
from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.captives.test_escape import another_player, flee, imprison
from tests.support.reading import components, newest, press, refused, response, text
from tests.support.world import World, entry, entry_texts, send_raw, written


def withdrawals(message: Any) -> list[str]:  # noqa: ANN401 - a response
    """What stands on the buttons that withdraw an escape."""
    labels = (str(item.get("label")) for item in components(message))
    return [label for label in labels if label.startswith("Withdraw")]


async def test_whoever_has_declared_an_escape_withdraws_it(world: World) -> None:
    """The button under the answer voids the declaration, once and for nobody else; the staff is told, and nothing waits any more."""
    other = another_player(world)
    await imprison(world, "Amuro")
    answer = response(await flee(world.player, world, captive="Amuro"))
    number, key = newest_entry(world), press(answer, "withdraw")
    before = written(world)
    for who in (other, world.gm):
        assert "no escape that you have declared" in refused(await send_raw(who, world.orders, key))
    assert written(world) == before
    redrawn = response(await world.player.click(answer, custom_id=key))
    assert "Escape withdrawn\nAmuro's escape is withdrawn." in text(redrawn)
    assert list(components(redrawn)) == []
    assert (entry(world)["entry"], entry_texts(world, number + 1)["reason"]) == (number, rolls.WITHDRAWN)
    assert f"Taken back by <@{world.player.id}>" in text(newest(world.staff))
    assert "is void already" in refused(await send_raw(world.player, world.orders, key))
    assert "No escape waits" in refused(await flee(world.gm, world))
    listed = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    assert "Withdraw the escape" not in str(list(components(listed)))
    assert [item.faults for item in await audit.check(world.bots[-1].database, KINDS)] == [()]


async def test_an_escape_that_was_rolled_is_not_withdrawn(world: World) -> None:
    """Its declaration is settled; until then a player finds the button with the captive, too."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    listed = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    key = press(listed, "withdraw")
    world.dice.script(12)
    await flee(world.gm, world, roll="now")
    before = written(world)
    assert "was rolled by entry" in refused(await send_raw(world.player, world.orders, key))
    assert written(world) == before


async def test_a_declared_escape_is_withdrawn_where_it_is_met_again(world: World) -> None:
    """The refusal to declare it again has the button, and so has the player's own desk; nobody else's has."""
    other = another_player(world)
    await imprison(world, "Amuro", "Kai")
    await flee(world.player, world, captive="Amuro")
    again = response(await flee(world.player, world, captive="Amuro"))
    assert "The escape of Amuro is declared already" in text(again)
    await world.player.click(again, custom_id=press(again, "withdraw"))
    assert "No escape waits" in refused(await flee(world.gm, world))
    await flee(world.player, world, captive="Amuro")
    await flee(world.player, world, captive="Kai")
    for who in (other, world.gm):
        assert "Withdraw" not in str(list(components(response(await who.slash(world.orders, "update show")))))
    desk = response(await world.player.slash(world.orders, "update show"))
    assert withdrawals(desk) == [
        "Withdraw the escape · Amuro",
        "Withdraw the escape · Kai",
    ]
    told = response(await world.player.click(desk, custom_id=press(desk, "withdraw")))
    assert "Amuro's escape is withdrawn." in text(told)
    desk = response(await world.player.slash(world.orders, "update show"))
    assert withdrawals(desk) == ["Withdraw the escape"]
