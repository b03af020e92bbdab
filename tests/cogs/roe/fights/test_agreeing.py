"""Votes: the other mode, and a lock."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.support.acting import removed
from tests.support.reading import assert_says, labels, offers, press, refused, response, text
from tests.support.world import entry, entry_texts, nothing_written, rows, send_raw


async def test_the_mode_changes_when_all_agree(ring: Ring) -> None:
    """The proposer agrees too; the last yes changes it, and old buttons do nothing."""
    await ring.begin()
    turn = await ring.show(ring.player)
    await ring.use("mode", ring.player)
    assert f"Proposed by **{KAI}**: go free-form from here on." in ring.read_newest()
    assert f"Every fighter must agree. Waiting for **{CHAR}**." in ring.read_newest()
    asked = ring.newest_with("vote")
    twice = refused(await ring.click("vote", ring.player, asked))
    assert_says(twice, "You can't do that right now", "You've already agreed")
    assert "Only fighters can vote" in refused(await ring.click("vote", ring.gm, asked))
    assert f"Vote: go free-form from here on? Waiting for **{CHAR}**." in await ring.show(ring.rival)
    await ring.click("vote", ring.rival, asked)
    assert "This fight is free-form." in ring.read_newest()
    assert "That vote is over" in await ring.again(asked, "vote", ring.rival)
    assert not offers(ring.world.orders.history()[-2], "vote")
    assert await ring.show(ring.player) == turn.replace("with dice", "free-form")


async def test_a_no_ends_what_is_proposed(ring: Ring) -> None:
    """Until then nothing else is proposed; if the last asked fighter is removed, one more yes decides."""
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await ring.use("lock", ring.rival)
    assert f"Proposed by **{CHAR}**: let no one else join." in ring.read_newest()
    assert "Another proposal" in await ring.fail("mode", ring.player)
    posts = len(ring.world.orders.history())
    await ring.click("vote", ring.player)
    assert len(ring.world.orders.history()) == posts
    key = press(ring.newest_with("vote"), "vote").replace(":yes", ":no")
    await send_raw(ring.gm, ring.world.orders, key)
    assert f"Refused by **{GUARD}**: let no one else join." in ring.read_newest()
    assert "locked" not in await ring.show()
    await ring.use("mode", ring.player)
    assert "free-form" in ring.read_newest()
    await ring.click("vote", ring.rival)
    listed = read_answers(await ring.player.slash(ring.world.orders, "ledger"))
    assert f"Agreed by **{CHAR}**: go free-form from here on." in listed
    await removed(ring.world, name=GUARD)
    shown = response(await ring.use("show", ring.player))
    assert "Everyone left has agreed" in text(shown)
    await ring.click("vote", ring.player, shown)
    assert "This fight is free-form." in ring.read_newest()
    assert "free-form" in await ring.show()


@pytest.mark.slow
async def test_one_yes_stands_for_all_fighters_of_a_player(ring: Ring) -> None:
    """A game master votes for unplayed fighters; secret ones aren't asked."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.world.player)
    await ring.begin(f"{KAI}, Haas, {GUARD}, {SHADOW}")
    await ring.use("mode", ring.player)
    assert entry(ring.world)["who"] == [ring.number(KAI), ring.number("Haas")]
    assert f"Every fighter must agree. Waiting for **{GUARD}**." in ring.read_newest()
    shown = await ring.show()
    assert_says(shown, f"Waiting for **{GUARD}**.", f"4\\. **{SHADOW}** · hidden from players")
    assert SHADOW not in await ring.show(ring.player)
    await ring.click("vote", ring.gm)
    assert "This fight is free-form." in ring.read_newest()


async def test_a_locked_fight_takes_in_who_was_called(ring: Ring) -> None:
    """Others join only with a game master, who can unlock it; only fighters vote."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.world.player)
    await ring.begin(f"{CHAR}, {GUARD}")
    assert "Only fighters can vote" in await ring.fail("lock", ring.player)
    await ring.use("lock", ring.rival)
    asked = ring.newest_with("vote")
    assert "Only fighters can vote" in refused(await ring.click("vote", ring.player, asked))
    odd = press(asked, "vote").replace(":yes", ":perhaps")
    assert "That button no longer works" in refused(await send_raw(ring.rival, ring.world.orders, odd))
    await ring.click("vote", ring.gm)
    assert "The fight is locked" in ring.read_newest()
    what = await ring.fail("join", ring.player, character=KAI)
    assert_says(what, "is locked, so Kai can't join.", "called by com")
    assert "Char is already in Fight in #orders." in await ring.fail("join", ring.rival, character=CHAR)
    await ring.use("join", ring.player, character=KAI, how="gunfire")
    await ring.use("join", character="Haas")
    assert "with dice · locked" in await ring.show()
    assert "Only game masters" in await ring.fail("lock", ring.rival)
    await ring.use("lock")
    assert "Others can join." in ring.read_newest()
    assert "locked" not in await ring.show()


@pytest.mark.slow
async def test_a_game_master_decides_with_a_reason(ring: Ring) -> None:
    """The reason settles an open proposal; players give none, and no one proposes before the choice."""
    await ring.use("start", who=f"{KAI}, {CHAR}")
    assert "The defender hasn't chosen" in await ring.fail("mode", ring.player)
    await ring.click("choose", ring.player)
    assert "Only game masters" in await ring.fail("mode", ring.player, reason="I want it")
    await ring.use("mode", ring.player)
    asked = ring.newest_with("vote")
    await ring.use("mode", reason="It *is* late")
    assert_says(ring.read_newest(), "This fight is free-form.", "**Reason:** It \\*is\\* late")
    assert entry_texts(ring.world, rows(ring.world, "select max(number) from entry")[0][0]) == {
        "reason": "It *is* late"
    }
    assert "Vote" not in await ring.show()
    assert "That vote is over" in await ring.again(asked, "vote", ring.rival)


async def test_a_game_master_is_asked_for_a_reason_and_others_propose_at_once(ring: Ring) -> None:
    """`/fight show` has the buttons; what is already so, or no proposal at all, is refused."""
    await ring.begin()
    shown, mine = response(await ring.use("show")), response(await ring.use("show", ring.player))
    assert labels(shown)[-3:] == ["Go free-form", "Lock", "Turn order"]
    assert labels(mine)[-2:] == ["Go free-form", "Lock"]
    order = press(shown, "order:")
    asked = await ring.gm.click(shown, label="Lock")
    assert "Done" in read_answers(await ring.gm.submit_modal(asked, {"reason": "The gate is shut"}))
    assert_says(ring.read_newest(), "The fight is locked", "**Reason:** The gate is shut")
    with nothing_written(ring.world):
        assert "That's already so" in refused(await ring.player.click(mine, label="Lock"))
        odd = press(mine, "propose").replace(":freeform", ":party")
        assert "no longer works" in refused(await send_raw(ring.player, ring.world.orders, odd))
        assert "Only game masters" in refused(await send_raw(ring.player, ring.world.orders, order))
        assert "don't play" in refused(await send_raw(ring.world.stranger, ring.world.orders, order))
    assert "Done" in read_answers(await ring.player.click(mine, label="Go free-form"))
    assert f"Proposed by **{KAI}**: go free-form from here on." in ring.read_newest()
    assert "That's already their order" in await ring.fail("order", names=f"{KAI}, {CHAR}")
    asked = await ring.gm.click(response(await ring.use("show")), label="Turn order")
    assert "Done" in read_answers(await ring.gm.submit_modal(asked, {"names": f"{CHAR}, {KAI}"}))
