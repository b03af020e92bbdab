"""Vehicles in a fight, as people use them: seats, weapons, armour, ramming, and what becomes of those inside."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import lost as health
from tests.cogs.roe.attacking import newest_entry, refusal, roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.cogs.roe.test_acts import act, denied, effects, marks
from tests.support.acting import confirmed, take_back
from tests.support.prepared import prepared
from tests.support.reading import text

TANK, CAR, BIKE = "Behemoth", "Wagon", "Hopper"
DRIVES, GUNS, RIDES = {"seated", "driving"}, {"seated", "gunning"}, {"seated", "riding"}


@prepared
async def parked(ring: Ring, **vehicles: str) -> None:
    """Save vehicles by their classes, give Kai and Char what they need, and begin a fight with the Guard in which Kai has the first turn."""
    for name, kind in (vehicles or {TANK: "tank"}).items():
        await ring.gm.slash(ring.world.orders, "unit add", name=name, kind="squad", fields=f"vehicle: {kind}")
    await ring.save(
        {
            KAI: "hp: 30; weapons: Rifle = M_s_Rifle + Scope accuracy 5, Bolter = L_s_AMR; accuracy: 20",
            CHAR: "hp: 20; weapons: Gun = L_a_MG, Axe = H_s_Axe; dodge: 10",
            GUARD: "hp: 15; weapons: S_s_Pistol",
        }
    )
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await act(ring, "draw", value="Rifle, Bolter")


async def ended(ring: Ring, *actors: Any) -> None:  # noqa: ANN401 - members
    """End the turns of these, one after the other."""
    for actor in actors:
        assert "Done" in await ring.ended(actor)


async def test_who_sits_in_a_tank_dodges_for_it_and_is_no_target_behind_a_shut_hatch(ring: Ring) -> None:
    """An AMR pierces its armour, and the driver dodges without modifiers; after its hatch is hacked the driver is a target with cover."""
    await parked(ring)
    await ended(ring, ring.player)
    assert "Driver" in await act(ring, "mount", ring.rival, target=TANK)
    assert "Char drives" in ring.posted()
    assert await effects(ring, CHAR) == DRIVES
    await ended(ring, ring.rival, ring.gm)
    assert "its hatch is open" in await spared(ring, target=CHAR, weapon="Rifle")
    for dice, words in (([(100, 60), (100, 80)], "Missed"), ([(100, 100), (100, 50), (50, 30)], "Hit: 60 damage")):
        assert words in await roe(ring, "attack", ring.player, *dice, target=TANK, weapon="Bolter", roll="now")
        await ended(ring, ring.player, ring.rival, ring.gm)
        await act(ring, "Work the bolt", value="Bolter")
        await ended(ring, ring.player, ring.rival, ring.gm)
    assert health(ring, TANK) == 60
    for face, words in ((69, "stays shut"), (70, "Open")):
        assert words in await act(ring, "Hack a hatch", ring.player, (100, face), target=TANK, roll="now")
        await ended(ring, ring.player, ring.rival, ring.gm)
    assert "already open" in await denied(ring, "Hack a hatch", target=TANK, roll="now")
    ring.world.dice.script_dice((100, 50), (100, 50))
    assert "Missed" in await roe(ring, "attack", ring.player, target=CHAR, weapon="Rifle", roll="now")
    assert "+15 Cover" in ring.posted()


@pytest.mark.slow
async def test_seats_fill_up_and_who_sits_in_them_neither_kneels_nor_walks(ring: Ring) -> None:
    """A car has only a driver's seat; an APC has gunners and passengers, who don't fire; only the driver moves it."""
    await parked(ring, **{CAR: "car", BIKE: "personal", "APC": "apc"})
    assert "isn't a vehicle" in await denied(ring, "mount", target=CHAR)
    assert "no weapon slot" in await denied(ring, "mount", target=BIKE, value="gunner")
    assert "Driver" in await act(ring, "mount", target=CAR)
    assert "kneel" in await denied(ring, "kneel")
    assert "already" in await denied(ring, "mount", target=BIKE)
    await ended(ring, ring.player)
    assert "all seats are taken" in await denied(ring, "mount", ring.rival, target=CAR)
    assert "isn't in a vehicle" in await denied(ring, "dismount", ring.rival)
    await act(ring, "mount", ring.rival, target="APC", value="passenger")
    assert await effects(ring, CHAR) == RIDES
    assert "Only the driver can move" in await denied(ring, "move", ring.rival)
    await ended(ring, ring.rival)
    await act(ring, "mount", ring.gm, target="APC", value="gunner")
    assert await effects(ring, GUARD) == GUNS
    await ended(ring, ring.gm)
    await act(ring, "dismount")
    assert await effects(ring, KAI) == set()
    await ended(ring, ring.player)
    assert "no weapon slot" in await spared(ring, ring.rival, target=KAI)
    await ended(ring, ring.rival, ring.gm)
    assert "Driver" in await act(ring, "mount", target="APC")
    assert "Moved" in await act(ring, "move", value="8")


async def test_a_slot_takes_one_gun_and_its_own_modifiers_alone(ring: Ring) -> None:
    """The launcher of a tank is at hand; out of a slot equipment of the gunner does not count, attachments do, and no axe fits in."""
    await parked(ring)
    await act(ring, "mount", target=TANK)
    assert (await marks(ring, KAI))["drawn.h-s-launcher"] == 1
    await ended(ring, ring.player, ring.rival, ring.gm)
    await roe(ring, "attack", ring.player, (100, 50), (100, 60), target=CHAR, weapon="H_s_Launcher", roll="now")
    assert "+20" not in ring.posted()
    await ended(ring, ring.player)
    await act(ring, "mount", ring.rival, target=TANK)
    await ended(ring, ring.rival, ring.gm)
    await roe(ring, "attack", ring.player, (100, 50), (100, 60), target=GUARD, weapon="Rifle", roll="now")
    assert "Scope" in ring.posted()
    await ended(ring, ring.player)
    assert "ballistic or explosive" in await spared(ring, ring.rival, target=GUARD, weapon="Axe", range=1)
    assert "two weapons" in await spared(ring, ring.rival, target=GUARD, weapon="Gun", second="H_s_Launcher")


async def test_a_driver_rams_and_who_dodges_spends_the_next_movement(ring: Ring) -> None:
    """Ramming costs the movement of a driver; a tie is the target's, who has then none left; who is too slow takes a d50, and a natural 1 costs either an Action (line 88)."""
    await parked(ring, **{CAR: "car"})
    assert "driver" in await denied(ring, "ram", target=CHAR)
    await act(ring, "mount", target=CAR)
    assert "Out of the way" in await act(ring, "ram", ring.player, (100, 50), (100, 40), target=CHAR, roll="now")
    assert (await marks(ring, KAI))["movements"] == 0
    await ended(ring, ring.player)
    assert "dodging a vehicle" in await denied(ring, "move", ring.rival)
    await ended(ring, ring.rival, ring.gm)
    assert "lost-movement" not in await effects(ring, CHAR)
    ring.world.dice.script_dice((100, 51), (100, 40), (50, 16))
    assert "Run over: 16 damage" in await act(ring, "ram", target=CHAR, roll="now")
    assert health(ring, CHAR) == 16
    for dice, loser in (([(100, 50), (100, 1), (50, 3)], CHAR), ([(100, 1), (100, 40)], KAI)):
        await ended(ring, ring.player, ring.rival, ring.gm)
        await act(ring, "ram", ring.player, *dice, target=CHAR, roll="now")
        assert [name for name in (KAI, CHAR) if "lost-action" in await effects(ring, name)] == [loser]
    await ended(ring, ring.player, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 51), (100, 2), (50, 2), (100, 80))
    assert "down" in await act(ring, "ram", target=CHAR, roll="now")
    assert "wounded" in await effects(ring, CHAR)


