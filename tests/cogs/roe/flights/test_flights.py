"""Flights: others are asked first, and one die counts against all who interrupt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.rolls.pending.test_answers import key
from tests.support.acting import confirmed, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, assert_says, labels, newest, refused, response, text
from tests.support.world import entry, nothing_written, rows, send_raw

RIFLE, CLUB = "Rifle = M_s_Rifle", "L_b_Club"


@prepared
async def arm_all(ring: Ring, who: str = f"{KAI}, {CHAR}, {GUARD}") -> None:
    """Arm Kai, Char and the Guard, and begin a fight; Kai defends and has the turn."""
    await ring.save(
        {KAI: f"hp: 30; weapons: {RIFLE}", CHAR: f"hp: 20; weapons: {CLUB}", GUARD: f"hp: 20; weapons: {RIFLE}"}
    )
    await ring.begin(who)


async def tries(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Try what others may interrupt; return all answers."""
    return read_answers(await (actor or ring.player).slash(ring.world.orders, "roe act", what=what, **options))


def find_question(ring: Ring) -> Any:  # noqa: ANN401 - a message
    """Return the newest message that asks someone."""
    return [message for message in ring.world.orders.history() if "Interrupt" in labels(message)][-1]


async def says(ring: Ring, actor: Any, word: str, **fields: str) -> str:  # noqa: ANN401 - an actor
    """Press Interrupt or No, type how, and return the answer."""
    message = find_question(ring)
    pressed = await actor.click(message, custom_id=key(message, word))
    return read_answers(await actor.submit_modal(pressed, fields) if word == "Interrupt" else pressed)


async def test_everybody_misses_and_the_fleer_is_away(ring: Ring) -> None:
    """Two miss against one die; a void restores the character with a whole turn."""
    await arm_all(ring)
    kept = ring.read_state()
    assert "Flight made" in await tries(ring, "flee")
    assert f"whether they interrupt **{KAI}**'s flight" in text(find_question(ring))
    pressed = await ring.gm.click(find_question(ring), custom_id=key(find_question(ring), "Interrupt"))
    assert pressed.modal is not None
    assert pressed.modal["title"] == "Guard against Kai"
    assert "Guard has no weapon called 'SMG'." in await says(ring, ring.gm, "Interrupt", weapon="SMG", metres="")
    assert "received" in await says(ring, ring.rival, "Interrupt", weapon="L_b_Club", metres="1")
    ring.world.dice.script_dice((100, 60), (100, 40), (100, 50))
    answer = await says(ring, ring.gm, "Interrupt", weapon="", metres="15")
    assert "Not stopped" in answer
    assert_says(ring.read_newest(), f"**{KAI}** is out of the fight.", f"it's **{CHAR}**'s turn")
    assert KAI not in await ring.show()
    (number,) = rows(ring.world, "select max(number) from entry where kind = 'roll'")[0]
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert ring.read_state() == kept


async def test_a_hit_stops_the_flight(ring: Ring) -> None:
    """Both interrupters lose their next Action; an impossible answer can be corrected."""
    await arm_all(ring)
    await tries(ring, "flee")
    refusal = await says(ring, ring.rival, "Interrupt", weapon="Rocket", metres="")
    assert "Char has no weapon called 'Rocket'.\nThey have: " in refusal
    refusal = (await says(ring, ring.rival, "Interrupt", weapon="", metres="40")).replace("\\", "")
    assert "reaches 3 m, but the target is 40 m away. Char can interrupt with L_b_Club, from 1 m." in refusal
    assert rows(ring.world, "select state from pending") == [("open",)]
    await says(ring, ring.rival, "Interrupt", weapon="", metres="")
    ring.world.dice.script_dice((100, 60), (100, 61), (50, 7), (100, 50))
    assert "Stopped by a hit: 7 damage" in await says(ring, ring.gm, "Interrupt", weapon="", metres="15")
    posts = "\n".join(text(message) for message in ring.world.orders.history())
    assert posts.count("up to half the movement is left") == 1
    shown = await ring.show()
    assert_says(shown, f"**{KAI}**", "no Actions left · no movements left")
    assert [part["record"]["stopped"] for part in entry(ring.world)["parts"]] == [True, False]
    assert (f"subject:{ring.number(KAI)}", "health") in {(subject, name) for subject, name, _ in ring.read_state()}
    await ring.end_turn(ring.player)
    for actor in (ring.rival, ring.gm):
        assert "no Actions left · 1 movement left" in await ring.show()
        await ring.end_turn(actor)
    assert "1 Action left" in await ring.show()


