"""Attacks in a fight: HP, weapons' debts, and what a hit brings."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import CLUB, RIFLE, effects, hit, marks, read_refusal, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.support.reading import assert_says

HIT, MISS = ((100, 60), (100, 20)), ((100, 20), (100, 60))
"""An attack roll with its dodge."""


async def test_criticals_cost_the_next_action_or_turn(ring: Ring) -> None:
    """Two natural 1s cost both an Action; a 100 against Advanced Prosthetics costs the turn."""
    await start_fight(ring, kai=f"weapons: {RIFLE}", char=f"weapons: {CLUB}")
    told = await hit(ring, CHAR, (100, 1), (100, 1))
    assert_says(told, "Missed", "Kai loses the next Action")
    await ring.end_turn(ring.gm)
    assert "no Actions left" in await read_refusal(ring, KAI, character=CHAR)
    await ring.end_turn(ring.gm)
    assert "no Actions left" in await read_refusal(ring)
    await ring.save({CHAR: "option: Advanced Prosthetics"})
    await round_over(ring)
    assert "Char loses the next turn" in await hit(ring, CHAR, (100, 100), (100, 50), (20, 1))
    await ring.end_turn(ring.gm)
    assert (marks(ring, CHAR).get("actions"), marks(ring, CHAR).get("movements")) == (0, 0)


async def test_who_is_down_is_wounded_by_the_clock(ring: Ring) -> None:
    """Four hours without Actions; another hit adds four, and a saving roll of 25 is a Mortal Wound."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai=f"weapons: {RIFLE}", char=f"hp: 10; weapons: {CLUB}")
    told = await hit(ring, CHAR, *HIT, (20, 10))
    assert "Hit: 10 damage; down" in told
    assert "Saving roll" not in told
    before = next(value["at"] for _, name, value in ring.read_state() if name == "effect.wounded")
    await ring.end_turn(ring.gm)
    assert f"{CHAR}** is down" in ring.read_newest()
    assert f"It's {GUARD}'s turn" in await read_refusal(ring, KAI, ring.rival, character=CHAR)
    await ring.end_turn(ring.gm)
    assert "What follows" not in await hit(ring, CHAR, *MISS)
    await round_over(ring)
    await hit(ring, CHAR, *HIT, (20, 1), (100, 26))
    after = next(value["at"] for _, name, value in ring.read_state() if name == "effect.wounded")
    assert after > before
    assert "mortally-wounded" not in effects(ring, CHAR)
    await round_over(ring)
    assert "A Mortal Wound" in await hit(ring, CHAR, *HIT, (20, 12), (100, 25))
    assert {"wounded", "mortally-wounded"} <= effects(ring, CHAR).keys()
    await round_over(ring)
    await hit(ring, CHAR, *HIT, *MISS, *MISS, (6, 6), weapon="unarmed", range=1)


async def test_traits_follow_of_the_natural_die(ring: Ring) -> None:
    """From the die's threshold on, whatever is added; blunt if the attacker says so (A45)."""
    arms = {KAI: "Pole = L_s/b_Shafted", CHAR: "H_w_Whip", GUARD: "L_a_ChemThrower"}
    fields = {name.casefold(): f"hp: 900; accuracy: 30; weapons: {arm}" for name, arm in arms.items()}
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", **fields)
    offered = await ring.gm.autocomplete(ring.world.orders, "roe attack", "fire", "")
    assert {"slash", "blunt"} <= {item["name"] for item in offered}
    await hit(ring, CHAR, (100, 69), (100, 2), (50, 1), range=1)
    assert effects(ring, CHAR) == {}
    await ring.end_turn(ring.gm)
    await hit(ring, KAI, (100, 70), (100, 2), (100, 1), range=1, character=CHAR)
    assert effects(ring, KAI) == {"prone": None}
    await ring.end_turn(ring.gm)
    await hit(ring, KAI, (100, 60), (100, 2), (50, 1), range=1, character=GUARD)
    assert effects(ring, KAI)["burning"] == 3
    ring.world.dice.script_dice((10, 1))
    await ring.end_turn(ring.gm)
    await hit(ring, CHAR, (100, 70), (100, 2), (50, 1), fire="blunt")
    assert set(effects(ring, CHAR)) == {"stunned", "stun-immune"}
    ring.world.dice.script_dice((10, 1))
    await round_over(ring, 3)
    await hit(ring, CHAR, (100, 70), (100, 2), (50, 1))
    assert effects(ring, CHAR)["bleeding"] == 5


