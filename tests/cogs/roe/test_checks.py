"""`/roe check`: skill rolls, in and outside fights."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.house_rules.homebrew import send_and_switch_on
from tests.cogs.roe.attacking import refusal
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Actor, Ring, read_answers
from tests.support.reading import assert_says, components, newest, refused, text


async def test_another_character_rolls_against_it(ring: Ring) -> None:
    """C02.2, A5: both use saved values; the other one wins ties."""
    await ring.save({KAI: "perception: 5"})
    await ring.save({CHAR: "stealth: 9; option: Spliced Genes"})
    assert "Resisted (by 0)" in await roll_check(ring, ring.player, 59, 50, skill="Perception", against=CHAR)
    public = last(ring)
    assert "Kai against Char" in public
    assert "1d100: **59** + 5 = **64**" in public
    assert "1d100: **50** + 14 = **64** against **64**" in public
    assert "Success (by 1)" in await roll_check(ring, ring.player, 60, 50, skill="perception", against=CHAR)


async def test_players_roll_for_their_own_against_those_they_know(ring: Ring) -> None:
    """Unknown and secret names are refused in the same words; a number is a target."""
    assert "isn't yours" in await read_denial(ring, ring.player, skill="Dodge", character=CHAR)
    nobody = await read_denial(ring, ring.player, skill="Dodge", against="Nemo")
    hidden = await read_denial(ring, ring.player, skill="Dodge", against=SHADOW)
    assert nobody.replace("Nemo", "...") == hidden.replace(SHADOW, "...")
    assert "No saved character" in nobody
    assert "both sides roll" in await read_denial(ring, ring.player, skill="Dodge", against=CHAR, target=60)
    assert "Name the character" in await read_denial(ring, ring.gm, skill="Dodge")
    answer = await read_denial(ring, ring.gm, skill="Perception", character=KAI, against="-5")
    assert_says(answer, "is a number, not a name", "as target")
    await ring.gm.slash(ring.world.orders, "roster edit", name=GUARD, owner=ring.player)
    several = await read_denial(ring, ring.player, skill="perception")
    assert "Yours are Guard and Kai" in several or "Yours are Kai and Guard" in several
    offered = await ring.player.autocomplete(ring.world.orders, "roe check", "character", "")
    assert {choice["value"] for choice in offered} == {KAI, GUARD}


async def test_circumstances_are_bounded(ring: Ring) -> None:
    """C02.4: at most 5, game masters only; copies of items don't count (C03.2); any word is a skill (C02.1)."""
    options = {"skill": "Strength", "character": KAI}
    assert "at most +5 or \N{MINUS SIGN}5, not +6" in await read_denial(ring, ring.gm, gm=6, **options)
    assert "Only game masters" in await read_denial(ring, ring.player, gm=5, **options)
    await roll_check(ring, ring.gm, 40, gm=-5, modifiers="+20 Exoskeleton, +9 exoskeleton, +2 Filter", **options)
    assert_says(last(ring), "1d100: **40** + 17 = **57** against **50**", "circumstances")
    await roll_check(ring, ring.player, 50, skill="Cooking", note="for the crew")
    assert_says(last(ring), "Cooking: for the crew", "1d100: **50** + 0 = **50** against **50**")
    asked = {"skill": "Lockpicking", "character": KAI, "against": "The safe"}
    assert "Success (by 10)" in await roll_check(ring, ring.gm, 60, 50, **asked)


CURSES = """
[overlay]
id = "curses"
extends = "roe"
source = { book = "curses", section = "House" }
facts = [{ trait = "cursed", label = "is cursed", roles = ["actor"], secret = true }]
effects = [{ trait = "cursed", label = "Cursed", until = "cleared" }]

[[change]]
table = "roe.check"
modifiers = [{ id = "actor.cursed", value = -7, label = "A curse", group = "house", line = 1 }]
"""


