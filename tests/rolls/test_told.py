from __future__ import annotations

import json
from typing import Any

import discord
import pytest
import simcord
from msgspec.structs import replace

from bot.core.ledger import EntryView
from bot.rolls.embed import result_pages
from tests.cogs.ledger.test_publish import publish
from tests.outbox.test_posts import forbid
from tests.support.acting import close_update, more, opened, reopened, tick
from tests.support.backend import opened as house_opened
from tests.support.backend import patrol
from tests.support.reading import assert_lacks, control, newest, press, refused, response, said, text
from tests.support.world import World, entry, rows

HIDDEN = "Dice and modifiers: game masters only"


async def scout_base(world: World, base: str = "Fort") -> None:
    """Scout a base that players can't know."""
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", scouter="Priya", base=base, roll="now")


async def roll_card(world: World, card: Any, face: int) -> str:  # noqa: ANN401 - a response
    """Roll a card; return the public result."""
    world.dice.script(face)
    await world.gm.click(card, custom_id=press(card, "roll"))
    return text(newest(world.results))


async def adjust(world: World, card: Any, **fields: Any) -> Any:  # noqa: ANN401
    """Adjust a card by 4."""
    window = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.submit_modal(window, {"value": "4", "reason": "an informer", **fields})
    return window


async def test_a_hidden_result_tells_that_it_was_adjusted_and_not_how_much(world: World) -> None:
    """Neither value nor reason."""
    await scout_base(world)
    card = await opened(world, patrol="Fort")
    await adjust(world, card)
    told = await roll_card(world, card, 20)

    assert HIDDEN in told
    assert "**By hand:** adjusted by a game master." in told
    assert_lacks(told, "informer", "+4")
    assert "+4 an informer" in text(newest(world.staff))


async def test_a_hidden_result_that_nobody_touched_says_nothing_of_hands(world: World) -> None:
    """There's no such line."""
    await scout_base(world)
    card = await opened(world, patrol="Fort")
    await tick(world.gm, card, "patrol", "patrol.scouted", "patrol.newtype")
    told = await roll_card(world, card, 20)
    assert HIDDEN in told
    assert "By hand" not in told


async def test_a_known_fact_that_was_unticked_is_told(world: World) -> None:
    """An own tick isn't mentioned."""
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="ship")
    card = await opened(world)
    await tick(world.gm, card, "patrol", "patrol.newtype")
    await tick(world.gm, card, "patrol")
    told = await roll_card(world, card, 20)

    assert told.count("Left out by hand") == 1
    line = next(line for line in told.splitlines() if "Left out" in line)
    assert "ship" in line
    assert "newtype" not in line
    assert text(newest(world.results)) in said(await world.player.slash(world.orders, "ledger", entry=4))


@pytest.mark.slow
async def test_a_known_fact_that_gives_way_to_a_tick_is_told(world: World) -> None:
    """By card and command."""
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="ship")
    card = await opened(world)
    await tick(world.gm, card, "patrol", "patrol.ship", "patrol.base")
    taken = entry_after(world, await roll_card(world, card, 20))
    world.dice.script(20)
    await world.gm.slash(
        world.orders, "patrol", patrol="Kilo", target="Dom", modifiers="patrol.base", note="Again", roll="now"
    )
    assert taken == entry_after(world, text(newest(world.results)))


def entry_after(world: World, told: str) -> list[dict[str, Any]]:
    """Return what the newest roll left out."""
    taken: list[dict[str, Any]] = entry(world)["parts"][0]["overruled"]
    assert all(item["label"] in told for item in taken)
    return taken


async def test_an_unticked_secret_is_told_without_its_name(world: World) -> None:
    """Only the staff reads it."""
    await scout_base(world)
    card = await opened(world, patrol="Fort")
    await tick(world.gm, card, "patrol")
    told = await roll_card(world, card, 20)

    assert "**Left out by hand:** something hidden" in told
    assert "scouted" not in told.casefold()
    assert [item["secret"] for item in entry(world)["parts"][0]["overruled"]] == [True]


