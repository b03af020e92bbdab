from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from msgspec.structs import replace

from rules.books.campaign import weather
from rules.climate import Climate
from rules.dice import ScriptedDice
from rules.loader import load_book
from rules.modifiers import Origin
from rules.procedure import Part, PartResult, Request, Resolution
from rules.ruleset import RuleSet, amend_climate, resolve
from tests.rules import oracle

BOOK = load_book("campaign")
QUIET = dict(zip(oracle.ZONES, (20, 20, 20, 15, 10), strict=True))
"""Faces that bring good weather to every zone, also with a modifier of -1."""
CONDITIONS = [trait for trait in BOOK.conditions if trait != "mud-flood"]


def _roll_week(
    past: Sequence[weather.Week], faces: Mapping[str, int], watch: int = 20, book: RuleSet = BOOK
) -> tuple[weather.Week, Resolution]:
    watches = weather.due_watches(book, past)
    facts = weather.list_carried_facts(past[0], book) if past else {}
    parts = tuple(
        Part(str(place), names, facts) for place, names in enumerate(weather.rollover_subjects(book, watches))
    )
    dice = ScriptedDice.of([faces[zone] for zone in oracle.ZONES] + [watch] * len(watches))
    resolution = resolve(Request("weather", parts), book, dice)
    dice.finish()
    return weather.week_of(resolution, book, past[0].number + 1 if past else 1), resolution


def _roll_weeks(*faces: Mapping[str, int]) -> tuple[list[weather.Week], list[Resolution]]:
    past: list[weather.Week] = []
    rolled: list[Resolution] = []
    for each in faces:
        week, resolution = _roll_week(past, each)
        past, rolled = [week, *past], [resolution, *rolled]
    return past, rolled


def _find_zone_parts(resolution: Resolution) -> dict[str, PartResult]:
    return dict(zip(oracle.ZONES, resolution.parts, strict=False))


def _list_totals(resolution: Resolution) -> list[int]:
    return [part.on_tables[0].total for part in _find_zone_parts(resolution).values()]


def _list_outcomes(week: weather.Week) -> str:
    return " ".join(oracle.short(week.zones[zone]) for zone in oracle.ZONES)


def _make_week(number: int, **regions: tuple[str, ...]) -> weather.Week:
    return weather.Week(number, {}, {region.replace("_", "-"): traits for region, traits in regions.items()})


def _find_watched(*past: weather.Week, book: RuleSet = BOOK) -> list[str]:
    return [watch.region.id for watch in weather.due_watches(book, past)]


CARRIED = [  # line, zone, face, short outcome, and next week's modifiers
    (256, "australia", 1, "6", {"australia": 1}),
    (257, "australia", 20, "7", {"australia": -1}),
    (258, "antarctic", 2, "6W", {"antarctic": 1, "south-africa": -1}),
    (258, "antarctic", 1, "7W", {"antarctic": 1, "south-africa": -1}),
    (259, "antarctic", 19, "6E", {"antarctic": -1}),
    (259, "antarctic", 20, "7E", {"antarctic": -1}),
    (260, "north-africa", 5, "5", {"north-africa": -1}),
    (260, "north-africa", 1, "7", {"north-africa": -1}),
    (261, "north-africa", 3, "6", {"south-asia": -1}),
]


@pytest.mark.parametrize(("line", "zone", "face", "short", "gives"), CARRIED)
def test_each_line_counts_in_the_week_after_and_in_no_other(
    line: int, zone: str, face: int, short: str, gives: dict[str, int]
) -> None:
    """For its zones only (WE-5)."""
    found, rolled = _roll_weeks(QUIET | {zone: face}, QUIET, QUIET)
    assert oracle.short(found[-1].zones[zone]) == short
    steps = [{zone: part.on_tables[0] for zone, part in _find_zone_parts(each).items()} for each in reversed(rolled)]
    assert [{zone: step.sum for zone, step in each.items() if step.sum} for each in steps] == [{}, gives, {}]
    counted = [item for part in rolled[1].parts for step in part.on_tables for item in step.modifiers if item.count]
    assert {item.modifier.line for item in counted} == {line}
    assert {item.origin for item in counted} == {Origin("weather", "weather, week 1")}


