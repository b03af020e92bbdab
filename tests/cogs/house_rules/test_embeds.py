"""What game masters are told of house rules: what rows do, whose they are, which files bear on a result, which are off."""

from __future__ import annotations

import pytest

from bot.cli.printing import show_table
from rules.loader import load_book
from tests.cogs.house_rules.homebrew import ROWS, modifier, patrols, rolled, sent, shown, switched_on, table
from tests.support.reading import assert_says, press, refused, response, said, text
from tests.support.world import World, nothing_written, rows

CATCH = "campaign.patrol.catch"
BARE = 'rows = [{ min = 18, outcome = "caught", text = "Seen from afar", line = 2 }]'


def entry_number(world: World) -> int:
    """The number of the newest entry."""
    ((newest,),) = rows(world, "select max(number) from entry")
    return int(newest)


async def test_the_preview_tells_what_a_row_does_no_longer(world: World) -> None:
    """A row replaced without its deeds loses them, and where a roll decides by itself what follows, that is said too."""
    bare = patrols('rows = [{ min = 20, outcome = "reveal", text = "Seen", line = 2 }]')
    book = load_book("campaign")
    name, row = next(
        (item.id, row) for item in book.tables.values() for row in item.rows if row.then and item.id != CATCH
    )
    low = "" if row.min is None else f"min = {row.min}, "
    high = "" if row.max is None else f"max = {row.max}, "
    changed = bare.replace(CATCH, name).replace("min = 20, ", low + high).replace("reveal", row.outcome)
    told = said(await sent(world, changed, "bare"))
    assert f"row `{row.outcome}` no longer: " in told
    assert "newly" not in told
    told = said(await sent(world, patrols(BARE), "seen"))
    assert "the patrol roll decides what follows for `caught`" in told
    assert "decides what follows" not in said(await sent(world, modifier("ours", 2), "plus"))


def test_a_table_in_the_terminal_tells_what_rows_do() -> None:
    """Deed and role of a row stand beside its words."""
    book = load_book("campaign")
    item, row = next((item, row) for item in book.tables.values() for row in item.rows if row.then)
    done = row.then[0]
    assert f"{done.do} {done.to}" in show_table(item)


async def test_a_row_of_an_overlay_is_cited_by_its_own_source(world: World) -> None:
    """Under a result stands the section of the overlay that the row came with; other rows stay with the book's page."""
    await switched_on(world, patrols(BARE), "seen")
    book = load_book("campaign")
    world.dice.script(20, sides=20)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Mole", roll="now")
    told = await shown(world, entry_number(world))
    assert "Ours, Patrols, line 2" in told
    assert book.table(CATCH).rows[0].source is None


@pytest.mark.slow
async def test_a_result_names_only_the_files_that_bear_on_it(world: World) -> None:
    """Of all files that are on, the footer has the one that the table came from, and none that only lies beside it."""
    await switched_on(world, table())
    await switched_on(world, table("gems"), "gems")
    await rolled(world, "loot", 4)
    told = await shown(world, entry_number(world))
    assert "House rules: loot v1" in told
    assert "gems v1" not in told


async def test_a_file_that_is_off_is_told_so(world: World) -> None:
    """Show, edit and remove of a file that is off say that it is, and what can be done; nothing is written."""
    await switched_on(world, table(), "monsters")
    await world.gm.slash(world.orders, "table remove", name="monsters")
    with nothing_written(world):
        for do in ("show", "remove"):
            told = refused(await world.gm.slash(world.orders, f"table {do}", name="Monsters"))
            assert_says(told, "monsters v1 is off.", "download it with /table export.")
        assert "monsters v1 is off." in refused(await sent(world, table("gems"), "monsters", do="edit"))


async def test_a_stale_button_tells_which_version_is_on(world: World) -> None:
    """Where another file was switched on under the name since, the notice has its version and entry."""
    stale = response(await sent(world, table("gems"), "two"))
    await switched_on(world, table(), "two")
    told = said(await world.gm.click(stale, custom_id=press(stale, "on:")))
    assert "two v1 is on now (entry #3): this would replace it." in told


async def test_part_of_a_title_is_enough_for_a_hint(world: World) -> None:
    """A word out of the middle of a title finds it, for game masters."""
    await switched_on(world, table(title="A very long list of wandering monsters"))
    told = refused(await world.gm.slash(world.orders, "table roll", name="wand"))
    assert "Did you mean A very long list of wandering monsters?" in told


async def test_game_masters_see_the_ids_of_a_books_table(world: World) -> None:
    """A table of a book is shown with ids of rows and modifiers; a player is shown none."""
    book = load_book("campaign")
    told = text(response(await world.gm.slash(world.orders, "table show", name=CATCH)))
    assert_says(told, "row `caught`", f"modifier `{book.table(CATCH).modifiers[0].id}`")
    refused(await world.player.slash(world.orders, "table show", name=CATCH))


@pytest.mark.parametrize(("name", "called"), [("monsters", "monsters-v1.toml"), ("Bad: things", "Bad-things-v1.toml")])
async def test_an_exported_file_has_its_name_and_version(world: World, name: str, called: str) -> None:
    """What is handed out is called after the file and its version."""
    await switched_on(world, table(), name)
    (file,) = response(await world.gm.slash(world.orders, "table export", name=name)).attachments
    assert file.filename == called


async def test_the_preview_warns_of_facts_that_never_count(world: World) -> None:
    """A misspelt weather with the one that is meant, a role in which nobody stands, and a fact that nothing asks for."""
    facts = [("thick-fgo", "weather"), ("thick-fog", "weather"), ("brave", "party"), ("ship", "roller")]
    declared = ", ".join(f'{{ trait = "{trait}", label = "{trait}", roles = ["{role}"] }}' for trait, role in facts)
    used = ", ".join(
        f'{{ id = "{role}.{trait}", value = 1, label = "{trait}", group = "all", line = 3 }}'
        for trait, role in facts[:3]
    )
    told = said(await sent(world, f"facts = [{declared}]\n{table()}modifiers = [{used}]\n"))
    assert "The weather has no `thick-fgo`, did you mean thick-fog?" in told
    assert "The role `party` of `party.brave` doesn't exist" in told
    assert "The fact `roller.ship` has no value" in told
    assert told.count("\N{WARNING SIGN}") == 3


async def test_the_next_version_is_shown_against_the_one_that_is_on(world: World) -> None:
    """Of a file that is on already only what is other is told, with what it was; a table that goes is named."""
    bonus = 'modifiers = [{{ id = "roller.brave", value = {}, label = "Brave", group = "all", line = 3 }}]\n'
    facts = 'facts = [{ trait = "brave", label = "Brave", roles = ["roller"] }]\n'
    await switched_on(world, facts + table(rest=ROWS + bonus.format(1)) + table("gems"))
    told = said(await sent(world, facts + table(rest=ROWS + bonus.format(2)), do="edit"))
    assert_says(told, "against loot v1", "+1 Brave \N{RIGHTWARDS ARROW} +2 Brave", "table `gems` removed: Gems")
    assert "fact `roller.brave`" not in told
