"""Secret fighters: in no list or order, with a turn others don't see."""

from __future__ import annotations

import re

import pytest

from tests.cogs.roe.attacking import hit, newest_entry
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring, read_answers
from tests.cogs.roe.fights.test_downed import KILL, arm_kai
from tests.support.acting import confirmed
from tests.support.reading import control, newest, offers, press, refused, response, text


async def test_nobody_reads_of_a_secret_fighter_but_the_staff(ring: Ring) -> None:
    """Posts and lists show only the others, whose round begins without the secret turn."""
    await ring.begin(f"{KAI}, {CHAR}, {SHADOW}")
    for message in ring.world.orders.history():
        assert SHADOW not in text(message)
    for actor in (ring.player, ring.rival):
        shown = await ring.show(actor)
        assert f"2\\. **{CHAR}**" in shown
        assert SHADOW not in shown
        assert SHADOW not in read_answers(await actor.slash(ring.world.orders, "ledger", entry=newest_entry(ring)))
    assert f"3\\. **{SHADOW}**" in await ring.show()
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    assert "round 2, Kai's turn" in ring.read_newest()
    shown = await ring.show(ring.player)
    assert "Round 2" in shown
    assert "turn done" not in shown
    assert "Round 1" in await ring.show()
    assert "hidden from players" in await ring.fail("join", character=GUARD, how="call")
    assert "Done" in await ring.run("join", ring.player, character="Haas")
    assert "joins next round" in await ring.show()


@pytest.mark.parametrize("way", ["act", "card", "end"])
async def test_nobody_waits_for_a_secret_turn(ring: Ring, way: str) -> None:
    """The next one acts with the same answers; the secret fighter can still use that turn."""
    answers = []
    for who, name in ((f"{KAI}, {CHAR}", "Open"), (f"{KAI}, {SHADOW}, {CHAR}", "Open")):
        await ring.begin(who, name=name)
        await ring.end_turn(ring.player)
        turn = ring.newest_with("turn")
        if way == "card":
            shown = response(await ring.use("turn", ring.rival))
            select = control(shown, "act")
            result = await ring.rival.select(shown, ["turn.kneel"], custom_id=select["custom_id"])
        elif way == "act":
            result = await ring.rival.slash(ring.world.orders, "roe act", what="Kneel")
        else:
            result = await ring.click("turn", ring.rival, turn)
        answers.append(re.sub(r"entry #\d+|/\d+|\d{15,}", "", read_answers(result)))
        if SHADOW in who:
            await ring.world.env.advance_time(61)
            assert "can still use what's left" in "\n".join(text(post) for post in ring.world.staff.history())
            assert "Done: entry" in read_answers(
                await ring.gm.slash(ring.world.orders, "roe act", what="Kneel", character=SHADOW)
            )
            assert "no movement left" in read_answers(
                await ring.gm.slash(ring.world.orders, "roe act", what="Go prone", character=SHADOW)
            )
        await confirmed(ring.world, "fight end")
    assert answers[0] == answers[1]


async def test_a_fight_has_somebody_whom_all_may_know(ring: Ring) -> None:
    """The start is public, so not every fighter can be secret."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Wraith", secret=True)
    what = await ring.fail("start", who=f"{SHADOW}, Wraith")
    assert "hidden from them" in what
    assert "I don't know the character 'Shadow'" in await ring.fail("start", ring.player, who=f"{KAI}, {SHADOW}")


@pytest.mark.slow
async def test_a_secret_defender_is_not_named(ring: Ring) -> None:
    """Everyone reads that the defender chooses; other players can't."""
    await ring.use("start", who=f"{SHADOW}, {KAI}")
    assert "The defender chooses dice or free-form" in ring.read_newest()
    assert "Only the defender's player" in refused(await ring.click("choose", ring.player))
    assert "The defender chooses" in await ring.show(ring.player)
    assert press(ring.newest_with("choose"), "choose")
    await ring.click("choose", ring.gm)
    assert "Round 1: it's **Kai**'s turn." in ring.read_newest()


@pytest.mark.slow
async def test_who_becomes_secret_is_gone_from_what_others_read_from_then_on(ring: Ring) -> None:
    """Earlier posts stay; later ones leave them out."""
    await ring.begin(f"{KAI}, Guard, {CHAR}")
    await ring.gm.slash(ring.world.orders, "roster edit", name="Guard", secret=True)
    assert "Guard" not in await ring.show(ring.player)
    await ring.end_turn(ring.player)
    assert "round 1, Char's turn" in ring.read_newest()
    assert "Guard" not in read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=newest_entry(ring)))


@pytest.mark.slow
async def test_a_player_ends_the_turn_of_a_secret_fighter_of_theirs(ring: Ring) -> None:
    """That player sees it, can't skip it, and ends it; others see nothing."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Sniper", owner=ring.rival, secret=True)
    await ring.begin(f"{KAI}, Sniper, {CHAR}")
    await ring.end_turn(ring.player)
    assert "has the turn first" in refused(await ring.click("turn", ring.rival, ring.newest_with("turn")))
    assert "**Sniper**" in await ring.show(ring.rival)
    posts = len(ring.world.orders.history())
    answer = read_answers(await ring.click("turn", ring.rival, response(await ring.use("turn", ring.rival))))
    assert "Done." in answer
    assert "#" not in answer.replace("#orders", "").replace("###", "")
    assert f"{TRIANGLE} **{CHAR}**" in answer
    assert len(ring.world.orders.history()) == posts
    assert "Sniper" not in await ring.show(ring.player)


async def test_who_plays_the_unseen_one_ends_that_turn_before_another_joins(ring: Ring) -> None:
    """That player and game masters must end it first; others don't wait."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Sniper", owner=ring.rival, secret=True)
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.rival)
    await ring.begin(f"{KAI}, {CHAR}, Sniper")
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    assert "round 2, Kai's turn" in ring.read_newest()
    assert "hidden from players" in await ring.fail("join", ring.rival, character="Haas")


async def test_nobody_learns_of_an_unseen_turn_by_one_who_is_down_behind_it(ring: Ring) -> None:
    """The downed turn passes on at once, as without the unseen one, who may still use theirs."""
    await arm_kai(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
    await hit(ring, CHAR, *KILL)
    await ring.end_turn(ring.player)
    ended, passed = ring.world.orders.history()[-2:]
    assert f"**{KAI}** has ended their turn." in text(ended)
    assert not offers(ended, "turn")
    assert f"round 1, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in text(passed)
    assert f"**{SHADOW}** didn't act in time" in text(newest(ring.world.staff))
    assert await ring.sound()
