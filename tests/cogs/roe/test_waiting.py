"""What a turn can't do while a flight or attack waits."""

from __future__ import annotations

import pytest

from tests.cogs.roe import test_dodges as dodges
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.cogs.roe.flights.test_flights import arm_all, says, tries
from tests.rolls.pending.test_answers import key
from tests.support.reading import labels, offers, refused, response
from tests.support.world import nothing_written, rows

WAITS = "is waiting for answers"


async def test_nothing_else_is_done_while_a_flight_waits(ring: Ring) -> None:
    """Its cost must still be there at the roll."""
    await arm_all(ring)
    await tries(ring, "flee")
    with nothing_written(ring.world):
        for command, options in (("act", {"what": "Move"}), ("attack", {"target": GUARD, "roll": "now"})):
            assert WAITS in refused(await ring.player.slash(ring.world.orders, f"roe {command}", **options))
    card = await ring.run("turn", ring.player)
    assert f"{WAITS}. Nothing else can happen until then" in card
    assert "Move" not in card
    for actor in (ring.player, ring.rival, ring.gm):
        assert f"{KAI}'s flight {WAITS}." in await ring.show(actor)
    shown = [response(await ring.use(name, ring.player)) for name in ("turn", "show")]
    assert not [message for message in shown if offers(message, "turn")]
    ordered = await ring.use("order", names=f"{KAI}, {GUARD}, {CHAR}")
    assert f"{KAI}'s flight {WAITS}." in read_answers(ordered)
    assert not offers(response(ordered), "turn")
    await says(ring, ring.rival, "No")
    assert "Got away: no one interrupts" in await says(ring, ring.gm, "No")
    assert WAITS not in await ring.show(ring.rival)


@pytest.mark.slow
async def test_nothing_else_is_done_while_an_attack_waits(ring: Ring) -> None:
    """Nor does the fight end or change its mode; withdrawing frees it."""
    await dodges.arm_kai(ring)
    await dodges.attacks(ring, CHAR)
    for target in (CHAR, GUARD):
        assert WAITS in await dodges.attacks(ring, target)
    assert WAITS in await ring.fail("mode", reason="because")
    window = await ring.use("end")
    assert WAITS in refused(await ring.click("end", ring.gm, window.response))
    waiting = [message for message in ring.world.orders.history() if "Withdraw" in labels(message)][-1]
    await ring.player.click(waiting, custom_id=key(waiting, "Withdraw"))
    assert rows(ring.world, "select state from pending") == [("withdrawn",)]
    await ring.use("mode", reason="because")
    assert "The fight is over" in read_answers(await ring.click("end", ring.gm, window.response))


async def test_a_request_to_surrender_holds_up_no_turn(ring: Ring) -> None:
    """It isn't an act of the turn."""
    await arm_all(ring)
    asked = {"how": "cuff", "who": CHAR, "surrenders": True, "character": KAI}
    assert "Request made" in read_answers(await ring.player.slash(ring.world.orders, "roe capture", **asked))
    assert "Done" in await ring.end_turn(ring.player)
