"""Whole duels: aims, reloads, wounds, amendments and voids."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from rules.books.roe.aim import plan_attack
from rules.books.roe.attack_odds import count_odds
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.modifiers import KnownFact, Origin
from rules.phrases import percent
from rules.procedure import Part
from tests.cogs.roe.attacking import (
    act,
    count_lost,
    effects,
    equip,
    hit,
    newest_entry,
    read_refusal,
    roe,
    round_over,
    start_fight,
)
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.cogs.roe.test_any_sequence import SLOW, throw_die
from tests.rules.roe.asking import ROE
from tests.support.acting import take_back
from tests.support.reading import assert_says, press, response, text
from tests.support.world import written

HIT, MISS = ((100, 60), (100, 20)), ((100, 20), (100, 60))
"""An attack roll with its dodge."""
DRAW = "Draw or swap"


@pytest.mark.slow
async def test_a_duel_with_reloads_to_the_end(ring: Ring) -> None:
    """Until a Mortal Wound; Wounded ends after four hours."""
    await start_fight(
        ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: Gun = M_a_Rifle", char="hp: 25; weapons: Pump = M_s_Shotgun"
    )
    await hit(ring, CHAR, *HIT, *MISS, *MISS, (20, 10), actor=ring.player, fire="auto")
    await ring.end_turn(ring.player)
    await hit(ring, KAI, (100, 60), (100, 20), (70, 29), actor=ring.rival)
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    assert "reload first" in await read_refusal(ring, actor=ring.player)
    await act(ring, "Reload", actor=ring.player, value="Gun")
    await ring.end_turn(ring.player)
    assert "let a turn pass without firing it" in await read_refusal(ring, KAI, ring.rival)
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    told = await hit(ring, CHAR, *HIT, *HIT, *HIT, (20, 11), (20, 12), (20, 13), (100, 12), fire="auto")
    assert_says(told, "3 of 3 hit: 36 damage; down", "15 less 36 = 0")
    assert {"wounded", "mortally-wounded"} == effects(ring, CHAR).keys()
    ring.world.clock.advance(hours=3, minutes=59)
    await ring.end_turn(ring.player)
    assert f"**{CHAR}** is down, so the turn moves on" in ring.read_newest()
    ring.world.clock.advance(minutes=2)
    await ring.end_turn(ring.gm)
    assert "Wounded" not in await read_refusal(ring, KAI, ring.rival)


async def test_an_aimed_shot_ignores_armour_or_doubles_the_die(ring: Ring) -> None:
    """C16.1: only at the aimed target, next turn, with one shot."""
    await start_fight(
        ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_s_Rifle", char="hp: 900; dr: 20", guard="hp: 900"
    )
    await act(ring, DRAW, value="M_s_Rifle")
    await act(ring, "Aim", target=CHAR)
    assert "aimed this turn" in await read_refusal(ring)
    await round_over(ring, 3)
    assert "Hit: 9 damage" in await hit(ring, CHAR, *HIT, (20, 9))
    assert effects(ring, KAI) == {}
    await round_over(ring, 3)
    await act(ring, "Aim", target=GUARD)
    await round_over(ring, 3)
    assert "9, less 20 DR = 0" in await hit(ring, CHAR, *HIT, (20, 9))
    await round_over(ring, 3)
    assert "Hit: 9 damage" in await hit(ring, GUARD, *HIT, (20, 9))
    await round_over(ring, 3)
    await act(ring, "Aim", target=GUARD)
    await round_over(ring, 3)
    assert "semi-automatic, 10 m, aimed" in await roe(ring, "attack", target=GUARD)
    said = await hit(ring, GUARD, *HIT, (20, 9))
    assert_says(said, "18 doubled", "semi-automatic, 10 m, aimed")


async def test_a_card_tells_what_will_come_of_it(ring: Ring) -> None:
    """Hits, traits, going down, saving roll and mean damage are exact."""
    await start_fight(ring, kai="weapons: M_b_Club", char="hp: 12; dr: 3")
    card = await roe(ring, "attack", ring.player, target=CHAR)
    reduced = {f"{RESISTER}.dr": KnownFact(3, Origin("saved", CHAR))}
    inputs = {"tokens": ["M_b_Club"], "range_m": 1, "hp": 12}
    counted = count_odds(plan_attack(Part("a", {ACTOR: KAI, RESISTER: CHAR}, reduced, inputs=inputs), ROE), ROE)
    for chance, words in zip(counted.hits, ("Missed", "1 of 2 hit", "2 of 2 hit"), strict=True):
        assert f"**{percent(chance)}** {words}" in card
    assert all(line in card for line in counted.lines())
    assert 0 < counted.down < 1


@pytest.mark.slow
async def test_a_card_counts_an_aim_and_a_sneak_attack(ring: Ring) -> None:
    """An aim doubles; a sneak attack is weighed by its odds unseen."""
    await start_fight(ring, kai="weapons: M_s_Rifle", char="hp: 900; perception: 30")
    plain = percent_of(await roe(ring, "attack", target=CHAR))
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="set-up")
    seen = percent_of(await roe(ring, "attack", target=CHAR, fire="sneak"))
    assert plain < seen < 2 * plain
    await act(ring, DRAW, value="M_s_Rifle")
    await act(ring, "Aim", target=CHAR)
    await round_over(ring)
    assert abs(percent_of(await roe(ring, "attack", target=CHAR)) - 2 * plain) <= 0.1


async def test_what_an_ally_dodges_hangs_on_the_target(ring: Ring) -> None:
    """Someone in the way has no odds, but says why."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_s_Rifle")
    card = await ring.gm.slash(ring.world.orders, "roe attack", target=f"{CHAR}, {GUARD}")
    shown = response(card)
    await ring.gm.select(shown, ["1"], custom_id=press(shown, "part"))
    assert "Must dodge shots that miss the target." in text(shown)


