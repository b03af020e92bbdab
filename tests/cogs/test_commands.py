"""What Discord is told of the commands: their names, options and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.client import Adjutant
from tests.support.reading import said
from tests.support.world import World
from tests.transcripts import commands as tree

Json = dict[str, Any]


def synced(world: World) -> list[Json]:
    """The commands as they were sent to Discord."""
    requests = [item for item in world.env.http_requests if item.method == "PUT" and item.path.endswith("/commands")]
    found: list[Json] = requests[-1].json  # type: ignore[assignment]
    return found


def leaves(command: Json, above: str = "") -> Iterator[tuple[str, Json]]:
    """Each command that can be used, with its whole name."""
    name = f"{above} {command['name']}".strip()
    below = [option for option in command["options"] if option["type"] in {1, 2}]
    if not below:
        yield name, command
    for option in below:
        yield from leaves(option, name)


def nodes(item: Json) -> Iterator[Json]:
    """A command and all that is in it: subcommands and options."""
    yield item
    for option in item.get("options", []):
        yield from nodes(option)


def size(item: Json) -> int:
    """The characters that Discord counts: names, descriptions and values of choices, all in all."""
    own = len(item["name"]) + len(item["description"])
    choices = sum(len(choice["name"]) + len(str(choice["value"])) for choice in item.get("choices", []))
    return own + choices + sum(size(option) for option in item.get("options", []))


async def test_the_whole_tree_is_sent_and_needed_options_come_first(world: World) -> None:
    """Discord is told of every command, whose options the transcript of the tree has, and takes none with an optional one before."""
    found = {name: leaf["options"] for command in synced(world) for name, leaf in leaves(command)}
    assert {*found} == {*tree.names()}
    for options in found.values():
        required = [option["required"] for option in options]
        assert required == sorted(required, reverse=True)


async def test_commands_stay_inside_what_discord_takes(world: World) -> None:
    """Names are unique; descriptions have 1 to 100 characters; 25 options and choices at most, 8,000 characters."""
    commands = synced(world)
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
    """Ping is answered to who asked alone; every other command belongs to a server, so Discord offers none in direct messages."""
    result = await world.stranger.slash(world.orders, "ping")
    assert result.response is not None
    assert result.response.ephemeral
    assert "online" in result.response.content
    anywhere = {command["name"] for command in synced(world) if command["dm_permission"]}
    assert anywhere == {"ping"}
    somebody = world.env.create_user("somebody")
    assert somebody.available_commands() == ("ping",)
    assert (await somebody.slash("ping")).ephemeral


@pytest.mark.parametrize("latency", [float("inf"), float("nan")])
async def test_ping_tells_no_delay_before_it_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch, latency: float
) -> None:
    """Right after a start there is none yet."""
    monkeypatch.setattr(Adjutant, "latency", latency)
    assert said(await world.stranger.slash(world.orders, "ping")).endswith("is online.")
