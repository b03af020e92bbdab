from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.books.campaign import weather
from rules.climate import list_places
from rules.dice import ScriptedDice
from rules.errors import BookError
from rules.loader import load_book
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve

BOOK = load_book("campaign")
WEEKS = 60


def test_a_season_needs_nobody_but_the_book() -> None:
    """Weeks follow from resolutions, without database or clock."""
    past, known = list[weather.Week](), None
    for number in range(1, WEEKS + 1):
        facts = weather.list_carried_facts(past[0], BOOK) if past else {}
        named = weather.rollover_subjects(BOOK, weather.due_watches(BOOK, past))
        parts = tuple(Part(str(place), names, facts) for place, names in enumerate(named))
        dice = ScriptedDice.of([(number * 7 + place * 3) % 20 + 1 for place in range(len(parts))])
        before = past[0] if past else None
        made = weather.make_rollover(resolve(Request("weather", parts), BOOK, dice), BOOK, number, before, known)
        assert made.account.get("last") == (number - 1 or None)
        for _, told in list_places(made.account):
            assert tuple(told["conditions"]) == made.week.conditions(told["id"])
            assert told["had"] == ([] if before is None else list(before.conditions(told["id"])))
        past, known = [made.week, *past], made.known
    assert known == weather.WeekRange(1, WEEKS, WEEKS)


def test_weeks_set_by_hand_are_known_and_not_rolled() -> None:
    """Rolled weeks stay."""
    known = weather.WeekRange.with_set(None, 7)
    assert known == weather.WeekRange(7, 7, 0)
    assert known.find_weeks_after(7) is None
    rolled = weather.WeekRange.with_rolled(weather.WeekRange.with_rolled(known, 8), 9)
    assert weather.WeekRange.with_set(rolled, 6) == weather.WeekRange(6, 9, 2)
    assert rolled.find_weeks_after(7) == [8, 9]
    assert rolled.find_weeks_after(8) == [9, 9]


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
PAST = weather.Week(1, {"north-africa": "category-6"}, {"congo": ("severe-storms",), "madagascar": ("severe-storms",)})


def _change_watch(folder: Path, change: str) -> RuleSet:
    file = folder / "house.toml"
    file.write_text(HEAD + change)
    return load_book("campaign", overlays=[file])


def _find_flood_chance(told: weather.Forecast, region: str) -> Fraction:
    return next(item.flood for item in told.regions if item.region.id == region)


def _count_floods(book: RuleSet, zone: str, region: str) -> int:
    parts = [
        Part(str(place), names, weather.forecast(book, [PAST], 2).carried)
        for place, names in enumerate(weather.rollover_subjects(book, weather.due_watches(book, [PAST])))
        if names == {"zone": book.zones[zone].label} or names.get("region") == book.places[region][1].label
    ]
    assert len(parts) == 2
    found = 0
    for face in range(1, 21):
        for watch in range(1, 21):
            rolled = resolve(Request("weather", tuple(parts)), book, ScriptedDice.of([face, watch]))
            found += weather.week_of(rolled, book, 2).is_flooded(region)
    return found


@pytest.mark.parametrize(("zone", "region"), [("north-africa", "congo"), ("south-africa", "madagascar")])
def test_a_watch_that_reads_the_weather_is_forecast_as_it_rolls(tmp_path: Path, zone: str, region: str) -> None:
    """Odds match all 400 falls."""
    book = _change_watch(tmp_path, FOGGY)
    chance = _find_flood_chance(weather.forecast(book, [PAST], 2), region)
    assert chance == Fraction(_count_floods(book, zone, region), 400)
    assert chance != _find_flood_chance(weather.forecast(load_book("campaign"), [PAST], 2), region)


def test_the_row_that_floods_may_be_moved(tmp_path: Path) -> None:
    """Up to 15, that's the chance in dry weather."""
    rows = """rows = [
  { max = 15, outcome = "mud-flood", text = "Mud", line = 1 },
  { min = 16, outcome = "no-flood", text = "None", line = 2 },
]"""
    book = _change_watch(tmp_path, rows)
    assert _find_flood_chance(weather.forecast(book, [PAST], 2), "congo") == Fraction(
        _count_floods(book, "north-africa", "congo"), 400
    )


def test_the_row_that_floods_stays(tmp_path: Path) -> None:
    """Replacing its outcome is a fault."""
    change = """
remove-rows = ["mud-flood"]
rows = [{ max = 10, outcome = "swamp", text = "Swamp", line = 1 }]
"""
    with pytest.raises(BookError) as caught:
        _change_watch(tmp_path, change)
    (fault,) = caught.value.faults
    assert (Path(fault.file).name, fault.line) == ("house.toml", 7)
    assert "no row with the outcome mud-flood" in fault.what


def test_a_watch_without_that_row_floods_in_wet_weather_alone() -> None:
    """The forecast agrees."""
    book = load_book("campaign")
    table = book.table(weather.WATCH)
    rows = tuple(replace(row, outcome="swamp") if row.outcome == "mud-flood" else row for row in table.rows)
    bare = replace(book, tables={**book.tables, weather.WATCH: replace(table, rows=rows)})
    assert _find_flood_chance(weather.forecast(bare, [PAST], 2), "congo") == Fraction(
        _count_floods(bare, "north-africa", "congo"), 400
    )
