"""`/help`, and commands as Discord gets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from bot.client import Adjutant
from bot.cogs import help as helping
from tests.support.reading import assert_says, components, refused, response, said, text
from tests.support.world import World, running, show_every_command
from tests.transcripts import commands
from tests.transcripts import commands as tree

NAMED = re.compile(r"`/([a-z ]+)`")


def find_names(told: str) -> set[str]:
    """The commands that a text names."""
    return set(NAMED.findall(told))


async def ask_help(world: World, actor: Any, **about: str) -> str:  # noqa: ANN401 - an actor
    """What `/help` shows a person."""
    return said(await actor.slash(world.orders, "help", **about))


async def show_everything(world: World, actor: Any) -> str:  # noqa: ANN401 - an actor
    """The page with all usable commands."""
    return await ask_help(world, actor, about=helping.EVERYTHING)


async def test_the_first_page_is_short_and_leads_to_everything(world: World) -> None:
    """Each task's page explains them."""
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity, battlesystem")
    for actor in (world.gm, world.player):
        page = response(await actor.slash(world.orders, "help"))
        assert len(text(page)) < 900
        (select,) = [item for item in components(page) if item["type"] == 3]
        topics = [item["value"] for item in select["options"]]
        assert topics[0] == "Your first evening"
        assert topics[-1] == "Everything"
        known: set[str] = set()
        for topic in topics[1:-1]:
            answer = await ask_help(world, actor, about=topic)
            names = set(re.findall("^`/([a-z ]+)` ", answer, re.MULTILINE))
            assert re.search(rf"\*\*{topic}\*\* \({len(names)}\): ", text(page))
            known |= names
        assert known == find_names(await show_everything(world, actor))


async def test_a_player_finds_how_results_can_be_trusted(world: World) -> None:
    """And what to do with them."""
    answer = await ask_help(world, world.player, about="Ledger")
    assert_says(answer, "start its entry's hash", "compare them with `/ledger show`")


async def test_a_game_master_finds_every_command(world: World) -> None:
    """Except those for Manage Server."""
    answer = await show_everything(world, world.gm)
    assert "You're a game master of Iron Sea." in answer
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity, battlesystem, roe, total_war")
    answer = await show_everything(world, world.gm)
    lead = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])
    whole = find_names(await show_everything(world, lead))
    assert whole == set(commands.names())
    assert whole - find_names(answer) == {
        f"campaign {word}" for word in ("create", "link", "unlink", "archive", "delete")
    }
    assert "**Weather**" in answer


async def test_a_player_finds_what_is_open(world: World) -> None:
    """As campaign and book open them."""
    answer = await show_everything(world, world.player)
    assert "You're a player of Iron Sea." in answer
    assert {"roll", "escape", "unit show", "weather show"} <= find_names(answer)
    assert not {"scout", "patrol", "weather rollover", "campaign create", "events roll", "character edit"} & find_names(
        answer
    )
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, characters")
    assert find_names(await show_everything(world, world.player)) == find_names(answer) | {"scout", "character edit"}
    await world.gm.slash(world.orders, "campaign edit", books="roe")
    assert {"roe attack", "roe blast"} <= find_names(await show_everything(world, world.player))
    answer = await ask_help(world, world.stranger)
    assert_says(answer, "You aren't in Iron Sea yet. Ask a game master for the player role.")


@pytest.mark.parametrize(
    ("about", "lines"),
    [
        ("Weather", ["**Game masters only**\n`/weather rollover` Preview next week's weather, then roll it."]),
        (
            "/weather  SET",
            [
                "Set the weather category of a zone by hand.",
                "Game masters only",
                "`zone`: The weather",
                "`week` (optional): The week.",
            ],
        ),
        ("events unit", ["`/events unit add` Add units to a side of a battle."]),
        ("Your first evening", ["1. `/campaign create`", "`/patrol`"]),
    ],
)
async def test_a_task_or_a_command_is_explained(world: World, about: str, lines: list[str]) -> None:
    """A group shows its commands."""
    await world.gm.slash(world.orders, "campaign edit", books="campaign, battlesystem")
    answer = await ask_help(world, world.gm, about=about)
    assert_says(answer, *lines)


async def test_the_first_evening_opens_where_there_is_no_campaign(database_url: str) -> None:
    """Others see the tasks."""
    async with running(database_url, campaign=False) as bare:
        answer = await ask_help(bare, bare.manager)
        assert_says(answer, "This channel isn't linked to a campaign yet.", "1. `/campaign create`")
        assert "What you can do here" in await ask_help(bare, bare.player)


async def test_what_a_person_cannot_use_is_left_out_everywhere(world: World) -> None:
    """Its own page says so."""
    answer = await ask_help(world, world.player, about="table")
    assert find_names(answer) == {"table list", "table show", "table roll"}
    assert find_names(await ask_help(world, world.gm, about="table")) > find_names(answer)
    assert "You can't use this here." in await ask_help(world, world.player, about="/roster")
    assert "You can't use this here." in await ask_help(world, world.player, about="table add")
    assert "You can't use this here." not in await ask_help(world, world.player, about="table roll")
    for actor, open_to in ((world.player, False), (world.gm, True)):
        offered = [item["value"] for item in await actor.autocomplete(world.orders, "help", "about", "table")]
        assert "/table roll" in offered
        assert ("/table add" in offered) is open_to