async def test_a_player_unticks_nothing_that_they_cannot_see(world: World) -> None:
    """Guessing reveals nothing."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await scout_base(world)
    sums = []
    for target, modifiers in (("Dom", "patrol.scouted*0"), ("Gelgoog", "")):
        world.dice.script(20)
        options = {"patrol": "Fort", "target": target, "roll": "now"} | ({"modifiers": modifiers} if modifiers else {})
        await world.player.slash(world.orders, "patrol", **options)
        (part,) = entry(world)["parts"]
        sums.append((part["steps"][0]["sum"], part["secret"], part["overruled"]))
    assert sums == [(-3, True, [])] * 2


@pytest.mark.slow
async def test_what_a_game_master_unticked_on_a_players_card_is_told(world: World) -> None:
    """The player doesn't see the secret."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await scout_base(world)
    await world.player.slash(world.orders, "patrol", patrol="Fort", target="Zaku")
    await tick(world.gm, await reopened(world, world.gm), "patrol")
    card = await reopened(world, world.player)
    world.dice.script(20)
    await world.player.click(card, custom_id=press(card, "roll"))
    assert "something hidden" in text(newest(world.results))


async def test_a_reason_for_the_staff_alone_stays_there(world: World) -> None:
    """On the staff's card and ledger."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await world.player.slash(world.orders, "patrol", patrol="Kilo", target="Zaku")
    card = await reopened(world, world.gm)
    await adjust(world, card, readers=["staff"])
    assert "an informer" in text(card)
    assert "informer" not in text(await reopened(world, world.player))

    told = await roll_card(world, card, 20)
    shown = said(await world.player.slash(world.orders, "ledger", entry=4))
    for public in (told, shown):
        assert "adjusted (reason: game masters only)" in public
        assert "informer" not in public
    assert "+4 an informer" in said(await world.gm.slash(world.orders, "ledger", entry=4))


async def test_a_typed_face_is_told_in_every_result(database_url: str) -> None:
    """Hidden faces aren't shown."""
    async with house_opened(database_url) as house:
        made = (await house.roll(patrol("Grey"), 20)).entry
    body = made.content()
    body["parts"][0]["steps"][0]["drawn"] = "by hand"
    told = []
    for secret in (False, True):
        body["parts"][0]["secret"] = secret
        ((embed,),) = result_pages(EntryView(replace(made, body=json.dumps(body)), "Iron Sea"), "public")
        told.append(embed.description or "")
    assert "**20** (by hand)" in told[0]
    assert "**By hand:** a face typed in." in told[1]
    assert "20" not in told[1]


DICE: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
    ("roll", {"expression": "d20"}, (20, 7)),
    ("infinity roll", {"attribute": 12}, (20, 7)),
    ("infinity versus", {"mine": 12, "their_attribute": 0}, (20, 7)),
]


def thread_in(world: World, channel: simcord.ChannelHandle) -> simcord.ChannelHandle:
    """Open a thread."""
    made = world.env.backend.create_thread(channel.id, "talk", world.gm.id)
    return simcord.ChannelHandle(world.env, world.guild, made)


async def cast(world: World, channel: simcord.ChannelHandle, actor: Any = None, **options: Any) -> Any:  # noqa: ANN401 - who, what, and the answer
    """Roll a d20, which shows 7."""
    world.dice.script(7)
    return await (actor or world.player).slash(channel, "roll", expression="d20", **options)


@pytest.mark.parametrize(
    ("command", "options", "die"),
    [DICE[0], *(pytest.param(*other, marks=pytest.mark.slow) for other in DICE[1:])],
    ids=[command for command, *_ in DICE],
)
async def test_dice_are_posted_where_they_are_typed(
    world: World, command: str, options: dict[str, Any], die: tuple[int, int]
) -> None:
    """On request in the results channel."""
    await world.gm.slash(world.orders, "gm settings", books="infinity")
    thread = thread_in(world, world.orders)
    for channel, picked, posted in (
        (world.orders, {}, world.orders),
        (thread, {"to": "here"}, thread),
        (world.orders, {"to": "results"}, world.results),
        (world.results, {}, world.results),
    ):
        world.dice.script(die[1])
        told = said(await world.player.slash(channel, command, **options, **picked))
        assert f"in <#{posted.id}>" in told
        assert told.partition("entry ")[2].split()[0] in text(newest(posted))
    assert rows(world, "select distinct audience from entry where kind = 'roll'") == [("results",)]


