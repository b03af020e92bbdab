"""Weather over many weeks: what carries over and for how long, which Flood Watches are due, and what the odds are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from msgspec.structs import replace

from rules.books.campaign.weather import Week, due_watches, forecast, list_carried_facts, rollover_subjects, week_of
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


def roll(
    past: Sequence[Week], faces: Mapping[str, int], watch: int = 20, book: RuleSet = BOOK
) -> tuple[Week, Resolution]:
    """The week after these, which come newest first: a face for each zone, and one for all Flood Watches that are due."""
    watches = due_watches(book, past)
    facts = list_carried_facts(past[0], book) if past else {}
    parts = tuple(Part(str(place), names, facts) for place, names in enumerate(rollover_subjects(book, watches)))
    dice = ScriptedDice.of([faces[zone] for zone in oracle.ZONES] + [watch] * len(watches))
    resolution = resolve(Request("weather", parts), book, dice)
    dice.finish()
    return week_of(resolution, book, past[0].number + 1 if past else 1), resolution


def weeks(*faces: Mapping[str, int]) -> tuple[list[Week], list[Resolution]]:
    """A run of weeks from a blank start, the newest first, with their resolutions."""
    past: list[Week] = []
    rolled: list[Resolution] = []
    for each in faces:
        week, resolution = roll(past, each)
        past, rolled = [week, *past], [resolution, *rolled]
    return past, rolled


def zone_parts(resolution: Resolution) -> dict[str, PartResult]:
    """The parts of the zones, by the zone's id."""
    return dict(zip(oracle.ZONES, resolution.parts, strict=False))


def totals(resolution: Resolution) -> list[int]:
    """The total of each zone."""
    return [part.on_tables[0].total for part in zone_parts(resolution).values()]


def sums(resolution: Resolution) -> dict[str, int]:
    """The modifiers of each zone added up, where they are not 0."""
    return {zone: part.on_tables[0].sum for zone, part in zone_parts(resolution).items() if part.on_tables[0].sum}


def outcomes(week: Week) -> str:
    """The zones' outcomes in short."""
    return " ".join(oracle.short(week.zones[zone]) for zone in oracle.ZONES)


def skies(number: int, **regions: tuple[str, ...]) -> Week:
    """A week in which these regions (underscores for hyphens) have these conditions, and no zone an outcome."""
    return Week(number, {}, {region.replace("_", "-"): traits for region, traits in regions.items()})


def watched(*past: Week, book: RuleSet = BOOK) -> list[str]:
    """The ids of the regions whose Flood Watch is due after these weeks, the newest first."""
    return [watch.region.id for watch in due_watches(book, past)]


