"""Free dice stand where they were typed, and are told all the same."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord

from tests.cogs.ledger.test_publish import publish
from tests.outbox.test_posts import forbid
from tests.support.acting import close_update, more
from tests.support.reading import control, newest, press, refused, response, said, text
from tests.support.world import World, entry, rows

DICE: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
    ("roll", {"expression": "d20"}, (20, 7)),
    ("infinity roll", {"attribute": 12}, (20, 7)),
    ("infinity versus", {"mine": 12, "their_attribute": 0}, (20, 7)),
]


def thread_in(world: World, channel: simcord.ChannelHandle) -> simcord.ChannelHandle:
    """A thread of a channel."""
    made = world.env.backend.create_thread(channel.id, "talk", world.gm.id)
    return simcord.ChannelHandle(world.env, world.guild, made)


async def cast(world: World, channel: simcord.ChannelHandle, actor: Any = None, **options: Any) -> Any:  # noqa: ANN401 - who, what, and the answer
    """Roll a die of 20 in a channel, which falls on a 7."""
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
    """In the channel or the thread, for everybody there; the results channel has them on request."""
    await world.gm.slash(world.orders, "campaign edit", books="infinity")
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
    """In the staff channel and its threads the result is for the staff; players do not find it in the ledger."""
    for channel in (world.staff, thread_in(world, world.staff)):
        await cast(world, channel, world.gm)
        assert "d20" in text(newest(world.staff))
    assert rows(world, "select distinct audience from entry where kind = 'roll'") == [("staff",)]
    assert "d20" not in said(await world.player.slash(world.orders, "ledger list"))
    assert world.results.last_message is None


async def test_where_the_bot_may_not_post_the_results_channel_has_it(world: World) -> None:
    """Nothing is lost: the receipt says where it stands."""
    closed = discord.PermissionOverwrite(send_messages=False)
    dumb = world.guild.create_text_channel("dumb", overwrites={world.guild.default_role: closed})
    await world.manager.slash(world.orders, "campaign link", channel=dumb)
    assert f"in <#{world.results.id}>" in said(await cast(world, dumb))


async def test_among_the_staff_it_stays_theirs_where_the_bot_may_not_post(world: World) -> None:
    """A thread of the staff in which the bot has no voice sends its dice to the staff channel, never to all."""
    forbid(world, world.staff, send_messages_in_threads=True)
    await cast(world, thread_in(world, world.staff), world.gm)
    assert rows(world, "select distinct audience from entry where kind = 'roll'") == [("staff",)]
    assert world.results.last_message is None


async def test_players_choose_between_public_places_alone(world: World) -> None:
    """Staff and me are for game masters, as everywhere."""
    for picked in ("staff", "me"):
        told = refused(await world.player.slash(world.orders, "roll", expression="d20", to=picked))
        assert "Only game masters" in told


@pytest.mark.slow
async def test_a_card_says_that_its_result_stands_where_it_was_typed(world: World) -> None:
    """A game master can send it elsewhere on the card, and then it goes there."""
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
    """Whoever takes part reads it in the update and in its closing, with entry and channel, and not in the next one."""
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
    """Rolling in private and publishing the best tells how many there were, wherever dice are posted."""
    for _ in range(2):
        await cast(world, world.orders, world.gm, to="me")
    shown = response(await world.gm.slash(world.orders, "ledger show", number=4))
    await publish(world, shown, 4)
    assert "2 private rolls" in text(newest(world.results))
