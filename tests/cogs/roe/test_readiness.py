"""What is ready in a turn: weapons that are drawn, reloaded and loaded, and what begins that anew."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import act, denied, fighting, hit, lost, marks, roe, round_over
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring


async def stunned(ring: Ring, name: str) -> None:
    """Let somebody be stunned in the turn that comes next, by hand."""
    await ring.gm.slash(ring.world.orders, "effect set", who=name, effect="Stunned", turns=1)


async def test_drawing_is_free_in_the_first_turn_without_a_stun(ring: Ring) -> None:
    """Who was stunned in the first turn draws freely in the second, and pays for it from then on (line 315)."""
    await fighting(ring, char="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe")
    await stunned(ring, CHAR)
    await ring.ended(ring.player)
    assert marks(ring, CHAR)["stunned-now"] == 1
    await ring.ended(ring.rival)
    assert {"stunned-till-now": 1, "first-attack": 1}.items() <= marks(ring, CHAR).items()
    assert "stunned-now" not in marks(ring, CHAR)
    await ring.ended(ring.player)
    await act(ring, "Draw or swap hand items", value="Axe")
    assert marks(ring, CHAR)["actions"] == 1
    await hit(ring, KAI, (100, 40), (100, 60), weapon="Axe", range=1)
    await ring.ended(ring.rival)
    assert "stunned-till-now" not in marks(ring, CHAR)
    await ring.ended(ring.player)
    assert "draw it first" in await denied(ring, KAI, weapon="Rifle")
    await act(ring, "Draw or swap hand items", value="Rifle")
    assert "actions" not in marks(ring, CHAR)
    await round_over(ring)
    assert await ring.sound()


async def test_a_stun_later_on_makes_no_other_first_turn(ring: Ring) -> None:
    """Who has had a turn without a stun has had the one in which drawing is free."""
    await fighting(ring, char="weapons: Rifle = M_s_Rifle")
    await round_over(ring)
    await stunned(ring, KAI)
    await round_over(ring)
    assert not {"stunned-till-now", "first-turn"} & {*marks(ring, KAI)}
    assert await ring.sound()


@pytest.mark.parametrize(
    ("kind", "natural", "damage"), [("AP", 75, 8), ("L_AP", 75, 8), ("AP", 74, 3), ("Tracer", 75, 3)]
)
async def test_ammunition_that_pierces_does_so_against_people(ring: Ring, kind: str, natural: int, damage: int) -> None:
    """AP and L_AP give a gun the trait Pierce: from its natural die on no damage reduction helps, of anybody (lines 281, 517)."""
    await fighting(ring, kai="weapons: Rifle = M_s_Rifle, Axe = L_s_Axe", char="dr: 5")
    await act(ring, "Load special ammunition", value=f"Rifle: {kind}")
    await round_over(ring)
    card = await roe(ring, "attack", target=CHAR, weapon="Rifle")
    assert "Rifle: loaded with" in card
    assert ("Pierce" in card) is (kind != "Tracer")
    await hit(ring, CHAR, (100, natural), (100, 20), (20, 8), weapon="Rifle")
    assert lost(ring, CHAR) == damage
    await round_over(ring)
    await act(ring, "Draw or swap hand items", value="Axe")
    assert "Rifle: AP" in [
        item["name"]
        for item in await ring.gm.autocomplete(
            ring.world.orders, "roe act", "value", "", what="Load special ammunition"
        )
    ]
    assert await ring.sound()


BREAKS: dict[str, dict[str, Any]] = {
    "act": {"what": "Grab", "target": CHAR, "roll": "now"},
    "blast": {"item": "Frag", "use": "throw", "damage": "d6"},
}
"""What begins a reload of several Actions anew, beside moving and shooting, each for an Action."""


@pytest.mark.parametrize("command", [*BREAKS])
async def test_an_attack_of_any_kind_begins_a_reload_anew(ring: Ring, command: str) -> None:
    """Who lays hands on somebody, or throws a grenade, while a machine gun is half reloaded has both Actions of it before them again (line 266)."""
    await fighting(ring, kai="weapons: Gun = L_a_MG")
    await act(ring, "Load special ammunition", value="Gun: AP")
    assert "Gun with AP: 1 more to go" in ring.posted()
    await round_over(ring)
    ring.world.dice.script_dice(*([(100, 20), (100, 60)] if command == "act" else []))
    assert ("Rolled" if command == "act" else "Done") in await roe(ring, command, **BREAKS[command])
    assert marks(ring, KAI)["reload.gun"] == 2
    assert await ring.sound()


async def test_going_into_a_zone_begins_a_reload_anew(ring: Ring) -> None:
    """As any movement does; what others do to whoever reloads does not."""
    await fighting(ring, kai="weapons: Gun = L_a_MG")
    await act(ring, "Load special ammunition", value="Gun: AP")
    await ring.ended(ring.player)
    await roe(ring, "blast", item="Smoke", use="zone", damage="in-gas, 4 turns")
    await ring.ended(ring.rival)
    assert marks(ring, KAI)["reload.gun"] == 1
    assert "In Smoke" in await roe(ring, "blast", item="Smoke", use="enter")
    assert marks(ring, KAI)["reload.gun"] == 2
    assert await ring.sound()


async def test_picking_something_up_begins_a_reload_anew(ring: Ring) -> None:
    """Since one has to move to it (line 419)."""
    await fighting(ring, kai="weapons: Gun = L_a_MG, Knife = S_s_Blade")
    await hit(ring, CHAR, (100, 20), (100, 60), weapon="Knife", fire="throw", range=5)
    await round_over(ring)
    await act(ring, "Draw or swap hand items", value="Gun")
    await round_over(ring)
    await act(ring, "Load special ammunition", value="Gun: AP")
    await round_over(ring)
    assert marks(ring, KAI)["reload.gun"] == 1
    await act(ring, "Pick up", value="Knife")
    assert marks(ring, KAI)["reload.gun"] == 2
    assert await ring.sound()
