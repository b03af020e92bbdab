"""Zones in a fight: several at once, and what they do besides taking HP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import effects, fighting, kept_of, lost, marks, roe, round_over
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.reading import assert_says, refused, response, text


async def laid(ring: Ring, item: str, damage: str, **options: Any) -> None:  # noqa: ANN401 - as simcord takes them
    """Lay a zone."""
    assert f"{item}: a zone for" in await roe(ring, "blast", item=item, use="zone", damage=damage, **options)


async def test_two_zones_each_do_what_they_do(ring: Ring) -> None:
    """Whoever stands in both takes the dice of both at the start of a turn, and still those of one after leaving the other."""
    await fighting(ring)
    await laid(ring, "Acid", "d10, in-gas, 9 turns", targets=CHAR)
    assert "Out of Acid" in await roe(ring, "blast", item="Acid", use="leave", targets=CHAR)
    assert effects(ring, CHAR) == {}
    await ring.ended(ring.gm)
    await laid(ring, "Fire", "d6, in-gas, 5 turns")
    for item in ("Fire", "Acid"):
        assert f"In {item}" in await roe(ring, "blast", item=item, use="enter", targets=CHAR)
    await ring.ended(ring.gm)
    ring.world.dice.script_dice((10, 4), (6, 3))
    await ring.ended(ring.gm)
    assert_says(ring.posted(), "7 damage", "In Acid", "In Fire")
    assert lost(ring, CHAR) == 7
    assert "Out of Acid" in await roe(ring, "blast", item="Acid", use="leave")
    assert kept_of(ring, CHAR)["effect.in-gas"]["zone"] == "zone.2"
    await ring.ended(ring.gm)
    ring.world.dice.script_dice((6, 1))
    await ring.ended(ring.gm)
    assert lost(ring, CHAR) == 8
    assert {*effects(ring, CHAR)} == {"zone.2", "in-gas"}


@pytest.mark.slow
async def test_a_zone_stuns_no_turn_that_is_immune(ring: Ring) -> None:
    """Whoever begins a turn in it is stunned until its end, then immune until the end of the next one, and stunned in the third (line 452)."""
    await fighting(ring)
    await laid(ring, "Flash", "stunned, 9 turns", targets=CHAR)
    assert effects(ring, CHAR) == {"zone.1": 9}
    had = []
    for _ in range(3):
        await ring.ended(ring.gm)
        had.append((marks(ring, CHAR).get("actions", 0), "stunned" in effects(ring, CHAR)))
        await ring.ended(ring.gm)
        assert "stunned" not in effects(ring, CHAR)
    assert had == [(0, True), (1, False), (0, True)]


@pytest.mark.slow
async def test_an_option_that_prolongs_debuffs_does_so_in_a_zone(ring: Ring) -> None:
    """A turn more of what a zone does by its own rule, even after leaving it, and nobody has to have HP for it (line 46)."""
    await fighting(ring)
    await ring.save({CHAR: "option: Hyperactivity; hp: -"})
    await laid(ring, "Flash", "stun, 9 turns")
    await ring.ended(ring.gm)
    assert "In Flash: stun" in await roe(ring, "blast", item="Flash", use="enter")
    assert effects(ring, CHAR) | {"zone.1": 0} == {"zone.1": 0, "stunned": 2, "stun-immune": 3}
    assert "Out of Flash" in await roe(ring, "blast", item="Flash", use="leave", targets=CHAR)
    await round_over(ring)
    assert effects(ring, CHAR) == {"stunned": 1, "stun-immune": 2}
    await round_over(ring)
    assert effects(ring, CHAR) == {"stun-immune": 1}


@pytest.mark.slow
async def test_a_zone_that_burns_adds_stacks(ring: Ring) -> None:
    """Each start of a turn inside adds a stack, up to three, which burns from the next start on; the card counts them (line 456); nobody sets a zone by hand."""
    await fighting(ring)
    answer = await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="In a zone")
    assert "/roe blast use:zone" in refused(answer)
    offered = await ring.gm.autocomplete(ring.world.orders, "effect set", "effect", "in a zone")
    assert "In a zone" not in [item["name"] for item in offered]
    await laid(ring, "Napalm", "burn, 9 turns", targets=CHAR)
    await ring.ended(ring.gm)
    assert "chemical burn" in ring.posted()
    assert kept_of(ring, CHAR)["effect.burning"]["amount"] == 1
    await ring.ended(ring.gm)
    ring.world.dice.script_dice((10, 5))
    await ring.ended(ring.gm)
    assert lost(ring, CHAR) == 5
    assert kept_of(ring, CHAR)["effect.burning"]["amount"] == 2
    assert "Chemical burn: 2 (4 turns left)" in text(response(await ring.use("turn", ring.rival)))
