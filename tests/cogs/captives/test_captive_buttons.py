"""What stands with a captive: picked from the list, interrogated, moved, released, let escape; two presses, one effect."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.cogs.captives.test_captives import captive, held
from tests.support.reading import components, newest, press, refused, response, said, text
from tests.support.world import World, send_raw, written

ALL = ["Interrogate", "Escape", "Move", "Release", "Take back"]


def labels(message: Any) -> list[str]:  # noqa: ANN401 - a message
    """What stands on the buttons of a message."""
    return [item["label"] for item in components(message) if item["type"] == 2]


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


async def test_a_captive_is_picked_and_interrogated(world: World) -> None:
    """The window asks who does so, and the card names captive and interrogators."""
    await held(world)
    shown = await picked(world)
    assert "held by Red at Fort Anvil" in text(shown)
    assert labels(shown) == ALL
    window = await world.gm.click(shown, label="Interrogate")
    card = response(await world.gm.submit_modal(window, {"interrogators": "Stahl, Hauer"}))
    assert "Stahl" in text(card)
    world.dice.script(10)
    receipt = response(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "Interrogate again" in labels(receipt)


async def test_an_empty_list_has_nothing_to_pick(world: World) -> None:
    """Those who were captives are listed, and not picked."""
    await held(world)
    await captive(world, "release", captive="Amuro")
    listed = response(await world.gm.slash(world.orders, "captive list"))
    assert [item for item in components(listed) if item["type"] in {2, 3}] == []


async def test_a_player_is_pointed_to_what_there_is_for_them(world: World) -> None:
    """The list of all captives is for game masters; the refusal says where one's own are told of."""
    told = refused(await world.player.slash(world.orders, "captive list"))
    assert "Only game masters of Iron Sea see all captives." in told
    assert "/captive show" in told


async def test_a_captive_is_moved_and_released(world: World) -> None:
    """Each press takes the buttons off what it was pressed on, and its answer has those of what is now."""
    await held(world)
    shown, other = await picked(world), await picked(world)
    moved = await world.gm.submit_modal(await world.gm.click(shown, label="Move"), {"at": "Luna"})
    assert labels(shown) == []
    answer = moved.followups[-1]
    assert "is moved from Fort Anvil to Luna" in text(answer)
    assert labels(answer) == ALL
    before = written(world)
    for label in ("Move", "Release", "Interrogate", "Escape"):
        told = refused(await world.gm.click(other, label=label))
        assert "Amuro was moved or taken anew since you looked: entry #4" in told
    assert written(world) == before
    freed = await world.gm.submit_modal(await world.gm.click(answer, label="Release"), {"note": "Exchanged"})
    assert "is released by Red at Luna" in text(freed.followups[-1])
    assert labels(freed.followups[-1]) == ["Take back"]


async def test_a_window_that_was_overtaken_does_nothing(world: World) -> None:
    """Moved by another game master while the window was open: nothing is entered."""
    await held(world)
    window = await world.gm.click(await picked(world), label="Release")
    await captive(world, "move", captive="Amuro", at="Luna")
    before = written(world)
    assert "since you looked" in refused(await world.gm.submit_modal(window, {"note": ""}))
    assert written(world) == before


async def test_a_player_orders_the_escape_of_their_own(world: World) -> None:
    """The player's view has that button alone; a game master's opens a card; once it is ordered, that is withdrawn instead."""
    await owned(world)
    shown = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    assert labels(shown) == ["Escape"]
    assert "**Amuro**: Escape" in said(await world.player.click(shown, label="Escape"))
    assert world.staff.last_message is None
    shown = response(await world.player.slash(world.orders, "captive show", captive="Amuro"))
    assert labels(shown) == ["Withdraw the escape"]
    card = response(await world.gm.click(await picked(world), label="Escape"))
    assert press(card, "roll")


@pytest.mark.parametrize("deed", ["interrogate", "escape", "move", "release"])
async def test_forged_buttons_do_nothing(world: World, deed: str) -> None:
    """Neither for a stranger nor for a player whose character it is not; another campaign's game master learns no name."""
    await owned(world)
    number = press(await picked(world), deed).split(":")[2]
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    before = written(world)
    for actor in (world.stranger, other, world.manager):
        told = refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}"))
        assert "Amuro" not in told
        if deed != "escape":
            assert refused(await send_raw(actor, world.orders, f"captive:1:{number}:4:{deed}", modal=True))
    assert written(world) == before


async def test_an_interrogation_offers_the_next(world: World) -> None:
    """The same interrogators on the same captive, at the reason's window; a death offers none; a player is offered their own."""
    await owned(world)
    await world.gm.slash(world.orders, "campaign edit", players_may="interrogation")
    world.dice.script(10)
    asked = {"captive": "Amuro", "interrogators": "Stahl", "roll": "now"}
    receipt = response(await world.gm.slash(world.orders, "interrogate", **asked))
    card = response(await world.gm.click(receipt, label="Interrogate again"))
    assert "Stahl" in text(card)
    assert "Amuro has had one in this update already" in text(card)
    assert (await world.gm.click(card, custom_id=press(card, "roll"))).modal is not None
    world.dice.script(17)
    receipt = response(await world.gm.slash(world.orders, "interrogate", **asked, note="once more"))
    assert "dies" in text(newest(world.staff))
    assert "Interrogate again" not in labels(receipt)
    before = written(world)
    assert "captivity is over" in refused(await send_raw(world.gm, world.orders, "interrogate:1:6"))
    for actor in (world.player, world.stranger):
        assert refused(await send_raw(actor, world.orders, "interrogate:1:99"))
        assert refused(await send_raw(actor, world.orders, "interrogate:1:3"))
    assert written(world) == before


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
