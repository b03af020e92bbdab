from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.book import Book, Condition, Effect, Trait
from rules.effects import End
from rules.errors import BookError
from rules.loader import check_path, load_book, load_folder
from rules.tables import RollTable, Source

OVERLAYS = Path(__file__).parent / "overlays"
SMALL = OVERLAYS / "small"
HEAD = """
[overlay]
id = "more"
extends = "small"
source = { book = "House rules", section = "More" }
"""


@pytest.fixture(scope="module")
def plain() -> Book:
    """Load the small book."""
    return load_folder(SMALL)


@pytest.fixture(scope="module")
def house() -> Book:
    """Load the small book under the house overlay."""
    return load_folder(SMALL, overlays=[OVERLAYS / "house.toml"])


def _write_overlay(folder: Path, text: str, name: str = "more.toml") -> Path:
    file = folder / name
    file.write_text(HEAD + text)
    return file


def _list_rows(table: RollTable) -> list[tuple[str, int | None, int | None]]:
    return [(row.outcome, row.min, row.max) for row in table.rows]


def test_rows_and_modifiers_are_replaced_added_and_removed(house: Book) -> None:
    """Rows are sorted by range, modifiers keep page order."""
    assert _list_rows(house.table("small.catch")) == [("missed", None, 15), ("shadowed", 16, 17), ("caught", 18, None)]
    assert _list_rows(house.table("small.damage")) == [("heavy", 9, None), ("none", None, 8)]
    assert [(modifier.id, modifier.value) for modifier in house.table("small.catch").modifiers] == [
        ("patrol.ship", 3),
        ("patrol.fleet", 6),
        ("target.tipped-off", -3),
        ("weather.hides", -1),
        ("target.unwarned", 1),
        ("service.balloons", -1),
        ("patrol.drones", 2),
    ]


def test_an_overlay_brings_tables_and_facts_and_the_rest_stays(house: Book, plain: Book) -> None:
    """The fingerprint changes."""
    chase = house.table("house.chase")
    assert (chase.source, _list_rows(chase)) == (
        Source("House rules", "Chases"),
        [("lost", None, 3), ("held", 4, None)],
    )
    assert house.facts["patrol.drones"].label == "has drones"
    ours, theirs = house.table("small.catch"), plain.table("small.catch")
    assert (ours.naturals, ours.numbers, ours.readings) == (theirs.naturals, theirs.numbers, theirs.readings)
    assert (ours.source, house.zones) == (theirs.source, plain.zones)
    assert house.id == plain.id
    assert house.fingerprint != plain.fingerprint


def test_repeating_what_the_book_says_changes_nothing(tmp_path: Path, plain: Book) -> None:
    """Its modifiers, its climate, or nothing at all."""
    line = next(line for line in (SMALL / "damage.toml").read_text().splitlines() if '"patrol.fleet"' in line)
    file = _write_overlay(tmp_path, f'[[change]]\ntable = "small.damage"\nmodifiers = [\n{line}\n]')
    assert load_folder(SMALL, overlays=[file]).fingerprint == plain.fingerprint
    book = (SMALL / "climate.toml").read_text()
    file = _write_overlay(tmp_path, book[book.index("[[climate]]") :])
    assert load_folder(SMALL, overlays=[file]).fingerprint == plain.fingerprint
    assert load_book("campaign", overlays=[OVERLAYS / "nothing.toml"]) == load_book("campaign")


CLIMATE = """
[[climate]]
zone = "north"
land = { plain = false }
rows = [
  { outcome = "light", regions = { sound = ["fog"] } },
]
"""


def test_an_overlay_changes_climate_and_land_where_it_says(tmp_path: Path, plain: Book) -> None:
    """Nothing else changes."""
    house = load_folder(SMALL, overlays=[_write_overlay(tmp_path, CLIMATE)])
    before = plain.zones["north"].climate
    assert house.zones["north"].climate == {**before, "light": {**before["light"], "sound": ("fog",)}}
    assert house.fingerprint != plain.fingerprint
    zone = load_folder(SMALL, overlays=[_write_overlay(tmp_path, CLIMATE)]).zones["north"]
    first, *others = plain.zones["north"].regions
    assert zone.regions == (replace(first, land=False), *others)


CONDITIONS = """
facts = [{ trait = "hail", label = "Hail", roles = ["weather"] }]
conditions = [
  { trait = "fog", severity = 4, mark = "Mu" },
  { trait = "hail", severity = 2, mark = "Ha" },
]

[[climate]]
zone = "north"
rows = [{ outcome = "light", regions = { sound = ["hail", "fog"] } }]
"""


def test_an_overlay_changes_and_adds_conditions(tmp_path: Path, plain: Book) -> None:
    """Changed in place, new ones last."""
    house = load_folder(SMALL, overlays=[_write_overlay(tmp_path, CONDITIONS)])
    changed = {"fog": Condition("fog", "Fog", 4, "Mu"), "hail": Condition("hail", "Hail", 2, "Ha")}
    assert house.conditions == {**plain.conditions, **changed}
    assert list(house.conditions) == [*plain.conditions, "hail"]
    assert house.zones["north"].climate["light"]["sound"] == ("hail", "fog")
    assert house.fingerprint != plain.fingerprint


