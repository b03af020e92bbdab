"""Buttons of write-ups, and threads under results."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord

from bot.outbox import queue as posts
from bot.outbox.queue import Post
from tests.cogs.campaign.grouping import NIGHT, group, make_group, roll_patrol, undo_entry
from tests.cogs.writeups.test_writeups import read_list, roll_attack, roll_catch
from tests.outbox.test_posts import forbid, forget, wait
from tests.support import reading
from tests.support.acting import fill_in, roll_command
from tests.support.reading import assert_says, components, labels, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, send_raw

LINK = "https://discord.com/channels/1/2/3"


async def pick_writeup(world: World, actor: Any = None, number: str = "3.1") -> simcord.ResponseMessage:  # noqa: ANN401 - a member
    """A person's pick from the list."""
    who = actor or world.gm
    listed = response(await who.slash(world.orders, "writeups"))
    return response(await who.select(listed, [number], custom_id=press(listed, "1:show")))


async def test_a_roll_offers_to_claim_what_it_calls_for(world: World) -> None:
    """The answer has the next buttons."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    receipt = response(
        await roll_command(world, "patrol", 20, actor=world.player, patrol="Kilo", target="Zaku", roll="now", note="x")
    )
    assert labels(receipt) == ["Claim write-up", "Next target"]
    claimed = response(await world.player.click(receipt, label="Claim write-up"))
    assert f"claimed by <@{world.player.id}>" in text(claimed)
    assert labels(claimed) == ["Done", "Give back"]
    assert "Rolled: entry #4" in text(receipt)
    assert "already yours" in refused(await world.player.click(receipt, label="Claim write-up"))
    await fill_in(world.player, claimed, {"link": LINK}, label="Done")
    assert f"done by <@{world.player.id}>" in text(claimed)
    assert labels(claimed) == []
    assert entry_texts(world, 6) == {"link": LINK}


async def test_a_result_that_players_do_not_see_offers_them_no_claim(world: World) -> None:
    """Game masters claim it."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    world.dice.script(4, 4)
    asked = {"scouter": "Jonas", "base": "Fort Anvil", "roll": "now"}
    assert labels(response(await world.player.slash(world.orders, "scout", **asked))) == ["Next base"]
    receipt = response(await world.gm.slash(world.orders, "scout", **asked, note="again"))
    assert labels(receipt) == ["Claim write-up", "Next base", "Publish", "Undo", "Amend"]


async def test_one_is_picked_from_the_list_and_everybody_has_their_buttons(world: World) -> None:
    """Strangers have no list."""
    await roll_catch(world)
    mine = await pick_writeup(world, world.player)
    assert labels(mine) == ["Claim", "Done"]
    theirs = await pick_writeup(world)
    assert labels(theirs) == ["Claim", "Done", "Battle result"]
    await world.player.click(mine, label="Claim")
    assert labels(mine) == ["Done", "Give back"]
    with nothing_written(world):
        assert "was changed since you looked: entry #4" in refused(await world.gm.click(theirs, label="Claim"))
    theirs = await pick_writeup(world)
    assert labels(theirs) == ["Take over", "Done", "Battle result"]
    await world.gm.click(theirs, label="Take over")
    assert labels(theirs) == ["Done", "Give back", "Battle result", "Undo"]
    await fill_in(world.gm, theirs, {"result": ["drawn"]}, label="Battle result")
    assert "battle drawn" in text(theirs)
    assert "don't play" in refused(await world.stranger.slash(world.orders, "writeups"))


@pytest.mark.slow
async def test_what_was_claimed_can_be_given_back(world: World) -> None:
    """By its claimer, once."""
    await roll_catch(world)
    mine = await pick_writeup(world, world.player)
    await world.player.click(mine, label="Claim")
    back = press(mine, "back")
    theirs = await pick_writeup(world)
    assert "Give back" not in labels(theirs)
    with nothing_written(world):
        assert "isn't yours to give back" in refused(await send_raw(world.gm, world.orders, back))
    await world.player.click(mine, label="Give back")
    assert labels(mine) == ["Claim", "Done"]
    assert "· open" in text(mine)
    assert entry(world)["deed"] == "give-back"
    assert "Write-up #3 given back" in said(await world.gm.slash(world.orders, "ledger"))
    assert "was changed since you looked" in refused(await send_raw(world.player, world.orders, back))
    theirs = await pick_writeup(world)
    await world.gm.click(theirs, label="Claim")
    assert f"claimed by <@{world.gm.id}>" in text(theirs)


