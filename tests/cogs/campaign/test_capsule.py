"""Campaigns exported, imported and deleted."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import pytest
import simcord

from bot.app import KINDS
from bot.cogs.campaign import farewell
from bot.core import audit, campaigns
from bot.core.schema import campaign, metadata, registered
from bot.rolls.fairness import disclosure
from tests.cogs.campaign.grouping import make_group
from tests.core.test_absence import ROUND, add, remove
from tests.support.acting import confirmed, open_settings, use_desk
from tests.support.commands import adjutant
from tests.support.reading import assert_says, labels, newest, refused, response, said
from tests.support.reading import text as read
from tests.support.template import copy_to
from tests.support.world import World, create_campaign, entry, message_with, rows, running, send_raw, written

MANAGES = discord.Permissions(manage_guild=True)


async def export_file(world: World, actor: simcord.MemberActor) -> bytes:
    """The exported file."""
    answer = response(await open_settings(actor, world.orders, "Export"))
    assert answer.ephemeral, "nobody else reads it"
    (file,) = answer.attachments
    return await file.read()


def unpack(capsule: bytes) -> str:
    """A capsule's contents as text."""
    with zipfile.ZipFile(io.BytesIO(capsule)) as file:
        assert file.testzip() is None
        return "\n".join(file.read(name).decode() for name in file.namelist())


async def play(world: World) -> None:
    """Play: public, staff and private rolls, a group, a fight, a challenge."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity, roe")
    await make_group(world, role=world.roles["player"])
    await world.gm.slash(world.orders, "fight start", who="Kai, Sayla")
    await world.gm.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    assert_homes(world, kept=True)
    await world.gm.slash(world.orders, "roll", expression="1d20", note="A first <b>look</b>")
    await world.gm.slash(world.orders, "roll", expression="2d6", note="The hidden fleet", to="to the staff channel")
    await world.player.slash(world.orders, "roll", expression="1d8", note="For myself", to="to you alone")


def assert_homes(world: World, *, kept: bool) -> None:
    """Assert that channels are kept or gone, and the challenge waits."""
    named = rows(world, "select name, value from state where name in ('group', 'fight')")
    values = {name: json.loads(value) for name, value in named}
    group, fight = values["group"], values["fight"]
    assert (group["channel"] is not None, group["role"] is not None, bool(group["members"])) == (kept, kept, True)
    assert ("channel" in fight, fight["over"]) == (kept, False)
    assert rows(world, "select state from pending") == [("open",)]


async def settle(world: World, server: simcord.GuildHandle) -> tuple[simcord.ChannelHandle, simcord.MemberActor]:
    """Set an imported campaign's channels and roles."""
    role, results, staff = (
        server.create_role("Leads"),
        server.create_text_channel("told"),
        server.create_text_channel("kept"),
    )
    boss = server.add_member(world.env.create_user("boss"), roles=[role])
    manager = server.add_member(world.env.create_user("owner"), roles=[server.create_role("O", permissions=MANAGES)])
    shown = response(await manager.slash(results, "gm settings", campaign="Iron Sea"))
    assert read(shown).count("not set") == 4
    assert "Set its channels and its game-master role" in said(await manager.click(shown, label="Next steps"))
    await manager.slash(
        results, "gm settings", campaign="Iron Sea", results=results, staff=staff, game_master=role, player=role
    )
    await world.env.advance_time(10)
    return results, boss


