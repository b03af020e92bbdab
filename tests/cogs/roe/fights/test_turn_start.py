"""What the end of a turn and the start of the next one bring: what lasts takes its HP, what is past ends, and all of it is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.attacking import lost as health
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring
from tests.support.acting import confirmed, take_back
from tests.support.reading import assert_says, offers, response, text
from tests.support.world import entry, rows

BURN = (10, 7)


async def befallen(ring: Ring, who: str, effect: str, **options: Any) -> None:  # noqa: ANN401 - as simcord takes them
    """Let an effect befall somebody by hand."""
    await ring.gm.slash(ring.world.orders, "effect set", who=who, effect=effect, **options)


def posts(ring: Ring, count: int) -> list[str]:
    """The newest messages of #orders."""
    return [text(message) for message in ring.world.orders.history()[-count:]]


async def test_what_lasts_takes_hp_at_the_start_of_a_turn(ring: Ring) -> None:
    """Bleeding takes 5 regardless of DR, a burn its dice less DR once; the post follows the turn's own; voiding the turn's end, or the damage alone, gives HP back."""
    await ring.save({"Char": "hp: 30; dr: 2"})
    await ring.begun()
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Chemical burn")
    kept = ring.kept()
    ring.world.dice.script_dice(BURN)
    await ring.ended(ring.player)
    turn, start = posts(ring, 2)
    assert_says(
        turn, "round 1, Char's turn", "Effects on **Char**: Bleeding (5 turns left) · Chemical burn (3 turns left)"
    )
    assert_says(start, "10 damage", "Bleed", "7 less 2 DR = 5 HP")
    assert health(ring, CHAR) == 10
    await voided(ring, 1)
    assert ring.kept() == kept
    ring.world.dice.script_dice(BURN)
    await ring.click("turn", ring.player, response(await ring.use("turn", ring.player)))
    assert health(ring, CHAR) == 10
    await voided(ring, 0)
    assert health(ring, CHAR) == 0
    assert f"It's **{CHAR}**'s turn." in await ring.told("turn", ring.rival)


@pytest.mark.slow
async def test_a_turn_in_which_nothing_befalls_has_no_roll(ring: Ring) -> None:
    """There is no roll if nothing lasts or HP are unknown; an effect that has expired costs no Action or movement and isn't listed."""
    await ring.begun()
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Wounded")
    ring.world.clock.advance(hours=4)
    await ring.ended(ring.player)
    assert entry(ring.world)["deed"] == "turn"
    assert "Wounded" not in ring.posted()
    assert "1 Action left · 1 movement left" in await ring.told("turn", ring.rival)
    await ring.ended(ring.rival)
    assert entry(ring.world)["deed"] == "turn"


@pytest.mark.slow
async def test_hp_come_back_each_round_by_a_racial_option(ring: Ring) -> None:
    """Two HP a round, never above the full ones, and none once all are there."""
    await ring.save({"Char": "hp: 30; option: Healing Factor"})
    await ring.begun()
    await befallen(ring, CHAR, "Bleeding", turns=1)
    await ring.ended(ring.player)
    assert "5 damage, 2 HP back" in ring.posted()
    for lost in (1, 0, 0):
        await ring.ended(ring.rival)
        await ring.ended(ring.player)
        assert health(ring, CHAR) == lost
    assert entry(ring.world)["deed"] == "turn"


async def test_somebody_goes_down_by_what_lasts(ring: Ring) -> None:
    """Whoever has no HP left is Wounded, without a saving roll, and the turn passes on at once; later turns take nothing more."""
    await ring.save({"Char": "hp: 4"})
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await befallen(ring, CHAR, "Bleeding")
    await ring.ended(ring.player)
    start, passed = posts(ring, 2)
    assert "5 damage; down" in start
    assert f"round 1, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in passed
    assert any(name == "effect.wounded" for _, name, _ in ring.kept())
    await ring.ended(ring.gm)
    await ring.ended(ring.player)
    assert health(ring, CHAR) == 4
    assert entry(ring.world)["deed"] == "down"


