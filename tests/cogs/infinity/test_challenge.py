"""Challenges in Discord: made, answered, withdrawn, expired, after restarts."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from tests.support.acting import confirmed
from tests.support.reading import components, labels, newest, refused, said, text
from tests.support.world import World, nothing_written, rows, send_raw, written

SIDE = {"attribute": "12", "mods": "", "burst": "1", "crits": ["on"], "name": "Hac Tao"}


def another_player(world: World, name: str = "rival") -> simcord.MemberActor:
    """One more member who plays."""
    return world.guild.add_member(world.env.create_user(name), roles=[world.roles["player"]])


async def challenge(world: World, opponent: Any, **options: Any) -> Any:  # noqa: ANN401
    """The player challenges someone with 13 and -3."""
    options = {"mine": 13, "my_mods": "-3", "my_name": "Angus"} | options
    return await world.player.slash(world.orders, "infinity versus", opponent=opponent, **options)


def button(message: Any, word: str) -> str:  # noqa: ANN401
    """Return a challenge's button id."""
    keys: list[str] = [item.get("custom_id", "") for item in components(message)]
    return next(key for key in keys if key.endswith(word))


async def press(actor: Any, message: Any, word: str) -> Any:  # noqa: ANN401
    """Press a button of a challenge."""
    return await actor.click(message, custom_id=button(message, word))


def states(world: World) -> list[tuple[Any, ...]]:
    """Return state and entry of every challenge."""
    return rows(world, "select state, entry_number from pending order by opened_at, id")


def hide(world: World, member: simcord.MemberActor) -> None:
    """Hide the channel from someone."""
    denied = discord.Permissions(view_channel=True).value
    overwrite = Overwrite(target_id=member.id, type=OverwriteType.MEMBER, allow=0, deny=denied)
    world.env.backend.set_overwrite(world.orders.id, overwrite)


async def answer_challenge(world: World, actor: simcord.MemberActor, channel: simcord.ChannelHandle) -> None:
    """Answer the newest challenge with 12; the dice show 5 and 9."""
    modal = await press(actor, newest(channel), "answer")
    world.dice.script(5, 9)
    await actor.submit_modal(modal, SIDE)


@pytest.mark.slow
async def test_a_result_goes_to_the_results_channel_on_request(world: World) -> None:
    """The challenge stays where it was made; no result is kept from one side."""
    before = written(world)
    for picked in ("me", "staff"):
        told = refused(await world.gm.slash(world.orders, "infinity versus", opponent=world.player, mine=13, to=picked))
        assert "Both sides have to see" in told
    assert written(world) == before
    await world.gm.slash(world.staff, "infinity versus", opponent=world.gm2, mine=13)
    await answer_challenge(world, world.gm2, world.staff)
    assert "wins" in text(newest(world.staff))
    assert rows(world, "select audience from entry where kind = 'roll'") == [("staff",)]
    assert world.results.last_message is None
    rival = another_player(world)
    await challenge(world, rival, to="results")
    await answer_challenge(world, rival, world.orders)
    assert "Hac Tao wins" in text(newest(world.results))
    assert f"{world.results.id}/{newest(world.results).id}" in text(newest(world.orders))
    assert "Hac Tao" not in said(await world.player.slash(world.orders, "update show"))


async def test_others_are_refused_and_nothing_is_written(world: World) -> None:
    """Challenger, game master, other players and strangers learn why privately."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    with nothing_written(world):
        assert "This is your own challenge" in refused(await press(world.player, message, "answer"))
        for actor in (world.gm, world.stranger, another_player(world, "third")):
            assert "for you to answer" in refused(await press(actor, message, "answer"))
        key = button(message, "answer") + "ed:1"
        assert "for you to answer" in refused(await send_raw(world.gm, world.orders, key, modal=True))
        for actor in (rival, world.stranger):
            assert "Only Angus or a game master" in refused(await press(actor, message, "withdraw"))
    assert "don't play" in refused(await world.stranger.slash(world.orders, "infinity challenges"))
    assert states(world) == [("open", None)]


@pytest.mark.slow
async def test_a_second_answer_is_refused(world: World) -> None:
    """Of two windows the first counts, and the second rolls no dice."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    answer, withdraw = button(message, "answer"), button(message, "withdraw")
    first, second = await press(rival, message, "answer"), await press(rival, message, "answer")
    world.dice.script(3, 4)
    await rival.submit_modal(first, SIDE)
    with nothing_written(world):
        assert "answered: entry #4" in refused(await rival.submit_modal(second, SIDE))
        assert "answered: entry #4" in refused(await send_raw(rival, world.orders, answer))
        assert "answered: entry #4" in refused(await send_raw(world.player, world.orders, withdraw))


