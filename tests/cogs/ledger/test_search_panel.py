"""`/ledger`: searches, their pages, buttons and completions, and exported files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from bot.cogs.ledger.searching import COLUMNS
from tests.cogs.campaign.grouping import NIGHT, make_group, newest_entry, roll_patrol
from tests.cogs.ledger.searched import numbers
from tests.support.acting import close_update, roll_command, save_group
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.world import World, rows, send_raw


async def search(world: World, actor: Any = None, **wanted: Any) -> str:  # noqa: ANN401 - a member, and options
    """Return the answer to a search."""
    return said(await (actor or world.gm).slash(world.orders, "ledger", **wanted))


async def patrols(world: World, count: int, **options: str) -> None:
    """Roll patrols by different squads."""
    for place in range(count):
        await roll_command(world, "patrol", 19, patrol=f"Squad {place}", **{"target": "Zaku", **options}, roll="now")


async def test_the_buttons_of_a_search_are_the_searchers(world: World) -> None:
    """Forged, foreign and old searches have expired."""
    await patrols(world, 12)
    first = response(await world.gm.slash(world.orders, "ledger", text="zaku"))
    older = press(first, "older")
    for actor, forged in (
        (world.player, older),
        (world.gm2, older),
        (world.stranger, older),
        (world.gm, f"found:1:{'0' * 16}:older:5"),
    ):
        assert "That search has expired" in refused(await send_raw(actor, world.orders, forged))
    assert "on this server" in refused(await send_raw(world.gm, world.orders, older.replace("found:1", "found:7")))
    assert "That button no longer works" in refused(
        await send_raw(world.gm, world.orders, older.replace("older", "oldest"))
    )
    world.clock.advance(days=1, seconds=1)
    await world.bots[-1].keep_up()
    assert rows(world, "select count(*) from asked_search") == [(0,)]
    assert "That search has expired" in refused(await world.gm.click(first, label="Older"))


async def test_a_slip_in_a_unit_is_asked_about(world: World) -> None:
    """One press searches for the meant unit."""
    await world.gm.slash(world.orders, "roster add", name="Blockade Kestrel", kind="fleet")
    await roll_command(world, "patrol", 19, patrol="Blockade Kestrel", target="Zaku", roll="now")
    asked = await world.gm.slash(world.orders, "ledger", unit="Blockade Kestrl", family="patrol")
    assert "Did you mean Blockade Kestrel?" in refused(asked)
    told = said(await world.gm.click(response(asked), label="Blockade Kestrel"))
    assert "family patrol \N{MIDDLE DOT} unit Blockade Kestrel" in told
    assert numbers(told) == [number for (number,) in rows(world, "select max(number) from entry")]


@pytest.mark.slow
async def test_what_a_group_was_told_is_found_by_its_members(world: World) -> None:
    """Only while they're members."""
    await make_group(world)
    number = await roll_patrol(world)
    assert numbers(await search(world, world.player, text="zaku")) == [number]
    assert numbers(await search(world, text="zaku")) == [number]
    await save_group(world, NIGHT, leave="Kai")
    gone = await search(world, world.player, text="zaku")
    assert gone.replace("zaku", "x") == (await search(world, world.player, text="nowhere")).replace("nowhere", "x")
    assert "Only players of Iron Sea" in refused(await world.stranger.slash(world.orders, "ledger", text="zaku"))


async def test_completions_tell_what_all_may_know(world: World) -> None:
    """Printed families and outcomes, and units one knows."""
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="squad", secret=True)
    for actor, units in ((world.gm, ["Shadow"]), (world.player, []), (world.stranger, [])):
        offered = await actor.autocomplete(world.orders, "ledger", "unit", "sha")
        assert [item["value"] for item in offered] == units
    families = [await actor.autocomplete(world.orders, "ledger", "family", "pat") for actor in (world.gm, world.player)]
    assert families[0] == families[1]
    assert [item["value"] for item in families[0]] == ["patrol"]
    assert await world.stranger.autocomplete(world.orders, "ledger", "family", "") == []
    offered = await world.player.autocomplete(world.orders, "ledger", "outcome", "nothing is caught")
    assert [item["value"] for item in offered] == ["Nothing is caught"]