async def voided(ring: Ring, behind: int) -> None:
    """Take back the entry that is so many behind the newest."""
    (number,) = rows(ring.world, "select max(number) from entry")[0]
    await take_back(ring.world, "void", entry=number - behind, reason="too early")


@pytest.mark.slow
async def test_what_a_turn_has_ended_is_told(ring: Ring) -> None:
    """The post of the turn's end tells what is over by it, and what still stands on whoever is next."""
    await ring.begun()
    await befallen(ring, KAI, "Stunned")
    await befallen(ring, CHAR, "Prone")
    await ring.ended(ring.player)
    assert "round 1, Char's turn\n**Kai** has ended their turn.\nEffects on **Char**: Prone" in ring.posted()
    await ring.ended(ring.rival)
    await ring.ended(ring.player)
    assert (
        "round 2, Char's turn\n**Kai** has ended their turn.\nEnded: **Kai**: Stunned.\nEffects on **Char**: Prone"
        in ring.posted()
    )


@pytest.mark.slow
async def test_what_befalls_somebody_secret_is_for_the_staff(ring: Ring) -> None:
    """The channel reads nothing of it, and of the next one's turn as if nobody had come before."""
    await ring.save({"Shadow": "hp: 30", "Char": "hp: 30"})
    await ring.begun(f"{KAI}, {SHADOW}, {CHAR}")
    await befallen(ring, SHADOW, "Bleeding")
    await befallen(ring, CHAR, "Bleeding")
    await ring.ended(ring.player)
    before = len(ring.world.orders.history())
    assert health(ring, CHAR) == 5
    assert health(ring, SHADOW) == 5
    await ring.click("turn", ring.gm, response(await ring.use("turn")))
    assert len(ring.world.orders.history()) == before
    assert health(ring, CHAR) == 5


@pytest.mark.slow
async def test_a_turn_that_begins_since_somebody_is_removed_is_posted(ring: Ring) -> None:
    """With its end, what lasts and what befalls; nothing is to be pressed under the post of the turn before."""
    await ring.save({"Char": "hp: 30"})
    await ring.begun(f"{KAI}, {CHAR}, {GUARD}")
    await befallen(ring, CHAR, "Bleeding")
    await befallen(ring, CHAR, "Stunned")
    await confirmed(ring.world, "character remove", name=KAI)
    turn, start = posts(ring, 2)
    assert_says(turn, "round 1, Char's turn", "turn it was is gone.\nEffects on **Char**: Bleeding (5 turns left)")
    assert "5 damage" in start
    assert health(ring, CHAR) == 5
    assert sum(offers(message, "turn") for message in ring.world.orders.history()) == 1
    assert "No Actions left · 1 movement left" in await ring.told("turn", ring.rival)


@pytest.mark.slow
async def test_that_somebody_secret_is_removed_shows_to_nobody(ring: Ring) -> None:
    """The turn that all others see as begun goes on."""
    await ring.begun(f"{KAI}, {SHADOW}, {CHAR}")
    await ring.ended(ring.player)
    before = len(ring.world.orders.history())
    await confirmed(ring.world, "character remove", name=SHADOW)
    assert len(ring.world.orders.history()) == before
    await ring.ended(ring.rival)
    assert f"round 2, {KAI}'s turn" in ring.posted()


@pytest.mark.slow
async def test_a_hold_that_nothing_was_done_with_is_lost_at_the_end_of_the_turn(ring: Ring) -> None:
    """On both sides, which the post tells; taking the turn's end back lets it be again."""
    await ring.save({"Kai": "hp: 30", "Char": "hp: 30"})
    await ring.begun()
    ring.world.dice.script_dice((100, 60), (100, 20))
    await ring.player.slash(ring.world.orders, "roe act", what="Grab", target=CHAR, roll="now")
    await ring.ended(ring.player)
    await ring.ended(ring.rival)
    kept = ring.kept()
    await ring.ended(ring.player)
    assert "Ended: **Kai**: Holding someone; **Char**: Held." in ring.posted()
    assert not [name for _, name, _ in ring.kept() if name in {"effect.holding", "effect.held"}]
    await voided(ring, 0)
    assert ring.kept() == kept
