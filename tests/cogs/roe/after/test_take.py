"""`/roe take`: loot, theft, surgery and searches, with what refuses them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.after.aftermath import denied, downed, on_the_force, roe, value
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.support.acting import take_back
from tests.support.reading import refused, response, said, text
from tests.support.world import rows

pytestmark = pytest.mark.asyncio


async def test_the_victor_loots_once(ring: Ring) -> None:
    """Who landed the final blow contests a d100 and takes a d27 of a stack of 27, all in one roll, and no second time."""
    await downed(ring)
    ring.world.dice.script_dice((100, 60), (100, 40), (27, 9))
    answer = await roe(ring, "take", ring.player, how="body", **{"from": CHAR}, size=27, roll="now")
    assert "9 of 27 taken" in answer
    assert "9 of 27 taken" in ring.posted()
    what = await denied(ring, "take", ring.player, how="body", **{"from": CHAR}, size=5, roll="now")
    assert "Kai has looted Char already. The same one is looted once." in what
    assert await ring.sound()


async def test_only_the_victor_loots(ring: Ring) -> None:
    """Nobody else does, nor from somebody who stands; a tie is the victim's."""
    await downed(ring)
    asked: dict[str, Any] = {"how": "body", "character": GUARD, "size": 3, "roll": "now", "from": CHAR}
    assert "Only who landed the final blow may loot." in await denied(ring, "take", **asked)
    assert "Only who landed the final blow may loot." in await denied(
        ring, "take", ring.rival, how="body", size=3, roll="now", **{"from": KAI}
    )
    ring.world.dice.script_dice((100, 50), (100, 50))
    assert "Nothing is found" in await roe(ring, "take", ring.player, how="body", size=3, roll="now", **{"from": CHAR})
    assert "looted once" in await denied(ring, "take", ring.player, how="body", size=3, roll="now", **{"from": CHAR})


async def test_a_natural_one_costs_the_next_action_of_the_fight(ring: Ring) -> None:
    """As in any contest: who fails critically to loot in a fight loses the next Action."""
    await downed(ring)
    ring.world.dice.script_dice((100, 1), (100, 40))
    assert "Nothing is found" in await roe(ring, "take", ring.player, how="body", roll="now", **{"from": CHAR})
    assert "loses the next Action" in ring.posted()
    assert value(ring, KAI, "effect.lost-action") is not None
    assert await ring.sound()


async def test_after_a_free_form_fight_a_game_master_says_who_was_the_victor(ring: Ring) -> None:
    """Of who is Wounded by hand nobody has the final blow: a player's loot is refused, a game master's is not."""
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Wounded")
    asked: dict[str, Any] = {"how": "body", "roll": "now", "size": 2, "from": CHAR}
    assert "Only who landed the final blow" in await denied(ring, "take", ring.player, **asked)
    ring.world.dice.script_dice((100, 60), (100, 40), (2, 2))
    assert "2 of 2 taken" in await roe(ring, "take", character=KAI, **asked)
    assert "looted once" in await denied(ring, "take", character=KAI, **asked)
    assert await ring.sound()


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("installed", "by surgery alone"),
        ("stored", "Backpacks and containers are safe"),
        ("mega-credit", "Nobody takes Mega"),
        ("racial", "A racial option is no thing"),
        ("pet", "Pets cannot be stolen"),
    ],
)
async def test_what_cannot_be_looted(ring: Ring, stack: str, words: str) -> None:
    """Backpacks, Mega_Credits, what is installed, racial options and pets are refused by what was picked."""
    await downed(ring)
    assert words in await denied(
        ring, "take", ring.player, how="body", size=3, stack=stack, roll="now", **{"from": CHAR}
    )


async def test_a_stack_of_nothing_and_of_one(ring: Ring) -> None:
    """Of an empty stack nothing is taken; of one thing there is one, without a die (A41)."""
    await downed(ring)
    asked = {"how": "body", "roll": "now", "from": CHAR}
    assert "nothing in that stack" in await denied(ring, "take", ring.player, size=0, **asked)
    ring.world.dice.script_dice((100, 60), (100, 40))
    assert "1 of 1 taken" in await roe(ring, "take", ring.player, size=1, **asked)


async def test_the_card_has_odds_and_the_mean(ring: Ring) -> None:
    """Before the dice a card tells how likely it is and how much of the stack it is on average; it writes nothing."""
    await downed(ring)
    card = await roe(ring, "take", ring.player, how="body", size=27, **{"from": CHAR})
    assert "d27, 14 on average" in card
    assert "%" in card


