"""Flights as people try them: others are asked first, and one die stands against all who interrupt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, told
from tests.rolls.pending.test_answers import key, labels
from tests.support.acting import confirmed, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, assert_says, newest, refused, response, text
from tests.support.world import entry, nothing_written, rows, send_raw

RIFLE, CLUB = "Rifle = M_s_Rifle", "L_b_Club"


@prepared
async def armed(ring: Ring, who: str = f"{KAI}, {CHAR}, {GUARD}") -> None:
    """Give Kai, Char and the Guard HP and weapons, and begin a fight in which Kai, who defends, has the first turn."""
    await ring.save(
        {KAI: f"hp: 30; weapons: {RIFLE}", CHAR: f"hp: 20; weapons: {CLUB}", GUARD: f"hp: 20; weapons: {RIFLE}"}
    )
    await ring.begun(who)


async def tries(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Try what others may interrupt; return all that is answered. Kai's player does unless said otherwise."""
    return told(await (actor or ring.player).slash(ring.world.orders, "roe act", what=what, **options))


def asked(ring: Ring) -> Any:  # noqa: ANN401 - a message
    """The newest message of #orders in which somebody is asked."""
    return [message for message in ring.world.orders.history() if "Interrupt" in labels(message)][-1]


async def says(ring: Ring, actor: Any, word: str, **fields: str) -> str:  # noqa: ANN401 - an actor
    """Press Interrupt or No under what is asked, and type how; return the answer."""
    message = asked(ring)
    pressed = await actor.click(message, custom_id=key(message, word))
    return told(await actor.submit_modal(pressed, fields) if word == "Interrupt" else pressed)


async def test_everybody_misses_and_the_fleer_is_away(ring: Ring) -> None:
    """Two interrupt with their weapons against one die and both miss; voiding the roll puts the character back into the fight with a whole turn."""
    await armed(ring)
    kept = ring.kept()
    assert "Flight made" in await tries(ring, "flee")
    assert f"whether they interrupt **{KAI}**'s flight" in text(asked(ring))
    pressed = await ring.gm.click(asked(ring), custom_id=key(asked(ring), "Interrupt"))
    assert pressed.modal is not None
    assert pressed.modal["title"] == "Guard against Kai"
    assert "Guard has no weapon called 'SMG'." in await says(ring, ring.gm, "Interrupt", weapon="SMG", metres="")
    assert "received" in await says(ring, ring.rival, "Interrupt", weapon="L_b_Club", metres="1")
    ring.world.dice.script_dice((100, 60), (100, 40), (100, 50))
    answer = await says(ring, ring.gm, "Interrupt", weapon="", metres="15")
    assert "Not stopped" in answer
    assert_says(ring.posted(), f"**{KAI}** is out of the fight.", f"it's **{CHAR}**'s turn")
    assert KAI not in await ring.shown()
    (number,) = rows(ring.world, "select max(number) from entry where kind = 'roll'")[0]
    await take_back(ring.world, "void", entry=number, reason="never mind")
    assert ring.kept() == kept


async def test_a_hit_stops_the_flight(ring: Ring) -> None:
    """One hit stops the flight, and both interrupters have spent their next Action; an impossible answer is refused to its player, who can correct it."""
    await armed(ring)
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
    shown = await ring.shown()
    assert_says(shown, f"**{KAI}**", "no Actions left · no movements left")
    assert [part["record"]["stopped"] for part in entry(ring.world)["parts"]] == [True, False]
    assert (f"subject:{ring.number(KAI)}", "health") in {(subject, name) for subject, name, _ in ring.kept()}
    await ring.ended(ring.player)
    for actor in (ring.rival, ring.gm):
        assert "no Actions left · 1 movement left" in await ring.shown()
        await ring.ended(actor)
    assert "1 Action left" in await ring.shown()


