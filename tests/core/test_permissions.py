"""Who may do what, in which campaign; changes of groups."""

from __future__ import annotations

from typing import Any

import discord
import pytest
import simcord
from hypothesis import given
from hypothesis import strategies as st

from bot.core import permissions
from bot.core.permissions import Group
from bot.core.records import Change
from tests.support.acting import has_cards, list_cards, more, reopened
from tests.support.reading import assert_says, control, odds, offers, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written, rows, send_raw

SCOUT = {"scouter": "Jonas", "base": "Fort"}


async def let_players(world: World, families: str) -> None:
    """Open rolls to players."""
    await world.gm.slash(world.orders, "gm settings", players_may=families)


async def test_a_player_may_what_the_campaign_opens(world: World) -> None:
    """Only that, and while it's open."""
    await let_players(world, "Scouting")
    world.dice.script(13)
    assert "Jonas** scouts **Fort**: the game masters have the result" in said(
        await world.player.slash(world.orders, "scout", **SCOUT, roll="now")
    )
    card = response(await world.player.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    assert "is for game masters" in refused(await world.player.slash(world.orders, "patrol", patrol="K", target="Z"))
    await let_players(world, "none")
    with nothing_written(world):
        assert "is for game masters" in refused(await world.player.click(card, custom_id=press(card, "roll")))


async def test_a_player_is_told_the_public_part_of_a_patrol(world: World) -> None:
    """And nothing else."""
    await let_players(world, "patrol")
    world.dice.script(17, 18)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Kilo", target="Ghost, Zaku", roll="now"))
    assert "**Kilo** against **Ghost**: the game masters have the result" in told
    assert "**Zaku** caught by **Kilo**" in told


async def test_a_players_card_has_no_reserved_controls(world: World) -> None:
    """No audience, no adjustments."""
    await let_players(world, "scouting")
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert not offers(card, "to")
    assert not offers(card, "adjust")
    with nothing_written(world):
        key = press(card, "roll").removesuffix("roll")
        assert "Only game masters" in refused(await send_raw(world.player, world.orders, f"{key}to", "me"))
        assert refused(await send_raw(world.player, world.orders, f"{key}adjusted", modal=True))


async def test_secret_facts_are_not_shown_to_players(world: World) -> None:
    """They count without being shown."""
    await let_players(world, "patrol")
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", **SCOUT, roll="now")
    options = {"patrol": "Fort", "target": "Zaku", "modifiers": "patrol.base"}
    theirs = response(await world.player.slash(world.orders, "patrol", **options))
    staffs = response(await world.gm.slash(world.orders, "patrol", **options))
    assert ticked(theirs, "patrol") == {"patrol.base"}
    assert "has been scouted · since" not in text(theirs)
    assert "(without hidden modifiers)" in text(theirs)
    assert ticked(staffs, "patrol") == {"patrol.base", "patrol.scouted"}
    assert odds(theirs)["Nothing is caught"] == "45%"
    assert odds(staffs)["Nothing is caught"] == "60%"
    world.dice.script(10)
    await world.player.click(theirs, custom_id=press(theirs, "roll"))
    assert entry(world)["parts"][0]["steps"][0]["total"] == 15


async def test_a_manager_without_the_role_is_no_game_master(world: World) -> None:
    """The refusal names the role."""
    with nothing_written(world):
        role = f"<@&{world.roles['gm'].id}>"
        assert role in refused(await world.manager.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
        assert role in refused(await world.manager.slash(world.orders, "gm close"))


async def test_a_card_is_its_owners(world: World) -> None:
    """Others can't press it."""
    await let_players(world, "scouting")
    card = response(await world.gm.slash(world.orders, "scout", **SCOUT))
    with nothing_written(world):
        tick = press(card, "tick:scouter:0")
        keys = [press(card, deed) for deed in ("roll", "adjust", "page:details", "page:more")]
        await more(world.gm, card)
        for key in (*keys, *(press(card, deed) for deed in ("reset", "cancel", "counts"))):
            assert "isn't yours" in refused(await send_raw(world.player, world.orders, key))
        assert "isn't yours" in refused(await send_raw(world.player, world.orders, tick, "scouter.newtype"))


async def second_campaign(world: World) -> tuple[simcord.ChannelHandle, simcord.MemberActor]:
    """Another campaign on the server."""
    role = world.guild.create_role("Other master")
    orders, results, staff = (
        world.guild.create_text_channel(f"other-{name}") for name in ("orders", "results", "staff")
    )
    await world.manager.slash(
        orders, "campaign create", name="Dune Sea", results=results, staff=staff, game_master=role
    )
    await world.manager.slash(orders, "campaign link", channel=orders, campaign="Dune Sea")
    return orders, world.guild.add_member(world.env.create_user("other"), roles=[role])


async def test_two_campaigns_of_a_server_keep_apart(world: World) -> None:
    """Cards, entries and facts aren't shared."""
    orders, other = await second_campaign(world)
    world.dice.script(20, 17)
    await world.gm.slash(world.orders, "scout", **SCOUT, roll="now")
    card = response(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    assert "entry #3" in said(await other.slash(orders, "patrol", patrol="Fort", target="Zaku", roll="now"))
    assert "scouted" not in said(await other.slash(orders, "patrol", patrol="Fort", target="Dom"))
    assert len(control(await list_cards(other, orders), "0:open")["options"]) == 1
    assert "Fort" not in said(await other.slash(orders, "ledger", entry=1))
    assert "no entry #4" in refused(await other.slash(orders, "ledger", entry=4))
    assert "Only players of Iron Sea" in refused(await other.slash(world.orders, "ledger"))
    with nothing_written(world):
        assert "isn't yours" in refused(await send_raw(other, orders, press(card, "roll")))
        _, campaign, *rest = press(card, "roll").split(":")
        forged = ":".join(["card", str(int(campaign) + 1), *rest])
        assert "That card no longer exists" in refused(await send_raw(other, orders, forged))


@pytest.mark.slow
async def test_two_servers_keep_apart(world: World) -> None:
    """Not even under one name."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    guild = world.env.create_guild("Elsewhere")
    everything = guild.create_role("All", permissions=discord.Permissions(manage_guild=True))
    orders, results, staff = (guild.create_text_channel(name) for name in ("orders", "results", "staff"))
    boss = guild.add_member(world.env.create_user("boss"), roles=[everything])
    assert "No campaigns yet" in said(await boss.slash(orders, "gm settings"))
    assert await boss.autocomplete(orders, "gm settings", "campaign", "") == []
    assert "no campaign" in refused(await boss.slash(orders, "gm settings", campaign="Iron Sea"))
    await boss.slash(orders, "campaign create", name="Iron Sea", results=results, staff=staff, game_master=everything)
    await boss.slash(orders, "campaign link", channel=orders)
    with nothing_written(world):
        assert "isn't on this server" in refused(await send_raw(boss, orders, press(card, "roll")))
        assert "isn't on this server" in refused(await send_raw(boss, orders, "ledger:1:0"))
        assert "isn't on this server" in refused(await send_raw(boss, orders, "publish:1:1"))
        assert not await has_cards(boss, orders)
        assert "no entry #3" in refused(await boss.slash(orders, "ledger", entry=3))


async def test_a_game_master_of_one_campaign_is_none_of_another(world: World) -> None:
    """Roles count for one campaign."""
    orders, _ = await second_campaign(world)
    assert "is for game masters" in refused(await world.gm.slash(orders, "patrol", patrol="Kilo", target="Zaku"))
    assert "Only game masters of Dune Sea" in refused(await world.gm.slash(orders, "gm close"))
    assert rows(world, "select count(*) from entry where campaign_id = 2") == [(2,)]


@pytest.mark.slow
async def test_a_game_masters_choice_does_not_bring_a_player_the_staffs_account(world: World) -> None:
    """Only game masters can roll that card."""
    await let_players(world, "scouting")
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    taken = await reopened(world, world.gm)
    await world.gm.select(taken, ["me"], custom_id=await more(world.gm, taken, "to"))
    card = await reopened(world, world.player)
    with nothing_written(world):
        result = await world.player.click(card, custom_id=press(card, "roll"))
        assert "Only game masters of Iron Sea keep a result private" in refused(result)
    world.dice.script(20)
    result = await world.gm.click(taken, custom_id=press(taken, "roll"))
    assert any("1d20: **20**" in text(message) for message in result.followups)


async def test_a_players_card_speaks_of_no_roll_that_they_may_not_know(world: World) -> None:
    """Probing names reveals nothing."""
    await let_players(world, "patrol, scouting, detection")
    world.dice.script(20, 1, 18)
    await world.gm.slash(world.orders, "scout", **SCOUT, roll="now")
    await world.gm.slash(world.orders, "detect", detector="Owl", hidden="Ghost", roll="now")
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", to="staff", roll="now")
    probes = [
        ("scout", {"scouter": "Jonas", "base": "Fort"}, {"scouter": "Nobody", "base": "Nowhere"}),
        ("detect", {"detector": "Owl", "hidden": "Ghost"}, {"detector": "Nobody", "hidden": "Nowhere"}),
        ("patrol", {"patrol": "Kilo", "target": "Ghost"}, {"patrol": "Nobody", "target": "Nowhere"}),
        ("patrol", {"patrol": "Fort", "target": "Zaku"}, {"patrol": "Nobody", "target": "Nowhere"}),
    ]
    for command, known, unknown in probes:
        probed = said(await world.player.slash(world.orders, command, **known))
        for name, other in zip(known.values(), unknown.values(), strict=True):
            assert name in probed
            probed = probed.replace(name, other)
        assert probed == said(await world.player.slash(world.orders, command, **unknown)), command
        staffs = said(await world.gm.slash(world.orders, command, **known))
        assert "entry" in staffs, "there is something to be kept from players"


async def test_a_players_receipt_does_not_tell_where_the_stop_went(world: World) -> None:
    """Staff targets all look the same."""
    await let_players(world, "patrol")
    world.dice.script(1, 18)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Kilo", target="A, B, C", roll="now"))
    for target in ("A", "C"):
        assert f"**Kilo** against **{target}**: the game masters have the result" in told
    assert "one stop" not in told
    assert f"<#{world.results.id}>" in told
    assert f"<#{world.staff.id}>" not in told


async def test_a_deleted_role_of_game_masters_is_said_to_be_gone(world: World) -> None:
    """The refusal says who can pick another."""
    world.env.backend.delete_role(world.guild.id, world.roles["gm"].id)
    told = refused(await world.gm.slash(world.orders, "gm settings", books="roe"))
    assert_says(told, "The game master role was deleted.", "server manager can pick one: /gm settings game")
    assert str(world.roles["gm"].id) not in told


PEOPLE = range(1, 7)
KEY = "subject:9"


def turn_group(value: dict[str, Any], number: int) -> dict[str, Any]:
    """A group with or without someone."""
    members = value["members"]
    return {**value, "members": [*filter(number.__ne__, members)] if number in members else [*members, number]}


@given(
    first=st.sets(st.sampled_from(PEOPLE)),
    turns=st.permutations(PEOPLE),
    edited=st.integers(0, len(PEOPLE)),
    undone=st.lists(st.sampled_from(PEOPLE), unique=True),
)
def test_each_coming_and_going_is_undone_by_itself(
    first: set[int], turns: list[int], edited: int, undone: list[int]
) -> None:
    """In any order; later channels stay."""
    value, made = Group(9, "Zeon", [*first]).value(), {}
    for place, number in enumerate(turns):
        value = {**value, "channel": "7"} if place == edited else value
        made[number] = Change(KEY, "group", value, turn_group(value, number))
        value = made[number].after
    keys = [
        {(part.subject, part.name) for part in permissions.split_change(change, whole=False)}
        for change in made.values()
    ]
    assert len(set.union(*keys)) == sum(map(len, keys))
    for number in undone:
        value = permissions.undo_change(made[number], value)
    assert {*value["members"]} == first ^ {*turns} ^ {*undone}
    assert len(value["members"]) == len({*value["members"]})
    assert value["channel"] == ("7" if edited < len(turns) else None)


def test_a_group_that_began_goes_on_where_it_was_changed_since() -> None:
    """Unchanged ones vanish, removed ones stay removed."""
    new = Group(9, "Zeon", [1, 2]).value()
    began = Change(KEY, "group", None, new)
    assert permissions.undo_change(began, new) is None
    assert permissions.undo_change(began, {**new, "members": [1, 2, 3]}) == {**new, "members": [3]}
    gone = Group(9, "Zeon", removed=True).value()
    assert permissions.undo_change(began, gone) == gone
