"""Vehicles: seats, weapons, armour, ramming, and occupants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import count_lost as health
from tests.cogs.roe.attacking import newest_entry, refusal, roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.cogs.roe.test_acts import act, effects, marks, read_denial
from tests.support.acting import confirmed, take_back
from tests.support.prepared import prepared
from tests.support.reading import text

TANK, CAR, BIKE = "Behemoth", "Wagon", "Hopper"
DRIVES, GUNS, RIDES = {"seated", "driving"}, {"seated", "gunning"}, {"seated", "riding"}


@prepared
async def park_vehicles(ring: Ring, **vehicles: str) -> None:
    """Save vehicles, arm Kai and Char, and begin a fight with the Guard."""
    for name, kind in (vehicles or {TANK: "tank"}).items():
        await ring.gm.slash(ring.world.orders, "roster add", name=name, kind="squad", fields=f"vehicle: {kind}")
    await ring.save(
        {
            KAI: "hp: 30; weapons: Rifle = M_s_Rifle + Scope accuracy 5, Bolter = L_s_AMR; accuracy: 20",
            CHAR: "hp: 20; weapons: Gun = L_a_MG, Axe = H_s_Axe; dodge: 10",
            GUARD: "hp: 15; weapons: S_s_Pistol",
        }
    )
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await act(ring, "draw", value="Rifle, Bolter")


async def end_turns(ring: Ring, *actors: Any) -> None:  # noqa: ANN401 - members
    """End the turns of these, in order."""
    for actor in actors:
        assert "Done" in await ring.end_turn(actor)


async def test_who_sits_in_a_tank_dodges_for_it_and_is_no_target_behind_a_shut_hatch(ring: Ring) -> None:
    """An AMR pierces; after hacking the hatch, the driver is a target with cover."""
    await park_vehicles(ring)
    await end_turns(ring, ring.player)
    assert "Driver" in await act(ring, "mount", ring.rival, target=TANK)
    assert "Char drives" in ring.read_newest()
    assert await effects(ring, CHAR) == DRIVES
    await end_turns(ring, ring.rival, ring.gm)
    assert "its hatch is open" in await read_spared(ring, target=CHAR, weapon="Rifle")
    for dice, words in (([(100, 60), (100, 80)], "Missed"), ([(100, 100), (100, 50), (50, 30)], "Hit: 60 damage")):
        assert words in await roe(ring, "attack", ring.player, *dice, target=TANK, weapon="Bolter", roll="now")
        await end_turns(ring, ring.player, ring.rival, ring.gm)
        await act(ring, "Work the bolt", value="Bolter")
        await end_turns(ring, ring.player, ring.rival, ring.gm)
    assert health(ring, TANK) == 60
    for face, words in ((69, "stays shut"), (70, "Open")):
        assert words in await act(ring, "Hack a hatch", ring.player, (100, face), target=TANK, roll="now")
        await end_turns(ring, ring.player, ring.rival, ring.gm)
    assert "already open" in await read_denial(ring, "Hack a hatch", target=TANK, roll="now")
    ring.world.dice.script_dice((100, 50), (100, 50))
    assert "Missed" in await roe(ring, "attack", ring.player, target=CHAR, weapon="Rifle", roll="now")
    assert "+15 Cover" in ring.read_newest()


@pytest.mark.slow
async def test_seats_fill_up_and_who_sits_in_them_neither_kneels_nor_walks(ring: Ring) -> None:
    """A car seats one, an APC more; only the driver moves it."""
    await park_vehicles(ring, **{CAR: "car", BIKE: "personal", "APC": "apc"})
    assert "isn't a vehicle" in await read_denial(ring, "mount", target=CHAR)
    assert "no weapon slot" in await read_denial(ring, "mount", target=BIKE, value="gunner")
    assert "Driver" in await act(ring, "mount", target=CAR)
    assert "kneel" in await read_denial(ring, "kneel")
    assert "already" in await read_denial(ring, "mount", target=BIKE)
    await end_turns(ring, ring.player)
    assert "all seats are taken" in await read_denial(ring, "mount", ring.rival, target=CAR)
    assert "isn't in a vehicle" in await read_denial(ring, "dismount", ring.rival)
    await act(ring, "mount", ring.rival, target="APC", value="passenger")
    assert await effects(ring, CHAR) == RIDES
    assert "Only the driver can move" in await read_denial(ring, "move", ring.rival)
    await end_turns(ring, ring.rival)
    await act(ring, "mount", ring.gm, target="APC", value="gunner")
    assert await effects(ring, GUARD) == GUNS
    await end_turns(ring, ring.gm)
    await act(ring, "dismount")
    assert await effects(ring, KAI) == set()
    await end_turns(ring, ring.player)
    assert "no weapon slot" in await read_spared(ring, ring.rival, target=KAI)
    await end_turns(ring, ring.rival, ring.gm)
    assert "Driver" in await act(ring, "mount", target="APC")
    assert "Moved" in await act(ring, "move", value="8")


async def test_a_slot_takes_one_gun_and_its_own_modifiers_alone(ring: Ring) -> None:
    """The gunner's equipment doesn't count, attachments do."""
    await park_vehicles(ring)
    await act(ring, "mount", target=TANK)
    assert (await marks(ring, KAI))["drawn.h-s-launcher"] == 1
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    await roe(ring, "attack", ring.player, (100, 50), (100, 60), target=CHAR, weapon="H_s_Launcher", roll="now")
    assert "+20" not in ring.read_newest()
    await end_turns(ring, ring.player)
    await act(ring, "mount", ring.rival, target=TANK)
    await end_turns(ring, ring.rival, ring.gm)
    await roe(ring, "attack", ring.player, (100, 50), (100, 60), target=GUARD, weapon="Rifle", roll="now")
    assert "Scope" in ring.read_newest()
    await end_turns(ring, ring.player)
    assert "ballistic or explosive" in await read_spared(ring, ring.rival, target=GUARD, weapon="Axe", range=1)
    assert "two weapons" in await read_spared(ring, ring.rival, target=GUARD, weapon="Gun", second="H_s_Launcher")


async def test_a_driver_rams_and_who_dodges_spends_the_next_movement(ring: Ring) -> None:
    """For the driver's movement; ties are the target's; a natural 1 costs an Action (line 88)."""
    await park_vehicles(ring, **{CAR: "car"})
    assert "driver" in await read_denial(ring, "ram", target=CHAR)
    await act(ring, "mount", target=CAR)
    assert "Out of the way" in await act(ring, "ram", ring.player, (100, 50), (100, 40), target=CHAR, roll="now")
    assert (await marks(ring, KAI))["movements"] == 0
    await end_turns(ring, ring.player)
    assert "dodging a vehicle" in await read_denial(ring, "move", ring.rival)
    await end_turns(ring, ring.rival, ring.gm)
    assert "lost-movement" not in await effects(ring, CHAR)
    ring.world.dice.script_dice((100, 51), (100, 40), (50, 16))
    assert "Run over: 16 damage" in await act(ring, "ram", target=CHAR, roll="now")
    assert health(ring, CHAR) == 16
    for dice, loser in (([(100, 50), (100, 1), (50, 3)], CHAR), ([(100, 1), (100, 40)], KAI)):
        await end_turns(ring, ring.player, ring.rival, ring.gm)
        await act(ring, "ram", ring.player, *dice, target=CHAR, roll="now")
        assert [name for name in (KAI, CHAR) if "lost-action" in await effects(ring, name)] == [loser]
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 51), (100, 2), (50, 2), (100, 80))
    assert "down" in await act(ring, "ram", target=CHAR, roll="now")
    assert "wounded" in await effects(ring, CHAR)


async def test_a_vehicle_that_is_destroyed_throws_out_who_sits_in_it(ring: Ring) -> None:
    """They lose 20 HP; a void restores all; it's whole after the fight."""
    await park_vehicles(ring, **{CAR: "car"})
    await ring.gm.slash(ring.world.orders, "roster edit", name=CAR, fields="hp: 10")
    await end_turns(ring, ring.player)
    await act(ring, "mount", ring.rival, target=CAR)
    await end_turns(ring, ring.rival, ring.gm)
    kept = ring.read_state()
    for again in (True, False):
        await roe(ring, "attack", ring.player, (100, 90), (100, 2), (20, 12), target=CAR, weapon="Rifle", roll="now")
        assert await effects(ring, CAR) == {"wrecked"}
        assert await effects(ring, CHAR) == {"wounded"}
        assert health(ring, CHAR) == 20
        if again:
            await take_back(ring.world, "gm undo", entry=newest_entry(ring), reason="wrong car")
            assert ring.read_state() == kept
    before, newest = map(text, ring.world.orders.history()[-2:])
    assert "Wagon is destroyed" in before
    assert "Char is thrown out: 0 of 20 HP left" in newest
    await end_turns(ring, ring.player)
    assert "destroyed" in await read_denial(ring, "mount", ring.gm, target=CAR)
    await end_turns(ring, ring.gm)
    assert "already destroyed" in await read_spared(ring, target=CAR, weapon="Rifle")
    assert await ring.sound()
    await confirmed(ring.world, "fight end")
    assert await effects(ring, CAR) == set()
    await ring.begin(f"{KAI}, {GUARD}", name="Later")
    await roe(ring, "attack", ring.player, (100, 90), (20, 3), target=CAR, weapon="Rifle", roll="now")
    assert "10 less 3 = 7" in ring.read_newest()


