"""How groups are made and changed, who lists them, and what is in the way."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.core.permissions import MAX_GROUPS
from tests.cogs.campaign.grouping import NIGHT, group, grouped, hidden, newest_entry, patrolled, reads, rival, voided
from tests.outbox.test_posts import forbid, wait
from tests.support.acting import confirmed, fill_in, more_of, opened
from tests.support.reading import assert_says, control, newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, nothing_written, rows, send_raw, written


async def test_members_list_their_groups_and_nobody_else_does(world: World) -> None:
    """A member sees names, role and channel, but no member who is secret; others what is open, and no channel."""
    other = rival(world)
    await grouped(world, members="Kai, Sayla")
    await world.gm.slash(world.orders, "unit add", name="Shadow", kind="ship", secret=True)
    await group(world, "edit", group=NIGHT, members="Shadow")
    lists = [said(await who.slash(world.orders, "campaign group list")) for who in (world.player, other, world.gm)]
    assert "Kai, Sayla" in lists[0]
    assert "Shadow" not in lists[0]
    assert "Kai, Sayla, Shadow" in lists[2]
    assert "none that you know of" in lists[1]
    assert "don't play" in refused(await world.stranger.slash(world.orders, "campaign group list"))
    before = newest_entry(world)
    assert (await reads(world, world.player, before), await reads(world, other, before)) == (True, False)
    await group(world, "edit", group=NIGHT, secret=False)
    told = said(await other.slash(world.orders, "campaign group list"))
    assert "Kai, Sayla" in told
    assert "<#" not in told
    public = newest_entry(world)
    assert await reads(world, other, public)
    assert "Kai" not in said(await other.slash(world.orders, "ledger show", number=public))
    assert not await reads(world, other, before)
    await group(world, "edit", group=NIGHT, secret=True)
    assert "none that you know of" in said(await other.slash(world.orders, "campaign group list"))
    await require_whole(world)


async def test_a_saved_group_says_how_it_is_told_something(world: World) -> None:
    """And that its channel takes commands once it is linked, until it is; of a removed one whose its past is then."""
    den = hidden(world, "den")
    told = said(await world.gm.slash(world.orders, "campaign group add", name=NIGHT, channel=den))
    assert f"`to:{NIGHT}` sends it a result." in told
    assert f"To use commands in <#{den.id}>, link it to Iron Sea with `/campaign link`." in told
    await world.manager.slash(world.orders, "campaign link", channel=den)
    await group(world, "edit", group=NIGHT, without="channel")
    assert "Commands work" not in said(
        await world.gm.slash(world.orders, "campaign group edit", group=NIGHT, channel=den)
    )
    told = said(await confirmed(world, "campaign group remove", group=NIGHT))
    assert "Its results stay visible to game masters only. Undo restores the group." in told


async def test_removing_a_group_asks_first(world: World) -> None:
    """Nothing is done before the press; a press after somebody has changed the group does nothing, nor does a second one."""
    await grouped(world)
    before = written(world)
    asked = response(await world.gm.slash(world.orders, "campaign group remove", group=NIGHT))
    assert f"Remove {NIGHT}?" in text(asked)
    key = press(asked, "remove")
    assert "Only game masters" in refused(await world.player.slash(world.orders, "campaign group remove", group=NIGHT))
    assert "Only game masters" in refused(await send_raw(world.player, world.orders, key))
    assert written(world) == before
    await group(world, "edit", group=NIGHT, secret=False)
    assert "has changed since you looked" in refused(await send_raw(world.gm, world.orders, key))
    await group(world, "remove", group=NIGHT)
    with nothing_written(world):
        assert "changed since you looked" in refused(await send_raw(world.gm, world.orders, key))


@pytest.mark.slow
async def test_a_removed_groups_challenge_goes_to_the_staff(world: World) -> None:
    """Whoever removes a group reads what waits in its name; that can still be answered, and the staff alone reads the result."""
    den = await grouped(world)
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity")
    await world.manager.slash(world.orders, "campaign link", channel=den, campaign="Iron Sea")
    await world.gm.slash(den, "infinity versus", opponent=world.player, mine=13, my_name="Angus")
    told = text(response(await world.gm.slash(world.orders, "campaign group remove", group=NIGHT)))
    assert "1 roll is waiting for its answer. Only game masters will see the result." in told
    await group(world, "remove", group=NIGHT)
    world.dice.script(12, 7, sides=20)
    window = await world.player.click(newest(den), label="Answer")
    await world.player.submit_modal(window, {"attribute": "12", "burst": "1", "crits": ["on"], "name": "Hac Tao"})
    number = newest_entry(world)
    assert [await reads(world, who, number) for who in (world.gm, world.player)] == [True, False]
    assert "Angus" in text(newest(world.staff))
    await require_whole(world)


async def test_a_group_has_no_name_of_somebody_saved(world: World) -> None:
    """What is typed would mean two: neither a new group nor a renamed one is called like a unit or character."""
    await grouped(world)
    with nothing_written(world):
        add = await world.gm.slash(world.orders, "campaign group add", name="sayla")
        assert "Sayla is already a" in refused(add)
        edit = await world.gm.slash(world.orders, "campaign group edit", group=NIGHT, name="Kai")
        assert "Kai is already a" in refused(edit)


async def test_a_channel_is_one_groups_alone(world: World) -> None:
    """Neither two groups nor a group and the results share one, whichever comes later, and no group gets one that all players see."""
    den = await grouped(world)
    with nothing_written(world):
        for channel in (den, world.results, world.staff):
            answer = await world.gm.slash(world.orders, "campaign group add", name="Axis", channel=channel)
            assert "already belongs to another group" in refused(answer)
        answer = await world.manager.slash(world.orders, "campaign edit", results=den, campaign="Iron Sea")
        assert "already belongs to another group" in refused(answer)
    with nothing_written(world):
        for deed in ({"name": "Axis"}, {"group": NIGHT}):
            what = f"campaign group {'add' if 'name' in deed else 'edit'}"
            told = refused(await world.gm.slash(world.orders, what, **deed, channel=world.orders))
            assert_says(told, "Every player of Iron Sea sees #orders", "Pick a channel that only the group sees")


@pytest.mark.parametrize("without", ["", pytest.param("channel", marks=pytest.mark.slow)])
async def test_what_is_stuck_goes_where_the_group_is_told_now(world: World, without: str) -> None:
    """What its channel refused is sent to its new one, or to the staff when it has none any more, and not to another group's."""
    den = await grouped(world)
    forbid(world, den, send_messages=True)
    await patrolled(world)
    fresh = hidden(world, "fresh")
    await group(world, "add", name="Axis", channel=hidden(world, "axis"))
    await group(world, "edit", group=NIGHT, **({"without": without} if without else {"channel": fresh}))
    await wait(world, seconds=15)
    await wait(world, hours=1)
    there = world.staff if without else fresh
    assert "Zaku" in text(newest(there))
    assert not den.history()


