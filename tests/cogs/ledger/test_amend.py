"""`/gm amend`: a roll changes but keeps its dice, in state, channels and ledger."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import simcord

from tests.cogs.house_rules.homebrew import send_and_switch_on, table
from tests.cogs.ledger.test_void import PATROL, undo_entry, window
from tests.support.acting import effect_ended, fill_in, roll_command
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, entry_texts, nothing_written, rows, written

NEUTRAL = {**PATROL, "stance": "neutral"}


async def open_card(
    world: World, number: int, why: str = "A modifier was missed", actor: simcord.MemberActor | None = None
) -> Any:  # noqa: ANN401 - a response
    """Open a roll's card to amend it."""
    who = actor or world.gm
    shown = await who.slash(world.orders, "gm amend", entry=number)
    assert shown.modal is not None, said(shown)
    return response(await who.submit_modal(shown, {"reason": why}))


async def adjust(actor: simcord.MemberActor, card: Any, value: str, reason: str) -> None:  # noqa: ANN401
    """Add a modifier on a card."""
    shown = await actor.click(card, custom_id=press(card, "adjust"))
    assert shown.modal is not None
    table = {"table": ["campaign.patrol.catch"]} if "campaign.patrol.catch" in json.dumps(shown.modal) else {}
    await actor.submit_modal(shown, {"value": value, "reason": reason, **table})


async def press_amend(actor: simcord.MemberActor, card: Any) -> str:  # noqa: ANN401
    """Press Amend; return the answer."""
    await actor.click(card, custom_id=press(card, "roll"))
    return text(card)


async def amend_with(world: World, number: int, value: str, reason: str) -> str:
    """Amend a roll with one modifier; return the answer."""
    card = await open_card(world, number)
    await adjust(world.gm, card, value, reason)
    return await press_amend(world.gm, card)


async def test_the_dice_stay_and_what_it_did_moves(world: World) -> None:
    """Without its catch, a patrol leaves no stop and no write-up."""
    await roll_command(world, "patrol", 17, **PATROL, modifiers="+1 Radar")
    assert "effect.stop-used" in kept(world, "Kilo")
    card = await open_card(world, 3)
    assert "## Amend entry \\#3: Patrol" in text(card) or "## Amend entry #3: Patrol" in text(card)
    assert_says(text(card), "**Original dice (kept):** 17", "**New result:** Caught")
    await adjust(world.gm, card, "-1", "The radar was off")
    assert "**New result:** Nothing is caught" in text(card)
    answer = await press_amend(world.gm, card)
    assert "Amended: entry #4 replaces #3" in answer
    body = entry(world, 4)
    assert body["amends"] == 3
    assert [(step["faces"], step["drawn"], step["total"]) for step in body["parts"][0]["steps"]] == [([17], "kept", 17)]
    assert entry_texts(world, 4)["amended"] == "A modifier was missed"
    assert [name for name in kept(world, "Kilo") if name.startswith("effect.")] == []
    (mark,) = rows(world, "select value from state where subject = 'entry:3' and name = 'voided'")
    assert mark[0] == '{"by": 4, "amended": true}'
    await require_whole(world)


async def test_dice_that_were_never_cast_are_thrown(world: World) -> None:
    """A new catch throws only the second table's die."""
    await roll_command(world, "patrol", 17, **NEUTRAL)
    card = await open_card(world, 3)
    await adjust(world.gm, card, "+9", "Sandstorm")
    assert "This needs more dice" in text(card)
    world.dice.script(5)
    await press_amend(world.gm, card)
    (part,) = entry(world, 4)["parts"]
    assert [(step["faces"], step["drawn"]) for step in part["steps"]] == [([17], "kept"), ([5], "scripted")]
    result = "\n".join(map(text, world.staff.history()))
    assert_says(result, "1d20: **17** (kept)", "1d20: **5** (new)")
    await require_whole(world)


