"""The first shot or explosion of a fight, and who comes because of it."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring, read_answers
from tests.support.acting import confirmed, take_back
from tests.support.reading import response, text
from tests.support.world import entry, rows

SHOUT = "heard up to 100 m away. Join with /fight join how:drawn by gunfire"


async def arm_kai(ring: Ring, weapon: str = "Rifle = M_s_Rifle") -> None:
    """Begin a fight in which armed Kai has the turn, near Haas and the Guard."""
    await ring.save({KAI: f"hp: 30; weapons: {weapon}", CHAR: "hp: 200; weapons: Gun = M_s_Rifle"})
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await ring.begin()


async def shoots(ring: Ring, actor: object, target: str) -> None:
    """Shoot at someone and miss."""
    ring.world.dice.script_dice((100, 20), (100, 80))
    answer = read_answers(await actor.slash(ring.world.orders, "roe attack", target=target, roll="now"))  # type: ignore[attr-defined] # an actor
    assert "Missed" in answer


def shouts(ring: Ring) -> int:
    """Count the posts about noise."""
    return sum(SHOUT in text(message).replace("\\", "") for message in ring.world.orders.history())


async def test_the_first_shot_is_shouted_once(ring: Ring) -> None:
    """Once per fight, unless it is voided."""
    await arm_kai(ring)
    kept = ring.read_state()
    await shoots(ring, ring.player, CHAR)
    assert "Gunfire" in ring.read_newest()
    assert shouts(ring) == 1
    (number,) = rows(ring.world, "select max(number) from entry where kind = 'roll'")[0]
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert ring.read_state() == kept
    await shoots(ring, ring.player, CHAR)
    assert shouts(ring) == 2
    await ring.end_turn(ring.player)
    await shoots(ring, ring.rival, KAI)
    assert "Missed" in ring.read_newest()
    assert shouts(ring) == 2
    assert "noise" in {name for _, name, _ in ring.read_state()}
    await confirmed(ring.world, "fight end")
    assert "noise" not in {name for _, name, _ in ring.read_state()}


@pytest.mark.slow
@pytest.mark.parametrize("weapon", ["Rifle = M_s_Rifle + Silencer", "L_b_Club"])
async def test_a_silencer_and_melee_make_no_noise(ring: Ring, weapon: str) -> None:
    """The next loud shot is then the first."""
    await arm_kai(ring, weapon)
    await shoots(ring, ring.player, CHAR)
    assert shouts(ring) == 0
    assert "made no noise" in await ring.fail("join", ring.player, character="Haas", how="gunfire", distance=20)
    await ring.end_turn(ring.player)
    await shoots(ring, ring.rival, KAI)
    assert shouts(ring) == 1


@pytest.mark.slow
async def test_an_explosion_is_heard_whatever_it_comes_from(ring: Ring) -> None:
    """Once, whatever the number of targets or silencers; later shots aren't."""
    await arm_kai(ring, "Rifle = M_s_Rifle + Silencer")
    ring.world.dice.script_dice((100, 20), (100, 80))
    options = {"item": "Charge", "use": "immediate", "targets": CHAR, "damage": "d10", "roll": "now"}
    assert "avoids" in read_answers(await ring.player.slash(ring.world.orders, "roe blast", **options))
    assert "**Blast:**" in ring.read_newest()
    assert shouts(ring) == 1
    await ring.end_turn(ring.player)
    await shoots(ring, ring.rival, KAI)
    assert shouts(ring) == 1


async def test_who_hears_it_comes_by_the_distance(ring: Ring) -> None:
    """Up to 30 m at once, farther away later, beyond 100 m not at all."""
    await arm_kai(ring)
    await shoots(ring, ring.player, CHAR)
    assert "How far away" in await ring.fail("join", ring.player, character="Haas", how="gunfire")
    too_far = await ring.fail("join", ring.player, character="Haas", how="gunfire", distance=101)
    assert "The noise carries 100 m, not 101 m." in too_far
    await ring.use("join", ring.player, character="Haas", how="gunfire", distance=30)
    assert f"Turn order: **{KAI}**, **Haas** and **{CHAR}**." in ring.read_newest()
    await ring.use("join", character=GUARD, how="gunfire", distance=50)
    assert f"**{GUARD}** heard the shots.\n**{GUARD}** joins once **{KAI}** has had 1 more turn" in ring.read_newest()
    assert "already on the way" in await ring.fail("join", character=GUARD, how="gunfire", distance=50)
    for actor in (ring.player, ring.player, ring.rival):
        await ring.end_turn(actor)
    assert f"**{GUARD}** joins after this turn of" in await ring.show()
    await ring.end_turn(ring.player)
    assert f"round 2, {GUARD}'s turn" in ring.read_newest()
    assert f"2\\. {TRIANGLE} **{GUARD}** · arriving" in await ring.show()


@pytest.mark.slow
async def test_a_secret_shot_is_heard_without_its_shooter(ring: Ring) -> None:
    """The roll stays with the staff; listeners come after the current turn."""
    await ring.save({SHADOW: "hp: 9; weapons: M_s_Rifle"})
    await ring.save(dict.fromkeys((KAI, CHAR), "hp: 90; weapons: M_s_Rifle"))
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await ring.begin(f"{SHADOW}, {KAI}, {CHAR}")
    await shoots(ring, ring.gm, CHAR)
    assert shouts(ring) == 0
    await ring.click("turn", ring.gm, response(await ring.use("turn")))
    await shoots(ring, ring.player, CHAR)
    assert "20" in ring.read_newest()
    assert [part["secret"] for part in entry(ring.world)["parts"]] == [False]
    assert shouts(ring) == 0
    await ring.use("join", ring.player, character="Haas", how="gunfire", distance=10)
    assert f"Turn order: **{KAI}**, **Haas** and **{CHAR}**." in ring.read_newest()