@pytest.mark.slow
async def test_a_removal_taken_back_brings_a_member_back(world: World) -> None:
    """The character is in its group again, and its owner reads what that was told; where the group was changed since, it stays gone."""
    await grouped(world)
    number = await patrolled(world)
    await confirmed(world, "character remove", name="Kai")
    removal = newest_entry(world)
    assert not await reads(world, world.player, number)
    await voided(world, removal)
    assert await reads(world, world.player, number)
    await confirmed(world, "character remove", name="Kai")
    removal = newest_entry(world)
    await group(world, "edit", group=NIGHT, members="Sayla")
    answer = await world.gm.slash(world.orders, "void", entry=removal, reason="A slip")
    assert "/campaign group edit" in refused(answer)
    await require_whole(world)


@pytest.mark.slow
async def test_groups_and_members_are_so_many_at_most(world: World) -> None:
    """A select has room for all groups; for a removed one there is room again, and then none for the removed one."""
    for place in range(MAX_GROUPS):
        await group(world, "add", name=f"Group {place}")
    assert "at most 20 groups" in refused(await world.gm.slash(world.orders, "campaign group add", name="More"))
    await group(world, "remove", group="Group 3")
    removal = newest_entry(world)
    await group(world, "add", name="More")
    answer = await world.gm.slash(world.orders, "void", entry=removal, reason="A slip")
    assert "at most 20 groups" in refused(answer)
    card = await more_of(world.gm, await opened(world, to="Group 4"))
    assert len(control(card, "to")["options"]) == MAX_GROUPS + 4
    await require_whole(world)


