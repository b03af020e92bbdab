"""Calls for aid: the com, and who comes when."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring
from tests.cogs.roe.flights.test_flights import arm_all, says, tries
from tests.support.acting import save_group
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, text
from tests.support.world import nothing_written, written


@prepared
async def with_haas(ring: Ring) -> None:
    """Save Haas, the player's, and begin the fight."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await arm_all(ring)


async def round_ended(ring: Ring) -> None:
    """End the turns of Kai, Char and the Guard."""
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)


async def test_aid_comes_behind_the_caller_in_time(ring: Ring) -> None:
    """After two more turns of the caller, right behind, with an arrival."""
    await with_haas(ring)
    assert "Call for aid made" in await tries(ring, "call", target="Haas")
    await says(ring, ring.rival, "No")
    assert "Got through: no one interrupts" in await says(ring, ring.gm, "No")
    assert f"**Haas** joins once **{KAI}** has had 2 more turns." in ring.read_newest()
    assert "1 movement left" in await ring.show()
    await round_ended(ring)
    await round_ended(ring)
    assert "**Haas** joins after this turn of" in await ring.show()
    await ring.end_turn(ring.player)
    assert_says(ring.read_newest(), "**Haas** joins now.", "round 3, Haas's turn")
    assert f"2\\. {TRIANGLE} **Haas** · arriving" in await ring.show()
    await ring.end_turn(ring.player)
    assert f"{CHAR}'s turn" in ring.read_newest()
    assert "coming" not in str(ring.read_state())


@pytest.mark.slow
async def test_aid_from_near_the_base_comes_a_turn_earlier(ring: Ring) -> None:
    """One turn earlier; not at all if they're in another scene by then."""
    await with_haas(ring)
    await tries(ring, "call", target="Haas", value="near base")
    await says(ring, ring.rival, "No")
    await says(ring, ring.gm, "No")
    assert "has had 1 more turn" in ring.read_newest()
    await ring.use("join", ring.player, character="Haas")
    await round_ended(ring)
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.player)
    assert (await ring.show()).count("Haas") == 1


async def test_a_hit_takes_the_com(ring: Ring) -> None:
    """It does no damage, and stops all calls in this fight."""
    await with_haas(ring)
    await tries(ring, "call", target="Haas")
    await says(ring, ring.gm, "No")
    ring.world.dice.script_dice((100, 20), (100, 21))
    assert "The com is hit" in await says(ring, ring.rival, "Interrupt", weapon="", metres="1")
    assert not [name for _, name, _ in ring.read_state() if name == "health"]
    await round_ended(ring)
    with nothing_written(ring.world):
        assert "The com is destroyed for the rest of the combat." in await tries(ring, "call", target="Haas")


async def test_what_is_no_emergency_line_is_refused(ring: Ring) -> None:
    """No line, no target or a fighter is refused; completions offer characters outside fights."""
    await with_haas(ring)
    with nothing_written(ring.world):
        assert "until the turn after the call" in await tries(ring, "Answer over the com")
        assert "isn't an emergency line" in await tries(ring, "call", target="Haas", value="Trading")
        assert "Name a target" in await tries(ring, "call")
        assert f"{CHAR} is already in Fight" in await tries(ring, "call", target=CHAR)
        assert f"the character '{SHADOW}'" in await tries(ring, "call", target=SHADOW)
    for typed, names in (({"what": "call"}, ["Haas"]), ({}, [CHAR, GUARD])):
        offered = await ring.player.autocomplete(ring.world.orders, "roe act", "target", "", **typed)
        assert sorted(item["value"] for item in offered) == names
    assert "Call for aid made" in await tries(ring, "call", value="CPD")


@pytest.mark.slow
async def test_who_is_secret_is_called_in_secret(ring: Ring) -> None:
    """Only the staff reads of a secret ally that is called."""
    await with_haas(ring)
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    await tries(ring, "call", ring.gm, character=GUARD, target=SHADOW)
    posts = len(ring.world.orders.history())
    await says(ring, ring.rival, "No")
    await says(ring, ring.player, "No")
    assert SHADOW not in "\n".join(text(message) for message in ring.world.orders.history())
    assert SHADOW in text(newest(ring.world.staff))
    assert len(ring.world.orders.history()) <= posts + 1


@pytest.mark.slow
async def test_a_public_comlink_never_fails(ring: Ring) -> None:
    """No one interrupts, and a lost com doesn't matter (line 151)."""
    await with_haas(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Com destroyed")
    await save_group(ring.world, name="Police", members="Haas", secret=False)
    answer = await tries(ring, "call", target="Haas", value="comlink CPD, 3 m")
    assert "Got through on a public comlink: CPD" in answer
    assert f"**Haas** joins once **{KAI}** has had 2 more turns." in ring.read_newest()
    assert "no Actions left" in await tries(ring, "call", value="comlink CPD")


async def test_a_public_comlink_summons_no_friends(ring: Ring) -> None:
    """It reaches four services within 3 m; players name members of a group they know (line 151)."""
    await with_haas(ring)
    before = written(ring.world)
    refusal = await tries(ring, "call", value="comlink the mytharii")
    assert_says(
        refusal, "CPD (in the city)", "Medical Aid (in the city)", "PDI security", "Earthgov (in the mining compound)"
    )
    assert "works within 3 m, not from 4 m" in await tries(ring, "call", value="comlink medical, 4 m")
    assert "Who should the public comlink call?" in await tries(ring, "call", value="comlink")
    offered = await ring.player.autocomplete(ring.world.orders, "roe act", "value", "comlink", what="Call for aid")
    assert "comlink Earthgov" in [item["name"] for item in offered]
    refusal = await tries(ring, "call", target="Haas", value="comlink CPD")
    assert "A public comlink calls CPD, and Haas isn't known to belong to them." in refusal
    assert written(ring.world) == before
    await save_group(ring.world, name="CPD", members=GUARD)
    await save_group(ring.world, name="Medics", members="Haas", secret=False)
    assert "Haas isn't known" in await tries(ring, "call", target="Haas", value="comlink CPD")
    called = await tries(ring, "call", ring.gm, target="Haas", value="comlink CPD")
    assert "Got through on a public comlink: CPD" in called
    assert f"**Haas** was called and can join once **{KAI}**" in ring.read_newest()
