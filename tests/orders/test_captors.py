"""A captor knows the captive."""

from __future__ import annotations

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.orders.ordering import order
from tests.support.acting import save_group
from tests.support.prepared import prepared
from tests.support.reading import components, refused, response, said, text
from tests.support.world import World

BUTTON = 2
CAPTORS = ["Kai", "White Base", "EF", "Scouts"]
"""The player's character, unit, side and group."""


@prepared
async def populate(world: World) -> None:
    """Save Kai and his ship for the player, and Ramba."""
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(database, Profile("White Base", "ship"), Profile("Fort Anvil", "base"), Profile("Ramba", "npc"))
    await save(database, Profile("Kai", "pc", owner=mine, side="EF"))
    await world.gm.slash(world.orders, "roster edit", name="Kai", squad="White Base")
    await save_group(world, name="Scouts", members="Kai")
    await world.gm.slash(world.orders, "gm settings", players_may="orders, interrogation")


@pytest.mark.parametrize("captor", CAPTORS)
async def test_a_captor_interrogates(world: World, captor: str) -> None:
    """By any of the four."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Ramba", by=captor, at="Fort Anvil")
    asked = {"kind": "Interrogate a captive", "who": "Kai"}
    offered = await world.player.autocomplete(world.orders, "order give", "to", "", **asked)
    assert "Ramba" in [item["value"] for item in offered]
    assert "Order given" in said(await order(world, "Interrogate a captive", "Kai", to="Ramba"))
    for command in ("captives", "update show"):
        assert "Ramba" in text(response(await world.player.slash(world.orders, command)))
    shown = response(await world.player.slash(world.orders, "captives", captive="Ramba"))
    assert f"held by {captor}" in text(shown)
    assert [item["label"] for item in components(shown) if item["type"] == BUTTON] == ["Interrogate"]


async def test_others_learn_nothing_of_a_captive(world: World) -> None:
    """Answers are the same as for a free one."""
    await populate(world)
    before = refused(await order(world, "Interrogate a captive", "Kai", to="Ramba"))
    await world.gm.slash(world.orders, "capture", captive="Ramba", by="Zeon", at="Fort Anvil")
    assert refused(await order(world, "Interrogate a captive", "Kai", to="Ramba")) == before
    asked = {"kind": "Interrogate a captive", "who": "Kai"}
    assert await world.player.autocomplete(world.orders, "order give", "to", "", **asked) == []