async def test_a_number_means_the_group_that_was_picked(world: World) -> None:
    """A group that is called as another one's number has it does not get what is sent to that."""
    den = await grouped(world)
    value = (await world.gm.autocomplete(world.orders, "patrol", "to", NIGHT))[0]["value"]
    await group(world, "add", name=value)
    await patrolled(world, to=value)
    assert "Zaku" in text(newest(den))


@pytest.mark.slow
async def test_a_side_is_the_group_of_its_name(world: World) -> None:
    """Who held somebody before as a side holds them as a group: a member knows of the captive, nobody else who holds it."""
    other = rival(world)
    for name, owner in (("Hayato", other), ("Kai", world.player)):
        await world.gm.slash(world.orders, "character add", name=name, owner=owner)
    await world.gm.slash(world.orders, "captive take", captive="Hayato", by="Zeon", at="Fort")
    await world.gm.slash(world.orders, "campaign edit", players_may="interrogation")
    offered = await world.player.autocomplete(world.orders, "interrogate", "captive", "")
    assert offered == []
    await group(world, "add", name="zeon", members="Kai")
    offered = await world.player.autocomplete(world.orders, "interrogate", "captive", "")
    assert [item["value"] for item in offered] == ["Hayato"]
    told = said(await other.slash(world.orders, "captive show", captive="Hayato"))
    assert "someone unknown" in told
    assert "zeon" not in told.casefold()
    await group(world, "edit", group="Zeon", secret=False)
    assert "held by zeon" in said(await other.slash(world.orders, "captive show", captive="Hayato"))
    await require_whole(world)


async def test_who_became_a_group_is_not_saved_again(world: World) -> None:
    """A removal is not taken back where the name is a group's by now: everybody would know of that, and it would go with the unit."""
    await world.gm.slash(world.orders, "unit add", name="Titans", kind="squad")
    await confirmed(world, "unit remove", name="Titans")
    removal = newest_entry(world)
    await group(world, "add", name="Titans")
    answer = await world.gm.slash(world.orders, "void", entry=removal, reason="A slip")
    assert "Titans is a group now" in refused(answer)
    assert rows(world, "select name from state where subject = 'subject:1'") == [("group",)]


@pytest.mark.slow
async def test_a_unit_goes_before_a_group_of_its_name(world: World) -> None:
    """A squad's players may be a group that is called as the squad: its name is still offered and means the squad."""
    await group(world, "add", name="Titans", secret=False)
    await world.gm.slash(world.orders, "unit add", name="Titans", kind="squad")
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    for who in (world.gm, world.player):
        (offered,) = await who.autocomplete(world.orders, "patrol", "patrol", "Tit")
        told = said(await who.slash(world.orders, "patrol", patrol=offered["value"], target="Zaku"))
        assert "Say which" not in told
        assert "Titans" in told
    await world.gm.slash(world.orders, "effect set", who="Titans #1", effect="Under siege")
    assert rows(world, "select count(*) from state where subject = 'subject:1' and name like 'effect%'") == [(1,)]


async def test_a_group_is_told_where_its_game_master_may_write(world: World) -> None:
    """Who does not manage the server lets the bot write in no channel in which they may not themselves."""
    news = world.guild.create_text_channel("announcements")
    denied = discord.Permissions(send_messages=True).value
    overwrite = Overwrite(target_id=world.guild.id, type=OverwriteType.ROLE, allow=0, deny=denied)
    world.env.backend.set_overwrite(news.id, overwrite)
    with nothing_written(world):
        answer = await world.gm.slash(world.orders, "campaign group add", name="Axis", channel=news)
        assert "You may not write in #announcements" in refused(answer)


@pytest.mark.slow
async def test_a_new_group_has_nothing_of_a_removed_one(world: World) -> None:
    """Under the name of a removed group, a new one is another: its players read nothing that went before, and hold nothing of it."""
    other = rival(world)
    await grouped(world)
    await world.gm.slash(world.orders, "character edit", name="Sayla", owner=other)
    await world.gm.slash(world.orders, "effect set", who=NIGHT, effect="Under siege")
    before = [1, newest_entry(world), await patrolled(world)]
    await group(world, "remove", group=NIGHT)
    before.append(newest_entry(world))
    await group(world, "add", name=NIGHT.lower(), members="Sayla")
    for who in (other, world.player):
        assert not any([await reads(world, who, number) for number in before])
    assert "siege" not in said(await other.slash(world.orders, "effect list"))
    number = await patrolled(world)
    assert [await reads(world, who, number) for who in (other, world.player)] == [True, False]
    await world.gm.slash(world.orders, "effect set", who=NIGHT, effect="Under siege")
    assert "siege" in said(await other.slash(world.orders, "effect list"))
    await require_whole(world)


