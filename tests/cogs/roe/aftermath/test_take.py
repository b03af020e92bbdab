"""`/roe take`: loot, theft, surgery, searches, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.aftermath.aftermath import on_the_force, strike_down, value
from tests.cogs.roe.attacking import newest_entry, roe
from tests.cogs.roe.attacking import refusal as denied
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.support.acting import take_back
from tests.support.reading import assert_says, refused, response, said, text


async def test_the_victor_loots_once(ring: Ring) -> None:
    """Only the final blow's character loots, once, as on the card; what can't be looted is refused."""
    await strike_down(ring)
    asked: dict[str, Any] = {"how": "body", "roll": "now", "from": CHAR}
    for stack, words in (
        ("installed", "only be taken by surgery"),
        ("stored", "Backpacks and containers are safe"),
        ("mega-credit", "can't be taken"),
        ("racial", "A racial option can't be taken"),
        ("pet", "Pets can't be stolen"),
    ):
        assert words in await denied(ring, "take", ring.player, size=3, stack=stack, **asked)
    assert "That stack is empty" in await denied(ring, "take", ring.player, size=0, **asked)
    for actor, options in ((ring.gm, {**asked, "character": GUARD}), (ring.rival, {**asked, "from": KAI})):
        assert "landed the final blow can loot" in await denied(ring, "take", actor, size=3, **options)
    card = await roe(ring, "take", ring.player, **(asked | {"roll": "card"}), size=27)
    assert_says(card, "d27, 14 on average", "%")
    assert "9 of 27 taken" in await roe(ring, "take", ring.player, (100, 60), (100, 40), (27, 9), **asked, size=27)
    assert "9 of 27 taken" in ring.read_newest()
    what = await denied(ring, "take", ring.player, **asked, size=5)
    assert "Kai has already looted Char, and can only do so once." in what


@pytest.mark.slow
async def test_after_a_free_form_fight_a_game_master_says_who_was_the_victor(ring: Ring) -> None:
    """A wound set by hand has no final blow, so only a game master's loot works."""
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Wounded")
    asked: dict[str, Any] = {"how": "body", "roll": "now", "size": 2, "from": CHAR}
    assert "Only the one who landed the final blow" in await denied(ring, "take", ring.player, **asked)
    assert "2 of 2 taken" in await roe(ring, "take", ring.gm, (100, 60), (100, 40), (2, 2), character=KAI, **asked)
    assert "can only do so once" in await denied(ring, "take", character=KAI, **asked)


async def test_the_size_may_be_said_later(ring: Ring) -> None:
    """The winner sees the inventory, then says the stack's size; only the amount is rolled."""
    await strike_down(ring)
    asked: dict[str, Any] = {"how": "body", "roll": "now", "from": CHAR}
    assert "pick one stack" in await roe(ring, "take", ring.player, (100, 60), (100, 40), **asked)
    assert "Give the size of one stack" in await denied(ring, "take", ring.player, **asked)
    assert "9 of 27 taken" in await roe(ring, "take", ring.player, (27, 9), size=27, **asked)
    assert "can only do so once" in await denied(ring, "take", ring.player, size=5, **asked)
    await roe(ring, "take", ring.player, (20, 19), (100, 10), how="pocket", roll="now", **{"from": GUARD})
    answer = await roe(ring, "take", ring.player, (5, 4), how="pocket", size=5, roll="now", **{"from": GUARD})
    assert "4 of 5 taken" in answer