async def test_who_is_secret_in_a_vehicle_stays_so(ring: Ring) -> None:
    """Players don't read of a secret driver, but the vehicle dodges."""
    await ring.save({SHADOW: "hp: 25"})
    await park_vehicles(ring, **{CAR: "car"})
    await act(ring, "mount", ring.gm, target=CAR, character=SHADOW)
    assert await effects(ring, SHADOW) == DRIVES
    card = await roe(ring, "attack", ring.player, target=CAR, weapon="Bolter")
    assert "No known driver" in card
    ring.world.dice.script_dice((100, 100), (100, 5), (50, 50))
    answer = await roe(ring, "attack", ring.player, target=CAR, weapon="Bolter", roll="now")
    assert SHADOW not in answer + ring.read_newest()
    assert await effects(ring, CAR) == {"wrecked"}
    assert await effects(ring, SHADOW) == set()
    assert health(ring, SHADOW) == 20


async def wreck_car(ring: Ring) -> None:
    """Let Kai shoot the car until it is destroyed."""
    await roe(ring, "attack", ring.player, (100, 100), (100, 5), (50, 50), target=CAR, weapon="Bolter", roll="now")
    assert await effects(ring, CAR) == {"wrecked"}


@pytest.mark.parametrize(
    ("hp", "hides"),
    [(20, False), pytest.param(50, False, marks=pytest.mark.slow), pytest.param(50, True, marks=pytest.mark.slow)],
    ids=["down", "up", "hidden"],
)
async def test_who_goes_down_out_of_a_vehicle_holds_nobody(ring: Ring, hp: int, *, hides: bool) -> None:
    """A downed rider's captive is free at once; hidden ones aren't mentioned."""
    await park_vehicles(ring, **{CAR: "car"})
    await ring.save({CHAR: f"hp: {hp}"})
    await end_turns(ring, ring.player)
    await act(ring, "mount", ring.rival, target=CAR)
    await end_turns(ring, ring.rival, ring.gm, ring.player)
    await act(ring, "Grab", ring.rival, (100, 60), (100, 20), target=GUARD, roll="now")
    await end_turns(ring, ring.rival, ring.gm)
    if hides:
        await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Hidden")
    posts = len(ring.world.orders.history())
    await wreck_car(ring)
    read = "\n".join(map(text, ring.world.orders.history()[posts:]))
    holds = hp > 20
    assert ("holding" in await effects(ring, CHAR), "held" in await effects(ring, GUARD)) == (holds, holds)
    assert (f"{GUARD}: Held" in read, f"{CHAR} is thrown out" in read) == (not holds, not hides)
    assert "seated" not in await effects(ring, CHAR)
    assert health(ring, CHAR) == 20


