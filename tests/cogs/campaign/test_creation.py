"""A campaign by its name alone: one window, and the channels and role that are missing."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest
import simcord

from tests.support.reading import assert_says, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, running, send_raw, show_to


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
    await bare.manager.slash(bare.orders, "gm settings", campaign="Iron Sea", players_may="none")
    assert entry(bare)["edited"]["players_may"] == {"before": ["orders", "escape"], "after": []}


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("scouting", ["orders", "escape", "scouting"]),
        ("-escape", ["orders"]),
        ("Patrol, \N{MINUS SIGN}orders", ["escape", "patrol"]),
        ("none", []),
        ("none, places", ["places"]),
    ],
)
async def test_what_players_may_do_is_added_to_what_they_may_already(bare: World, typed: str, after: list[str]) -> None:
    """A minus takes something away, none everything: the hint under a refusal closes nothing."""
    await create_by_name(bare)
    await bare.manager.slash(bare.orders, "gm settings", campaign="Iron Sea", players_may=typed)
    assert entry(bare)["edited"]["players_may"] == {"before": ["orders", "escape"], "after": after}


@pytest.mark.parametrize(("typed", "says"), [("scoutng", "Did you mean scouting?"), (" , ", "didn't pick a roll")])
async def test_a_slip_in_what_players_may_do_changes_nothing(bare: World, typed: str, says: str) -> None:
    """The answer names what's meant."""
    await create_by_name(bare)
    with nothing_written(bare):
        answer = refused(await bare.manager.slash(bare.orders, "gm settings", campaign="Iron Sea", players_may=typed))
    assert says in answer


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


def prefilled(window: simcord.InteractionResult) -> dict[str, Any]:
    """What a window's fields have before they are changed."""
    assert window.modal is not None
    found = {}
    for part in window.modal["components"]:
        field = part["component"]
        picked = [int(item["id"]) for item in field.get("default_values") or ()]
        found[field["custom_id"]] = field.get("value", "") if field["type"] == 4 else picked
    return found


async def test_a_refused_window_opens_again_with_what_was_typed(bare: World) -> None:
    """Options of the command are kept, too, also through a second refusal."""
    await create_by_name(bare)
    typed = {"timezone": "Asia/Tokyo", "players_may": "places"}
    answer = await bare.manager.slash(bare.orders, "campaign create", **typed)
    picked = {"results": [bare.results], "staff": [bare.results], "player": [bare.roles["player"]]}
    for _ in range(2):
        with nothing_written(bare):
            answer = await bare.manager.submit_modal(answer, {"name": "Dune: Sea", **picked})
            assert_says(refused(answer), "different channels")
        answer = await bare.manager.click(response(answer), label="Try again")
        assert prefilled(answer) == {
            "name": "Dune: Sea",
            "results": [bare.results.id],
            "staff": [bare.results.id],
            "game_master": [],
            "player": [bare.roles["player"].id],
        }
    done = await bare.manager.submit_modal(answer, {"name": "Dune: Sea", **picked, "staff": [bare.staff]})
    assert_says(said(done), "Dune: Sea is created", "Asia/Tokyo", "see where other players' units and characters are")


async def test_what_does_not_fit_into_the_button_is_left_out(bare: World) -> None:
    """The picks first; the name stays."""
    name = "N" * 60
    await create_by_name(bare, name=name)
    every: dict[str, Any] = {"results": [bare.results], "staff": [bare.staff]}
    every |= {"game_master": [bare.roles["gm"]], "player": [bare.roles["player"]]}
    answer = await create_by_name(bare, name=name, **every)
    assert "already has a campaign called" in refused(answer)
    again = prefilled(await bare.manager.click(response(answer), label="Try again"))
    assert again == {"name": name, "results": [], "staff": [], "game_master": [], "player": []}


async def test_a_forged_button_opens_no_window(bare: World) -> None:
    """Its ids are read strictly."""
    for forged in ("again:x-0-0-0:*:*:*:Mine", "again:0-0-0:*:*:*:Mine"):
        assert "no longer works" in refused(await send_raw(bare.manager, bare.orders, forged))


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("POST", "channels", 403, "Discord doesn't let me make them"),
        ("POST", "channels", 400, "Discord doesn't let me make them"),
        ("POST", "channels", 503, "Discord didn't answer"),
        ("POST", "roles", 503, "Discord didn't answer"),
        ("PUT", "members/*/roles/*", 404, "Discord doesn't let me make them"),
    ],
)
async def test_a_step_that_discord_refuses_leaves_nothing_behind(
    bare: World, method: str, path: str, status: int, says: str
) -> None:
    """What was made before is deleted again."""
    before = made_here(bare)
    bare.env.inject_error(method, f"/guilds/{bare.guild.id}/{path}", status=status)
    with nothing_written(bare):
        assert_says(refused(await create_by_name(bare)), says)
    assert made_here(bare) == before


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("fault", [ConnectionResetError("reset"), aiohttp.ServerDisconnectedError(), TimeoutError()])
async def test_an_answer_that_is_lost_leaves_nothing_behind(
    bare: World, monkeypatch: pytest.MonkeyPatch, fault: Exception, *, arrived: bool
) -> None:
    """Whether Discord had made the channel or not. Channels that were there before stay."""
    make = discord.Guild.create_text_channel
    bare.guild.create_text_channel("staff-room")

    async def lose(guild: discord.Guild, name: str, **more: Any) -> discord.TextChannel:  # noqa: ANN401 - as Discord's
        made = await make(guild, name, **more) if name == "results" or arrived else None
        if made is None or name == "staff":
            raise fault
        return made

    before = made_here(bare)
    monkeypatch.setattr(discord.Guild, "create_text_channel", lose)
    with nothing_written(bare):
        assert_says(refused(await create_by_name(bare)), "Discord didn't answer", "Try again")
    assert made_here(bare) == before
    assert len(before[0]) == 4  # with #results and #staff of the tests' server


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
    show_to(bare, "campaign", bare.player)
    with nothing_written(bare):
        assert "Manage Server" in refused(await bare.player.slash(bare.orders, "campaign create", name="Mine"))
        assert "Manage Server" in refused(await send_raw(bare.player, bare.orders, "again:0-0-0-0:*:*:*:Mine"))


@pytest.mark.parametrize(
    ("typed", "says"),
    [({"books": "chess"}, "chess"), ({"timezone": "Mars/Olympus"}, "Mars/Olympus"), ({"players_may": "fly"}, "fly")],
)
async def test_a_slip_is_refused_before_the_window(bare: World, typed: dict[str, str], says: str) -> None:
    """So that nobody fills it in twice."""
    with nothing_written(bare):
        assert says in refused(await bare.manager.slash(bare.orders, "campaign create", **typed))
