from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain

import pytest

from rules.loader import load_book
from rules.stages import family_tickables
from rules.tables import RollTable, TableRow

BOOK = load_book("campaign")
WEATHER = [zone.table for zone in BOOK.zones.values()]

ROW_LINES = (
    *(range(6, 9), range(10, 14), range(15, 19)),  # newtype generation, three tables
    *(range(27, 29), range(69, 74), range(83, 88), range(128, 132)),  # patrol 1 and 2, scouting, detection
    *(range(178, 185), range(192, 200), range(210, 217), range(225, 233), range(240, 255)),  # five weather zones
    *(range(265, 267), range(269, 271), range(285, 296), range(317, 323)),  # flood watch to escape
)
MODIFIER_LINES = (
    *(range(20, 21), range(30, 64), range(75, 81), range(89, 126), range(133, 166)),
    *(range(256, 262), range(272, 283), range(297, 313), range(325, 353)),
)
NUMBERS = {22: 1, 25: 1, 68: 2, 82: 1, 127: 1, 167: 5, 262: 1, 263: 2, 268: 1, 284: 1, 316: 1}  # line: value
SHARED_LINES = {20: 3, 258: 2}  # Zeon on all newtype tables; one carry-over line that speaks of two zones
ZONES = {
    "south-africa": (170, range(171, 177), {"west-indian-ocean"}),
    "north-africa": (185, range(186, 191), set()),
    "south-asia": (200, range(201, 209), {"arabian-sea"}),
    "australia": (217, range(218, 224), {"central-indian-ocean", "east-indian-ocean", "coral-sea"}),
    "antarctic": (233, range(234, 239), {"south-indian-ocean", "davis-sea", "tasman-sea"}),
}
ALTERNATIVES = {  # lines of which only one counts (PB-8, SC-3, DE-4, DE-5, IN-3, ES-4)
    "campaign.patrol.catch": {(30, 45), (35, 36, 37, 38), (39, 41, 42, 43), (50, 51, 52)},
    "campaign.patrol.passage": {(75, 76)},
    "campaign.scouting": {(89, 90, 111), (107, 108, 109), (116, 117)},
    "campaign.detection": {(133, 148), (134, 149), (140, 141, 142), (158, 160, 162), (159, 161, 163)},
    "campaign.weather.australia": {(256, 257)},
    "campaign.weather.antarctic": {(258, 259)},
    "campaign.interrogation": {(297, 298), (307, 308)},
    "campaign.escape": {(325, 345)},
}
WRITTEN_UP = {83, 84, 86, 128, 289, 290, 295, 317, 318, 319, 320, 322}
DEEDS = {  # what the rows do to people and places, by line
    **{line: [("set-newtype", 0)] for line in (10, 15)},
    **{line: [("set-newtype", 1)] for line in (11, 16)},
    **{line: [("set-newtype", 2)] for line in (6, 12, 17)},
    **{line: [("set-newtype", 3)] for line in (7, 13, 18)},
    8: [("set-newtype", 4)],
    83: [("attack", None)],
    86: [("scouted", None)],
    87: [("scouted", None)],
    265: [("mud-flood-if-wet", None)],
    266: [("mud-flood", None)],
    270: [("complication", None)],
    286: [("injure", 1)],
    287: [("crack", None)],
    288: [("injure", 1), ("crack", None)],
    289: [("kill", None)],
    290: [("injure-seriously", None)],
    291: [("crack-or-reveal", 1)],
    292: [("crack-or-reveal", None)],
    293: [("injure", 1), ("crack-or-reveal", None)],
    294: [("injure", 1), ("reveal-passwords", None)],
    295: [("kill", None)],
    317: [("kill", None)],
    318: [("injure-seriously", None)],
    319: [("injure", None)],
    322: [("free", None)],
}
COUNTS = {  # rows and modifiers of each table
    "campaign.newtype.pilots": (3, 1),
    "campaign.newtype.enlisted": (4, 1),
    "campaign.newtype.other": (4, 1),
    "campaign.patrol.catch": (2, 34),
    "campaign.patrol.passage": (5, 6),
    "campaign.scouting": (5, 37),
    "campaign.detection": (4, 33),
    "campaign.weather.south-africa": (7, 1),
    "campaign.weather.north-africa": (8, 1),
    "campaign.weather.south-asia": (7, 1),
    "campaign.weather.australia": (8, 2),
    "campaign.weather.antarctic": (15, 2),
    "campaign.flood-watch": (2, 0),
    "campaign.complications": (2, 11),
    "campaign.interrogation": (11, 16),
    "campaign.escape": (6, 28),
}
TABLES = BOOK.tables.values()
ROLLED = [family for family, procedure in BOOK.procedures.items() if procedure.method.tables]


def test_every_printed_line_is_transcribed_once() -> None:
    """Lines and counts are the page's; two lines are shared."""
    assert sorted(row.line for table in TABLES for row in table.rows) == list(chain(*ROW_LINES))
    lines = Counter(modifier.line for table in TABLES for modifier in table.modifiers)
    assert lines == {line: SHARED_LINES.get(line, 1) for line in chain(*MODIFIER_LINES)}
    found = [(number.line, number.value) for table in TABLES for number in table.numbers.values()]
    assert sorted(found) == list(NUMBERS.items())
    assert {table.id: (len(table.rows), len(table.modifiers)) for table in TABLES} == COUNTS