async def test_a_margin_tells_nothing_that_counted_in_secret(ring: Ring) -> None:
    """If something secret counted, the margin isn't shown."""
    await send_and_switch_on(ring.world, CURSES.replace("roe.check", "roe.check.strength"), "Curses")
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="cursed")
    said = await roll_check(ring, ring.player, 70, skill="Strength")
    assert "Strength: Success" in said
    public = last(ring)
    assert "Strength: Success" in public
    assert ", by " not in said + public
    assert "Dice and modifiers: game masters only" in public


@pytest.mark.slow
async def test_in_a_fight_by_dice_it_is_the_action(ring: Ring) -> None:
    """C07.2: it costs the Action, a natural 1 the next one too (C06.4, C02.10); hiding is an act."""
    await roll_check(ring, ring.player, 1, skill="Strength")
    assert "loses" not in last(ring)
    await ring.begin(f"{KAI}, {CHAR}")
    assert "Use /roe act what:Hide" in await read_denial(ring, ring.player, skill="Stealth", against=CHAR)
    by_act = await ring.player.slash(ring.world.orders, "roe act", what="skill")
    assert "Use /roe check." in refused(by_act)
    assert "is an action" not in await roll_check(ring, ring.player, 1, 50, skill="Perception", against=CHAR)
    assert_says(ring.read_newest(), "0 left", "Kai loses the next Action")
    assert "takes 1" in await read_denial(ring, ring.player, skill="Perception", against=CHAR)
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    assert "no Actions left" in await read_denial(ring, ring.player, skill="Strength")


@pytest.mark.slow
async def test_a_critical_failure_against_a_second_one_costs_it_too(ring: Ring) -> None:
    """C06.4: each opponent's die may be a natural 1; the Action is paid once."""
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await roll_check(ring, ring.player, 60, 50, 1, 50, skill="Perception", against=f"{CHAR}, {GUARD}")
    assert ring.read_newest().count("Kai loses the next Action") == 1


async def test_in_a_free_form_fight_it_costs_nothing(ring: Ring) -> None:
    """C01.1: it's an ordinary roll, posted at the fight."""
    await ring.use("start", ring.rival, who=f"{KAI}, {CHAR}")
    buttons = components(ring.newest_with("choose"))
    free = next(item["custom_id"] for item in buttons if "freeform" in item.get("custom_id", ""))
    await ring.player.click(ring.newest_with("choose"), custom_id=free)
    for _ in range(2):
        await roll_check(ring, ring.player, 70, skill="Strength")
    assert "Success (by 20)" in ring.read_newest()


async def test_a_card_tells_odds_and_what_the_page_asks(ring: Ring) -> None:
    """C02.7, C02.8: exact odds and notes; C40.1: only the stunned or defeated are hacked."""
    shown = read_answers(await ring.player.slash(ring.world.orders, "roe check", skill="Medical"))
    assert_says(shown, "51%", "A faction's leader may get a roll")
    shown = read_answers(await ring.player.slash(ring.world.orders, "roe check", skill="Medical", against=CHAR))
    assert "The winner posts the success" in shown
    await ring.save({KAI: "hacking: 12"})
    assert "must be stunned or defeated" in await read_denial(ring, ring.player, skill="Hacking", against=CHAR)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="stunned", until="cleared")
    assert "Success" in await roll_check(ring, ring.player, 40, skill="Hacking", against=CHAR)
    assert_says(last(ring), "Kai hacks Char", "1d100: **40** + 12 = **52** against **50**")


async def roll_check(ring: Ring, who: Actor, *faces: int, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Roll a skill at once with these d100s; return the answer."""
    ring.world.dice.script(*faces, sides=100)
    return read_answers(await who.slash(ring.world.orders, "roe check", **{"roll": "now", **options}))


async def read_denial(ring: Ring, who: Actor, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Return what a skill roll is refused with, without an entry."""
    return await refusal(ring, "check", who, **{"roll": "now", **options})


def last(ring: Ring) -> str:
    """Return the newest result."""
    return text(newest(ring.world.results))
