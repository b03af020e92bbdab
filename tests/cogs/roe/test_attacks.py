"""Attacks in a fight, as people make them: HP, what weapons owe, and what follows of a hit."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import (
    CLUB,
    RIFLE,
    denied,
    effects,
    fighting,
    hit,
    lost,
    marks,
    roe,
    round_over,
)
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring

pytestmark = pytest.mark.asyncio

HIT, MISS = ((100, 60), (100, 20)), ((100, 20), (100, 60))
"""An attack roll with its dodge."""


async def test_a_hit_takes_hp_and_the_action(ring: Ring) -> None:
    """A shot that hits takes HP, is told where the fight is, and takes the Action of the turn; the next one is refused."""
    await fighting(ring, kai=f"weapons: {RIFLE}, M_a_Rifle", char=f"hp: 20; weapons: {CLUB}")
    told = await hit(ring, CHAR, (100, 80), (100, 20), (20, 12), actor=ring.player)
    assert "Hit: 12 damage" in told
    assert "20 less 12 = 8" in told
    assert "1d100: **80** + 5 = **85**" in told
    assert lost(ring, CHAR) == 12
    assert "no Actions left" in await denied(ring, actor=ring.player)
    assert await ring.sound()


async def test_card_and_result_say_with_what_and_from_how_far(ring: Ring) -> None:
    """Whoever names neither weapon nor distance reads both before the dice, and so does everybody afterwards."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="hp: 20")
    assert "With Rifle, semi-automatic, 10 m" in await roe(ring, "attack", ring.player, target=CHAR)
    told = (await hit(ring, CHAR, *MISS, range=5)).replace("*", "")
    assert "With: Rifle, semi-automatic, 5 m" in told


async def test_a_burst_is_told_in_a_line_for_each_shot(ring: Ring) -> None:
    """Three shots stand in a line each under what counts on all of them, damage and HP once below; and a reload is owed."""
    await fighting(ring, kai="weapons: Gun = M_a_Rifle + Scope accuracy 5 + Heavy barrel damage 3", char="dr: 4")
    told = await hit(ring, CHAR, *HIT, *MISS, *HIT, (20, 9), (20, 11), fire="auto")
    assert told.count("Scope") == 1
    assert "1) **60** + 5 = **65** against **20** + 0 = **20** \N{RIGHTWARDS ARROW} The attack connects" in told
    assert "2d20: **9, 11** \N{RIGHTWARDS ARROW} 20 +3 = 23, less 4 DR = 19" in told
    assert "**HP:** 30 less 19 = 11" in told
    assert "**Owed:** Gun: a reload" in told
    assert len(told.splitlines()) < 22
    await round_over(ring)
    assert "reload first" in await denied(ring, fire="single")
    assert await ring.sound()


async def test_a_critical_hit_doubles_the_die_and_only_a_critical_dodge_avoids_it(ring: Ring) -> None:
    """100 hits whatever the totals, and the die counts twice; against 100 it misses."""
    await fighting(ring, kai=f"weapons: {CLUB}", char="dodge: 30")
    told = await hit(ring, CHAR, (100, 100), (100, 99), (50, 7))
    assert "14 by doubling" in told
    await round_over(ring)
    assert "Missed" in await hit(ring, CHAR, (100, 100), (100, 100))
    assert lost(ring, CHAR) == 14


async def test_critical_failures_cost_the_next_action(ring: Ring) -> None:
    """Both have rolled 1: the attack misses, and both begin their next turn without an Action."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char=f"weapons: {CLUB}")
    told = await hit(ring, CHAR, (100, 1), (100, 1))
    assert "Missed" in told
    assert "Kai loses the next Action" in told
    await ring.ended(ring.gm)
    assert "no Actions left" in await denied(ring, KAI, character=CHAR)
    await ring.ended(ring.gm)
    assert "no Actions left" in await denied(ring)
    await round_over(ring)
    await hit(ring, CHAR, *HIT, (20, 1))
    assert await ring.sound()


async def test_a_critical_costs_advanced_prosthetics_the_turn(ring: Ring) -> None:
    """A critical hit on them takes movement and Action of the whole next turn."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="option: Advanced Prosthetics")
    assert "Char loses the next turn" in await hit(ring, CHAR, (100, 100), (100, 50), (20, 1))
    await ring.ended(ring.gm)
    assert (marks(ring, CHAR).get("actions"), marks(ring, CHAR).get("movements")) == (0, 0)