@pytest.mark.slow
async def test_a_loot_is_taken_back_whole(ring: Ring) -> None:
    """After its void, also of a failed one, the same target may be looted again (A41)."""
    await strike_down(ring)
    asked = {"how": "body", "roll": "now", "from": CHAR}
    assert "Nothing is found" in await roe(ring, "take", ring.player, (100, 1), (100, 40), size=3, **asked)
    assert "loses the next Action" in ring.read_newest()
    assert value(ring, KAI, "effect.lost-action") is not None
    assert "can only do so once" in await denied(ring, "take", ring.player, size=3, **asked)
    assert value(ring, CHAR, "looted")["by"] == [ring.number(KAI)]
    await take_back(ring.world, "gm undo", entry=value(ring, CHAR, "looted")["entry"], reason="slip")
    assert (value(ring, CHAR, "looted"), value(ring, KAI, "effect.lost-action")) == (None, None)
    assert "1 of 1 taken" in await roe(ring, "take", ring.player, (100, 60), (100, 40), size=1, **asked)


async def test_an_unseen_theft_is_told_to_its_maker_and_the_staff(ring: Ring) -> None:
    """Only the thief's player and the staff see an unnoticed theft until it's published."""
    world = ring.world
    posts = [len([*channel.history()]) for channel in (world.orders, world.results)]
    world.dice.script_dice((20, 19), (100, 10), (5, 4), (100, 80), (100, 20))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": f"{CHAR}, {GUARD}"})
    assert_says(answer, "4 of 5 taken", "Unseen", "d20")
    assert [len([*channel.history()]) for channel in (world.orders, world.results)] == posts
    assert "4 of 5 taken" in text([*world.staff.history()][-1])
    mine, theirs = [said(await actor.slash(world.orders, "ledger")) for actor in (ring.player, ring.rival)]
    assert "4 of 5 taken" in mine
    assert "steals" not in theirs
    number = newest_entry(ring)
    assert "4 of 5 taken" in read_answers(await ring.player.slash(world.orders, "ledger", entry=number))
    assert "no entry" in refused(await ring.rival.slash(world.orders, "ledger", entry=number))
    shown = response(await ring.gm.slash(world.orders, "ledger", entry=number))
    asked = response(await ring.gm.click(shown, label="Publish"))
    await ring.gm.click(asked, label="Publish")
    assert "4 of 5 taken" in text([*world.results.history()][-1])
    assert "4 of 5 taken" in read_answers(await ring.rival.slash(world.orders, "ledger", entry=number))


@pytest.mark.slow
async def test_a_natural_one_before_a_witness_costs_the_next_action(ring: Ring) -> None:
    """Every die counts (line 88), except an unaware victim's, which would reveal the theft."""
    await ring.begin()
    asked = {"how": "pocket", "size": 5, "roll": "now"}
    await roe(ring, "take", ring.player, (20, 19), (100, 1), (5, 4), **asked, **{"from": CHAR})
    assert value(ring, CHAR, "effect.lost-action") is None
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.rival)
    ring.world.dice.script_dice((20, 19), (100, 10), (5, 4), (100, 1), (100, 20))
    answer = await roe(ring, "take", ring.player, **asked, **{"from": f"{CHAR}, {GUARD}"})
    assert_says(answer, "4 of 5 taken", "Seen")
    assert value(ring, KAI, "effect.lost-action") is not None


@pytest.mark.slow
async def test_a_noticed_theft_is_public_and_over(ring: Ring) -> None:
    """Everyone reads of it, and no witness rolls any more."""
    ring.world.dice.script_dice((20, 5), (100, 50))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": f"{CHAR}, {GUARD}"})
    assert "Noticed" in answer
    assert "Noticed" in text([*ring.world.results.history()][-1])
    assert "only be taken by surgery" in await denied(
        ring, "take", ring.player, how="pocket", stack="installed", roll="now", **{"from": CHAR}
    )
    assert "licence and clearance chips" in await denied(
        ring, "take", ring.player, how="pocket", stack="permanent", roll="now", **{"from": CHAR}
    )


