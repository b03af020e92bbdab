"""Fields of books."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.app import KINDS
from bot.cogs.roster.embed import entry_lines
from bot.core import audit, visibility
from bot.core.ledger import EntryDraft
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.visibility import make_player_viewer
from rules.subjects import NAME, PROFILE
from tests.cogs.roster.saving import add, edit
from tests.cogs.roster.test_import import export_text, import_file, send_file
from tests.cogs.roster.test_roster import let_players_edit, save_unit
from tests.rules.toybook import TOY
from tests.support.backend import GM, House
from tests.support.reading import assert_says, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import BOOKS, World, entry, nothing_written, running

ANN = "accuracy: -5; school: old owl; gear: Scope, scope, Whetstone"


@pytest.fixture(name="toys")
async def toys_fixture(database_url: str) -> AsyncIterator[World]:
    """A world with the toy book."""
    async with running(database_url, books={**BOOKS, "toy": TOY}) as world:
        await world.gm.slash(world.orders, "gm settings", books="campaign, toy")
        yield world


async def list_offered(world: World, typed: str, kind: str = "pc") -> list[str]:
    """Completions of fields."""
    choices = await world.gm.autocomplete(world.orders, "roster add", "fields", typed, name="Ann", kind=kind)
    return [choice["value"] for choice in choices]


async def test_a_plus_before_a_saved_number_is_asked_about(toys: World) -> None:
    """It could mean to add or to set; where nothing is saved, it sets."""
    await save_unit(toys, "character", name="Ann", fields="accuracy: +5")
    with nothing_written(toys):
        answer = refused(await toys.gm.slash(toys.orders, "roster edit", name="Ann", fields="accuracy: +3"))
    assert_says(answer, "The accuracy is 5, so +3 could mean 8 or 3.", "without a plus")
    await toys.gm.slash(toys.orders, "roster edit", name="Ann", fields="accuracy: 8")
    assert kept(toys, "Ann")["profile"]["accuracy"] == 8


async def test_fields_of_a_later_book_are_typed_shown_and_told(toys: World) -> None:
    """A negative number, an option, and a list."""
    card = text(await save_unit(toys, "character", name="Ann", fields=ANN))
    for words in ("accuracy -5", "school Old Owl", "gear Scope, scope, Whetstone"):
        assert words in card
        assert words in said(await toys.gm.slash(toys.orders, "unit", kind="characters"))
    value = entry(toys)["changes"][1]["after"]
    assert (value["accuracy"], value["school"], value["gear"]) == (-5, "Old Owl", ["Scope", "scope", "Whetstone"])
    answer = said(await toys.gm.slash(toys.orders, "ledger", entry=4))
    assert_says(answer, "accuracy: \\-5", "gear: Scope, scope, Whetstone")
    await toys.gm.slash(toys.orders, "roster edit", name="Ann", fields="school: none; rank: 0")
    answer = said(await toys.gm.slash(toys.orders, "ledger", entry=5))
    assert "school: Old Owl \N{RIGHTWARDS ARROW} none" in answer
    assert "recruit" in said(await toys.gm.slash(toys.orders, "unit", name="Ann"))
    assert "school" not in kept(toys, "Ann")["profile"]
    await require_whole(toys)


async def test_fields_are_completed_one_by_one(toys: World) -> None:
    """Names first, then values."""
    assert {"accuracy: ", "school: ", "gear: ", "callsign: "} <= {*await list_offered(toys, "")}
    assert "motto: " not in await list_offered(toys, "")
    assert {"motto: "} == {*await list_offered(toys, "", "ship")}
    assert "accuracy: " in await list_offered(toys, "", "thing")
    assert await list_offered(toys, "accuracy: 3; sch") == ["accuracy: 3; school: "]
    assert await list_offered(toys, "accuracy: 3; school: o") == ["accuracy: 3; school: Old Owl"]


WRONG = [
    ("Ann", "accuracy: 31", "write a whole number from -30 to 30"),
    ("Ann", "accuracy: much", "'much' isn't a valid accuracy"),
    ("Ann", "school: Crow", "Pick one: Hawk, Old Owl."),
    ("Ann", "scool: Hawk", "I don't know the field 'scool'. Did you mean school?"),
    ("Ann", "accuracy: 7, scool: Hawk", "Separate fields by semicolons: callsign: Owl; newtype: 7."),
    ("Ann", "motto", "What is the motto? You typed no value."),
    ("Ann", "none", "That field can't be emptied."),
    ("Ann", "gear: a" + "b" * 60, "is too long"),
    ("Ann", f"gear: {'x, ' * 26}", "takes 25 words, not 26"),
    ("Ann", "motto: Onwards", "A PC has no motto. It is for a unit or place."),
    ("Scope", "school: Hawk", "A thing has no school. It is for a character."),
]


async def test_what_a_field_does_not_take_is_refused(toys: World) -> None:
    """Privately, and nothing is written."""
    await save_unit(toys, "character", name="Ann")
    await save_unit(toys, name="Scope", kind="thing", fields="accuracy: 12")
    for name, fields, words in WRONG:
        with nothing_written(toys):
            answer = refused(await toys.gm.slash(toys.orders, "roster edit", name=name, fields=fields))
            assert words in answer.replace("\\", "").replace("\n", " ")


async def test_a_comma_parts_fields_where_the_next_one_follows(toys: World) -> None:
    """Other commas stay in values."""
    await save_unit(toys, "character", name="Ann")
    await toys.gm.slash(
        toys.orders, "roster edit", name="Ann", fields="accuracy: 7, callsign: Ghost, gear: Scope, Rope"
    )
    fields = kept(toys, "Ann")["profile"]
    assert (fields["accuracy"], fields["callsign"], fields["gear"]) == (7, "Ghost", ["Scope", "Rope"])


async def test_players_set_what_is_their_own_of_their_characters(toys: World) -> None:
    """The refusal names open fields."""
    await save_unit(toys, "character", name="Ann", owner=toys.player)
    await let_players_edit(toys)
    answer = said(await toys.player.slash(toys.orders, "roster edit", name="Ann", fields="school: Hawk; callsign: Owl"))
    assert "school Hawk" in answer
    for fields in ("accuracy: 3", "school: Old Owl; accuracy: 3"):
        answer = refused(await toys.player.slash(toys.orders, "roster edit", name="Ann", fields=fields))
        assert "anything of a character except squad, callsign, school and traits" in answer


async def test_what_is_closed_is_seen_by_its_owner_until_levels_are_open(toys: World) -> None:
    """Unless the campaign opens levels."""
    await save_unit(toys, "character", name="Ann", fields="rank: 3; accuracy: 2")
    await save_unit(toys, "character", name="Bob", fields="rank: 5", owner=toys.player)
    assert "except its rank" in said(await toys.gm.slash(toys.orders, "unit", name="Ann"))
    answer = said(await toys.player.slash(toys.orders, "unit", kind="characters"))
    assert ("rank 3" in answer, "rank 5" in answer, "accuracy 2" in answer) == (False, True, True)
    await toys.gm.slash(toys.orders, "gm settings", players_may="levels")
    assert "rank 3" in said(await toys.player.slash(toys.orders, "unit", name="Ann"))


@pytest.mark.parametrize("to", ["csv", pytest.param("toml", marks=pytest.mark.slow)])
async def test_files_have_the_fields_of_the_books(toys: World, to: str) -> None:
    """Bad cells are faults."""
    await save_unit(toys, "character", name="Ann", fields=f"{ANN}; callsign: Owl; newtype: 7")
    await save_unit(toys, name="Scope", kind="thing", fields="accuracy: 12")
    file = await export_text(toys, format=to)
    if to == "csv":
        assert file.splitlines()[0] == (
            "name,kind,side,owner,region,squad,callsign,newtype,accuracy,school,gear,motto,rank,q,r,secret,traits"
        )
        await import_file(toys, file.replace("Old Owl", "Hawk"), replace=True)
    else:
        assert_says(file, 'gear = ["Scope", "scope", "Whetstone"]', "accuracy = -5")
        shown = response(await send_file(toys, file.replace("Old Owl", "Hawk"), name="a.toml", replace=True))
        assert "Ann: school" in text(shown)
        await toys.gm.click(shown, label="Import 0 new, 1 changed")
    after = kept(toys, "Ann")["profile"]
    assert (after["school"], after["accuracy"], after["newtype"]) == ("Hawk", -5, 7)
    assert after["gear"] == ["Scope", "scope", "Whetstone"]
    assert kept(toys, "Scope")["profile"]["accuracy"] == 12
    await require_whole(toys)


@pytest.mark.slow
async def test_a_file_of_before_reads_by_books_that_keep_less(world: World) -> None:
    """Filled ones are faults."""
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    head = "name,kind,side,owner,region,squad,callsign,newtype,secret,traits\n"
    await import_file(world, f"{head}Kai,pc,EF,,,,,,,\n")
    assert kept(world, "Kai")["profile"]["side"] == "EF"
    answer = refused(await send_file(world, f"{head}Ral,pc,,,,,Owl,,,\n"))
    assert "**Line 2:** I don't know the column 'callsign'" in answer


OLD: dict[str, Any] = {
    "kind": "pc",
    "side": "EF",
    "owner": None,
    "region": None,
    "squad": None,
    "callsign": None,
    "newtype": 7,
    "newtype_from": 3,
    "secret": False,
    "traits": {"lucky": 1},
}


def test_a_value_of_before_is_read_as_fields() -> None:
    """Empty ones aren't set."""
    item = Profile.of(1, "Kai", OLD)
    assert item.fields == {"newtype": 7, "newtype_from": 3}
    assert item.count_traits(BOOKS["campaign"].fields) == {"newtype": 1, "lucky": 1}
    assert item.with_fields({"newtype": 11}).fields == {"newtype": 11}, "set by hand, it was rolled no longer"
    assert item.with_fields({"callsign": "Owl"}).fields == {**item.fields, "callsign": "Owl"}
    assert {**OLD, **item.value()} == OLD


