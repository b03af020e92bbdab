"""A fighter of whom not everybody may know: in no list or order, with a turn that others do not see."""

from __future__ import annotations

import re

import pytest

from tests.cogs.roe.attacking import hit, newest_entry
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring, told
from tests.cogs.roe.fights.test_downed import KILL, armed
from tests.support.acting import confirmed
from tests.support.reading import control, newest, offers, press, refused, response, text


async def test_nobody_reads_of_a_secret_fighter_but_the_staff(ring: Ring) -> None:
    """Posts, what players are shown and the ledger have the others alone; when these have had their turns, the next round has begun for them, and who comes in then does not take that back."""
    await ring.begun(f"{KAI}, {CHAR}, {SHADOW}")
    for message in ring.world.orders.history():
        assert SHADOW not in text(message)
    for actor in (ring.player, ring.rival):
        shown = await ring.shown(actor)
        assert f"2\\. **{CHAR}**" in shown
        assert SHADOW not in shown
        assert SHADOW not in told(await actor.slash(ring.world.orders, "ledger show", number=newest_entry(ring)))
    assert f"3\\. **{SHADOW}**" in await ring.shown()
    await ring.gm.slash(ring.world.orders, "character add", name="Haas", owner=ring.player)
    await ring.ended(ring.player)
    await ring.ended(ring.rival)
    assert "round 2, Kai's turn" in ring.posted()
    shown = await ring.shown(ring.player)
    assert "Round 2" in shown
    assert "turn done" not in shown
    assert "Round 1" in await ring.shown()
    assert "hidden from players" in await ring.denied("join", character=GUARD, how="call")
    assert "Done" in await ring.told("join", ring.player, character="Haas")
    assert "joins next round" in await ring.shown()


@pytest.mark.parametrize("way", ["act", "card", "end"])
async def test_nobody_waits_for_a_secret_turn(ring: Ring, way: str) -> None:
    """The next one acts and ends the turn with the same answers as without the secret fighter, who may still use that turn."""
    answers = []
    for who, name in ((f"{KAI}, {CHAR}", "Open"), (f"{KAI}, {SHADOW}, {CHAR}", "Open")):
        await ring.begun(who, name=name)
        await ring.ended(ring.player)
        turn = ring.newest_with("turn")
        if way == "card":
            shown = response(await ring.use("turn", ring.rival))
            select = control(shown, "act")
            result = await ring.rival.select(shown, ["turn.kneel"], custom_id=select["custom_id"])
        elif way == "act":
            result = await ring.rival.slash(ring.world.orders, "roe act", what="Kneel")
        else:
            result = await ring.click("turn", ring.rival, turn)
        answers.append(re.sub(r"entry #\d+|/\d+|\d{15,}", "", told(result)))
        if SHADOW in who:
            await ring.world.env.advance_time(61)
            assert "can still use what's left" in "\n".join(text(post) for post in ring.world.staff.history())
            assert "Done: entry" in told(
                await ring.gm.slash(ring.world.orders, "roe act", what="Kneel", character=SHADOW)
            )
            assert "no movement left" in told(
                await ring.gm.slash(ring.world.orders, "roe act", what="Go prone", character=SHADOW)
            )
        await confirmed(ring.world, "fight end")
    assert answers[0] == answers[1]


async def test_a_fight_has_somebody_whom_all_may_know(ring: Ring) -> None:
    """That it begins is public, so not all who stand in it can be secret."""
    await ring.gm.slash(ring.world.orders, "character add", name="Wraith", secret=True)
    what = await ring.denied("start", who=f"{SHADOW}, Wraith")
    assert "hidden from them" in what
    assert "I don't know the character 'Shadow'" in await ring.denied("start", ring.player, who=f"{KAI}, {SHADOW}")


@pytest.mark.slow
async def test_a_secret_defender_is_not_named(ring: Ring) -> None:
    """Everybody reads that the defender chooses; who plays nobody known cannot."""
    await ring.use("start", who=f"{SHADOW}, {KAI}")
    assert "The defender chooses dice or free-form" in ring.posted()
    assert "Only the defender's player" in refused(await ring.click("choose", ring.player))
    assert "The defender chooses" in await ring.shown(ring.player)
    assert press(ring.newest_with("choose"), "choose")
    await ring.click("choose", ring.gm)
    assert "Round 1: it's **Kai**'s turn." in ring.posted()


@pytest.mark.slow
async def test_who_becomes_secret_is_gone_from_what_others_read_from_then_on(ring: Ring) -> None:
    """The order that was told before stays told; later posts and lists have the others alone."""
    await ring.begun(f"{KAI}, Guard, {CHAR}")
    await ring.gm.slash(ring.world.orders, "character edit", name="Guard", secret=True)
    assert "Guard" not in await ring.shown(ring.player)
    await ring.ended(ring.player)
    assert "round 1, Char's turn" in ring.posted()
    assert "Guard" not in told(await ring.player.slash(ring.world.orders, "ledger show", number=newest_entry(ring)))


@pytest.mark.slow
async def test_a_player_ends_the_turn_of_a_secret_fighter_of_theirs(ring: Ring) -> None:
    """The player sees that fighter, can't skip it, and ends its turn; other players see nothing of it."""
    await ring.gm.slash(ring.world.orders, "character add", name="Sniper", owner=ring.rival, secret=True)
    await ring.begun(f"{KAI}, Sniper, {CHAR}")
    await ring.ended(ring.player)
    assert "has the turn first" in refused(await ring.click("turn", ring.rival, ring.newest_with("turn")))
    assert "**Sniper**" in await ring.shown(ring.rival)
    posts = len(ring.world.orders.history())
    answer = told(await ring.click("turn", ring.rival, response(await ring.use("turn", ring.rival))))
    assert "Done." in answer
    assert "#" not in answer.replace("#orders", "").replace("###", "")
    assert f"{TRIANGLE} **{CHAR}**" in answer
    assert len(ring.world.orders.history()) == posts
    assert "Sniper" not in await ring.shown(ring.player)


async def test_who_plays_the_unseen_one_ends_that_turn_before_another_joins(ring: Ring) -> None:
    """A player whose secret fighter has the turn is told to end it, as game masters are; nobody else has to be waited for."""
    await ring.gm.slash(ring.world.orders, "character add", name="Sniper", owner=ring.rival, secret=True)
    await ring.gm.slash(ring.world.orders, "character add", name="Haas", owner=ring.rival)
    await ring.begun(f"{KAI}, {CHAR}, Sniper")
    await ring.ended(ring.player)
    await ring.ended(ring.rival)
    assert "round 2, Kai's turn" in ring.posted()
    assert "hidden from players" in await ring.denied("join", ring.rival, character="Haas")


async def test_nobody_learns_of_an_unseen_turn_by_one_who_is_down_behind_it(ring: Ring) -> None:
    """Everybody reads the same as without the unseen one: the turn passes on at once; that one may still use theirs."""
    await armed(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
    await hit(ring, CHAR, *KILL)
    await ring.ended(ring.player)
    ended, passed = ring.world.orders.history()[-2:]
    assert f"**{KAI}** has ended their turn." in text(ended)
    assert not offers(ended, "turn")
    assert f"round 1, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in text(passed)
    assert f"**{SHADOW}** didn't act in time" in text(newest(ring.world.staff))
    assert await ring.sound()
