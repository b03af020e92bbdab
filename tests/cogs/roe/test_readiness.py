"""What is ready in a turn: weapons that are drawn, reloaded and loaded, and what begins that anew."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import act, denied, fighting, hit, lost, marks, roe, round_over
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring


async def stunned(ring: Ring, name: str) -> None:
    """Let somebody be stunned in the turn that comes next, by hand."""
    await ring.gm.slash(ring.world.orders, "effect set", who=name, effect="Stunned", turns=1)


@pytest.mark.slow
async def test_drawing_is_free_in_the_first_turn_without_a_stun(ring: Ring) -> None:
    """Who was stunned in the first turn draws freely in the second, and pays for it from then on (line 315); a stun later on makes no other first turn."""
    await fighting(ring, char="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe")
    await stunned(ring, CHAR)
    await ring.ended(ring.player)
    assert marks(ring, CHAR)["stunned-now"] == 1
    await ring.ended(ring.rival)
    assert {"stunned-till-now": 1, "first-attack": 1}.items() <= marks(ring, CHAR).items()
    assert "stunned-now" not in marks(ring, CHAR)
    await ring.ended(ring.player)
    await act(ring, "Draw or swap", value="Axe")
    assert marks(ring, CHAR)["actions"] == 1
    await hit(ring, KAI, (100, 40), (100, 60), weapon="Axe", range=1)
    await ring.ended(ring.rival)
    assert "stunned-till-now" not in marks(ring, CHAR)
    await stunned(ring, KAI)
    await ring.ended(ring.player)
    assert "Draw it first" in await denied(ring, KAI, weapon="Rifle")
    await act(ring, "Draw or swap", value="Rifle")
    assert "actions" not in marks(ring, CHAR)
    await round_over(ring)
    assert not {"stunned-till-now", "first-turn"} & {*marks(ring, KAI)}


@pytest.mark.slow
async def test_ammunition_that_pierces_does_so_against_people(ring: Ring) -> None:
    """AP and L_AP give a gun the trait Pierce, Tracer does not: from its natural die on no damage reduction helps, of anybody (lines 281, 517)."""
    await fighting(ring, kai="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe", char="hp: 900; dr: 5")
    load = {"what": "Load special ammunition"}
    for kind, natural, damage in (("AP", 75, 8), ("L_AP", 75, 8), ("AP", 74, 3), ("Tracer", 75, 3)):
        await act(ring, **load, value=f"Rifle: {kind}")
        await round_over(ring)
        card = await roe(ring, "attack", target=CHAR, weapon="Rifle")
        assert "Rifle: loaded with" in card
        assert ("Pierce" in card) is (kind != "Tracer")
        before = lost(ring, CHAR)
        await hit(ring, CHAR, (100, natural), (100, 20), (20, 8), weapon="Rifle")
        assert lost(ring, CHAR) - before == damage
        await round_over(ring)
    await act(ring, "Draw or swap", value="Axe")
    offered = await ring.gm.autocomplete(ring.world.orders, "roe act", "value", "", **load)
    assert "Rifle: AP" in [item["name"] for item in offered]


@pytest.mark.slow
async def test_an_attack_and_a_movement_of_any_kind_begin_a_reload_anew(ring: Ring) -> None:
    """A grab, a grenade, a zone or a pick-up restarts a half-finished reload of a machine gun (lines 266, 419); other people's acts don't."""
    await fighting(ring, kai="weapons: Gun = L_a_MG, Knife = S_s_Blade")
    await hit(ring, CHAR, (100, 20), (100, 60), weapon="Knife", fire="throw", range=5)
    await round_over(ring)
    await act(ring, "Draw or swap", value="Gun")
    await round_over(ring)
    for command, options in (
        ("act", {"what": "Grab", "target": CHAR, "roll": "now"}),
        ("blast", {"item": "Frag", "use": "throw", "damage": "d6", "range": 3}),
        ("blast", {"item": "Smoke", "use": "enter"}),
        ("act", {"what": "Pick up", "value": "Knife"}),
    ):
        await act(ring, "Load special ammunition", value="Gun: AP")
        assert "Gun with AP: 1 more to go" in ring.posted()
        await ring.ended(ring.player)
        if options.get("item") == "Smoke":
            await roe(ring, "blast", item="Smoke", use="zone", damage="debuffed, 4 turns")
        await ring.ended(ring.rival)
        assert marks(ring, KAI)["reload.gun"] == 1
        ring.world.dice.script_dice(*([(100, 20), (100, 60)] if "target" in options else []))
        answer = await roe(ring, command, **options)
        assert any(word in answer for word in ("Rolled", "Done", "In Smoke")), answer
        assert marks(ring, KAI)["reload.gun"] == 2
        if options.get("item") == "Frag":
            await ring.ended(ring.player)
            await ring.ended(ring.rival)
            await roe(ring, "blast", item="Frag", use="explode", roll="now")
        await round_over(ring)
