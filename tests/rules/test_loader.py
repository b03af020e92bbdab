from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from rules import loader
from rules.book import Condition, Region
from rules.dice import DiceTerm
from rules.documents import Document
from rules.errors import BookError, Fault
from rules.ruleset import RuleSet, canonical_book, dump_book
from rules.tables import Consequence, Natural, Number, Source

HERE = Path(__file__).parent
SMALL = HERE / "overlays" / "small"
BROKEN = sorted((HERE / "broken").glob("*.toml"))


def list_faults(path: Path) -> tuple[Fault, ...]:
    """List a broken file's faults; overlays extend the small book."""
    alone = not path.name.startswith("overlay-")
    with pytest.raises(BookError) as caught:
        loader.check_path(path) if alone else loader.load_folder(SMALL, overlays=[path])
    return caught.value.faults


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_file(path: Path) -> None:
    """Exactly the expected faults are reported."""
    text = path.read_text()
    expected = list(zip(re.findall(r"# expects: (.*)", text), map(int, re.findall(r"# at: (\d+)", text)), strict=True))
    faults = list_faults(path)
    unmet = [
        (words, line)
        for words, line in expected
        if not any(fault.line == line and words in fault.what and fault.file == str(path) for fault in faults)
    ]
    assert (unmet, len(faults)) == ([], len(expected)), "\n".join(map(str, faults))


def copy_small_book(folder: Path, name: str, old: str, new: str) -> Path:
    """Copy the small book with one text changed."""
    book = shutil.copytree(SMALL, folder / "book")
    file = book / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return book


@pytest.fixture(scope="module")
def small() -> RuleSet:
    """Load the small test book."""
    return loader.load_folder(SMALL)


def test_everything_written_is_in_the_table(small: RuleSet) -> None:
    """All lists and the source arrive."""
    table = small.table("small.catch")
    assert (table.title, table.die, table.source) == ("Is it caught", DiceTerm(1, 20), Source("small-page", "Catching"))
    assert [(row.outcome, row.min, row.max, row.tone, row.line) for row in table.rows] == [
        ("missed", None, 17, "failure", 3),
        ("caught", 18, None, "success", 4),
    ]
    assert table.row("caught").then == (Consequence("stop", "target"),)
    assert table.naturals == (Natural(1, "missed", 5),)
    assert table.numbers == {"rolls": Number("rolls", 1, "Rolls per target", 2)}
    reading = table.readings["at-night"]
    assert (reading.line, reading.rows, sorted(reading.without)) == (13, {"caught": "missed"}, ["conditions"])


def test_every_modifier_and_fact_is_kept(small: RuleSet) -> None:
    """Without tests a modifier's id is the fact; each role has a fact."""
    found = {modifier.id: modifier for modifier in small.table("small.catch").modifiers}
    assert (found["patrol.fleet"].value, found["patrol.fleet"].one_of) == (5, "patrol-size")
    assert (found["service.balloons"].per, found["service.balloons"].line) == ("balloon service", 12)
    assert found["weather.hides"].when == (("weather.fog", "!target.airborne"),)
    assert small.table("small.damage").modifiers[0].when == (("patrol.fleet",),)
    secret = {modifier.id for modifier in small.table("small.catch").modifiers if modifier.secret}
    assert secret == {"target.tipped-off"}
    assert {"target.newtype", "hider.newtype"} <= set(small.facts)
    assert small.facts["target.tipped-off"].secret
    assert not small.facts["hider.newtype"].secret


def test_zones_and_climate_are_those_written(small: RuleSet) -> None:
    """Defaults are land and flooding; conditions keep their order."""
    zone = small.zones["north"]
    assert (zone.table, zone.line) == ("small.damage", 30)
    assert zone.regions == (
        Region("plain", "The plain", land=True, line=31, at=(1, 0)),
        Region("sound", "The sound", land=False, line=32, at=(1, 1), severe_storms_flood=False),
        Region("ridge", "The ridge", land=True, line=33),
    )
    assert small.conditions == {
        "clear": Condition("clear", "Clear sky", 0, "C"),
        "fog": Condition("fog", "Fog", 1, "Fo"),
        "gale": Condition("gale", "Gale", 3, "Ga"),
    }
    assert small.zones["north"].climate == {
        "heavy": {"plain": ("gale", "fog"), "sound": ("gale",), "ridge": ("gale",)},
        "light": {"plain": ("fog",), "sound": ("clear",), "ridge": ("fog",)},
        "none": {"plain": ("clear",), "sound": ("clear",), "ridge": ("clear",)},
    }


