"""`/roe odds`: exact, private, without a roll."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from rules.phrases import percent
from tests.answers.roe import answer
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Actor, Ring, read_answers
from tests.rules.roe.asking import ROE
from tests.support.reading import assert_says, refused
from tests.support.world import nothing_written


async def test_an_attack_is_foreseen(ring: Ring) -> None:
    """Hits, going down, saving roll and mean damage, from saved values and the HP left."""
    await ring.save({KAI: "weapons: Rifle = M_a_Rifle + Scope accuracy 5; accuracy: 5"})
    await ring.save({CHAR: "hp: 20; dodge: 10"})
    said = await odds(ring, ring.player, against=CHAR, fire="auto")
    assert "Kai attacks Char: Rifle, 10 m" in said
    asked = {"op": "odds", "of": "attack", "tokens": ["M_a_Rifle"], "mode": "auto", "range_m": 10}
    told = answer(json.dumps({**asked, "accuracy": [10], "dodge": [10]}).encode(), ROE)
    for chance, words in zip(told["hits"], ("Missed", "1 of 3 hit", "2 of 3 hit", "3 of 3 hit"), strict=True):
        assert f"**{percent(Fraction(chance))}** {words}" in said
    assert_says(said, "Goes down, of 20 HP", "saving roll due", "Mean damage: 15", "+5 Scope", "+10 Dodge from")
    await ring.begin()
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 12))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, roll="now")
    assert "Goes down, of 8 HP" in await odds(ring, ring.player, against=CHAR)


async def test_what_is_typed_takes_the_place_of_the_saved(ring: Ring) -> None:
    """Typed tokens, HP, DR and dodge count; aimed and sneak attacks do more (C16)."""
    said = await odds(ring, ring.gm, weapon="S_b_Fist", second="S_s_Blade", theirs=12, dr=5, hp=12)
    assert "An attacker attacks the target" in said
    for words in ("6 of 6 hit", "Blunt: ", "Slash: ", "Goes down, of 12 HP", "15 Two weapons at once", "+12 as typed"):
        assert words in said
    said = await odds(ring, ring.gm, weapon="S_b_Fist")
    assert "Goes down" not in said
    assert "Add hp" in said
    armoured = {"weapon": "M_s_Rifle", "dr": 10, "hp": 40}
    plain, *better = [
        float(said.partition("Mean damage: ")[2].split()[0])
        for more in ({}, {"aimed": True}, {"fire": "sneak"})
        for said in [await odds(ring, ring.player, **armoured, **more)]
    ]
    assert plain < min(better)


async def test_a_skill_is_foreseen(ring: Ring) -> None:
    """Against a number, one opponent, or several with one die."""
    await ring.save({KAI: "hacking: 7"})
    await ring.save({CHAR: "stealth: 9; perception: 5"})
    assert "**48%** Success" in await odds(ring, ring.player, skill="Hacking", target=60)
    assert "+9 Stealth from equipment" in await odds(ring, ring.player, skill="Perception", against=CHAR)
    said = await odds(ring, ring.player, skill="Stealth", against=f"{CHAR}, {GUARD}")
    assert_says(said, "**44.75%** Hidden", "Hidden against all: **30.41%**")


async def test_odds_tell_players_nothing_of_the_secret(ring: Ring) -> None:
    """A secret name is answered like an unknown one."""
    await ring.save({KAI: "weapons: M_s_Rifle"})
    await ring.save({SHADOW: "hp: 20; dodge: 10; stealth: 20"})
    for options in ({"weapon": "M_s_Rifle"}, {"skill": "Perception"}):
        hidden = await odds(ring, ring.player, against=SHADOW, **options)
        nobody = await odds(ring, ring.player, against="Nemo", **options)
        assert hidden.replace(SHADOW, "...") == nobody.replace("Nemo", "...")
    assert "Goes down, of 20 HP" in await odds(ring, ring.gm, character=KAI, against=SHADOW)


async def test_odds_are_refused_with_what_is_wrong(ring: Ring) -> None:
    """A range out of reach, or a name that several weapons share."""
    for options, words in (
        ({"character": CHAR}, "isn't yours"),
        ({"weapon": "M_s_Rilfe"}, "Did you mean"),
        ({"weapon": "rifle"}, "'rifle' matches 3 weapons"),
        ({"weapon": "M_p_Sword", "range": 10}, "reaches 3 m"),
        ({"weapon": "M_p_Sword", "fire": "auto"}, "can't be used like that"),
        ({"skill": "Dodge", "against": CHAR, "target": 60}, "both sides roll"),
    ):
        assert words in refused(await ring.player.slash(ring.world.orders, "roe odds", **options))
    assert "M_s_Rifle, 10 m" in (await odds(ring, ring.player, weapon="m_s_rifl")).replace("\\", "")
    offered = await ring.player.autocomplete(ring.world.orders, "roe odds", "weapon", "rifle")
    assert {"M_a_Rifle", "M_s_Rifle", "L_s_Rifle"} <= {choice["value"] for choice in offered}
    scope = "Scope accuracy 5"
    await ring.save({KAI: f"weapons: Long Tom = L_s_Rifle + {scope}, Short rifle = M_s_Rifle, M_a_Rifle + {scope}"})
    assert "Long Tom" in await odds(ring, ring.player, weapon="tom")
    several = refused(await ring.player.slash(ring.world.orders, "roe odds", weapon="rifle"))
    assert "Pick one: L_s_Rifle, M_a_Rifle, M_s_Rifle, Short rifle?" in several.replace("\\", "")


async def odds(ring: Ring, who: Actor, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Return odds, without an entry."""
    with nothing_written(ring.world):
        result = await who.slash(ring.world.orders, "roe odds", **options)
    assert result.response is not None
    assert result.response.ephemeral
    return read_answers(result)