async def test_whoever_says_nothing_does_not_interrupt(ring: Ring) -> None:
    """At its deadline it is rolled without a die, and whoever presses later is told so; nothing else is done in the turn before."""
    await armed(ring)
    await tries(ring, "flee")
    assert "is waiting for answers" in await tries(ring, "Kneel")
    assert "is waiting for answers" in text(response(await ring.use("turn", ring.rival)))
    assert "is waiting for answers" in refused(await ring.click("turn", ring.player))
    assert "is waiting for answers" in await tries(ring, "flee")
    late = key(asked(ring), "No")
    await says(ring, ring.rival, "No")
    ring.world.clock.advance(hours=24)
    await ring.world.env.advance_time(25)
    assert "Got away: no one interrupts" in "\n".join(text(message) for message in ring.world.orders.history())
    assert KAI not in await ring.shown()
    answer = refused(await send_raw(ring.gm, ring.world.orders, late))
    assert "is rolled: entry #" in answer


@pytest.mark.slow
async def test_only_those_are_asked_who_can(ring: Ring) -> None:
    """Allies, arriving, stunned and spent characters aren't asked, so that it is rolled at once; Artificial Strength can't flee while an ally of another race fights."""
    await ring.gm.slash(ring.world.orders, "character add", name="Haas", owner=ring.player)
    await armed(ring, f"{KAI}, {CHAR}, Haas")
    await ring.use("join", character=GUARD)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Stunned")
    for name, option in ((KAI, "Artificial Strength"), ("Haas", "Old Mind")):
        await ring.save({name: f"option: {option}"})
    assert "doesn't allow fleeing" in await tries(ring, "flee")
    await ring.save({KAI: "option: Old Mind"})
    assert "Got away: no one interrupts" in await tries(ring, "flee")
    assert f"**{KAI}** is out of the fight" in ring.posted()


@pytest.mark.parametrize("holder", [pytest.param(True, marks=pytest.mark.slow), False], ids=["holder", "held"])
async def test_a_hold_ends_with_a_flight(ring: Ring, *, holder: bool) -> None:
    """Nobody is held by somebody who is not there, and nobody holds who is gone (line 430)."""
    await armed(ring, f"{KAI}, {CHAR}")
    ring.world.dice.script_dice((100, 60), (100, 20))
    await ring.player.slash(ring.world.orders, "roe act", what="Grab", target=CHAR, roll="now")
    await ring.ended(ring.player)
    if holder:
        await ring.ended(ring.rival)
    fleer, other = (ring.player, ring.rival) if holder else (ring.rival, ring.player)
    await tries(ring, "flee", fleer)
    await says(ring, other, "No")
    assert "is out of the fight" in ring.posted()
    assert not [name for _, name, _ in ring.kept() if name in {"effect.holding", "effect.held"}]


async def test_a_third_flight_is_refused(ring: Ring) -> None:
    """Two may be tried in a fight, stopped or not; a game master's press rolls with the answers that are in. Who was Wounded until four hours ago is asked, too."""
    await armed(ring)
    for who in (CHAR, GUARD):
        await ring.gm.slash(ring.world.orders, "effect set", who=who, effect="Wounded")
    ring.world.clock.advance(hours=4)
    for word in ("No", "Roll now"):
        assert "Flight made" in await tries(ring, "flee")
        await says(ring, ring.rival, "Interrupt", weapon="", metres="1")
        ring.world.dice.script_dice((100, 10), (100, 30), (50, 1))
        assert "Stopped by a hit: 1 damage" in await says(ring, ring.gm, word)
        for actor in (ring.player, ring.rival, ring.gm):
            await ring.ended(actor)
    with nothing_written(ring.world):
        assert "Each character can try to flee 2 times per combat." in await tries(ring, "flee")