def test_only_zones_need_a_climate(tmp_path: Path) -> None:
    """Each zone's fault says what to write."""
    book = shutil.copytree(SMALL, tmp_path / "book")
    for name in ("zones.toml", "climate.toml"):
        (book / name).unlink()
    bare = loader.load_folder(book)
    assert (bare.zones, bare.conditions) == ({}, {})
    book = shutil.copytree(loader.BOOKS / "campaign", tmp_path / "campaign")
    (book / "climate.toml").unlink()
    faults = list_faults(book)
    assert {Path(fault.file).name for fault in faults} == {"zones.toml"}
    assert [fault.what.partition(":")[0] for fault in faults] == [
        f"zone {zone}" for zone in ("south-africa", "north-africa", "south-asia", "australia", "antarctic")
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("zones.toml", 'label = "The north"', "label = 5", "zone north: label: 5"),
        ("damage.toml", "min = 9", 'min = "9"', "row heavy: min"),
        ("climate.toml", "severity = 3", "severity = true", "condition gale: severity: true"),
        ("facts.toml", '"Gale", roles = ["weather"]', '"Gale", roles = []', "fact gale: roles: a list is empty"),
        ("climate.toml", '[[climate]]\nzone = "north"', "[[climate]]\nzone = 5", "climate 5: zone: 5"),
        ("climate.toml", '{ outcome = "heavy"', "{ outcome = 5", "row 5: outcome: 5"),
    ],
)
def test_what_cannot_be_read_does_not_make_its_climate_wrong(
    tmp_path: Path, name: str, old: str, new: str, words: str
) -> None:
    """A broken item is the only fault."""
    faults = list_faults(copy_small_book(tmp_path, name, old, new))
    assert [words in fault.what for fault in faults] == [True]


def test_a_book_is_loaded_once_by_its_id() -> None:
    """Loads are cached; misspelled ids get suggestions."""
    assert "campaign" in loader.book_ids()
    assert [loader.load_book(book_id).id for book_id in loader.book_ids()] == list(loader.book_ids())
    assert loader.load_book("campaign") is loader.load_book("campaign")
    with pytest.raises(loader.UnknownBook, match=r"'campain'.*'campaign'"):
        loader.load_book("campain")


def test_a_procedure_needs_its_tables(small: RuleSet) -> None:
    """A missing table is a fault with a suggestion."""
    with pytest.raises(BookError) as caught:
        loader.load_folder(SMALL, procedures=tuple(loader.load_book("campaign").procedures.values()))
    wanted = {
        table for procedure in loader.load_book("campaign").procedures.values() for table in procedure.method.tables
    }
    told = [fault.what for fault in caught.value.faults]
    assert all(any(f"needs table {table}, which doesn't exist" in what for what in told) for table in wanted)
    assert {fault.file for fault in caught.value.faults} == {str(SMALL / "book.toml")}
    assert small.procedures == {}


def test_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    """In order of files and lines."""
    book = copy_small_book(tmp_path, "catch.toml", "max = 17", "max = 16")
    (book / "damage.toml").write_text("not toml")
    with pytest.raises(BookError) as caught:
        loader.load_folder(book)
    assert [(Path(fault.file).name, fault.line) for fault in caught.value.faults] == [
        ("catch.toml", 8),
        ("damage.toml", 1),
    ]


def test_an_id_is_used_once_in_all_files(tmp_path: Path) -> None:
    """Duplicates name each other."""
    book = copy_small_book(tmp_path, "damage.toml", 'id     = "small.damage"', 'id     = "small.catch"')
    with pytest.raises(BookError) as caught:
        loader.load_folder(book)
    first = caught.value.faults[0]
    assert first.file.endswith("damage.toml")
    assert first.what.startswith("table small.catch: duplicate id, already at ")
    assert "catch.toml:1" in first.what


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00binary", "this isn't text"),
        (b"[" * 5000, "this isn't TOML"),
        (
            b"a = 1\nx = " + b"9" * 5000 + b"\n",
            "odd.toml:2: this isn't TOML: a number has 5000 digits, over the limit of 19",
        ),
        (b"[table]\nid = 'a'\nid = 'b'", "this isn't TOML: Cannot overwrite a value"),
        (b"table = 5", "table: 5 is not a table in { }"),
        (b"facts = {}", "facts: a table is not a list"),
        (b"[table]\ndie = 0xfffffffffffffffffffffffffffffffff", "die: a very long number is not a die"),
    ],
)
def test_no_content_breaks_the_loader(tmp_path: Path, content: bytes, words: str) -> None:
    """Binary, deep or endless content is a fault."""
    file = tmp_path / "odd.toml"
    file.write_bytes(content)
    assert words in "\n".join(map(str, list_faults(file)))


def test_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    """So is a folder without a book."""
    assert "can't be read" in list_faults(tmp_path / "nowhere.toml")[0].what
    assert "this file is missing" in list_faults(tmp_path)[0].what


@pytest.mark.parametrize(
    ("head", "what"),
    [
        ("[bok]", "bok: unknown key, did you mean book?"),
        ("zones = []", "missing [book]: write it with id, title and source"),
    ],
)
def test_a_folder_needs_its_head(tmp_path: Path, head: str, what: str) -> None:
    """An empty book.toml is a fault."""
    book = shutil.copytree(SMALL, tmp_path / "book")
    (book / "book.toml").write_text(head)
    assert [fault.what for fault in list_faults(book)] == [what]


def test_windows_line_ends_and_byte_order_mark_are_no_fault(tmp_path: Path, small: RuleSet) -> None:
    """They load to the same book."""
    book = shutil.copytree(SMALL, tmp_path / "book")
    file = book / "catch.toml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert loader.load_folder(book).fingerprint == small.fingerprint


