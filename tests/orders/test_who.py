"""Who orders what for whom: what is offered once somebody is named, and whose an order stays that a game master changes."""

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
    """Escape is offered for a captive and patrol is not; for whoever is free it is the other way round; a name that means nobody leaves all."""
    await populate(world)
    await world.gm.slash(world.orders, "captive take", captive="Amuro", by="Zeon", at="Fort Anvil")
    for who, words in (("Amuro", (True, False)), ("Kai", (False, True)), ("Ka", (True, True)), ("Ramba", (True, True))):
        shown = await _offered(world, who=who)
        assert ("Escape" in shown, "Patrol" in shown) == words, who
    assert "Escape" in await _offered(world)


async def test_what_is_offered_tells_nothing_of_others(world: World) -> None:
    """That somebody of another player's is a captive shows in no list of kinds."""
    await populate(world)
    other = another_player(world)
    before = str(await other.autocomplete(world.orders, "order give", "kind", "", who="Amuro"))
    await world.gm.slash(world.orders, "captive take", captive="Amuro", by="Zeon", at="Fort Anvil")
    assert str(await other.autocomplete(world.orders, "order give", "kind", "", who="Amuro")) == before


async def test_a_slip_in_a_name_is_told_with_what_is_meant(world: World) -> None:
    """For players as for game masters; only of those that the player gives orders to."""
    await populate(world)
    told = refused(await order(world, "Hide", "Amuru", to="Valley"))
    assert_says(told, "You can't give orders for", "Did you mean Amuro?")
    assert "Ramba" not in refused(await order(world, "Hide", "Rambo", to="Valley"))


@pytest.mark.slow
async def test_an_order_stays_whose_it_is_when_a_game_master_moves_it(world: World) -> None:
    """Changed from the list to another sector, it is still the player's, who reads where it goes and that it was changed."""
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
    """Discord's clients send no more than 500 characters; whatever sends more is told how many fit, by command and by window, and nothing is written."""
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
    """Use `/order give` with options that no client of Discord would send."""
    asked = [{"type": 3, "name": name, "value": value} for name, value in options.items()]
    root = world.env.backend.find_command("order", world.guild.id, type=1)
    assert root is not None
    give = {"type": 1, "name": "give", "options": asked}
    data = {"id": root["id"], "name": "order", "type": 1, "options": [give]}
    return await world.player._dispatch_interaction(2, world.orders, data)


async def test_a_slip_in_a_target_is_asked_about_on_the_receipt(world: World) -> None:
    """An order about a name that is nearly a saved one says whom that was probably meant for, to whoever knows of them."""
    await populate(world)
    asked = "I don't know Fort Anvul. Did you mean Fort Anvil? Press Change to fix it."
    given = response(await order(world, "Scout a base", "Kai", to="Fort Anvul"))
    assert asked in text(given)
    assert "Did you mean" not in said(await order(world, "Scout a base", "Kai", to="Fort Anvil"))
    await world.gm.slash(world.orders, "unit edit", name="Fort Anvil", secret=True)
    assert "Did you mean" not in said(await order(world, "Scout a base", "Kai", to="Fort Anvul"))