async def test_the_size_may_be_said_later(ring: Ring) -> None:
    """Who wins sees the inventory first; then the size of the stack is said, and the amount alone is thrown, once."""
    await downed(ring)
    asked: dict[str, Any] = {"how": "body", "roll": "now", "from": CHAR}
    ring.world.dice.script_dice((100, 60), (100, 40))
    assert "may be picked" in await roe(ring, "take", ring.player, **asked)
    assert "give the size of one stack" in await denied(ring, "take", ring.player, **asked)
    ring.world.dice.script_dice((27, 9))
    assert "9 of 27 taken" in await roe(ring, "take", ring.player, size=27, **asked)
    assert "looted once" in await denied(ring, "take", ring.player, size=5, **asked)
    ring.world.dice.script_dice((20, 19), (100, 10))
    await roe(ring, "take", ring.player, how="pocket", roll="now", **{"from": GUARD})
    ring.world.dice.script_dice((5, 4))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": GUARD})
    assert "4 of 5 taken" in answer
    assert await ring.sound()


async def test_a_loot_is_taken_back_whole(ring: Ring) -> None:
    """After its void the same one may be looted again."""
    await downed(ring)
    asked = {"how": "body", "size": 4, "roll": "now", "from": CHAR}
    ring.world.dice.script_dice((100, 60), (100, 40), (4, 2))
    await roe(ring, "take", ring.player, **asked)
    assert value(ring, CHAR, "looted")["by"] == [ring.number(KAI)]
    await take_back(ring.world, "void", entry=value(ring, CHAR, "looted")["entry"], reason="slip")
    assert value(ring, CHAR, "looted") is None
    ring.world.dice.script_dice((100, 60), (100, 40), (4, 3))
    assert "3 of 4 taken" in await roe(ring, "take", ring.player, **asked)
    assert await ring.sound()


async def test_an_unseen_theft_is_told_to_its_maker_and_the_staff(ring: Ring) -> None:
    """A d20 against a d100 of who is robbed, d100s against who looks on; nobody else reads of it while nobody notices."""
    world = ring.world
    posts = [len([*channel.history()]) for channel in (world.orders, world.results)]
    world.dice.script_dice((20, 19), (100, 10), (5, 4), (100, 80), (100, 20))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": f"{CHAR}, {GUARD}"})
    assert "4 of 5 taken" in answer
    assert "Unseen" in answer
    assert "d20" in answer
    assert [len([*channel.history()]) for channel in (world.orders, world.results)] == posts
    assert "4 of 5 taken" in text([*world.staff.history()][-1])
    mine, theirs = [said(await actor.slash(world.orders, "ledger list")) for actor in (ring.player, ring.rival)]
    assert "4 of 5 taken" in mine
    assert "steals" not in theirs
    assert await ring.sound()


async def test_a_natural_one_before_a_witness_costs_the_next_action(ring: Ring) -> None:
    """As one before whom is robbed does: each part of a roll with dice of its own counts in a fight (line 88)."""
    await ring.begun()
    ring.world.dice.script_dice((20, 19), (100, 10), (5, 4), (100, 1), (100, 20))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": f"{CHAR}, {GUARD}"})
    assert "4 of 5 taken" in answer
    assert "Seen" in answer
    assert value(ring, KAI, "effect.lost-action") is not None
    assert await ring.sound()


async def test_who_has_not_noticed_loses_nothing(ring: Ring) -> None:
    """A natural 1 of who is robbed in a fight would cost their next Action: that would tell of the theft."""
    await ring.begun()
    ring.world.dice.script_dice((20, 19), (100, 1), (5, 4))
    await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": CHAR})
    assert value(ring, CHAR, "effect.lost-action") is None


async def test_a_thief_reads_the_theft_again_and_others_when_it_is_published(ring: Ring) -> None:
    """Its maker looks it up; to all others it is no entry of theirs, until a game master publishes it."""
    world = ring.world
    world.dice.script_dice((20, 19), (100, 10), (5, 4))
    await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": CHAR})
    number = rows(world, "select max(number) from entry")[0][0]
    assert "4 of 5 taken" in told(await ring.player.slash(world.orders, "ledger show", number=number))
    assert "no entry" in refused(await ring.rival.slash(world.orders, "ledger show", number=number))
    shown = response(await ring.gm.slash(world.orders, "ledger show", number=number))
    await ring.gm.click(shown, label="Publish")
    assert "4 of 5 taken" in text([*world.results.history()][-1])
    assert "4 of 5 taken" in told(await ring.rival.slash(world.orders, "ledger show", number=number))
    assert await ring.sound()


async def test_a_noticed_theft_is_public_and_over(ring: Ring) -> None:
    """Who is robbed and notices is told with all others; nobody who looks on is asked any more."""
    ring.world.dice.script_dice((20, 5), (100, 50))
    answer = await roe(ring, "take", ring.player, how="pocket", size=5, roll="now", **{"from": f"{CHAR}, {GUARD}"})
    assert "Noticed" in answer
    assert "Noticed" in text([*ring.world.results.history()][-1])
    assert "by surgery alone" in await denied(
        ring, "take", ring.player, how="pocket", stack="installed", roll="now", **{"from": CHAR}
    )
    assert "Of permanents only licence and clearance chips" in await denied(
        ring, "take", ring.player, how="pocket", stack="permanent", roll="now", **{"from": CHAR}
    )