async def test_a_file_has_what_the_asker_may_know(world: World) -> None:
    """The same lines as the list, in both formats."""
    await patrols(world, 2, to="results")
    await patrols(world, 2, to="staff", note="again")
    theirs = await export_rows(world, world.player, "jsonl")
    everything = await export_rows(world, world.gm, "jsonl")
    assert [row["number"] for row in theirs] == numbers(said(await world.player.slash(world.orders, "ledger")))
    assert len(everything) == newest_entry(world)
    assert {row["kind"] for row in theirs} == {"roll"}
    newest = theirs[0]
    assert (newest["family"], newest["by"], newest["update"]) == ("patrol", str(world.gm.id), 1)
    assert newest["outcomes"]
    assert "Zaku" in newest["text"]
    table = await export_rows(world, world.player, "csv", family="patrol")
    assert [int(row["number"]) for row in table] == [row["number"] for row in theirs]
    assert list(table[0]) == list(COLUMNS)
    assert "Only players of Iron Sea" in refused(await send_raw(world.stranger, world.orders, "ledger:1:csv:"))
    nothing = response(await world.player.slash(world.orders, "ledger", text="nowhere"))
    assert_says(text(nothing), "No entry that you can see matches")
    assert labels(nothing) == []


async def test_a_file_has_all_pages_of_the_search_above_it(world: World) -> None:
    """Those of another person's search aren't for others, and old ones have expired."""
    await patrols(world, 12)
    await roll_command(world, "roll", 3, expression="d20", roll="now")
    assert len(await export_rows(world, world.gm, "csv", text="zaku")) == 12
    assert len(await export_rows(world, world.gm, "csv", text="zaku", before=newest_entry(world) - 1)) == 11
    key = press(response(await world.gm.slash(world.orders, "ledger", text="zaku")), "csv")
    for actor in (world.gm2, world.player, world.stranger):
        assert "That search has expired" in refused(await send_raw(actor, world.orders, key))
    world.clock.advance(days=1, seconds=1)
    await world.bots[-1].keep_up()
    assert "That search has expired" in refused(await send_raw(world.gm, world.orders, key))
    assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, key.replace("csv", "xlsx")))


async def test_older_entries_are_listed_and_searched(world: World) -> None:
    """Those before a number: all, or what matches."""
    await patrols(world, 3)
    assert numbers(said(await world.gm.slash(world.orders, "ledger", before=5))) == [4, 3, 2, 1]
    assert numbers(await search(world, text="zaku", before=5)) == [4, 3]
    assert numbers(await search(world, update=1, before=4)) == [3, 2, 1]


async def test_an_entry_and_a_search_are_not_mixed(world: World) -> None:
    """No option is passed over without a word."""
    await patrols(world, 1)
    for more in ({"text": "zaku"}, {"before": 3}, {"week": 0}):
        assert "only that entry" in refused(await world.gm.slash(world.orders, "ledger", entry=3, **more))


async def test_no_cell_is_a_formula(world: World) -> None:
    """CSV gets an apostrophe, JSON doesn't."""
    await world.gm.slash(world.orders, "roster add", name="=1+1", kind="squad")
    (row,) = await export_rows(world, world.gm, "csv", text="1", family="unit")
    (line,) = await export_rows(world, world.gm, "jsonl", text="1", family="unit")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())
    assert "=1+1" in line["text"]


@pytest.mark.slow
async def test_an_update_is_told_on_one_page(world: World) -> None:
    """Its entries and results, and buttons to other updates."""
    await patrols(world, 1, to="results")
    await patrols(world, 1, to="staff", note="again", target="Gouf")
    await close_update(world)
    await patrols(world, 1, to="results")
    for actor, counted, hidden in ((world.gm, "2 Patrol", ""), (world.player, "1 Patrol", "Gouf")):
        shown = response(await actor.slash(world.orders, "update show", update=1))
        assert counted in text(shown)
        assert ("Gouf" in text(shown)) == (not hidden)
        assert labels(shown) == ["Later"]
        await actor.click(shown, label="Later")
        assert labels(shown) == ["Earlier"]
        assert_says(text(shown), "Update 2, since", "still open")
    assert "hasn't begun" in refused(await world.gm.slash(world.orders, "update show", update=3))
    assert "hasn't begun" in refused(await send_raw(world.player, world.orders, "summed:1:9"))
    assert "Only players of Iron Sea" in refused(await send_raw(world.stranger, world.orders, "summed:1:1"))


async def test_the_index_names_nobody(world: World) -> None:
    """No word is a user id."""
    await patrols(world, 1)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.env.advance_time(21)  # by then what was made is read in
    kept = " ".join(kept for (kept,) in rows(world, "select words from search"))
    assert "!kai" in kept.split()
    for actor in (world.gm, world.player):
        assert str(actor.id) not in kept


async def export_rows(world: World, actor: Any, form: str, **wanted: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a member, and options
    """Return a file's rows."""
    listed = response(await actor.slash(world.orders, "ledger", **wanted))
    answer = response(await actor.click(listed, label="Export"))
    if form != "csv":
        answer = response(await actor.click(answer, label=f"As {form}"))
    assert answer.ephemeral
    (file,) = answer.attachments
    content = (await file.read()).decode()
    if form == "csv":
        return list(csv.DictReader(io.StringIO(content)))
    return [json.loads(line) for line in content.splitlines()]
