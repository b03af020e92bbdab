"""What all who fight agree upon: the other mode, and that nobody else comes in."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, told
from tests.support.acting import confirmed
from tests.support.reading import assert_says, offers, press, refused, response, text
from tests.support.world import entry, entry_texts, rows, send_raw


async def test_the_mode_changes_when_all_agree(ring: Ring) -> None:
    """Whoever proposes agrees; the last yes changes it, told where the fight is, and buttons of before do nothing more."""
    await ring.begun()
    turn = await ring.shown(ring.player)
    await ring.use("mode", ring.player)
    assert f"Proposed by **{KAI}**: go free-form from here on." in ring.posted()
    assert f"Every fighter must agree. Waiting for **{CHAR}**." in ring.posted()
    asked = ring.newest_with("vote")
    twice = refused(await ring.click("vote", ring.player, asked))
    assert_says(twice, "You can't do that right now", "You've already agreed")
    assert "Only fighters can vote" in refused(await ring.click("vote", ring.gm, asked))
    assert f"Vote: go free-form from here on? Waiting for **{CHAR}**." in await ring.shown(ring.rival)
    await ring.click("vote", ring.rival, asked)
    assert "This fight is free-form." in ring.posted()
    assert "That vote is over" in await ring.again(asked, "vote", ring.rival)
    assert not offers(ring.world.orders.history()[-2], "vote")
    assert await ring.shown(ring.player) == turn.replace("with dice", "free-form")


async def test_a_no_ends_what_is_proposed(ring: Ring) -> None:
    """Nothing else can be proposed before; a yes is only in the ledger; if the last fighter asked is removed, one more yes decides."""
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await ring.use("lock", ring.rival)
    assert f"Proposed by **{CHAR}**: let no one else join." in ring.posted()
    assert "Another proposal" in await ring.denied("mode", ring.player)
    posts = len(ring.world.orders.history())
    await ring.click("vote", ring.player)
    assert len(ring.world.orders.history()) == posts
    key = press(ring.newest_with("vote"), "vote").replace(":yes", ":no")
    await send_raw(ring.gm, ring.world.orders, key)
    assert f"Refused by **{GUARD}**: let no one else join." in ring.posted()
    assert "locked" not in await ring.shown()
    await ring.use("mode", ring.player)
    assert "free-form" in ring.posted()
    await ring.click("vote", ring.rival)
    listed = told(await ring.player.slash(ring.world.orders, "ledger list"))
    assert f"Agreed by **{CHAR}**: go free-form from here on." in listed
    await confirmed(ring.world, "character remove", name=GUARD)
    shown = response(await ring.use("show", ring.player))
    assert "Everyone left has agreed" in text(shown)
    await ring.click("vote", ring.player, shown)
    assert "This fight is free-form." in ring.posted()
    assert "free-form" in await ring.shown()


@pytest.mark.slow
async def test_one_yes_stands_for_all_fighters_of_a_player(ring: Ring) -> None:
    """A player says it for both of theirs, a game master for those whom nobody plays; who is secret is not asked."""
    await ring.gm.slash(ring.world.orders, "character add", name="Haas", owner=ring.world.player)
    await ring.begun(f"{KAI}, Haas, {GUARD}, {SHADOW}")
    await ring.use("mode", ring.player)
    assert entry(ring.world)["who"] == [ring.number(KAI), ring.number("Haas")]
    assert f"Every fighter must agree. Waiting for **{GUARD}**." in ring.posted()
    shown = await ring.shown()
    assert_says(shown, f"Waiting for **{GUARD}**.", f"4\\. **{SHADOW}** · hidden from players")
    assert SHADOW not in await ring.shown(ring.player)
    await ring.click("vote", ring.gm)
    assert "This fight is free-form." in ring.posted()


async def test_a_locked_fight_takes_in_who_was_called(ring: Ring) -> None:
    """Only fighters propose and vote; other characters can't join a locked fight unless they were called or a game master brings them in, who can also unlock it."""
    await ring.gm.slash(ring.world.orders, "character add", name="Haas", owner=ring.world.player)
    await ring.begun(f"{CHAR}, {GUARD}")
    assert "Only fighters can vote" in await ring.denied("lock", ring.player)
    await ring.use("lock", ring.rival)
    asked = ring.newest_with("vote")
    assert "Only fighters can vote" in refused(await ring.click("vote", ring.player, asked))
    odd = press(asked, "vote").replace(":yes", ":perhaps")
    assert "That button no longer works" in refused(await send_raw(ring.rival, ring.world.orders, odd))
    await ring.click("vote", ring.gm)
    assert "The fight is locked" in ring.posted()
    what = await ring.denied("join", ring.player, character=KAI)
    assert_says(what, "is locked, so Kai can't join.", "called by com")
    assert "Char is already in Fight in #orders." in await ring.denied("join", ring.rival, character=CHAR)
    await ring.use("join", ring.player, character=KAI, how="gunfire")
    await ring.use("join", character="Haas")
    assert "with dice · locked" in await ring.shown()
    assert "Only game masters" in await ring.denied("lock", ring.rival)
    await ring.use("lock")
    assert "Others can join." in ring.posted()
    assert "locked" not in await ring.shown()


@pytest.mark.slow
async def test_a_game_master_decides_with_a_reason(ring: Ring) -> None:
    """Without asking, and what was proposed is decided by it; players give no reason, and nobody proposes before the choice."""
    await ring.use("start", who=f"{KAI}, {CHAR}")
    assert "The defender hasn't chosen" in await ring.denied("mode", ring.player)
    await ring.click("choose", ring.player)
    assert "Only game masters" in await ring.denied("mode", ring.player, reason="I want it")
    await ring.use("mode", ring.player)
    asked = ring.newest_with("vote")
    await ring.use("mode", reason="It *is* late")
    assert_says(ring.posted(), "This fight is free-form.", "**Reason:** It \\*is\\* late")
    assert entry_texts(ring.world, rows(ring.world, "select max(number) from entry")[0][0]) == {
        "reason": "It *is* late"
    }
    assert "Vote" not in await ring.shown()
    assert "That vote is over" in await ring.again(asked, "vote", ring.rival)
