"""Files of units and characters: faults by line, round trips."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.cogs.roster.import_files import Format, Unreadable, decode, read, write
from bot.cogs.roster.import_plan import MAX_ROWS, ParsedFile, PlannedImport, SavedRoster, plan_import, profile_of
from bot.cogs.roster.validation import tidy
from bot.core.profiles import UNIT_KINDS, Profile
from bot.ui.parsing import is_answer
from rules.books.campaign.orders import STANCE
from rules.subjects import CHARACTER_KINDS, find_bearer, name_key, strip_unseen
from tests.support.world import BOOKS

TRAITS, FIELDS = BOOKS["campaign"].traits, BOOKS["campaign"].fields
HEAD = "name,kind,side,owner,region,squad,callsign,newtype,secret,traits\n"
PAGE = (Path(__file__).parents[3] / "docs" / "roster.md").read_text("utf-8")


def check_file(file: ParsedFile, *saved: Profile, may_replace: bool = False) -> PlannedImport:
    """A file's changes and faults."""
    return plan_import(file, SavedRoster(saved, TRAITS, {}, fields=FIELDS), may_replace=may_replace)


def csv_faults(text: str, *saved: Profile) -> list[tuple[int, str]]:
    """A CSV file's faults by line."""
    return [(fault.line, fault.what) for fault in sorted(check_file(read("a.csv", text, FIELDS), *saved).faults)]


def toml_faults(text: str) -> list[tuple[int, str]]:
    """A TOML file's faults by line."""
    return [(fault.line, fault.what) for fault in sorted(check_file(read("a.toml", text, FIELDS)).faults)]


ROWS = [
    (",ship,,,,,,,,", "It has no name. Give it one."),
    ("Aa,shp,,,,,,,,", "I don't know the kind 'shp'. Did you mean ship?"),
    ("Aa,,,,,,,,,", "I don't know the kind ''. Pick from: squad, ship"),
    ("n" * 61 + ",ship,,,,,,,,", "is too long. The limit is 60 characters."),
    ('"A, B",ship,,,,,,,,', "has a comma. Leave it out"),
    ("A\u200bB,ship,,,,,,,,", "has an invisible character"),
    ("A\x07B,ship,,,,,,,,", "has an invisible character"),
    ("=cmd|' /C calc'!A0,ship,,,,,,,,", "looks like a formula. If you mean it, put an apostrophe"),
    ("Aa,ship,@SUM(1),,,,,,,", "The side '@SUM(1)' looks like a formula"),
    ("Aa,ship,,,\t-x,,,,,", "The region '\\t-x' looks like a formula"),
    ("Aa,=ship,,,,,,,,", "I don't know the kind '=ship'. Did you mean ship?"),
    ("Aa,pc,,somebody,,,,,,", "There's no member 'somebody' on this server: write a name, a user id, or <@id>."),
    ("Aa,pc,,1.23457E+17,,,,,,", "A spreadsheet program has rounded it: <@id> stays whole."),
    ("Aa,pc,,<@9999999999999999999>,,,,,,", "There's no member"),
    ("Aa,pc,,<@123456789012345678,,,,,,", "There's no member"),
    ("Aa,pc,,,,White Bse,,,,", "I don't know the saved unit 'White Bse'. Did you mean White Base?"),
    ("Aa,pc,,,,Bb,,,,\nBb,pc,,,,,,,,", "I don't know the saved unit 'Bb'."),
    ("Aa,ship,,,,White Base,,,,", "A ship has no squad. Only characters (pc, npc) have one."),
    ("Aa,ship,,,,,,3,,", "A ship has no newtype level. It is for a character."),
    ("Aa,ship,,,,,Owl,,,", "A ship has no callsign."),
    ("Aa,pc,,,,,,21,,", "'21' isn't a valid newtype level: write a whole number from 0 to 20"),
    ("Aa,pc,,,,,,-1,,", "'-1' isn't a valid newtype level: write a whole number from 0 to 20"),
    ("Aa,pc,,,,,,1.5,,", "'1.5' isn't a valid newtype level"),
    ("Aa,pc,,,,,,,perhaps,", "Is it secret? Write yes or no, not 'perhaps'."),
    ("Aa,ship,,,,,,,,newtpye", "I don't know the trait 'newtpye'. Did you mean newtype?"),
    ("Aa,ship,,,,,,,,officer", "A ship can't have the trait officer. It is for a character."),
    ("Aa,pc,,,,,,,,urban", "A PC can't have the trait urban. It is for a unit."),
    ("Aa,ship,,,,,,,,urban*2", "The trait urban has no count. Write only urban."),
    ("Aa,ship,,,,,,,,detector-types*101", "can't count 101 times. Type 1 to 100."),
    ("Aa,ship,,,,,,,,detector-types*0", "can't count 0 times"),
    ("Aa,ship,,,,,,,,detector-types*x", "I can't read 'detector-types*x'"),
    ("Aa,ship,,,,,,,,urban; Urban", "The trait 'urban' is there twice"),
    ("Aa,ship,,,,,,,,all-moon;all-orbit", "Only one of these traits can be true: all-moon, all-orbit."),
    ("Aa,ship,,,,,,,,urban,island", "The row has 11 cells, the header 10."),
    ("Aa,ship,,,,,,,,\naa ,base,,,,,,,,", "'aa' is already on line 2. Each name can be there once."),
    ("WHITE  base,pc,,,,,,,,", "'White Base' is a ship, which can't become a pc."),
    ("WHITE  base,ship,Zeon,,,,,,,urban", "'White Base' is already saved with a different side and traits."),
]