def test_a_later_climate_has_the_last_word(tmp_path: Path) -> None:
    """The later overlay's cell counts."""
    later = """
[[climate]]
zone = "north"
rows = [{ outcome = "light", regions = { sound = ["gale"], plain = ["clear"] } }]
"""
    files = [_write_overlay(tmp_path, CLIMATE), _write_overlay(tmp_path, later, "later.toml")]
    light = load_folder(SMALL, overlays=files).zones["north"].climate["light"]
    assert (light["sound"], light["plain"], light["ridge"]) == (("gale",), ("clear",), ("fog",))
    assert load_folder(SMALL, overlays=files[::-1]).zones["north"].climate["light"]["sound"] == ("fog",)


def test_a_new_outcome_may_bring_its_climate(tmp_path: Path) -> None:
    """In the same overlay."""
    change = """
[[change]]
table = "small.damage"
rows = [
  { max = 3, outcome = "trifling", text = "A scratch", line = 1 },
  { min = 4, max = 5, outcome = "none", text = "No damage", line = 2 },
]

[[climate]]
zone = "north"
rows = [{ outcome = "trifling", regions = { plain = ["fog"], sound = ["fog"], ridge = ["clear"] } }]
"""
    zone = load_folder(SMALL, overlays=[_write_overlay(tmp_path, change)]).zones["north"]
    assert zone.climate["trifling"] == {"plain": ("fog",), "sound": ("fog",), "ridge": ("clear",)}


def test_an_overlay_brings_traits_and_effects(tmp_path: Path, plain: Book) -> None:
    """After the book's own."""
    added = """
facts = [{ trait = "drones", label = "has drones", roles = ["patrol"] }]
traits = [{ id = "drones", label = "Drones", on = ["unit"], group = "stores" }]
effects = [{ trait = "fog", label = "In fog", until = "update" }]
"""
    house = load_folder(SMALL, overlays=[_write_overlay(tmp_path, added)])
    assert house.traits == {**plain.traits, "drones": Trait("drones", "Drones", frozenset({"unit"}), "stores")}
    assert house.effects == {**plain.effects, "fog": Effect("fog", "In fog", End("update"), secret=False)}
    assert house.fingerprint != plain.fingerprint


def test_overlays_are_applied_in_order(tmp_path: Path) -> None:
    """Later ones may change earlier ones."""
    change = """
[[change]]
table = "house.chase"
rows = [{ min = 4, outcome = "held", text = "Held fast", line = 1 }]
"""
    files = [OVERLAYS / "house.toml", _write_overlay(tmp_path, change)]
    assert load_folder(SMALL, overlays=files).table("house.chase").row("held").text == "Held fast"
    with pytest.raises(BookError, match=r"unknown table house\.chase"):
        load_folder(SMALL, overlays=files[::-1])


def test_a_removed_modifier_can_be_brought_back_elsewhere(tmp_path: Path) -> None:
    """It moves to the end."""
    change = """
[[change]]
table = "small.catch"
remove-modifiers = ["target.newtype"]
modifiers = [{ id = "target.newtype", value = -2, label = "Newtype", group = "target", line = 1 }]
"""
    found = load_folder(SMALL, overlays=[_write_overlay(tmp_path, change)]).table("small.catch").modifiers
    assert (found[-1].id, found[-1].value) == ("target.newtype", -2)
    assert len({modifier.id for modifier in found}) == len(found)


def test_faults_of_book_and_overlay_come_at_once(tmp_path: Path) -> None:
    """Missing and faulty ones together."""
    faulty = _write_overlay(tmp_path, '[[change]]\ntable = "small.catch"\nremove-rows = ["x"]')
    with pytest.raises(BookError) as caught:
        load_folder(SMALL, overlays=[tmp_path / "nowhere.toml", faulty])
    assert [(Path(fault.file).name, fault.line) for fault in caught.value.faults] == [
        ("more.toml", 8),
        ("nowhere.toml", 1),
    ]


def test_an_overlay_is_checked_against_the_book_that_it_extends(tmp_path: Path) -> None:
    """The book is found by name."""
    check_path(OVERLAYS / "nothing.toml")
    file = tmp_path / "wrong.toml"
    file.write_text((OVERLAYS / "nothing.toml").read_text().replace("campaign", "campain"))
    with pytest.raises(BookError, match=r"wrong\.toml:3: unknown rule book campain, did you mean campaign\?"):
        check_path(file)
    file.write_text("[overlay]\nextends = 'zz'\n")
    with pytest.raises(BookError, match=r"unknown rule book zz \(known: battlesystem, campaign"):
        check_path(file)
    file.write_text("[overlay]\nid = 'x'\n")
    with pytest.raises(BookError, match="missing extends"):
        check_path(file)
