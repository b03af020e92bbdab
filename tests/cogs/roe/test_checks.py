"""`/roe check`: skill rolls of characters, alone and against others, in and out of a fight."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.house_rules.homebrew import switched_on
from tests.cogs.roe.attacking import refusal
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Actor, Ring, told
from tests.support.reading import assert_says, components, newest, refused, text


async def test_another_character_rolls_against_it(ring: Ring) -> None:
    """C02.2, A5: both roll with what is saved of them for the skill and its counterpart; a tie is the other one's, and both players' side is told."""
    await ring.save({KAI: "perception: 5"})
    await ring.save({CHAR: "stealth: 9; option: Spliced Genes"})
    assert "Resisted (by 0)" in await checked(ring, ring.player, 59, 50, skill="Perception", against=CHAR)
    public = last(ring)
    assert "Kai against Char" in public
    assert "1d100: **59** + 5 = **64**" in public
    assert "1d100: **50** + 14 = **64** against **64**" in public
    assert "Success (by 1)" in await checked(ring, ring.player, 60, 50, skill="perception", against=CHAR)


async def test_players_roll_for_their_own_against_those_they_know(ring: Ring) -> None:
    """Players can't roll for other characters; unknown and secret names are refused in the same words, and a number belongs into target."""
    assert "isn't yours" in await denied(ring, ring.player, skill="Dodge", character=CHAR)
    nobody = await denied(ring, ring.player, skill="Dodge", against="Nemo")
    hidden = await denied(ring, ring.player, skill="Dodge", against=SHADOW)
    assert nobody.replace("Nemo", "...") == hidden.replace(SHADOW, "...")
    assert "No saved character" in nobody
    assert "both sides roll" in await denied(ring, ring.player, skill="Dodge", against=CHAR, target=60)
    assert "Name the character" in await denied(ring, ring.gm, skill="Dodge")
    answer = await denied(ring, ring.gm, skill="Perception", character=KAI, against="-5")
    assert_says(answer, "is a number, not a name", "as target")
    await ring.gm.slash(ring.world.orders, "character edit", name=GUARD, owner=ring.player)
    several = await denied(ring, ring.player, skill="perception")
    assert "Yours are Guard and Kai" in several or "Yours are Kai and Guard" in several
    offered = await ring.player.autocomplete(ring.world.orders, "roe check", "character", "")
    assert {choice["value"] for choice in offered} == {KAI, GUARD}


async def test_circumstances_are_bounded(ring: Ring) -> None:
    """C02.4: a game master gives at most 5 and players nothing; items may add more, but copies don't (C03.2); any word (C02.1) and any opponent can be rolled."""
    options = {"skill": "Strength", "character": KAI}
    assert "at most +5 or \N{MINUS SIGN}5, not +6" in await denied(ring, ring.gm, gm=6, **options)
    assert "Only game masters" in await denied(ring, ring.player, gm=5, **options)
    await checked(ring, ring.gm, 40, gm=-5, modifiers="+20 Exoskeleton, +9 exoskeleton, +2 Filter", **options)
    assert_says(last(ring), "1d100: **40** + 17 = **57** against **50**", "circumstances")
    await checked(ring, ring.player, 50, skill="Cooking", note="for the crew")
    assert_says(last(ring), "Cooking: for the crew", "1d100: **50** + 0 = **50** against **50**")
    asked = {"skill": "Lockpicking", "character": KAI, "against": "The safe"}
    assert "Success (by 10)" in await checked(ring, ring.gm, 60, 50, **asked)


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
    """Where something counted that players may not know, the outcome is told without its margin."""
    await switched_on(ring.world, CURSES.replace("roe.check", "roe.check.strength"), "Curses")
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="cursed")
    said = await checked(ring, ring.player, 70, skill="Strength")
    assert "Strength: Success" in said
    public = last(ring)
    assert "Strength: Success" in public
    assert ", by " not in said + public
    assert "Dice and modifiers: game masters only" in public


@pytest.mark.slow
async def test_in_a_fight_by_dice_it_is_the_action(ring: Ring) -> None:
    """C07.2: it costs the Action of the turn, and by a natural 1 that of the next (C06.4, C02.10), which out of fights loses nothing; hiding is an act there."""
    await checked(ring, ring.player, 1, skill="Strength")
    assert "loses" not in last(ring)
    await ring.begun(f"{KAI}, {CHAR}")
    assert "Use /roe act what:Hide" in await denied(ring, ring.player, skill="Stealth", against=CHAR)
    by_act = await ring.player.slash(ring.world.orders, "roe act", what="skill")
    assert "Use /roe check." in refused(by_act)
    assert "is an action" not in await checked(ring, ring.player, 1, 50, skill="Perception", against=CHAR)
    assert_says(ring.posted(), "0 left", "Kai loses the next Action")
    assert "takes 1" in await denied(ring, ring.player, skill="Perception", against=CHAR)
    await ring.ended(ring.player)
    await ring.ended(ring.rival)
    assert "no Actions left" in await denied(ring, ring.player, skill="Strength")


@pytest.mark.slow
async def test_a_critical_failure_against_a_second_one_costs_it_too(ring: Ring) -> None:
    """C06.4: against several each roll has a die of its own, and each of them may be a natural 1, though the Action is paid once."""
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await checked(ring, ring.player, 60, 50, 1, 50, skill="Perception", against=f"{CHAR}, {GUARD}")
    assert ring.posted().count("Kai loses the next Action") == 1


async def test_in_a_free_form_fight_it_costs_nothing(ring: Ring) -> None:
    """C01.1: where no turn has Actions, a skill is rolled as anywhere, and the result stands where the fight is."""
    await ring.use("start", ring.rival, who=f"{KAI}, {CHAR}")
    buttons = components(ring.newest_with("choose"))
    free = next(item["custom_id"] for item in buttons if "freeform" in item.get("custom_id", ""))
    await ring.player.click(ring.newest_with("choose"), custom_id=free)
    for _ in range(2):
        await checked(ring, ring.player, 70, skill="Strength")
    assert "Success (by 20)" in ring.posted()


async def test_a_card_tells_odds_and_what_the_page_asks(ring: Ring) -> None:
    """C02.7, C02.8: the card has exact odds and the page's notes; C40.1: only stunned or defeated characters are hacked, against 50."""
    shown = told(await ring.player.slash(ring.world.orders, "roe check", skill="Medical"))
    assert_says(shown, "51%", "A faction's leader may get a roll")
    shown = told(await ring.player.slash(ring.world.orders, "roe check", skill="Medical", against=CHAR))
    assert "The winner posts the success" in shown
    await ring.save({KAI: "hacking: 12"})
    assert "must be stunned or defeated" in await denied(ring, ring.player, skill="Hacking", against=CHAR)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="stunned", until="cleared")
    assert "Success" in await checked(ring, ring.player, 40, skill="Hacking", against=CHAR)
    assert_says(last(ring), "Kai hacks Char", "1d100: **40** + 12 = **52** against **50**")


async def checked(ring: Ring, who: Actor, *faces: int, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What a skill roll is answered with, made at once with d100s that fall so."""
    ring.world.dice.script(*faces, sides=100)
    return told(await who.slash(ring.world.orders, "roe check", **{"roll": "now", **options}))


async def denied(ring: Ring, who: Actor, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What a skill roll is refused with, when it has written nothing."""
    return await refusal(ring, "check", who, **{"roll": "now", **options})


def last(ring: Ring) -> str:
    """What the newest post among the results says."""
    return text(newest(ring.world.results))
