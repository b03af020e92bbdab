"""Groups: add, edit, list, refuse."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.core.permissions import MAX_GROUPS
from tests.cogs.campaign import grouping
from tests.outbox.test_posts import forbid, wait
from tests.support.acting import (
    fill_in,
    list_groups,
    more_of,
    open_group,
    opened,
    remove_group,
    removed,
    save_group,
)
from tests.support.reading import assert_says, control, newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, nothing_written, rows, send_raw, written


async def test_members_list_their_groups_and_nobody_else_does(world: World) -> None:
    """Members see no secret members; others see open groups only."""
    other = grouping.rival(world)
    await grouping.make_group(world, members="Kai, Sayla")
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    await grouping.group(world, "edit", group=grouping.NIGHT, members="Shadow")
    lists = [await list_groups(world, who) for who in (world.player, other, world.gm)]
    assert "Kai, Sayla" in lists[0]
    assert "Shadow" not in lists[0]
    assert "Kai, Sayla, Shadow" in lists[2]
    assert "none that you know of" in lists[1]
    assert "don't play" in refused(await send_raw(world.stranger, world.orders, "campaign:1:groups"))
    before = grouping.newest_entry(world)
    assert (await grouping.reads(world, world.player, before), await grouping.reads(world, other, before)) == (
        True,
        False,
    )
    await grouping.group(world, "edit", group=grouping.NIGHT, secret=False)
    answer = await list_groups(world, other)
    assert "Kai, Sayla" in answer
    assert "<#" not in answer
    public = grouping.newest_entry(world)
    assert await grouping.reads(world, other, public)
    assert "Kai" not in said(await other.slash(world.orders, "ledger", entry=public))
    assert not await grouping.reads(world, other, before)
    await grouping.group(world, "edit", group=grouping.NIGHT, secret=True)
    assert "none that you know of" in await list_groups(world, other)
    await require_whole(world)


async def test_a_saved_group_says_how_it_is_told_something(world: World) -> None:
    """It also says how to link its channel."""
    den = grouping.make_hidden_channel(world, "den")
    answer = said(await save_group(world, name=grouping.NIGHT, channel=den))
    assert f"`to:{grouping.NIGHT}` sends it a result." in answer
    assert f"To use commands in <#{den.id}>, link it to Iron Sea with `/campaign link`." in answer
    await world.manager.slash(world.orders, "campaign link", channel=den)
    await grouping.group(world, "edit", group=grouping.NIGHT, without="channel")
    assert "Commands work" not in said(await save_group(world, grouping.NIGHT, channel=den))
    answer = said(await remove_group(world, grouping.NIGHT))
    assert "Its results stay visible to game masters only. Undo restores the group." in answer


async def test_removing_a_group_asks_first(world: World) -> None:
    """A press after a change does nothing."""
    await grouping.make_group(world)
    before = written(world)
    asked = await open_group(world, grouping.NIGHT)
    assert "If you remove it: its results stay visible" in text(asked)
    key = press(asked, "remove")
    assert "Only game masters" in refused(await send_raw(world.player, world.orders, key))
    assert written(world) == before
    await grouping.group(world, "edit", group=grouping.NIGHT, secret=False)
    assert "has changed since you looked" in refused(await send_raw(world.gm, world.orders, key))
    await grouping.group(world, "remove", group=grouping.NIGHT)
    with nothing_written(world):
        assert "changed since you looked" in refused(await send_raw(world.gm, world.orders, key))


@pytest.mark.slow
async def test_a_removed_groups_challenge_goes_to_the_staff(world: World) -> None:
    """It can still be answered; only the staff sees the result."""
    den = await grouping.make_group(world)
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    await world.manager.slash(world.orders, "campaign link", channel=den, campaign="Iron Sea")
    await world.gm.slash(den, "infinity versus", opponent=world.player, mine=13, my_name="Angus")
    answer = text(await open_group(world, grouping.NIGHT))
    assert "1 roll is waiting for its answer. Without the group, only game masters see the result." in answer
    await grouping.group(world, "remove", group=grouping.NIGHT)
    world.dice.script(12, 7, sides=20)
    window = await world.player.click(newest(den), label="Answer")
    await world.player.submit_modal(window, {"attribute": "12", "burst": "1", "crits": ["on"], "name": "Hac Tao"})
    number = grouping.newest_entry(world)
    assert [await grouping.reads(world, who, number) for who in (world.gm, world.player)] == [True, False]
    assert "Angus" in text(newest(world.staff))
    await require_whole(world)


async def test_a_group_has_no_name_of_somebody_saved(world: World) -> None:
    """Neither a new nor a renamed group."""
    await grouping.make_group(world)
    with nothing_written(world):
        add = await save_group(world, name="sayla")
        assert "Sayla is already a" in refused(add)
        edit = await save_group(world, grouping.NIGHT, name="Kai")
        assert "Kai is already a" in refused(edit)


async def test_a_channel_is_one_groups_alone(world: World) -> None:
    """Groups don't share channels with groups, results or players."""
    den = await grouping.make_group(world)
    with nothing_written(world):
        for channel in (den, world.results, world.staff):
            answer = await save_group(world, name="Axis", channel=channel)
            assert "already belongs to another group" in refused(answer)
        answer = await world.manager.slash(world.orders, "gm settings", results=den, campaign="Iron Sea")
        assert "already belongs to another group" in refused(answer)
    with nothing_written(world):
        for deed in ({"name": "Axis"}, {"group": grouping.NIGHT}):
            words = refused(await save_group(world, **deed, channel=world.orders))
            assert_says(words, "Every player of Iron Sea sees #orders", "Pick a channel that only the group sees")


