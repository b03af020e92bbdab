"""Attacks on several: neighbours, shields, swings, two weapons."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import act, count_lost, hit, marks, read_refusal, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.support.acting import effect_ended
from tests.support.reading import assert_says

HIT, MISS = ((100, 60), (100, 20)), ((100, 20), (100, 60))
"""An attack roll with its dodge."""


async def test_a_burst_into_melee_hits_those_beside_the_target(ring: Ring) -> None:
    """They dodge the same rolls with +15, and take half; nothing is paid twice."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: MG = L_a_MG + Barrel damage 2")
    beside = ((100, 44), (100, 46), (100, 90))
    told = await hit(ring, f"{CHAR}, {GUARD}", *HIT, *MISS, *HIT, (50, 20), (50, 11), *beside, fire="auto")
    assert_says(told, "2 of 3 hit: 33 damage; down", "1 of 3 hit: 12 damage", "(the same die)")
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (30, 12)
    assert (marks(ring, KAI).get("actions"), marks(ring, KAI)["used.mg"]) == (None, 1)


async def test_a_shot_through_somebody_goes_on_where_it_misses(ring: Ring) -> None:
    """The one in the way gives +15, and dodges what misses the target."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_s_Rifle")
    told = await hit(ring, f"{CHAR}, {GUARD}", (100, 60), (100, 50), (100, 59), (20, 14))
    assert "+15 Cover" in told
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (0, 14)
    await round_over(ring, 3)
    told = await hit(ring, f"{CHAR}, {GUARD}", (100, 90), (100, 50), (20, 3))
    assert "Nothing gets past the target" in told
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (3, 14)


async def test_swings_are_shared_out(ring: Ring) -> None:
    """As often as each target is named; too many or out of reach is refused."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: S_s_Blade")
    assert "3 swings in one Action, not 4" in await read_refusal(ring, f"{CHAR}, {CHAR}, {GUARD}, {GUARD}")
    assert "reaches 3 m" in await read_refusal(ring, range=3.5)
    await hit(ring, f"{CHAR}, {GUARD}, {CHAR}", *HIT, *HIT, (10, 4), (10, 5), *MISS)
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (9, 0)


@pytest.mark.slow
async def test_two_weapons_are_not_too_big(ring: Ring) -> None:
    """Sizes are limited, less in a hold (C25.2, C25.3)."""
    weapons = "weapons: Big = L_s_Sword, Mid = M_s_Sword, Low = S_s_Blade"
    await start_fight(ring, kai=weapons)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="holding")
    assert "larger than your character" in await read_refusal(ring, weapon="Big")
    assert "someone keeping a hold" in await read_refusal(ring, weapon="Mid", second="Low")
    assert "**Kai** attacks" in await roe(ring, "attack", target=CHAR, weapon="Mid")
    await effect_ended(ring.gm, ring.world.orders, who=KAI, effect="holding")
    assert "must be medium at most" in await read_refusal(ring, weapon="Big", second="Low")
    for fields in ("option: Scholar Caste", "size: small"):
        await ring.save({KAI: fields})
        assert "two weapons at once" in await read_refusal(ring, weapon="Mid", second="Low")
    for fields in ("option: Warrior Caste; size: medium", "size: large; option: Scholar Caste"):
        await ring.save({KAI: fields})
        assert "Two weapons at once" in await roe(ring, "attack", target=CHAR, weapon="Mid", second="Low")


@pytest.mark.slow
async def test_who_shields_takes_what_misses(ring: Ring) -> None:
    """C18.8: the target has +15; its shield takes misses without a dodge."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_a_Rifle", guard="hp: 900")
    await ring.use("order", names=f"{GUARD}, {KAI}, {CHAR}")
    await act(ring, "Shield someone", character=GUARD, target=CHAR)
    await ring.end_turn(ring.gm)
    told = await hit(ring, CHAR, (100, 60), (100, 50), (20, 14))
    assert "1d100: **50** + 15 = **65** against **60**" in told
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (0, 14)
    await ring.end_turn(ring.gm)
    await ring.end_turn(ring.gm)
    await act(ring, "Shield someone", character=GUARD, target=CHAR)
    await ring.end_turn(ring.gm)
    beside = ((100, 1), (100, 100), (100, 100))
    await hit(ring, CHAR, *HIT, *MISS, *MISS, (20, 10), *beside, (20, 4), (20, 6), fire="auto")
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (10, 14 + 5 + 10)


async def test_an_old_mind_may_attack_somebody_else(ring: Ring) -> None:
    """C04.21, A39: on 1 of a d10 a die picks the target; the Action stays for that attack."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_s_Rifle; option: Old Mind")
    card = await roe(ring, "attack", target=CHAR)
    assert "**10%** Goes astray" in card
    assert "Astray: attack Guard instead" in await hit(ring, CHAR, (10, 1))
    assert "goes at Guard" in await read_refusal(ring, CHAR)
    assert "Hit: 8 damage" in await hit(ring, GUARD, *HIT, (20, 8))
    assert "no Actions left" in await read_refusal(ring, GUARD)
    await round_over(ring, 3)
    assert "Hit: 7 damage" in await hit(ring, CHAR, (10, 2), *HIT, (20, 7))
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (7, 8)


@pytest.mark.slow
async def test_who_shields_one_of_two_targets_takes_what_was_for_that_one(ring: Ring) -> None:
    """Only the first weapon's misses reach the shield."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: S_s_HPistol, S_s_HPistol", guard="hp: 900")
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Third")
    await ring.save({"Third": "hp: 30"})
    await ring.use("join", character="Third")
    await ring.use("order", names=f"{GUARD}, {KAI}, {CHAR}, Third")
    await act(ring, "Shield someone", character=GUARD, target=CHAR)
    await ring.end_turn(ring.gm)
    pair = {"weapon": "S_s_HPistol", "second": "S_s_HPistol 2"}
    await hit(ring, f"{CHAR}, Third", *MISS, *HIT, (40, 5), (40, 9), **pair)
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD), count_lost(ring, "Third")) == (0, 9, 5)


@pytest.mark.slow
async def test_what_is_added_to_damage_is_told_with_its_origin(ring: Ring) -> None:
    """Line 105: equipment, options, strength, and attachments of weapons that hit."""
    arms = "Axe = M_s_Sword + Edge damage 3, Left = S_s_Pistol + Laser damage 1, Right = S_s_HPistol"
    option = "melee-damage: 2; strength: 4; option: Powerfully Built"
    await start_fight(ring, kai=f"{option}; weapons: {arms}", char="dr: 4")
    origins = "Melee damage from equipment +2, Powerfully Built +5, Strength +4, Edge +3"
    assert f"Added to damage: {origins}" in await roe(ring, "attack", target=CHAR, weapon="Axe", range=1)
    told = await hit(ring, CHAR, *HIT, *MISS, (20, 9), weapon="Axe", range=1)
    assert f"9 +14 = 23, less 4 DR = 19 ({origins})" in told
    await round_over(ring)
    await act(ring, "Draw or swap", value="Left, Right")
    await round_over(ring)
    told = await hit(ring, CHAR, *MISS, *MISS, *HIT, (40, 9), weapon="Left", second="Right")
    assert "Hit: 5 damage" in told.replace("1 of 3 hit", "Hit")
    assert "Laser" not in told
