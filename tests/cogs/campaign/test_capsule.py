"""A campaign goes elsewhere as one file: out of one server, into another one's database, with its chain and its dice."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from pathlib import Path

import discord
import pytest
import simcord

from bot.app import KINDS
from bot.cogs.campaign import farewell
from bot.core import audit
from tests.cogs.campaign.grouping import grouped
from tests.support.commands import adjutant
from tests.support.reading import assert_says, newest, refused, response, said
from tests.support.reading import text as read
from tests.support.template import copy_to
from tests.support.world import World, entry, rows, running

MANAGES = discord.Permissions(manage_guild=True)


async def exported(world: World, actor: simcord.MemberActor) -> bytes:
    """The file that somebody is handed."""
    answer = response(await actor.slash(world.orders, "campaign export"))
    assert answer.ephemeral, "nobody else reads it"
    (file,) = answer.attachments
    return await file.read()


def unpacked(capsule: bytes) -> str:
    """All that stands in a capsule, as text."""
    with zipfile.ZipFile(io.BytesIO(capsule)) as file:
        assert file.testzip() is None
        return "\n".join(file.read(name).decode() for name in file.namelist())


async def played(world: World) -> None:
    """Play a little: public, for the staff and for oneself, a group with a channel, a fight in one, a challenge that waits."""
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity, roe")
    await grouped(world, role=world.roles["player"])
    await world.gm.slash(world.orders, "fight start", who="Kai, Sayla")
    await world.gm.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    assert_homes(world, kept=True)
    await world.gm.slash(world.orders, "roll", expression="1d20", note="A first <b>look</b>")
    await world.gm.slash(world.orders, "roll", expression="2d6", note="The hidden fleet", to="to the staff channel")
    await world.player.slash(world.orders, "roll", expression="1d8", note="For myself", to="to you alone")


def assert_homes(world: World, *, kept: bool) -> None:
    """Claim that the group's channel and role and the fight's channel are kept, or gone; and that the challenge waits."""
    named = rows(world, "select name, value from state where name in ('group', 'fight')")
    values = {name: json.loads(value) for name, value in named}
    group, fight = values["group"], values["fight"]
    assert (group["channel"] is not None, group["role"] is not None, bool(group["members"])) == (kept, kept, True)
    assert ("channel" in fight, fight["over"]) == (kept, False)
    assert rows(world, "select state from pending") == [("open",)]


async def settled(world: World, server: simcord.GuildHandle) -> tuple[simcord.ChannelHandle, simcord.MemberActor]:
    """Name the channels and roles of a campaign that was brought to a server, as its manager does; return a channel and a game master."""
    role, results, staff = (
        server.create_role("Leads"),
        server.create_text_channel("told"),
        server.create_text_channel("kept"),
    )
    boss = server.add_member(world.env.create_user("boss"), roles=[role])
    manager = server.add_member(world.env.create_user("owner"), roles=[server.create_role("O", permissions=MANAGES)])
    shown = response(await manager.slash(results, "campaign show", campaign="Iron Sea"))
    assert read(shown).count("not set") == 4
    assert "Set its channels and its game-master role" in said(await manager.click(shown, label="Next steps"))
    await manager.slash(
        results, "campaign edit", campaign="Iron Sea", results=results, staff=staff, game_master=role, player=role
    )
    await world.env.advance_time(10)
    return results, boss


@pytest.mark.slow
async def test_a_campaign_goes_on_on_another_server(tmp_path: Path) -> None:
    """Exported by its game master and imported elsewhere, it is found, verified, rebuilt and rolled on; nothing of the old server is used."""
    files, file = [tmp_path / "old.db", tmp_path / "new.db"], tmp_path / "iron.zip"
    for made in files:
        copy_to(made)
    urls = [f"sqlite:///{made}" for made in files]
    async with running(urls[0], drawn=True) as world:
        await played(world)
        assert "Only game masters of Iron Sea" in refused(await world.player.slash(world.orders, "campaign export"))
        assert rows(world, "select count(*) from epoch where closed_at is not null") == [(0,)]
        capsule = await exported(world, world.gm)
        file.write_bytes(capsule)
        text, before = unpacked(capsule), rows(world, "select max(number) from entry")[0][0]
        assert entry(world)["exported"]
        told = newest(next(item for item in world.results.threads if item.name == "Dice proof"))
        assert told.embeds[0].title == "Dice set 1 is closed"
        drawn_from = rows(world, "select secret, root from epoch where closed_at is null")
        assert len(drawn_from) == 2
        await world.gm.slash(world.orders, "roll", expression="1d4", note="Too late")
    assert not [secret for secret, _ in drawn_from if secret in text], "dice could be foreseen"
    assert "Too late" not in text
    async with running(urls[1], drawn=True, campaign=False) as there:
        there.clock.advance(days=3650)  # the command line has a clock of its own
        server = there.env.create_guild("Elsewhere")
        done = await asyncio.to_thread(adjutant, urls[1], "import", str(file), "--server", str(server.id))
        assert (done.code, done.err) == (0, ""), done.err
        results, boss = await settled(there, server)
        assert_homes(there, kept=False)
        found = re.search(r"\*\*#(\d+)", said(await boss.slash(results, "ledger search", text="hidden fleet")))
        assert found is not None
        verified = said(await boss.slash(results, "verify", entry=int(found[1])))
        assert_says(verified, "This is consistent with itself", "The seeds of dice set 1 match its commitment")
        await boss.slash(results, "roll", expression="1d20", note="Here we are")
        assert "Here we are" in read(newest(results))
        newest_entry = rows(there, "select max(number) from entry")[0][0]
        assert "Full proof is published tomorrow" in said(await boss.slash(results, "verify", entry=newest_entry))
        audit_thread = next((text for item in results.history() if "moved here" in (text := read(item))), "")
        assert re.findall(r"next (\d) ", audit_thread) == ["4", "5"], "2 and 3 were committed to in the old place"
        assert newest_entry == before + 3, "brought, settings, a roll"
        for look in (audit.check_ledgers, audit.rebuild_states):
            (audited,) = await look(there.bots[-1].database, KINDS)
            assert (audited.entries, audited.faults) == (newest_entry, ())


async def test_what_is_larger_than_discord_takes_is_told_with_the_way_round(world: World) -> None:
    """The refusal is private and names the command line; the next try is not held up by it, unless while another is packed."""
    options = [{"type": 1, "name": "export", "options": []}]
    command = next(
        item
        for item in world.env.backend.visible_commands(user_id=world.gm.id, channel_id=world.orders.id)
        if item["name"] == "campaign"
    )
    data = {"id": command["id"], "name": "campaign", "type": 1, "options": options}
    small = await world.gm._dispatch_interaction(2, world.orders, data, extra={"attachment_size_limit": 2**10})
    told = refused(small)
    assert "files here may have 1 KiB" in told
    (campaign_id,) = rows(world, "select uuid from campaign")[0]
    assert f"adjutant export {campaign_id} FILE" in told
    before = rows(world, "select count(*) from entry")
    with farewell._alone():
        assert "exporting another campaign" in refused(await world.gm.slash(world.orders, "campaign export"))
    assert rows(world, "select count(*) from entry") == before
    assert response(await world.gm.slash(world.orders, "campaign export")).attachments