async def test_whoever_says_nothing_does_not_interrupt(ring: Ring) -> None:
    """At the deadline it's rolled without a die; until then the turn waits."""
    await arm_all(ring)
    await tries(ring, "flee")
    assert "is waiting for answers" in await tries(ring, "Kneel")
    assert "is waiting for answers" in text(response(await ring.use("turn", ring.rival)))
    assert "is waiting for answers" in refused(await ring.click("turn", ring.player))
    assert "is waiting for answers" in await tries(ring, "flee")
    late = key(find_question(ring), "No")
    await says(ring, ring.rival, "No")
    ring.world.clock.advance(hours=24)
    await ring.world.env.advance_time(25)
    assert "Got away: no one interrupts" in "\n".join(text(message) for message in ring.world.orders.history())
    assert KAI not in await ring.show()
    answer = refused(await send_raw(ring.gm, ring.world.orders, late))
    assert "is rolled: entry #" in answer


@pytest.mark.slow
async def test_only_those_are_asked_who_can(ring: Ring) -> None:
    """Not allies, arriving, stunned or spent fighters; Artificial Strength can't flee next to another race."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await arm_all(ring, f"{KAI}, {CHAR}, Haas")
    await ring.use("join", character=GUARD)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Stunned")
    for name, option in ((KAI, "Artificial Strength"), ("Haas", "Old Mind")):
        await ring.save({name: f"option: {option}"})
    assert "doesn't allow fleeing" in await tries(ring, "flee")
    await ring.save({KAI: "option: Old Mind"})
    assert "Got away: no one interrupts" in await tries(ring, "flee")
    assert f"**{KAI}** is out of the fight" in ring.read_newest()


@pytest.mark.parametrize("holder", [pytest.param(True, marks=pytest.mark.slow), False], ids=["holder", "held"])
async def test_a_hold_ends_with_a_flight(ring: Ring, *, holder: bool) -> None:
    """On either side (line 430)."""
    await arm_all(ring, f"{KAI}, {CHAR}")
    ring.world.dice.script_dice((100, 60), (100, 20))
    await ring.player.slash(ring.world.orders, "roe act", what="Grab", target=CHAR, roll="now")
    await ring.end_turn(ring.player)
    if holder:
        await ring.end_turn(ring.rival)
    fleer, other = (ring.player, ring.rival) if holder else (ring.rival, ring.player)
    await tries(ring, "flee", fleer)
    await says(ring, other, "No")
    assert "is out of the fight" in ring.read_newest()
    assert not [name for _, name, _ in ring.read_state() if name in {"effect.holding", "effect.held"}]


async def test_a_third_flight_is_refused(ring: Ring) -> None:
    """Two tries per fight; Roll now counts the answers so far; a recovered fighter is asked too."""
    await arm_all(ring)
    for who in (CHAR, GUARD):
        await ring.gm.slash(ring.world.orders, "gm effect", who=who, effect="Wounded")
    ring.world.clock.advance(hours=4)
    for word in ("No", "Roll now"):
        assert "Flight made" in await tries(ring, "flee")
        await says(ring, ring.rival, "Interrupt", weapon="", metres="1")
        ring.world.dice.script_dice((100, 10), (100, 30), (50, 1))
        assert "Stopped by a hit: 1 damage" in await says(ring, ring.gm, word)
        for actor in (ring.player, ring.rival, ring.gm):
            await ring.end_turn(actor)
    with nothing_written(ring.world):
        assert "Each character can try to flee 2 times per combat." in await tries(ring, "flee")


@pytest.mark.slow
async def test_a_refused_interrupt_names_a_weapon_that_can_be_used(ring: Ring) -> None:
    """The first ready weapon that reaches, also for the last answer."""
    await arm_all(ring)
    arms = "weapons: Rifle = M_s_Rifle, Bolter = L_s_Rifle"
    await ring.save({CHAR: f"hp: 20; {arms}"})
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    await tries(ring, "flee")
    refusal = await says(ring, ring.rival, "Interrupt", weapon="Bolter", metres="15")
    assert_says(refusal, "Bolter isn't in hand", "Char can interrupt with Unarmed, from 1 m.")
    await says(ring, ring.gm, "No")
    assert "Char can interrupt with Unarmed, from 1 m." in await says(
        ring, ring.rival, "Interrupt", weapon="Rifle", metres="15"
    )
    assert rows(ring.world, "select state from pending") == [("open",)]


async def test_nobody_reads_of_a_secret_fighter_who_may_interrupt(ring: Ring) -> None:
    """Neither question nor time shows one; the staff can interrupt with them."""
    await arm_all(ring, f"{KAI}, {SHADOW}, {CHAR}")
    await tries(ring, "flee")
    message = find_question(ring)
    assert_lacks(text(message), SHADOW, "unknown")
    await says(ring, ring.rival, "No")
    assert f"**{KAI}** is out of the fight" in "\n".join(text(item) for item in ring.world.orders.history())


@pytest.mark.slow
async def test_a_secret_fighter_interrupts_unseen(ring: Ring) -> None:
    """The staff answers first, and only the staff reads the result."""
    await arm_all(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
    await tries(ring, "flee")
    which = await ring.gm.click(find_question(ring), custom_id=key(find_question(ring), "Interrupt"))
    assert labels(response(which)) == [f"Interrupt: {SHADOW}", f"Interrupt: {GUARD}"]
    assert f"Nothing is waiting for {SHADOW}." in text(response(which))
    window = await ring.gm.click(response(which), custom_id=key(response(which), f"Interrupt: {SHADOW}"))
    await ring.gm.submit_modal(window, {"weapon": "", "metres": "1"})
    assert "Still to answer" not in text(find_question(ring))
    await says(ring, ring.gm, "No")
    ring.world.dice.script_dice((100, 60), (100, 70), (6, 3))
    assert SHADOW not in await says(ring, ring.rival, "No")
    assert SHADOW not in "\n".join(text(message) for message in ring.world.orders.history())
    assert SHADOW in text(newest(ring.world.staff))
    assert f"**{KAI}**" in await ring.show(ring.player)


@pytest.mark.slow
async def test_a_receipt_of_a_flight_tells_no_player_of_a_secret_interrupter(ring: Ring) -> None:
    """Players read only visible interrupters, a game master all."""
    for last, told_of in ((ring.rival, False), (ring.gm, True)):
        await arm_all(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
        await tries(ring, "flee")
        which = response(await ring.gm.click(find_question(ring), custom_id=key(find_question(ring), "Interrupt")))
        window = await ring.gm.click(which, custom_id=key(which, f"Interrupt: {SHADOW}"))
        await ring.gm.submit_modal(window, {"weapon": "", "metres": "1"})
        await says(ring, ring.gm if last is ring.rival else ring.rival, "Interrupt", weapon="Unarmed", metres="1")
        ring.world.dice.script_dice((100, 60), *[(100, 20)] * 3)
        receipt = await says(ring, last, "Interrupt", weapon="Unarmed", metres="1")
        assert receipt.count("Not stopped") == (2 + told_of)
        assert (SHADOW in receipt) == told_of
        assert "unknown" not in receipt
        await confirmed(ring.world, "fight end")


async def test_a_refused_interrupt_is_corrected_where_it_was_typed(ring: Ring) -> None:
    """Try again opens that fighter's window with the typed values."""
    await ring.gm.slash(ring.world.orders, "roster edit", name=GUARD, owner=ring.rival)
    await arm_all(ring)
    await tries(ring, "flee")
    await ring.rival.click(find_question(ring), custom_id=key(find_question(ring), "No"))
    which = await ring.rival.click(find_question(ring), custom_id=key(find_question(ring), "Interrupt"))
    window = await ring.rival.click(response(which), label=f"Interrupt: {GUARD}")
    refusal = await ring.rival.submit_modal(window, {"weapon": "Rocket", "metres": "7"})
    again = await ring.rival.click(response(refusal), label="Try again")
    assert again.modal is not None
    assert again.modal["title"] == "Guard against Kai"
    assert [item["component"]["value"] for item in again.modal["components"]] == ["Rocket", "7"]


async def test_a_question_pings_who_is_asked_and_no_hidden_player(ring: Ring) -> None:
    """Not those who hide, even if they may interrupt, and not who asks."""
    await ring.gm.slash(ring.world.orders, "roster edit", name=GUARD, owner=ring.world.gm2)
    await arm_all(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Hidden")
    await tries(ring, "flee")
    assert find_question(ring).content == f"<@{ring.world.gm2.id}>"
