"""What people are told: in plain words, without ids, and only what is true."""

from __future__ import annotations

import re

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.support.acting import roll_command
from tests.support.reading import assert_says, newest, refused, response, said, text
from tests.support.world import World, nothing_written

LATE = "Too late"


async def caught(world: World) -> None:
    """Kai Brandt, who is the player's, is a captive."""
    await world.gm.slash(world.orders, "character add", name="Kai Brandt", kind="pc", owner=world.player)
    await world.gm.slash(world.orders, "captive take", captive="Kai Brandt", by="Zeon", at="Fort Teak")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("captive show", {"captive": "Kai"}),
        ("escape", {"captive": "Kai"}),
        ("escape", {"captive": "Kay Brandt"}),
        ("interrogate", {"captive": "Kai", "interrogators": "Haas"}),
    ],
)
async def test_a_short_name_of_a_captive_is_enough_to_be_told_the_whole(
    world: World, command: str, options: dict[str, str]
) -> None:
    """Whoever may know of the captive reads who was probably meant; that nobody is of the short name stays said."""
    await caught(world)
    told = refused(await world.gm.slash(world.orders, command, **options))
    assert_says(told, "isn't a captive", "Did you mean Kai Brandt?")
    assert LATE not in told


async def test_a_player_is_told_of_their_own_captive_alone(world: World) -> None:
    """The owner reads who was meant; to another player nobody is near, as if there were nobody."""
    await caught(world)
    await save(world.bots[0].database, Profile("Amuro Ray", "pc", owner="somebody else"))
    await world.gm.slash(world.orders, "captive take", captive="Amuro Ray", by="Zeon", at="Fort Teak")
    for command in ("captive show", "escape"):
        mine = refused(await world.player.slash(world.orders, command, captive="Kai"))
        assert "Did you mean Kai Brandt?" in mine
        others = refused(await world.player.slash(world.orders, command, captive="Amuro"))
        assert "Ray" not in others


async def test_nobody_is_late_who_was_never_in_time(world: World) -> None:
    """Over a refusal that is not about being late stands no word about it."""
    await world.gm.slash(world.orders, "unit add", name="Fort Teak", kind="base")
    await caught(world)
    asked = [
        ("unit remove", {"name": "Fort Teak"}),
        ("character remove", {"name": "Kai Brandt"}),
        ("escape", {}),
        ("newtype", {"character": "Nobody", "affiliation": "rogue"}),
    ]
    for command, options in asked:
        told = text(response(await world.gm.slash(world.orders, command, **options)))
        assert LATE not in told, command


async def test_a_setting_that_is_so_already_is_not_called_changed(world: World) -> None:
    """Books that are on already are no change, and nothing is entered."""
    await world.gm.slash(world.orders, "campaign edit", books="infinity")
    with nothing_written(world):
        told = refused(await world.gm.slash(world.orders, "campaign edit", books="infinity"))
        assert "it's already like that" in told
        assert "is changed" not in told


async def test_an_empty_list_of_cards_sends_nobody_to_what_is_not_theirs(world: World) -> None:
    """It says what would stand there, and names no command that a player may not use."""
    told = said(await world.player.slash(world.orders, "cards"))
    assert "listed here until you roll or cancel them" in told
    assert "/patrol" not in told


@pytest.mark.parametrize("typed", ["patrol.ship, patrol.fleet", "patrol.newtype*2", "patrol.flet", "newtype"])
async def test_a_refused_modifier_is_called_by_its_label(world: World, typed: str) -> None:
    """No refusal names a modifier by an id that the person did not type."""
    told = refused(await world.gm.slash(world.orders, "patrol", patrol="K", target="Z", modifiers=typed))
    unasked = {word for word in re.findall(r"[a-z]+\.[a-z-]+", told) if word not in typed}
    assert not unasked
    assert "Patrol " in told


async def test_what_lasts_reads_as_a_sentence(world: World) -> None:
    """Behind a name and a colon an effect begins with a small letter."""
    await roll_command(world, "patrol", 18, patrol="Kilo", target="Iron convoy", roll="now")
    told = said(await world.gm.slash(world.orders, "update show"))
    assert "Iron convoy: must win its battle to move on" in told


async def test_a_result_names_one_line_of_the_page_or_none(world: World) -> None:
    """A footer has the line that decided where there is one, and never a row of line numbers."""
    await roll_command(world, "patrol", 18, 10, patrol="Kilo", target="Ghost:neutral", roll="now")
    for channel in (world.results, world.staff):
        if channel.last_message is not None:
            footer = newest(channel).embeds[0].footer.text or ""
            assert not re.search(r"lines [0-9]", footer)
