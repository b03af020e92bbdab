"""Saved names offered while somebody types: in every command, used last first, and only what the caller may know."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import known_as, save
from tests.cogs.roster.test_roster import saved
from tests.support.acting import roll_command
from tests.support.world import World

ROLL_OPTIONS = [
    ("patrol", "patrol", {"target": "Z"}),
    ("patrol", "target", {"patrol": "K"}),
    ("scout", "scouter", {"base": "F"}),
    ("scout", "base", {"scouter": "J"}),
    ("detect", "detector", {}),
    ("detect", "hidden", {"detector": "O"}),
]
LISTS = [item for item in ROLL_OPTIONS if item[1] in {"target", "scouter", "detector", "hidden"}]


async def offered(world: World, command: str, option: str, typed: str, actor: Any = None, **filled: str) -> list[str]:  # noqa: ANN401
    """The values offered for an option that is being typed, by a game master unless said otherwise."""
    found = await (actor or world.gm).autocomplete(world.orders, command, option, typed, **filled)
    assert len(found) <= 25
    for choice in found:
        assert 1 <= len(choice["name"]) <= 100
        assert 1 <= len(choice["value"]) <= 100
    return [choice["value"] for choice in found]


async def test_every_roll_command_offers_saved_names(world: World) -> None:
    """Units and characters whose names hold what was typed, in any case, in every role of every roll."""
    await saved(world, name="White Base")
    await saved(world, "character", name="Bright")
    await saved(world, name="Argama")
    for command, option, filled in ROLL_OPTIONS:
        assert await offered(world, command, option, "wHITE b", **filled) == ["White Base"]
        assert set(await offered(world, command, option, "b", **filled)) == {"White Base", "Bright"}


@pytest.mark.parametrize(
    ("command", "option", "filled"), [LISTS[0], *(pytest.param(*item, marks=pytest.mark.slow) for item in LISTS[1:])]
)
async def test_of_several_names_the_last_is_completed(
    world: World, command: str, option: str, filled: dict[str, str]
) -> None:
    """What stands before the comma is kept, names in it are not offered again, and what grows too long is left out."""
    for name in ("Alpha", "Bravo", "B" * 60):
        await saved(world, name=name)
    assert await offered(world, command, option, "Alpha,br", **filled) == ["Alpha, Bravo"]
    assert await offered(world, command, option, "bravo:neutral, nobody, bra", **filled) == []
    assert f"{'x' * 40}, Bravo" in await offered(world, command, option, f"{'x' * 40}, b", **filled)
    assert await offered(world, command, option, f"{'x' * 40}, bbb", **filled) == []


@pytest.mark.slow
async def test_used_last_comes_first(world: World) -> None:
    """Saving, editing and rolling bring a name to the front, for every command alike; the rest stands by name."""
    for name in ("Alpha", "Bravo", "Charlie"):
        await saved(world, name=name)
    assert await offered(world, "unit show", "name", "") == ["Charlie", "Bravo", "Alpha"]
    await roll_command(world, "scout", 20, scouter="Jonas", base="ALPHA", roll="now")
    await world.gm.slash(world.orders, "patrol", patrol="Bravo", target="Zaku")
    assert await offered(world, "patrol", "patrol", "", target="Z") == ["Alpha", "Charlie", "Bravo"], (
        "a card is no roll"
    )
    await world.gm.slash(world.orders, "unit edit", name="Bravo", side="EF")
    assert await offered(world, "detect", "detector", "") == ["Bravo", "Alpha", "Charlie"]


async def test_the_commands_for_units_and_characters_offer_their_own(world: World) -> None:
    """Units where units are asked for, characters where those are, and as a squad units alone."""
    await saved(world, name="Team", kind="squad")
    await saved(world, "character", name="Tem")
    for command in ("unit edit", "unit show", "unit remove"):
        assert await offered(world, command, "name", "te") == ["Team"]
    for command in ("character edit", "character show", "character remove"):
        assert await offered(world, command, "name", "te") == ["Tem"]
    assert await offered(world, "character add", "squad", "te", name="X") == ["Team"]
    assert await offered(world, "unit add", "region", "coral", name="X", kind="ship") == ["Coral Sea"]


async def test_only_what_the_caller_may_know_is_offered(world: World) -> None:
    """A player is offered public names and own secret ones, a stranger none, a game master all."""
    await saved(world, name="Base One")
    await saved(world, name="Base Two", secret=True)
    await saved(world, name="Base Three", secret=True, owner=world.player)
    for command, option, filled in ROLL_OPTIONS:
        assert len(await offered(world, command, option, "base", **filled)) == 3
        mine = await offered(world, command, option, "base", world.player, **filled)
        assert set(mine) == {"Base One", "Base Three"}
        assert await offered(world, command, option, "base", world.stranger, **filled) == []
    assert await offered(world, "unit show", "name", "two", world.player) == []


@pytest.mark.slow
async def test_signs_of_a_pattern_are_signs_of_a_name(world: World) -> None:
    """Per cent, underscore and backslash stand for themselves."""
    for name in ("50% Team", "A_B", "C\\D", "Plain"):
        await saved(world, name=name)
    for typed, expected in (("%", "50% Team"), ("_", "A_B"), ("\\", "C\\D")):
        assert await offered(world, "unit show", "name", typed) == [expected]


@pytest.mark.slow
async def test_never_more_than_discord_takes(world: World) -> None:
    """Thirty names offer twenty-five, and those left over are found by typing on."""
    for number in range(30):
        await saved(world, name=f"Team {number:02}", kind="squad")
    assert len(await offered(world, "unit show", "name", "team")) == 25
    assert await offered(world, "unit show", "name", "team 03") == ["Team 03"]


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """An unbound channel offers nothing, and raises nothing."""
    await saved(world, name="White Base")
    lobby = world.guild.create_text_channel("lobby")
    assert await world.gm.autocomplete(lobby, "unit show", "name", "w") == []
    assert await world.gm.autocomplete(lobby, "scout", "base", "w", scouter="J") == []


async def test_who_may_not_change_it_is_not_offered_it(world: World) -> None:
    """A player completes their own characters where they may edit these, and no others; nobody else's and no unit to edit or remove."""
    mine = await known_as(world.bots[0].database, world.player.id)
    await save(
        world.bots[0].database, Profile("Kai", "pc", owner=mine), Profile("Amuro", "pc"), Profile("Argama", "ship")
    )
    await world.gm.slash(world.orders, "campaign edit", players_may="characters")
    assert await offered(world, "character edit", "name", "", world.player) == ["Kai"]
    assert await offered(world, "character show", "name", "", world.player) == ["Kai", "Amuro"]
    for command in ("unit edit", "unit remove", "character remove"):
        assert await offered(world, command, "name", "", world.player) == []
        assert await offered(world, command, "name", "a")
