"""Interrogating the same captive until they crack: two presses each time, and one reason in an update."""

from __future__ import annotations

from typing import Any

import simcord

from tests.orders.ordering import populate
from tests.orders.test_resolving import newest_roll
from tests.support.acting import close_update, released
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, assert_says, labels, press, response, said, text
from tests.support.world import World, entry_texts, nothing_written

WHY = "She was about to talk"


@prepared
async def _held(world: World) -> None:
    """Amuro is held at Fort Anvil."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")


async def interrogated(world: World, face: int, actor: simcord.MemberActor | None = None) -> Any:  # noqa: ANN401 - a receipt
    """The command, and Roll."""
    who = actor or world.gm
    card = response(await who.slash(world.orders, "interrogate", captive="Amuro", interrogators="Ramba"))
    world.dice.script(face)
    await who.click(card, label="Roll")
    return card


async def test_each_interrogation_to_a_crack_takes_two_presses(world: World) -> None:
    """The first repeat asks why, with the odds, and rolls at once; the next has that reason on its card."""
    await _held(world)
    receipt = await interrogated(world, 2)
    with nothing_written(world):
        window = await world.gm.click(receipt, label="Interrogate again")
    assert window.modal is not None
    assert_says(str(window.modal), "Amuro has already had one this update", "%")
    world.dice.script(3)
    receipt = response(await world.gm.submit_modal(window, {"reason": WHY}))
    assert_says(text(receipt), "Rolled: entry", "Amuro")
    assert entry_texts(world, newest_roll(world)) == {"reason": WHY}
    card = response(await world.gm.click(receipt, label="Interrogate again"))
    assert_says(text(card), "Amuro has already had one this update", f"Your reason: {WHY}")
    world.dice.script(20)
    rolled = await world.gm.click(card, label="Roll")
    assert rolled.modal is None
    assert "Rolled: entry" in text(card)
    assert entry_texts(world, newest_roll(world)) == {"reason": WHY}


async def test_another_game_master_gives_a_reason_of_their_own(world: World) -> None:
    """What somebody wrote stays theirs, so it can be erased."""
    await _held(world)
    receipt = await interrogated(world, 2)
    world.dice.script(3)
    window = await world.gm.click(receipt, label="Interrogate again")
    receipt = response(await world.gm.submit_modal(window, {"reason": WHY}))
    card = response(await world.gm2.slash(world.orders, "interrogate", captive="Amuro", interrogators="Ramba"))
    assert_lacks(text(card), WHY)
    assert "Roll asks for your reason" in text(card)
    assert (await world.gm2.click(card, label="Roll")).modal is not None


async def test_in_the_next_update_no_reason_is_needed_or_kept(world: World) -> None:
    """Again opens a plain card."""
    await _held(world)
    receipt = await interrogated(world, 2)
    world.dice.script(3)
    window = await world.gm.click(receipt, label="Interrogate again")
    receipt = response(await world.gm.submit_modal(window, {"reason": WHY}))
    await close_update(world)
    card = response(await world.gm.click(receipt, label="Interrogate again"))
    assert_lacks(text(card), WHY, "already")
    world.dice.script(4)
    await world.gm.click(card, label="Roll")
    assert entry_texts(world, newest_roll(world)) == {}


async def test_a_window_left_open_over_an_update_rolls_with_a_note(world: World) -> None:
    """And after the captive's escape it's refused."""
    await _held(world)
    receipt = await interrogated(world, 2)
    first, second = [await world.gm.click(receipt, label="Interrogate again") for _ in range(2)]
    await close_update(world)
    world.dice.script(3)
    await world.gm.submit_modal(first, {"reason": WHY})
    assert entry_texts(world, newest_roll(world)) == {"note": WHY}
    await released(world.gm, world.orders, captive="Amuro")
    with nothing_written(world):
        assert "captivity has ended" in said(await world.gm.submit_modal(second, {"reason": WHY}))


async def test_a_captor_who_plays_sees_no_window_and_no_reason(world: World) -> None:
    """A game master has to roll again: the card says so."""
    await _held(world)
    await world.gm.slash(world.orders, "gm settings", players_may="interrogation")
    await world.gm.slash(world.orders, "roster edit", name="Ramba", owner=world.player, side="Zeon")
    receipt = await interrogated(world, 2, world.player)
    assert "Interrogate again" in labels(receipt)
    shown = await world.player.click(receipt, label="Interrogate again")
    assert shown.modal is None
    card = response(shown)
    refused = await world.player.click(card, custom_id=press(card, "roll"))
    assert "A game master has to make this roll" in said(refused)
