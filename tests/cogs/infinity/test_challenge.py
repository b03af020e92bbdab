"""Challenges in Discord: made, answered by the one who is challenged, withdrawn, run out; over restarts."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.app import KINDS
from bot.core import audit
from bot.core.people import mark
from tests.support.acting import confirmed
from tests.support.reading import assert_says, components, newest, refused, response, said, text
from tests.support.world import World, entry, entry_texts, rows, send_raw, written

SIDE = {"attribute": "12", "mods": "", "burst": "1", "crits": ["on"], "name": "Hac Tao"}


def another_player(world: World, name: str = "rival") -> simcord.MemberActor:
    """One more member who plays."""
    return world.guild.add_member(world.env.create_user(name), roles=[world.roles["player"]])


async def challenge(world: World, opponent: Any, **options: Any) -> Any:  # noqa: ANN401
    """The player challenges somebody with 13 and -3."""
    options = {"mine": 13, "my_mods": "-3", "my_name": "Angus"} | options
    return await world.player.slash(world.orders, "infinity versus", opponent=opponent, **options)


def button(message: Any, word: str) -> str:  # noqa: ANN401
    """The id of a button of a challenge."""
    keys: list[str] = [item.get("custom_id", "") for item in components(message)]
    return next(key for key in keys if key.endswith(word))


def buttons(message: Any) -> list[str]:  # noqa: ANN401
    """What the buttons of a message say."""
    return [item["label"] for item in components(message) if item["type"] == 2]


async def press(actor: Any, message: Any, word: str) -> Any:  # noqa: ANN401
    """Press a button of a challenge."""
    return await actor.click(message, custom_id=button(message, word))


def states(world: World) -> list[tuple[Any, ...]]:
    """State and entry of every challenge."""
    return rows(world, "select state, entry_number from pending order by opened_at, id")


def hide(world: World, member: simcord.MemberActor) -> None:
    """Let somebody not see the channel."""
    denied = discord.Permissions(view_channel=True).value
    overwrite = Overwrite(target_id=member.id, type=OverwriteType.MEMBER, allow=0, deny=denied)
    world.env.backend.set_overwrite(world.orders.id, overwrite)


async def pass_time(world: World, **span: float) -> None:
    """Let time pass for the bot, and its loops do their work."""
    world.clock.advance(**span)
    await world.env.advance_time(25)


async def test_a_challenge_tells_nothing_before_its_answer(world: World) -> None:
    """It pings the opponent alone, names who, whom and until when, no number of the challenger's, and enters nothing."""
    rival = another_player(world)
    before = written(world)[0]
    result = await challenge(world, rival, note="Angus shoots")
    assert result.ephemeral
    message = newest(world.orders)
    assert message.content == f"<@{rival.id}>"
    assert [user.id for user in message.mentions] == [rival.id]
    shown = text(message)
    assert_says(shown, f"<@{world.player.id}> challenges <@{rival.id}>", "to a Face to Face Roll, with **Angus**.")
    assert message.embeds[0].footer.text == "Iron Sea"
    assert "**Note:** Angus shoots" in shown
    until = int(world.clock().timestamp()) + 72 * 3600
    assert f"<t:{until}:f> (<t:{until}:R>)" in shown
    assert "13" not in shown.replace(str(until), "").replace(str(world.player.id), "").replace(str(rival.id), "")
    assert buttons(message) == ["Answer", "Withdraw"]
    assert written(world)[0] == before
    assert str(message.id) in said(result)


