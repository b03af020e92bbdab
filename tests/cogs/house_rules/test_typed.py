"""Typed tables, undoing house rules, and names of files."""

from __future__ import annotations

from typing import Any

import pytest
import simcord
from msgspec.structs import replace

from bot.app import KINDS
from bot.core import audit, campaigns, library, state
from bot.core.ledger import EntryDraft
from bot.core.library import FILES, HouseFile
from bot.core.records import Change
from tests.cogs.house_rules.homebrew import put_on, roll_table, send_and_switch_on, show_entry, switch_off, table
from tests.support.acting import fill_in, removed, take_back, use_file
from tests.support.backend import GM, House
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, send_raw

LINES = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"


async def type_table(
    world: World,
    lines: str = LINES,
    die: str = "",
    name: str = "Salvage",
    who: Any = None,  # noqa: ANN401 - an actor
) -> simcord.InteractionResult:
    """The answer to the window."""
    actor = who or world.gm
    window = await actor.slash(world.orders, "gm rules", name=name)
    assert window.modal is not None, said(window)
    return await actor.submit_modal(window, {"die": die, "lines": lines})


async def test_a_d66_table_is_rolled_as_tens_and_ones(world: World) -> None:
    """36 numbers; both dice show as one."""
    shown = response(await type_table(world, "11-36 Calm\n41-66 Storm"))
    assert "**50%** (1/2) \N{MIDDLE DOT} 40 or less: Calm" in text(shown)
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    assert "Storm" in await roll_table(world, "Salvage", 4, 1, sides=6)
    assert "d66: **41** + 0 = **41**" in text(newest(world.results))
    await require_whole(world)


async def test_all_that_is_wrong_with_the_lines_is_told_at_once(world: World) -> None:
    """Nothing is entered."""
    with nothing_written(world):
        result = await type_table(world, "1-5 It blows up\nNothing\n6-20 ```Jackpot")
        answer = said(result)
        assert "1 error in what you typed" in answer
        assert "**Line 2:** 'Nothing': it doesn't begin with a number: write it like 6-19 Nothing" in answer
        assert "Press the button to fix it" in answer


async def open_edit_window(world: World, refusal: simcord.InteractionResult) -> dict[str, str]:
    """The fields of the edit window."""
    window = await world.gm.click(response(refusal), label="Edit as text")
    assert window.modal is not None, said(window)
    return {box["custom_id"]: box.get("value", "") for box in boxes(window.modal)}