@pytest.mark.slow
async def test_a_campaign_goes_on_on_another_server(tmp_path: Path) -> None:
    """Imported, it's verified, rebuilt and rolled on."""
    files, file = [tmp_path / "old.db", tmp_path / "new.db"], tmp_path / "iron.zip"
    for made in files:
        copy_to(made)
    urls = [f"sqlite:///{made}" for made in files]
    async with running(urls[0], drawn=True) as world:
        await play(world)
        assert "Only game masters of Iron Sea" in refused(await send_raw(world.player, world.orders, "delete:1:export"))
        assert rows(world, "select count(*) from epoch where closed_at is not null") == [(0,)]
        capsule = await export_file(world, world.gm)
        file.write_bytes(capsule)
        text, before = unpack(capsule), rows(world, "select max(number) from entry")[0][0]
        assert entry(world)["exported"]
        answer = newest(next(item for item in world.results.threads if item.name == "Dice proof"))
        assert answer.embeds[0].title == "Dice set 1 is closed"
        drawn_from = rows(world, "select secret, root from epoch where closed_at is null")
        assert len(drawn_from) == 2
        await world.gm.slash(world.orders, "roll", expression="1d4", note="Too late")
    assert not [secret for secret, _ in drawn_from if secret in text], "dice could be foreseen"
    assert "Too late" not in text
    async with running(urls[1], drawn=True, campaign=False) as there:
        there.clock.advance(days=3650)  # the command line has another clock
        server = there.env.create_guild("Elsewhere")
        done = await asyncio.to_thread(adjutant, urls[1], "import", str(file), "--server", str(server.id))
        assert (done.code, done.err) == (0, ""), done.err
        results, boss = await settle(there, server)
        assert_homes(there, kept=False)
        found = re.search(r"\*\*#(\d+)", said(await boss.slash(results, "ledger", text="hidden fleet")))
        assert found is not None
        verified = said(await boss.slash(results, "verify", entry=int(found[1])))
        assert_says(verified, "This is consistent with itself", "The seeds of dice set 1 match its commitment")
        await boss.slash(results, "roll", expression="1d20", note="Here we are")
        assert "Here we are" in read(newest(results))
        newest_entry = rows(there, "select max(number) from entry")[0][0]
        assert "Full proof is published tomorrow" in said(await boss.slash(results, "verify", entry=newest_entry))
        audit_thread = next((text for item in results.history() if "moved here" in (text := read(item))), "")
        assert re.findall(r"next (\d) ", audit_thread) == ["4", "5"], "2 and 3 were committed to in the old place"
        here = await there.bots[-1].database.read(campaigns.get_campaign, 1)
        assert here is not None
        (arrival,) = await there.bots[-1].database.read(disclosure.draw_thread, here, 4)
        assert (arrival.description or "").strip("`\n") in audit_thread
        assert await there.bots[-1].database.read(disclosure.draw_thread, here, 1) == [], "only in the old thread"
        assert newest_entry == before + 3, "brought, settings, a roll"
        for look in (audit.check_ledgers, audit.rebuild_states):
            (audited,) = await look(there.bots[-1].database, KINDS)
            assert (audited.entries, audited.faults) == (newest_entry, ())


async def test_what_is_larger_than_discord_takes_is_told_with_the_way_round(world: World) -> None:
    """The answer names the command line; later exports work."""
    small = await world.gm._dispatch_interaction(
        3,
        world.orders,
        {"custom_id": "delete:1:export", "component_type": 2},
        extra={"attachment_size_limit": 2**10, "message": message_with(world.gm, world.orders, "delete:1:export", ())},
    )
    answer = refused(small)
    assert "files here may have 1 KiB" in answer
    (campaign_id,) = rows(world, "select uuid from campaign")[0]
    assert f"adjutant export {campaign_id} FILE" in answer
    before = rows(world, "select count(*) from entry")
    with farewell._ONE:
        assert "exporting another campaign" in refused(await open_settings(world.gm, world.orders, "Export"))
    assert rows(world, "select count(*) from entry") == before
    assert response(await open_settings(world.gm, world.orders, "Export")).attachments


async def test_entries_are_by_members_as_the_server_calls_them(world: World) -> None:
    """People who left are former members."""
    await world.gm.slash(world.orders, "roster add", name="Bob", kind="squad")
    world.dice.script(7)
    await world.player.slash(world.orders, "roll", expression="d20", roll="now")
    world.guild.remove_member(world.player)
    (file,) = response(await open_settings(world.gm, world.orders, "Export")).attachments
    page = zipfile.ZipFile(io.BytesIO(await file.read())).read("chronicle.html").decode()
    assert_says(page, " by gm", " by a former member")
    assert "by member" not in page


