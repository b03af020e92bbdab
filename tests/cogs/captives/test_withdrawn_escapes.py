"""Escapes that players have ordered and withdraw."""

from __future__ import annotations

from bot.app import KINDS
from bot.core import audit
from tests.cogs.captives.test_escape import another_player, flee, imprison
from tests.support.reading import components, press, refused, response, said, text
from tests.support.world import World, entry, nothing_written, send_raw, written


async def test_whoever_has_ordered_an_escape_withdraws_it(world: World) -> None:
    """The button under the answer withdraws the order, once and for no other player; nothing waits any more."""
    other = another_player(world)
    await imprison(world, "Amuro")
    answer = response(await flee(world.player, world, captive="Amuro"))
    key = press(answer, f"{written(world)[0]}:withdraw")
    before = written(world)
    assert "already changed, cancelled" in refused(await send_raw(other, world.orders, key))
    assert written(world) == before
    redrawn = response(await world.player.click(answer, custom_id=key))
    assert "**Amuro**: Escape" in text(redrawn)
    assert [item for item in components(redrawn) if "custom_id" in item] == []
    assert (entry(world)["deed"], entry(world)["before"]) == ("withdraw", before[0])
    assert "already changed, cancelled" in refused(await send_raw(world.player, world.orders, key))
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    listed = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    assert "Cancel the escape" not in str(list(components(listed)))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_an_escape_that_was_rolled_is_not_withdrawn(world: World) -> None:
    """Its order is carried out; until then a player finds the button with the captive, too."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    listed = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    key = press(listed, f"{written(world)[0]}:withdraw")
    world.dice.script(12)
    await flee(world.gm, world, roll="now")
    with nothing_written(world):
        assert "already changed, cancelled" in refused(await send_raw(world.player, world.orders, key))


async def test_an_escape_is_withdrawn_where_its_captive_is_met_again(world: World) -> None:
    """A captive who is picked from the player's own desk has the button there; one whom a game master has ordered to escape has not."""
    await imprison(world, "Amuro")
    await world.gm.slash(world.orders, "order give", kind="Escape", who="Amuro")
    desk = response(await world.player.slash(world.orders, "update show"))
    assert "escape ordered" not in text(desk)
    assert "escape ordered" in said(await world.gm.slash(world.orders, "update show"))
    for label in ("Escape", "Cancel the escape"):
        desk = response(await world.player.slash(world.orders, "update show"))
        select = next(item for item in components(desk) if item["type"] == 3)
        picked = await world.player.select(desk, [select["options"][0]["value"]], custom_id=select["custom_id"])
        shown = response(picked)
        assert [item["label"] for item in components(shown) if item["type"] == 2] == [label]
        done = said(await world.player.click(shown, label=label))
        assert ("Order given" in done, "cancelled" in done) == (label == "Escape", label != "Escape")
        assert "replaces" not in done
    assert "No escapes to roll" in refused(await flee(world.gm, world))