def test_naturals_and_readings_are_those_printed() -> None:
    """Only the escape has naturals (323), only detection a reading (127)."""
    found = {(table.id, item.face, item.outcome, item.line) for table in TABLES for item in table.naturals}
    assert found == {("campaign.escape", 1, "killed", 323), ("campaign.escape", 20, "escaped", 323)}
    readings = {(table.id, reading.id): reading for table in TABLES for reading in table.readings.values()}
    assert list(readings) == [("campaign.detection", "nobody-hidden")]
    reading = readings["campaign.detection", "nobody-hidden"]
    assert (reading.line, reading.without) == (127, frozenset({"hider"}))
    assert reading.rows == {"ambushed": "presence-known", "revealed": "presence-known"}
    table = BOOK.table("campaign.detection")
    lines = {modifier.line for modifier in table.modifiers if modifier.group == "hider"}
    assert lines == {133, *range(135, 146), 148, 159, 161, 163}


def _find_share(row: TableRow, die: int = 20) -> Fraction:
    return Fraction(sum(row.holds(face) for face in range(1, die + 1)), die)


def _list_slips(tables: Iterable[RollTable]) -> Iterator[tuple[str, str, int | None, Fraction]]:
    for table in tables:
        for row in table.rows:
            if row.percent is not None and Fraction(row.percent, 100) != _find_share(row):
                yield table.id, row.outcome, row.percent, _find_share(row) * 100


def test_what_departs_from_the_page_says_so() -> None:
    """Other chances than the band's share have a ruling's note (WE-1, WE-2)."""
    table = "campaign.weather.north-africa"
    assert list(_list_slips(TABLES)) == [(table, "good", 20, Fraction(25)), (table, "category-1", 20, Fraction(15))]
    notes = {row.line: row.note or "" for table in TABLES for row in table.rows}
    ruled = {247: "WE-1", 192: "WE-2", 193: "WE-2", 287: "IN-1", 87: "SC-1", 27: "PB-1"}
    assert [line for line, ruling in ruled.items() if ruling not in notes[line]] == []
    sign = next(item for item in BOOK.table("campaign.detection").modifiers if item.line == 165)
    assert "DE-3" in (sign.note or "")


@pytest.mark.parametrize("table", WEATHER)
def test_every_weather_row_keeps_its_percentage(table: str) -> None:
    """Each weather row has the printed percentage."""
    assert all(row.percent for row in BOOK.table(table).rows)


def test_zones_and_regions_are_those_of_the_map() -> None:
    """Lines 167 and 262, rulings WE-8 and WE-9."""
    found = {
        zone.id: (
            zone.line,
            [region.line for region in zone.regions],
            {region.id for region in zone.regions if not region.land},
        )
        for zone in BOOK.zones.values()
    }
    assert found == {zone: (line, list(lines), seas) for zone, (line, lines, seas) in ZONES.items()}
    assert [zone.table for zone in BOOK.zones.values()] == [f"campaign.weather.{zone}" for zone in ZONES]
    regions = [region for zone in BOOK.zones.values() for region in zone.regions]
    assert [region.id for region in regions if not region.severe_storms_flood] == ["saharan-africa"]


def test_alternatives_bribes_and_multiplied_lines_are_those_printed() -> None:
    """Bribes cost 25 SP (70, 72); three lines multiply (PB-11)."""
    found: dict[str, dict[str, list[int]]] = {}
    for table in TABLES:
        for modifier in table.modifiers:
            if modifier.one_of:
                found.setdefault(table.id, {}).setdefault(modifier.one_of, []).append(modifier.line)
    assert {table: {tuple(lines) for lines in sets.values()} for table, sets in found.items()} == ALTERNATIVES
    rows = BOOK.table("campaign.patrol.passage").rows
    bribes = {row.line: (deed.amount, deed.to) for row in rows for deed in row.then if deed.do == "bribe"}
    assert bribes == {70: (25, "target"), 72: (25, "target")}
    assert {item.line for table in TABLES for item in table.modifiers if item.per} == {60, 113, 114}


def test_rows_do_and_are_written_up_as_printed() -> None:
    """Rows outside patrol and detection do these deeds and no others."""
    rows = [row for table in TABLES if table.id.split(".")[1] not in {"patrol", "detection"} for row in table.rows]
    deeds = {row.line: [(item.do, item.amount) for item in row.then if item.do != "write-up"] for row in rows}
    assert {line: done for line, done in deeds.items() if done} == DEEDS
    found = {row.line for table in TABLES for row in table.rows for item in row.then if item.do == "write-up"}
    assert found == WRITTEN_UP


def test_secret_are_inside_information_scouting_hiding_ambushes_and_passwords() -> None:
    """Secret facts are secret in every role."""
    secret = {fact.trait for fact in BOOK.facts.values() if fact.secret}
    assert secret == {"inside-information", "scouted", "hidden", "ambushed-today", "password-known"}
    assert {fact.trait for fact in BOOK.facts.values() if not fact.secret}.isdisjoint(secret)


@pytest.mark.parametrize("family", ROLLED)
def test_a_family_fits_on_its_card(family: str) -> None:
    """An id has one group, and a group fits a select."""
    procedure = BOOK.procedure(family)
    groups: dict[str, set[str]] = {}
    for table in procedure.method.tables:
        for modifier in BOOK.table(table).modifiers:
            groups.setdefault(modifier.id, set()).add(modifier.group)
    assert [id_ for id_, found in groups.items() if len(found) > 1] == []
    assert max(Counter(item.group for item in family_tickables(procedure, BOOK).values()).values()) <= 25


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_labels_are_short_and_tell_lines_apart(table: RollTable) -> None:
    """A label fits an option and is unique in its table."""
    labels = [modifier.label for modifier in table.modifiers]
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if len(label) > 60] == []
    assert max((count for count in Counter(item.group for item in table.modifiers).values()), default=0) <= 25
