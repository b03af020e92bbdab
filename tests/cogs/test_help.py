"""`/help`: what a person can do here, from the command tree."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.cogs import help as helping
from tests.support.reading import assert_says, components, refused, response, said, text
from tests.support.world import World, running
from tests.transcripts import commands

NAMED = re.compile(r"`/([a-z ]+)`")


def named(told: str) -> set[str]:
    """The commands that a text names."""
    return set(NAMED.findall(told))


async def asked(world: World, actor: Any, **about: str) -> str:  # noqa: ANN401 - an actor
    """What `/help` shows a person in #orders."""
    return said(await actor.slash(world.orders, "help", **about))


async def everything(world: World, actor: Any) -> str:  # noqa: ANN401 - an actor
    """The page with all commands that a person can use."""
    return await asked(world, actor, about=helping.EVERYTHING)


async def test_the_first_page_is_short_and_leads_to_everything(world: World) -> None:
    """The first page counts each task's commands, and the page of each task explains them."""
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
            told = await asked(world, actor, about=topic)
            names = set(re.findall("^`/([a-z ]+)` ", told, re.MULTILINE))
            assert re.search(rf"\*\*{topic}\*\* \({len(names)}\): ", text(page))
            known |= names
        assert known == named(await everything(world, actor))


async def test_a_player_finds_how_results_can_be_trusted(world: World) -> None:
    """The page about the ledger says what the characters under a result are and what to do with them."""
    told = await asked(world, world.player, about="Ledger")
    assert_says(told, "start its entry's hash", "compare them with `/ledger show`")


async def test_a_game_master_finds_every_command(world: World) -> None:
    """A game master finds all but those that need Manage Server; with both, all of them."""
    told = await everything(world, world.gm)
    assert "You're a game master of Iron Sea." in told
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity, battlesystem, roe, total_war")
    told = await everything(world, world.gm)
    lead = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])
    whole = named(await everything(world, lead))
    assert whole == set(commands.names())
    assert whole - named(told) == {f"campaign {word}" for word in ("create", "link", "unlink", "archive", "delete")}
    assert "**Weather**" in told


async def test_a_player_finds_what_is_open(world: World) -> None:
    """A player doesn't see game masters' commands and closed rolls; what a campaign or its book opens is listed."""
    told = await everything(world, world.player)
    assert "You're a player of Iron Sea." in told
    assert {"roll", "escape", "unit show", "weather show"} <= named(told)
    assert not {"scout", "patrol", "weather rollover", "campaign create", "events roll", "character edit"} & named(told)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, characters")
    assert named(await everything(world, world.player)) == named(told) | {"scout", "character edit"}
    await world.gm.slash(world.orders, "campaign edit", books="roe")
    assert {"roe attack", "roe blast"} <= named(await everything(world, world.player))
    told = await asked(world, world.stranger)
    assert_says(told, "You aren't in Iron Sea yet. Ask a game master for the player role.")


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
    """A task with what each command does, a command with its options, a group with its commands."""
    await world.gm.slash(world.orders, "campaign edit", books="campaign, battlesystem")
    told = await asked(world, world.gm, about=about)
    assert_says(told, *lines)


async def test_the_first_evening_opens_where_there_is_no_campaign(database_url: str) -> None:
    """A person who can start a campaign reads how; others see the tasks."""
    async with running(database_url, campaign=False) as bare:
        told = await asked(bare, bare.manager)
        assert_says(told, "This channel isn't linked to a campaign yet.", "1. `/campaign create`")
        assert "What you can do here" in await asked(bare, bare.player)


async def test_what_a_person_cannot_use_is_left_out_everywhere(world: World) -> None:
    """A group's page and the completions leave out game masters' commands; the page of one says that you can't use it."""
    told = await asked(world, world.player, about="table")
    assert named(told) == {"table list", "table show", "table roll"}
    assert named(await asked(world, world.gm, about="table")) > named(told)
    assert "You can't use this here." in await asked(world, world.player, about="/roster")
    assert "You can't use this here." in await asked(world, world.player, about="table add")
    assert "You can't use this here." not in await asked(world, world.player, about="table roll")
    for actor, open_to in ((world.player, False), (world.gm, True)):
        offered = [item["value"] for item in await actor.autocomplete(world.orders, "help", "about", "table")]
        assert "/table roll" in offered
        assert ("/table add" in offered) is open_to


async def test_commands_of_a_book_that_is_off_are_left_out(world: World) -> None:
    """Commands of a book that is off aren't listed, and a game master reads which books are off."""
    told = await everything(world, world.gm)
    assert not {name for name in named(told) if name.startswith(("infinity", "events", "fight"))}
    assert {"patrol", "weather rollover", "effect set"} <= named(told)
    assert "Books that are off: battlesystem, infinity, roe and total_war. `/campaign edit` turns them on." in told
    assert "Books that are off" not in await everything(world, world.player)
    assert "You can't use this here." in await asked(world, world.gm, about="infinity roll")
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity")
    told = await everything(world, world.gm)
    assert "infinity roll" in named(told)
    assert "Books that are off: battlesystem, roe and total_war." in told


async def test_a_task_is_picked_on_the_page(world: World) -> None:
    """A picked task replaces the page and keeps the list below it."""
    page = response(await world.player.slash(world.orders, "help"))
    (select,) = [item for item in components(page) if item["type"] == 3]
    await world.player.select(page, ["Your first evening"], custom_id=select["custom_id"])
    assert "1. `/campaign show`" in text(page)
    assert any(item["type"] == 3 for item in components(page))


async def test_an_unknown_name_suggests_the_nearest(world: World) -> None:
    """A typo names the nearest command; completions find tasks and commands by any part."""
    assert "Did you mean /weather show?" in refused(await world.gm.slash(world.orders, "help", about="/wether show"))
    offered = await world.player.autocomplete(world.orders, "help", "about", "weath")
    assert [item["value"] for item in offered][:2] == ["Weather", "/weather schedule"]


def test_the_first_evenings_name_commands_that_there_are() -> None:
    """The first evenings name no command that is gone."""
    evenings = " ".join((*helping.STAFF_EVENING, *helping.PLAYER_EVENING))
    assert named(evenings) <= set(commands.names())
