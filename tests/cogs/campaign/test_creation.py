"""A campaign by its name alone: one window, and the channels and role that are missing."""

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import simcord

from tests.support.reading import assert_says, refused, response, text
from tests.support.world import World, entry, nothing_written, rows, running


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[World]:
    """A bot that may make channels and roles, on a server without a campaign, and its manager."""
    async with running(database_url, campaign=False) as made:
        yield made


def server_of(world: World) -> discord.Guild:
    """The server as the bot knows it."""
    guild = world.bots[-1].get_guild(world.guild.id)
    assert guild is not None
    return guild


def made_here(world: World) -> tuple[list[str], list[str]]:
    """The server's channels and roles by name."""
    guild = server_of(world)
    return sorted(channel.name for channel in guild.channels), sorted(role.name for role in guild.roles)


async def test_a_name_alone_opens_one_window(bare: World) -> None:
    """It asks for channels and roles, which can all be left empty."""
    window = await bare.manager.slash(bare.orders, "campaign create", name="Iron Sea")
    assert window.modal is not None
    fields = {part["component"]["custom_id"]: part["component"] for part in window.modal["components"]}
    assert [*fields] == ["name", "results", "staff", "game_master", "player"]
    assert fields["name"]["value"] == "Iron Sea"
    assert [key for key, field in fields.items() if field.get("required", True)] == ["name"]


async def create_by_name(world: World, **sent: Any) -> simcord.InteractionResult:  # noqa: ANN401 - a window's fields
    """Create a campaign by its name, in the window."""
    window = await world.manager.slash(world.orders, "campaign create")
    return await world.manager.submit_modal(window, {"name": "Iron Sea", **sent})


async def test_what_is_left_empty_is_made(bare: World) -> None:
    """Results for everyone, a staff channel and a role for game masters, which the creator has at once."""
    answer = response(await create_by_name(bare))
    assert_says(text(answer), "Iron Sea is created", "Next steps")
    assert "You don't have" not in text(answer)
    guild = server_of(bare)
    created = entry(bare)["created"]
    role = guild.get_role(int(created["game_master_role_id"]))
    results, staff = (guild.get_channel(int(created[f"{name}_channel_id"])) for name in ("results", "staff"))
    assert role is not None
    assert results is not None
    assert staff is not None
    assert (role.name, results.name, staff.name) == ("Game Master", "results", "staff")
    everyone = guild.default_role
    assert [channel.permissions_for(everyone).view_channel for channel in (results, staff)] == [True, False]
    assert staff.permissions_for(role).view_channel
    assert staff.permissions_for(guild.me).view_channel
    made_master = bare.env.backend.get_guild(guild.id).members[bare.manager.id]
    assert role.id in made_master.role_ids


async def test_players_may_order_and_escape_from_the_start(bare: World) -> None:
    """A game master can close both."""
    await create_by_name(bare)
    assert entry(bare)["created"]["players_may"] == ["orders", "escape"]
    await bare.manager.slash(bare.orders, "campaign edit", campaign="Iron Sea", players_may="none")
    assert entry(bare)["edited"]["players_may"] == {"before": ["orders", "escape"], "after": []}


async def test_what_is_picked_is_used(bare: World) -> None:
    """Nothing is made."""
    before = made_here(bare)
    await create_by_name(
        bare, results=[bare.results], staff=[bare.staff], game_master=[bare.roles["gm"]], player=[bare.roles["player"]]
    )
    created = entry(bare)["created"]
    assert created["results_channel_id"] == str(bare.results.id)
    assert created["player_role_id"] == str(bare.roles["player"].id)
    assert made_here(bare) == before


async def test_a_bot_that_may_not_make_channels_says_so(bare: World) -> None:
    """Nothing is made or written; picking existing ones works."""
    guild = bare.env.backend.get_guild(bare.guild.id)
    (role,) = (role for role in guild.roles.values() if role.managed)
    bare.env.backend.edit_role(guild.id, role.id, {"permissions": discord.Permissions(view_channel=True).value})
    before = made_here(bare)
    with nothing_written(bare):
        assert_says(refused(await create_by_name(bare)), "give me Manage Roles and Manage Channels")
    assert made_here(bare) == before


async def test_a_refused_name_leaves_nothing_behind(bare: World) -> None:
    """Neither a second campaign nor channels."""
    await create_by_name(bare)
    before = made_here(bare)
    with nothing_written(bare):
        refused(await create_by_name(bare))
    assert made_here(bare) == before
    assert rows(bare, "select count(*) from campaign") == [(1,)]


async def test_discord_refusing_the_last_step_leaves_nothing_behind(bare: World) -> None:
    """What was made before is deleted again."""
    before = made_here(bare)
    bare.env.inject_error("POST", f"/guilds/{bare.guild.id}/channels", status=403)
    with nothing_written(bare):
        assert_says(refused(await create_by_name(bare)), "Discord doesn't let me make them")
    assert made_here(bare) == before


async def test_a_channel_of_another_server_is_refused(bare: World) -> None:
    """Results would go there."""
    other = bare.env.create_guild("Elsewhere").create_text_channel("results")
    fields = [{"type": 4, "custom_id": "name", "value": "Iron Sea"}]
    fields += [{"type": 8, "custom_id": "results", "values": [str(other.id)]}]
    sent = {
        "custom_id": "campaign-new:UTC:none:campaign",
        "components": [{"type": 18, "component": it} for it in fields],
    }
    with nothing_written(bare):
        assert "isn't on this server" in refused(await bare.manager._dispatch_interaction(5, bare.orders, sent))
        assert "Manage Server" in refused(
            await bare.player._dispatch_interaction(5, bare.orders, sent | {"components": []})
        )


async def test_a_stranger_starts_no_campaign(bare: World) -> None:
    """By the command or a forged window."""
    with nothing_written(bare):
        assert "Manage Server" in refused(await bare.player.slash(bare.orders, "campaign create", name="Mine"))


@pytest.mark.parametrize(
    ("typed", "says"),
    [({"books": "chess"}, "chess"), ({"timezone": "Mars/Olympus"}, "Mars/Olympus"), ({"players_may": "fly"}, "fly")],
)
async def test_a_slip_is_refused_before_the_window(bare: World, typed: dict[str, str], says: str) -> None:
    """So that nobody fills it in twice."""
    with nothing_written(bare):
        assert says in refused(await bare.manager.slash(bare.orders, "campaign create", **typed))
