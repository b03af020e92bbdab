"""Rosters as spreadsheets, word processors and people write them: read as meant, or flagged."""

from __future__ import annotations

import pytest

from bot.cogs.roster.import_files import read
from bot.cogs.roster.import_plan import profile_of
from bot.core.profiles import Profile
from tests.cogs.roster.test_import import imported, sent
from tests.support.reading import assert_says, press, response, said
from tests.support.world import BOOKS, World, rows

FIELDS = BOOKS["campaign"].fields
SHIP = Profile("Bl\N{LATIN SMALL LETTER U WITH DIAERESIS}cher", "ship", "Zeon")
KAI = Profile("Kai", "pc", fields={"newtype": 7})
CURLY = "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}"


def profiles(file: str, name: str = "a.csv") -> list[Profile]:
    """Whom a file brings; nothing in it is wrong."""
    parsed = read(name, file, FIELDS)
    found = [profile_of(row, FIELDS) for row in parsed.rows]
    assert [*parsed.faults, *(fault for _, faults in found for fault in faults)] == []
    return [item for item, _ in found]


@pytest.mark.parametrize(
    ("file", "item"),
    [
        (f"sep=;\nname;kind;side\n{SHIP.name};ship;Zeon\n", SHIP),
        (f'"sep=,"\r\nname,kind,side\r\n{SHIP.name},ship,Zeon\r\n', SHIP),
        (f"name\tkind\tside\n{SHIP.name}\tship\tZeon\n", SHIP),
        (f"| name | kind | side |\n|:--|---|---|\n| {SHIP.name} | ship | Zeon |\n", SHIP),
        (f"Name,Type,Faction,Player\n{SHIP.name},ship,Zeon,\n", SHIP),
        ("Name,Class,Newtype level\nKai,pc,7\n", KAI),
        ("name,kind,newtype\nKai,pc,7.0\n", KAI),
        ("name,kind,newtype\nKai,pc,\N{FULLWIDTH DIGIT SEVEN}\n", KAI),
        ("name,kind,side\nKai,pc,\N{EN DASH}\n", Profile("Kai", "pc", "\N{EN DASH}")),
        (f"name,kind\n{CURLY.format('Kai')},pc\n", Profile("Kai", "pc")),
        (f"name;kind\n{CURLY.format('Kai; the first')};pc\n", Profile("Kai; the first", "pc")),
        ("name,kind,hidden\nKai,pc,Y\n", Profile("Kai", "pc", secret=True)),
    ],
)
def test_a_file_of_another_program_is_read(file: str, item: Profile) -> None:
    """Excel's first line, tabs, markdown, common names of columns, 7.0 and curly quotes."""
    assert profiles(file) == [item]


def test_toml_with_curly_quotes_and_common_names_is_read() -> None:
    """As a word processor leaves it; a curly quote within a text stays."""
    text = (
        f"[[unit]]\nname = {CURLY.format(SHIP.name)}\ntype = {CURLY.format('ship')}\nfaction = {CURLY.format('Zeon')}\n"
    )
    assert profiles(text, "a.toml") == [SHIP]
    kept = f"[[character]]\nname = 'The {CURLY.format('Fox')}'\nkind = 'pc'\n"
    assert profiles(kept, "a.toml") == [Profile(f"The {CURLY.format('Fox')}", "pc")]


def test_a_column_that_another_one_has_the_name_of_is_not_taken_for_it() -> None:
    """With a kind of its own, a type is no kind; a fault of a line below sep= has its own line."""
    found = read("a.csv", "sep=;\nname;kind;type\nKai;pc;x\n", FIELDS).faults
    assert [(fault.line, fault.what.partition(".")[0]) for fault in found] == [(2, "I don't know the column 'type'")]


async def test_an_owner_is_found_by_name(world: World) -> None:
    """A member's name in any case, with or without @, counts as the member; another name is refused with its line."""
    await imported(world, "name,kind,player\nKai,pc,@Player\nAmuro,pc,gm\n")
    owners = rows(world, "select count(distinct value) from state where name = 'profile' and value like '%owner%'")
    assert owners == [(2,)]
    listed = said(await world.gm.slash(world.orders, "character list"))
    assert_says(listed, f"<@{world.player.id}>", f"<@{world.gm.id}>")
    refusal = said(await sent(world, "name,kind,owner\nRal,npc,Priya\n"))
    assert "**Line 2:** There's no member 'Priya' on this server" in refusal


async def test_a_region_that_the_weather_does_not_know_is_flagged(world: World) -> None:
    """Before anything is imported; it can still be imported so."""
    shown = await sent(world, "name,kind,region\nGhost,ship,Madagasscar\nDom,squad,Madagascar\n")
    assert "Regions without weather: Madagasscar (did you mean Madagascar?)." in said(shown)
    await world.gm.click(response(shown), custom_id=press(response(shown), "go"))
    assert rows(world, "select count(*) from state where name = 'profile'") == [(2,)]
