"""Amended rolls of RoE: the dice stay; HP, marks and effects are made again."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest

from tests.cogs.ledger.test_amend import open_card, press_amend
from tests.cogs.ledger.test_amend_anything import came_to
from tests.cogs.roe.attacking import (
    RIFLE,
    act,
    count_lost,
    effects,
    hit,
    marks,
    newest_entry,
    read_refusal,
    roe,
    round_over,
    start_fight,
)
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.cogs.roe.test_any_sequence import FIELDS, NAMES, SLOW, STEPS, list_tries, throw_die, tries
from tests.support.acting import confirmed, take_back
from tests.support.reading import assert_says, press, refused, response, text
from tests.support.world import entry, nothing_written, rows, written

SHOT, DODGE = "roe.act.shot", "roe.resist.strike"


async def adjust(ring: Ring, card: Any, value: str, table: str) -> None:  # noqa: ANN401 - a response
    """Add a modifier to one of a card's tables."""
    shown = await ring.gm.click(card, custom_id=press(card, "adjust"))
    assert shown.modal is not None
    await ring.gm.submit_modal(shown, {"value": value, "reason": "It was dark", "table": [table]})


async def amend_with(ring: Ring, number: int, value: str, table: str) -> str:
    """Amend a roll with one modifier; return the answer."""
    card = await open_card(ring.world, number)
    await adjust(ring, card, value, table)
    return await press_amend(ring.gm, card)


async def test_a_hit_that_misses_gives_hp_back_and_a_miss_that_hits_throws_a_die(ring: Ring) -> None:
    """The Action stays spent and old dice stay; a new hit throws its die, until a void."""
    await start_fight(ring, kai=f"weapons: {RIFLE}", char="hp: 20")
    await hit(ring, CHAR, (100, 60), (100, 20), (20, 20))
    before = marks(ring, KAI)
    assert (count_lost(ring, CHAR), [*effects(ring, CHAR)]) == (20, ["wounded"])
    number = newest_entry(ring)
    assert "**Missed**" in await amend_with(ring, number, "-50", SHOT)
    assert (count_lost(ring, CHAR), [*effects(ring, CHAR)]) == (0, [])
    assert marks(ring, KAI) == before
    assert "**Unused dice:** 1d20: 20" in ring.read_newest()
    assert entry(ring.world)["amends"] == number
    await round_over(ring)
    await hit(ring, CHAR, (100, 20), (100, 60))
    ring.world.dice.script_dice((20, 9))
    assert "**Hit: 9 damage**" in await amend_with(ring, newest_entry(ring), "-50", DODGE)
    assert count_lost(ring, CHAR) == 9
    await take_back(ring.world, "gm undo", entry=newest_entry(ring), reason="No")
    assert count_lost(ring, CHAR) == 0


@pytest.mark.slow
async def test_a_burst_shares_its_dice_again(ring: Ring) -> None:
    """A shot that now misses the target goes to the neighbour."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai="weapons: M_a_Rifle")
    dice = [(100, 60), (100, 20), (100, 10), (100, 60), (100, 10), (100, 60), (20, 9), (100, 20), (100, 90), (100, 90)]
    await hit(ring, f"{CHAR}, {GUARD}", *dice, fire="auto")
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (9, 4)
    card = await open_card(ring.world, newest_entry(ring))
    await adjust(ring, card, "-50", SHOT)
    assert "Amended" in await press_amend(ring.gm, card)
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (0, 4)
    assert [part["inputs"].get("accuracy_dice") for part in entry(ring.world)["parts"]] == [None, None]


async def test_what_came_after_is_named_and_taken_back(ring: Ring) -> None:
    """Later entries about the same values are named, then voided; the fight goes on in that turn."""
    await start_fight(ring, kai=f"weapons: {RIFLE}", char=f"hp: 20; weapons: {RIFLE}")
    await hit(ring, CHAR, (100, 60), (100, 20), (20, 5))
    number = newest_entry(ring)
    await ring.end_turn(ring.gm)
    await hit(ring, KAI, (100, 60), (100, 20), (20, 7))
    await confirmed(ring.world, "fight end")
    shown = await ring.gm.slash(ring.world.orders, "gm amend", entry=number)
    assert "so amending also undoes these" in str(shown.modal)
    assert f"#{newest_entry(ring)}" in str(shown.modal)
    card = response(await ring.gm.submit_modal(shown, {"reason": "The range was wrong"}))
    await adjust(ring, card, "-50", SHOT)
    await press_amend(ring.gm, card)
    assert (count_lost(ring, CHAR), count_lost(ring, KAI)) == (0, 0)
    assert "no Actions left" in await ring.show()
    assert "no Actions left" in refused(await ring.gm.slash(ring.world.orders, "roe attack", target=CHAR, roll="now"))


@pytest.mark.slow
async def test_nobody_comes_back_into_a_second_fight(ring: Ring) -> None:
    """The amendment is refused with the reason."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}", kai=f"weapons: {RIFLE}")
    await hit(ring, CHAR, (100, 60), (100, 20), (20, 5))
    number = newest_entry(ring)
    await round_over(ring, 3)
    assert await tries(ring, "roe act", {"what": "flee"})
    assert "Done" in read_answers(await ring.use("start", channel=ring.world.results, who=f"{KAI}, {SHADOW}"))
    with nothing_written(ring.world):
        assert "Kai is in" in refused(await ring.gm.slash(ring.world.orders, "gm amend", entry=number))