@pytest.mark.slow
async def test_a_refused_interrupt_names_a_weapon_that_can_be_used(ring: Ring) -> None:
    """One that owes a reload or is not drawn; of those at hand the first that reaches is named, to whoever answers last too."""
    await armed(ring)
    arms = "weapons: Rifle = M_s_Rifle, Bolter = L_s_Rifle"
    await ring.save({CHAR: f"hp: 20; {arms}"})
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.ended(actor)
    await tries(ring, "flee")
    refusal = await says(ring, ring.rival, "Interrupt", weapon="Bolter", metres="15")
    assert_says(refusal, "Bolter isn't in hand", "Char can interrupt with Unarmed, from 1 m.")
    await says(ring, ring.gm, "No")
    assert "Char can interrupt with Unarmed, from 1 m." in await says(
        ring, ring.rival, "Interrupt", weapon="Rifle", metres="15"
    )
    assert rows(ring.world, "select state from pending") == [("open",)]


async def test_nobody_reads_of_a_secret_fighter_who_may_interrupt(ring: Ring) -> None:
    """Neither what is asked nor when it is rolled tells of one; the staff can still interrupt with that one."""
    await armed(ring, f"{KAI}, {SHADOW}, {CHAR}")
    await tries(ring, "flee")
    message = asked(ring)
    assert_lacks(text(message), SHADOW, "unknown")
    await says(ring, ring.rival, "No")
    assert f"**{KAI}** is out of the fight" in "\n".join(text(item) for item in ring.world.orders.history())


@pytest.mark.slow
async def test_a_secret_fighter_interrupts_unseen(ring: Ring) -> None:
    """The staff answers for one before all others have; what comes of that is the staff's alone, and whoever is stopped stays."""
    await armed(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
    await tries(ring, "flee")
    which = await ring.gm.click(asked(ring), custom_id=key(asked(ring), "Interrupt"))
    assert labels(response(which)) == [f"Interrupt: {SHADOW}", f"Interrupt: {GUARD}"]
    assert f"Nothing is waiting for {SHADOW}." in text(response(which))
    window = await ring.gm.click(response(which), custom_id=key(response(which), f"Interrupt: {SHADOW}"))
    await ring.gm.submit_modal(window, {"weapon": "", "metres": "1"})
    assert "Still to answer" not in text(asked(ring))
    await says(ring, ring.gm, "No")
    ring.world.dice.script_dice((100, 60), (100, 70), (6, 3))
    assert SHADOW not in await says(ring, ring.rival, "No")
    assert SHADOW not in "\n".join(text(message) for message in ring.world.orders.history())
    assert SHADOW in text(newest(ring.world.staff))
    assert f"**{KAI}**" in await ring.shown(ring.player)


@pytest.mark.slow
async def test_a_receipt_of_a_flight_tells_no_player_of_a_secret_interrupter(ring: Ring) -> None:
    """Whoever answers last reads of those whom all saw interrupt, a game master of each by name."""
    for last, told_of in ((ring.rival, False), (ring.gm, True)):
        await armed(ring, f"{KAI}, {SHADOW}, {CHAR}, {GUARD}")
        await tries(ring, "flee")
        which = response(await ring.gm.click(asked(ring), custom_id=key(asked(ring), "Interrupt")))
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
    """Try again opens the window of that fighter with what was typed, although the player has another one to answer for."""
    await ring.gm.slash(ring.world.orders, "character edit", name=GUARD, owner=ring.rival)
    await armed(ring)
    await tries(ring, "flee")
    await ring.rival.click(asked(ring), custom_id=key(asked(ring), "No"))
    which = await ring.rival.click(asked(ring), custom_id=key(asked(ring), "Interrupt"))
    window = await ring.rival.click(response(which), label=f"Interrupt: {GUARD}")
    refusal = await ring.rival.submit_modal(window, {"weapon": "Rocket", "metres": "7"})
    again = await ring.rival.click(response(refusal), label="Try again")
    assert again.modal is not None
    assert again.modal["title"] == "Guard against Kai"
    assert [item["component"]["value"] for item in again.modal["components"]] == ["Rocket", "7"]