def test_no_other_category_carries_anything_over() -> None:
    """Nothing else counts."""
    silent = {(zone, row.outcome) for zone in oracle.ZONES for row in BOOK.table(BOOK.zones[zone].table).rows}
    silent -= {(zone, outcome) for zone, outcome in silent for _, of, _, short, _ in CARRIED
               if (zone, oracle.short(outcome)) == (of, short)}  # fmt: skip
    assert len(silent) == 45 - 9
    for zone, outcome in silent:
        assert all(
            item.weighed.sum == 0 for item in weather.forecast(BOOK, [weather.Week(1, {zone: outcome}, {})], 2).zones
        )


def test_a_chain_of_nine_weeks() -> None:
    """Worked out by hand from the page."""
    faces = [
        (20, 4, 13, 1, 1),
        (13, 3, 13, 20, 20),
        (6, 1, 13, 1, 1),
        (1, 1, 1, 12, 2),
        (13, 17, 20, 20, 7),
        (2, 2, 2, 20, 19),
        (20, 5, 1, 13, 8),
        (20, 6, 20, 13, 13),
        (13, 17, 13, 13, 13),
    ]
    found, rolled = _roll_weeks(*(dict(zip(oracle.ZONES, each, strict=True)) for each in faces))
    assert [_list_totals(each) for each in reversed(rolled)] == [
        [20, 4, 13, 1, 1],
        [12, 2, 13, 21, 21],
        [6, 1, 12, 0, 0],
        [0, 0, 1, 13, 3],
        [13, 16, 20, 20, 7],
        [2, 2, 2, 19, 19],
        [20, 5, 0, 13, 7],
        [20, 5, 20, 13, 13],
        [13, 16, 13, 13, 13],
    ]
    assert [_list_outcomes(each) for each in reversed(found)] == [
        "G 5 G 6 7W",
        "1 6 G 7 7E",
        "3 7 1 6 7W",
        "6 7 6 G 5W",
        "G G G 7 1W",
        "5 6 5 G 6E",
        "G 5 6 G 1W",
        "G 5 G G G",
        "G G G G G",
    ]


@pytest.mark.parametrize(
    ("before", "zone", "face", "total", "short"),
    [
        ({"antarctic": 1}, "south-africa", 1, 0, "6"),
        ({"north-africa": 4}, "north-africa", 1, 0, "7"),
        ({"north-africa": 2}, "south-asia", 1, 0, "6"),
        ({"australia": 20}, "australia", 1, 0, "6"),
        ({"antarctic": 20}, "antarctic", 1, 0, "7W"),
        ({"australia": 1}, "australia", 20, 21, "7"),
        ({"antarctic": 1}, "antarctic", 20, 21, "7E"),
    ],
)
def test_totals_beyond_the_die_read_as_the_nearest_row(
    before: dict[str, int], zone: str, face: int, total: int, short: str
) -> None:
    """0 reads as 1, 21 as 20 (WE-3)."""
    found, rolled = _roll_weeks(QUIET | before, QUIET | {zone: face})
    assert _find_zone_parts(rolled[0])[zone].on_tables[0].total == total
    assert oracle.short(found[0].zones[zone]) == short


def test_every_face_reads_as_printed() -> None:
    """WE-1 and WE-2 included."""
    for face in range(1, 21):
        week, _ = _roll_week([], dict.fromkeys(oracle.ZONES, face))
        assert {zone: oracle.short(outcome) for zone, outcome in week.zones.items()} == {
            zone: oracle.read(zone, face) for zone in oracle.ZONES
        }
        assert (week.zones["antarctic"] == "good") == (8 <= face <= 13)
        assert (week.zones["north-africa"] == "good") == (face >= 16)


def test_storms_call_for_a_watch_on_land() -> None:
    """Severe ones not in the Sahara (262); two weeks of Storms there too (263, WE-9)."""
    severe = dict.fromkeys(BOOK.places, ("severe-storms", "thick-fog"))
    found = _find_watched(weather.Week(1, {}, severe))
    land = [region.id for zone in BOOK.zones.values() for region in zone.regions if region.id not in oracle.SEA]
    assert found == [region for region in land if region != "saharan-africa"]
    assert _find_watched(_make_week(2), weather.Week(1, {}, severe)) == []
    stormy = dict.fromkeys(("saharan-africa", "india", "arabian-sea"), ("storms",))
    last, before = weather.Week(2, {}, stormy), weather.Week(1, {}, stormy)
    assert _find_watched(last, before) == ["saharan-africa", "india"]
    assert _find_watched(last) == []
    assert _find_watched(last, _make_week(1)) == []
    assert _find_watched(_make_week(3), last, before) == []


