"""`/roe capture`: detaining, cuffs, escapes by the clock, releases, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.aftermath.aftermath import strike_down, value
from tests.cogs.roe.attacking import refusal as denied
from tests.cogs.roe.attacking import roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.support.acting import effect_ended, take_back
from tests.support.reading import assert_says, components, refused, response, said


async def detain_char(ring: Ring) -> None:
    """Strike Char down, and let Kai take them captive."""
    await strike_down(ring)
    assert "Held captive" in await roe(ring, "capture", ring.player, how="detain", who=CHAR, roll="now")


async def try_escape(ring: Ring, *faces: int) -> str:
    """Let Char's player ask for an escape with these faces, and Kai's agree."""
    assert "Request made" in await roe(ring, "capture", ring.rival, how="escape")
    ring.world.dice.script_dice(*((100, face) for face in faces))
    return read_answers(await ring.click("answer:0:yes", ring.player))


async def test_the_wounded_are_detained(ring: Ring) -> None:
    """Only a helpless character is detained, once; the captor or a game master releases them; the captor takes one thing."""
    asked = {"how": "detain", "who": CHAR, "roll": "now"}
    thing: dict[str, Any] = {"how": "captor", "roll": "now", "from": CHAR}
    assert "isn't Wounded, stunned or cuffed" in await denied(ring, "capture", ring.player, **asked)
    assert "isn't Kai's captive" in await denied(ring, "take", ring.player, **thing)
    await denied(ring, "take", ring.player, **{"how": "body", "from": CHAR})
    await denied(ring, "capture", ring.player, how="detain", who=CHAR)
    await denied(ring, "capture", ring.player, how="pick")
    await detain_char(ring)
    assert "is already a captive" in await denied(ring, "capture", ring.player, **asked)
    assert value(ring, CHAR, "captive")["by"] == ring.number(KAI)
    assert "held by Kai" in said(await ring.gm.slash(ring.world.orders, "captives"))
    assert "One thing taken" in await roe(ring, "take", ring.player, **thing)
    assert "was already looted" in await denied(ring, "take", ring.player, **thing)
    assert "is a captive of Kai" in await denied(ring, "capture", ring.rival, how="release", who=CHAR, roll="now")
    assert "don't know of a captive" in await denied(ring, "capture", how="release", who=GUARD, roll="now")
    assert "Free" in await roe(ring, "capture", ring.player, how="release", who=CHAR, roll="now")
    assert value(ring, CHAR, "captive") is None
    number = value(ring, CHAR, "fate")["entry"]
    await take_back(ring.world, "gm undo", entry=number, reason="slip")
    assert value(ring, CHAR, "captive")["by"] == ring.number(KAI)
    assert "Free" in await roe(ring, "capture", how="release", who=CHAR, roll="now")


async def test_a_fights_captive_isnt_offered_the_campaigns_escape(ring: Ring) -> None:
    """Each refusal names the book's own escape. Interrogations are still possible."""
    await detain_char(ring)
    hint = "Use /roe capture with how: escape."
    assert await ring.rival.autocomplete(ring.world.orders, "escape", "captive", "") == []
    for actor, roll in ((ring.rival, {}), (ring.gm, {"roll": "now"}), (ring.gm, {})):
        assert hint in refused(await actor.slash(ring.world.orders, "escape", captive=CHAR, **roll))
    for actor in (ring.rival, ring.gm):
        assert hint in refused(await actor.slash(ring.world.orders, "order give", kind="Escape", who=CHAR))
        assert "'Escape'" not in str(await actor.autocomplete(ring.world.orders, "order give", "kind", "", who=CHAR))
        assert await actor.autocomplete(ring.world.orders, "order give", "who", "", kind="Escape") == []
    asked = {"kind": "Interrogate a captive", "who": KAI, "to": CHAR}
    assert "Order given" in said(await ring.gm.slash(ring.world.orders, "order give", **asked))
    shown = response(await ring.gm.slash(ring.world.orders, "captives", captive=CHAR))
    labels = [item["label"] for item in components(shown) if item["type"] == 2]
    assert "Escape" not in labels
    assert "Interrogate" in labels


async def test_an_escape_goes_by_the_clock(ring: Ring) -> None:
    """Not in the first four hours, nor half an hour after a failure; the captor's player agrees; three successes free."""
    assert "isn't a captive" in await denied(ring, "capture", ring.player, how="escape")
    assert "isn't yours" in await denied(ring, "capture", ring.player, how="escape", who=CHAR)
    await detain_char(ring)
    what = await denied(ring, "capture", ring.rival, how="escape")
    assert_says(what, "Char hasn't been held for 4 hours yet.", "The next try is possible on ")
    ring.world.clock.advance(hours=4)
    assert "Request made" in await roe(ring, "capture", ring.rival, how="escape")
    assert "the other side answers it" in refused(await ring.click("answer:0:yes", ring.rival))
    assert "isn't for you to answer" in refused(await ring.click("answer:0:yes", ring.gm))
    ring.world.dice.script_dice((100, 80), (100, 12), (100, 99))
    assert "Still captive" in read_answers(await ring.click("answer:0:yes", ring.player))
    again = await denied(ring, "capture", ring.rival, how="escape")
    assert_says(again, "Char failed to escape recently.", "The next try is possible on ")
    ring.world.clock.advance(minutes=30)
    ring.world.dice.script_dice((100, 1), (100, 1), (100, 1))
    assert "Still captive" in await roe(ring, "capture", how="escape", who=CHAR, roll="now")
    assert "Successes towards an escape**: 2" in await roe(ring, "wounds", ring.rival)
    ring.world.clock.advance(minutes=30)
    assert "Free" in await try_escape(ring, 80)
    assert value(ring, CHAR, "captive") is None
    assert value(ring, CHAR, "fate")["fate"] == "escaped"
    assert not [name for _, name, _ in ring.read_state() if name.startswith("effect.escape")]


