"""Who may do what: game masters, players, strangers, managers; one campaign apart from the next."""

from __future__ import annotations

import discord
import pytest
import simcord

from tests.support.acting import more, reopened
from tests.support.reading import assert_says, control, odds, offers, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written, rows, send_raw

SCOUT = {"scouter": "Jonas", "base": "Fort"}


async def let_players(world: World, families: str) -> None:
    """Open rolls to players."""
    await world.gm.slash(world.orders, "campaign edit", players_may=families)


async def test_a_player_may_what_the_campaign_opens(world: World) -> None:
    """Scouting opened to players is theirs to roll, patrols stay closed, and it can be taken back."""
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
    """Of a patrol whose result is partly public the player is told just that part."""
    await let_players(world, "patrol")
    world.dice.script(17, 18)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Kilo", target="Ghost, Zaku", roll="now"))
    assert "**Kilo** against **Ghost**: the game masters have the result" in told
    assert "**Zaku** caught by **Kilo**" in told


async def test_a_players_card_has_no_reserved_controls(world: World) -> None:
    """A player's card neither shows nor takes an audience or an adjustment."""
    await let_players(world, "scouting")
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert not offers(card, "to")
    assert not offers(card, "adjust")
    with nothing_written(world):
        key = press(card, "roll").removesuffix("roll")
        assert "Only game masters" in refused(await send_raw(world.player, world.orders, f"{key}to", "me"))
        assert refused(await send_raw(world.player, world.orders, f"{key}adjusted", modal=True))


async def test_secret_facts_are_not_shown_to_players(world: World) -> None:
    """A base's having been scouted is secret: a player's card has neither the tick nor its odds, the roll counts it."""
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
    """Managing the server does not make a game master: rolls and updates are refused, and the role is named."""
    with nothing_written(world):
        role = f"<@&{world.roles['gm'].id}>"
        assert role in refused(await world.manager.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
        assert role in refused(await world.manager.slash(world.orders, "update close"))


async def test_a_card_is_its_owners(world: World) -> None:
    """A player cannot use another's card, whatever they press."""
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
    """A second campaign on the server with channels, a role and a game master of its own."""
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
    """Neither sees the other's cards, entries or facts; each counts its own entries."""
    orders, other = await second_campaign(world)
    world.dice.script(20, 17)
    await world.gm.slash(world.orders, "scout", **SCOUT, roll="now")
    card = response(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    assert "entry #3" in said(await other.slash(orders, "patrol", patrol="Fort", target="Zaku", roll="now"))
    assert "scouted" not in said(await other.slash(orders, "patrol", patrol="Fort", target="Dom"))
    assert len(control(response(await other.slash(orders, "cards")), "0:open")["options"]) == 1
    assert "Fort" not in said(await other.slash(orders, "ledger show", number=1))
    assert "no entry #4" in refused(await other.slash(orders, "ledger show", number=4))
    assert "Only players of Iron Sea" in refused(await other.slash(world.orders, "ledger list"))
    with nothing_written(world):
        assert "isn't yours" in refused(await send_raw(other, orders, press(card, "roll")))
        _, campaign, *rest = press(card, "roll").split(":")
        forged = ":".join(["card", str(int(campaign) + 1), *rest])
        assert "That card no longer exists" in refused(await send_raw(other, orders, forged))


@pytest.mark.slow
async def test_two_servers_keep_apart(world: World) -> None:
    """A campaign of the same name may be on another server; neither cards nor names nor entries cross over."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    guild = world.env.create_guild("Elsewhere")
    everything = guild.create_role("All", permissions=discord.Permissions(manage_guild=True))
    orders, results, staff = (guild.create_text_channel(name) for name in ("orders", "results", "staff"))
    boss = guild.add_member(world.env.create_user("boss"), roles=[everything])
    assert "No campaigns yet" in said(await boss.slash(orders, "campaign show"))
    assert await boss.autocomplete(orders, "campaign edit", "campaign", "") == []
    assert "no campaign" in refused(await boss.slash(orders, "campaign show", campaign="Iron Sea"))
    await boss.slash(orders, "campaign create", name="Iron Sea", results=results, staff=staff, game_master=everything)
    await boss.slash(orders, "campaign link", channel=orders)
    with nothing_written(world):
        assert "isn't on this server" in refused(await send_raw(boss, orders, press(card, "roll")))
        assert "isn't on this server" in refused(await send_raw(boss, orders, "ledger:1:0"))
        assert "isn't on this server" in refused(await send_raw(boss, orders, "publish:1:1"))
        assert "No open cards" in said(await boss.slash(orders, "cards"))
        assert "no entry #3" in refused(await boss.slash(orders, "ledger show", number=3))


async def test_a_game_master_of_one_campaign_is_none_of_another(world: World) -> None:
    """The role of one campaign opens nothing in the next one on the same server."""
    orders, _ = await second_campaign(world)
    assert "is for game masters" in refused(await world.gm.slash(orders, "patrol", patrol="Kilo", target="Zaku"))
    assert "Only game masters of Dune Sea" in refused(await world.gm.slash(orders, "update close"))
    assert rows(world, "select count(*) from entry where campaign_id = 2") == [(2,)]


@pytest.mark.slow
async def test_a_game_masters_choice_does_not_bring_a_player_the_staffs_account(world: World) -> None:
    """A player's card that a game master set to go to whoever rolls is not rolled by the player, but by game masters."""
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
    """Whatever names a player probes with, their card is the same as for names that nobody has ever rolled for."""
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
    """The receipt of a player tells of each target that is the staff's the same, whether it was rolled for or not."""
    await let_players(world, "patrol")
    world.dice.script(1, 18)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Kilo", target="A, B, C", roll="now"))
    for target in ("A", "C"):
        assert f"**Kilo** against **{target}**: the game masters have the result" in told
    assert "one stop" not in told
    assert f"<#{world.results.id}>" in told
    assert f"<#{world.staff.id}>" not in told


async def test_a_deleted_role_of_game_masters_is_said_to_be_gone(world: World) -> None:
    """Whoever was one reads who names another one, and no role that isn't there."""
    world.env.backend.delete_role(world.guild.id, world.roles["gm"].id)
    told = refused(await world.gm.slash(world.orders, "campaign edit", books="roe"))
    assert_says(told, "The game master role was deleted.", "server manager can pick one: /campaign edit game")
    assert str(world.roles["gm"].id) not in told
