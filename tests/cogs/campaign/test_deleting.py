"""Campaigns are deleted: on request, or when their server removed the bot long enough ago."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import discord
import pytest

from bot.cogs.campaign import farewell
from bot.core.schema import campaign, metadata, registered
from tests.core.test_absence import ROUND, add, remove
from tests.support.acting import confirmed
from tests.support.reading import assert_says, refused, response, said
from tests.support.world import World, create_campaign, entry, rows, running, send_raw, written

MANAGES = discord.Permissions(manage_guild=True)


def kept(world: World, of: int) -> dict[str, int]:
    """How many rows of a campaign there are, by table, of those that have some."""
    tables = [table for table in metadata.sorted_tables if table not in {campaign, registered}]
    owners = {**dict.fromkeys((table.name for table in tables), "campaign_id"), campaign.name: "id"}
    counts = {name: rows(world, f"select count(*) from {name} where {owner} = ?", of) for name, owner in owners.items()}  # noqa: S608 - our own names
    return {name: count for name, ((count,),) in counts.items() if count}


async def fill(world: World) -> None:
    """Let a campaign have rows in as many tables as commands fill at once."""
    gm = world.gm
    await gm.slash(world.orders, "campaign edit", books="campaign, infinity")
    await gm.slash(world.orders, "unit add", name="Kilo", kind="ship")
    await gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column")
    await gm.slash(world.orders, "roll", expression="1d20", note="A look")
    await gm.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    await gm.slash(world.orders, "update schedule", day="Saturday", time="18:00")
    await gm.slash(world.orders, "update board")
    await gm.slash(world.orders, "ledger search", text="look")


async def other_campaign(world: World) -> dict[str, int]:
    """Make a campaign on another server; return how many rows it has."""
    server = world.env.create_guild("Elsewhere")
    names = ("a", "b")
    role, channels = server.create_role("Leads"), [server.create_text_channel(name) for name in names]
    boss = server.add_member(world.env.create_user("boss"), roles=[server.create_role("M", permissions=MANAGES)])
    results, staff = channels
    await boss.slash(results, "campaign create", name="Iron Sea", results=results, staff=staff, game_master=role)
    await world.env.advance_time(ROUND)
    return kept(world, 2)


def letters(world: World) -> list[Any]:
    """What the server's owner reads in private, the oldest first."""
    owner = world.env.backend.guilds[world.guild.id].owner_id
    channel = world.env.backend.get_dm_channel(owner)
    return sorted(world.env.backend.messages.get(channel.id, {}).values(), key=lambda item: item.id)


async def test_all_of_a_campaign_is_deleted_after_the_time_that_is_stated(database_url: str) -> None:
    """After 30 days no table has a row of it, and a campaign of another server is as it was; a day before it's all there."""
    async with running(database_url, drawn=True) as world:
        await fill(world)
        others = await other_campaign(world)
        await remove(world)
        before = kept(world, 1)
        assert {"entry", "post", "card", "job", "pending", "board", "state", "search", "epoch"} <= before.keys()
        world.clock.advance(days=29)
        await world.env.advance_time(ROUND)
        assert kept(world, 1) == before
        world.clock.advance(days=1)
        await world.env.advance_time(ROUND)
        assert kept(world, 1) == {}
        assert kept(world, 2).keys() == others.keys()
        assert kept(world, 2)["entry"] == others["entry"]


async def test_nothing_is_deleted_where_that_is_off(database_url: str) -> None:
    """With REMOVED_SERVERS_KEPT=off campaigns stay for good."""
    async with running(database_url, more={"removed_servers_kept": None}) as world:
        await remove(world)
        world.clock.advance(days=4000)
        await world.env.advance_time(ROUND)
        assert kept(world, 1)["campaign"] == 1
        assert "I keep them until you delete them" in letters(world)[0].content


async def test_a_server_that_came_back_is_not_deleted(world: World) -> None:
    """The time begins anew with each removal."""
    await remove(world)
    world.clock.advance(days=29)
    await add(world)
    await remove(world)
    world.clock.advance(days=29)
    await world.env.advance_time(ROUND)
    assert kept(world, 1)["campaign"] == 1


async def test_the_owner_is_told_and_handed_the_campaign(world: World) -> None:
    """A private message names the campaign and the day of its deletion, and another one has its file."""
    await remove(world)
    words, file = letters(world)
    day = int((world.clock.now + timedelta(days=30)).timestamp())
    assert_says(words.content, "removed from **Server**", "paused: Iron Sea", f"On <t:{day}:D> they're deleted")
    assert [item["filename"] for item in file.attachments] == ["iron-sea-3.capsule.zip"]
    assert entry(world)["exported"]