async def test_forged_buttons_do_nothing(world: World) -> None:
    """A stranger does nothing."""
    await roll_catch(world)
    await roll_attack(world)
    with nothing_written(world):
        assert "Only game masters" in refused(await send_window(world, world.player, "writeup:1:3.0:3:result", "won"))
        for key in ("writeup:1:4.0:4:claim", "writeup:1:4.0:take", "writeup:1:99.0:4:claim"):
            assert "I can't find a write-up" in refused(await send_raw(world.player, world.orders, key))
        for key in ("writeup:1:3.0:3:claim", "writeup:1:3.0:take", "writeup:1:3.0:3:done"):
            assert "don't play" in refused(await send_raw(world.stranger, world.orders, key))
        assert "no longer works" in refused(await send_window(world, world.gm, "writeup:1:3.0:3:result", "lost?"))


async def test_a_button_of_a_roll_that_was_taken_back_says_so(world: World) -> None:
    """Players learn nothing of staff rolls."""
    await roll_catch(world)
    await roll_attack(world)
    for number in (3, 4):
        await undo_entry(world, number)
    with nothing_written(world):
        for key in ("writeup:1:3.0:3:claim", "writeup:1:3.0:take"):
            answer = refused(await send_raw(world.player, world.orders, key))
            assert "Roll #3 was undone, so it needs no write-up." in answer
        assert "I can't find a write-up 4.1 for you" in refused(
            await send_raw(world.player, world.orders, "writeup:1:4.0:take")
        )
        assert "Roll #4 was undone" in refused(await send_raw(world.gm, world.orders, "writeup:1:4.0:take"))


async def send_window(world: World, actor: simcord.MemberActor, key: str, result: str) -> simcord.InteractionResult:
    """The answer to a forged window."""
    field = {"type": 18, "component": {"type": 3, "custom_id": "result", "values": [result]}}
    return await actor._dispatch_interaction(5, world.orders, {"custom_id": key, "components": [field]})


async def test_few_write_ups_have_no_paging_buttons(world: World) -> None:
    """An empty list has no select."""
    empty = response(await world.gm.slash(world.orders, "writeups"))
    assert [item for item in components(empty) if item["type"] in {2, 3}] == []
    await roll_catch(world)
    assert labels(response(await world.gm.slash(world.orders, "writeups"))) == []
    assert "3 open" in str([item for item in components(await open_list(world)) if item["type"] == 3])


async def open_list(world: World) -> simcord.ResponseMessage:
    """The list."""
    result = await world.gm.slash(world.orders, "writeups")
    assert said(result)
    return response(result)


async def switch(world: World, to: str = "threads on") -> str:
    """Switch threads; return the answer."""
    return said(await world.gm.slash(world.orders, "gm settings", write_ups=to))


def threads(channel: simcord.ChannelHandle) -> list[str]:
    """Threads of a channel."""
    return [item.name or "" for item in reading.threads(channel)]


def results(channel: simcord.ChannelHandle) -> list[discord.Message]:
    """Results in a channel."""
    return [item for item in channel.history() if item.embeds]


async def find_post(world: World, number: int) -> Post:
    """The first post of an entry."""
    return (await world.bots[-1].database.read(lambda tx: posts.posts_of_entry(tx, 1, number)))[0]


async def test_no_threads_unless_the_campaign_wants_them(world: World) -> None:
    """Only battles after switching on."""
    await roll_catch(world, "Dom")
    assert threads(world.results) == []
    assert "no threads" in said(await world.gm.slash(world.orders, "gm settings"))
    await switch(world)
    assert entry(world)["edited"] == {"writeup_threads": {"before": "off", "after": "on"}}
    assert "a thread under each result" in said(await world.gm.slash(world.orders, "gm settings"))
    await roll_catch(world)
    await roll_command(world, "patrol", 1, patrol="Kilo", target="Zaku", roll="now")
    assert (threads(world.results), threads(world.staff)) == (["Write-up #5"], [])
    await switch(world, "threads off")
    await roll_catch(world, "Gelgoog")
    assert len(threads(world.results)) == 1