def boxes(modal: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The text boxes of a window."""
    return [label["component"] for label in modal["components"] if label["component"]["type"] == 4]


@pytest.mark.slow
async def test_what_was_refused_is_mended_in_the_window(world: World) -> None:
    """After a restart too."""
    lines = "1-5 It blows up\nNothing\n6-20 ```Jackpot"
    refusal = await type_table(world, lines, die="20")
    await world.restart()
    assert await open_edit_window(world, refusal) == {"die": "20", "lines": lines}
    shown = await fill_in(world.gm, response(refusal), {"die": "", "lines": LINES}, label="Edit as text")
    assert "Jackpot" in said(shown)
    assert "Salvage v1 is on" in said(await world.gm.click(response(shown), custom_id=press(response(shown), "on:")))
    await require_whole(world)


@pytest.mark.slow
async def test_what_was_refused_is_kept_for_a_day_and_for_game_masters(world: World) -> None:
    """After a day the button says what to do."""
    refusal = await type_table(world, "Nothing")
    key = press(response(refusal), "text:")
    for who in (world.player, world.stranger):
        assert "Only game masters" in refused(await send_raw(who, world.orders, key))
    assert "is gone" in refused(await send_raw(world.gm, world.orders, "table:1:0123456789abcdef:text:Loot"))
    world.clock.advance(hours=25)
    assert "older than a day" in refused(await world.gm.click(response(refusal), custom_id=key))
    await world.env.advance_time(25)
    assert rows(world, "select count(*) from document") == [(0,)]


async def test_a_table_of_the_same_name_is_the_next_version(world: World) -> None:
    """The preview compares both; nothing is replaced before Switch on."""
    for lines, version in ((LINES, 1), ("1-19 Bad\n20 Good", 2)):
        shown = response(await type_table(world, lines))
        assert ("against Salvage v1" in text(shown)) is (version == 2)
        assert f"Salvage v{version} is on" in said(await world.gm.click(shown, custom_id=press(shown, "on:")))
    assert "Bad" in await roll_table(world, "salvage", 5, sides=20)


async def test_a_press_on_remove_removes_the_version_that_was_seen(world: World) -> None:
    """No newer one, once."""
    await send_and_switch_on(world, table())
    seen = response(await world.gm.slash(world.orders, "table show", name="loot"))
    await send_and_switch_on(world, table(title="Other"))
    with nothing_written(world):
        assert "loot v2 is on now, not v1" in refused(await world.gm.click(seen, label="Remove"))
    shown = response(await world.gm.slash(world.orders, "table show", name="loot"))
    key = press(shown, "remove:")
    assert "loot v2 is off" in said(await world.gm.click(shown, custom_id=key))
    with nothing_written(world):
        assert "loot v2 is off" in refused(await send_raw(world.gm, world.orders, key))


async def test_what_was_refused_is_in_the_window_again(world: World) -> None:
    """Four thousand characters can be edited."""
    refusal = await type_table(world, name="patrol")
    assert "a roll of the book campaign" in said(refusal)
    assert (await open_edit_window(world, refusal))["lines"] == LINES
    lines = "\n".join("x" * 39 for _ in range(100))
    assert (await open_edit_window(world, await type_table(world, lines)))["lines"] == lines


async def test_only_game_masters_type_tables(world: World) -> None:
    """Neither the window nor forged text."""
    for who in (world.player, world.stranger):
        assert "Only game masters" in refused(await who.slash(world.orders, "gm rules", name="Loot"))
        assert "Only game masters" in refused(await send_raw(who, world.orders, "table:1:lines:Loot", modal=True))
    assert "*no result yet*" in said(await send_raw(world.gm, world.orders, "table:1:lines:Loot", modal=True))
    assert "1 to 32 characters" in refused(await world.gm.slash(world.orders, "gm rules", name="n" * 33))


async def undo_entry(world: World, number: int) -> str:
    """The answer to an undo."""
    return said(await take_back(world, "gm undo", entry=number, reason="A slip"))


async def open_tables(world: World) -> tuple[str, ...]:
    """What players may do."""
    return (await world.bots[-1].database.read(campaigns.open_campaign, 1, lock=False)).players_may


@pytest.mark.slow
async def test_a_removal_that_is_taken_back_opens_its_tables_again(world: World) -> None:
    """Players don't read that."""
    await send_and_switch_on(world, table() + table("gems"))
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, loot")
    await use_file(world.gm, world.orders, "remove", "loot")
    assert await open_tables(world) == ("scouting",)
    answer = await undo_entry(world, 5)
    assert_says(answer, "Entry #5 undone", "Open to players again: loot.")
    assert await open_tables(world) == ("scouting", "loot")
    assert entry(world)["edited"] == {"players_may": {"before": ["scouting"], "after": ["scouting", "loot"]}}
    assert "Open to players again: loot." in await show_entry(world, 6)
    assert "loot" not in (await show_entry(world, 6, world.player)).partition("undone")[2].partition("Why")[2]
    world.dice.script(6, sides=6)
    assert "Much" in said(await world.player.slash(world.orders, "table roll", name="loot", roll="now"))
    assert "I can't find a table" in refused(await world.player.slash(world.orders, "table roll", name="gems"))
    await require_whole(world)


@pytest.mark.slow
async def test_a_version_that_is_taken_back_takes_its_tables_along(world: World) -> None:
    """The new version's tables close."""
    await send_and_switch_on(world, table())
    await world.gm.slash(world.orders, "gm settings", players_may="loot")
    await send_and_switch_on(world, table("gems"))
    await world.gm.slash(world.orders, "gm settings", players_may="gems, scouting")
    await undo_entry(world, 5)
    assert await open_tables(world) == ("scouting", "loot")
    assert "Little" in await roll_table(world, "loot", 1)
    await require_whole(world)


@pytest.mark.slow
async def test_a_first_version_that_is_taken_back_opens_nothing(world: World) -> None:
    """Other tables stay open."""
    await send_and_switch_on(world, table())
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, loot")
    assert "again" not in await undo_entry(world, 3)
    assert await open_tables(world) == ("scouting",)
    await require_whole(world)


COMMANDS = ("update show", "writeups", "unit", "captives", "gm effect", "events active", "ledger")


@pytest.mark.parametrize(
    "name",
    [
        "Battle",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("writeup", "profile", "captive", "voided", "name", "declared")
        ),
    ],
)
async def test_a_file_is_called_as_anything_else_is(world: World, name: str) -> None:
    """No command finds them."""
    await world.gm.slash(world.orders, "gm settings", books="battlesystem")
    await send_and_switch_on(world, table(), name)
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="squad")
    for command in COMMANDS:
        assert "went wrong" not in said(await world.gm.slash(world.orders, command)), command
    assert "effects are removed" in said(await removed(world, name="Kilo"))
    assert "is off" in said(await use_file(world.gm, world.orders, "remove", name))
    assert "undone" in said(await take_back(world, "gm undo", entry=4, reason="A slip"))
    assert "No tables yet" in said(await world.gm.slash(world.orders, "table show"))
    await require_whole(world)


async def test_a_file_of_an_earlier_version_goes_on_where_it_stands(house: House) -> None:
    """It never appears twice."""
    await put_on(house, "loot", table())
    (file,) = await house.database.read(library.list_house_files, 1)
    await house.take_back(2)
    await house.database.write(lambda tx: house.ledger.enter(tx, house.campaign, GM.user_id, _as_before(file)))
    await switch_off(house, "loot")
    await put_on(house, "loot", table(die="8"))
    kept = await house.database.read(state.get_values_beginning, 1, [FILES], "")
    assert [(name, value["version"], value["on"]) for (_, name), value in kept.items()] == [("loot", 2, True)]
    await house.take_back(6)
    assert [item.on for item in await house.database.read(library.list_house_files, 1)] == [False]
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


def _as_before(file: HouseFile) -> EntryDraft:
    """An entry as older versions wrote it."""
    on = replace(file, entry=4, since=4)
    version = {"fingerprint": file.fingerprint, "file": file.file, "entry": 4}
    body = {"deed": "on", "name": file.name, "version": 1, "fingerprint": file.fingerprint, "file": file.file}
    body |= {"extends": file.extends, "tables": dict(file.tables), "replaced": None}
    changes = (Change(FILES, file.key, None, on.value()), Change("house:loot", "v1", None, version))
    return EntryDraft("house", "results", body, changes)