async def test_a_press_after_the_time_marks_it_as_run_out(world: World) -> None:
    """Any late press marks it in the message, before the loop does."""
    rival = another_player(world)
    for number, word in enumerate(("answer", "answered", "withdraw"), 1):
        await challenge(world, rival)
        message = newest(world.orders)
        modal = await press(rival, message, "answer")
        before = written(world)[0]
        world.clock.advance(hours=72)
        if word == "withdraw":
            assert "not answered in time" in said(await press(world.player, message, word))
        else:
            late = await (press(rival, message, word) if word == "answer" else rival.submit_modal(modal, SIDE))
            assert "has expired. Nothing was rolled" in refused(late)
        assert states(world) == [("expired", None)] * number
        assert labels(newest(world.orders)) == []
        assert written(world)[0] == before


async def test_who_cannot_be_challenged(world: World) -> None:
    """Oneself, strangers, bots, absent members and forged ids are refused privately."""
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    priya = another_player(world, "Priya")
    hide(world, priya)
    before = written(world), states(world)
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (world.player, {}, "can't challenge yourself"),
        (world.stranger, {}, "stranger doesn't play in Iron Sea"),
        (robot, {}, "is a bot"),
        (world.env.create_user("gone"), {}, "isn't on this server"),
        (world.gm, {"their_attribute": 3}, "Your opponent types the other side"),
        (world.gm, {"their_name": "Hac Tao"}, "Your opponent types the other side"),
        (world.gm, {"my_mods": "foo"}, "'foo'"),
        (world.gm, {"my_name": "n" * 61}, "too long"),
        (world.gm, {"note": "n" * 501}, "501 characters"),
        (priya, {}, "Priya can't see this channel.\nChallenge them in a channel that they can see."),
    ]
    for opponent, options, words in cases:
        assert words in refused(await challenge(world, opponent, **options))
    for key in ("challenge:1:nothing:answer", "challenge:2:x:withdraw", "challenge:x:y:answer", "challenge"):
        assert refused(await send_raw(world.player, world.orders, key))
    assert (written(world), states(world)) == before
    world.env.backend.delete_overwrite(world.orders.id, priya.id)
    assert "Challenge made" in said(await challenge(world, priya))


async def test_too_many_wait(world: World) -> None:
    """The eleventh open challenge is refused until one is withdrawn."""
    for _ in range(10):
        await challenge(world, world.gm)
    with nothing_written(world):
        assert "You already have 10 open challenges" in refused(await challenge(world, world.gm))
    await press(world.player, newest(world.orders), "withdraw")
    assert "Challenge made" in said(await challenge(world, world.gm))


async def test_what_changed_meanwhile_is_told(world: World) -> None:
    """A lost role, book or campaign refuses the answer, but not a withdrawal."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    first, second = await press(rival, message, "answer"), await press(rival, message, "answer")
    await world.manager.slash(world.orders, "gm settings", player=world.roles["manager"])
    assert "don't play" in refused(await press(rival, message, "answer"))
    assert "don't play" in refused(await rival.submit_modal(first, SIDE))
    await world.manager.slash(world.orders, "gm settings", player=world.roles["player"])
    await world.gm.slash(world.orders, "gm settings", books="-infinity")
    assert "doesn't use the book" in refused(await press(rival, message, "answer"))
    assert "doesn't use the book" in refused(await rival.submit_modal(second, SIDE))
    await confirmed(world, "campaign archive", world.manager)
    assert "archived" in refused(await press(rival, message, "answer"))
    assert states(world) == [("open", None)]
    assert rows(world, "select count(*) from entry where kind = 'roll'") == [(0,)]
    assert "Challenge withdrawn" in said(await press(world.player, message, "withdraw"))
