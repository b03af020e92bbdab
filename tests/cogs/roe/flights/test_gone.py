"""Open questions when someone is removed or renamed, or the bot restarts."""

from __future__ import annotations

import discord
import pytest

from tests.cogs.roe import test_dodges as dodges
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.cogs.roe.flights.test_flights import arm_all, find_question, says, tries
from tests.rolls.pending.test_answers import key
from tests.support.acting import removed, save_group, take_back
from tests.support.reading import press, refused, response, text
from tests.support.world import entry, rows


def states(ring: Ring) -> list[str]:
    """Return the states of all waiting rolls."""
    return [state for (state,) in rows(ring.world, "select state from pending order by opened_at")]


async def remove(ring: Ring, name: str) -> None:
    """Remove a saved character."""
    await removed(ring.world, name=name)


def assert_links(ring: Ring, question: discord.Message) -> None:
    """Check that a question links to its result."""
    (shown,) = (text(message) for message in ring.world.orders.history() if message.id == question.id)
    result = next(message for message in ring.world.orders.history() if message.id > question.id)
    assert f"[See the result]({result.jump_url})" in shown


async def test_nobody_waits_for_who_is_gone(ring: Ring) -> None:
    """Other answers still count; if the last asked one is gone, it's rolled at once."""
    await arm_all(ring)
    await tries(ring, "flee")
    question = find_question(ring)
    await remove(ring, CHAR)
    assert states(ring) == ["open"]
    assert CHAR not in text(find_question(ring))
    await remove(ring, GUARD)
    assert states(ring) == ["answered"]
    assert_links(ring, question)
    assert f"**{KAI}** is out of the fight." in "\n".join(text(m) for m in ring.world.orders.history())


@pytest.mark.slow
async def test_who_is_gone_interrupts_nobody(ring: Ring) -> None:
    """A removed fighter's interrupt is dropped."""
    await arm_all(ring)
    await tries(ring, "flee")
    await says(ring, ring.rival, "Interrupt", weapon="", metres="1")
    await remove(ring, CHAR)
    assert "Got away: no one interrupts" in await says(ring, ring.gm, "No")
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
    assert entry(ring.world, number)["asked"]["answers"][0] is None


@pytest.mark.slow
async def test_a_flight_of_who_is_gone_lapses(ring: Ring) -> None:
    """Nothing is rolled, and the fight goes on."""
    await arm_all(ring)
    await tries(ring, "flee")
    await remove(ring, KAI)
    assert states(ring) == ["withdrawn"]
    assert not rows(ring.world, "select number from entry where kind = 'roll'")
    assert "Done" in await ring.end_turn(ring.rival)


@pytest.mark.slow
async def test_a_coming_in_that_is_taken_back_is_waited_for_no_more(ring: Ring) -> None:
    """A fighter who never joined isn't asked any more."""
    await arm_all(ring, f"{KAI}, {CHAR}")
    await ring.use("join", character=GUARD)
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'fight'")
    for actor in (ring.player, ring.rival):
        await ring.end_turn(actor)
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    await tries(ring, "flee")
    await says(ring, ring.rival, "No")
    question = find_question(ring)
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert_links(ring, question)
    assert states(ring) == ["answered"]


async def test_a_dodge_outlasts_a_restart_and_an_attack_ends_with_its_target(ring: Ring) -> None:
    """An old button still works; without a target nothing is rolled, and the Action is left."""
    await dodges.arm_kai(ring)
    await dodges.attacks(ring, CHAR)
    await ring.world.restart()
    ring.world.dice.script_dice((100, 20), (100, 80))
    assert "Missed" in read_answers(await dodges.dodges(ring, ring.rival))
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    await dodges.attacks(ring, CHAR)
    await remove(ring, CHAR)
    assert states(ring) == ["answered", "withdrawn"]
    assert "1 Action left" in await ring.show()


@pytest.mark.slow
async def test_a_flight_outlasts_a_restart_and_new_names(ring: Ring) -> None:
    """Earlier answers count, and the result uses new names."""
    await arm_all(ring)
    await tries(ring, "flee")
    await says(ring, ring.rival, "Interrupt", weapon="", metres="1")
    for name, new in ((KAI, "Grey Ghost"), (CHAR, "Red Comet")):
        await ring.gm.slash(ring.world.orders, "roster edit", name=name, new_name=new)
    await ring.world.restart()
    ring.world.dice.script_dice((100, 60), (100, 20))
    assert "**Grey Ghost** flees, and **Red Comet** interrupts: Not stopped" in await says(ring, ring.gm, "No")
    assert "**Grey Ghost** is out of the fight" in "\n".join(text(m) for m in ring.world.orders.history())


@pytest.mark.slow
async def test_a_call_ends_at_its_time_after_a_restart(ring: Ring) -> None:
    """At the deadline it's rolled, and the called one is expected."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await arm_all(ring)
    await tries(ring, "call", target="Haas")
    await ring.world.restart()
    ring.world.clock.advance(hours=24)
    await ring.world.env.advance_time(25)
    assert "Got through: no one interrupts" in "\n".join(text(m) for m in ring.world.orders.history())
    assert "coming" in str(ring.read_state())


@pytest.mark.slow
async def test_a_grenade_outlasts_a_restart(ring: Ring) -> None:
    """Its turn doesn't end before it has exploded."""
    await arm_all(ring, f"{KAI}, {CHAR}")
    thrown = {"item": "Frag", "use": "throw", "targets": CHAR, "damage": "d10", "range": 10}
    assert "Done" in read_answers(await ring.player.slash(ring.world.orders, "roe blast", **thrown, roll="now"))
    for actor in (ring.player, ring.rival):
        await ring.end_turn(actor)
    await ring.world.restart()
    assert "explodes at the end of this turn" in refused(await ring.click("turn", ring.player))
    window = await ring.click("explode", ring.player)
    card = response(await ring.player.submit_modal(window, {"names": CHAR}))
    ring.world.dice.script_dice((100, 20), (100, 80))
    assert "avoids" in read_answers(await ring.player.click(card, custom_id=press(card, "roll")))
    assert "Done" in await ring.end_turn(ring.player)


@pytest.mark.slow
async def test_whom_nobody_plays_may_interrupt_another_such_one(ring: Ring) -> None:
    """A game master is asked about each, unless one group joins them."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Brute")
    await arm_all(ring, f"{GUARD}, Brute, {KAI}")
    assert "Flight made" in await tries(ring, "flee", ring.gm)
    assert "Brute" in text(find_question(ring))
    message = find_question(ring)
    await ring.gm.click(message, custom_id=key(message, "Withdraw"))
    await save_group(ring.world, name="Watch", members=f"{GUARD}, Brute")
    assert "Flight made" in await tries(ring, "flee", ring.gm)
    assert "Brute" not in text(find_question(ring))
    assert "Got away: no one interrupts" in await says(ring, ring.player, "No")
