"""Acts against somebody in a fight: disarming, grappling, throwing, falls; each as people do it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.cogs.roe.test_acts import act, denied, effects, marks, offered, round_of
from tests.support.prepared import prepared

FIELDS = {
    KAI: "hp: 30; strength: 4; weapons: Knife = S_s_Blade",
    CHAR: "hp: 20; weapons: Club = L_b_Club",
    GUARD: "hp: 6",
}


@prepared
async def ready(ring: Ring, who: str = f"{KAI}, {CHAR}") -> None:
    """Begin a fight of those in which Kai has the first turn."""
    for name, fields in FIELDS.items():
        await ring.gm.slash(ring.world.orders, "character edit", name=name, fields=fields)
    await ring.begun(who)


async def rolled(ring: Ring, what: str, *dice: tuple[int, int], actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What is posted of an act for which these dice fall."""
    ring.world.dice.script_dice(*dice)
    answer = await act(ring, what, actor, roll="now", **options)
    assert "Rolled" in answer, answer
    return ring.posted()


async def lost(ring: Ring, name: str) -> int:
    """How many HP somebody has lost."""
    subject = f"subject:{ring.number(name)}"
    return next((value["lost"] for who, called, value in ring.kept() if (who, called) == (subject, "health")), 0)


async def grabbed(ring: Ring) -> None:
    """Let Kai hold Char."""
    await rolled(ring, "Grab", (100, 60), (100, 20), target=CHAR)
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == ({"holding"}, {"held"})


async def next_turn(ring: Ring) -> None:
    """Come to Kai's next turn with the hold kept."""
    await ring.ended(ring.player)
    while "Kai" not in ring.posted().partition("it is")[2]:
        await ring.ended(ring.gm)


@pytest.mark.asyncio
async def test_who_is_grabbed_is_held_until_the_hold_is_broken(ring: Ring) -> None:
    """A grab that is won holds both; the held one moves a metre at most, does not grab, and breaks free by dodge or strength."""
    await ready(ring)
    assert "Kai holds nobody" in await denied(ring, "Drag the held one", target=CHAR)
    assert "Kai holds nobody" in await denied(ring, "Release the held one")
    await grabbed(ring)
    assert "Nobody holds Kai" in await denied(ring, "Move a metre while held")
    await ring.ended(ring.player)
    assert "no more than a metre" in await denied(ring, "Move", ring.rival)
    assert "Done" in await act(ring, "Move a metre while held", ring.rival)
    assert "Moved, up to 1 m" in ring.posted()
    assert "no movement left" in await denied(ring, "Move a metre while held", ring.rival)
    assert "breaks that hold first" in await denied(ring, "Grab", ring.rival, target=KAI)
    posted = await rolled(ring, "Break free by dodging", (100, 50), (100, 50), actor=ring.rival)
    assert "Still held" in posted
    await ring.ended(ring.rival)
    await act(ring, "Do something with the held one")
    await ring.ended(ring.player)
    assert "Free" in await rolled(ring, "Break free by strength", (100, 60), (100, 50), actor=ring.rival)
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    assert await ring.sound()


@pytest.mark.asyncio
async def test_what_is_done_with_the_held_one_keeps_the_hold(ring: Ring) -> None:
    """Dragging is noted as something done with the held one, and told with its metres; letting go costs nothing."""
    await ready(ring)
    await grabbed(ring)
    await round_of(ring)
    posted = await rolled(ring, "Drag the held one", (100, 60), (100, 20))
    assert "Moved, up to 4 m" in posted
    assert (await marks(ring, KAI))["turn.interact"] == 1
    await act(ring, "Release the held one")
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    assert await ring.sound()


@pytest.mark.asyncio
async def test_a_critical_failure_costs_the_next_action(ring: Ring) -> None:
    """Whoever throws a natural 1 in a grab has one Action less in the next turn."""
    await ready(ring)
    await rolled(ring, "Grab", (100, 1), (100, 20), target=CHAR)
    assert await effects(ring, KAI) == {"lost-action"}
    assert await ring.sound()


