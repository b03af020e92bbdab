"""Fights in the ledger: taken back, read again, and who leaves the campaign."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, TRIANGLE, Ring, told
from tests.support.acting import confirmed, take_back
from tests.support.reading import assert_says, press, refused, response, text
from tests.support.world import rows, send_raw


async def test_a_turns_end_is_taken_back_and_so_is_a_fight(ring: Ring) -> None:
    """Voiding a turn's end restores the turn and voids later ends, one sentence each; voiding the start leaves nothing of the fight, and its buttons say so."""
    before = ring.kept()
    await ring.begun()
    kept = ring.kept()
    await ring.ended(ring.player)
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.ended(ring.rival)
    answer = told(await take_back(ring.world, "void", entry=number, reason="too early"))
    assert "has ended their turn." in answer
    assert ".." not in answer
    assert ring.kept() == kept
    assert f"{TRIANGLE} **{KAI}**" in await ring.shown()
    await ring.click("turn", ring.player, response(await ring.use("turn", ring.player)))
    turn = press(ring.newest_with("turn"), "turn")
    (number,) = rows(ring.world, "select min(number) from entry where kind = 'fight'")[0]
    await take_back(ring.world, "void", entry=number, reason="never mind")
    assert ring.kept() == before
    assert "That fight is over" in refused(await send_raw(ring.rival, ring.world.orders, turn))


@pytest.mark.slow
async def test_nobody_comes_back_into_two_fights(ring: Ring) -> None:
    """The end of a fight is not taken back while one of it stands in another."""
    await ring.begun(name="Duel")
    await confirmed(ring.world, "fight end")
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.use("start", who=f"{KAI}, {GUARD}", name="Brawl")
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    assert "Kai is in Brawl now" in refused(window)


@pytest.mark.slow
async def test_the_ledger_tells_every_deed_in_a_line_and_whole(ring: Ring) -> None:
    """Whatever is done in a fight is an entry that everybody who plays may read; the campaign says so where its book is turned off meanwhile."""
    await ring.begun()
    await ring.ended(ring.player)
    await ring.use("order", names=f"{CHAR}, {KAI}")
    answer = told(await ring.gm.slash(ring.world.orders, "campaign edit", books="-roe"))
    assert "Fight in #orders is paused until the book roe is switched on again." in answer
    await ring.gm.slash(ring.world.orders, "campaign edit", books="roe")
    await confirmed(ring.world, "fight end")
    listed = text(response(await ring.player.slash(ring.world.orders, "ledger list")))
    assert_says(
        listed,
        "This fight uses dice.",
        "**Kai** has ended their turn.",
        "Ended in round 1. Fighters: **Char** and **Kai**.",
    )
    for (number,) in rows(ring.world, "select number from entry where kind = 'fight'"):
        shown = told(await ring.player.slash(ring.world.orders, "ledger show", number=number))
        assert f"\n#{number}" in shown


async def test_who_is_removed_leaves_the_fight(ring: Ring) -> None:
    """A turn that is left begins the next, with what a turn begins with; an effect that was there before ends with that turn, as if the one before had been ended by hand."""
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Hidden", turns=1)
    await confirmed(ring.world, "character remove", name=KAI)
    shown = await ring.shown()
    assert f"1\\. {TRIANGLE} **{CHAR}** · 1 Action left · 1 movement left" in shown
    assert KAI not in shown
    assert "idden" in told(await ring.gm.slash(ring.world.orders, "effect list"))
    await ring.click("turn", ring.rival, response(await ring.use("turn", ring.rival)))
    assert "idden" not in told(await ring.gm.slash(ring.world.orders, "effect list"))
