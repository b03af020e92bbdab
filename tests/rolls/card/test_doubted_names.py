"""A card says which name is probably a slip, and one press puts in the one that was meant."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.support.acting import tick
from tests.support.prepared import prepared
from tests.support.reading import offers, press, response, text, ticked
from tests.support.world import World, entry

SLIPS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("patrol", {"patrol": "Chars Zaku", "target": "Grey Ghost"}, "Char's Zaku"),
    ("patrol", {"patrol": "Char's Zaku", "target": "Gray Ghost"}, "Grey Ghost"),
    ("scout", {"scouter": "Kai Brandt", "base": "Fort Basault"}, "Fort Basalt"),
    ("detect", {"detector": "Fort Basault", "hidden": "Kai Brandt"}, "Fort Basalt"),
)
"""A roll with a slip in a name, and who was meant."""


@prepared
async def populate(world: World) -> None:
    """Save a squad, a ship, a base and a character."""
    database = world.bots[0].database
    squad = Profile("Char's Zaku", "squad", side="Zeon", traits={"newtype": 1})
    await save(database, squad, Profile("Grey Ghost", "ship", side="EF"))
    await save(database, Profile("Fort Basalt", "base", side="Zeon"), Profile("Kai Brandt", "pc", side="EF"))


async def card_of(world: World, command: str, options: dict[str, str]) -> simcord.ResponseMessage:
    """The card of a game master."""
    return response(await world.gm.slash(world.orders, command, **options))


@pytest.mark.parametrize(("command", "options", "meant"), SLIPS)
async def test_a_card_asks_about_a_name_that_is_nearly_a_saved_one(
    world: World, command: str, options: dict[str, Any], meant: str
) -> None:
    """The card names whom it doesn't know and who was probably meant; As meant puts that one in."""
    await populate(world)
    card = await card_of(world, command, options)
    assert f"Did you mean {meant.replace('_', ' ')}?" in text(card)
    await world.gm.click(card, custom_id=press(card, "correct"))
    assert f"**{meant}**" in text(card)
    assert "Did you mean" not in text(card)
    assert not offers(card, "correct")


async def test_a_modifier_that_was_meant_stays_beside_one_that_was_ticked(world: World) -> None:
    """As meant puts in the unit with all that it has, and the modifier; what was ticked by hand before stays."""
    await populate(world)
    options = {"patrol": "Chars Zaku", "target": "Grey Ghost", "modifiers": "patrol.outpots", "roll": "now"}
    card = await card_of(world, "patrol", options)
    await world.gm.click(card, custom_id=press(card, "page:card"))
    assert "patrol.outpost" not in ticked(card, "patrol")
    await tick(world.gm, card, "target", "target.lucky")
    await world.gm.click(card, custom_id=press(card, "correct"))
    assert {"patrol.newtype", "patrol.outpost"} <= ticked(card, "patrol")
    assert "target.lucky" in ticked(card, "target")


async def test_a_card_rolls_as_typed_where_that_was_meant(world: World) -> None:
    """Roll takes the name as it was typed: whoever has that name is not saved."""
    await populate(world)
    card = await card_of(world, "patrol", {"patrol": "Chars Zaku", "target": "Grey Ghost"})
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["subjects"]["patrol"] == "Chars Zaku"
