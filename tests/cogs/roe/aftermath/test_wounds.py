"""`/roe wounds`: a character's state, treatment, and the hospital."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.aftermath.aftermath import RIFLE, strike_down, value
from tests.cogs.roe.attacking import newest_entry, roe, start_fight
from tests.cogs.roe.attacking import refusal as denied
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.support.acting import take_back
from tests.support.reading import assert_says


async def test_everybody_sees_how_somebody_is(ring: Ring) -> None:
    """HP and wounds are public, except a secret character's; only game masters treat."""
    await strike_down(ring)
    shown = await roe(ring, "wounds", ring.player, character=CHAR)
    assert_says(shown, "**HP** 0 of 20", "**Wounded** until <t:")
    assert "**HP** 30 of 30" in await roe(ring, "wounds", ring.player)
    assert "No wounds or effects" in await roe(ring, "wounds", character=GUARD)
    secret, nobody = [await denied(ring, "wounds", ring.player, character=name) for name in ("Shadow", "Shadiw")]
    assert secret.replace("Shadow", "Shadiw") == nobody
    treated = await denied(ring, "wounds", ring.rival, how="treat", amount=5)
    assert "the Treatment roll is for game masters" in treated
    assert "isn't yours" in await denied(ring, "wounds", ring.player, how="treat", character=CHAR, amount=5)
    asked: dict[str, Any] = {"how": "treat", "character": CHAR}
    assert "HP, or hours" in await denied(ring, "wounds", **asked)
    assert "HP, or hours" in await denied(ring, "wounds", amount=5, hours=1.0, **asked)
    ring.world.clock.advance(hours=4)
    assert "Wounded" not in await roe(ring, "wounds", ring.player, character=CHAR)


async def test_a_game_master_gives_hp_back(ring: Ring) -> None:
    """Options change the amount, never above full HP; four hours less end a wound, until it's undone."""
    await strike_down(ring)
    assert "8 HP back: 8 of 20" in await roe(ring, "wounds", how="treat", character=CHAR, amount=8)
    await ring.save({GUARD: "option: Compassionate"})
    assert "7 HP back: 15 of 20" in await roe(ring, "wounds", how="treat", character=CHAR, amount=2, by=GUARD)
    await ring.save({CHAR: "option: Zombie Like Durability; hp: 20"})
    assert "2 HP back: 17 of 20" in await roe(ring, "wounds", how="treat", character=CHAR, amount=7)
    assert "3 HP back: 20 of 20" in await roe(ring, "wounds", how="treat", character=CHAR, amount=99)
    assert "has all 20 HP" in await denied(ring, "wounds", how="treat", character=CHAR, amount=1)
    before = value(ring, CHAR, "effect.wounded")
    assert "4 hours less" in await roe(ring, "wounds", how="treat", character=CHAR, hours=4.0)
    assert value(ring, CHAR, "effect.wounded") is None
    await take_back(ring.world, "gm undo", entry=newest_entry(ring), reason="slip")
    assert value(ring, CHAR, "effect.wounded") == before


async def test_the_treatment_of_a_secret_wound_is_for_the_staff(ring: Ring) -> None:
    """The staff gets one post; other players read nothing."""
    await start_fight(ring, char="hp: 20")
    await ring.save({SHADOW: f"weapons: {RIFLE}"})
    await roe(ring, "attack", None, (100, 60), (100, 20), (20, 5), target=CHAR, character=SHADOW, roll="now")
    public, staff = ring.world.orders.history(), ring.world.staff.history()
    assert "19 of 20" in await roe(ring, "wounds", how="treat", character=CHAR, amount=4)
    assert ring.world.orders.history() == public
    assert len(ring.world.staff.history()) == len(staff) + 1
    assert "19 of 20" in await roe(ring, "wounds", ring.rival, character=CHAR)
    assert "20 of 20" in await roe(ring, "wounds", ring.player, character=CHAR)


@pytest.mark.slow
async def test_treatment_shortens_the_wounded_period(ring: Ring) -> None:
    """At most to its end; an Amorphous Form gets half of it."""
    await strike_down(ring, "hp: 20; option: Amorphous Form")
    assert "0.5 hours less" in await roe(ring, "wounds", how="treat", character=CHAR, hours=1.0)
    ring.world.clock.advance(minutes=89)
    assert "Wounded" in await roe(ring, "wounds", character=CHAR)
    ring.world.clock.advance(minutes=1)
    assert "Wounded" not in await roe(ring, "wounds", character=CHAR)
    assert "isn't Wounded" in await denied(ring, "wounds", how="treat", character=CHAR, hours=1.0)


@pytest.mark.slow
async def test_the_wounded_who_are_struck_are_wounded_for_longer(ring: Ring) -> None:
    """Four hours are added to those left (A23)."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai=f"weapons: {RIFLE}", char="hp: 20")
    await roe(ring, "attack", ring.player, (100, 80), (100, 20), (20, 20), target=CHAR, roll="now")
    first = value(ring, CHAR, "effect.wounded")
    ring.world.clock.advance(hours=1)
    await ring.end_turn(ring.gm)
    await ring.end_turn(ring.gm)
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 1), (100, 90))
    await roe(ring, "attack", target=CHAR, character=KAI, roll="now")
    again = value(ring, CHAR, "effect.wounded")
    assert first["at"] < again["at"]
    assert again["at"].startswith("2026-03-01T20:00")
    assert again["since"] == first["entry"]


async def test_the_hospital_takes_half_or_a_debt(ring: Ring) -> None:
    """Half of the credits, rounded up; without any, a debt is noted and paid later."""
    assert "no hospital debt" in await denied(ring, "wounds", ring.rival, how="hospital", amount=5)
    await ring.save({KAI: f"hp: 30; weapons: {RIFLE}"})
    await ring.save({CHAR: "hp: 5"})
    await ring.begin()
    await roe(ring, "attack", ring.player, (100, 80), (100, 20), (20, 20), (100, 25), target=CHAR, roll="now")
    assert "Mortal Wound" in await roe(ring, "wounds", ring.player, character=CHAR)
    assert "how many credits" in await denied(ring, "wounds", ring.rival, how="hospital")
    assert "in debt to the hospital" in await roe(ring, "wounds", ring.rival, how="hospital", amount=0)
    assert "In debt to the hospital" in await roe(ring, "wounds", ring.rival)
    assert "4 of 7 credits" in await roe(ring, "wounds", ring.rival, how="hospital", amount=7)
    assert "ospital" not in await roe(ring, "wounds", ring.rival)