async def test_a_vehicle_that_is_destroyed_throws_out_who_sits_in_it(ring: Ring) -> None:
    """Its occupants lose 20 HP and may go down; a void restores everything; it can't be used again in the fight and is whole afterwards."""
    await parked(ring, **{CAR: "car"})
    await ring.gm.slash(ring.world.orders, "unit edit", name=CAR, fields="hp: 10")
    await ended(ring, ring.player)
    await act(ring, "mount", ring.rival, target=CAR)
    await ended(ring, ring.rival, ring.gm)
    kept = ring.kept()
    for again in (True, False):
        await roe(ring, "attack", ring.player, (100, 90), (100, 2), (20, 12), target=CAR, weapon="Rifle", roll="now")
        assert await effects(ring, CAR) == {"wrecked"}
        assert await effects(ring, CHAR) == {"wounded"}
        assert health(ring, CHAR) == 20
        if again:
            await take_back(ring.world, "void", entry=newest_entry(ring), reason="wrong car")
            assert ring.kept() == kept
    before, newest = map(text, ring.world.orders.history()[-2:])
    assert "Wagon is destroyed" in before
    assert "Char is thrown out: 0 of 20 HP left" in newest
    await ended(ring, ring.player)
    assert "destroyed" in await denied(ring, "mount", ring.gm, target=CAR)
    await ended(ring, ring.gm)
    assert "already destroyed" in await spared(ring, target=CAR, weapon="Rifle")
    assert await ring.sound()
    await confirmed(ring.world, "fight end")
    assert await effects(ring, CAR) == set()
    await ring.begun(f"{KAI}, {GUARD}", name="Later")
    await roe(ring, "attack", ring.player, (100, 90), (20, 3), target=CAR, weapon="Rifle", roll="now")
    assert "10 less 3 = 7" in ring.posted()


