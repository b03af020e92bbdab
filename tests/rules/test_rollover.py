"""A season of weather rolled by the book alone: each week follows from the last, and what is told of it is true of it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.books.campaign.weather import (
    WATCH,
    Forecast,
    Week,
    WeekRange,
    due_watches,
    forecast,
    list_carried_facts,
    make_rollover,
    rollover_subjects,
    week_of,
)
from rules.climate import list_places
from rules.dice import ScriptedDice
from rules.errors import BookError
from rules.loader import load_book
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve

BOOK = load_book("campaign")
WEEKS = 60


def test_a_season_needs_nobody_but_the_book() -> None:
    """Weeks, which of them are known, and their accounts come of resolutions alone, without a database or a clock."""
    past, known = list[Week](), None
    for number in range(1, WEEKS + 1):
        facts = list_carried_facts(past[0], BOOK) if past else {}
        named = rollover_subjects(BOOK, due_watches(BOOK, past))
        parts = tuple(Part(str(place), names, facts) for place, names in enumerate(named))
        dice = ScriptedDice.of([(number * 7 + place * 3) % 20 + 1 for place in range(len(parts))])
        before = past[0] if past else None
        made = make_rollover(resolve(Request("weather", parts), BOOK, dice), BOOK, number, before, known)
        assert made.account.get("last") == (number - 1 or None)
        for _, told in list_places(made.account):
            assert tuple(told["conditions"]) == made.week.conditions(told["id"])
            assert told["had"] == ([] if before is None else list(before.conditions(told["id"])))
        past, known = [made.week, *past], made.known
    assert known == WeekRange(1, WEEKS, WEEKS)


def test_weeks_set_by_hand_are_known_and_not_rolled() -> None:
    """A game under way begins with one; another before the first makes the range longer, and what was rolled stays so."""
    known = WeekRange.with_set(None, 7)
    assert known == WeekRange(7, 7, 0)
    assert known.rolled_after(7) is None
    rolled = WeekRange.with_rolled(WeekRange.with_rolled(known, 8), 9)
    assert WeekRange.with_set(rolled, 6) == WeekRange(6, 9, 2)
    assert rolled.rolled_after(7) == [8, 9]
    assert rolled.rolled_after(8) == [9, 9]


HEAD = """
[overlay]
id = "house"
extends = "campaign"
source = { book = "House rules", section = "Floods" }

[[change]]
table = "campaign.flood-watch"
"""
FOGGY = """
modifiers = [
  { id = "watch.mist", value = -7, label = "Mist hangs on", group = "weather", line = 1, when = [["weather.fog"], ["weather.thick-fog"]] },
  { id = "watch.heat", value = 20, label = "The ground is baked", group = "weather", line = 2, when = [["weather.heatwave"]] },
  { id = "watch.north", value = -2, label = "Winds from Africa", group = "weather", line = 3, when = [["last-week.north-africa-6"]] },
]
"""
PAST = Week(1, {"north-africa": "category-6"}, {"congo": ("severe-storms",), "madagascar": ("severe-storms",)})


def house(folder: Path, change: str) -> RuleSet:
    """The campaign book with this change of its Flood Watch."""
    file = folder / "house.toml"
    file.write_text(HEAD + change)
    return load_book("campaign", overlays=[file])


def flood(told: Forecast, region: str) -> Fraction:
    """The chance of Mud/Flood in a region."""
    return next(item.flood for item in told.regions if item.region.id == region)


def floods(book: RuleSet, zone: str, region: str) -> int:
    """In how many of the 400 falls of a zone's die and its region's watch Mud/Flood holds there."""
    parts = [
        Part(str(place), names, forecast(book, [PAST], 2).carried)
        for place, names in enumerate(rollover_subjects(book, due_watches(book, [PAST])))
        if names == {"zone": book.zones[zone].label} or names.get("region") == book.places[region][1].label
    ]
    assert len(parts) == 2
    found = 0
    for face in range(1, 21):
        for watch in range(1, 21):
            rolled = resolve(Request("weather", tuple(parts)), book, ScriptedDice.of([face, watch]))
            found += week_of(rolled, book, 2).flooded(region)
    return found


@pytest.mark.parametrize(("zone", "region"), [("north-africa", "congo"), ("south-africa", "madagascar")])
def test_a_watch_that_reads_the_weather_is_forecast_as_it_rolls(tmp_path: Path, zone: str, region: str) -> None:
    """With modifiers for this week's weather and for last week's outcomes the odds are those of all 400 falls."""
    book = house(tmp_path, FOGGY)
    chance = flood(forecast(book, [PAST], 2), region)
    assert chance == Fraction(floods(book, zone, region), 400)
    assert chance != flood(forecast(load_book("campaign"), [PAST], 2), region)


def test_the_row_that_floods_may_be_moved(tmp_path: Path) -> None:
    """With the lower part of the watch up to 15, that is the chance in weather that is not wet."""
    rows = """rows = [
  { max = 15, outcome = "mud-flood", text = "Mud", line = 1 },
  { min = 16, outcome = "no-flood", text = "None", line = 2 },
]"""
    book = house(tmp_path, rows)
    assert flood(forecast(book, [PAST], 2), "congo") == Fraction(floods(book, "north-africa", "congo"), 400)


def test_the_row_that_floods_stays(tmp_path: Path) -> None:
    """An overlay that puts another outcome in its place is told what is missing, at its own change."""
    change = """
remove-rows = ["mud-flood"]
rows = [{ max = 10, outcome = "swamp", text = "Swamp", line = 1 }]
"""
    with pytest.raises(BookError) as caught:
        house(tmp_path, change)
    (fault,) = caught.value.faults
    assert (Path(fault.file).name, fault.line) == ("house.toml", 7)
    assert "no row with the outcome mud-flood" in fault.what


def test_a_watch_without_that_row_floods_in_wet_weather_alone() -> None:
    """A book that was put together without it is still forecast, as it would roll."""
    book = load_book("campaign")
    table = book.table(WATCH)
    rows = tuple(replace(row, outcome="swamp") if row.outcome == "mud-flood" else row for row in table.rows)
    bare = replace(book, tables={**book.tables, WATCH: replace(table, rows=rows)})
    assert flood(forecast(bare, [PAST], 2), "congo") == Fraction(floods(bare, "north-africa", "congo"), 400)