@pytest.mark.slow
async def test_magika_brings_its_bearer_a_surge(ring: Ring) -> None:
    """A35: from the next roll until the next turn ends."""
    await start_fight(ring, kai="weapons: L_m", char="hp: 900")
    assert "Hit: 9 damage" in await hit(ring, CHAR, (100, 70), (100, 2), (50, 9), range=15)
    await round_over(ring)
    told = await hit(ring, CHAR, (100, 40), (100, 2), (50, 1), range=15)
    assert_says(told, "+10 Magika surge", "Hit: 11 damage")
    await ring.end_turn(ring.gm)
    assert effects(ring, KAI) == {}


async def test_a_sneak_attack_is_the_first_one_and_set_up(ring: Ring) -> None:
    """After a won stealth roll the die doubles; set-up and hiding are used up."""
    await start_fight(ring, kai="weapons: S_s_Blade")
    assert "setting up" in await read_refusal(ring, fire="sneak")
    for effect in ("set-up", "hidden"):
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect=effect)
    card = await roe(ring, "attack", target=CHAR, fire="sneak")
    assert "Spot someone sneaking" in card
    told = await hit(ring, CHAR, (100, 60), (100, 59), *HIT, (10, 9), fire="sneak")
    assert "18 doubled" in told
    assert effects(ring, KAI) == {"spotted": None}
    await round_over(ring)
    assert "first attack" in await read_refusal(ring, fire="sneak")


@pytest.mark.slow
async def test_a_sneak_attack_that_is_seen_is_an_ordinary_one(ring: Ring) -> None:
    """A52: no doubling, and the set-up is used up, also from afar."""
    await start_fight(ring, kai="weapons: L_s_Rifle")
    for effect in ("set-up", "hidden"):
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect=effect)
    told = await hit(ring, CHAR, (100, 60), (100, 60), (60, 50), (100, 2), (50, 9), fire="sneak", range=60)
    assert "Hit: 9 damage" in told
    assert effects(ring, KAI) == {"spotted": None}


async def test_things_are_thrown(ring: Ring) -> None:
    """C21: up to 20 m, d6 with half strength or the listed damage; then it's gone."""
    weapons = "weapons: Knife = S_s_Blade + Throwing, M_b_Club"
    await start_fight(ring, kai=f"{weapons}; ranged-accuracy: 7; strength: 9", char="hp: 900")
    assert "reaches 20 m" in await read_refusal(ring, fire="throw", range=21)
    told = await hit(ring, CHAR, *HIT, (10, 6), fire="throw", range=20)
    assert_says(told, "+7 Ranged accuracy", "Hit: 15 damage")
    await round_over(ring)
    assert "isn't in hand" in await read_refusal(ring)
    await ring.gm.slash(ring.world.orders, "fight end")


async def test_who_is_not_there_or_not_seen_is_no_target(ring: Ring) -> None:
    """Absent, secret and unknown ones get the same refusal; hidden ones aren't offered."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai=f"weapons: {RIFLE}")
    for name in (SHADOW, "Zed", f"Nobody #{ring.number(CHAR)}"):
        assert "isn't in this fight" in await read_refusal(ring, name, ring.player)
    assert f"I don't know {CHAR} #" in await read_refusal(ring, f"{CHAR} #\N{SUPERSCRIPT NINE}", ring.player)
    assert "both sides" in await read_refusal(ring, KAI, ring.player)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="hidden")
    assert "Char isn't in this fight" in await read_refusal(ring, CHAR, ring.player)
    assert "Char is hidden" in await read_refusal(ring, CHAR)
    for actor, names in ((ring.player, {GUARD}), (ring.gm, {CHAR, GUARD})):
        offered = await actor.autocomplete(ring.world.orders, "roe attack", "target", "")
        assert {item["name"] for item in offered} == names