@pytest.mark.parametrize(("line", "words"), ROWS, ids=[words[:40] for _, words in ROWS])
def test_a_faulty_row_is_told_once_with_its_line_and_what_would_be_right(line: str, words: str) -> None:
    """And no other fault."""
    found = csv_faults(HEAD + line, Profile("White Base", "ship", "EF"))
    assert [number for number, _ in found] == [3 if "\n" in line and "already on line" in words else 2], found
    assert words in found[0][1]


def test_all_faults_are_told_each_on_the_line_where_its_record_begins() -> None:
    """Quoted line breaks count."""
    text = HEAD + '"Aa\r\nBb",shp,,,,,,x,,\r\n\r\n  ,,\r\n"C\n\nc",base,,,,,,,,urbn;officer\nDd,ship,,,,,,,,'
    assert [(line, what.split(".")[0]) for line, what in csv_faults(text)] == [
        (2, "'x' isn't a valid newtype level: write a whole number from 0 to 20, or nothing"),
        (2, "I don't know the kind 'shp'"),
        (6, "A base can't have the trait officer"),
        (6, "I don't know the trait 'urbn'"),
    ]


def test_faults_of_the_header_are_told_all() -> None:
    """With the nearest name."""
    assert csv_faults("name,kind,sied,side,side\nAa,ship,,,") == [
        (1, "I don't know the column 'sied'. Did you mean side?"),
        (1, "The column side is there twice. Remove one."),
    ]
    assert csv_faults("\nnmae,kind\nAa,shp") == [
        (2, "I don't know the column 'nmae'. Did you mean name?"),
        (2, "The column name is missing. The first line can have: " + ", ".join(HEAD.strip().split(",")) + "."),
    ]
    assert [line for line, _ in csv_faults(HEAD)] == [1]
    assert [line for line, _ in csv_faults("")] == [1]


@pytest.mark.parametrize("text", ['A"a,ship\n"Bb,ship\n', '"Aa"x,ship\n"B"b,ship\n'])
def test_lone_quotes_are_told_where_they_begin(text: str) -> None:
    """On the record's line."""
    found = csv_faults("name,kind\n" + text)
    assert len(found) == 1
    assert "quotation mark has no partner" in found[0][1]
    assert found[0][0] == (3 if text.startswith("A") else 2)


def test_quotes_within_a_cell_and_at_its_edges_are_read() -> None:
    """Doubled ones are one."""
    rows = read("a.csv", 'name,kind\n"Ramba ""Blue"" Ral",npc\n5" Gun,ship\n', FIELDS).rows
    assert [profile_of(row, FIELDS)[0].name for row in rows] == ['Ramba "Blue" Ral', '5" Gun']


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_either_mark_and_any_line_end_are_read(mark: str, end: str) -> None:
    """In any order and case."""
    lines = ["Kind,NAME , traits", 'ship,Grey  Ghost,"urban; detector-types*3"', "pc,Kai"]
    text = end.join(line.replace(",", mark) for line in lines)
    items = [profile_of(row, FIELDS)[0] for row in read("a.csv", text, FIELDS).rows]
    assert items == [Profile("Grey Ghost", "ship", traits={"urban": 1, "detector-types": 3}), Profile("Kai", "pc")]
    assert csv_faults(text) == []