async def test_who_is_down_is_wounded_by_the_clock(ring: Ring) -> None:
    """At no HP one is Wounded for four hours and has no Action; a miss adds nothing, a hit four hours more."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char=f"hp: 10; weapons: {CLUB}")
    told = await hit(ring, CHAR, *HIT, (20, 10))
    assert "Hit: 10 damage; down" in told
    assert "Saving roll" not in told
    before = next(value["at"] for _, name, value in ring.kept() if name == "effect.wounded")
    await ring.ended(ring.gm)
    assert "Wounded" in await denied(ring, KAI, character=CHAR)
    await ring.ended(ring.gm)
    assert "What follows" not in await hit(ring, CHAR, *MISS)
    await round_over(ring)
    await hit(ring, CHAR, *HIT, (20, 1), (100, 26))
    after = next(value["at"] for _, name, value in ring.kept() if name == "effect.wounded")
    assert after > before
    assert "mortally-wounded" not in effects(ring, CHAR)
    assert await ring.sound()


async def test_twice_the_hp_left_calls_for_a_saving_roll(ring: Ring) -> None:
    """25 or less is a Mortal Wound; unarmed strikes never call for it."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="hp: 6")
    told = await hit(ring, CHAR, *HIT, (20, 12), (100, 25))
    assert "A Mortal Wound" in told
    assert {"wounded", "mortally-wounded"} <= effects(ring, CHAR).keys()
    await round_over(ring)
    await hit(ring, CHAR, *HIT, *MISS, *MISS, (6, 6), weapon="unarmed", range=1)
    assert await ring.sound()


