"""What Discord's picker offers: few commands, each for one audience; and old names that lead to the new ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
import simcord
from discord import Permissions, app_commands
from simcord.interactions import command_leaves

from bot.cogs.help import TASKS, sort_by_task
from bot.ui.commands import GM, MOVED
from tests.architecture.source import ROOT
from tests.command_pages import PLAYERS, SERVER_MANAGERS, commands, find_audience
from tests.support.reading import assert_says, refused, said
from tests.support.world import World, nothing_written, rows, show_every_command

Json = dict[str, Any]
MOST_FOR_PLAYERS, MOST = 15, 40
MANAGE = Permissions(manage_guild=True).value


def fetch_commands(world: World, kind: int = 1) -> list[Json]:
    """The commands that Discord shows on the server: slash commands, or those on messages (3)."""
    shown = (item for server in (None, world.guild.id) for item in world.env.backend.commands[server].values())
    return [item for item in shown if item["type"] == kind]


def list_leaves(command: Json) -> list[str]:
    """The full names of a command's subcommands, or its own."""
    return [" ".join(path) for path, _ in command_leaves(command)]


def find_new(old: str) -> str:
    """The command that an old one is now; options or a button may follow its name."""
    return max((name for name in commands() if MOVED[old].startswith(name)), key=len, default="")


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


async def test_a_server_of_the_campaign_book_shows_few_commands(world: World) -> None:
    """At most 15 are for players, and 40 in all."""
    assert rows(world, "select books from campaign") == [('["campaign"]',)]
    named = commands()
    shown = sorted(name for command in fetch_commands(world) for name in list_leaves(command))
    for_players = [name for name in shown if find_audience(named[name]) == PLAYERS]
    counts = {PLAYERS: (len(for_players), MOST_FOR_PLAYERS), "all": (len(shown), MOST)}
    over = {who: f"{count} of {most}" for who, (count, most) in counts.items() if count > most}
    others = [name for name in shown if name not in for_players]
    assert not over, "\n".join([f"{over}", f"for players: {for_players}", f"others: {others}"])


async def test_each_command_is_for_one_audience(world: World) -> None:
    """A server hides top-level commands only: none has subcommands for others."""
    await show_every_command(world)
    named = commands()
    found = {item["name"]: {find_audience(named[name]) for name in list_leaves(item)} for item in fetch_commands(world)}
    mixed = [f"{name}: {', '.join(sorted(audiences))}" for name, audiences in found.items() if len(audiences) > 1]
    assert not mixed, "\n".join(mixed)


async def test_only_commands_of_server_managers_need_a_permission(world: World) -> None:
    """Discord shows them to who has Manage Server. A game master often has none, and must keep theirs."""
    await show_every_command(world)
    named, wrong = commands(), {}
    for item in fetch_commands(world):
        managers = all(find_audience(named[name]) == SERVER_MANAGERS for name in list_leaves(item))
        if item.get("default_member_permissions") != (MANAGE if managers else None):
            wrong[item["name"]] = item.get("default_member_permissions")
    assert not wrong


async def test_the_game_masters_group_belongs_to_no_book(world: World) -> None:
    """It's on every server, whichever features add to it."""
    await show_every_command(world)
    assert GM.name in {name for name, _ in world.env.backend.commands[None]}
    assert GM.name not in {name for name, _ in world.env.backend.commands[world.guild.id]}


def test_each_command_has_one_task() -> None:
    """So `/help` and the page of commands show it, once."""
    listed = Counter(name for found in sort_by_task(commands()).values() for name in found)
    assert listed == Counter([*commands()])


def test_tasks_name_only_commands_that_there_are() -> None:
    """By full name or by first words."""
    names = [*commands()]
    places = [place for task in TASKS.values() for place in task.commands.split(", ")]
    missing = [place for place in places if not any(f"{name} ".startswith(f"{place} ") for name in names)]
    assert not missing, "\n".join(missing)


def test_old_names_lead_to_commands_that_there_are() -> None:
    """None of the old ones is still there."""
    assert MOVED.keys().isdisjoint(commands())
    assert all(find_new(old) for old in MOVED)


def test_the_changelog_names_every_old_command() -> None:
    """The table has them all and no others: `/table add`, `edit` is two."""
    rows_of = re.findall(r"^\| (`/.+?) \|", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    named = set[str]()
    for group in chain.from_iterable(row.split("; ") for row in rows_of):
        first, *others = re.findall(r"`/?([a-z -]+)`", group)
        named |= {first, *(first.rpartition(" ")[0] + f" {other}" for other in others)}
    assert named == MOVED.keys()


@pytest.mark.parametrize("old", MOVED)
async def test_an_old_command_is_answered_with_its_new_name(world: World, old: str) -> None:
    """An app that hasn't loaded the new list still sends it; a tap on the new name fills it in."""
    first, *words = old.split()
    new, options = find_new(old), list[Json]()
    world.bots[-1].mentions.learn({new.split()[0]: 77}, world.guild.id)
    for kind, word in zip((1, 2), reversed(words), strict=False):
        options = [{"type": kind, "name": word, "options": options}]
    sent = {"id": "1", "name": first, "type": 1, "options": options}
    with nothing_written(world):
        answer = refused(await world.gm._dispatch_interaction(2, world.orders, sent))
    assert f"The command '{old}' has a new name." in answer
    assert f"Use </{new}:77>{MOVED[old].removeprefix(new)}." in answer
    simcord.assert_error(world.env, app_commands.CommandNotFound)
    world.env._errors.clear()


async def test_help_explains_an_old_command_as_its_new_one(world: World) -> None:
    """Who types what a pinned message says finds what it's called now."""
    assert_says(said(await world.gm.slash(world.orders, "help", about="/void")), "### /gm undo", "Undo an entry")
    assert_says(said(await world.gm.slash(world.orders, "help", about="privacy show")), "### /help")


async def test_the_whole_tree_is_sent_and_needed_options_come_first(world: World) -> None:
    """As in the transcript, and only on servers."""
    await show_every_command(world)
    sent = fetch_commands(world)
    found = {" ".join(path): leaf["options"] for command in sent for path, leaf in command_leaves(command)}
    assert {*found} == {*commands()}
    menus = {command["name"] for command in fetch_commands(world, 3)}
    assert menus == {"Undo", "Amend", "Verify dice", "Publish", "Show in ledger"}
    for options in found.values():
        required = [option["required"] for option in options]
        assert required == sorted(required, reverse=True)
    assert all(command["contexts"] == [0] for kind in (1, 3) for command in fetch_commands(world, kind))
    assert world.env.create_user("somebody").available_commands() == ()


async def test_commands_stay_inside_what_discord_takes(world: World) -> None:
    """Names, descriptions, options and choices."""
    await show_every_command(world)
    sent = fetch_commands(world)
    names = [name for command in sent for name in list_leaves(command)]
    assert len(names) == len(set(names))
    for command in sent:
        assert size(command) <= 8000
        for node in nodes(command):
            assert 1 <= len(node["description"]) <= 100, node["name"]
            assert node["description"] != "…", node["name"]
            assert len(node.get("options", [])) <= 25
            assert len(node.get("choices", [])) <= 25
