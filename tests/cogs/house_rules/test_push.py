"""Pools that are pushed: thrown once more, before or after their dice were seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.architecture.source import ROOT
from tests.cogs.captives.test_escape import another_player
from tests.cogs.house_rules.homebrew import send_and_switch_on
from tests.cogs.ledger.test_amend import amend_with, open_card, press_amend
from tests.cogs.ledger.test_void import undo_entry
from tests.support.acting import close_update
from tests.support.reading import assert_says, components, labels, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, send_raw

RUINS = (ROOT / "docs" / "games" / "cold-ruins.toml").read_text("utf-8")


async def test_a_pool_that_was_pushed_is_amended_throw_by_throw(world: World) -> None:
    """A die more is thrown first; the second throw's dice stay the second's."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, RUINS, "ruins")
    await world.gm.slash(world.orders, "roster add", name="Mara", kind="pc", fields="wits: 3; stress: 1")
    shown = response(await world.gm.slash(world.orders, "table roll", name="search", who="Mara"))
    picked = next(item for item in components(shown) if "push once" in str(item.get("options")))
    shown = response(await world.gm.select(shown, ["push once"], custom_id=picked["custom_id"]))
    world.dice.script(2, 3, 1, 6, 5, sides=6)
    await world.gm.click(shown, label="Roll")
    assert_says(
        text(world.results.last_message), "3d6: **2, 3, 1**, pushed: **6, 5** = **1** success", "takes 1 stress"
    )
    world.dice.script(4, 4, sides=6)
    await amend_with(world, 6, "+1", "A lamp")
    body = entry(world, 7)["parts"][0]["steps"][0]
    assert (body["faces"], body["first"]) == ([2, 3, 1, 4, 6, 5, 4], 4)
    await require_whole(world)


async def test_a_pool_is_pushed_after_its_dice_were_seen(world: World) -> None:
    """A game master amends it: its dice stay, only the others are thrown again, and the result says so."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, RUINS, "ruins")
    await world.gm.slash(world.orders, "roster add", name="Mara", kind="pc", fields="wits: 3; stress: 1")
    world.dice.script(2, 3, 1, sides=6)
    await world.gm.slash(world.orders, "table roll", name="search", who="Mara", roll="now")
    card = await open_card(world, 6)
    picked = next(item for item in components(card) if "push once" in str(item.get("options")))
    await world.gm.select(card, ["push once"], custom_id=picked["custom_id"])
    world.dice.script(6, 4, sides=6)
    assert "replaces #6" in await press_amend(world.gm, card)
    assert_says(text(world.results.last_message), "push: not chosen", "push once", "New dice: 2d6: 6 + 4")
    assert any(
        "2, 3, 1**, pushed: **6, 4** (kept and new) = **1** success" in text(it) for it in world.results.history()
    )
    await require_whole(world)


async def begin(world: World, rules: str = RUINS, may: str = "search", fields: str = "wits: 3; stress: 1") -> None:
    """Switch a game on and save a player's survivor."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, rules, "ruins")
    await world.gm.slash(world.orders, "gm settings", players_may=may)
    await world.gm.slash(world.orders, "roster add", name="Mara", kind="pc", fields=fields, owner=world.player)


async def roll(world: World, *faces: int, **options: str) -> Any:  # noqa: ANN401 - the answer
    """Let Mara's player roll at once."""
    world.dice.script(*faces, sides=6)
    given = {"name": "search", "who": "Mara", "roll": "now", **options}
    return response(await world.player.slash(world.orders, "table roll", **given))


async def test_a_roller_pushes_after_the_dice_were_seen(world: World) -> None:
    """Once, in the roll's update, and nobody else but a game master. A roll that is high enough, or has no dice, has no such button."""
    await begin(world)
    world.dice.script(2, 6, 1, sides=6)
    high = await world.player.slash(world.orders, "table roll", name="search", who="Mara", roll="now")
    assert "Push" not in labels(response(high))
    none = await world.gm.slash(world.orders, "table roll", name="search", who="Sally", roll="now")
    assert "Push" not in labels(response(none))
    world.dice.script(2, 3, 1, sides=6)
    low = response(await world.player.slash(world.orders, "table roll", name="search", who="Mara", roll="now"))
    (pressed,) = (item["custom_id"] for item in components(low) if item.get("label") == "Push")
    with nothing_written(world):
        assert "can't push" in refused(await send_raw(another_player(world), world.orders, pressed))
    world.dice.script(6, 4, sides=6)
    assert "replaces #9" in said(await world.player.click(low, label="Push"))
    assert_says(
        text(world.results.last_message), "pushed: **6, 4** (kept and new)", "Amends #9, whose dice are kept", "Pushed"
    )
    with nothing_written(world):
        assert "already amended" in refused(await send_raw(world.player, world.orders, pressed))
    world.dice.script(1, 2, 3, sides=6)
    await world.player.slash(world.orders, "table roll", name="search", who="Mara", roll="now")
    assert "Push" in labels(response(await world.player.slash(world.orders, "ledger", entry=11)))
    await close_update(world)
    assert "Push" not in labels(response(await world.player.slash(world.orders, "ledger", entry=11)))
    with nothing_written(world):
        assert "can't push" in refused(await send_raw(world.player, world.orders, pressed.replace("9", "11")))
    await require_whole(world)