async def test_amorphous_form_is_wounded_for_two_hours(ring: Ring) -> None:
    """The option has a wound timer of its own."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="hp: 10; option: Amorphous Form")
    start = ring.world.clock.now
    await hit(ring, CHAR, *HIT, (20, 10))
    (end,) = [value["at"] for _, name, value in ring.kept() if name == "effect.wounded"]
    assert int(end[11:13]) - start.hour in {2, 2 - 24}


@pytest.mark.parametrize(
    ("weapon", "natural", "what", "turns"),
    [
        ("L_b_Club", 70, "stunned", 1),
        ("L_s_Sword", 70, "bleeding", 5),
        ("H_w_Whip", 70, "prone", None),
        ("L_a_ChemThrower", 60, "burning", 3),
    ],
)
async def test_traits_follow_of_the_natural_die(
    ring: Ring, weapon: str, natural: int, what: str, turns: int | None
) -> None:
    """From its threshold on a hit brings the trait, whatever is added; below it does not."""
    sides = 100 if weapon.startswith("H") else 50
    await fighting(ring, kai=f"weapons: {weapon}; accuracy: 30", char="hp: 900")
    await hit(ring, CHAR, (100, natural - 1), (100, 2), (sides, 1), range=1)
    assert what not in effects(ring, CHAR)
    await round_over(ring)
    await hit(ring, CHAR, (100, natural), (100, 2), (sides, 1), range=1)
    assert effects(ring, CHAR)[what] == turns
    assert await ring.sound()


async def test_pierce_voids_armour(ring: Ring) -> None:
    """From its threshold on a piercing hit takes no DR into account."""
    await fighting(ring, kai="weapons: L_p_Shafted", char="hp: 900; dr: 30")
    assert "40, less 30 DR = 10" in await hit(ring, CHAR, (100, 69), (100, 2), (50, 40), range=6)
    await round_over(ring)
    assert "Hit: 9 damage" in await hit(ring, CHAR, (100, 70), (100, 2), (50, 9), range=6)


async def test_magika_brings_its_bearer_a_surge(ring: Ring) -> None:
    """A35: it counts from the next roll on, until the end of the next turn."""
    await fighting(ring, kai="weapons: L_m", char="hp: 900")
    assert "Hit: 9 damage" in await hit(ring, CHAR, (100, 70), (100, 2), (50, 9), range=15)
    await round_over(ring)
    told = await hit(ring, CHAR, (100, 40), (100, 2), (50, 1), range=15)
    assert "+10 Magika surge" in told
    assert "Hit: 11 damage" in told
    await ring.ended(ring.gm)
    assert effects(ring, KAI) == {}


async def test_suppressive_fire_costs_accuracy_until_the_next_turn_is_over(ring: Ring) -> None:
    """The die is halved; whoever has to dodge it, hit or not, has -15 until the end of the own next turn."""
    await fighting(ring, kai="weapons: MG = L_a_MG", char=f"weapons: {CLUB}")
    await hit(ring, CHAR, *HIT, *MISS, *MISS, (25, 25), fire="suppress")
    assert effects(ring, CHAR)["suppressed"] == 1
    await ring.ended(ring.gm)
    assert "\N{MINUS SIGN}15 Under suppressive fire" in await hit(ring, KAI, *MISS, character=CHAR)
    await ring.ended(ring.gm)
    assert "suppressed" not in effects(ring, CHAR)
    assert await ring.sound()


@pytest.mark.parametrize(
    ("weapon", "fire", "turns", "due"),
    [
        ("L_a_MG", "auto", 3, "reload first"),
        ("L_a_MG", "single", 4, None),
        ("L_s_Rifle", "single", 1, "work its bolt first"),
        ("M_s_Shotgun", "single", 1, "let a turn pass without firing it first"),
        ("M_a_Rifle", "auto", 1, "reload first"),
        ("S_s_Pistol", "semi", 4, None),
    ],
)
async def test_what_weapons_owe_goes_from_turn_to_turn(
    ring: Ring, weapon: str, fire: str, turns: int, due: str | None
) -> None:
    """A machine gun fires three bursts and then owes a reload, a rifle after one; a sniper works the bolt, and a shotgun is racked."""
    await fighting(ring, kai=f"weapons: {weapon}", char="hp: 900")
    rolls = {"auto": 3, "semi": 2}.get(fire, 1)
    for turn in range(turns):
        told = await hit(ring, CHAR, *MISS * rolls, fire=fire)
        assert ("Owed" in told) == (turn == turns - 1 and due is not None)
        await round_over(ring)
    if due:
        assert due in await denied(ring, fire=fire)
    assert await ring.sound()


async def test_a_turn_without_a_shot_racks_a_shotgun(ring: Ring) -> None:
    """The next Action after a shot is no other shot; in the turn after that there is one."""
    await fighting(ring, kai="weapons: M_s_Shotgun", char="hp: 900")
    assert "1d70" in (await hit(ring, CHAR, *HIT, (70, 70))).replace("d70", "1d70")
    await round_over(ring)
    await round_over(ring)
    told = await hit(ring, f"{CHAR}", *[(20, 9), (100, 5)] * 3, *[(20, 1)] * 3, range=30)
    assert "3 of 3 hit" in told


async def test_drawing_is_free_in_the_first_turn_alone(ring: Ring) -> None:
    """What was used is in the hands afterwards, another weapon has to be drawn."""
    await fighting(ring, kai=f"weapons: {RIFLE}, {CLUB}")
    await hit(ring, CHAR, *MISS)
    await round_over(ring)
    assert "L_b_Club is not in the hands" in (await denied(ring, weapon=CLUB)).replace("\\", "")
    await hit(ring, CHAR, *MISS, *MISS, *MISS, weapon="unarmed")


async def test_no_card_opens_for_a_weapon_that_is_not_ready(ring: Ring) -> None:
    """What is not in the hands or owes something is refused before anybody looks at odds, not only at Roll."""
    await fighting(ring, kai=f"weapons: Gun = M_a_Rifle, {CLUB}")
    await hit(ring, CHAR, *MISS, *MISS, *MISS, fire="auto")
    await round_over(ring)
    assert "is not in the hands" in await denied(ring, weapon=CLUB, roll="card")
    assert "is not ready: reload first." in await denied(ring, weapon="Gun", roll="card")


async def test_wrong_weapons_are_refused_with_the_reason(ring: Ring) -> None:
    """Fire that it has not, a range beyond it, one that nobody has."""
    await fighting(ring, kai=f"weapons: {RIFLE}, L_a_ChemThrower")
    assert "cannot be used so" in await denied(ring, fire="auto")
    assert "reaches 8 m" in await denied(ring, weapon="L_a_ChemThrower", range=9)
    unknown = (await denied(ring, weapon="Bow")).replace("\\", "")
    assert "Kai has no weapon 'Bow'." in unknown
    assert "There are: Rifle, L_a_ChemThrower" in unknown


async def test_whose_turn_it_is_attacks(ring: Ring) -> None:
    """A player attacks with the own character in its turn, no other one."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char=f"weapons: {CLUB}")
    assert "It is Kai's turn" in await denied(ring, KAI, ring.rival)
    assert "no character of yours" in await denied(ring, KAI, ring.player, character=CHAR)