async def test_what_is_rolled_among_the_staff_is_theirs(world: World) -> None:
    """Players can't find it in the ledger."""
    for channel in (world.staff, thread_in(world, world.staff)):
        await cast(world, channel, world.gm)
        assert "d20" in text(newest(world.staff))
    assert rows(world, "select distinct audience from entry where kind = 'roll'") == [("staff",)]
    assert "d20" not in said(await world.player.slash(world.orders, "ledger"))
    assert world.results.last_message is None


async def test_where_the_bot_may_not_post_the_results_channel_has_it(world: World) -> None:
    """The receipt says where."""
    closed = discord.PermissionOverwrite(send_messages=False)
    dumb = world.guild.create_text_channel("dumb", overwrites={world.guild.default_role: closed})
    await world.manager.slash(world.orders, "campaign link", channel=dumb)
    assert f"in <#{world.results.id}>" in said(await cast(world, dumb))


async def test_among_the_staff_it_stays_theirs_where_the_bot_may_not_post(world: World) -> None:
    """They go to the staff channel."""
    forbid(world, world.staff, send_messages_in_threads=True)
    await cast(world, thread_in(world, world.staff), world.gm)
    assert rows(world, "select distinct audience from entry where kind = 'roll'") == [("staff",)]
    assert world.results.last_message is None


async def test_players_choose_between_public_places_alone(world: World) -> None:
    """Staff and me are for game masters."""
    for picked in ("staff", "me"):
        told = refused(await world.player.slash(world.orders, "roll", expression="d20", to=picked))
        assert "Only game masters" in told


@pytest.mark.slow
async def test_a_card_says_that_its_result_stands_where_it_was_typed(world: World) -> None:
    """A game master can send it elsewhere."""
    for picked, posted in ((None, world.orders), ("results", world.results)):
        card = response(await world.gm.slash(world.orders, "roll", expression="d20", roll="card"))
        await more(world.gm, card)
        select = control(card, "to")
        assert select["options"][0]["label"] == "Result goes to this channel"
        if picked:
            await world.gm.select(card, [picked], custom_id=select["custom_id"])
        world.dice.script(7)
        await world.gm.click(card, custom_id=press(card, "roll"))
        assert "d20" in text(newest(posted))


@pytest.mark.slow
async def test_an_update_lists_what_was_rolled_elsewhere(world: World) -> None:
    """Only that update lists it."""
    await cast(world, world.orders)
    await cast(world, world.orders, to="results")
    line = f"#3 **player** rolls **d20**: Total 7, in <#{world.orders.id}>"
    for actor in (world.gm, world.player):
        told = said(await actor.slash(world.orders, "update show"))
        assert line in told
        assert "#4" not in told
    assert "d20" not in said(await world.stranger.slash(world.orders, "update show"))
    assert line in said(await close_update(world))
    assert "d20" not in said(await world.gm.slash(world.orders, "update show"))
    assert "player" not in str(entry(world))


@pytest.mark.slow
async def test_a_private_roll_that_is_published_is_told_as_ever(world: World) -> None:
    """It says how many there were."""
    for _ in range(2):
        await cast(world, world.orders, world.gm, to="me")
    shown = response(await world.gm.slash(world.orders, "ledger", entry=4))
    await publish(world, shown, 4)
    assert "2 private rolls" in text(newest(world.results))


async def test_an_answer_has_the_dice_that_its_reader_may_see(world: World) -> None:
    """Those of a roll with something hidden are for game masters only."""
    await scout_base(world)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for actor, base, shown in ((world.player, "Fort", False), (world.player, "Kilo", True), (world.gm, "Lima", True)):
        world.dice.script(20)
        options = {"patrol": base, "target": f"Dom {base}", "modifiers": "patrol.fleet, patrol.newtype", "roll": "now"}
        receipt = said(await actor.slash(world.orders, "patrol", **options))
        assert f"caught by **{base}**" in receipt
        assert ("-# 1d20: **20**" in receipt) == shown
    assert "1d20: **20**" in text(newest(world.staff))