CARRIED = [  # the line; the zone, its face and what that means; what it gives to whom in the week after
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
    """A category gives its modifier to exactly the zones of its line, for one week, with last week as the reason (WE-5)."""
    found, rolled = weeks(QUIET | {zone: face}, QUIET, QUIET)
    assert oracle.short(found[-1].zones[zone]) == short
    assert [sums(each) for each in reversed(rolled)] == [{}, gives, {}]
    counted = [item for part in rolled[1].parts for step in part.on_tables for item in step.modifiers if item.counted]
    assert {item.modifier.line for item in counted} == {line}
    assert {item.origin for item in counted} == {Origin("weather", "weather, week 1")}


def test_no_other_category_carries_anything_over() -> None:
    """Whatever else a zone has, no zone takes a modifier from it."""
    silent = {(zone, row.outcome) for zone in oracle.ZONES for row in BOOK.table(BOOK.zones[zone].table).rows}
    silent -= {(zone, outcome) for zone, outcome in silent for _, of, _, short, _ in CARRIED
               if (zone, oracle.short(outcome)) == (of, short)}  # fmt: skip
    assert len(silent) == 45 - 9
    for zone, outcome in silent:
        assert all(item.weighed.sum == 0 for item in forecast(BOOK, [Week(1, {zone: outcome}, {})], 2).zones)


def test_a_chain_of_nine_weeks() -> None:
    """Nine weeks in all zones, worked out by hand from the page: totals and categories, 0 and 21 among them."""
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
    found, rolled = weeks(*(dict(zip(oracle.ZONES, each, strict=True)) for each in faces))
    assert [totals(each) for each in reversed(rolled)] == [
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
    assert [outcomes(each) for each in reversed(found)] == [
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
    """0 reads as 1 in every zone and 21 as 20 in the two that reach it (WE-3)."""
    found, rolled = weeks(QUIET | before, QUIET | {zone: face})
    assert zone_parts(rolled[0])[zone].on_tables[0].total == total
    assert oracle.short(found[0].zones[zone]) == short


def test_every_face_reads_as_printed() -> None:
    """All totals of all zones, 8 to 12 in the Antarctic Sea (WE-1) and North Africa's bands (WE-2) among them."""
    for face in range(1, 21):
        week, _ = roll([], dict.fromkeys(oracle.ZONES, face))
        assert {zone: oracle.short(outcome) for zone, outcome in week.zones.items()} == {
            zone: oracle.read(zone, face) for zone in oracle.ZONES
        }
        assert (week.zones["antarctic"] == "good") == (8 <= face <= 13)
        assert (week.zones["north-africa"] == "good") == (face >= 16)


def test_severe_storms_call_for_a_watch_on_land_but_in_the_sahara() -> None:
    """One week of Severe Storms is enough on land; at sea nothing follows, and Saharan Africa is excepted (line 262)."""
    severe = dict.fromkeys(BOOK.places, ("severe-storms", "thick-fog"))
    found = watched(Week(1, {}, severe))
    land = [region.id for zone in BOOK.zones.values() for region in zone.regions if region.id not in oracle.SEA]
    assert found == [region for region in land if region != "saharan-africa"]
    assert watched(skies(2), Week(1, {}, severe)) == []


def test_two_weeks_of_storms_call_for_a_watch_in_the_sahara_too() -> None:
    """Storms two weeks running do, Storms once or with a week between do not (line 263, WE-9)."""
    stormy = dict.fromkeys(("saharan-africa", "india", "arabian-sea"), ("storms",))
    last, before = Week(2, {}, stormy), Week(1, {}, stormy)
    assert watched(last, before) == ["saharan-africa", "india"]
    assert watched(last) == []
    assert watched(last, skies(1)) == []
    assert watched(skies(3), last, before) == []


def test_the_window_slides_and_two_reasons_make_one_watch() -> None:
    """A third week of Storms calls for another watch, which itself changes nothing of that; Severe Storms in a second week of Storms are rolled for once (WE-10)."""
    storms = [skies(number, congo=("storms", "fog")) for number in (3, 2, 1)]
    assert watched(*storms[1:]) == ["congo"]
    assert watched(replace(storms[0], watches={"congo": "mud-flood"}), *storms[1:]) == ["congo"]
    both = skies(2, india=("storms", "severe-storms")), skies(1, india=("storms",))
    (watch,) = due_watches(BOOK, both)
    assert (watch.region.id, watch.trait, watch.weeks) == ("india", "severe-storms", (2,))


@pytest.mark.parametrize("pair", [("severe-storms", "storms"), ("storms", "severe-storms"), ("violent-storms",) * 2])
def test_storms_mean_storms_by_name(pair: tuple[str, str]) -> None:
    """Severe Storms call for a watch by themselves alone; beside Storms they make no second week of them (WE-10)."""
    last, before = pair
    called = watched(
        skies(2, india=(last,), saharan_africa=(last,)), skies(1, india=(before,), saharan_africa=(before,))
    )
    assert called == (["india"] if last == "severe-storms" else [])


def test_a_watch_follows_the_land_flag() -> None:
    """A sea that is made land is watched, and land that is made sea is not (WE-8)."""
    week = skies(1, india=("severe-storms",), coral_sea=("severe-storms",))
    assert watched(week) == ["india"]
    assert watched(week, book=amend_climate(BOOK, Climate(land={"india": False, "coral-sea": True}))) == ["coral-sea"]


def test_how_many_weeks_call_for_a_watch_is_data() -> None:
    """A house that asks for two weeks of Severe Storms is not satisfied with one, nor with the first week known."""
    table = BOOK.table("campaign.flood-watch")
    numbers = {**table.numbers, "weeks-of-severe-storms": replace(table.numbers["weeks-of-severe-storms"], value=2)}
    house = replace(BOOK, tables={**BOOK.tables, table.id: replace(table, numbers=numbers)})
    severe = [skies(number, india=("severe-storms",)) for number in (2, 1)]
    assert watched(severe[1], book=house) == []
    assert watched(severe[0], skies(1), book=house) == []
    assert watched(*severe, book=house) == ["india"]


@pytest.mark.parametrize("trait", CONDITIONS)
@pytest.mark.parametrize("face", [1, 10, 11, 20])
def test_from_11_on_only_wet_weather_floods(face: int, trait: str) -> None:
    """1 to 10 floods in any weather; 11 to 20 in Overcast, Storms and Severe Storms of this week alone (WE-11)."""
    book = amend_climate(BOOK, Climate({("good", "india"): (trait,)}))
    week, resolution = roll([skies(1, india=("severe-storms",))], QUIET, face, book)
    floods = face <= 10 or trait in {"overcast", "storms", "severe-storms"}
    assert week.flooded("india") == floods
    assert week.conditions("india") == ((trait, "mud-flood") if floods else (trait,))
    conclusion = resolution.parts[-1].conclusion
    assert conclusion is not None
    assert conclusion.outcome == ("mud-flood" if floods else "no-flood")


def test_mud_holds_for_its_week_only() -> None:
    """The week after a flood has none unless a watch is due again."""
    flooded, _ = roll([skies(1, india=("severe-storms",))], QUIET, 1)
    after, _ = roll([flooded], QUIET, 1)
    assert (flooded.flooded("india"), after.flooded("india")) == (True, False)


def test_a_rollover_throws_for_the_zones_first_and_then_for_the_watches() -> None:
    """Five zones in the page's order, then the regions in the page's order, whatever the order of the weather."""
    stormy = skies(1, banzare_coast=("severe-storms",), india=("severe-storms",), madagascar=("severe-storms",))
    _, resolution = roll([stormy], QUIET)
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
    """Counted face by face: each category's chance, and each region's for every condition and for Mud/Flood."""
    past, _ = weeks(*state)
    told = forecast(BOOK, past, 3)
    carried = oracle.carried(past[0].zones)
    called = oracle.watched([week.regions for week in past], oracle.SEA)
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
            floods += sum(oracle.floods(watch, meant[region.region.id]) for watch in range(1, 21))
        assert {trait: chance * 20 for trait, chance in region.odds.items() if chance} == traits
        assert region.flood == (Fraction(floods, 400) if region.region.id in called else 0)
    assert len(told.regions) == len(oracle.SEA) + 22


def test_the_forecast_of_the_first_week_is_the_plain_tables() -> None:
    """With nothing known no modifier counts, no watch is due and nothing is flooded."""
    told = forecast(BOOK, [], 1)
    assert (told.number, told.watches) == (1, ())
    assert {item.weighed.sum for item in told.zones} == {0}
    assert {region.flood for region in told.regions} == {0}
    north = next(item for item in told.zones if item.zone.id == "north-africa")
    assert (north.odds["good"], north.odds["category-1"]) == (Fraction(1, 4), Fraction(3, 20))


@pytest.mark.no_cover
@pytest.mark.parametrize("weeks", [200, pytest.param(5200, marks=pytest.mark.slow)])
def test_random_weeks_keep_to_the_page(weeks: int, times: int) -> None:
    """In 200 weeks, and in 5,200, every total, category, condition, watch and flood is what the page makes of the faces."""
    chance = random.Random(1966)  # noqa: S311 - a test that repeats
    past: list[Week] = []
    met = Counter[int]()
    for number in range(1, weeks * times + 1):
        faces = {zone: chance.randint(1, 20) for zone in oracle.ZONES}
        watch = chance.randint(1, 20)
        week, resolution = roll(past, faces, watch)
        carried = oracle.carried(past[0].zones if past else {})
        called = oracle.watched([before.regions for before in past], oracle.SEA)
        expected = [faces[zone] + carried[zone] for zone in oracle.ZONES]
        assert totals(resolution) == expected
        assert outcomes(week) == " ".join(map(oracle.read, oracle.ZONES, expected))
        assert week.regions == {
            region.id: zone.climate[week.zones[zone.id]][region.id]
            for zone in BOOK.zones.values()
            for region in zone.regions
        }
        assert week.watches.keys() == called
        flooded = {region for region in week.regions if week.flooded(region)}
        assert flooded == {region for region in called if oracle.floods(watch, week.regions[region])}
        assert week.number == number
        met.update(expected)
        past = [week, *past[:1]]
    assert set(met) == set(range(22))
