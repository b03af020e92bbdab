"""Pets in a fight: in addition to the owner's Action, one at a time, back afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import count_lost as health
from tests.cogs.roe.attacking import roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import effects, marks
from tests.cogs.roe.test_vehicles import end_turns, read_spared
from tests.support.prepared import prepared
from tests.support.reading import assert_says, response

REX, BOLT = "Rex", "Bolt"


@prepared
async def kennel(ring: Ring) -> None:
    """Give Kai a wolf and a drone, and begin a fight with Char and the Guard."""
    for name, fields in ((REX, "pet level: 2; pet type: organic"), (BOLT, "pet level: 1; pet type: robotic")):
        await ring.gm.slash(ring.world.orders, "roster add", name=name, kind="squad", fields=fields)
    await ring.save(
        {
            KAI: f"hp: 30; weapons: M_s_Rifle; accuracy: 20; pets: {REX}, {BOLT}",
            CHAR: "hp: 20; weapons: M_s_Rifle",
            GUARD: "hp: 15; weapons: S_s_Pistol",
        }
    )
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")


async def send(ring: Ring, pet: str = REX, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Let a pet attack Char; return the answer."""
    asked = {"target": CHAR, "character": pet, "roll": "now", **options}
    return await roe(ring, "attack", actor or ring.player, **asked)


async def test_a_pet_attacks_beside_the_action_of_its_owner(ring: Ring) -> None:
    """A d10 without the owner's modifiers, one pet per turn; it withdraws with a downed owner."""
    await kennel(ring)
    ring.world.dice.script_dice((100, 60), (100, 59), (10, 7))
    assert "Hit: 7 damage" in await send(ring)
    assert "Kai sends Rex at Char" in ring.read_newest().replace("*", "")
    assert "Rex is out with its owner" in ring.read_newest()
    assert health(ring, CHAR) == 7
    left = await marks(ring, KAI)
    assert (left["actions"], left["pet-actions"], left["pet-movements"]) == (1, 0, 1)
    assert "no pet Actions left" in await send(ring)
    assert "Missed" in await roe(ring, "attack", ring.player, (100, 10), (100, 59), target=CHAR, roll="now")
    await end_turns(ring, ring.player)
    assert "It's Char's turn" in await send(ring)
    assert "isn't yours" in await send(ring, actor=ring.rival, target=KAI)
    await end_turns(ring, ring.rival, ring.gm)
    assert "Only 1 pet" in await send(ring, BOLT)
    ring.world.dice.script_dice((100, 2), (100, 59))
    assert "Missed" in await send(ring)
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Wounded")
    assert "left the fight" in await send(ring)


@pytest.mark.slow
async def test_organic_pets_reach_three_metres_and_robotic_ones_shoot(ring: Ring) -> None:
    """A drone shoots a d6; a stray has no owner; Spliced Genes can't have a pet."""
    await kennel(ring)
    assert "reaches 3 m" in await send(ring, range=4)
    assert "no weapons" in await send(ring, BOLT, weapon="M_s_Rifle")
    await ring.gm.slash(ring.world.orders, "roster add", name="Stray", kind="squad", fields="pet level: 1")
    assert "has no owner" in await send(ring, "Stray")
    ring.world.dice.script_dice((20, 15), (100, 14), (6, 5))
    assert "Hit: 5 damage" in await send(ring, BOLT, range=30)
    await ring.save({KAI: "option: Spliced Genes"})
    assert "pets aren't allowed" in await send(ring, BOLT)


async def test_a_pet_that_is_down_is_back_after_the_fight(ring: Ring) -> None:
    """Without a wound or saving roll, with full HP next time."""
    await kennel(ring)
    await end_turns(ring, ring.player)
    await roe(ring, "attack", ring.rival, (100, 60), (100, 59), (20, 20), target=REX, roll="now")
    assert_says(ring.read_newest(), "20 less 20 = 0", "Rex is out of the fight")
    assert await effects(ring, REX) == {"withdrawn"}
    await end_turns(ring, ring.rival)
    assert "out of the fight" in await read_spared(ring, ring.gm, target=REX)
    await end_turns(ring, ring.gm)
    assert "down until the fight is over" in await send(ring)
    await ring.click("end", ring.gm, response(await ring.use("end")))
    await ring.begin(f"{CHAR}, {KAI}", name="Later")
    await roe(ring, "attack", ring.rival, (100, 60), (100, 59), (20, 3), target=REX, roll="now")
    assert "20 less 3 = 17" in ring.read_newest()