@pytest.mark.asyncio
async def test_throwing_hurts_straight_off_hp(ring: Ring) -> None:
    """Into an object it is d6 and half of the strength; the hold ends by it."""
    await ready(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Holding somebody")
    assert "does not hold Char" in await denied(ring, "Throw the held one into an object", target=CHAR)
    await ring.gm.slash(ring.world.orders, "effect clear", who=KAI, effect="Holding somebody")
    await grabbed(ring)
    await next_turn(ring)
    posted = await rolled(ring, "Throw the held one into an object", (100, 60), (100, 20), (6, 5))
    assert "20 less 7 = 13" in posted
    assert await lost(ring, CHAR) == 7
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    assert await ring.sound()


@pytest.mark.asyncio
async def test_who_is_thrown_off_an_edge_falls(ring: Ring) -> None:
    """A dodge of 75 saves from the fall; else it takes 10 HP and one for each metre beyond 5, and may strike down."""
    await ready(ring)
    await grabbed(ring)
    await next_turn(ring)
    assert "How far down" in await denied(ring, "Throw the held one off an edge")
    assert "hurts nobody" in await denied(ring, "Throw the held one off an edge", value="4")
    posted = await rolled(ring, "Throw the held one off an edge", (100, 60), (100, 20), (100, 74), value="17")
    assert "20 less 22 = 0" in posted
    assert "down" in posted
    assert "wounded" in await effects(ring, CHAR)
    assert await ring.sound()


@pytest.mark.asyncio
async def test_who_is_thrown_into_somebody_hurts_both(ring: Ring) -> None:
    """First the held one is moved by strength, then thrown by accuracy: d6 and the strength to both."""
    await ready(ring, f"{KAI}, {CHAR}, {GUARD}")
    await grabbed(ring)
    await next_turn(ring)
    assert "whom do you mean" in await denied(ring, "Throw the held one into somebody")
    dice = ((100, 60), (100, 20), (100, 60), (100, 20), (6, 3))
    await rolled(ring, "Throw the held one into somebody", *dice, target=GUARD)
    assert f"**{KAI}**'s throw: **{GUARD}**" in ring.posted()
    assert (await lost(ring, CHAR), await lost(ring, GUARD)) == (7, 6)
    assert await effects(ring, GUARD) == {"wounded"}
    assert await effects(ring, CHAR) == set()
    assert await ring.sound()


@pytest.mark.asyncio
async def test_a_weapon_that_is_struck_away_can_be_picked_up_by_others(ring: Ring) -> None:
    """It lands 5 m away: its owner cannot use it, anybody picks it up for movement and Action, and fights with it."""
    await ready(ring)
    posted = await rolled(ring, "Disarm", (100, 60), (100, 20), target=CHAR, value="Club")
    assert "Club lands 5 m away" in posted
    assert (await marks(ring, CHAR))["dropped.club"] == 5
    assert await offered(ring, "value", what="Pick up", target=CHAR) == ["club"]
    await ring.ended(ring.player)
    shot = await ring.rival.slash(ring.world.orders, "roe attack", target=KAI, weapon="Club", range=1, roll="now")
    assert "not in the hands" in told(shot)
    assert "out of reach" in await denied(ring, "draw", ring.rival, value="Club")
    await ring.ended(ring.rival)
    assert "does not lie" in await denied(ring, "Pick up", target=CHAR, value="Knife")
    await act(ring, "Kick away", target=CHAR)
    assert (await marks(ring, CHAR))["dropped.club"] == 10
    await round_of(ring)
    await act(ring, "Pick up", target=CHAR)
    assert "in the hands" in ring.posted()
    await round_of(ring)
    ring.world.dice.script_dice((100, 60), (100, 20), (50, 9))
    hit = await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Club", range=1, roll="now")
    assert "Hit: 13 damage" in told(hit)
    assert await ring.sound()


@pytest.mark.asyncio
async def test_a_fall_is_dodged_or_taken(ring: Ring) -> None:
    """75 saves from it; below that a fall of 12 m takes 17 HP, past any damage reduction."""
    await ready(ring)
    assert "hurts nobody" in await denied(ring, "Fall", value="3")
    assert "safely" in await rolled(ring, "Fall", (100, 75), value="12")
    posted = await rolled(ring, "Fall", (100, 74), value="12")
    assert "30 less 17 = 13" in posted
    assert await lost(ring, KAI) == 17
    assert await ring.sound()


@pytest.mark.asyncio
async def test_who_lies_prone_dodges_a_grab_less_well(ring: Ring) -> None:
    """A grab is melee: lying prone takes 5 from the dodge."""
    await ready(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Prone", until="cleared")
    assert "Held" in await rolled(ring, "Grab", (100, 46), (100, 50), target=CHAR)
    assert await ring.sound()


@pytest.mark.asyncio
async def test_an_injection_is_told_and_keeps_the_hold(ring: Ring) -> None:
    """Injecting the held one is a medical roll against the dodge, and counts as something done with that one."""
    await ready(ring)
    await grabbed(ring)
    await next_turn(ring)
    assert "Injected" in await rolled(ring, "Inject the held one", (100, 60), (100, 20))
    assert (await marks(ring, KAI))["turn.interact"] == 1
    await next_turn(ring)
    posted = await rolled(ring, "Shove the held one", (100, 60), (100, 20))
    assert "Char is free" in posted
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == (set(), set())
    assert await ring.sound()


@pytest.mark.asyncio
async def test_at_whom_the_held_one_is_thrown_is_offered_and_told(ring: Ring) -> None:
    """The card of a holder names the throw into somebody among what takes a target; the held one is neither offered for it nor taken."""
    await ready(ring, f"{KAI}, {CHAR}, {GUARD}")
    await grabbed(ring)
    await next_turn(ring)
    shown = told(await ring.use("turn", ring.player))
    (line,) = [line for line in shown.splitlines() if line.startswith("With a target")]
    throw = "Throw the held one into somebody"
    assert throw in line
    assert await offered(ring, "target", what=throw) == [GUARD]
    assert await offered(ring, "target", what="Shove the held one") == [CHAR]
    assert "stands on both sides" in await denied(ring, throw, target=CHAR)