async def test_surgery_takes_tools_and_somebody_helpless(ring: Ring) -> None:
    """Without tools, on oneself or on someone who resists it's refused; three dice of 70 remove the implant."""
    asked = {"how": "surgery", "roll": "now", "from": CHAR}
    assert "can't force surgery" in await denied(ring, "take", ring.player, size=1, **asked)
    await strike_down(ring)
    assert "how many there are" in await denied(ring, "take", ring.player, **asked)
    assert "Surgery uses Medical" in await denied(ring, "take", ring.player, size=0, **asked)
    assert "both sides" in await denied(ring, "take", ring.player, how="install", size=1, roll="now", **{"from": KAI})
    ring.world.dice.script_dice((100, 70), (100, 99), (100, 71))
    assert "The item is taken out" in await roe(ring, "take", ring.player, size=1, **asked)
    assert "1 used up, 0 left" in ring.read_newest()
    ring.world.dice.script_dice((100, 70), (100, 20), (100, 1))
    assert "destroyed" in await roe(ring, "take", ring.player, how="install", size=1, roll="now", **{"from": GUARD})


async def test_only_the_police_search(ring: Ring) -> None:
    """The suspect keeps a stack for every ten points begun, and wins ties."""
    asked = {"how": "frisk", "roll": "now", "from": CHAR}
    assert "Only the police can search" in await denied(ring, "take", ring.player, **asked)
    await on_the_force(ring, KAI)
    assert "2 stacks stay hidden" in await roe(ring, "take", ring.player, (100, 30), (100, 41), **asked)
    assert "(no use in custody)**: 2" in await roe(ring, "wounds", ring.rival)
    assert "1 stack stays hidden" in await roe(ring, "take", ring.player, (100, 30), (100, 30), **asked)
    ring.world.dice.script_dice((100, 90), (100, 30))
    assert "All drugs and explosives are surrendered" in await roe(ring, "take", ring.player, **asked)


async def test_a_vehicle_is_looted_with_hp_left(ring: Ring) -> None:
    """A looting roll wins an abandoned vehicle, unless it has no HP."""
    await ring.gm.slash(ring.world.orders, "roster add", name="Jeep", kind="thing", fields="hp: 40")
    asked = {"how": "vehicle", "roll": "now", "from": "Jeep"}
    assert "pick one stack" in await roe(ring, "take", ring.player, (100, 60), (100, 40), **asked)


async def test_who_can_be_taken_from_is_offered(ring: Ring) -> None:
    """A body must be Wounded, a pocket can be anyone's that a player knows."""
    await strike_down(ring)
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "from", "", how="body")
    assert {item["value"] for item in offered} == {CHAR}
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "from", "", how="pocket")
    assert {item["value"] for item in offered} == {KAI, CHAR, GUARD}
    offered = await ring.rival.autocomplete(ring.world.orders, "roe take", "from", "", how="body")
    assert offered == []
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "character", "", how="body")
    assert {item["value"] for item in offered} == {KAI}


async def test_a_mortal_wound_halves_the_stacks_before_the_loot(ring: Ring) -> None:
    """Half of a stack goes without a roll, a die takes from the rest; permanents aren't halved (line 174)."""
    await strike_down(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Mortal Wound")
    asked: dict[str, Any] = {"how": "body", "roll": "now", "from": CHAR}
    assert "gives all of that stack" in await denied(ring, "take", ring.player, size=1, **asked)
    card = await roe(ring, "take", ring.player, **(asked | {"roll": "card", "size": 27}))
    assert_says(card, "Mortal Wound: 14 of 27 are handed over as well.", "from a stack of 13: d13")
    card = await roe(ring, "take", ring.player, **(asked | {"roll": "card", "size": 27, "stack": "permanent"}))
    assert "from a stack of 27: d27" in card
    assert "Mortal Wound" not in card
    assert "pick one stack" in await roe(ring, "take", ring.player, (100, 60), (100, 40), **asked)
    assert "half of each stack in pocket 0" in ring.read_newest()
    assert "9 of 13 taken" in await roe(ring, "take", ring.player, (13, 9), size=27, **asked)