@pytest.mark.parametrize("without", ["", pytest.param("channel", marks=pytest.mark.slow)])
async def test_what_is_stuck_goes_where_the_group_is_told_now(world: World, without: str) -> None:
    """Unsent posts go to the new channel or the staff."""
    den = await grouping.make_group(world)
    forbid(world, den, send_messages=True)
    await grouping.roll_patrol(world)
    fresh = grouping.make_hidden_channel(world, "fresh")
    await grouping.group(world, "add", name="Axis", channel=grouping.make_hidden_channel(world, "axis"))
    await grouping.group(
        world, "edit", group=grouping.NIGHT, **({"without": without} if without else {"channel": fresh})
    )
    await wait(world, seconds=15)
    await wait(world, hours=1)
    there = world.staff if without else fresh
    assert "Zaku" in text(newest(there))
    assert not den.history()


@pytest.mark.slow
async def test_a_removal_taken_back_brings_a_member_back(world: World) -> None:
    """Unless the group changed since."""
    await grouping.make_group(world)
    number = await grouping.roll_patrol(world)
    await removed(world, name="Kai")
    removal = grouping.newest_entry(world)
    assert not await grouping.reads(world, world.player, number)
    await grouping.undo_entry(world, removal)
    assert await grouping.reads(world, world.player, number)
    await removed(world, name="Kai")
    removal = grouping.newest_entry(world)
    await grouping.group(world, "edit", group=grouping.NIGHT, members="Sayla")
    answer = await world.gm.slash(world.orders, "gm undo", entry=removal, reason="A slip")
    assert "/gm settings, Groups" in refused(answer)
    await require_whole(world)


@pytest.mark.slow
async def test_groups_and_members_are_so_many_at_most(world: World) -> None:
    """Removing one makes room, unless it's used."""
    for place in range(MAX_GROUPS):
        await grouping.group(world, "add", name=f"Group {place}")
    assert "at most 20 groups" in refused(await save_group(world, name="More"))
    await grouping.group(world, "remove", group="Group 3")
    removal = grouping.newest_entry(world)
    await grouping.group(world, "add", name="More")
    answer = await world.gm.slash(world.orders, "gm undo", entry=removal, reason="A slip")
    assert "at most 20 groups" in refused(answer)
    card = await more_of(world.gm, await opened(world, to="Group 4"))
    assert len(control(card, "to")["options"]) == MAX_GROUPS + 4
    await require_whole(world)