@pytest.mark.slow
async def test_who_was_looted_in_the_fight_is_not_looted_as_a_captive(ring: Ring) -> None:
    """A loot that found nothing doesn't count."""
    await strike_down(ring)
    ring.world.dice.script_dice((100, 60), (100, 40), (3, 3))
    await roe(ring, "take", ring.player, how="body", size=3, roll="now", **{"from": CHAR})
    await roe(ring, "capture", ring.player, how="detain", who=CHAR, roll="now")
    asked: dict[str, Any] = {"how": "captor", "roll": "now", "from": CHAR}
    assert "was already looted" in await denied(ring, "take", ring.player, **asked)


async def test_cuffs_close_on_the_helpless_and_are_used_up(ring: Ring) -> None:
    """They need no dice on the Wounded, once in a fight; the lock has one try, at 65 and more."""
    await strike_down(ring)
    assert "Cuffed" in await roe(ring, "capture", ring.player, how="cuff", who=CHAR, roll="now")
    assert "already cuffed" in await denied(ring, "capture", ring.player, how="cuff", who=CHAR, roll="now")
    used = await denied(ring, "capture", ring.player, how="cuff", who=GUARD, roll="now")
    assert "handcuffs once per fight" in used
    searched = await roe(ring, "take", ring.player, how="body", roll="now", **{"from": CHAR})
    assert "Inventory shown" in searched
    assert "isn't cuffed" in await denied(ring, "capture", ring.player, how="pick", roll="now")
    assert "no more tries" in await roe(ring, "capture", ring.rival, (100, 64), how="pick", roll="now")
    assert "only one try" in await denied(ring, "capture", ring.rival, how="pick", roll="now")
    number = value(ring, CHAR, "effect.lock-tried")["entry"]
    await take_back(ring.world, "gm undo", entry=number, reason="slip")
    assert "Out of the cuffs" in await roe(ring, "capture", ring.rival, (100, 65), how="pick", roll="now")
    assert value(ring, CHAR, "effect.cuffed") is None


@pytest.mark.slow
async def test_cuffs_fail_on_who_resists(ring: Ring) -> None:
    """A player is asked to surrender; a stunned character resists by dodge; on others cuffs fail and are used up."""
    cuff: dict[str, Any] = {"how": "cuff", "who": CHAR}
    assert "Request made" in await roe(ring, "capture", ring.player, **cuff, surrenders=True)
    assert "Cuffed" in read_answers(await ring.click("answer:0:yes", ring.rival))
    given_up: dict[str, Any] = {"how": "detain", "who": GUARD, "character": KAI, "surrenders": True}
    assert "Held captive" in await roe(ring, "capture", **given_up, roll="now")
    await effect_ended(ring.gm, ring.world.orders, who=CHAR, effect="Cuffed")
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Stunned", until="cleared")
    for face, words in ((50, "Not cuffed"), (51, "Cuffed")):
        assert words in await roe(ring, "capture", ring.player, (100, face), (100, 50), **cuff, roll="now")
    for effect in ("Cuffed", "Stunned"):
        await effect_ended(ring.gm, ring.world.orders, who=CHAR, effect=effect)
    await ring.begin()
    assert "Not cuffed" in await roe(ring, "capture", ring.player, **cuff, roll="now")
    assert value(ring, CHAR, "effect.cuffed") is None
    assert "handcuffs once per fight" in await denied(ring, "capture", ring.player, **cuff, roll="now")


@pytest.mark.slow
async def test_what_hangs_on_a_wound_is_taken_back_with_it(ring: Ring) -> None:
    """Undoing a wound undoes its loot, a captivity its escapes, cuffs their lock."""
    await strike_down(ring)
    await roe(ring, "take", ring.player, (100, 60), (100, 40), how="body", roll="now", **{"from": CHAR})
    await roe(ring, "capture", ring.player, how="detain", who=CHAR, roll="now")
    await roe(ring, "capture", ring.player, how="cuff", who=CHAR, roll="now")
    await roe(ring, "capture", ring.rival, (100, 2), how="pick", roll="now")
    ring.world.clock.advance(hours=4)
    await try_escape(ring, 80, 12, 99)
    entries = [value(ring, CHAR, name)["entry"] for name in ("captive", "effect.cuffed", "effect.wounded")]
    for entry, left in zip(entries, ("effect.escape-hits", "effect.lock-tried", "looted"), strict=True):
        assert value(ring, CHAR, left) is not None
        await take_back(ring.world, "gm undo", entry=entry, reason="slip")
        assert value(ring, CHAR, left) is None


@pytest.mark.slow
async def test_who_was_taken_by_captive_take_escapes_by_the_same_rules(ring: Ring) -> None:
    """`/capture` makes the same captivity; game masters agree for a side."""
    orders = ring.world.orders
    await ring.gm.slash(orders, "roster add", name="Den", kind="base")
    await ring.gm.slash(orders, "capture", captive=CHAR, by="Zeon", at="Den")
    assert "Release them with /captives" in await denied(ring, "capture", how="release", who=CHAR, roll="now")
    ring.world.clock.advance(hours=4)
    assert "isn't a captive" in await denied(ring, "capture", ring.player, how="escape", who=KAI)
    assert "Request made" in await roe(ring, "capture", ring.rival, how="escape")
    ring.world.dice.script_dice((100, 80), (100, 90), (100, 100))
    assert "Free" in read_answers(await ring.click("answer:0:yes", ring.gm))
    assert value(ring, CHAR, "captive") is None
