"""What is ready in a turn: drawn, reloaded and loaded weapons."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import act, count_lost, hit, marks, read_refusal, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring


async def stun(ring: Ring, name: str) -> None:
    """Stun someone by hand, in the next turn."""
    await ring.gm.slash(ring.world.orders, "gm effect", who=name, effect="Stunned", turns=1)


@pytest.mark.slow
async def test_drawing_is_free_in_the_first_turn_without_a_stun(ring: Ring) -> None:
    """A stun moves the free turn (line 315), but only once."""
    await start_fight(ring, char="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe")
    await stun(ring, CHAR)
    await ring.end_turn(ring.player)
    assert marks(ring, CHAR)["stunned-now"] == 1
    await ring.end_turn(ring.rival)
    assert {"stunned-till-now": 1, "first-attack": 1}.items() <= marks(ring, CHAR).items()
    assert "stunned-now" not in marks(ring, CHAR)
    await ring.end_turn(ring.player)
    await act(ring, "Draw or swap", value="Axe")
    assert marks(ring, CHAR)["actions"] == 1
    await hit(ring, KAI, (100, 40), (100, 60), weapon="Axe", range=1)
    await ring.end_turn(ring.rival)
    assert "stunned-till-now" not in marks(ring, CHAR)
    await stun(ring, KAI)
    await ring.end_turn(ring.player)
    assert "Draw it first" in await read_refusal(ring, KAI, weapon="Rifle")
    await act(ring, "Draw or swap", value="Rifle")
    assert "actions" not in marks(ring, CHAR)
    await round_over(ring)
    assert not {"stunned-till-now", "first-turn"} & {*marks(ring, KAI)}


@pytest.mark.slow
async def test_ammunition_that_pierces_does_so_against_people(ring: Ring) -> None:
    """AP and L_AP ignore DR from their die on, Tracer doesn't (lines 281, 517)."""
    await start_fight(ring, kai="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe", char="hp: 900; dr: 5")
    load = {"what": "Load special ammunition"}
    for kind, natural, damage in (("AP", 75, 8), ("L_AP", 75, 8), ("AP", 74, 3), ("Tracer", 75, 3)):
        await act(ring, **load, value=f"Rifle: {kind}")
        await round_over(ring)
        card = await roe(ring, "attack", target=CHAR, weapon="Rifle")
        assert "Rifle: loaded with" in card
        assert ("Pierce" in card) is (kind != "Tracer")
        before = count_lost(ring, CHAR)
        await hit(ring, CHAR, (100, natural), (100, 20), (20, 8), weapon="Rifle")
        assert count_lost(ring, CHAR) - before == damage
        await round_over(ring)
    await act(ring, "Draw or swap", value="Axe")
    offered = await ring.gm.autocomplete(ring.world.orders, "roe act", "value", "", **load)
    assert "Rifle: AP" in [item["name"] for item in offered]


@pytest.mark.slow
async def test_an_attack_and_a_movement_of_any_kind_begin_a_reload_anew(ring: Ring) -> None:
    """Own acts restart a half-finished reload (lines 266, 419); others' acts don't."""
    await start_fight(ring, kai="weapons: Gun = L_a_MG, Knife = S_s_Blade")
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
        assert "Gun with AP: 1 more to go" in ring.read_newest()
        await ring.end_turn(ring.player)
        if options.get("item") == "Smoke":
            await roe(ring, "blast", item="Smoke", use="zone", damage="debuffed, 4 turns")
        await ring.end_turn(ring.rival)
        assert marks(ring, KAI)["reload.gun"] == 1
        ring.world.dice.script_dice(*([(100, 20), (100, 60)] if "target" in options else []))
        answer = await roe(ring, command, **options)
        assert any(word in answer for word in ("Rolled", "Done", "In Smoke")), answer
        assert marks(ring, KAI)["reload.gun"] == 2
        if options.get("item") == "Frag":
            await ring.end_turn(ring.player)
            await ring.end_turn(ring.rival)
            await roe(ring, "blast", item="Frag", use="explode", roll="now")
        await round_over(ring)