def test_watches_overlap_and_mud_ends_with_its_week() -> None:
    """A third week counts again, two reasons once (WE-10)."""
    storms = [_make_week(number, congo=("storms", "fog")) for number in (3, 2, 1)]
    assert _find_watched(*storms[1:]) == ["congo"]
    assert _find_watched(replace(storms[0], watches={"congo": "mud-flood"}), *storms[1:]) == ["congo"]
    both = _make_week(2, india=("storms", "severe-storms")), _make_week(1, india=("storms",))
    (watch,) = weather.due_watches(BOOK, both)
    assert (watch.region.id, watch.trait, watch.weeks) == ("india", "severe-storms", (2,))
    flooded, _ = _roll_week([_make_week(1, india=("severe-storms",))], QUIET, 1)
    after, _ = _roll_week([flooded], QUIET, 1)
    assert (flooded.is_flooded("india"), after.is_flooded("india")) == (True, False)


@pytest.mark.parametrize("pair", [("severe-storms", "storms"), ("storms", "severe-storms"), ("violent-storms",) * 2])
def test_storms_mean_storms_by_name(pair: tuple[str, str]) -> None:
    """Severe Storms aren't a second week of Storms (WE-10)."""
    last, before = pair
    called = _find_watched(
        _make_week(2, india=(last,), saharan_africa=(last,)), _make_week(1, india=(before,), saharan_africa=(before,))
    )
    assert called == (["india"] if last == "severe-storms" else [])


def test_watches_follow_land_flags_and_numbers() -> None:
    """For changed land (WE-8), or two weeks."""
    week = _make_week(1, india=("severe-storms",), coral_sea=("severe-storms",))
    assert _find_watched(week) == ["india"]
    assert _find_watched(week, book=amend_climate(BOOK, Climate(land={"india": False, "coral-sea": True}))) == [
        "coral-sea"
    ]
    table = BOOK.table("campaign.flood-watch")
    numbers = {**table.numbers, "weeks-of-severe-storms": replace(table.numbers["weeks-of-severe-storms"], value=2)}
    house = replace(BOOK, tables={**BOOK.tables, table.id: replace(table, numbers=numbers)})
    severe = [_make_week(number, india=("severe-storms",)) for number in (2, 1)]
    assert _find_watched(severe[1], book=house) == []
    assert _find_watched(severe[0], _make_week(1), book=house) == []
    assert _find_watched(*severe, book=house) == ["india"]


@pytest.mark.parametrize("trait", CONDITIONS)
@pytest.mark.parametrize("face", [1, 10, 11, 20])
def test_from_11_on_only_wet_weather_floods(face: int, trait: str) -> None:
    """Only this week's weather counts (WE-11)."""
    book = amend_climate(BOOK, Climate({("good", "india"): (trait,)}))
    week, resolution = _roll_week([_make_week(1, india=("severe-storms",))], QUIET, face, book)
    floods = face <= 10 or trait in {"overcast", "storms", "severe-storms"}
    assert week.is_flooded("india") == floods
    assert week.conditions("india") == ((trait, "mud-flood") if floods else (trait,))
    conclusion = resolution.parts[-1].conclusion
    assert conclusion is not None
    assert conclusion.outcome == ("mud-flood" if floods else "no-flood")


def test_a_rollover_throws_for_the_zones_first_and_then_for_the_watches() -> None:
    """Both in page order."""
    stormy = _make_week(1, banzare_coast=("severe-storms",), india=("severe-storms",), madagascar=("severe-storms",))
    _, resolution = _roll_week([stormy], QUIET)
    assert [part.part.subjects for part in resolution.parts] == [
        *({"zone": zone.label} for zone in BOOK.zones.values()),
        {"zone": "South Africa", "region": "Madagascar"},
        {"zone": "South and Southeast Asia", "region": "India"},
        {"zone": "Antarctic Sea", "region": "Banzare Coast"},
    ]