async def test_a_campaign_that_cannot_be_sent_is_left_to_the_host(world: World) -> None:
    """The owner is told the host's command, with the campaign's number in it."""
    with farewell._alone():  # another one is being packed
        await remove(world)
    ((uuid,),) = rows(world, "select uuid from campaign")
    assert f"`adjutant export {uuid} FILE`" in letters(world)[1].content


async def test_an_owner_who_cannot_be_reached_is_a_line_in_the_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The line is INFO, since Discord often refuses; nothing is packed, and the campaign rests all the same."""
    world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=50278, message="No mutual guilds", times=None
    )
    before = written(world)
    with caplog.at_level(logging.INFO):
        await remove(world)
    assert [(line.levelname, line.getMessage()) for line in caplog.records if "farewell" in line.getMessage()] == [
        ("INFO", "farewell.refused")
    ]
    assert (written(world), rows(world, "select away_since from campaign") == [(None,)]) == (before, False)


async def test_a_campaign_is_deleted_on_request(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The button with its name deletes all of it; the person alone is answered, and the host has a line without its name."""
    await fill(world)
    others = await other_campaign(world)
    asked = await world.manager.slash(world.orders, "campaign delete", campaign="Iron Sea")
    assert_says(said(asked), "You can't undo this", "ask a game master to use")
    assert asked.ephemeral
    with caplog.at_level(logging.INFO):
        done = await world.manager.click(response(asked), label="Delete Iron Sea")
    assert "Iron Sea is deleted" in said(done)
    assert (kept(world, 1), kept(world, 2)) == ({}, others)
    (line,) = (item for item in caplog.records if item.getMessage() == "campaign.deleted")
    assert "Iron Sea" not in str(vars(line))
    assert "isn't on this server" in refused(await send_raw(world.manager, world.orders, "delete:1:9"))


async def test_it_can_be_exported_between_the_question_and_the_deletion(world: World) -> None:
    """The export is under the question for who leads the campaign, and is no news that the deletion waits for."""
    boss = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["gm"], world.roles["manager"]])
    asked = response(await boss.slash(world.orders, "campaign delete", campaign="Iron Sea"))
    exported = response(await boss.click(asked, label="Export it first"))
    assert [item.filename for item in exported.attachments] == ["iron-sea-3.capsule.zip"]
    assert "is deleted" in said(await boss.click(asked, label="Delete Iron Sea"))


async def test_what_has_gone_on_since_is_not_deleted(world: World) -> None:
    """A roll after the question refuses the button; nothing is deleted."""
    asked = response(await world.manager.slash(world.orders, "campaign delete", campaign="Iron Sea"))
    world.dice.script(3, sides=6)
    await world.gm.slash(world.orders, "roll", expression="1d6")
    assert_says(refused(await world.manager.click(asked, label="Delete Iron Sea")), "has gone on since", "#3 is new")
    assert kept(world, 1)["entry"] == 3


async def test_deleting_needs_manage_server_whatever_is_forged(world: World) -> None:
    """Neither command, nor button, nor export does anything for others, or on another server."""
    for actor in (world.gm, world.player, world.stranger):
        refusals = [await actor.slash(world.orders, "campaign delete", campaign="Iron Sea")]
        refusals.append(await send_raw(actor, world.orders, "delete:1:2"))
        assert all("Manage Server" in refused(item) for item in refusals)
    assert "Only game masters" in refused(await send_raw(world.manager, world.orders, "delete:1:export"))
    server = world.env.create_guild("Elsewhere")
    boss = server.add_member(world.env.create_user("boss"), roles=[server.create_role("M", permissions=MANAGES)])
    for forged in ("delete:1:2", "delete:1:export"):
        answer = await send_raw(boss, server.create_text_channel("a"), forged)
        assert "isn't on this server" in refused(answer)
    assert kept(world, 1)["entry"] == 2


async def test_the_number_of_a_deleted_campaign_is_not_used_again(world: World) -> None:
    """A button that was left in Discord does nothing in the next campaign of the server."""
    await confirmed(world, "campaign delete", world.manager, campaign="Iron Sea")
    await create_campaign(world)
    assert rows(world, "select id from campaign") == [(2,)]