async def test_a_number_means_the_group_that_was_picked(world: World) -> None:
    """A name like another group's number gets nothing of it."""
    den = await grouping.make_group(world)
    value = (await world.gm.autocomplete(world.orders, "patrol", "to", grouping.NIGHT))[0]["value"]
    await grouping.group(world, "add", name=value)
    await grouping.roll_patrol(world, to=value)
    assert "Zaku" in text(newest(den))


@pytest.mark.slow
async def test_a_side_is_the_group_of_its_name(world: World) -> None:
    """A member knows of its captive; others don't."""
    other = grouping.rival(world)
    for name, owner in (("Hayato", other), ("Kai", world.player)):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name, owner=owner)
    await world.gm.slash(world.orders, "capture", captive="Hayato", by="Zeon", at="Fort")
    await world.gm.slash(world.orders, "gm settings", players_may="interrogation")
    offered = await world.player.autocomplete(world.orders, "interrogate", "captive", "")
    assert offered == []
    await grouping.group(world, "add", name="zeon", members="Kai")
    offered = await world.player.autocomplete(world.orders, "interrogate", "captive", "")
    assert [item["value"] for item in offered] == ["Hayato"]
    answer = said(await other.slash(world.orders, "captives", captive="Hayato"))
    assert "someone unknown" in answer
    assert "zeon" not in answer.casefold()
    await grouping.group(world, "edit", group="Zeon", secret=False)
    assert "held by zeon" in said(await other.slash(world.orders, "captives", captive="Hayato"))
    await require_whole(world)


async def test_who_became_a_group_is_not_saved_again(world: World) -> None:
    """An undo would reveal a unit of the group's name."""
    await world.gm.slash(world.orders, "roster add", name="Titans", kind="squad")
    await removed(world, name="Titans")
    removal = grouping.newest_entry(world)
    await grouping.group(world, "add", name="Titans")
    answer = await world.gm.slash(world.orders, "gm undo", entry=removal, reason="A slip")
    assert "Titans is a group now" in refused(answer)
    assert rows(world, "select name from state where subject = 'subject:1'") == [("group",)]


@pytest.mark.slow
async def test_a_unit_goes_before_a_group_of_its_name(world: World) -> None:
    """A unit of the group's name comes first."""
    await grouping.group(world, "add", name="Titans", secret=False)
    await world.gm.slash(world.orders, "roster add", name="Titans", kind="squad")
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for who in (world.gm, world.player):
        (offered,) = await who.autocomplete(world.orders, "patrol", "patrol", "Tit")
        answer = said(await who.slash(world.orders, "patrol", patrol=offered["value"], target="Zaku"))
        assert "Say which" not in answer
        assert "Titans" in answer
    await world.gm.slash(world.orders, "gm effect", who="Titans #1", effect="Under siege")
    assert rows(world, "select count(*) from state where subject = 'subject:1' and name like 'effect%'") == [(1,)]


async def test_a_group_is_told_where_its_game_master_may_write(world: World) -> None:
    """The bot doesn't write where the game master can't."""
    news = world.guild.create_text_channel("announcements")
    denied = discord.Permissions(send_messages=True).value
    overwrite = Overwrite(target_id=world.guild.id, type=OverwriteType.ROLE, allow=0, deny=denied)
    world.env.backend.set_overwrite(news.id, overwrite)
    with nothing_written(world):
        answer = await save_group(world, name="Axis", channel=news)
        assert "You may not write in #announcements" in refused(answer)


@pytest.mark.slow
async def test_a_new_group_has_nothing_of_a_removed_one(world: World) -> None:
    """A new group of that name knows nothing of the old one."""
    other = grouping.rival(world)
    await grouping.make_group(world)
    await world.gm.slash(world.orders, "roster edit", name="Sayla", owner=other)
    await world.gm.slash(world.orders, "gm effect", who=grouping.NIGHT, effect="Under siege")
    before = [1, grouping.newest_entry(world), await grouping.roll_patrol(world)]
    await grouping.group(world, "remove", group=grouping.NIGHT)
    before.append(grouping.newest_entry(world))
    await grouping.group(world, "add", name=grouping.NIGHT.lower(), members="Sayla")
    for who in (other, world.player):
        assert not any([await grouping.reads(world, who, number) for number in before])
    assert "siege" not in said(await other.slash(world.orders, "gm effect"))
    number = await grouping.roll_patrol(world)
    assert [await grouping.reads(world, who, number) for who in (other, world.player)] == [True, False]
    await world.gm.slash(world.orders, "gm effect", who=grouping.NIGHT, effect="Under siege")
    assert "siege" in said(await other.slash(world.orders, "gm effect"))
    await require_whole(world)