@pytest.mark.slow
async def test_an_explosion_is_amended_for_all_in_it(ring: Ring) -> None:
    """One die counts for all with the new sum."""
    await start_fight(ring, f"{KAI}, {CHAR}, {GUARD}")
    ring.world.dice.script_dice((100, 60), (100, 20), (10, 4), (100, 70))
    asked: dict[str, Any] = {"item": "Charge", "use": "immediate", "targets": f"{CHAR}, {GUARD}", "damage": "d10"}
    assert "Rolled: entry" in await roe(ring, "blast", **asked, roll="now")
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (4, 0)
    card = await open_card(ring.world, newest_entry(ring))
    picker = {"values": ["1"]}
    await ring.gm.select(card, custom_id=press(card, "part"), **picker)
    await adjust(ring, card, "-20", "roe.resist.blast")
    await press_amend(ring.gm, card)
    assert (count_lost(ring, CHAR), count_lost(ring, GUARD)) == (4, 4)


@pytest.mark.slow
async def test_a_hold_that_was_none_is_gone(ring: Ring) -> None:
    """A failed grab frees both; acts without dice name /gm undo."""
    await start_fight(ring)
    await act(ring, "Take cover")
    told = refused(await ring.gm.slash(ring.world.orders, "gm amend", entry=newest_entry(ring)))
    assert_says(told, "has no modifiers", "/gm undo")
    ring.world.dice.script_dice((100, 60), (100, 20))
    await act(ring, "Grab", target=CHAR, roll="now")
    assert [*effects(ring, CHAR)] == ["held"]
    tables = {step["table"] for step in entry(ring.world)["parts"][0]["steps"] if "table" in step}
    (first,) = [table for table in tables if ".act." in table]
    await amend_with(ring, newest_entry(ring), "-50", first)
    assert "held" not in effects(ring, CHAR)
    assert "holding" not in effects(ring, KAI)


async def test_a_skill_roll_is_amended(ring: Ring) -> None:
    """Contests outside turns too; only game masters amend."""
    ring.world.dice.script_dice((100, 40), (100, 60))
    await roe(ring, "check", skill="perception", character=GUARD, against=CHAR, roll="now")
    number = newest_entry(ring)
    assert "game masters" in refused(await ring.player.slash(ring.world.orders, "gm amend", entry=number))
    card = await open_card(ring.world, number)
    assert "**Original dice (kept):** 40, 60" in text(card)
    await adjust(ring, card, "1", entry(ring.world)["parts"][0]["steps"][0]["table"])
    await press_amend(ring.gm, card)
    assert entry(ring.world)["amends"] == number


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "steps"), [(6, 12), *(pytest.param(seed, STEPS, marks=SLOW) for seed in (5, 6))])
async def test_any_roll_amended_as_it_is_comes_to_the_same(ring: Ring, seed: int, steps: int) -> None:
    """Each valid roll, newest first, has the same result with the same dice; it isn't amended unless that undoes later entries."""
    random = Random(seed)  # noqa: S311 - a test's own
    await start_fight(ring, ", ".join(NAMES), **{name.casefold(): FIELDS for name in NAMES})
    ring.world.dice.roll = partial(throw_die, random)  # type: ignore[method-assign]
    for command, options in list_tries(random, written(ring.world)[0], steps):
        if command != "gm undo":
            await tries(ring, command, options)
    stands = "select number from entry where kind = 'roll' and not exists"
    voids = "(select 1 from state where subject = 'entry:' || number and name = 'voided') order by number desc"
    count = 0
    for (number,) in rows(ring.world, f"{stands} {voids}"):
        shown = await ring.gm.slash(ring.world.orders, "gm amend", entry=number)
        if shown.modal is None:
            assert any(word in refused(shown) for word in ("has no modifiers", "already"))
            continue
        card = response(await ring.gm.submit_modal(shown, {"reason": "to see"}))
        count += 1
        if "also undoes" not in str(shown.modal):
            with nothing_written(ring.world):
                assert "Nothing would change" in refused(await ring.gm.click(card, custom_id=press(card, "roll")))
            continue
        before = entry(ring.world, number)
        assert "Amended" in await press_amend(ring.gm, card)
        (made,) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
        after = entry(ring.world, made[0])
        assert came_to(_on_tables(after)) == came_to(_on_tables(before))
        assert not any(part["unused"] for part in after["parts"])
    assert count > steps // 20


