"""Fights in the ledger: voids, entries, removals."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, TRIANGLE, Ring, read_answers
from tests.support.acting import confirmed, removed, take_back
from tests.support.reading import assert_says, press, refused, response, text
from tests.support.world import rows, send_raw


async def test_a_turns_end_is_taken_back_and_so_is_a_fight(ring: Ring) -> None:
    """A void restores the turn and voids later ends; voiding the start removes the fight."""
    before = ring.read_state()
    await ring.begin()
    kept = ring.read_state()
    await ring.end_turn(ring.player)
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.end_turn(ring.rival)
    answer = read_answers(await take_back(ring.world, "gm undo", entry=number, reason="too early"))
    assert "has ended their turn." in answer
    assert ".." not in answer
    assert ring.read_state() == kept
    assert f"{TRIANGLE} **{KAI}**" in await ring.show()
    await ring.click("turn", ring.player, response(await ring.use("turn", ring.player)))
    turn = press(ring.newest_with("turn"), "turn")
    (number,) = rows(ring.world, "select min(number) from entry where kind = 'fight'")[0]
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert ring.read_state() == before
    assert "That fight is over" in refused(await send_raw(ring.rival, ring.world.orders, turn))


@pytest.mark.slow
async def test_nobody_comes_back_into_two_fights(ring: Ring) -> None:
    """The end of a fight stays if one of it is in another."""
    await ring.begin(name="Duel")
    await confirmed(ring.world, "fight end")
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.use("start", who=f"{KAI}, {GUARD}", name="Brawl")
    window = await ring.gm.slash(ring.world.orders, "gm undo", entry=number)
    assert "Kai is in Brawl now" in refused(window)


@pytest.mark.slow
async def test_the_ledger_tells_every_deed_in_a_line_and_whole(ring: Ring) -> None:
    """Each change is an entry that players may read, also without the book."""
    await ring.begin()
    await ring.end_turn(ring.player)
    await ring.use("order", names=f"{CHAR}, {KAI}")
    answer = read_answers(await ring.gm.slash(ring.world.orders, "gm settings", books="-roe"))
    assert "Fight in #orders is paused until the book roe is switched on again." in answer
    await ring.gm.slash(ring.world.orders, "gm settings", books="roe")
    await confirmed(ring.world, "fight end")
    listed = text(response(await ring.player.slash(ring.world.orders, "ledger")))
    assert_says(
        listed,
        "This fight uses dice.",
        "**Kai** has ended their turn.",
        "Ended in round 1. Fighters: **Char** and **Kai**.",
    )
    for (number,) in rows(ring.world, "select number from entry where kind = 'fight'"):
        shown = read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=number))
        assert f"\n#{number}" in shown


async def test_who_is_removed_leaves_the_fight(ring: Ring) -> None:
    """The next turn begins, and effects end as if the last one had ended by hand."""
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Hidden", turns=1)
    await removed(ring.world, name=KAI)
    shown = await ring.show()
    assert f"1\\. {TRIANGLE} **{CHAR}** · 1 Action left · 1 movement left" in shown
    assert KAI not in shown
    assert "idden" in read_answers(await ring.gm.slash(ring.world.orders, "gm effect"))
    await ring.click("turn", ring.rival, response(await ring.use("turn", ring.rival)))
    assert "idden" not in read_answers(await ring.gm.slash(ring.world.orders, "gm effect"))
