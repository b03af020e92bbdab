from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.support.prepared import prepared
from tests.support.reading import assert_says, press, refused, response, text
from tests.support.world import World, nothing_written

ACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("scout", {"scouter": "Kai", "base": "Fort"}),
    ("scout", {"scouter": "Noa", "base": "Fort"}),
    ("patrol", {"patrol": "Kai", "target": "Zaku"}),
    ("detect", {"detector": "Kai", "hidden": "Zaku"}),
    ("interrogate", {"captive": "Ryu", "interrogators": "Kai"}),
    ("newtype", {"character": "Kai"}),
    ("escape", {"captive": "Kai"}),
    ("order give", {"kind": "Scout a base", "who": "Kai", "to": "Fort"}),
    ("order give", {"kind": "Pass", "who": "Kai"}),
    ("captives", {"captive": "Kai"}),
    ("infinity roll", {"attribute": 12, "label": "Kai"}),
)
"""What somebody does for Kai, who is another player's, or for Noa, whom no player owns."""


@prepared
async def populate(world: World) -> None:
    """Save Kai, Amuro and Noa for different players."""
    database = world.bots[0].database
    mine, other = await find_pseudonym(database, world.player.id), await find_pseudonym(database, world.gm2.id)
    await save(database, Profile("Kai", "pc", owner=other), Profile("Amuro", "pc", owner=mine), Profile("Noa", "npc"))
    await save(database, Profile("White Base", "ship"), Profile("Ryu", "pc", owner=mine, side="EF"))
    await world.gm.slash(world.orders, "roster edit", name="Amuro", squad="White Base")
    opened = "scouting, patrol, detection, interrogation, newtype, escape, orders"
    await world.gm.slash(world.orders, "gm settings", players_may=opened, books="campaign, infinity")
    await world.gm.slash(world.orders, "capture", captive="Ryu", by="EF", at="Fort")


@pytest.mark.parametrize(("command", "options"), ACTS)
async def test_a_player_acts_for_nobody_elses_character(world: World, command: str, options: dict[str, Any]) -> None:
    """Each refusal names the owner; nothing is written."""
    await populate(world)
    with nothing_written(world):
        told = refused(await world.player.slash(world.orders, command, **options))
        whose = "the game masters play" if "Noa" in options.values() else f"<@{world.gm2.id}> plays"
        assert_says(told, f"isn't yours: {whose} them.", "You can act for: Amuro, Ryu, White Base.")


@pytest.mark.parametrize("name", ["Amuro", "White Base", "Somebody unsaved"])
async def test_a_player_acts_for_their_own_and_for_whom_nobody_saved(world: World, name: str) -> None:
    """Also for the unit they belong to."""
    await populate(world)
    card = response(await world.player.slash(world.orders, "scout", scouter=name, base="Fort"))
    assert press(card, "roll")


async def test_a_game_master_acts_for_everybody(world: World) -> None:
    """Unlike the player."""
    await populate(world)
    card = response(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    assert press(card, "roll")


async def test_a_secret_character_of_others_is_a_name_like_any(world: World) -> None:
    """A player reads the same as for an unknown name."""
    await populate(world)
    await world.gm.slash(world.orders, "roster edit", name="Kai", secret=True)
    cards = [
        text(response(await world.player.slash(world.orders, "scout", scouter=name, base="Fort")))
        for name in ("Kai", "Joe")
    ]
    assert cards[0].replace("Kai", "Joe") == cards[1]