@pytest.mark.slow
async def test_a_removed_group_is_made_again_by_take_back(world: World) -> None:
    """Members, channel and all that it was told are as before; the button stands under the receipt of its removal."""
    den = await grouped(world)
    number = await patrolled(world)
    receipt = response(await confirmed(world, "campaign group remove", group=NIGHT))
    removal = newest_entry(world)
    assert not await reads(world, world.player, number)
    assert "undone" in said(await fill_in(world.gm, receipt, {"reason": "A slip"}, label="Undo"))
    assert f"Entry #{removal} undone" in text(newest(den))
    assert await reads(world, world.player, number)
    told = said(await world.player.slash(world.orders, "campaign group list"))
    assert_says(told, "Kai", f"<#{den.id}>")
    await require_whole(world)


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("campaign group add", {"name": "nightwatch"}, "Another group is called Nightwatch now"),
        ("campaign group add", {"name": "Axis", "channel": "den"}, "That channel already belongs to another group"),
        pytest.param(
            "character remove",
            {"name": "Kai"},
            "Kai, a member of Nightwatch, was removed later",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_a_removed_group_without_its_place_stays_removed(
    world: World, command: str, options: dict[str, Any], words: str
) -> None:
    """Where its name, a member or its channel is gone since, Undo says so and changes nothing."""
    den = await grouped(world)
    await group(world, "remove", group=NIGHT)
    removal = newest_entry(world)
    given = {**options, **({"channel": den} if "channel" in options else {})}
    await (
        confirmed(world, command, **given) if "remove" in command else world.gm.slash(world.orders, command, **given)
    )
    with nothing_written(world):
        assert words in refused(await world.gm.slash(world.orders, "void", entry=removal, reason="A slip"))
    await require_whole(world)


@pytest.mark.parametrize(
    "typed", ["{name}", *(pytest.param(typed, marks=pytest.mark.slow) for typed in ("@{name}", "<@{id}>"))]
)
async def test_a_player_is_no_member_by_their_own_name(world: World, typed: str) -> None:
    """Whom they own is told, since these can be named; to a player nobody's characters are told."""
    other = rival(world)
    await grouped(world)
    with nothing_written(world):
        for who, what in (
            (world.player, "Type one of player's characters: Kai. Or"),
            (other, "Save one with /character add"),
        ):
            members = typed.format(name=who.name, id=who.id)
            told = refused(await world.gm.slash(world.orders, "campaign group add", name="Axis", members=members))
            assert f"{who.name} is a player. Groups have characters and units as members" in told
            assert what in told
            assert "give the group a role" in told
        answer = await world.player.slash(world.orders, "campaign group add", name="Axis", members="rival")
        assert "Only game masters" in refused(answer)


async def test_a_saved_group_says_what_it_is_now(world: World) -> None:
    """Its line as the list has it, after each change; and as long as no player is in it, that the staff alone reads of it."""
    nobody, unowned = "It has no members yet, so only", "No player owns one of its members yet, so only"
    for who in (world.gm, world.player):
        told = said(await who.slash(world.orders, "campaign group list"))
        assert ("No groups yet. Add one with /campaign group add." in told) == (who is world.gm)
    await world.gm.slash(world.orders, "character add", name="Sayla")
    await world.gm.slash(world.orders, "character add", name="Kai", owner=world.player)
    den = hidden(world, "den")
    for deed, options, line, why in (
        ("add", {"name": "Axis"}, "no members", nobody),
        ("edit", {"group": "Axis", "members": "Sayla"}, "Sayla", unowned),
        ("edit", {"group": "Axis", "members": "Kai", "channel": den}, f"Kai, Sayla \N{MIDDLE DOT} in <#{den.id}>", ""),
    ):
        told = said(await world.gm.slash(world.orders, f"campaign group {deed}", **options))
        listed = f"**Axis**: {line} \N{MIDDLE DOT} known to members only"
        assert listed in told
        assert listed in said(await world.gm.slash(world.orders, "campaign group list"))
        assert [words for words in (nobody, unowned) if words in told] == [why] * bool(why)
