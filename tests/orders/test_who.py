"""Who orders for whom, and whose an order stays."""

from __future__ import annotations

import pytest
import simcord

from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, picked, populate
from tests.orders.test_arranging import arranged
from tests.orders.test_board import posted
from tests.support.reading import assert_says, press, refused, response, said, text
from tests.support.world import World, written


async def _offered(world: World, **typed: str) -> str:
    return str(await world.player.autocomplete(world.orders, "order give", "kind", "", **typed))


async def test_kinds_fit_who_is_named(world: World) -> None:
    """An unknown name leaves all kinds."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    for who, words in (("Amuro", (True, False)), ("Kai", (False, True)), ("Ka", (True, True)), ("Ramba", (True, True))):
        shown = await _offered(world, who=who)
        assert ("Escape" in shown, "Patrol" in shown) == words, who
    assert "Escape" in await _offered(world)


async def test_what_is_offered_tells_nothing_of_others(world: World) -> None:
    """A foreign captive shows nowhere."""
    await populate(world)
    other = another_player(world)
    before = str(await other.autocomplete(world.orders, "order give", "kind", "", who="Amuro"))
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    assert str(await other.autocomplete(world.orders, "order give", "kind", "", who="Amuro")) == before


async def test_a_slip_in_a_name_is_told_with_what_is_meant(world: World) -> None:
    """Among those the person commands."""
    await populate(world)
    told = refused(await order(world, "Hide", "Amuru", to="Valley"))
    assert_says(told, "You can't give orders for", "Did you mean Amuro?")
    assert "Ramba" not in refused(await order(world, "Hide", "Rambo", to="Valley"))


@pytest.mark.slow
async def test_an_order_stays_whose_it_is_when_a_game_master_moves_it(world: World) -> None:
    """The player sees the change."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley", note="Quietly")
    given = written(world)[0]
    shown, key = await arranged(world, given, "change")
    window = await world.gm.click(shown, custom_id=key)
    assert f"replaces #{given}" in said(await world.gm.submit_modal(window, {"to": "Hill", "note": "Quietly"}))
    told = await listed(world)
    assert_says(told, "**Kai**: Hide, Hill", "Changed by a game master")
    assert "Valley" not in told
    await order(world, "Hide", "Kai", to="Cave")
    assert "Changed by" not in await listed(world)


async def test_a_note_that_is_too_long_is_answered_so(world: World) -> None:
    """Above 500 characters nothing is written."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    shown = await picked(world, world.player)
    window = await world.player.click(shown, custom_id=press(shown, "change"))
    assert window.modal is not None
    before, long = written(world), "x" * 2500
    fields = [{"type": 1, "components": [{"type": 4, "custom_id": "note", "value": long}]}]
    sent = {"custom_id": window.modal["custom_id"], "components": fields}
    for result in (
        await world.player._dispatch_interaction(5, world.orders, sent),
        await _typed(world, kind="Hide", who="Kai", to="Valley", note=long),
    ):
        assert "to 500" in refused(result).casefold()
    assert written(world) == before


async def _typed(world: World, **options: str) -> simcord.InteractionResult:
    asked = [{"type": 3, "name": name, "value": value} for name, value in options.items()]
    root = world.env.backend.find_command("order", world.guild.id, type=1)
    assert root is not None
    give = {"type": 1, "name": "give", "options": asked}
    data = {"id": root["id"], "name": "order", "type": 1, "options": [give]}
    return await world.player._dispatch_interaction(2, world.orders, data)


async def test_a_slip_in_a_target_is_asked_about_on_the_receipt(world: World) -> None:
    """If a saved name is close."""
    await populate(world)
    asked = "I don't know Fort Anvul. Did you mean Fort Anvil? Press Change to fix it."
    given = response(await order(world, "Scout a base", "Kai", to="Fort Anvul"))
    assert asked in text(given)
    assert "Did you mean" not in said(await order(world, "Scout a base", "Kai", to="Fort Anvil"))
    await world.gm.slash(world.orders, "roster edit", name="Fort Anvil", secret=True)
    assert "Did you mean" not in said(await order(world, "Scout a base", "Kai", to="Fort Anvul"))
