"""What a turn may not do while a flight or an attack of it waits for others' answers, and what does not count as such."""

from __future__ import annotations

import pytest

from tests.cogs.roe import test_dodges as dodges
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.cogs.roe.flights.test_flights import armed, says, tries
from tests.rolls.pending.test_answers import key, labels
from tests.support.reading import offers, refused, response
from tests.support.world import nothing_written, rows

WAITS = "is waiting for answers"


async def test_nothing_else_is_done_while_a_flight_waits(ring: Ring) -> None:
    """What the flight costs is not spent meanwhile: it could not be rolled any more when all have answered."""
    await armed(ring)
    await tries(ring, "flee")
    with nothing_written(ring.world):
        for command, options in (("act", {"what": "Move"}), ("attack", {"target": GUARD, "roll": "now"})):
            assert WAITS in refused(await ring.player.slash(ring.world.orders, f"roe {command}", **options))
    card = await ring.told("turn", ring.player)
    assert f"{WAITS}. Nothing else can happen until then" in card
    assert "Move" not in card
    for actor in (ring.player, ring.rival, ring.gm):
        assert f"{KAI}'s flight {WAITS}." in await ring.shown(actor)
    shown = [response(await ring.use(name, ring.player)) for name in ("turn", "show")]
    assert not [message for message in shown if offers(message, "turn")]
    ordered = await ring.use("order", names=f"{KAI}, {GUARD}, {CHAR}")
    assert f"{KAI}'s flight {WAITS}." in told(ordered)
    assert not offers(response(ordered), "turn")
    await says(ring, ring.rival, "No")
    assert "Got away: no one interrupts" in await says(ring, ring.gm, "No")
    assert WAITS not in await ring.shown(ring.rival)


@pytest.mark.slow
async def test_nothing_else_is_done_while_an_attack_waits(ring: Ring) -> None:
    """While an attack waits, no other is made, and the fight neither ends nor changes its mode; once it is withdrawn, both work."""
    await dodges.armed(ring)
    await dodges.attacks(ring, CHAR)
    for target in (CHAR, GUARD):
        assert WAITS in await dodges.attacks(ring, target)
    assert WAITS in await ring.denied("mode", reason="because")
    window = await ring.use("end")
    assert WAITS in refused(await ring.click("end", ring.gm, window.response))
    waiting = [message for message in ring.world.orders.history() if "Withdraw" in labels(message)][-1]
    await ring.player.click(waiting, custom_id=key(waiting, "Withdraw"))
    assert rows(ring.world, "select state from pending") == [("withdrawn",)]
    await ring.use("mode", reason="because")
    assert "The fight is over" in told(await ring.click("end", ring.gm, window.response))


async def test_a_request_to_surrender_holds_up_no_turn(ring: Ring) -> None:
    """It is no act of the turn: the turn ends while somebody is still asked."""
    await armed(ring)
    asked = {"how": "cuff", "who": CHAR, "surrenders": True, "character": KAI}
    assert "Request made" in told(await ring.player.slash(ring.world.orders, "roe capture", **asked))
    assert "Done" in await ring.ended(ring.player)