async def test_a_ledger_of_before_rebuilds_and_is_told_as_ever(house: House) -> None:
    """Their words are the same."""
    people = [Change("subject:1", NAME, None, "Kai"), Change("subject:1", PROFILE, None, OLD | {"newtype_from": None})]
    said_then: dict[str, Any] = {"deed": "add", "name": "Kai", "kind": "pc"}
    after = OLD | {"newtype": 9, "newtype_from": None}
    edited: dict[str, Any] = {
        "deed": "edit",
        "name": "Kai",
        "kind": "pc",
        "before": {"newtype": 7},
        "after": {"newtype": 9},
    }

    def enter(tx: Connection) -> None:
        for body, changes in ((said_then, people), (edited, [Change("subject:1", PROFILE, people[1].after, after)])):
            house.ledger.enter(tx, house.campaign, GM.user_id, EntryDraft("unit", "staff", body, tuple(changes)))

    await house.database.write(enter)
    assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]
    first, second = [entry_lines(item.content()) for item in (await house.entries())[-2:]]
    assert "newtype level: 7" in first
    assert second[1:] == ["newtype level: 7 \N{RIGHTWARDS ARROW} 9"]
    view = await edit(house, "Kai", fields="callsign: Owl")
    assert view.profile.fields == {"newtype": 9, "callsign": "Owl"}
    assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]


async def test_a_book_that_is_played_no_more_loses_nothing(house: House) -> None:
    """Other edits leave it."""
    await add(house, "Kai", "pc", fields="callsign: Owl; newtype: 7")
    house.campaign = await house.edit({"books": "infinity, -campaign"})
    view = await edit(house, "Kai", side="EF")
    assert view.profile.fields == {"callsign": "Owl", "newtype": 7}
    assert view.fields == {}
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def test_a_field_rolled_in_private_is_private_whatever_it_is(house: House) -> None:
    """Only readers of its entry know it."""
    await add(house, "Kai", "pc", fields="callsign: Owl")
    staff = Profile.of(1, "Kai", {**OLD, "newtype_from": 2})
    fields = house.kernel.library.shipped["campaign"].fields
    viewer = make_player_viewer(house.campaign)
    (seen,) = await house.database.read(visibility.see_saved, viewer, [staff], fields)
    assert seen.fields == {}
