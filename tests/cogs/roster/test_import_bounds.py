"""Files that take work, and rosters as people paste them."""

from __future__ import annotations

import asyncio
import random
import string
import threading
from collections.abc import Callable

import pytest

from bot.cogs.house_rules import service as house_rules
from bot.cogs.roster import import_export
from bot.cogs.roster.import_export import RosterUpload
from bot.cogs.roster.import_files import Unreadable, decode, read
from bot.cogs.roster.import_plan import SavedRoster, plan_import, profile_of
from bot.core.errors import FileFault
from bot.core.profiles import Profile
from bot.ui.files import MAX_CSV, MAX_TOML, run_apart
from tests.cogs.house_rules.homebrew import table
from tests.cogs.roster.saving import add
from tests.cogs.roster.test_import import ALL, import_file, send_file
from tests.support.backend import GM, House
from tests.support.reading import assert_says, press, refused, response, said
from tests.support.world import BOOKS, World, rows

HEAD = "name,kind,side,owner,region,squad,callsign,newtype,secret,traits\n"
_CHANCE = random.Random(1)  # noqa: S311 - words to fill files with
WORDS = ["".join(_CHANCE.choices(string.ascii_lowercase, k=8)) for _ in range(60_000)]


def fill_file(size: int, line: Callable[[int], str], head: str = "") -> str:
    """A file of lines of this size."""
    made, place = [head], 0
    while (size := size - len(new := line(place))) > len(head):
        made.append(new)
        place += 1
    return "".join(made)


BOMBS = {
    "wide.csv": ",".join(WORDS[:500]),
    "tall.csv": '"' + '\n","'.join(WORDS) + '\n"',
    "kinds.csv": fill_file(MAX_CSV, lambda place: f"N{place},{WORDS[place]},,,,,,,,\n", HEAD),
    "squads.csv": fill_file(MAX_CSV, lambda place: f"N{place},pc,,,,{WORDS[place]},,,,\n", HEAD),
    "traits.csv": fill_file(
        MAX_CSV, lambda at: f"N{at},ship,,,,,,,,{';'.join(WORDS[at * 99 : at * 99 + 500])}\n", HEAD
    ),
    "wrong.csv": fill_file(MAX_CSV, lambda at: f"N{at}:xx,{WORDS[at]},a,b,c,{WORDS[at]},e,f,g,{WORDS[at]}\n", HEAD),
    "quote.csv": HEAD + '"' + "a\n" * 500_000,
    "blank.csv": "\n" * MAX_CSV,
    "commas.csv": ("," * 4999 + "\n") * 200,
    "dots.toml": f"[a{'.a' * 100}]\n" + fill_file(MAX_TOML - 300, lambda place: f"b{place}{'.a' * 99} = 1\n"),
    "many dots.toml": fill_file(MAX_TOML, lambda place: f"b{place}{'.a' * 980} = 1\n"),
    "lists.toml": "a = " + "[" * 2400,
    "lists over lines.toml": "a = " + "[\n" * 32_000,
    "headers.toml": "[[unit]]\n" * (MAX_TOML // 9),
    "keys.toml": fill_file(MAX_TOML, lambda place: f"k{place} = 1\n"),
    "unknown.toml": fill_file(
        MAX_TOML, lambda at: "[[unit]]\n" + "".join(f"{word}=1\n" for word in WORDS[at : at + 50])
    ),
    "values.toml": fill_file(MAX_TOML, lambda _: "[[unit]]\ntraits=[" + "1," * 190 + "]\n"),
}


def faults(name: str, sent: str) -> list[FileFault]:
    """A file's faults."""
    try:
        file = read(name, decode(sent.encode()), BOOKS["campaign"].fields)
    except Unreadable as unreadable:
        return [unreadable.fault]
    saved = SavedRoster([], BOOKS["campaign"].traits, {}, fields=BOOKS["campaign"].fields)
    return plan_import(file, saved, may_replace=False).faults


LARGE = ("blank.csv", "dots.toml", "headers.toml", "kinds.csv", "squads.csv", "traits.csv", "values.toml", "wrong.csv")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in BOMBS])
def test_however_a_file_is_made_its_faults_come(name: str) -> None:
    """`tests.bench` measures the time."""
    assert len(BOMBS[name]) <= (MAX_TOML if name.endswith("toml") else MAX_CSV)
    assert faults(name, BOMBS[name])