async def test_the_list_leads_to_the_thread(world: World) -> None:
    """Players see it."""
    await switch(world)
    await roll_catch(world)
    (message,) = results(world.results)
    item = await find_post(world, 4)
    assert (item.message_id, item.thread_id) == (message.id, message.id)
    assert f"[Thread](https://discord.com/channels/{world.guild.id}/{message.id})" in await read_list(
        world, world.player
    )


async def test_a_staff_results_thread_is_the_staffs(world: World) -> None:
    """Players don't see it."""
    await switch(world)
    await roll_attack(world)
    assert (threads(world.results), threads(world.staff)) == ([], ["Write-up #4"])
    assert "[Thread]" in await read_list(world)
    assert "Thread" not in await read_list(world, world.player)


async def test_the_thread_of_a_groups_result_is_the_groups(world: World) -> None:
    """Or the staff's, without a channel."""
    den = await make_group(world)
    await switch(world)
    number = await roll_patrol(world, 20)
    assert threads(den) == [f"Write-up #{number}"]
    assert threads(world.results) == threads(world.staff) == []
    assert "[Thread]" in await read_list(world, world.player)
    await group(world, "edit", group=NIGHT, without="channel")
    number = await roll_patrol(world, 20, target="Dom")
    assert threads(world.staff) == [f"Write-up #{number}"]


async def test_where_none_can_be_opened_the_staff_is_told_once(world: World) -> None:
    """One note names the permission."""
    await switch(world)
    forbid(world, world.results, create_public_threads=True)
    await roll_catch(world)
    assert len(results(world.results)) == 1
    assert threads(world.results) == []
    for _ in range(3):
        await wait(world, hours=1)
    (note,) = world.staff.history()
    assert_says(text(note), "Entry #4 has no thread", "Create Public Threads", f"<#{world.results.id}>")
    assert "[Thread]" not in await read_list(world)


async def test_a_crash_between_thread_and_note_opens_no_second_one(world: World) -> None:
    """An existing thread counts."""
    await switch(world)
    await roll_catch(world)
    await forget(world, 4)
    await world.restart()
    path = f"/channels/{world.results.id}/messages/{results(world.results)[0].id}/threads"
    world.env.inject_error("POST", path, status=400, code=160004, message="A thread has already been created")
    await wait(world, minutes=5)
    item = await find_post(world, 4)
    assert item.state == "sent"
    assert item.thread_id == item.message_id == results(world.results)[0].id
    assert len(results(world.results)) == len(threads(world.results)) == 1
    assert world.staff.last_message is None


async def test_the_public_post_of_a_battle_has_a_button_to_claim_it(world: World) -> None:
    """Who presses it first has it; the others read so in private, strangers learn nothing."""
    await roll_catch(world)
    shown = reading.newest(world.results)
    assert labels(shown) == ["Claim write-up", "Details"]
    claimed = response(await world.player.click(shown, label="Claim write-up"))
    assert claimed.ephemeral
    assert f"claimed by <@{world.player.id}>" in text(claimed)
    with nothing_written(world):
        assert "changed since you looked" in refused(await world.gm.click(shown, label="Claim write-up"))
        refused(await world.stranger.click(shown, label="Claim write-up"))
    await world.restart()
    with nothing_written(world):
        assert "already yours" in refused(await world.player.click(shown, label="Claim write-up"))
    await world.player.click(claimed, label="Give back")
    assert "claimed by" in text(response(await world.gm.click(shown, label="Claim write-up")))


async def test_a_private_result_has_the_button_only_once_it_is_public(world: World) -> None:
    """Not on the staff's post, whose buttons stay."""
    world.dice.script(4)
    asked = {"scouter": "Jonas", "base": "Fort Anvil", "roll": "now"}
    receipt = response(await world.gm.slash(world.orders, "scout", **asked))
    assert "Claim write-up" in labels(receipt)
    assert "Claim write-up" not in labels(reading.newest(world.staff))
    question = response(await world.gm.click(receipt, label="Publish"))
    await world.gm.click(question, label="Publish")
    shown = reading.newest(world.results)
    assert labels(shown) == ["Claim write-up", "Details"]
    claimed = response(await world.player.click(shown, label="Claim write-up"))
    assert f"claimed by <@{world.player.id}>" in text(claimed)