async def test_only_the_pool_that_can_be_pushed_is(world: World) -> None:
    """A table that it rolls on is thrown once, and the card says so."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    chained = RUINS.replace('{ min = 2, text = "A rich find"', '{ min = 2, rolls = "risk", text = "A rich find"')
    await send_and_switch_on(world, chained, "ruins")
    card = response(await world.gm.slash(world.orders, "table roll", name="search", who="Mara"))
    picked = next(item for item in components(card) if "push once" in str(item.get("options")))
    card = response(await world.gm.select(card, ["push once"], custom_id=picked["custom_id"]))
    assert_says(text(card), "how many show 6 or more, pushed", "**Take a risk**")
    assert text(card).count(", pushed") == 1


async def test_only_the_actor_of_a_contest_is_pushed(world: World) -> None:
    """Who resists keeps their dice, so nothing is offered where theirs alone are few."""
    weak, pushed = "target = 5 }", "target = 5, push = { below = 1 } }"
    assert RUINS.count(weak) == 2
    await begin(world, RUINS.replace(weak, pushed), "grapple", "strength: 2; wits: 1")
    await world.gm.slash(world.orders, "roster add", name="Thief", kind="npc", fields="wits: 2")
    assert "Push" not in labels(await roll(world, 5, 5, 1, 1, name="grapple", about="Thief"))
    assert "Push" in labels(await roll(world, 1, 1, 5, 5, name="grapple", about="Thief"))
    await require_whole(world)


@pytest.mark.parametrize("to", ["results", "staff"])
async def test_what_a_later_roll_counted_is_not_pushed(world: World, to: str) -> None:
    """It would go without that roll. One that the roller can't see makes no difference."""
    shaken = RUINS.replace(
        '"Nothing but cold", tone = "failure", then = [{ do = "strain"',
        '"Nothing but cold", tone = "failure", then = [{ do = "shake"',
    )
    assert shaken != RUINS
    await begin(world, shaken, fields="wits: 4; stress: 1")
    low = await roll(world, 2, 3, 1, 1)
    world.dice.script(2, 3, 6, sides=6)
    await world.gm.slash(world.orders, "table roll", name="search", who="Mara", roll="now", to=to)
    if to == "staff":
        world.dice.script(6, 6, sides=6)
        assert "replaces #7" in said(await world.player.click(low, label="Push"))
    else:
        with nothing_written(world):
            assert "can't push" in refused(await world.player.click(low, label="Push"))
    await require_whole(world)


async def test_pushed_upkeep_is_not_due_again(world: World) -> None:
    """Undoing the closing after it asks for nothing twice."""
    hunt = '[[upkeep]]\nid = "hunt"\ntitle = "Hunt"\nof = ["pc"]\nrolls = "search"\n\n[catalog]'
    await begin(world, RUINS.replace("[catalog]", hunt))
    world.dice.script(2, 3, 3, sides=6)
    await close_update(world)
    ((number,), (closing,)) = rows(world, "select number from entry where kind in ('roll', 'update') order by number")
    world.dice.script(1, 1, 1, sides=6)
    shown = response(await world.gm.slash(world.orders, "ledger", entry=number))
    assert f"replaces #{number}" in said(await world.gm.click(shown, label="Push"))
    await undo_entry(world, closing)
    assert "Hunt" not in text(response(await world.gm.slash(world.orders, "gm close")))
    await require_whole(world)


async def test_a_roll_whose_book_is_off_is_still_shown(world: World) -> None:
    """Without a button to push it."""
    world.dice.script(16)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", roll="now")
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    shown = response(await world.gm.slash(world.orders, "ledger", entry=3))
    assert "Kilo" in text(shown)
    assert "Push" not in labels(shown)
