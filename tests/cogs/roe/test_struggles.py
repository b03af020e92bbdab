"""Disarming, grappling, throwing and falls."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import count_lost
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.cogs.roe.test_acts import act, effects, list_offers, marks, read_denial, round_of
from tests.support.acting import effect_ended
from tests.support.prepared import prepared
from tests.support.reading import assert_says

FIELDS = {
    KAI: "hp: 30; strength: 4; weapons: Knife = S_s_Blade",
    CHAR: "hp: 20; weapons: Club = L_b_Club",
    GUARD: "hp: 6",
}


@prepared
async def ready(ring: Ring, who: str = f"{KAI}, {CHAR}") -> None:
    """Begin a fight of these; Kai has the turn."""
    await ring.save(FIELDS)
    await ring.begin(who)


async def roll_act(ring: Ring, what: str, *dice: tuple[int, int], actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Do an act with these dice; return the post."""
    answer = await act(ring, what, actor, *dice, roll="now", **options)
    assert "Rolled" in answer, answer
    return ring.read_newest()


async def grab_char(ring: Ring) -> None:
    """Let Kai grab Char."""
    await roll_act(ring, "Grab", (100, 60), (100, 20), target=CHAR)
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == ({"holding"}, {"held"})


async def test_who_is_grabbed_is_held_until_the_hold_is_broken(ring: Ring) -> None:
    """They move one metre, can't grab, and break free by dodge or strength."""
    await ready(ring)
    assert "Kai isn't holding anyone" in await read_denial(ring, "Drag held target", target=CHAR)
    assert "Kai isn't holding anyone" in await read_denial(ring, "Release held target")
    await grab_char(ring)
    assert "Kai isn't being held" in await read_denial(ring, "Move a metre while held")
    await ring.end_turn(ring.player)
    assert "Break the hold" in await read_denial(ring, "Move", ring.rival)
    assert "Done" in await act(ring, "Move a metre while held", ring.rival)
    assert "Moved, up to 1 m" in ring.read_newest()
    assert "no movement left" in await read_denial(ring, "Move a metre while held", ring.rival)
    assert "Break the hold first" in await read_denial(ring, "Grab", ring.rival, target=KAI)
    posted = await roll_act(ring, "Break free by dodging", (100, 50), (100, 50), actor=ring.rival)
    assert "still held by" in posted
    await ring.end_turn(ring.rival)
    await act(ring, "Act on held target")
    await ring.end_turn(ring.player)
    assert "Free" in await roll_act(ring, "Break free by strength", (100, 60), (100, 50), actor=ring.rival)
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())


@pytest.mark.slow
async def test_what_is_done_with_the_held_one_keeps_the_hold(ring: Ring) -> None:
    """Dragging and injecting keep it; a release or shove frees."""
    await ready(ring)
    await grab_char(ring)
    await round_of(ring)
    posted = await roll_act(ring, "Drag held target", (100, 60), (100, 20))
    assert "Moved, up to 4 m" in posted
    assert (await marks(ring, KAI))["turn.interact"] == 1
    await round_of(ring)
    assert "Injected" in await roll_act(ring, "Inject held target", (100, 60), (100, 20))
    assert (await marks(ring, KAI))["turn.interact"] == 1
    await round_of(ring)
    assert "Char is free" in await roll_act(ring, "Shove held target", (100, 60), (100, 20))
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    await round_of(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Prone", until="cleared")
    assert "Held" in await roll_act(ring, "Grab", (100, 46), (100, 50), target=CHAR)
    await act(ring, "Release held target")
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), {"prone"})


async def test_throwing_hurts_straight_off_hp_and_who_falls_does_too(ring: Ring) -> None:
    """A throw ends the hold; a fall may strike down below 75."""
    await ready(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Holding someone")
    assert "isn't holding Char" in await read_denial(ring, "Throw held target into an object", target=CHAR)
    await effect_ended(ring.gm, ring.world.orders, who=KAI, effect="Holding someone")
    assert "does no harm" in await read_denial(ring, "Fall", value="3")
    assert "safely" in await roll_act(ring, "Fall", (100, 75), value="12")
    await roll_act(ring, "Grab", (100, 1), (100, 20), target=CHAR)
    assert await effects(ring, KAI) == {"lost-action"}
    await round_of(ring)
    await round_of(ring)
    await grab_char(ring)
    await round_of(ring)
    posted = await roll_act(ring, "Throw held target into an object", (100, 60), (100, 20), (6, 1))
    assert "20 less 3 = 17" in posted
    assert count_lost(ring, CHAR) == 3
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    await round_of(ring)
    await grab_char(ring)
    await round_of(ring)
    assert "How far down" in await read_denial(ring, "Throw held target off an edge")
    assert "does no harm" in await read_denial(ring, "Throw held target off an edge", value="4")
    posted = await roll_act(ring, "Throw held target off an edge", (100, 60), (100, 20), (100, 74), value="17")
    assert_says(posted, "17 less 22 = 0", "down")
    assert "wounded" in await effects(ring, CHAR)


async def test_who_is_thrown_into_somebody_hurts_both(ring: Ring) -> None:
    """Strength, then accuracy, for d6 and strength to both."""
    await ready(ring, f"{KAI}, {CHAR}, {GUARD}")
    await grab_char(ring)
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    throw = "Throw held target into someone"
    assert "needs a target" in await read_denial(ring, throw)
    assert throw in (await ring.run("turn", ring.player)).partition("**With a target**")[2]
    assert await list_offers(ring, "target", what=throw) == [GUARD]
    assert await list_offers(ring, "target", what="Shove held target") == [CHAR]
    assert "is on both sides" in await read_denial(ring, throw, target=CHAR)
    await roll_act(ring, throw, (100, 60), (100, 20), (100, 60), (100, 20), (6, 3), target=GUARD)
    assert f"{KAI}'s throw: {GUARD}" in ring.read_newest()
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (7, 6)
    assert await effects(ring, GUARD) == {"wounded"}
    assert await effects(ring, CHAR) == set()


async def test_a_weapon_that_is_struck_away_can_be_picked_up_by_others(ring: Ring) -> None:
    """It lands 5 m away; anyone can pick it up and use it."""
    await ready(ring)
    posted = await roll_act(ring, "Disarm", (100, 60), (100, 20), target=CHAR, value="Club")
    assert "Club lands 5 m away" in posted
    assert (await marks(ring, CHAR))["dropped.club"] == 5
    assert await list_offers(ring, "value", what="Pick up", target=CHAR) == ["club"]
    await ring.end_turn(ring.player)
    shot = await ring.rival.slash(ring.world.orders, "roe attack", target=KAI, weapon="Club", range=1, roll="now")
    assert "isn't in hand" in read_answers(shot)
    assert "out of reach" in await read_denial(ring, "draw", ring.rival, value="Club")
    await ring.end_turn(ring.rival)
    assert "on the ground" in await read_denial(ring, "Pick up", target=CHAR, value="Knife")
    await act(ring, "Kick away", target=CHAR)
    assert (await marks(ring, CHAR))["dropped.club"] == 10
    await round_of(ring)
    await act(ring, "Pick up", target=CHAR)
    assert "in hand" in ring.read_newest()
    await round_of(ring)
    ring.world.dice.script_dice((100, 60), (100, 20), (50, 9))
    hit = await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Club", range=1, roll="now")
    assert "Hit: 13 damage" in read_answers(hit)