async def test_a_sneak_attack_is_the_first_one_and_set_up(ring: Ring) -> None:
    """Behind a won stealth roll the die is doubled; set-up, hiding and the first attack are spent with it, and one is spotted."""
    await fighting(ring, kai=f"weapons: {CLUB}")
    assert "setting up" in await denied(ring, fire="sneak")
    for effect in ("set-up", "hidden"):
        await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect=effect)
    card = await roe(ring, "attack", target=CHAR, fire="sneak")
    assert "Spot who sneaks" in card
    told = await hit(ring, CHAR, (100, 60), (100, 59), *HIT, (50, 9), fire="sneak")
    assert "18 by doubling" in told
    assert effects(ring, KAI) == {"spotted": None}
    await round_over(ring)
    assert "first attack" in await denied(ring, fire="sneak")
    assert await ring.sound()


async def test_a_sneak_attack_that_is_seen_is_an_ordinary_one(ring: Ring) -> None:
    """A52: without doubling; the set-up is used up, and even a sniper from far off is seen."""
    await fighting(ring, kai="weapons: L_s_Rifle")
    for effect in ("set-up", "hidden"):
        await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect=effect)
    told = await hit(ring, CHAR, (100, 60), (100, 60), (60, 50), (100, 2), (50, 9), fire="sneak", range=60)
    assert "Hit: 9 damage" in told
    assert effects(ring, KAI) == {"spotted": None}


async def test_a_hidden_sniper_stays_hidden_from_far_off(ring: Ring) -> None:
    """C17.5: from long range an attack does not end it; from close range it does."""
    await fighting(ring, kai="weapons: L_s_Rifle, M_s_Rifle")
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="hidden")
    await hit(ring, CHAR, (60, 50), (100, 2), (50, 9), range=50)
    assert "hidden" in effects(ring, KAI)
    await round_over(ring)
    await hit(ring, CHAR, *MISS, *MISS, *MISS, weapon="unarmed")
    assert "hidden" not in effects(ring, KAI)


async def test_things_are_thrown(ring: Ring) -> None:
    """C21: up to 20 m, by ranged accuracy; d6 with half of the strength, or what is listed where it is made for it; then it is gone."""
    weapons = "weapons: Knife = S_s_Blade + Throwing, M_b_Club"
    await fighting(ring, kai=f"{weapons}; ranged-accuracy: 7; strength: 9", char="hp: 900")
    assert "reaches 20 m" in await denied(ring, fire="throw", range=21)
    told = await hit(ring, CHAR, *HIT, (10, 6), fire="throw", range=20)
    assert "+7 Ranged accuracy" in told
    assert "Hit: 15 damage" in told
    await round_over(ring)
    assert "not in the hands" in await denied(ring)
    await ring.gm.slash(ring.world.orders, "fight end")


async def test_what_is_improvised_is_thrown_with_half_of_the_strength(ring: Ring) -> None:
    """C21.2: d6 and half of the strength, rounded down, without its trait."""
    await fighting(ring, kai="weapons: M_b_Club; strength: 9", char="hp: 900")
    assert "Hit: 10 damage" in await hit(ring, CHAR, (100, 99), (100, 2), (6, 6), fire="throw")
    assert effects(ring, CHAR) == {}