@pytest.mark.slow
async def test_surplus_dice_stay_unused_and_are_never_thrown_again(world: World) -> None:
    """The unused die counts if a later amendment needs it."""
    await roll_command(world, "patrol", 18, 5, **NEUTRAL)
    await amend_with(world, 3, "-9", "Radar was off")
    (part,) = entry(world, 4)["parts"]
    assert part["unused"] == [{"die": "1d20", "faces": [5], "drawn": "kept"}]
    assert "**Unused dice:** 1d20: 5" in text(world.staff.history()[-2])
    again = await open_card(world, 4)
    assert "**Original dice (kept):** 18, 5" in text(again)
    await adjust(world.gm, again, "+9", "It was on")
    await press_amend(world.gm, again)
    (part,) = entry(world, 5)["parts"]
    assert [step["faces"] for step in part["steps"]] == [[18], [5]]
    assert part["unused"] == []
    assert "already amended" in refused(await world.gm.slash(world.orders, "gm amend", entry=4))
    await require_whole(world)


@pytest.mark.slow
async def test_stance_and_target_can_be_others(world: World) -> None:
    """The new target is stopped, the old one isn't."""
    await roll_command(world, "patrol", 18, **PATROL)
    before = kept(world, "Zaku")
    assert before
    card = await open_card(world, 3)
    await fill_in(world.gm, card, {"patrol": "Kilo", "target": "Dom"}, custom_id=press(card, "names"))
    await world.gm.select(card, custom_id=press(card, "choice:stance"), values=["unfriendly"])
    assert "**Dom** (unfriendly)" in text(card)
    world.dice.script(1)
    await press_amend(world.gm, card)
    assert entry(world, 4)["parts"][0]["subjects"] == {"patrol": "Kilo", "target": "Dom"}
    assert [name for name in kept(world, "Zaku") if name.startswith(("effect.", "rolled."))] == []
    assert [name for name in kept(world, "Dom") if name.startswith("rolled.")]
    told = text(newest(world.results))
    assert "target: Zaku \N{RIGHTWARDS ARROW} Dom" in told
    assert re.search(r"\*\*Zaku\*\*: .+ \N{RIGHTWARDS ARROW} .*against \*\*Dom\*\*", told), (
        "each outcome under its own headline"
    )
    assert "stance: hostile \N{RIGHTWARDS ARROW} unfriendly" in told
    await require_whole(world)


@pytest.mark.slow
async def test_a_captive_who_had_got_away_is_held_again(world: World) -> None:
    """After an undone escape the captive is back."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Red", at="Fort")
    held = kept(world, "Kai")
    await roll_command(world, "escape", 19, captive="Kai", roll="now", modifiers="+1 Rope")
    assert "captive" not in kept(world, "Kai")
    await amend_with(world, 4, "-1", "The guard was doubled")
    assert kept(world, "Kai")["captive"] == held["captive"]
    await require_whole(world)


@pytest.mark.slow
async def test_the_card_shows_what_was_true_then(world: World) -> None:
    """Later effects don't count, voided ones neither."""
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="Under siege")
    await roll_command(world, "scout", 20, scouter="Owl", base="Fort", roll="now")
    (step,) = entry(world, 4)["parts"][0]["steps"]
    await effect_ended(world.gm, world.orders, who="Fort", effect="Under siege")
    card = await open_card(world, 4)
    assert_says(text(card), f"{step['die']} {'+' if step['sum'] >= 0 else ''}", "siege")
    await undo_entry(world, 5)
    await undo_entry(world, 3)
    card = await open_card(world, 4)
    await press_amend(world.gm, card)
    (again,) = entry(world, 8)["parts"][0]["steps"]
    assert [item["id"] for item in step["modifiers"] if item["count"]] != []
    assert [item["id"] for item in again["modifiers"] if item["count"]] == []
    await require_whole(world)


async def test_taking_the_amendment_back_lets_the_roll_hold_again(world: World) -> None:
    """Effects and post are back, and the answer says so."""
    await roll_command(world, "patrol", 18, **PATROL)
    before = kept(world, "Kilo"), kept(world, "Zaku")
    plain = text(newest(world.results))
    await amend_with(world, 3, "-9", "Radar was off")
    assert "Entry #3, which it amended, becomes valid again." in window(
        await world.gm.slash(world.orders, "gm undo", entry=4)
    )
    assert "Entry #3, which it amended, is valid again." in await undo_entry(world, 4)
    assert (kept(world, "Kilo"), kept(world, "Zaku")) == before
    assert text(world.results.history()[0]) == plain
    assert world.results.history()[0].embeds[0].author.name is None
    await require_whole(world)
    assert "Entry #3 undone" in await undo_entry(world, 3)


