"""Buttons of captives: each works once."""

from __future__ import annotations

import pytest
import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.captives.test_captives import captive, take_one
from tests.support.reading import assert_says, components, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw


async def pick_first(world: World) -> simcord.ResponseMessage:
    """The game master's first pick from the list."""
    listed = response(await world.gm.slash(world.orders, "captives"))
    select = next(item for item in components(listed) if item["type"] == 3)
    value = select["options"][0]["value"]
    return response(await world.gm.select(listed, [value], custom_id=select["custom_id"]))


async def save_owned_captive(world: World) -> None:
    """A captive who is the player's."""
    await world.gm.slash(world.orders, "roster add", name="Amuro", kind="pc", owner=world.player)
    await take_one(world)


async def test_an_empty_list_has_nothing_to_pick(world: World) -> None:
    """Former captives are listed, but can't be picked."""
    assert "don't know of any captives" in await captive(world, "list")
    await take_one(world)
    await captive(world, "release", captive="Amuro")
    listed = response(await world.gm.slash(world.orders, "captives"))
    assert [item for item in components(listed) if item["type"] in {2, 3}] == []


async def test_a_player_lists_their_own_captives_and_those_they_hold(world: World) -> None:
    """Others' captives aren't listed."""
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(database, Profile("Sayla", "pc", owner=mine, side="EF"), Profile("Char", "pc"), Profile("Ral", "npc"))
    for name, by in (("Sayla", "Zeon"), ("Char", "EF"), ("Ral", "Zeon")):
        await world.gm.slash(world.orders, "capture", captive=name, by=by, at="Fort Anvil")
    answer = text(response(await world.player.slash(world.orders, "captives")))
    assert_says(answer, "Sayla** · held by Zeon", "Char** · held by EF")
    assert "Ral" not in answer
    assert "don't play" in refused(await world.stranger.slash(world.orders, "captives"))


async def test_a_window_that_was_overtaken_does_nothing(world: World) -> None:
    """A captive moved meanwhile stays there."""
    await take_one(world)
    window = await world.gm.click(await pick_first(world), label="Release")
    await captive(world, "move", captive="Amuro", at="Luna")
    with nothing_written(world):
        assert "since you looked" in refused(await world.gm.submit_modal(window, {"note": ""}))


@pytest.mark.parametrize("deed", ["interrogate", "escape", "move", "release"])
async def test_forged_buttons_do_nothing(world: World, deed: str) -> None:
    """Forged buttons reveal no name."""
    await save_owned_captive(world)
    number = press(await pick_first(world), deed).split(":")[2]
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    with nothing_written(world):
        for actor in (world.stranger, other, world.manager):
            answer = refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}"))
            assert "Amuro" not in answer
            if deed != "escape":
                assert refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}", modal=True))


async def test_an_interrogation_is_gone_on_with_by_nobody_else_and_not_with_the_dead(world: World) -> None:
    """Not for players, unknown entries or former captives."""
    await save_owned_captive(world)
    await world.gm.slash(world.orders, "gm settings", players_may="interrogation")
    world.dice.script(17)
    asked = {"captive": "Amuro", "interrogators": "Stahl", "roll": "now"}
    await world.gm.slash(world.orders, "interrogate", **asked)
    with nothing_written(world):
        assert "captivity has ended" in refused(await send_raw(world.gm, world.orders, "interrogate:1:6"))
        for actor in (world.player, world.stranger):
            assert refused(await send_raw(actor, world.orders, "interrogate:1:99"))
            assert refused(await send_raw(actor, world.orders, "interrogate:1:3"))


async def test_whoever_is_called_so_can_be_picked(world: World) -> None:
    """Names of markdown work, and twins are numbered."""
    for name in ("Haas", "Haas", "**"):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name, secret=True)
    for name in ("Haas #1", "Haas #2", "**"):
        await take_one(world, name)
    listed = response(await world.gm.slash(world.orders, "captives"))
    (select,) = (item for item in components(listed) if item["type"] == 3)
    assert {option["label"] for option in select["options"]} == {"Haas #1", "Haas #2", "**"}
    assert all("<t:" not in option["description"] for option in select["options"])


async def test_a_place_is_picked_or_typed(world: World) -> None:
    """Saved ones but where the captive is, bases first; a typed one counts before a pick."""
    database = world.bots[0].database
    await save(database, Profile("Kai", "pc"), Profile("Argama", "ship"), Profile("Fort Anvil", "base"))
    await save(database, Profile("Luna", "base"))
    await take_one(world)
    window = await world.gm.click(await pick_first(world), label="Move")
    assert window.modal is not None
    fields = {item["component"]["custom_id"]: item["component"] for item in window.modal["components"]}
    assert [item["label"] for item in fields["at"]["options"]] == ["Luna", "Argama"]
    assert "held by Red at Luna" in text(
        (await world.gm.submit_modal(window, {"at": ["Luna"], "elsewhere": ""})).followups[0]
    )
    window = await world.gm.click(await pick_first(world), label="Move")
    done = await world.gm.submit_modal(window, {"at": ["Argama"], "elsewhere": "Atlantis"})
    assert "held by Red at Atlantis" in text(done.followups[0])
    window = await world.gm.click(await pick_first(world), label="Move")
    with nothing_written(world):
        assert "at least one place" in refused(await world.gm.submit_modal(window, {"at": [], "elsewhere": " "}))