@pytest.mark.parametrize(("fuel", "damage"), [(25, (50, 31)), (26, None)])
async def test_fuel_may_explode_when_its_bearer_goes_down(
    ring: Ring, fuel: int, damage: tuple[int, int] | None
) -> None:
    """C12.5: d100, at 25 or less d50 explosive damage to all around who do not dodge."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="hp: 11; weapons: Flamer = L_a_ChemThrower")
    told = await hit(ring, CHAR, *HIT, (20, 11), (100, fuel), *([damage] if damage else []))
    assert ("31 explosive damage to all within 5 m across" in told) == (damage is not None)


async def test_no_weapon_in_a_hold_is_bigger_than_oneself(ring: Ring) -> None:
    """C25.2 and C25.3: not for the held one, nor for the holder, who uses small weapons alone two at a time."""
    await fighting(ring, kai="weapons: Big = L_s_Sword, Mid = M_s_Sword, Low = S_s_Blade")
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="holding")
    assert "larger than the character" in await denied(ring, weapon="Big")
    assert "who holds somebody" in await denied(ring, weapon="Mid", second="Low")
    await hit(ring, CHAR, *MISS, *MISS, weapon="Mid")


async def test_who_is_not_there_or_not_seen_is_no_target(ring: Ring) -> None:
    """Somebody else, a secret one and nobody are refused alike; who hides is offered to no player and cannot be attacked."""
    await fighting(ring, f"{KAI}, {CHAR}, {GUARD}", kai=f"weapons: {RIFLE}")
    for name in (SHADOW, "Zed"):
        assert f"{name} does not stand in this fight" in await denied(ring, name, ring.player)
    assert "both sides" in await denied(ring, KAI, ring.player)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="hidden")
    assert "Char does not stand in this fight" in await denied(ring, CHAR, ring.player)
    assert "Char is nowhere to be seen" in await denied(ring, CHAR)
    offered = await ring.player.autocomplete(ring.world.orders, "roe attack", "target", "")
    assert [item["name"] for item in offered] == [GUARD]
    offered = await ring.gm.autocomplete(ring.world.orders, "roe attack", "target", "")
    assert {item["name"] for item in offered} == {CHAR, GUARD}


async def test_a_trait_is_named_where_there_are_several(ring: Ring) -> None:
    """A45: a shafted weapon slashes unless its attacker says that it is blunt."""
    await fighting(ring, kai="weapons: Pole = L_s/b_Shafted", char="hp: 900")
    offered = await ring.gm.autocomplete(ring.world.orders, "roe attack", "fire", "")
    assert {"slash", "blunt"} <= {item["name"] for item in offered}
    await hit(ring, CHAR, (100, 70), (100, 2), (50, 1), fire="blunt")
    assert set(effects(ring, CHAR)) == {"stunned", "stun-immune"}
    await round_over(ring)
    await hit(ring, CHAR, (100, 70), (100, 2), (50, 1))
    assert effects(ring, CHAR)["bleeding"] == 5


async def test_a_sneak_attack_is_one_roll(ring: Ring) -> None:
    """C16.4: several gain nothing by it, so that a pistol fires once and a blade strikes once."""
    await fighting(ring, kai="weapons: S_s_Blade", char="hp: 900")
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="set-up")
    assert "18 by doubling" in await hit(ring, CHAR, (100, 60), (100, 59), *HIT, (10, 9), fire="sneak")


async def test_numbers_behind_a_name_are_numbers_of_that_name(ring: Ring) -> None:
    """Neither a figure that is no number nor another fighter's number behind a name means anybody in the fight."""
    await fighting(ring, kai=f"weapons: {RIFLE}", char="hp: 20")
    assert f"There is no {CHAR} #" in await denied(ring, actor=ring.player, target=f"{CHAR} #\N{SUPERSCRIPT NINE}")
    other = f"Nobody #{ring.number(CHAR)}"
    assert "does not stand in this fight" in await denied(ring, actor=ring.player, target=other)