async def read_spared(ring: Ring, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Return what an attack is refused with, without an entry."""
    return await refusal(ring, "attack", actor or ring.player, roll="now", **options)


@pytest.mark.slow
async def test_ammunition_that_pierces_counts_for_all_who_are_hit(ring: Ring) -> None:
    """L_AP pierces the neighbouring tank too (line 517)."""
    await park_vehicles(ring, Behemoth="tank", Goliath="tank")
    await ring.save({KAI: "weapons: Gun = M_a_Rifle"})
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    await act(ring, "draw", value="Gun")
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    await act(ring, "Load special ammunition", value="Gun: L_AP")
    await end_turns(ring, ring.player, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 80), (100, 80), (100, 80), (20, 4), (20, 4), (20, 4))
    answer = await roe(ring, "attack", ring.player, target=f"{TANK}, Goliath", weapon="Gun", fire="auto", roll="now")
    assert "12 damage" in answer
    assert (health(ring, TANK), health(ring, "Goliath")) == (12, 6)


async def test_only_vehicles_are_offered_to_mount(ring: Ring) -> None:
    """Neither fighters nor pets are."""
    await ring.gm.slash(ring.world.orders, "roster add", name="Rex", kind="squad", fields="pet-level: 1")
    await park_vehicles(ring, **{CAR: "car"})
    offered = await ring.player.autocomplete(ring.world.orders, "roe act", "target", "", what="Mount")
    assert [item["value"] for item in offered] == [CAR]