def test_a_file_of_a_book_is_held_against_the_book(tmp_path: Path) -> None:
    """It may use its neighbours' facts."""
    book = copy_small_book(tmp_path, "damage.toml", "max = 5", "max = 4")
    loader.check_path(book / "catch.toml")
    assert [Path(fault.file).name for fault in list_faults(book / "damage.toml")] == ["damage.toml"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("book.toml", "A small book", "A tiny book"),
        ("facts.toml", 'label = "Fog"', 'label = "Mist"'),
        ("catch.toml", 'one-of = "patrol-size"', 'one-of = "size"'),
        ("catch.toml", "value = 1,", "value = 2,"),
        ("catch.toml", 'without = ["conditions"]', 'without = ["target"]'),
        ("catch.toml", "Got away", "Gone"),
        ("catch.toml", 'do = "stop"', 'do = "pass"'),
        ("damage.toml", 'tone = "danger"', 'tone = "failure"'),
        ("damage.toml", 'die    = "2d6"', 'die    = "3d6"'),
        ("zones.toml", "land = false", "land = true"),
        ("zones.toml", "at = [1, 0]", "at = [2, 0]"),
        ("zones.toml", "severe-storms-flood = false", "severe-storms-flood = true"),
        ("climate.toml", 'plain = ["gale", "fog"]', 'plain = ["gale"]'),
        ("climate.toml", "severity = 3", "severity = 4"),
        ("climate.toml", 'mark = "Ga"', 'mark = "G"'),
        ("facts.toml", 'label = "Gale"', 'label = "Strong wind"'),
        ("facts.toml", "secret = true", "secret = false"),
        ("traits.toml", '"Newtype aboard"', '"A newtype"'),
        ("traits.toml", '"unit", "character"', '"unit"'),
        ("traits.toml", "counted = true", "counted = false"),
        ("traits.toml", 'until = "update"', 'until = "cleared"'),
    ],
)  # fmt: skip
def test_fingerprint_covers_all_that_matters(tmp_path: Path, small: RuleSet, name: str, old: str, new: str) -> None:
    """Anything that changes a roll changes it."""
    assert loader.load_folder(copy_small_book(tmp_path, name, old, new)).fingerprint != small.fingerprint


def test_fingerprint_ignores_how_it_is_written(tmp_path: Path, small: RuleSet) -> None:
    """Comments and spaces don't; it's SHA-256 in hex."""
    book = copy_small_book(tmp_path, "catch.toml", "modifiers = [", "# A comment.\nmodifiers   =   [")
    assert loader.load_folder(book).fingerprint == small.fingerprint
    assert re.fullmatch("[0-9a-f]{64}", small.fingerprint)
    assert small.fingerprint not in canonical_book(small)


def test_dump_tells_every_range_value_and_line(small: RuleSet) -> None:
    """Open ends are None; several dice are text."""
    dump = dump_book(small)
    catch, damage = dump["tables"]
    assert (dump["id"], dump["fingerprint"]) == ("small", small.fingerprint)
    assert (catch["id"], catch["die"], damage["die"]) == ("small.catch", 20, "2d6")
    assert catch["source"] == {"book": "small-page", "section": "Catching"}
    assert catch["rows"][0] == {"min": None, "max": 17, "outcome": "missed", "text": "Got away", "line": 3}
    assert catch["naturals"] == [{"face": 1, "outcome": "missed", "line": 5}]
    assert catch["modifiers"][0] == {
        "id": "patrol.ship",
        "value": 3,
        "label": "Patrol is a ship",
        "group": "patrol",
        "one_of": "patrol-size",
        "per": None,
        "when": [["patrol.ship"]],
        "line": 6,
    }


ODDLY_WRITTEN = '''
facts = [ # [ {
  { a = "x]", b = [1,
     2] }, { c = 3 },

  """several
[lines]
""",
  [ "q",
    'z' ] ]
"quoted = key".x = 5
[table.readings.at-night]
line = 3
[[change]]
table = "a"
[[change]] # the second
rows = [{ then = [{}] },
  {}]
[change.deep]
key = 1979-05-27 07:32:00
'''


def test_lines_of_oddly_written_toml() -> None:
    """Multi-line strings and lists keep lines right."""
    document = Document("odd.toml", ODDLY_WRITTEN, tomllib.loads(ODDLY_WRITTEN))
    lines = {
        ("facts", 0, "b", 1): 3,
        ("facts", 1, "c"): 4,
        ("facts", 2): 6,
        ("facts", 3, 1): 10,
        ("quoted = key", "x"): 11,
        ("table", "readings", "at-night", "line"): 13,
        ("change",): 14,
        ("change", 0, "table"): 15,
        ("change", 1): 16,
        ("change", 1, "rows", 0, "then", 0): 17,
        ("change", 1, "rows", 1): 18,
        ("change", 1, "deep", "key"): 20,
        ("nowhere",): 1,
    }
    assert {keys: document.line(keys) for keys in lines} == lines
