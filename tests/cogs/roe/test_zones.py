"""Zones: several at once, and their other effects."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import count_lost, effects, marks, read_values, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.reading import assert_says, refused, response, text


async def lay_zone(ring: Ring, item: str, damage: str, **options: Any) -> None:  # noqa: ANN401 - as simcord takes them
    """Lay a zone."""
    assert f"{item}: a zone for" in await roe(ring, "blast", item=item, use="zone", damage=damage, **options)


async def test_two_zones_each_do_what_they_do(ring: Ring) -> None:
    """Both roll at a turn's start; after leaving one, the other still does."""
    await start_fight(ring)
    await lay_zone(ring, "Acid", "d10, in-gas, 9 turns", targets=CHAR)
    assert "Out of Acid" in await roe(ring, "blast", item="Acid", use="leave", targets=CHAR)
    assert effects(ring, CHAR) == {}
    await ring.end_turn(ring.gm)
    await lay_zone(ring, "Fire", "d6, in-gas, 5 turns")
    for item in ("Fire", "Acid"):
        assert f"In {item}" in await roe(ring, "blast", item=item, use="enter", targets=CHAR)
    await ring.end_turn(ring.gm)
    ring.world.dice.script_dice((10, 4), (6, 3))
    await ring.end_turn(ring.gm)
    assert_says(ring.read_newest(), "7 damage", "In Acid", "In Fire")
    assert count_lost(ring, CHAR) == 7
    assert "Out of Acid" in await roe(ring, "blast", item="Acid", use="leave")
    assert read_values(ring, CHAR)["effect.in-gas"]["zone"] == "zone.2"
    await ring.end_turn(ring.gm)
    ring.world.dice.script_dice((6, 1))
    await ring.end_turn(ring.gm)
    assert count_lost(ring, CHAR) == 8
    assert {*effects(ring, CHAR)} == {"zone.2", "in-gas"}


@pytest.mark.slow
async def test_a_zone_stuns_no_turn_that_is_immune(ring: Ring) -> None:
    """Stunned, then immune, then stunned again (line 452)."""
    await start_fight(ring)
    await lay_zone(ring, "Flash", "stunned, 9 turns", targets=CHAR)
    assert effects(ring, CHAR) == {"zone.1": 9}
    had = []
    for _ in range(3):
        await ring.end_turn(ring.gm)
        had.append((marks(ring, CHAR).get("actions", 0), "stunned" in effects(ring, CHAR)))
        await ring.end_turn(ring.gm)
        assert "stunned" not in effects(ring, CHAR)
    assert had == [(0, True), (1, False), (0, True)]


@pytest.mark.slow
async def test_an_option_that_prolongs_debuffs_does_so_in_a_zone(ring: Ring) -> None:
    """One turn more, also after leaving and without HP (line 46)."""
    await start_fight(ring)
    await ring.save({CHAR: "option: Hyperactivity; hp: -"})
    await lay_zone(ring, "Flash", "stun, 9 turns")
    await ring.end_turn(ring.gm)
    assert "In Flash: stun" in await roe(ring, "blast", item="Flash", use="enter")
    assert effects(ring, CHAR) | {"zone.1": 0} == {"zone.1": 0, "stunned": 2, "stun-immune": 3}
    assert "Out of Flash" in await roe(ring, "blast", item="Flash", use="leave", targets=CHAR)
    await round_over(ring)
    assert effects(ring, CHAR) == {"stunned": 1, "stun-immune": 2}
    await round_over(ring)
    assert effects(ring, CHAR) == {"stun-immune": 1}


@pytest.mark.slow
async def test_a_zone_that_burns_adds_stacks(ring: Ring) -> None:
    """One per turn inside, up to three (line 456); it can't be set by hand."""
    await start_fight(ring)
    answer = await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="In a zone")
    assert "/roe blast use:zone" in refused(answer)
    offered = await ring.gm.autocomplete(ring.world.orders, "gm effect", "effect", "in a zone")
    assert "In a zone" not in [item["name"] for item in offered]
    await lay_zone(ring, "Napalm", "burn, 9 turns", targets=CHAR)
    await ring.end_turn(ring.gm)
    assert "chemical burn" in ring.read_newest()
    assert read_values(ring, CHAR)["effect.burning"]["amount"] == 1
    await ring.end_turn(ring.gm)
    ring.world.dice.script_dice((10, 5))
    await ring.end_turn(ring.gm)
    assert count_lost(ring, CHAR) == 5
    assert read_values(ring, CHAR)["effect.burning"]["amount"] == 2
    assert "Chemical burn: 2 (4 turns left)" in text(response(await ring.use("turn", ring.rival)))