DATA = [
    ("name,kind\nAa,ship\nM\u00fcnchen,base\n".encode("cp1252"), 3, "Byte 0xfc isn't UTF-8"),
    ("name,kind\nAa,ship\n".encode("utf-16"), 1, "UTF-16"),
    ("name,kind\nAa,ship\n".encode("utf-16-le"), 1, "UTF-16"),
    (b"PK\x03\x04rest", 1, "a workbook"),
    (b"name,kind\nA\0a,ship\n", 2, "NUL character"),
    (b"name,kind\n" + b"a" * 6000 + b",ship\n", 2, "The line has 600"),
]


@pytest.mark.parametrize(("data", "line", "words"), DATA, ids=[words for _, _, words in DATA])
def test_other_encodings_are_refused_with_what_to_do(data: bytes, line: int, words: str) -> None:
    """With how to save it."""
    with pytest.raises(Unreadable) as refused:
        decode(data)
    assert refused.value.fault.line == line
    assert words in refused.value.fault.what
    assert "CSV UTF-8" in refused.value.fault.what or line == 2


def test_a_mark_at_the_beginning_of_the_file_is_no_part_of_it() -> None:
    """With and without it."""
    for encoding in ("utf-8", "utf-8-sig"):
        assert csv_faults(decode("name,kind\nM\u00fcnchen,base\n".encode(encoding))) == []


@pytest.mark.slow
def test_one_import_takes_so_many_and_no_more() -> None:
    """One more is a fault."""
    rows = "".join(f"Name {place},ship\n" for place in range(MAX_ROWS + 1))
    assert csv_faults("name,kind\n" + rows.removesuffix(f"Name {MAX_ROWS},ship\n")) == []
    ((line, what),) = csv_faults("name,kind\n" + rows)
    assert line == MAX_ROWS + 2
    assert "Split the file" in what


BROKEN = """
[[unit]]
name = "Aa"
kind = "shp"

[[unit]]
kind = "pc"
name = "Bb"
newtype = true

[[character]]
name = "Cc"
kind = "npc"
traits = ["officer", "lukcy"]
calsign = "Owl"
owner = 12
secret = "yes"
[[charakter]]
name = "Dd"
[settings]
"""


def test_faults_of_toml_are_told_on_the_lines_of_their_values() -> None:
    """Types, keys, headings and traits."""
    assert [(line, what.split(".")[0]) for line, what in toml_faults(BROKEN)] == [
        (4, "I don't know the kind 'shp'"),
        (7, "The kind 'pc' is under [[unit]]"),
        (9, "Write newtype like this: a whole number, such as newtype = 7"),
        (14, "I don't know the trait 'lukcy'"),
        (15, "I don't know the key 'calsign'"),
        (16, "There's no member '12' on this server: write a name, a user id, or <@id>"),
        (17, "Write secret like this: secret = true or secret = false"),
        (18, "I don't know the heading 'charakter'"),
        (20, "I don't know the heading 'settings'"),
    ]
    assert toml_faults('[unit]\nname = "Aa"') == [(1, "Write [[unit]] above each unit.")]


@pytest.mark.parametrize(
    ("text", "line"),
    [('[[unit]]\nname = "A\n', 2), ("[[unit]]\nx = " + "[" * 3000, 1), ("x = " + "9" * 4990, 1), ("[[unit]", 1)],
)
def test_what_is_no_toml_is_told(text: str, line: int) -> None:
    """A fault, not a crash."""
    ((found, what),) = toml_faults(text)
    assert found == line
    assert "TOML" in what


@pytest.mark.parametrize(
    ("name", "text", "toml"),
    [
        ("a.toml", '[[unit]]\nname="Aa"\nkind="ship"', True),
        ("a.TXT", '# ours\n\n[[unit]]\nname="Aa"\nkind="ship"', True),
        ("a", "name;kind\nAa;ship", False),
        ("a.csv", "name;kind\nAa;ship", False),
        ("a.txt", "name,kind\nAa,ship", False),
    ],
)
def test_the_format_is_told_by_name_and_text(name: str, text: str, toml: bool) -> None:  # noqa: FBT001 - a parameter
    """By name, else by text."""
    assert [profile_of(row, FIELDS)[0] for row in read(name, text, FIELDS).rows] == [Profile("Aa", "ship")]
    assert read(name, text, FIELDS).rows[0].line("name") == (2 if not toml or name == "a.toml" else 4)