async def test_the_answer_rolls_the_whole_contest_as_one_entry(world: World) -> None:
    """All faces fall with the answer; the result is public, the message loses its buttons and leads there; all in one entry."""
    rival = another_player(world)
    await challenge(world, rival, note="Angus shoots")
    message = newest(world.orders)
    modal = await press(rival, message, "answer")
    assert modal.modal["title"] == "Against Angus"
    before = written(world)[0]
    world.dice.script(5, 9, 12)
    result = await rival.submit_modal(modal, SIDE | {"mods": "\N{MINUS SIGN}3, +6", "burst": "2"})
    assert result.ephemeral or response(result).ephemeral
    assert "Rolled: entry #4" in said(result)
    assert written(world)[0] == before + 1
    over, result_message = world.orders.history()
    shown = text(result_message)
    assert_says(shown, "Hac Tao wins: the higher success, 12 against 5, 2 hits", "**Note:** Angus shoots")
    body = entry(world)
    assert body["parts"][0]["inputs"] == {
        "a": {"attribute": 13, "mods": [-3], "burst": 1, "crits": True},
        "b": {"attribute": 12, "mods": [-3, 6], "burst": 2, "crits": True},
    }
    assert body["asked"]["at"] == world.clock().isoformat()
    people = dict(rows(world, "select pseudonym, user_id from actor"))
    assert people[body["asked"]["by"]] == world.player.id
    assert str(world.player.id) not in str(body)
    assert str(rival.id) not in str(body)
    assert rows(world, "select actor from entry where number = 4") == [
        (key,) for key in people if people[key] == rival.id
    ]
    assert entry_texts(world, 4) == {"note": "Angus shoots"}
    assert states(world) == [("answered", 4)]
    assert over.id == message.id
    assert buttons(over) == []
    assert over.content == ""
    answered = f"<@{rival.id}> has answered <@{world.player.id}>: entry #4"
    assert f"**Hac Tao wins: the higher success, 12 against 5, 2 hits**\n{answered}" in text(over)
    assert over.embeds[0].footer.text == "Iron Sea"
    assert f"{world.orders.id}/{result_message.id}" in text(over)
    assert world.results.last_message is None
    told = said(await world.player.slash(world.orders, "update show"))
    assert (
        f"#4 **Angus** against **Hac Tao**, face to face: Hac Tao wins: the higher success, 12 against 5, 2 hits, in <#{world.orders.id}>"
        in told
    )
    assert [item.faults for item in await audit.check(world.bots[0].database, KINDS)] == [()]


@pytest.mark.slow
async def test_names_and_the_rest_have_defaults(world: World) -> None:
    """Whoever names nobody rolls under the name on the server; empty fields are no modifiers and one die."""
    rival = another_player(world)
    await world.player.slash(world.orders, "infinity versus", mine=9, opponent=rival)
    assert f"<@{world.player.id}> challenges <@{rival.id}> to a Face to Face Roll.\n" in text(newest(world.orders))
    modal = await press(rival, newest(world.orders), "answer")
    world.dice.script(9, 3)
    await rival.submit_modal(modal, {"attribute": "12", "mods": "", "burst": "", "crits": ["off"], "name": ""})
    (part,) = entry(world)["parts"]
    assert part["subjects"] == {"a": mark("a"), "b": mark("b")}
    assert entry_texts(world, 4) == {"name.a": "player", "name.b": "rival"}
    assert "**player** against **rival**, face to face" in text(newest(world.orders))
    assert part["inputs"]["b"] == {"attribute": 12, "mods": [], "burst": 1, "crits": False}


async def answered(world: World, actor: simcord.MemberActor, channel: simcord.ChannelHandle) -> None:
    """Answer the newest challenge of a channel with 12, and the dice fall on 5 and 9."""
    modal = await press(actor, newest(channel), "answer")
    world.dice.script(5, 9)
    await actor.submit_modal(modal, SIDE)


@pytest.mark.slow
async def test_a_result_goes_to_the_results_channel_on_request(world: World) -> None:
    """The challenge stays where it was made, and the update doesn't repeat the results channel; a staff challenge stays with the staff, and no result is kept from one side."""
    before = written(world)
    for picked in ("me", "staff"):
        told = refused(await world.gm.slash(world.orders, "infinity versus", opponent=world.player, mine=13, to=picked))
        assert "for both sides to see" in told
    assert written(world) == before
    await world.gm.slash(world.staff, "infinity versus", opponent=world.gm2, mine=13)
    await answered(world, world.gm2, world.staff)
    assert "wins" in text(newest(world.staff))
    assert rows(world, "select audience from entry where kind = 'roll'") == [("staff",)]
    assert world.results.last_message is None
    rival = another_player(world)
    await challenge(world, rival, to="results")
    await answered(world, rival, world.orders)
    assert "Hac Tao wins" in text(newest(world.results))
    assert f"{world.results.id}/{newest(world.results).id}" in text(newest(world.orders))
    assert "Hac Tao" not in said(await world.player.slash(world.orders, "update show"))


