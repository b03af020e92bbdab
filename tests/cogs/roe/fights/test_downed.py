"""Downed fighters: no turn, and no reason to fight on."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import hit, newest_entry
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring, read_answers
from tests.support.acting import save_group, take_back
from tests.support.prepared import prepared
from tests.support.reading import offers, response, text
from tests.support.world import nothing_written

KILL = ((100, 80), (100, 20), (20, 19))


@prepared
async def arm_kai(ring: Ring, who: str = f"{KAI}, {CHAR}, {GUARD}") -> None:
    """Kai has the first turn and a rifle; one hit puts anybody down."""
    await ring.save(dict.fromkeys((KAI, CHAR, GUARD, SHADOW), "hp: 15; weapons: Rifle = M_s_Rifle"))
    await ring.begin(who)


async def test_who_is_down_holds_up_no_turn(ring: Ring) -> None:
    """The turn passes on at once, in one post that pings the next fighter; a void brings it back."""
    await arm_kai(ring)
    await hit(ring, CHAR, *KILL)
    kept = ring.read_state()
    await ring.end_turn(ring.player)
    ended, passed = ring.world.orders.history()[-2:]
    assert f"**{KAI}** has ended their turn." in text(ended)
    assert not offers(ended, "turn")
    assert f"round 1, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in text(passed)
    assert offers(passed, "turn")
    await take_back(ring.world, "gm undo", entry=newest_entry(ring) - 1, reason="too early")
    assert ring.read_state() == kept
    assert await ring.sound()


async def test_the_last_side_standing_ends_the_fight(ring: Ring) -> None:
    """It ends with the winner's turn; only that player or a game master may end it sooner."""
    await arm_kai(ring, f"{KAI}, {CHAR}")
    assert "Only game masters" in await ring.fail("end", ring.player)
    await hit(ring, CHAR, *KILL)
    assert "Only game masters" in await ring.fail("end", ring.rival)
    assert offers(response(await ring.use("end", ring.player)), "end")
    assert "The fight is over" in await ring.end_turn(ring.player)
    assert f"Fighters: **{KAI}** and **{CHAR}**.\nLeft standing: **{KAI}**." in ring.read_newest()
    assert await ring.sound()


@pytest.mark.slow
async def test_a_fight_goes_on_while_others_stand(ring: Ring) -> None:
    """Unplayed fighters are another side, until a group joins them."""
    await arm_kai(ring)
    await hit(ring, CHAR, *KILL)
    await ring.end_turn(ring.player)
    assert f"round 1, {GUARD}'s turn" in ring.read_newest()
    await save_group(ring.world, name="Crew", members=f"{KAI}, {GUARD}", secret=False)
    await ring.end_turn(ring.gm)
    assert f"Left standing: **{KAI}** and **{GUARD}**." in ring.read_newest()


@pytest.mark.slow
async def test_a_secret_fighter_keeps_no_fight_going(ring: Ring) -> None:
    """Everyone reads the same end as without a secret fighter."""
    await arm_kai(ring, f"{KAI}, {CHAR}, {SHADOW}")
    await hit(ring, CHAR, *KILL)
    await ring.end_turn(ring.player)
    assert f"Left standing: **{KAI}**." in ring.read_newest()
    assert SHADOW not in ring.read_newest()


async def test_who_attacks_isnt_the_defender(ring: Ring) -> None:
    """Line 6: a player who begins a fight attacks; a game master says who defends."""
    await ring.use("start", ring.player, who=f"{KAI}, {CHAR}, {GUARD}")
    assert f"Turn order: **{CHAR}**, **{KAI}** and **{GUARD}**." in ring.read_newest()
    assert f"**{CHAR}**'s player chooses" in ring.read_newest()
    with nothing_written(ring.world):
        assert "Only the defender's player" in read_answers(await ring.click("choose", ring.player))
    await ring.click("choose", ring.rival)
    assert f"1\\. {TRIANGLE} **{CHAR}** (defender)" in await ring.show()