def _on_tables(body: dict[str, Any]) -> dict[str, Any]:
    parts = [{**part, "steps": [step for step in part["steps"] if "table" in step]} for part in body["parts"]]
    return {**body, "parts": parts}


def _state(ring: Ring) -> Any:  # noqa: ANN401 - JSON
    return [(subject, name, _without_entries(value)) for subject, name, value in ring.read_state()]


def _without_entries(value: Any) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(value, dict):
        return value
    return {name: _without_entries(item) for name, item in value.items() if name not in {"entry", "since"}}


async def test_a_lost_action_stays_as_it_was_where_its_roll_is_amended_as_it_is(ring: Ring) -> None:
    """A natural 1's lost Action keeps its turns."""
    await start_fight(ring)
    ring.world.dice.script_dice((100, 1), (100, 20))
    await roe(ring, "act", what="Grab", target=CHAR, roll="now")
    assert "lost-action" in effects(ring, KAI)
    state = _state(ring)
    (table,) = {step["table"] for step in entry(ring.world)["parts"][0]["steps"] if ".act." in step.get("table", "")}
    await amend_with(ring, newest_entry(ring), "1", table)
    assert _state(ring) == state


async def test_dice_rolled_by_hand_count_in_the_order_in_which_they_fall(ring: Ring) -> None:
    """Typed dice count and are marked, the rest is drawn; a face too many is only reported."""
    await start_fight(ring, kai=f"weapons: {RIFLE}", char="hp: 20")
    answer = await roe(ring, "attack", target=CHAR, dice="60 20 d20: 9")
    assert "Hit: 9 damage" in answer
    assert "1d100: **60** (by hand)" in ring.read_newest()
    await round_over(ring)
    answer = await roe(ring, "attack", ring.gm, (20, 4), target=CHAR, dice="60, 20, 7 d6 3")
    assert_says(answer, "Hit: 4 damage", "Not needed: d100: 7; d6: 3.")


@pytest.mark.slow
async def test_all_that_rolls_takes_typed_dice(ring: Ring) -> None:
    """Skill rolls, acts, explosions, loot and attacks."""
    await start_fight(ring, char="hp: 20")
    assert "Rolled" in await roe(ring, "check", skill="perception", character=CHAR, dice="60")
    assert "Rolled" in await roe(ring, "act", what="Grab", target=CHAR, dice="60 20")
    await round_over(ring)
    asked: dict[str, Any] = {"item": "Charge", "use": "immediate", "targets": CHAR, "damage": "2d10"}
    assert "20 damage; down" in await roe(ring, "blast", **asked, dice="60 20 d10: 10 10")
    taken: dict[str, Any] = {"from": CHAR}
    assert "2 of 2 taken" in await roe(ring, "take", how="body", size=2, character=KAI, dice="60 40 d2 2", **taken)
    assert "(by hand)" in ring.read_newest()


async def test_typed_dice_that_cannot_be(ring: Ring) -> None:
    """Wrong faces or counts, cards, players, and waiting rolls are refused; with both sides' dice an attack doesn't wait."""
    await start_fight(ring, kai=f"weapons: {RIFLE}")
    await ring.gm.slash(ring.world.orders, "gm settings", defence="by the defender")
    with nothing_written(ring.world):
        for typed, words in (
            ({"dice": "101"}, "A d100 has no face 101."),
            ({"dice": "60 20 d20: 21"}, "A d20 has no face 21."),
            ({"dice": "sixty"}, "neither a face nor a die"),
            ({"dice": "d1: 1"}, "I don't know the die 'd1:'"),
            ({"dice": "60"}, "Of the d100 there are too few faces"),
            ({"dice": "60 20 d20: 9 9"}, "Of the d20 there are too many faces"),
            ({"dice": "20 60 d20: 9"}, "Of the d20 there are too many faces"),
            ({"dice": "60 20", "roll": "card"}, "You can't type dice for a card."),
        ):
            assert words in refused(await ring.gm.slash(ring.world.orders, "roe attack", target=CHAR, **typed))
        assert "game masters" in await read_refusal(ring, actor=ring.player, dice="60 20 d20 9")
        answer = refused(await ring.gm.slash(ring.world.orders, "roe act", what="flee", dice="60"))
        assert "waits for answers" in answer
    assert "Hit: 9 damage" in await roe(ring, "attack", target=CHAR, dice="60 20 d20: 9")
