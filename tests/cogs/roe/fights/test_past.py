"""Fights in the ledger: taken back, read again, and who leaves the campaign."""

from __future__ import annotations

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, TRIANGLE, Ring, told
from tests.support.acting import confirmed
from tests.support.reading import press, refused, response, text
from tests.support.world import rows, send_raw


async def test_a_turns_end_is_taken_back(ring: Ring) -> None:
    """The turn is whose it was, and what ended after it goes with it; each is told as one sentence."""
    await ring.begun()
    kept = ring.kept()
    await ring.ended(ring.player)
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.ended(ring.rival)
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    answer = told(await ring.gm.submit_modal(window, {"reason": "too early"}))
    assert "has ended the turn." in answer
    assert ".." not in answer
    assert ring.kept() == kept
    assert f"{TRIANGLE} **{KAI}**" in await ring.shown()
    assert await ring.sound()


async def test_a_fights_beginning_is_taken_back_with_all_of_it(ring: Ring) -> None:
    """Nothing of it is kept, and its buttons say so."""
    before = ring.kept()
    await ring.begun()
    await ring.ended(ring.player)
    turn = press(ring.newest_with("turn"), "turn")
    (number,) = rows(ring.world, "select min(number) from entry where kind = 'fight'")[0]
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    await ring.gm.submit_modal(window, {"reason": "never mind"})
    assert ring.kept() == before
    assert "That fight is over" in refused(await send_raw(ring.rival, ring.world.orders, turn))
    assert await ring.sound()


async def test_nobody_comes_back_into_two_fights(ring: Ring) -> None:
    """The end of a fight is not taken back while one of it stands in another."""
    await ring.begun(name="Duel")
    await confirmed(ring.world, "fight end")
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await ring.use("start", who=f"{KAI}, {GUARD}", name="Brawl")
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    assert "Kai stands in Brawl by now" in refused(window)


async def test_the_ledger_tells_every_deed_in_a_line_and_whole(ring: Ring) -> None:
    """Whatever is done in a fight is an entry that everybody who plays may read."""
    await ring.begun()
    await ring.ended(ring.player)
    await ring.use("order", names=f"{CHAR}, {KAI}")
    await confirmed(ring.world, "fight end")
    listed = text(response(await ring.player.slash(ring.world.orders, "ledger list")))
    for words in (
        "It is played with dice.",
        "**Kai** has ended the turn.",
        "Over in round 1. **Char** and **Kai** fought.",
    ):
        assert words in listed
    for (number,) in rows(ring.world, "select number from entry where kind = 'fight'"):
        shown = told(await ring.player.slash(ring.world.orders, "ledger show", number=number))
        assert f"Entry #{number}" in shown


async def test_who_is_removed_leaves_the_fight(ring: Ring) -> None:
    """A turn that is left begins the next, with what a turn begins with."""
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await confirmed(ring.world, "character remove", name=KAI)
    shown = await ring.shown()
    assert f"1\\. {TRIANGLE} **{CHAR}** · 1 Action left · 1 movement left" in shown
    assert KAI not in shown
    assert await ring.sound()


async def test_a_fight_that_waits_for_its_book_is_told(ring: Ring) -> None:
    """Where the book is turned off while somebody fights, the campaign says so."""
    await ring.begun()
    answer = told(await ring.gm.slash(ring.world.orders, "campaign edit", books="-roe"))
    assert "Fight in #orders waits until roe is on again." in answer


async def test_turns_are_counted_from_the_turn_that_a_removal_begins(ring: Ring) -> None:
    """An effect that was there before it ends with that turn, as if the one before had been ended by hand."""
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Hidden", turns=1)
    await confirmed(ring.world, "character remove", name=KAI)
    assert "idden" in told(await ring.gm.slash(ring.world.orders, "effect list"))
    await ring.click("turn", ring.rival, response(await ring.use("turn", ring.rival)))
    assert "idden" not in told(await ring.gm.slash(ring.world.orders, "effect list"))
    assert await ring.sound()
