"""Messages are plain and true, and players read what they can do."""

from __future__ import annotations

import re

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.support.acting import removed, roll_command
from tests.support.reading import assert_says, components, newest, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw

LATE = "Too late"


async def save_captive(world: World) -> None:
    """Kai Brandt, the player's, is a captive."""
    await world.gm.slash(world.orders, "roster add", name="Kai Brandt", kind="pc", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Kai Brandt", by="Zeon", at="Fort Teak")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("captives", {"captive": "Kai"}),
        ("escape", {"captive": "Kai"}),
        ("escape", {"captive": "Kay Brandt"}),
        ("interrogate", {"captive": "Kai", "interrogators": "Haas"}),
    ],
)
async def test_a_short_name_of_a_captive_is_enough_to_be_told_the_whole(
    world: World, command: str, options: dict[str, str]
) -> None:
    """Who may know reads the likely name."""
    await save_captive(world)
    answer = refused(await world.gm.slash(world.orders, command, **options))
    assert_says(answer, "isn't a captive", "Did you mean Kai Brandt?")
    assert LATE not in answer


async def test_a_player_is_told_of_their_own_captive_alone(world: World) -> None:
    """Others read no name."""
    await save_captive(world)
    await save(world.bots[0].database, Profile("Amuro Ray", "pc", owner="somebody else"))
    await world.gm.slash(world.orders, "capture", captive="Amuro Ray", by="Zeon", at="Fort Teak")
    for command in ("captives", "escape"):
        mine = refused(await world.player.slash(world.orders, command, captive="Kai"))
        assert "Did you mean Kai Brandt?" in mine
        others = refused(await world.player.slash(world.orders, command, captive="Amuro"))
        assert "Ray" not in others


async def test_nobody_is_late_who_was_never_in_time(world: World) -> None:
    """No other refusal says so."""
    await world.gm.slash(world.orders, "roster add", name="Fort Teak", kind="base")
    await save_captive(world)
    asked = [
        ("escape", {}),
        ("newtype", {"character": "Nobody", "affiliation": "rogue"}),
    ]
    answers = [await world.gm.slash(world.orders, command, **options) for command, options in asked]
    answers += [await removed(world, name) for name in ("Fort Teak", "Kai Brandt")]
    for answer in answers:
        assert LATE not in text((answer.followups or [response(answer)])[-1])


async def test_a_setting_that_is_so_already_is_not_called_changed(world: World) -> None:
    """Nothing is entered."""
    await world.gm.slash(world.orders, "gm settings", books="infinity")
    with nothing_written(world):
        answer = refused(await world.gm.slash(world.orders, "gm settings", books="infinity"))
        assert "it's already like that" in answer
        assert "is changed" not in answer


async def test_an_empty_list_of_cards_sends_nobody_to_what_is_not_theirs(world: World) -> None:
    """It names no forbidden command."""
    answer = said(await send_raw(world.player, world.orders, "card:1:-:0:0:list"))
    assert "listed here until you roll or cancel them" in answer
    assert "/patrol" not in answer


@pytest.mark.parametrize("typed", ["patrol.ship, patrol.fleet", "patrol.newtype*2", "patrol.flet", "newtype"])
async def test_a_refused_modifier_is_called_by_its_label(world: World, typed: str) -> None:
    """Never by its id."""
    answer = refused(await world.gm.slash(world.orders, "patrol", patrol="K", target="Z", modifiers=typed))
    unasked = {word for word in re.findall(r"[a-z]+\.[a-z-]+", answer) if word not in typed}
    assert not unasked
    assert "Patrol " in answer


async def test_what_lasts_reads_as_a_sentence(world: World) -> None:
    """In lower case after a colon."""
    await roll_command(world, "patrol", 18, patrol="Kilo", target="Iron convoy", roll="now")
    answer = said(await world.gm.slash(world.orders, "update show"))
    assert "Iron convoy: must win its battle to move on" in answer


async def test_a_result_names_one_line_of_the_page_or_none(world: World) -> None:
    """Never a row of line numbers."""
    await roll_command(world, "patrol", 18, 10, patrol="Kilo", target="Ghost:neutral", roll="now")
    for channel in (world.results, world.staff):
        if channel.last_message is not None:
            footer = newest(channel).embeds[0].footer.text or ""
            assert not re.search(r"lines [0-9]", footer)


async def test_how_to_change_settings_is_told_to_those_who_may(world: World) -> None:
    """Managers read of /campaign link too."""
    answer = [said(await actor.slash(world.orders, "gm settings")) for actor in (world.player, world.gm, world.manager)]
    assert ["/gm settings" in text for text in answer] == [False, True, True]
    assert ["/campaign link" in text for text in answer] == [False, False, True]


async def test_players_read_who_does_what(world: World) -> None:
    """Where only they can do it."""
    cases: list[tuple[str, dict[str, str], str, str]] = [
        ("forecast", {"view": "categories", "place": "australia"}, "", "default: change a cell"),
        ("help", {"about": "Ledger"}, "/ledger", "publish"),
        ("gm effect", {"who": "Fort", "effect": "scouted"}, "Ask one.", "manages the server"),
        ("interrogate", {"captive": "Amuro", "interrogators": "Stahl"}, "Game masters see", "; /capture"),
        ("help", {"about": "/escape"}, "Only when you roll", ""),
    ]
    await world.gm.slash(world.orders, "gm settings", players_may="interrogation, escape")
    for command, options, right, wrong in cases:
        answer = said(await world.player.slash(world.orders, command, **options))
        assert right in answer
        assert not wrong or wrong not in answer


async def test_a_list_of_entries_promises_nothing_more(world: World) -> None:
    """A player can only show it."""
    await roll_command(world, "patrol", 10, patrol="Kilo", target="Zaku", to="results", roll="now")
    for actor, answer in ((world.player, "Open an entry"), (world.gm, "Open an entry to publish, amend or undo it")):
        shown = response(await actor.slash(world.orders, "ledger"))
        assert [item["placeholder"] for item in components(shown) if item["type"] == 3] == [answer]


@pytest.mark.parametrize(
    ("options", "right", "wrong"),
    [({"to": "me"}, "choose where a result goes", "adjust"), ({"modifiers": "+2 luck"}, "adjust a roll", "goes")],
)
async def test_a_refusal_says_what_was_asked_for(world: World, options: dict[str, str], right: str, wrong: str) -> None:
    """Each by itself."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    answer = refused(await world.player.slash(world.orders, "scout", scouter="Bob", base="Fort", **options))
    assert right in answer
    assert wrong not in answer


async def test_an_order_promises_no_card(world: World) -> None:
    """They're picked when it's rolled."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort")
    answer = refused(await world.player.slash(world.orders, "escape", captive="Kai", modifiers="x"))
    assert "when a game master rolls" in answer
    assert "card" not in answer


async def test_a_stranger_reads_that_they_take_no_part(world: World) -> None:
    """As elsewhere."""
    assert "You don't play in Iron Sea" in refused(await world.stranger.slash(world.orders, "captives", captive="Kai"))
