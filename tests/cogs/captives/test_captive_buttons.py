"""What stands with a captive: picked from the list, interrogated, moved, released, let escape; two presses, one effect."""

from __future__ import annotations

import pytest
import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import known_as, save
from tests.cogs.captives.test_captives import captive, held
from tests.support.reading import assert_says, components, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw


async def picked(world: World) -> simcord.ResponseMessage:
    """The captive that the game master picks first from the list."""
    listed = response(await world.gm.slash(world.orders, "captive list"))
    select = next(item for item in components(listed) if item["type"] == 3)
    value = select["options"][0]["value"]
    return response(await world.gm.select(listed, [value], custom_id=select["custom_id"]))


async def owned(world: World) -> None:
    """A captive who is the player's."""
    await world.gm.slash(world.orders, "character add", name="Amuro", kind="pc", owner=world.player)
    await held(world)


async def test_an_empty_list_has_nothing_to_pick(world: World) -> None:
    """It says how to begin; those who were captives are listed, and not picked."""
    assert "don't know of any captives" in await captive(world, "list")
    await held(world)
    await captive(world, "release", captive="Amuro")
    listed = response(await world.gm.slash(world.orders, "captive list"))
    assert [item for item in components(listed) if item["type"] in {2, 3}] == []


async def test_a_player_lists_their_own_captives_and_those_they_hold(world: World) -> None:
    """The list has nobody whom others hold, and strangers have none."""
    database = world.bots[0].database
    mine = await known_as(database, world.player.id)
    await save(database, Profile("Sayla", "pc", owner=mine, side="EF"), Profile("Char", "pc"), Profile("Ral", "npc"))
    for name, by in (("Sayla", "Zeon"), ("Char", "EF"), ("Ral", "Zeon")):
        await world.gm.slash(world.orders, "captive take", captive=name, by=by, at="Fort Anvil")
    told = text(response(await world.player.slash(world.orders, "captive list")))
    assert_says(told, "Sayla** · held by Zeon", "Char** · held by EF")
    assert "Ral" not in told
    assert "don't play" in refused(await world.stranger.slash(world.orders, "captive list"))


async def test_a_window_that_was_overtaken_does_nothing(world: World) -> None:
    """Moved by another game master while the window was open: nothing is entered."""
    await held(world)
    window = await world.gm.click(await picked(world), label="Release")
    await captive(world, "move", captive="Amuro", at="Luna")
    with nothing_written(world):
        assert "since you looked" in refused(await world.gm.submit_modal(window, {"note": ""}))


@pytest.mark.parametrize("deed", ["interrogate", "escape", "move", "release"])
async def test_forged_buttons_do_nothing(world: World, deed: str) -> None:
    """Neither for a stranger nor for a player whose character it is not; another campaign's game master learns no name."""
    await owned(world)
    number = press(await picked(world), deed).split(":")[2]
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    with nothing_written(world):
        for actor in (world.stranger, other, world.manager):
            told = refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}"))
            assert "Amuro" not in told
            if deed != "escape":
                assert refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}", modal=True))


async def test_an_interrogation_is_gone_on_with_by_nobody_else_and_not_with_the_dead(world: World) -> None:
    """Forged, the button below an interrogation does nothing for players, for no entry, and once the captivity has ended."""
    await owned(world)
    await world.gm.slash(world.orders, "campaign edit", players_may="interrogation")
    world.dice.script(17)
    asked = {"captive": "Amuro", "interrogators": "Stahl", "roll": "now"}
    await world.gm.slash(world.orders, "interrogate", **asked)
    with nothing_written(world):
        assert "captivity has ended" in refused(await send_raw(world.gm, world.orders, "interrogate:1:6"))
        for actor in (world.player, world.stranger):
            assert refused(await send_raw(actor, world.orders, "interrogate:1:99"))
            assert refused(await send_raw(actor, world.orders, "interrogate:1:3"))


async def test_whoever_is_called_so_can_be_picked(world: World) -> None:
    """A name of marks alone is read as it is, and two of one name are told apart by their numbers."""
    for name in ("Haas", "Haas", "**"):
        await world.gm.slash(world.orders, "character add", name=name, secret=True)
    for name in ("Haas #1", "Haas #2", "**"):
        await held(world, name)
    listed = response(await world.gm.slash(world.orders, "captive list"))
    (select,) = (item for item in components(listed) if item["type"] == 3)
    assert {option["label"] for option in select["options"]} == {"Haas #1", "Haas #2", "**"}
    assert all("<t:" not in option["description"] for option in select["options"])