@pytest.mark.slow
async def test_a_removed_group_is_made_again_by_take_back(world: World) -> None:
    """Undo restores members, channel and results."""
    den = await grouping.make_group(world)
    number = await grouping.roll_patrol(world)
    receipt = response(await remove_group(world, grouping.NIGHT))
    removal = grouping.newest_entry(world)
    assert not await grouping.reads(world, world.player, number)
    assert "undone" in said(await fill_in(world.gm, receipt, {"reason": "A slip"}, label="Undo"))
    assert f"Entry #{removal} undone" in text(newest(den))
    assert await grouping.reads(world, world.player, number)
    answer = await list_groups(world, world.player)
    assert_says(answer, "Kai", f"<#{den.id}>")
    await require_whole(world)


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("", {"name": "nightwatch"}, "Another group is called Nightwatch now"),
        ("", {"name": "Axis", "channel": "den"}, "That channel already belongs to another group"),
        pytest.param(
            "removed",
            {"name": "Kai"},
            "Kai, a member of Nightwatch, was removed later",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_a_removed_group_without_its_place_stays_removed(
    world: World, command: str, options: dict[str, Any], words: str
) -> None:
    """Undo refuses if name, member or channel is gone."""
    den = await grouping.make_group(world)
    await grouping.group(world, "remove", group=grouping.NIGHT)
    removal = grouping.newest_entry(world)
    given = {**options, **({"channel": den} if "channel" in options else {})}
    await (removed(world, **given) if command == "removed" else save_group(world, **given))
    with nothing_written(world):
        assert words in refused(await world.gm.slash(world.orders, "gm undo", entry=removal, reason="A slip"))
    await require_whole(world)


@pytest.mark.parametrize(
    "typed", ["{name}", *(pytest.param(typed, marks=pytest.mark.slow) for typed in ("@{name}", "<@{id}>"))]
)
async def test_a_player_is_no_member_by_their_own_name(world: World, typed: str) -> None:
    """The refusal names the player's characters to game masters only."""
    other = grouping.rival(world)
    await grouping.make_group(world)
    with nothing_written(world):
        for who, what in (
            (world.player, "Type one of player's characters: Kai. Or"),
            (other, "Save one with /roster add"),
        ):
            members = typed.format(name=who.name, id=who.id)
            words = refused(await save_group(world, name="Axis", members=members))
            assert f"{who.name} is a player. Groups have characters and units as members" in words
            assert what in words
            assert "give the group a role" in words
        answer = await send_raw(world.player, world.orders, "group:1:0:save:1", modal=True)
        assert "Only game masters" in refused(answer)


async def test_a_saved_group_says_what_it_is_now(world: World) -> None:
    """The receipt says if only the staff sees results."""
    nobody, unowned = "It has no members yet, so only", "No player owns one of its members yet, so only"
    for who in (world.gm, world.player):
        answer = await list_groups(world, who)
        assert ("No groups yet." in answer) == (who is world.gm)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Sayla")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    den = grouping.make_hidden_channel(world, "den")
    for options, line, why in (
        ({"name": "Axis"}, "no members", nobody),
        ({"group": "Axis", "members": "Sayla"}, "Sayla", unowned),
        ({"group": "Axis", "members": "Kai", "channel": den}, f"Kai, Sayla \N{MIDDLE DOT} in <#{den.id}>", ""),
    ):
        answer = said(await save_group(world, **options))
        listed = f"{line} \N{MIDDLE DOT} known to members only"
        assert listed in answer
        assert f"**Axis**: {listed}" in await list_groups(world, world.gm)
        assert [words for words in (nobody, unowned) if words in answer] == [why] * bool(why)