@pytest.mark.parametrize(
    ("name", "sent", "line", "what"),
    [
        (
            "a.toml",
            "#" * 4000 + "\n" + "# x\n" * 20_000,
            1,
            "The file has 84001 bytes, over the limit of 65536: split it.",
        ),
        ("a", "[[unit]]\n" + "# x\n" * 20_000, 1, "The file has 80009 bytes, over the limit of 65536: split it."),
        ("a.toml", "[[unit]]\n" + "a." * 101 + "a = 1", 2, "A line has 101 dots"),
        ("a.toml", "[[unit]]\na.b.c = 1", 2, "Nested more than 4 deep."),
        ("a.toml", BOMBS["keys.toml"], 1, "keys, over the limit of 60."),
        ("a.toml", BOMBS["values.toml"], 1, "More than 10000 values in all: split the file."),
        ("a.csv", BOMBS["wide.csv"], 1, "The row has 500 cells. The limit is 100."),
        ("a.csv", HEAD + '"' + "a\n" * 6000 + '",ship', 2, "The row has 12004 characters. The limit is 5000."),
    ],
)
def test_what_is_too_much_is_told_with_its_line(name: str, sent: str, line: int, what: str) -> None:
    """Nothing more is read."""
    (found,) = faults(name, sent)
    assert found.line == line
    assert what in found.what


async def test_a_file_of_more_than_its_kind_may_have_is_not_even_fetched(world: World) -> None:
    """TOML 64 KiB, CSV 1 MiB."""
    toml = await world.gm.slash(world.orders, "roster import", file=("a.TOML", b"#" * (MAX_TOML + 1)))
    assert "The limit is 64 KiB" in refused(toml)
    csv = await world.gm.slash(world.orders, "roster import", file=("a.csv", b"#" * (MAX_CSV + 1)))
    assert "The limit is 1024 KiB" in refused(csv)


async def test_files_wait_for_each_other_and_nobody_else_for_them(house: House) -> None:
    """Rolls and saves go on."""
    done = threading.Event()
    reading = asyncio.ensure_future(run_apart(done.wait, 60))
    roster = RosterUpload("a.csv", b"name,kind\nDom,squad", replace=False)
    loot = house_rules.Upload("loot", "a.toml", table().encode(), house.clock())
    sent = [import_export.prepare(house.kernel, GM, house.campaign, roster, ALL) for _ in range(4)]
    other = [house_rules.prepare(house.kernel, GM, house.campaign, loot) for _ in range(4)]
    waiting = [asyncio.ensure_future(item) for item in (*sent, *other)]
    try:
        for place in range(3):
            await add(house, f"Kilo {place}", "squad")
            await house.patrol(f"Ghost {place}", faces=(1,))
        assert not any(item.done() for item in [reading, *waiting])
    finally:
        done.set()
        await asyncio.gather(reading, *waiting)
    assert [item.kind for item in await house.entries()] == ["campaign", *["unit", "roll"] * 3]


FIELDS = BOOKS["campaign"].fields
SHIP = Profile("Bl\N{LATIN SMALL LETTER U WITH DIAERESIS}cher", "ship", "Zeon")
KAI = Profile("Kai", "pc", fields={"newtype": 7})
CURLY = "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}"


def profiles(file: str, name: str = "a.csv") -> list[Profile]:
    """A sound file's profiles."""
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
    """Tabs, markdown, 7.0 and curly quotes."""
    assert profiles(file) == [item]


def test_toml_with_curly_quotes_and_common_names_is_read() -> None:
    """Curly quotes in texts stay."""
    text = (
        f"[[unit]]\nname = {CURLY.format(SHIP.name)}\ntype = {CURLY.format('ship')}\nfaction = {CURLY.format('Zeon')}\n"
    )
    assert profiles(text, "a.toml") == [SHIP]
    kept = f"[[character]]\nname = 'The {CURLY.format('Fox')}'\nkind = 'pc'\n"
    assert profiles(kept, "a.toml") == [Profile(f"The {CURLY.format('Fox')}", "pc")]


def test_a_column_that_another_one_has_the_name_of_is_not_taken_for_it() -> None:
    """With a kind column, type is unknown."""
    found = read("a.csv", "sep=;\nname;kind;type\nKai;pc;x\n", FIELDS).faults
    assert [(fault.line, fault.what.partition(".")[0]) for fault in found] == [(2, "I don't know the column 'type'")]


async def test_an_owner_is_found_by_name(world: World) -> None:
    """In any case, with or without @."""
    await import_file(world, "name,kind,player\nKai,pc,@Player\nAmuro,pc,gm\n")
    profiles = {str(value) for (value,) in rows(world, "select value from state where name = 'profile'")}
    assert len([profile for profile in profiles if "owner" in profile]) == 2
    listed = said(await world.gm.slash(world.orders, "unit", kind="characters"))
    assert_says(listed, f"<@{world.player.id}>", f"<@{world.gm.id}>")
    refusal = said(await send_file(world, "name,kind,owner\nRal,npc,Priya\n"))
    assert "**Line 2:** There's no member 'Priya' on this server" in refusal


async def test_a_region_that_the_weather_does_not_know_is_flagged(world: World) -> None:
    """Before the import."""
    shown = await send_file(world, "name,kind,region\nGhost,ship,Madagasscar\nDom,squad,Madagascar\n")
    assert "Regions without weather: Madagasscar (did you mean Madagascar?)." in said(shown)
    await world.gm.click(response(shown), custom_id=press(response(shown), "go"))
    assert rows(world, "select count(*) from state where name = 'profile'") == [(2,)]