async def test_others_are_refused_and_nothing_is_written(world: World) -> None:
    """Challenger, game master, other players and strangers cannot answer; each is told privately why."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    before = written(world)
    assert "You have made this challenge" in refused(await press(world.player, message, "answer"))
    for actor in (world.gm, world.stranger, another_player(world, "third")):
        assert "for somebody else to answer" in refused(await press(actor, message, "answer"))
    key = button(message, "answer") + "ed:1"
    assert "for somebody else" in refused(await send_raw(world.gm, world.orders, key, modal=True))
    for actor in (rival, world.stranger):
        assert "Only Angus, who made it, or a game master" in refused(await press(actor, message, "withdraw"))
    assert written(world) == before
    assert states(world) == [("open", None)]


@pytest.mark.slow
async def test_it_works_after_a_restart(world: World) -> None:
    """Button and window opened before a restart are answered by the new process."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    await world.restart()
    modal = await press(rival, message, "answer")
    await world.restart()
    world.dice.script(3, 4)
    assert "Rolled: entry #4" in said(await rival.submit_modal(modal, SIDE))
    assert buttons(newest(world.orders)) == []


@pytest.mark.slow
async def test_a_second_answer_is_refused(world: World) -> None:
    """Of two windows the first counts; the second is told which entry it was, and its dice never fall."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    answer, withdraw = button(message, "answer"), button(message, "withdraw")
    first, second = await press(rival, message, "answer"), await press(rival, message, "answer")
    world.dice.script(3, 4)
    await rival.submit_modal(first, SIDE)
    before = written(world)
    assert "answered: entry #4" in refused(await rival.submit_modal(second, SIDE))
    assert "answered: entry #4" in refused(await send_raw(rival, world.orders, answer))
    assert "answered: entry #4" in refused(await send_raw(world.player, world.orders, withdraw))
    assert written(world) == before


async def test_who_made_it_or_a_game_master_withdraws(world: World) -> None:
    """The message says so and has no buttons any more; no entry is made, and an answer comes too late."""
    rival = another_player(world)
    for number, who in enumerate((world.player, world.gm), 1):
        await challenge(world, rival)
        message = newest(world.orders)
        modal = await press(rival, message, "answer")
        before = written(world)[0]
        assert "Challenge withdrawn" in said(await press(who, message, "withdraw"))
        over = newest(world.orders)
        assert "was withdrawn. Nothing was rolled." in text(over)
        assert buttons(over) == []
        assert "was withdrawn" in refused(await rival.submit_modal(modal, SIDE))
        assert states(world) == [("withdrawn", None)] * number
        assert written(world)[0] == before


async def test_it_runs_out_by_itself(world: World) -> None:
    """At its time, and not before, the message says that nobody has answered; its buttons are gone."""
    rival = another_player(world)
    await challenge(world, rival, hours=2)
    await pass_time(world, hours=1, minutes=59)
    assert states(world) == [("open", None)]
    await pass_time(world, minutes=1)
    assert states(world) == [("expired", None)]
    over = newest(world.orders)
    assert f"<@{world.player.id}>, your challenge has run out" in text(over)
    assert buttons(over) == []


async def test_a_press_after_the_time_marks_it_as_run_out(world: World) -> None:
    """Before the loop has come round, any press after the time finds it run out and lets the message say so."""
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
            assert "has run out. Nothing was rolled" in refused(late)
        assert states(world) == [("expired", None)] * number
        assert buttons(newest(world.orders)) == []
        assert written(world)[0] == before


async def test_who_cannot_be_challenged(world: World) -> None:
    """Oneself, strangers, bots, those who left and who cannot see the channel are refused privately, and so is what only they could type, and ids that the bot never gave out."""
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    priya = another_player(world, "Priya")
    hide(world, priya)
    before = written(world), states(world)
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (world.player, {}, "cannot challenge yourself"),
        (world.stranger, {}, "stranger takes no part in Iron Sea"),
        (robot, {}, "is a bot"),
        (world.env.create_user("gone"), {}, "not on this server"),
        (world.gm, {"their_attribute": 3}, "Your opponent types the other side"),
        (world.gm, {"their_name": "Hac Tao"}, "Your opponent types the other side"),
        (world.gm, {"my_mods": "foo"}, "'foo'"),
        (world.gm, {"my_name": "n" * 61}, "too long"),
        (world.gm, {"note": "n" * 501}, "501 characters"),
        (priya, {}, "Priya cannot see this channel: challenge them where they can answer."),
    ]
    for opponent, options, words in cases:
        assert words in refused(await challenge(world, opponent, **options))
    for key in ("challenge:1:nothing:answer", "challenge:2:x:withdraw", "challenge:x:y:answer", "challenge"):
        assert refused(await send_raw(world.player, world.orders, key))
    assert (written(world), states(world)) == before
    world.env.backend.delete_overwrite(world.orders.id, priya.id)
    assert "Challenge made" in said(await challenge(world, priya))


async def test_too_many_wait(world: World) -> None:
    """The eleventh open challenge of one member is refused; once one is withdrawn there is room again."""
    for _ in range(10):
        await challenge(world, world.gm)
    before = written(world)
    assert "10 challenges of yours wait already" in refused(await challenge(world, world.gm))
    assert written(world) == before
    await press(world.player, newest(world.orders), "withdraw")
    assert "Challenge made" in said(await challenge(world, world.gm))


async def test_the_list_finds_open_challenges_again(world: World) -> None:
    """Each side sees its own with the way to the message; from there one is answered or withdrawn, whoever else sees none."""
    rival = another_player(world)
    assert "No open challenges" in said(await world.player.slash(world.orders, "infinity challenges"))
    await challenge(world, rival)
    first = newest(world.orders)
    await challenge(world, rival, my_name="Bors")
    second = newest(world.orders)
    assert "No open challenges" in said(await world.stranger.slash(world.orders, "infinity challenges"))
    theirs = response(await rival.slash(world.orders, "infinity challenges"))
    assert text(theirs).count("challenges <@") == 2
    assert str(first.id) in text(theirs)
    select = next(item for item in components(theirs) if item["type"] == 3)
    assert [item["label"] for item in select["options"]] == ["1. Angus", "2. Bors"]
    modal = await rival.select(theirs, [select["options"][0]["value"]], custom_id=select["custom_id"])
    world.dice.script(3, 4)
    await rival.submit_modal(modal, SIDE)
    assert "has answered" in text(_message(world, first.id))
    for actor in (world.player, world.gm):
        own = response(await actor.slash(world.orders, "infinity challenges"))
        assert "**Bors**" in text(own)
        assert "**Angus**" not in text(own)
    select = next(item for item in components(own) if item.get("custom_id", "").endswith("withdraw"))
    await world.gm.select(own, [select["options"][0]["value"]], custom_id=select["custom_id"])
    assert "withdrawn" in text(_message(world, second.id))
    assert "Challenge withdrawn" in text(own)
    assert states(world) == [("answered", 4), ("withdrawn", None)]


def _message(world: World, message_id: int) -> discord.Message:
    return next(message for message in world.orders.history() if message.id == message_id)


async def test_what_changed_meanwhile_is_told(world: World) -> None:
    """A lost role, a switched off book and an archived campaign refuse the answer; it can be withdrawn all the same."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    first, second = await press(rival, message, "answer"), await press(rival, message, "answer")
    await world.manager.slash(world.orders, "campaign edit", player=world.roles["manager"])
    assert "take no part" in refused(await press(rival, message, "answer"))
    assert "take no part" in refused(await rival.submit_modal(first, SIDE))
    await world.manager.slash(world.orders, "campaign edit", player=world.roles["player"])
    await world.gm.slash(world.orders, "campaign edit", books="-infinity")
    assert "does not play by the book" in refused(await press(rival, message, "answer"))
    assert "does not play by the book" in refused(await rival.submit_modal(second, SIDE))
    await confirmed(world, "campaign archive", world.manager)
    assert "archived" in refused(await press(rival, message, "answer"))
    assert states(world) == [("open", None)]
    assert rows(world, "select count(*) from entry where kind = 'roll'") == [(0,)]
    assert "Challenge withdrawn" in said(await press(world.player, message, "withdraw"))