STATES = [  # faces of two weeks running, of which the second is the newest
    (QUIET, QUIET),
    (QUIET, dict.fromkeys(oracle.ZONES, 1)),
    (dict.fromkeys(oracle.ZONES, 7), dict.fromkeys(oracle.ZONES, 8)),
    (dict.fromkeys(oracle.ZONES, 3), dict.fromkeys(oracle.ZONES, 20)),
    (QUIET, QUIET | {"north-africa": 2, "antarctic": 19, "south-asia": 1}),
    (QUIET, QUIET | {"north-africa": 5, "antarctic": 2, "australia": 1}),
]


@pytest.mark.parametrize("state", STATES)
def test_the_forecast_is_what_all_faces_come_to(state: tuple[dict[str, int], dict[str, int]]) -> None:
    """Counted face by face."""
    past, _ = _roll_weeks(*state)
    told = weather.forecast(BOOK, past, 3)
    carried = oracle.carry_over(past[0].zones)
    called = oracle.list_watched([week.regions for week in past], oracle.SEA)
    for item in told.zones:
        counted = Counter(oracle.read(item.zone.id, face + carried[item.zone.id]) for face in range(1, 21))
        assert {oracle.short(name): chance * 20 for name, chance in item.odds.items() if chance} == counted
    assert {watch.region.id for watch in told.watches} == called
    for region in told.regions:
        traits: Counter[str] = Counter()
        floods = 0
        for face in range(1, 21):
            short = oracle.read(region.zone.id, face + carried[region.zone.id])
            meant = next(cell for name, cell in region.zone.climate.items() if oracle.short(name) == short)
            traits.update(meant[region.region.id])
            floods += sum(oracle.is_flooded(watch, meant[region.region.id]) for watch in range(1, 21))
        assert {trait: chance * 20 for trait, chance in region.odds.items() if chance} == traits
        assert region.flood == (Fraction(floods, 400) if region.region.id in called else 0)
    assert len(told.regions) == len(oracle.SEA) + 22


def test_the_forecast_of_the_first_week_is_the_plain_tables() -> None:
    """No modifiers, watches or floods."""
    told = weather.forecast(BOOK, [], 1)
    assert (told.number, told.watches) == (1, ())
    assert {item.weighed.sum for item in told.zones} == {0}
    assert {region.flood for region in told.regions} == {0}
    north = next(item for item in told.zones if item.zone.id == "north-africa")
    assert (north.odds["good"], north.odds["category-1"]) == (Fraction(1, 4), Fraction(3, 20))


@pytest.mark.no_cover
@pytest.mark.parametrize("weeks", [200, pytest.param(5200, marks=pytest.mark.slow)])
def test_random_weeks_keep_to_the_page(weeks: int, times: int) -> None:
    """200 weeks, and 5,200, match the oracle."""
    chance = random.Random(1966)  # noqa: S311 - a test that repeats
    past: list[weather.Week] = []
    met = Counter[int]()
    for number in range(1, weeks * times + 1):
        faces = {zone: chance.randint(1, 20) for zone in oracle.ZONES}
        watch = chance.randint(1, 20)
        week, resolution = _roll_week(past, faces, watch)
        carried = oracle.carry_over(past[0].zones if past else {})
        called = oracle.list_watched([before.regions for before in past], oracle.SEA)
        expected = [faces[zone] + carried[zone] for zone in oracle.ZONES]
        assert _list_totals(resolution) == expected
        assert _list_outcomes(week) == " ".join(map(oracle.read, oracle.ZONES, expected))
        assert week.regions == {
            region.id: zone.climate[week.zones[zone.id]][region.id]
            for zone in BOOK.zones.values()
            for region in zone.regions
        }
        assert week.watches.keys() == called
        flooded = {region for region in week.regions if week.is_flooded(region)}
        assert flooded == {region for region in called if oracle.is_flooded(watch, week.regions[region])}
        assert week.number == number
        met.update(expected)
        past = [week, *past[:1]]
    assert set(met) == set(range(22))