def count_rows(world: World, of: int) -> dict[str, int]:
    """A campaign's rows by table."""
    tables = [table for table in metadata.sorted_tables if table not in {campaign, registered}]
    owners = {**dict.fromkeys((table.name for table in tables), "campaign_id"), campaign.name: "id"}
    counts = {name: rows(world, f"select count(*) from {name} where {owner} = ?", of) for name, owner in owners.items()}  # noqa: S608 - our own names
    return {name: count for name, ((count,),) in counts.items() if count}


async def fill(world: World) -> None:
    """Fill as many tables as commands can."""
    gm = world.gm
    await gm.slash(world.orders, "gm settings", books="campaign, infinity")
    await gm.slash(world.orders, "roster add", name="Kilo", kind="ship")
    await gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column")
    await gm.slash(world.orders, "roll", expression="1d20", note="A look")
    await gm.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    await gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00")
    await use_desk(gm, world.orders, "Board")
    await gm.slash(world.orders, "ledger", text="look")


async def other_campaign(world: World) -> dict[str, int]:
    """Make a campaign on another server; return its rows."""
    server = world.env.create_guild("Elsewhere")
    names = ("a", "b")
    role, channels = server.create_role("Leads"), [server.create_text_channel(name) for name in names]
    boss = server.add_member(world.env.create_user("boss"), roles=[server.create_role("M", permissions=MANAGES)])
    results, staff = channels
    await boss.slash(results, "campaign create", name="Iron Sea", results=results, staff=staff, game_master=role)
    await world.env.advance_time(ROUND)
    return count_rows(world, 2)


def letters(world: World) -> list[Any]:
    """The owner's private messages, oldest first."""
    owner = world.env.backend.guilds[world.guild.id].owner_id
    channel = world.env.backend.get_dm_channel(owner)
    return sorted(world.env.backend.messages.get(channel.id, {}).values(), key=lambda item: item.id)


async def test_all_of_a_campaign_is_deleted_after_the_time_that_is_stated(database_url: str) -> None:
    """After 30 days nothing is left; another campaign stays."""
    async with running(database_url, drawn=True) as world:
        await fill(world)
        others = await other_campaign(world)
        await remove(world)
        before = count_rows(world, 1)
        assert before.pop("asked_search") == 1, "searches are forgotten after a day"
        assert {"entry", "post", "card", "job", "pending", "board", "state", "search", "epoch"} <= before.keys()
        world.clock.advance(days=29)
        await world.env.advance_time(ROUND)
        assert count_rows(world, 1) == before
        world.clock.advance(days=1)
        await world.env.advance_time(ROUND)
        assert count_rows(world, 1) == {}
        assert count_rows(world, 2).keys() == others.keys()
        assert count_rows(world, 2)["entry"] == others["entry"]


async def test_nothing_is_deleted_where_that_is_off(database_url: str) -> None:
    """With REMOVED_SERVERS_KEPT=off campaigns stay for good."""
    async with running(database_url, more={"removed_servers_kept": None}) as world:
        await remove(world)
        world.clock.advance(days=4000)
        await world.env.advance_time(ROUND)
        assert count_rows(world, 1)["campaign"] == 1
        assert "I keep them until you delete them" in letters(world)[0].content


async def test_a_server_that_came_back_is_not_deleted(world: World) -> None:
    """Each removal starts the time again."""
    await remove(world)
    world.clock.advance(days=29)
    await add(world)
    await remove(world)
    world.clock.advance(days=29)
    await world.env.advance_time(ROUND)
    assert count_rows(world, 1)["campaign"] == 1


