"""Joining a running fight: when, where in the order, at what cost."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring
from tests.support.reading import newest, text
from tests.support.world import entry


async def test_a_newcomer_has_a_turn_in_the_next_round(ring: Ring) -> None:
    """Last in order; the first turn is an arrival without an Action."""
    await ring.begin(f"{CHAR}, {GUARD}")
    await ring.use("join", ring.player, character=KAI, distance=18)
    assert (
        f"**{KAI}** joins in the next round.\nTurn order: **{CHAR}**, **{GUARD}** and **{KAI}**." in ring.read_newest()
    )
    assert f"3\\. **{KAI}** · joins next round · 18 m" in await ring.show()
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    assert "round 2, Kai's turn" in ring.read_newest()
    assert f"{TRIANGLE} **{KAI}** · arriving: no Actions or movement this turn" in await ring.show()
    await ring.end_turn(ring.player)
    assert f"3\\. **{KAI}** · 18 m" in await ring.show()


@pytest.mark.slow
async def test_a_game_master_lets_who_was_called_come_in_at_once(ring: Ring) -> None:
    """Right after the current turn; for players there too, but next round."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas")
    await ring.begin(f"{CHAR}, {GUARD}")
    await ring.use("join", ring.player, character=KAI, how="call")
    assert f"**{KAI}** was called and joins in the next round." in ring.read_newest()
    await ring.use("join", character="Haas", how="gunfire")
    assert f"Turn order: **{CHAR}**, **Haas**, **{KAI}** and **{GUARD}**." in ring.read_newest()
    await ring.end_turn(ring.rival)
    assert "round 1, Haas's turn" in ring.read_newest()
    await ring.end_turn(ring.gm)
    assert f"round 1, {GUARD}'s turn" in ring.read_newest()


async def test_who_comes_in_is_free_and_ones_own(ring: Ring) -> None:
    """Players bring their own, not twice, not from another scene; completions offer only those."""
    await ring.begin(f"{CHAR}, {GUARD}")
    assert "Char is already in Fight in #orders." in await ring.fail("join", ring.rival, character=CHAR)
    assert f"{KAI} isn't yours" in await ring.fail("join", ring.rival, character=KAI)
    assert f"I don't know the character '{SHADOW}'" in await ring.fail("join", ring.rival, character=SHADOW)
    for actor, names in ((ring.gm, [KAI, SHADOW]), (ring.player, [KAI]), (ring.rival, []), (ring.world.stranger, [])):
        offered = await actor.autocomplete(ring.world.orders, "fight join", "character", "")
        assert sorted(item["value"] for item in offered) == names


async def test_who_is_secret_comes_in_unseen(ring: Ring) -> None:
    """Only the staff reads of it."""
    await ring.begin()
    posts = len(ring.world.orders.history())
    shown = await ring.show(ring.player)
    await ring.use("join", character=SHADOW, how="call")
    assert len(ring.world.orders.history()) == posts
    assert await ring.show(ring.player) == shown
    assert f"**{SHADOW}** was called and joins now." in text(newest(ring.world.staff))
    assert entry(ring.world)["audience"] == "staff"
    await ring.use("order", names=f"{KAI}, {CHAR}, {SHADOW}")
    assert len(ring.world.orders.history()) == posts
    assert await ring.show(ring.player) == shown