def test_the_examples_of_the_page_are_sound_and_alike() -> None:
    """CSV and TOML say the same."""
    found = {}
    for to in ("csv", "toml"):
        (text,) = re.findall(rf"```{to}\n(.*?)```", PAGE, re.DOTALL)
        plan = check_file(read(f"a.{to}", text, FIELDS))
        assert plan.faults == []
        found[to] = {item.name: item for item in plan.plan.new}
    assert len(found["csv"]) == 5
    assert found["toml"] == {name: found["csv"][name] for name in found["toml"]}


def test_the_page_lists_every_trait_and_no_other() -> None:
    """By kind, with a star for numbers."""
    units, characters = PAGE.partition("## Traits")[2].split("| Characters |")
    for text, on in ((units, "unit"), (characters, "character")):
        wanted = {f"{trait.id}{'*' if trait.counted else ''}" for trait in TRAITS.values() if on in trait.on}
        assert set(re.findall(r"`([\w*-]+)`", text)) - {"*"} == wanted


WORDS = (
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Cn", "Co"], exclude_characters=","),
        max_size=60,
    )
    | st.sampled_from(["=cmd", "'=cmd", "''@x", "+1", "-", "@here", '"', '""', "'", "a;b", "**x**", "<@1>", "[[unit]]"])
).map(lambda word: tidy(strip_unseen(word)))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any profile, with any name."""
    kind = draw(st.sampled_from([*UNIT_KINDS, *CHARACTER_KINDS]))
    character = kind in CHARACTER_KINDS
    fitting = [trait for trait in TRAITS.values() if find_bearer(kind) in trait.on]
    carried = draw(st.lists(st.sampled_from(fitting), max_size=8)) if fitting else []
    alone = {trait.one_of or trait.id: trait for trait in carried}
    item = Profile(
        draw(WORDS.filter(lambda word: bool(word) and not is_answer(word or "", STANCE.options))) or "",
        kind,
        side=draw(WORDS),
        owner=draw(st.none() | st.integers(10**15, 2**63 - 1).map(str)),
        region=draw(WORDS),
        secret=draw(st.booleans()),
        traits={item.id: draw(st.integers(1, 100)) if item.counted else 1 for item in alone.values()},
    )
    level = draw(st.none() | st.integers(0, 20)) if character else None
    return item.with_fields({"callsign": draw(WORDS) if character else None, "newtype": level})


MANY = st.lists(profiles(), min_size=1, max_size=6, unique_by=lambda item: name_key(item.name))


@pytest.mark.parametrize("examples", [10, pytest.param(150, marks=pytest.mark.slow)])
def test_what_is_exported_comes_back_the_same(examples: int, times: int) -> None:
    """In both formats."""
    settings(max_examples=examples * times, deadline=None)(given(items=MANY, data=st.data())(export_and_import))()


@example(
    items=[Profile("=1+1", "ship"), Profile("'=1+1", "ship"), Profile('"', "pc", fields={"callsign": "\uff1dx"})],
    data=None,
)
def export_and_import(items: list[Profile], data: st.DataObject | None) -> None:
    """Assert that both formats round-trip."""
    units = [item.name for item in items if not item.is_character]
    if units and data is not None:
        squads = st.none() | st.sampled_from(units)
        items = [replace(item, squad=data.draw(squads)) if item.is_character else item for item in items]
    formats: tuple[Format, ...] = ("csv", "toml")
    for to in formats:
        written = write(items, to, FIELDS)
        found = check_file(read(f"a.{to}", decode(written), FIELDS))
        assert found.faults == []
        assert sorted(found.plan.new, key=str) == sorted(items, key=str)
        again = check_file(read(f"a.{to}", decode(written), FIELDS), *items)
        assert (again.plan.unchanged, again.plan.new, again.plan.changed, again.faults) == (len(items), [], [], [])


def test_an_exported_cell_is_never_taken_for_a_formula() -> None:
    """The file is UTF-8 with its mark."""
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\uff1dx", "'=x", "plain"]
    data = write([Profile(name, "ship", side=name, region=name) for name in names], "csv", FIELDS)
    assert data.startswith(b"\xef\xbb\xbf")
    cells = [cell for row in csv.reader(io.StringIO(decode(data))) for cell in row]
    assert not any(re.match(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]", cell) for cell in cells)
    assert tomllib.loads(write([Profile("=x", "ship")], "toml", FIELDS).decode()) == {
        "unit": [{"name": "=x", "kind": "ship"}]
    }
