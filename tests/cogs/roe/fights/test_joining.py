"""Who comes into a fight under way: when, where in the order, and what the arrival costs."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring
from tests.support.reading import newest, text
from tests.support.world import entry


async def test_a_newcomer_has_a_turn_in_the_next_round(ring: Ring) -> None:
    """Behind all others; the first turn is an arrival without an Action, the one after it is like any other."""
    await ring.begun(f"{CHAR}, {GUARD}")
    await ring.use("join", ring.player, character=KAI, distance=18)
    assert f"**{KAI}** joins in the next round.\nTurn order: **{CHAR}**, **{GUARD}** and **{KAI}**." in ring.posted()
    assert f"3\\. **{KAI}** · joins next round · 18 m" in await ring.shown()
    await ring.ended(ring.rival)
    await ring.ended(ring.gm)
    await ring.ended(ring.rival)
    await ring.ended(ring.gm)
    assert "round 2, Kai's turn" in ring.posted()
    assert f"{TRIANGLE} **{KAI}** · arriving: no Actions or movement this turn" in await ring.shown()
    await ring.ended(ring.player)
    assert f"3\\. **{KAI}** · 18 m" in await ring.shown()


@pytest.mark.slow
async def test_a_game_master_lets_who_was_called_come_in_at_once(ring: Ring) -> None:
    """Right behind whose turn it is; by a player's word there too, but in the next round."""
    await ring.gm.slash(ring.world.orders, "character add", name="Haas")
    await ring.begun(f"{CHAR}, {GUARD}")
    await ring.use("join", ring.player, character=KAI, how="call")
    assert f"**{KAI}** was called and joins in the next round." in ring.posted()
    await ring.use("join", character="Haas", how="gunfire")
    assert f"Turn order: **{CHAR}**, **Haas**, **{KAI}** and **{GUARD}**." in ring.posted()
    await ring.ended(ring.rival)
    assert "round 1, Haas's turn" in ring.posted()
    await ring.ended(ring.gm)
    assert f"round 1, {GUARD}'s turn" in ring.posted()


async def test_who_comes_in_is_free_and_ones_own(ring: Ring) -> None:
    """Players bring their own; nobody twice, nobody out of another scene; completed with who could come."""
    await ring.begun(f"{CHAR}, {GUARD}")
    assert "Char is already in Fight in #orders." in await ring.denied("join", ring.rival, character=CHAR)
    assert f"{KAI} isn't yours" in await ring.denied("join", ring.rival, character=KAI)
    assert f"I don't know the character '{SHADOW}'" in await ring.denied("join", ring.rival, character=SHADOW)
    for actor, names in ((ring.gm, [KAI, SHADOW]), (ring.player, [KAI]), (ring.rival, []), (ring.world.stranger, [])):
        offered = await actor.autocomplete(ring.world.orders, "fight join", "character", "")
        assert sorted(item["value"] for item in offered) == names


async def test_who_is_secret_comes_in_unseen(ring: Ring) -> None:
    """The channel hears nothing, and no player reads of it; the staff does."""
    await ring.begun()
    posts = len(ring.world.orders.history())
    shown = await ring.shown(ring.player)
    await ring.use("join", character=SHADOW, how="call")
    assert len(ring.world.orders.history()) == posts
    assert await ring.shown(ring.player) == shown
    assert f"**{SHADOW}** was called and joins now." in text(newest(ring.world.staff))
    assert entry(ring.world)["audience"] == "staff"
    await ring.use("order", names=f"{KAI}, {CHAR}, {SHADOW}")
    assert len(ring.world.orders.history()) == posts
    assert await ring.shown(ring.player) == shown