async def test_who_is_secret_in_a_vehicle_stays_so(ring: Ring) -> None:
    """Players neither read of somebody secret at the wheel nor of what becomes of that one; all the same the vehicle dodges, and throws them out."""
    await ring.save({SHADOW: "hp: 25"})
    await parked(ring, **{CAR: "car"})
    await act(ring, "mount", ring.gm, target=CAR, character=SHADOW)
    assert await effects(ring, SHADOW) == DRIVES
    card = await roe(ring, "attack", ring.player, target=CAR, weapon="Bolter")
    assert "No known driver" in card
    ring.world.dice.script_dice((100, 100), (100, 5), (50, 50))
    answer = await roe(ring, "attack", ring.player, target=CAR, weapon="Bolter", roll="now")
    assert SHADOW not in answer + ring.posted()
    assert await effects(ring, CAR) == {"wrecked"}
    assert await effects(ring, SHADOW) == set()
    assert health(ring, SHADOW) == 20


async def wrecked(ring: Ring) -> None:
    """Let Kai shoot the Bolter at the car until it is destroyed."""
    await roe(ring, "attack", ring.player, (100, 100), (100, 5), (50, 50), target=CAR, weapon="Bolter", roll="now")
    assert await effects(ring, CAR) == {"wrecked"}


@pytest.mark.parametrize(
    ("hp", "hides"),
    [(20, False), pytest.param(50, False, marks=pytest.mark.slow), pytest.param(50, True, marks=pytest.mark.slow)],
    ids=["down", "up", "hidden"],
)
async def test_who_goes_down_out_of_a_vehicle_holds_nobody(ring: Ring, hp: int, *, hides: bool) -> None:
    """If the rider goes down, the held character is free at once and everybody reads it; a rider who is up keeps hold, and a hidden one isn't mentioned."""
    await parked(ring, **{CAR: "car"})
    await ring.save({CHAR: f"hp: {hp}"})
    await ended(ring, ring.player)
    await act(ring, "mount", ring.rival, target=CAR)
    await ended(ring, ring.rival, ring.gm, ring.player)
    await act(ring, "Grab", ring.rival, (100, 60), (100, 20), target=GUARD, roll="now")
    await ended(ring, ring.rival, ring.gm)
    if hides:
        await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Hidden")
    posts = len(ring.world.orders.history())
    await wrecked(ring)
    read = "\n".join(map(text, ring.world.orders.history()[posts:]))
    holds = hp > 20
    assert ("holding" in await effects(ring, CHAR), "held" in await effects(ring, GUARD)) == (holds, holds)
    assert (f"{GUARD}: Held" in read, f"{CHAR} is thrown out" in read) == (not holds, not hides)
    assert "seated" not in await effects(ring, CHAR)
    assert health(ring, CHAR) == 20


async def spared(ring: Ring, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What an attack is refused with, when it has written nothing; Kai's player makes it unless said otherwise."""
    return await refusal(ring, "attack", actor or ring.player, roll="now", **options)


@pytest.mark.slow
async def test_ammunition_that_pierces_counts_for_all_who_are_hit(ring: Ring) -> None:
    """L_AP pierces the tank next to the target too, whatever the Action has cost by then (line 517)."""
    await parked(ring, Behemoth="tank", Goliath="tank")
    await ring.save({KAI: "weapons: Gun = M_a_Rifle"})
    await ended(ring, ring.player, ring.rival, ring.gm)
    await act(ring, "draw", value="Gun")
    await ended(ring, ring.player, ring.rival, ring.gm)
    await act(ring, "Load special ammunition", value="Gun: L_AP")
    await ended(ring, ring.player, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 80), (100, 80), (100, 80), (20, 4), (20, 4), (20, 4))
    answer = await roe(ring, "attack", ring.player, target=f"{TANK}, Goliath", weapon="Gun", fire="auto", roll="now")
    assert "12 damage" in answer
    assert (health(ring, TANK), health(ring, "Goliath")) == (12, 6)


async def test_only_vehicles_are_offered_to_mount(ring: Ring) -> None:
    """Neither fighters nor pets are."""
    await ring.gm.slash(ring.world.orders, "unit add", name="Rex", kind="squad", fields="pet-level: 1")
    await parked(ring, **{CAR: "car"})
    offered = await ring.player.autocomplete(ring.world.orders, "roe act", "target", "", what="Mount")
    assert [item["value"] for item in offered] == [CAR]
