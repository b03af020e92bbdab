"""Attacks that wait for a dodge, in campaigns that chose so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.rolls.pending.test_answers import key
from tests.support.reading import labels, newest, odds, press, refused, response, text
from tests.support.world import rows, send_raw


async def arm_kai(ring: Ring, who: str = f"{KAI}, {CHAR}, {GUARD}") -> None:
    """Begin a fight where attacks wait for dodges; Kai has the turn."""
    await ring.gm.slash(ring.world.orders, "gm settings", defence="by the defender")
    await ring.save(dict.fromkeys((KAI, CHAR, GUARD, SHADOW), "hp: 30; weapons: Rifle = M_s_Rifle"))
    await ring.begin(who)


async def attacks(ring: Ring, target: str, actor: Any = None) -> str:  # noqa: ANN401 - an actor
    """Use `/roe attack`; return the answer."""
    return read_answers(await (actor or ring.player).slash(ring.world.orders, "roe attack", target=target, roll="now"))


async def dodges(ring: Ring, actor: Any) -> Any:  # noqa: ANN401 - an actor
    """Press the newest Dodge."""
    message = [item for item in ring.world.orders.history() if "Dodge" in labels(item)][-1]
    return await actor.click(message, custom_id=key(message, "Dodge"))


async def test_an_attack_waits_for_the_dodge_of_its_target(ring: Ring) -> None:
    """No die falls before the answer or a day; impossible attacks don't wait."""
    await arm_kai(ring)
    assert "It's Kai's turn." in await attacks(ring, KAI, ring.rival)
    assert rows(ring.world, "select count(*) from pending")[0][0] == 0
    assert "Attack made" in await attacks(ring, CHAR)
    assert f"has **{KAI}** attack {CHAR} with Rifle from 10 m" in ring.read_newest()
    assert "is waiting for answers" in refused(await ring.click("turn", ring.player))
    assert "the other side answers it" in refused(await dodges(ring, ring.player))
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 12))
    assert "Hit: 12 damage" in read_answers(await dodges(ring, ring.rival))
    assert "Hit: 12 damage" in "\n".join(text(message) for message in ring.world.orders.history())
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    await attacks(ring, CHAR)
    late = key(newest(ring.world.orders), "Dodge")
    ring.world.dice.script_dice((100, 20), (100, 80))
    ring.world.clock.advance(hours=24)
    await ring.world.env.advance_time(25)
    assert "Missed" in "\n".join(text(message) for message in ring.world.orders.history())
    assert "is rolled: entry #" in refused(await send_raw(ring.rival, ring.world.orders, late))
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    show = "the target's player dodges first"
    assert show in read_answers(await ring.gm.slash(ring.world.orders, "gm settings"))
    at_once = {"defence": "at once"}
    assert "Only game masters" in refused(await ring.player.slash(ring.world.orders, "gm settings", **at_once))
    await ring.gm.slash(ring.world.orders, "gm settings", **at_once)
    assert show not in read_answers(await ring.gm.slash(ring.world.orders, "gm settings"))
    ring.world.dice.script_dice((100, 20), (100, 80))
    assert "Missed" in await attacks(ring, CHAR)


@pytest.mark.slow
async def test_nobody_waits_for_whom_nobody_plays(ring: Ring) -> None:
    """Unplayed and secret targets are rolled at once."""
    await arm_kai(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
    ring.world.dice.script_dice((100, 20), (100, 80))
    assert "Missed" in await attacks(ring, GUARD)
    await ring.end_turn(ring.player)
    posts = len(ring.world.orders.history())
    ring.world.dice.script_dice((100, 20), (100, 80))
    assert "Missed" in await attacks(ring, CHAR, ring.gm)
    assert len(ring.world.orders.history()) == posts
    assert rows(ring.world, "select count(*) from pending")[0][0] == 0


async def test_attackers_see_their_odds_before_others_are_asked(ring: Ring) -> None:
    """The card's Roll asks the target's player, with the ticked modifiers."""
    await arm_kai(ring)
    card = response(await ring.player.slash(ring.world.orders, "roe attack", target=CHAR))
    assert {*odds(card)} == {"Hit", "Missed"}
    assert rows(ring.world, "select count(*) from pending")[0][0] == 0
    assert "Attack made" in read_answers(await ring.player.click(card, custom_id=press(card, "roll")))
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 12))
    assert "Hit: 12 damage" in read_answers(await dodges(ring, ring.rival))
    assert await ring.sound()


async def test_an_explosion_waits_for_those_in_its_radius(ring: Ring) -> None:
    """At once and by card; the die falls with the last answer."""
    await arm_kai(ring)
    asked = {"item": "Charge", "use": "immediate", "targets": f"{CHAR}, {GUARD}", "damage": "d10"}
    card = response(await ring.player.slash(ring.world.orders, "roe blast", **asked))
    assert odds(card)
    assert "Attack made" in read_answers(await ring.player.slash(ring.world.orders, "roe blast", **asked, roll="now"))
    assert f"has **{KAI}** attack {CHAR} with Charge" in ring.read_newest()
    ring.world.dice.script_dice((100, 60), (100, 20), (10, 7), (100, 80))
    assert "explosion: 7 damage" in read_answers(await dodges(ring, ring.rival))
    assert await ring.sound()
