"""What a roll leaves behind, and how it counts in a later one."""

from __future__ import annotations

import pytest
import simcord

from tests.support.acting import close_update, fill_in, roll_command
from tests.support.reading import (
    assert_lacks,
    assert_says,
    components,
    newest,
    press,
    refused,
    response,
    said,
    text,
    ticked,
)
from tests.support.world import World


async def scout(world: World, face: int, base: str = "Fort Anvil") -> simcord.InteractionResult:
    """Scout a base at once."""
    return await roll_command(world, "scout", face, scouter="Jonas", base=base, roll="now")


async def patrol(world: World, *faces: int, by: str, target: str = "Zaku column") -> simcord.InteractionResult:
    """Roll a patrol at once."""
    return await roll_command(world, "patrol", *faces, patrol=by, target=target, roll="now")


async def test_a_scouted_base_patrols_worse_over_updates(world: World) -> None:
    """The patrol of a base that was scouted has the line ticked on its card, with the entry that scouted it, until a rule ends it."""
    await scout(world, 20)
    card = response(await world.gm.slash(world.orders, "patrol", patrol="fort  ANVIL", target="Zaku column"))

    assert "patrol.scouted" in ticked(card, "patrol")
    assert "since entry 3" in str(list(components(card)))
    await close_update(world)
    await patrol(world, 1, by="Fort Anvil")
    assert "since entry 3" in text(newest(world.staff))


async def test_the_public_learns_the_outcome_and_the_staff_why(world: World) -> None:
    """Where a secret fact counted, #results tells outcome and consequences only, and #staff die, sum and origin."""
    await scout(world, 20)
    world.dice.script(20)
    modifiers = "patrol.fleet, patrol.newtype"
    await world.gm.slash(
        world.orders, "patrol", patrol="Fort Anvil", target="Zaku column", modifiers=modifiers, roll="now"
    )
    public, staff = text(newest(world.results)), text(newest(world.staff))

    for told in (public, staff):
        assert_says(told, "caught by", "must win to move on")
    assert_lacks(public.casefold(), "1d20", "\N{MINUS SIGN}3", "scouted", "since entry")
    assert "*Dice and modifiers: game masters only.*" in public
    assert_says(staff, "since entry 3", "\N{MINUS SIGN}3 ")


async def test_a_failed_scouting_leaves_nothing(world: World) -> None:
    """A base that was not scouted patrols as before, and its roll is public whole."""
    await scout(world, 10)
    await patrol(world, 20, by="Fort Anvil")
    assert "1d20: **20** + 0 = **20**" in text(newest(world.results))
    assert len(world.staff.history()) == 1


async def test_the_same_patrol_again_asks_for_a_reason_until_the_update_is_over(world: World) -> None:
    """The same target again is refused privately within the update and rolled without a word in the next."""
    await patrol(world, 1, by="Kilo")
    assert "already rolled for Zaku column this update (Patrol, entry #3)" in refused(await patrol(world, by="Kilo"))

    await close_update(world)
    assert "entry #5" in said(await patrol(world, 1, by="Kilo")).casefold()


async def test_a_patrol_that_has_stopped_one_asks_for_a_reason(world: World) -> None:
    """A patrol whose one stop is used up asks for a reason for any target, until the update is over."""
    await patrol(world, 20, by="Kilo")
    told = refused(await patrol(world, by="Kilo", target="Dom"))
    assert "Kilo has already used its stop this update (entry #3)" in told

    await close_update(world)
    assert "entry #5" in said(await patrol(world, 1, by="Kilo", target="Dom")).casefold()


@pytest.mark.slow
async def test_a_reason_lets_the_roll_through_and_is_told_to_the_staff(world: World) -> None:
    """On the card the reason is asked for in a window; game masters read it with the result, players never do."""
    await patrol(world, 1, by="Kilo")
    card = response(await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku column"))
    await fill_in(world.gm, card, {"reason": "A modifier was missed"}, custom_id=press(card, "roll"))

    assert "\n#4" in text(newest(world.results))
    shown = said(await world.gm.slash(world.orders, "ledger show", number=4))
    assert "**Rolled again because:** A modifier was missed" in shown
    for public in (text(newest(world.results)), said(await world.player.slash(world.orders, "ledger show", number=4))):
        assert "caught by" in public
        assert_lacks(public, "missed", "Rolled again")