@pytest.mark.slow
async def test_an_attack_is_taken_back_whole(ring: Ring) -> None:
    """HP, marks, effects and the Action are back."""
    await start_fight(ring, kai="weapons: M_a_Rifle", char="hp: 9; dodge: 2")
    before = ring.read_state()
    await hit(ring, CHAR, (100, 1), (100, 50), *HIT, *HIT, (20, 9), (20, 9), (100, 20), fire="auto")
    assert {"wounded", "mortally-wounded"} == effects(ring, CHAR).keys()
    await take_back(ring.world, "gm undo", entry=newest_entry(ring), reason="too early")
    assert ring.read_state() == before


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "steps"), [(0, 8), *(pytest.param(seed, 24, marks=SLOW) for seed in range(3))])
async def test_any_attacks_add_up_to_the_state(ring: Ring, seed: int, steps: int) -> None:
    """Refusals write nothing, and a rebuild matches."""
    random, names = Random(seed), (KAI, CHAR, GUARD)  # noqa: S311 - a test's own
    arms = dict(
        zip(names, random.sample(("M_a_Rifle", "L_a_ChemThrower", "S_s_Blade", "L_m", "M_s_Shotgun"), 3), strict=True)
    )
    await start_fight(ring, ", ".join(names), **{name.casefold(): f"hp: 150; weapons: {arms[name]}" for name in names})
    ring.world.dice.roll = lambda term: throw_die(random, term)  # type: ignore[method-assign]
    made, turn = 0, 0
    for _ in range(steps):
        actor = names[turn % 3]
        targets = random.sample([name for name in names if name != actor], random.randint(1, 2))
        options: dict[str, Any] = {"fire": random.choice(["auto", "suppress"]) if random.random() < 0.2 else "single"}
        options |= {"weapon": random.choice([arms[actor], arms[actor], "unarmed"]), "range": random.choice([1, 3, 15])}
        before = written(ring.world)
        answer = await roe(ring, "attack", target=", ".join(targets), roll="now", **options)
        made += "Rolled: entry" in answer
        assert "Rolled: entry" in answer or written(ring.world) == before
        if random.random() < 0.7:
            await ring.end_turn(ring.gm)
            turn += 1
    assert made > steps // 12


def percent_of(card: str, words: str = "Mean damage: ") -> float:
    """Return the number after these words on a card."""
    return float(card.partition(words)[2].split()[0].rstrip("%"))


@pytest.mark.slow
async def test_an_attack_tells_what_came_of_it_once(ring: Ring) -> None:
    """Card and odds agree, and show the weather once (C05)."""
    await equip(ring, kai="weapons: M_s_Rifle; option: Venus Born", char="hp: 19; option: Earth Adapted")
    await ring.begin(weather=-4, light="night")
    card = await roe(ring, "attack", target=CHAR)
    assert card.count("Weather: ") == 1
    assert "Weather: \N{MINUS SIGN}8 for Kai, if" in card
    odds = await roe(ring, "odds", ring.player, against=CHAR)
    down = card.partition("Goes down: ")[2].split("%")[0]
    assert f"Goes down, of 19 HP: {down}%" in odds
    told = await hit(ring, CHAR, *HIT, (20, 3))
    assert "\N{RIGHTWARDS ARROW} Rolled" not in told
    assert "-# Rolled by <@" in told
    assert "-# Done by <@" in await act(ring, "Go prone")


@pytest.mark.slow
async def test_what_a_secret_attacker_has_done_shows_to_nobody(ring: Ring) -> None:
    """Lost HP that players don't know of count on none of their cards."""
    await ring.save({SHADOW: "hp: 30; weapons: M_s_Rifle"})
    await start_fight(ring, f"{KAI}, {SHADOW}, {CHAR}", kai="weapons: M_s_Rifle", char="hp: 20")
    before = percent_of(await roe(ring, "attack", ring.player, target=CHAR), "Goes down: ")
    await act(ring, DRAW, value="M_s_Rifle")
    await ring.end_turn(ring.gm)
    ring.world.dice.script_dice(*HIT, (20, 12))
    assert "Rolled: entry" in await roe(ring, "attack", target=CHAR, character=SHADOW, roll="now")
    assert SHADOW not in ring.read_newest()
    assert count_lost(ring, CHAR) == 12
    for _ in range(2):
        await ring.click("turn", ring.gm, response(await ring.use("turn")))
    card = await roe(ring, "attack", ring.player, target=CHAR)
    assert percent_of(card, "Goes down: ") == before
    assert "Goes down: " in await roe(ring, "attack", target=CHAR)
    assert percent_of(await roe(ring, "attack", target=CHAR), "Goes down: ") > before
    told = await hit(ring, CHAR, *HIT, (20, 3), actor=ring.player)
    assert "HP" not in told