async def test_commands_of_a_book_that_is_off_are_left_out(world: World) -> None:
    """Game masters read which books are off."""
    answer = await show_everything(world, world.gm)
    assert not {name for name in find_names(answer) if name.startswith(("infinity", "events", "fight"))}
    assert {"patrol", "weather rollover", "effect set"} <= find_names(answer)
    assert "Books that are off: battlesystem, infinity, roe and total_war. `/campaign edit` turns them on." in answer
    assert "Books that are off" not in await show_everything(world, world.player)
    assert "You can't use this here." in await ask_help(world, world.gm, about="infinity roll")
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity")
    answer = await show_everything(world, world.gm)
    assert "infinity roll" in find_names(answer)
    assert "Books that are off: battlesystem, roe and total_war." in answer


async def test_a_task_is_picked_on_the_page(world: World) -> None:
    """The list stays below."""
    page = response(await world.player.slash(world.orders, "help"))
    (select,) = [item for item in components(page) if item["type"] == 3]
    await world.player.select(page, ["Your first evening"], custom_id=select["custom_id"])
    assert "1. `/campaign show`" in text(page)
    assert any(item["type"] == 3 for item in components(page))


async def test_an_unknown_name_suggests_the_nearest(world: World) -> None:
    """Completions match any part."""
    assert "Did you mean /weather show?" in refused(await world.gm.slash(world.orders, "help", about="/wether show"))
    offered = await world.player.autocomplete(world.orders, "help", "about", "weath")
    assert [item["value"] for item in offered][:2] == ["Weather", "/weather schedule"]


def test_the_first_evenings_name_commands_that_there_are() -> None:
    """None is gone."""
    evenings = " ".join((*helping.STAFF_EVENING, *helping.PLAYER_EVENING))
    assert find_names(evenings) <= set(commands.names())


Json = dict[str, Any]


async def fetch_commands(world: World) -> list[Json]:
    """The commands as Discord has them on a server that plays all books."""
    await show_every_command(world)
    return [item for server in (None, world.guild.id) for item in world.env.backend.commands[server].values()]


def leaves(command: Json, above: str = "") -> Iterator[tuple[str, Json]]:
    """All usable commands by full name."""
    name = f"{above} {command['name']}".strip()
    below = [option for option in command["options"] if option["type"] in {1, 2}]
    if not below:
        yield name, command
    for option in below:
        yield from leaves(option, name)


def nodes(item: Json) -> Iterator[Json]:
    """A command with all subcommands and options."""
    yield item
    for option in item.get("options", []):
        yield from nodes(option)


def size(item: Json) -> int:
    """Characters that Discord counts."""
    own = len(item["name"]) + len(item["description"])
    choices = sum(len(choice["name"]) + len(str(choice["value"])) for choice in item.get("choices", []))
    return own + choices + sum(size(option) for option in item.get("options", []))


async def test_the_whole_tree_is_sent_and_needed_options_come_first(world: World) -> None:
    """As in the transcript."""
    found = {name: leaf["options"] for command in await fetch_commands(world) for name, leaf in leaves(command)}
    assert {*found} == {*tree.names()}
    for options in found.values():
        required = [option["required"] for option in options]
        assert required == sorted(required, reverse=True)


async def test_commands_stay_inside_what_discord_takes(world: World) -> None:
    """Names, descriptions, options and choices."""
    commands = await fetch_commands(world)
    names = [name for command in commands for name, _ in leaves(command)]
    assert len(names) == len(set(names))
    for command in commands:
        assert size(command) <= 8000
        for node in nodes(command):
            assert 1 <= len(node["description"]) <= 100, node["name"]
            assert node["description"] != "…", node["name"]
            assert len(node.get("options", [])) <= 25
            assert len(node.get("choices", [])) <= 25


async def test_ping_answers_privately_and_anywhere(world: World) -> None:
    """Other commands need a server."""
    result = await world.stranger.slash(world.orders, "ping")
    assert result.response is not None
    assert result.response.ephemeral
    assert "online" in result.response.content
    anywhere = {command["name"] for command in await fetch_commands(world) if command["dm_permission"]}
    assert anywhere == {"ping"}
    somebody = world.env.create_user("somebody")
    assert somebody.available_commands() == ("ping",)
    assert (await somebody.slash("ping")).ephemeral


@pytest.mark.parametrize("latency", [float("inf"), float("nan")])
async def test_ping_tells_no_delay_before_it_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch, latency: float
) -> None:
    """Right after a start."""
    monkeypatch.setattr(Adjutant, "latency", latency)
    assert said(await world.stranger.slash(world.orders, "ping")).endswith("is online.")