@pytest.mark.slow
async def test_what_has_changed_the_same_since_is_taken_back_with_it(world: World) -> None:
    """The window names it, and Amend does both."""
    await roll_command(world, "patrol", 18, **PATROL)
    await roll_command(world, "patrol", 18, patrol="Kilo", target="Dom", note="Again", roll="now")
    shown = await world.gm.slash(world.orders, "gm amend", entry=3)
    assert_says(window(shown), "amending also undoes these", "**#4** Patrol")
    card = response(await world.gm.submit_modal(shown, {"reason": "slip"}))
    assert written(world)[0]
    await adjust(world.gm, card, "1", "Rope")
    await press_amend(world.gm, card)
    assert [(entry(world, 5)["entry"], entry(world, 6)["amends"])] == [(4, 3)]
    await require_whole(world)


async def test_what_came_on_top_since_the_card_was_opened_is_looked_at_first(world: World) -> None:
    """Nothing is amended, and no die is thrown."""
    await roll_command(world, "patrol", 18, **PATROL)
    card = await open_card(world, 3)
    await roll_command(world, "patrol", 18, actor=world.gm2, **PATROL, note="Again")
    with nothing_written(world):
        told = refused(await world.gm.click(card, custom_id=press(card, "roll")))
        assert_says(told, "Entry #3 changed with entry #4 since you looked.", "Run /gm amend again.")


async def test_who_cannot_amend_and_what_is_not_amended_is_said(world: World) -> None:
    """Players, void rolls, other entries, rolls without a card, old cards."""
    await roll_command(world, "patrol", 18, **PATROL)
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="Under siege")
    await roll_command(world, "roll", 3, expression="d20")
    card = await open_card(world, 3)
    await undo_entry(world, 3)
    with nothing_written(world):
        for number, words in (
            (3, "already undone by #6"),
            (4, "Entry #4 isn't a roll"),
            (5, "Entry #5 can't be amended"),
            (99, "no entry #99"),
        ):
            assert words in refused(await world.gm.slash(world.orders, "gm amend", entry=number))
        assert "Only game masters" in refused(await world.player.slash(world.orders, "gm amend", entry=3))
        assert "already undone" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_two_presses_amend_once(world: World) -> None:
    """A second press or card learns that it's done."""
    await roll_command(world, "patrol", 18, **PATROL)
    first, second = await open_card(world, 3), await open_card(world, 3, actor=world.gm2)
    await adjust(world.gm, first, "1", "Rope")
    key = press(first, "roll")
    other = press(second, "roll")
    await world.gm.click(first, custom_id=key)
    with nothing_written(world):
        assert "already amended" in refused(await world.gm2.click(second, custom_id=other))


@pytest.mark.slow
async def test_a_roll_under_ones_own_name_stays_theirs(world: World) -> None:
    """The roller stays, and the body has no name."""
    await send_and_switch_on(world, table(), "loot")
    world.dice.script(3, sides=6)
    await world.gm2.slash(world.orders, "table roll", name="loot", roll="now", note="For the crew", to="results")
    rolled = entry(world)
    card = await open_card(world, 4)
    assert f"**{world.gm2.user.name}**" in text(card)
    await adjust(world.gm, card, "+1", "A lucky find")
    await press_amend(world.gm, card)
    body = entry(world)
    assert body["by"] == rolled["by"]
    assert body["parts"][0]["outcome"]["id"] == "high"
    result = text(world.results.history()[1])
    assert_says(result, f"Rolled by <@{world.gm2.id}>", "**Note:** For the crew")
    await require_whole(world)


@pytest.mark.slow
async def test_a_notice_tells_of_what_changed_alone(world: World) -> None:
    """Unchanged targets are left out; without a change nothing is amended."""
    await roll_command(world, "patrol", 2, 1, patrol="Kilo", target="Zaku, Dom", to="results", roll="now")
    await amend_with(world, 3, "+2", "Sandstorm")
    notice = text(world.results.history()[2])
    assert "against **Zaku**: still **Nothing is caught**" in notice
    assert "Dom" not in notice
    again = await open_card(world, 4)
    with nothing_written(world):
        assert "Nothing would change" in refused(await world.gm.click(again, custom_id=press(again, "roll")))