async def test_the_owner_is_told_and_handed_the_campaign(world: World) -> None:
    """One message names the campaign and day, another has the file."""
    await remove(world)
    words, file = letters(world)
    day = int((world.clock.now + timedelta(days=30)).timestamp())
    assert_says(words.content, "removed from **Server**", "paused: Iron Sea", f"On <t:{day}:D> they're deleted")
    assert [item["filename"] for item in file.attachments] == ["iron-sea-3.capsule.zip"]
    assert entry(world)["exported"]


async def test_a_campaign_that_cannot_be_sent_is_left_to_the_host(world: World) -> None:
    """The owner reads the host's command."""
    with farewell._ONE:  # another one is being packed
        await remove(world)
    ((uuid,),) = rows(world, "select uuid from campaign")
    assert f"`adjutant export {uuid} FILE`" in letters(world)[1].content


async def test_an_owner_who_cannot_be_reached_is_a_line_in_the_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """An INFO line, as Discord often refuses."""
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
    """Only the person is answered; the log has no name."""
    await fill(world)
    others = await other_campaign(world)
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    await world.manager.click(asked, label="Delete")
    assert_says(read(asked), "You can't undo this", "ask a game master to export it")
    assert asked.ephemeral
    with caplog.at_level(logging.INFO):
        done = await world.manager.click(asked, label="Delete Iron Sea")
    assert "Iron Sea is deleted" in said(done)
    assert (count_rows(world, 1), count_rows(world, 2)) == ({}, others)
    (line,) = (item for item in caplog.records if item.getMessage() == "campaign.deleted")
    assert "Iron Sea" not in str(vars(line))
    assert "isn't on this server" in refused(await send_raw(world.manager, world.orders, "delete:1:9"))


async def test_it_can_be_exported_between_the_question_and_the_deletion(world: World) -> None:
    """An export doesn't stop the deletion."""
    boss = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["gm"], world.roles["manager"]])
    asked = response(await boss.slash(world.orders, "campaign archive"))
    assert labels(asked) == ["Archive", "Export", "Delete"]
    await boss.click(asked, label="Delete")
    exported = response(await boss.click(asked, label="Export it first"))
    assert [item.filename for item in exported.attachments] == ["iron-sea-3.capsule.zip"]
    assert "is deleted" in said(await boss.click(asked, label="Delete Iron Sea"))


async def test_what_has_gone_on_since_is_not_deleted(world: World) -> None:
    """A later roll refuses the button."""
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    await world.manager.click(asked, label="Delete")
    world.dice.script(3, sides=6)
    await world.gm.slash(world.orders, "roll", expression="1d6")
    assert_says(refused(await world.manager.click(asked, label="Delete Iron Sea")), "has gone on since", "#3 is new")
    assert count_rows(world, 1)["entry"] == 3


async def test_deleting_needs_manage_server_whatever_is_forged(world: World) -> None:
    """Forged buttons do nothing, here or on another server."""
    for actor in (world.gm, world.player, world.stranger):
        refusals = [await send_raw(actor, world.orders, forged) for forged in ("delete:1:ask", "delete:1:2")]
        assert all("Manage Server" in refused(item) for item in refusals)
    assert "Only game masters" in refused(await send_raw(world.manager, world.orders, "delete:1:export"))
    server = world.env.create_guild("Elsewhere")
    boss = server.add_member(world.env.create_user("boss"), roles=[server.create_role("M", permissions=MANAGES)])
    for forged in ("delete:1:2", "delete:1:ask", "delete:1:export"):
        answer = await send_raw(boss, server.create_text_channel("a"), forged)
        assert "isn't on this server" in refused(answer)
    assert count_rows(world, 1)["entry"] == 2


async def test_the_number_of_a_deleted_campaign_is_not_used_again(world: World) -> None:
    """Old buttons do nothing to the server's next campaign."""
    await confirmed(world, "campaign archive", world.manager)
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    await world.manager.click(asked, label="Delete")
    await world.manager.click(asked, label="Delete Iron Sea")
    await create_campaign(world)
    assert rows(world, "select id from campaign") == [(2,)]
