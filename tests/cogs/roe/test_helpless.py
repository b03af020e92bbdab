"""Cuffed or downed characters don't resist (lines 168, 499)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.aftermath.aftermath import value
from tests.cogs.roe.attacking import count_lost, effects, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import read_denial
from tests.support.acting import confirmed, effect_ended
from tests.support.reading import assert_says, odds, response, text


async def helpless(ring: Ring, effect: str) -> None:
    """Begin a fight against someone under an effect; the Guard fights too."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}")
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect=effect)


async def again(ring: Ring, effect: str) -> None:
    """End turns until Kai's next one."""
    await round_over(ring, 2 if effect == "Wounded" else 3)


async def act(ring: Ring, what: str, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Do an act with exactly these dice; return the post."""
    answer = await roe(ring, "act", ring.gm, *dice, what=what, roll="now", **options)
    assert ("Rolled" if dice else "Done") in answer, answer
    ring.world.dice.finish()
    return ring.read_newest()


@pytest.mark.parametrize("effect", ["Cuffed", pytest.param("Wounded", marks=pytest.mark.slow)])
async def test_who_cannot_resist_is_grabbed_and_moved_without_dice(ring: Ring, effect: str) -> None:
    """The card says why; a throw still rolls damage, and searching still rolls both sides."""
    await helpless(ring, effect)
    card = response(await ring.player.slash(ring.world.orders, "roe act", what="Hide"))
    assert {*odds(card).values()} != {"100%"}
    assert "Hidden" not in await act(ring, "Hide", (100, 20), (100, 90), (100, 90))
    assert "hidden" not in effects(ring, KAI)
    await again(ring, effect)
    card = response(await ring.player.slash(ring.world.orders, "roe act", what="Grab", target=CHAR))
    assert odds(card) == {"Held": "100%"}
    assert f"{effect}: no resistance." in text(card)
    posted = await act(ring, "Grab", target=CHAR)
    assert f"{effect}: no resistance" in posted.replace("**", "")
    assert {"held"} <= {*effects(ring, CHAR)}
    await again(ring, effect)
    assert "Moved, up to" in await act(ring, "Drag held target")
    await again(ring, effect)
    await act(ring, "Throw held target into an object", (6, 4))
    assert count_lost(ring, CHAR) == 4
    assert "held" not in effects(ring, CHAR)


@pytest.mark.parametrize(
    ("effect", "dodges"), [pytest.param("Cuffed", False, marks=pytest.mark.slow), ("Wounded", True)]
)
async def test_who_is_wounded_dodges_a_disarming_and_an_injection(ring: Ring, effect: str, *, dodges: bool) -> None:
    """C31.1: the Wounded don't resist lifting or tying; the cuffed nothing (C37.1)."""
    await helpless(ring, effect)
    dice = [(100, 60), (100, 70)] if dodges else []
    posted = await act(ring, "Disarm", *dice, target=CHAR, value="Rifle")
    assert ("stays in hand" in posted, "no resistance" in posted.replace("**", "")) == (dodges, not dodges)
    await again(ring, effect)
    await act(ring, "Grab", target=CHAR)
    await again(ring, effect)
    posted = await act(ring, "Inject held target", *dice)
    assert ("Not injected" in posted) is dodges


@pytest.mark.slow
async def test_who_is_cuffed_breaks_no_hold(ring: Ring) -> None:
    """The lock comes first."""
    await start_fight(ring)
    await act(ring, "Grab", (100, 60), (100, 20), target=CHAR)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Cuffed")
    await ring.end_turn(ring.player)
    for what in ("Break free by dodging", "Break free by strength"):
        assert "can't resist" in await read_denial(ring, what, ring.rival, target=KAI)
    assert "held" in effects(ring, CHAR)


@pytest.mark.slow
async def test_who_is_cuffed_is_robbed_without_dice_but_witnesses_look_on(ring: Ring) -> None:
    """Only the victim resists (A5); witnesses roll as ever."""
    await helpless(ring, "Cuffed")
    ring.world.dice.script_dice((5, 4), (100, 80), (100, 20))
    options = {"how": "pocket", "size": 5, "roll": "now", "from": f"{CHAR}, Guard"}
    answer = await roe(ring, "take", ring.player, **options)
    assert_says(answer, "4 of 5 taken", "Unseen")
    ring.world.dice.script_dice((20, 19), (100, 10), (5, 4), (100, 30), (100, 40))
    answer = await roe(ring, "take", ring.player, **{**options, "from": f"Guard, {CHAR}"})
    assert "Seen" in answer
    assert value(ring, CHAR, "effect.cuffed") is not None


async def test_players_bring_nobody_wounded_into_a_fight(ring: Ring) -> None:
    """Except as the defender, or by a game master (line 168)."""
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Wounded")
    denied_start = await ring.fail("start", ring.rival, who=f"{KAI}, {CHAR}")
    assert "Char is Wounded and can't fight" in denied_start
    assert "<t:" not in denied_start
    assert "Done" in await ring.run("start", ring.player, who=f"{CHAR}, {KAI}")
    await confirmed(ring.world, "fight end")
    await ring.begin(f"{KAI}, Guard")
    assert "Char is Wounded" in await ring.fail("join", ring.rival, character=CHAR)
    ring.world.clock.advance(hours=4)
    assert "Char is Wounded" not in await ring.run("join", ring.rival, character=CHAR)


@pytest.mark.slow
async def test_haste_is_an_action_more(ring: Ring) -> None:
    """In each turn under it, counted in its giver's turns (lines 101, 442)."""
    await start_fight(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Hasted", turns=2, whose=KAI)
    await ring.end_turn(ring.player)
    assert "2 Actions left" in await ring.run("turn", ring.rival)
    await act(ring, "Aim", target=KAI)
    assert "1 Action left" in await ring.run("turn", ring.rival)
    await ring.end_turn(ring.rival)
    await round_over(ring)
    await ring.end_turn(ring.player)
    assert "1 Action left" in await ring.run("turn", ring.rival)


@pytest.mark.slow
async def test_a_skill_roll_against_who_cannot_resist_has_no_dice(ring: Ring) -> None:
    """C37.1, C31.1: the cuffed don't resist strength or treatment, the Wounded only strength."""
    held = ""
    for effect, skill, resists in (
        ("Wounded", "Strength", False),
        ("Wounded", "Medical", True),
        ("Cuffed", "Strength", False),
        ("Cuffed", "Medical", False),
        ("Cuffed", "Accuracy", True),
    ):
        if held:
            await effect_ended(ring.gm, ring.world.orders, who=CHAR, effect=held)
        await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect=effect)
        held = effect
        typed = {"skill": skill, "against": CHAR, "character": KAI}
        card = response(await ring.player.slash(ring.world.orders, "roe check", **typed))
        assert (f"{effect}: no resistance." in text(card)) is not resists
        ring.world.dice.script_dice(*([(100, 50), (100, 60)] if resists else []))
        rolled = text(response(await ring.player.slash(ring.world.orders, "roe check", roll="now", **typed)))
        assert ("Resisted" in rolled or "misses" in rolled) is resists, rolled
        ring.world.dice.finish()
