"""`/fight`: how a fight begins, goes on and ends, and who may do what."""

from __future__ import annotations

import pytest

from bot.core.campaigns import open_campaign
from bot.rolls.request import PartRequest, RollRequest
from rules.modifiers import Origin
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, TRIANGLE, Ring, read_answers
from tests.rolls.test_told import thread_in
from tests.support.acting import confirmed
from tests.support.reading import assert_says, newest, offers, refused, text
from tests.support.world import entry


async def test_turns_go_round_in_order(ring: Ring) -> None:
    """Its player or a game master ends a turn; a button of an earlier turn does nothing."""
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    first = ring.newest_with("turn")
    early = refused(await ring.click("turn", ring.rival, first))
    assert_says(early, "It's Kai's turn.", "Only Kai's player or a game master can act now.")
    await ring.end_turn(ring.player)
    assert "round 1, Char's turn\n**Kai** has ended their turn." in ring.read_newest()
    assert "is already over" in await ring.again(first, "turn", ring.player)
    assert sum(offers(message, "turn") for message in ring.world.orders.history()) == 1
    await ring.world.restart()
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    assert "round 2, Kai's turn" in ring.read_newest()
    late = await ring.again(first, "turn", ring.player)
    assert "That turn of Fight in #orders is already over." in late
    assert "Round 2 · with dice" in await ring.show(ring.rival)


async def test_a_game_master_ends_a_fight_after_a_question(ring: Ring) -> None:
    """Players are refused; afterwards the same people can start another fight."""
    await ring.begin()
    assert "Only game masters" in await ring.fail("end", ring.player)
    turn = ring.newest_with("turn")
    over = read_answers(await confirmed(ring.world, "fight end"))
    assert "The fight is over" in over
    assert "Ended in round 1. Fighters: **Kai** and **Char**." in ring.read_newest()
    assert "That fight is over" in await ring.again(turn, "turn", ring.player)
    assert not any(offers(message, "turn") for message in ring.world.orders.history())
    assert "No fight is running" in await ring.fail("show")
    assert "Done" in await ring.run("start", who=f"{CHAR}, {GUARD}")
    assert "Fight in #orders: the fight begins" in ring.read_newest()
    assert entry(ring.world)["deed"] == "start"
    assert "Done" in await ring.run("join", ring.player, character=KAI)


@pytest.mark.slow
async def test_game_masters_set_the_order(ring: Ring) -> None:
    """Everyone is named once; the first one without a turn this round has it."""
    await ring.begin(f"{KAI}, {CHAR}, {GUARD}")
    assert "Only game masters" in await ring.fail("order", ring.player, names=f"{CHAR}, {KAI}, {GUARD}")
    assert "Name each fighter exactly once.\nGuard is missing." in await ring.fail("order", names=f"{CHAR}, {KAI}")
    assert "Did you mean Guard?" in await ring.fail("order", names=f"{CHAR}, {KAI}, Gard")
    assert "That's already their order" in await ring.fail("order", names=f"{KAI}, {CHAR}, {GUARD}")
    answer = await ring.run("order", names=f"{CHAR}, {GUARD}, {KAI}")
    assert f"1\\. {TRIANGLE} **{CHAR}** · 1 Action left" in answer
    assert f"Turn order: **{CHAR}**, **{GUARD}** and **{KAI}**.\nRound 1: it's **{CHAR}**'s turn." in ring.read_newest()
    await ring.end_turn(ring.rival)
    await ring.end_turn(ring.gm)
    assert "round 1, Kai's turn" in ring.read_newest()


async def test_rolls_of_fighters_take_the_light_of_the_start(ring: Ring) -> None:
    """Every roll between fighters knows the conditions set at the start, and no others."""
    await ring.begin(light="night", weather=-5)
    part = PartRequest(subjects={"actor": KAI, "resister": CHAR})
    request = RollRequest(book="roe", family="roe.skill", parts=(part,))
    bot = ring.world.bots[-1]
    campaign = await bot.database.read(lambda tx: open_campaign(tx, 1, lock=False))
    preview = await bot.database.read(bot.resolver.preview, campaign, request)
    assert preview.known[0]["scene.night"].origin == Origin("scene", "Fight in #orders", 8)
    assert "scene.day" not in preview.known[0]


@pytest.mark.slow
async def test_a_thread_has_a_fight_of_its_own(ring: Ring) -> None:
    """It posts there and is named after it, next to the channel's fight."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas")
    await ring.begin()
    thread = thread_in(ring.world, ring.world.orders)
    posts = len(ring.world.orders.history())
    await ring.use("start", channel=thread, who=f"{GUARD}, Haas")
    assert "Fight in #talk: the fight begins" in text(newest(thread))
    assert len(ring.world.orders.history()) == posts
    assert "Fight in #talk" in read_answers(await ring.use("show", channel=thread))
    assert "Fight in #orders" in await ring.show()


async def test_whoever_is_to_act_is_pinged(ring: Ring) -> None:
    """The defender, then each turn, then voters; no secret or unplayed fighter, and none for their own act."""
    await ring.use("start", who=f"{KAI}, {SHADOW}, {GUARD}, {CHAR}")
    assert newest(ring.world.orders).content == f"<@{ring.player.id}>"
    await ring.click("choose", ring.player)
    assert not newest(ring.world.orders).content
    await ring.end_turn(ring.player)
    assert not newest(ring.world.orders).content
    await ring.use("mode", ring.player)
    assert newest(ring.world.orders).content == f"<@{ring.rival.id}>"


async def test_a_campaign_can_ping_no_player(ring: Ring) -> None:
    """Nor the defender of a fight."""
    await ring.gm.slash(ring.world.orders, "gm settings", pings="nobody")
    await ring.use("start", who=f"{KAI}, {CHAR}")
    assert not newest(ring.world.orders).content


@pytest.mark.slow
async def test_what_was_asked_is_asked_no_more_once_it_is_chosen(ring: Ring) -> None:
    """Only the newest post asks, also after a new order."""
    await ring.use("start", who=f"{KAI}, {CHAR}")
    await ring.use("order", names=f"{CHAR}, {KAI}")
    asked = ring.newest_with("choose")
    await ring.click("choose", ring.gm)
    assert "is already settled" in await ring.again(asked, "choose", ring.gm)
    assert not any(offers(message, "choose") for message in ring.world.orders.history())
    assert sum(offers(message, "turn") for message in ring.world.orders.history()) == 1