async def test_surgery_takes_tools_and_somebody_helpless(ring: Ring) -> None:
    """Without tools, on one's own body or on somebody who can resist it is refused; three dice of 70 and more take it out."""
    asked = {"how": "surgery", "roll": "now", "from": CHAR}
    assert "is not knocked out" in await denied(ring, "take", ring.player, size=1, **asked)
    await downed(ring)
    assert "how many there are" in await denied(ring, "take", ring.player, **asked)
    assert "A surgery takes Medical" in await denied(ring, "take", ring.player, size=0, **asked)
    assert "both sides" in await denied(ring, "take", ring.player, how="install", size=1, roll="now", **{"from": KAI})
    ring.world.dice.script_dice((100, 70), (100, 99), (100, 71))
    assert "The item is taken out" in await roe(ring, "take", ring.player, size=1, **asked)
    assert "1 used up, 0 left" in ring.posted()
    ring.world.dice.script_dice((100, 70), (100, 20), (100, 1))
    assert "destroyed" in await roe(ring, "take", ring.player, how="install", size=1, roll="now", **{"from": GUARD})


async def test_only_the_police_search(ring: Ring) -> None:
    """An officer searches a suspect, who keeps a stack for every ten points begun; a tie is the suspect's."""
    asked = {"how": "frisk", "roll": "now", "from": CHAR}
    assert "Only the police search" in await denied(ring, "take", ring.player, **asked)
    await on_the_force(ring, KAI)
    ring.world.dice.script_dice((100, 30), (100, 41))
    assert "2 stacks stay hidden" in await roe(ring, "take", ring.player, **asked)
    assert "of no use in custody**: 2" in await roe(ring, "wounds", ring.rival)
    ring.world.dice.script_dice((100, 30), (100, 30))
    assert "1 stack stays hidden" in await roe(ring, "take", ring.player, **asked)
    ring.world.dice.script_dice((100, 90), (100, 30))
    assert "All drugs and explosives are surrendered" in await roe(ring, "take", ring.player, **asked)


async def test_a_vehicle_is_looted_with_hp_left(ring: Ring) -> None:
    """A vehicle that its crew has left is won by a looting roll, unless it has no HP left."""
    await ring.gm.slash(ring.world.orders, "unit add", name="Jeep", kind="thing", fields="hp: 40")
    asked = {"how": "vehicle", "roll": "now", "from": "Jeep"}
    ring.world.dice.script_dice((100, 60), (100, 40))
    assert "may be picked" in await roe(ring, "take", ring.player, **asked)
    assert await ring.sound()


async def test_who_can_be_taken_from_is_offered(ring: Ring) -> None:
    """For a body those are offered who are Wounded, for a pocket everybody, as far as a player may know."""
    await downed(ring)
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "from", "", how="body")
    assert {item["value"] for item in offered} == {CHAR}
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "from", "", how="pocket")
    assert {item["value"] for item in offered} == {KAI, CHAR, GUARD}
    offered = await ring.rival.autocomplete(ring.world.orders, "roe take", "from", "", how="body")
    assert offered == []
    offered = await ring.player.autocomplete(ring.world.orders, "roe take", "character", "", how="body")
    assert {item["value"] for item in offered} == {KAI}


async def test_a_mortal_wound_halves_the_stacks_before_the_loot(ring: Ring) -> None:
    """Half of a stack, rounded up, is given without a roll, and the die falls for what is left; of permanents nothing is (line 174)."""
    await downed(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Mortal Wound")
    asked: dict[str, Any] = {"how": "body", "roll": "now", "from": CHAR}
    assert "all of that stack goes to the attacker" in await denied(ring, "take", ring.player, size=1, **asked)
    card = told(await ring.player.slash(ring.world.orders, "roe take", **(asked | {"roll": "card", "size": 27})))
    assert "Mortal Wound: 14 of 27 are given besides." in card
    assert "Of a stack of 13: d13" in card
    ring.world.dice.script_dice((100, 60), (100, 40))
    assert "may be picked" in await roe(ring, "take", ring.player, **asked)
    assert "half of each stack in pocket 0" in ring.posted()
    ring.world.dice.script_dice((13, 9))
    assert "9 of 13 taken" in await roe(ring, "take", ring.player, size=27, **asked)
    assert await ring.sound()


async def test_a_mortal_wound_leaves_permanents_whole(ring: Ring) -> None:
    """The die for a stack of permanents has all its sides."""
    await downed(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Mortal Wound")
    ring.world.dice.script_dice((100, 60), (100, 40), (4, 3))
    answer = await roe(ring, "take", ring.player, how="body", roll="now", size=4, stack="permanent", **{"from": CHAR})
    assert "3 of 4 taken" in answer
    assert "Mortal Wound" not in answer
    assert await ring.sound()
