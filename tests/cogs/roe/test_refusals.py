"""Refusals of `/roe`: each says who, with what, and what is possible instead."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import CLUB, denied, fighting, hit, roe, round_over
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.support.reading import refused
from tests.support.world import written

pytestmark = pytest.mark.asyncio


async def test_a_fire_is_refused_with_those_of_the_weapon(ring: Ring) -> None:
    """What a weapon cannot do, or nobody knows, names the weapon and its own modes; those of others are not offered."""
    await fighting(ring, kai=f"weapons: Gun = M_a_Rifle, Stick = {CLUB}")
    told = await denied(ring, fire="sutto")
    assert "Gun cannot be used so: 'sutto'." in told
    assert "Did you mean auto? There are: single, auto, suppress" in told
    told = await denied(ring, weapon="Stick", fire="auto")
    assert "Stick cannot be used so: 'auto'." in told
    assert "suppress" not in told
    assert "Did you mean sneak?" in await denied(ring, weapon="Stick", fire="snek")


async def test_who_owes_what_is_said(ring: Ring) -> None:
    """A game master who names no character acts as whoever has the turn: refusal, card and answer say who that is, and the weapon's own name."""
    await fighting(ring, kai="weapons: Gun = M_a_Rifle")
    assert "**Kai** attacks" in await roe(ring, "attack", target=CHAR)
    await hit(ring, CHAR, (100, 20), (100, 60), (100, 20), (100, 60), (100, 20), (100, 60), fire="auto")
    await round_over(ring)
    for how in ("now", "card"):
        assert "Kai: Gun is not ready: reload first." in await denied(ring, roll=how)
    assert "Kai: Gun reaches" not in await denied(ring, range=200)


async def test_what_a_weapon_does_not_reach_is_said_by_its_name(ring: Ring) -> None:
    """By its own name rather than by its token, on a card and at once."""
    await fighting(ring, kai=f"weapons: Stick = {CLUB}")
    for how in ("now", "card"):
        assert "Stick reaches" in await denied(ring, range=9, roll=how)


async def test_whoever_is_stunned_is_named(ring: Ring) -> None:
    """What bars all acts says on whom it lies."""
    await fighting(ring, kai=f"weapons: {CLUB}")
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Stunned")
    assert "Kai: Who is stunned has no Action" in await denied(ring)
    before = written(ring.world)
    assert "Kai holds nobody" in refused(await ring.gm.slash(ring.world.orders, "roe act", what="Release the held one"))
    assert written(ring.world) == before


async def test_which_characters_could_be_meant_is_said(ring: Ring) -> None:
    """Who plays several is told their names where none has the turn."""
    await ring.gm.slash(ring.world.orders, "character edit", name=GUARD, owner=ring.player)
    told = refused(await ring.player.slash(ring.world.orders, "roe check", skill="perception", roll="now"))
    assert "Yours are Guard and Kai" in told or "Yours are Kai and Guard" in told


async def test_what_a_weapon_never_does_is_said_by_its_name(ring: Ring) -> None:
    """Neither a reload nor a bolt is refused by the token where the weapon has a name."""
    await fighting(ring, kai=f"weapons: Stick = {CLUB}, Gun = M_a_Rifle")
    for what, arm, why in (
        ("Reload", "Stick", "Stick is never reloaded."),
        ("Work the bolt", "Gun", "Gun has no bolt."),
    ):
        assert why in refused(await ring.gm.slash(ring.world.orders, "roe act", what=what, value=arm))


async def test_a_turn_that_is_spent_is_said_plainly(ring: Ring) -> None:
    """Who has nothing left for an act reads so."""
    await fighting(ring, kai="weapons: Gun = M_a_Rifle")
    await hit(ring, CHAR, (100, 2), (100, 90))
    assert "Kai has no Actions left, and this takes 1." in await denied(ring)


async def test_a_call_without_a_target_says_how_to_name_one(ring: Ring) -> None:
    """One person, or one group channel as value."""
    await fighting(ring)
    told = refused(await ring.player.slash(ring.world.orders, "roe act", what="call"))
    assert "name the target, or the channel as value" in told
