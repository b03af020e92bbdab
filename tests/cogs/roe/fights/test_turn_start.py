"""The end of a turn and the start of the next: damage, ended effects, posts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import count_lost as health
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.support.acting import removed, take_back
from tests.support.reading import assert_says, offers, response, text
from tests.support.world import entry, rows

BURN = (10, 7)


async def befallen(ring: Ring, who: str, effect: str, **options: Any) -> None:  # noqa: ANN401 - as simcord takes them
    """Set an effect by hand."""
    await ring.gm.slash(ring.world.orders, "gm effect", who=who, effect=effect, **options)


def posts(ring: Ring, count: int) -> list[str]:
    """Return the newest messages of #orders."""
    return [text(message) for message in ring.world.orders.history()[-count:]]


async def test_what_lasts_takes_hp_at_the_start_of_a_turn(ring: Ring) -> None:
    """Bleeding ignores DR, a burn doesn't; the post follows the turn's; a void gives HP back."""
    await ring.save({"Char": "hp: 30; dr: 2"})
    await ring.begin()
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Chemical burn")
    kept = ring.read_state()
    ring.world.dice.script_dice(BURN)
    await ring.end_turn(ring.player)
    turn, start = posts(ring, 2)
    assert_says(
        turn, "round 1, Char's turn", "Effects on **Char**: Bleeding (5 turns left) · Chemical burn (3 turns left)"
    )
    assert_says(start, "10 damage", "Bleed", "7 less 2 DR = 5 HP")
    assert health(ring, CHAR) == 10
    await void_earlier(ring, 1)
    assert ring.read_state() == kept
    ring.world.dice.script_dice(BURN)
    await ring.click("turn", ring.player, response(await ring.use("turn", ring.player)))
    assert health(ring, CHAR) == 10
    await void_earlier(ring, 0)
    assert health(ring, CHAR) == 0
    assert f"It's **{CHAR}**'s turn." in await ring.run("turn", ring.rival)


@pytest.mark.slow
async def test_a_turn_in_which_nothing_befalls_has_no_roll(ring: Ring) -> None:
    """Without effects or HP there's no roll; an expired effect costs nothing and isn't listed."""
    await ring.begin()
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Wounded")
    ring.world.clock.advance(hours=4)
    await ring.end_turn(ring.player)
    assert entry(ring.world)["deed"] == "turn"
    assert "Wounded" not in ring.read_newest()
    assert "1 Action left · 1 movement left" in await ring.run("turn", ring.rival)
    await ring.end_turn(ring.rival)
    assert entry(ring.world)["deed"] == "turn"


@pytest.mark.slow
async def test_hp_come_back_each_round_by_a_racial_option(ring: Ring) -> None:
    """Two HP a round, never above full."""
    await ring.save({"Char": "hp: 30; option: Healing Factor"})
    await ring.begin()
    await befallen(ring, CHAR, "Bleeding", turns=1)
    await ring.end_turn(ring.player)
    assert "5 damage, 2 HP back" in ring.read_newest()
    for lost in (1, 0, 0):
        await ring.end_turn(ring.rival)
        await ring.end_turn(ring.player)
        assert health(ring, CHAR) == lost
    assert entry(ring.world)["deed"] == "turn"


async def test_somebody_goes_down_by_what_lasts(ring: Ring) -> None:
    """At 0 HP a fighter is Wounded without a saving roll, and the turn passes on."""
    await ring.save({"Char": "hp: 4"})
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await befallen(ring, CHAR, "Bleeding")
    await ring.end_turn(ring.player)
    start, passed = posts(ring, 2)
    assert "5 damage; down" in start
    assert f"round 1, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in passed
    assert any(name == "effect.wounded" for _, name, _ in ring.read_state())
    await ring.end_turn(ring.gm)
    await ring.end_turn(ring.player)
    assert health(ring, CHAR) == 4
    assert entry(ring.world)["deed"] == "down"


async def void_earlier(ring: Ring, behind: int) -> None:
    """Void the entry this far behind the newest."""
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await take_back(ring.world, "gm undo", entry=number - behind, reason="too early")


@pytest.mark.slow
async def test_what_a_turn_has_ended_is_told(ring: Ring) -> None:
    """The post says what ended, and what lasts on the next fighter."""
    await ring.begin()
    await befallen(ring, KAI, "Stunned")
    await befallen(ring, CHAR, "Prone")
    await ring.end_turn(ring.player)
    assert "round 1, Char's turn\n**Kai** has ended their turn.\nEffects on **Char**: Prone" in ring.read_newest()
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.player)
    assert (
        "round 2, Char's turn\n**Kai** has ended their turn.\nEnded: **Kai**: Stunned.\nEffects on **Char**: Prone"
        in ring.read_newest()
    )


@pytest.mark.slow
async def test_what_befalls_somebody_secret_is_for_the_staff(ring: Ring) -> None:
    """The channel reads the next turn as if the secret one didn't exist."""
    await ring.save({"Shadow": "hp: 30", "Char": "hp: 30"})
    await ring.begin(f"{KAI}, {SHADOW}, {CHAR}")
    await befallen(ring, SHADOW, "Bleeding")
    await befallen(ring, CHAR, "Bleeding")
    await ring.end_turn(ring.player)
    before = len(ring.world.orders.history())
    assert health(ring, CHAR) == 5
    assert health(ring, SHADOW) == 5
    await ring.click("turn", ring.gm, response(await ring.use("turn")))
    assert len(ring.world.orders.history()) == before
    assert health(ring, CHAR) == 5


@pytest.mark.slow
async def test_a_turn_that_begins_since_somebody_is_removed_is_posted(ring: Ring) -> None:
    """With its buttons and effects; the post before loses its buttons."""
    await ring.save({"Char": "hp: 30"})
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Stunned")
    await removed(ring.world, name=KAI)
    turn, start = posts(ring, 2)
    assert_says(turn, "round 1, Char's turn", "turn it was is gone.\nEffects on **Char**: Bleeding (5 turns left)")
    assert "5 damage" in start
    assert health(ring, CHAR) == 5
    assert sum(offers(message, "turn") for message in ring.world.orders.history()) == 1
    assert "No Actions left · 1 movement left" in await ring.run("turn", ring.rival)


@pytest.mark.slow
async def test_that_somebody_secret_is_removed_shows_to_nobody(ring: Ring) -> None:
    """The turn that others see goes on."""
    await ring.begin(f"{KAI}, {SHADOW}, {CHAR}")
    await ring.end_turn(ring.player)
    before = len(ring.world.orders.history())
    await removed(ring.world, name=SHADOW)
    assert len(ring.world.orders.history()) == before
    await ring.end_turn(ring.rival)
    assert f"round 2, {KAI}'s turn" in ring.read_newest()


@pytest.mark.slow
async def test_a_hold_that_nothing_was_done_with_is_lost_at_the_end_of_the_turn(ring: Ring) -> None:
    """On both sides, in the post; a void restores it."""
    await ring.save({"Kai": "hp: 30", "Char": "hp: 30"})
    await ring.begin()
    ring.world.dice.script_dice((100, 60), (100, 20))
    await ring.player.slash(ring.world.orders, "roe act", what="Grab", target=CHAR, roll="now")
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    kept = ring.read_state()
    await ring.end_turn(ring.player)
    assert "Ended: **Kai**: Holding someone; **Char**: Held." in ring.read_newest()
    assert not [name for _, name, _ in ring.read_state() if name in {"effect.holding", "effect.held"}]
    await void_earlier(ring, 0)
    assert ring.read_state() == kept
