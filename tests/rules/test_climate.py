from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import pytest

from rules.book import Region, Zone
from rules.climate import category_label, category_phrase
from rules.loader import load_book
from rules.modifiers import KnownFact, Origin, list_mentioned_facts
from rules.odds import table_odds

BOOK = load_book("campaign")
ZONES = list(BOOK.zones.values())
WEATHER = {fact.trait for fact in BOOK.facts.values() if fact.role == "weather"}
FORMS = (  # grades of one and the same weather, of which a region has one at a time (PB-3)
    {"storms", "severe-storms"},
    {"fog", "thick-fog"},
    {"fog", "heavy-fog"},
)
PAIRS = {  # two names for one weather on the page (UC-3, ES-6): they come together
    "heavy-fog": {"thick-fog"},
    "sandstorm": {"dust-storms"},
    "rainstorm": {"storms", "severe-storms"},
    "snowstorm": {"thick-fog"},
    "violent-storms": {"severe-storms", "thick-fog"},
    "extreme-heat": {"heatwave"},
    "extreme-cold": {"freezing"},
}
ROLLED = {  # the tables that read the weather, and what else their lines ask for
    "campaign.patrol.catch": ((), ("target.all-ground",), ("target.all-airborne",)),
    "campaign.scouting": ((),),
    "campaign.detection": ((),),
    "campaign.complications": ((), ("side.defends-base",)),
    "campaign.escape": ((),),
}
WET = {"overcast", "storms", "severe-storms"}  # of a Flood Watch, line 265
DRY = {"dust-storms", "sandstorm"}
COLD = {"snowstorm", "extreme-cold", "freezing"}
HEAT = {"heatwave", "extreme-heat"}
POLAR = {"lutzow-holm-bay", "avery-ice-shelf", "davis-sea", "queen-mary-coast", "banzare-coast"}
DESERTS = {"saharan-africa", "arabia"}


def _list_cells() -> Iterator[tuple[Zone, str, Region, tuple[str, ...]]]:
    for zone in ZONES:
        for outcome, regions in zone.climate.items():
            for region in zone.regions:
                yield zone, outcome, region, regions[region.id]


def _list_conditions(*regions: str) -> set[str]:
    return {trait for _, _, region, traits in _list_cells() if region.id in regions for trait in traits}


def _rate_harshness(zone: str, outcome: str) -> Fraction:
    regions = BOOK.zones[zone].climate[outcome].values()
    return Fraction(sum(max(BOOK.conditions[trait].severity for trait in traits) for traits in regions), len(regions))


def _list_categories(zone: str, side: str = "") -> list[str]:
    return sorted(outcome for outcome in BOOK.zones[zone].climate if re.fullmatch(rf"category-\d{side}", outcome))


SLOPES = {
    "south-africa": _list_categories("south-africa"),
    "north-africa": _list_categories("north-africa"),
    "south-asia": _list_categories("south-asia"),
    "australia": _list_categories("australia")[:6],  # 7 lies at the other end of the table
    "antarctic-east": _list_categories("antarctic", "-east"),
    "antarctic-west": _list_categories("antarctic", "-west"),
}


STEEPS = [(zone, "") for zone in BOOK.zones if zone != "antarctic"] + [("antarctic", "-east"), ("antarctic", "-west")]


def test_every_cell_is_told() -> None:
    """Every outcome gives every region conditions; only good ones give good weather."""
    for zone in ZONES:
        regions = {region.id for region in zone.regions}
        assert set(zone.climate) == {row.outcome for row in BOOK.table(zone.table).rows}
        assert all(set(told) == regions and all(told.values()) for told in zone.climate.values())
    assert {traits for _, outcome, _, traits in _list_cells() if outcome == "good"} == {("good",)}
    assert {traits for *_, traits in _list_cells() if "good" in traits} == {("good",)}


def test_conditions_are_the_weather_facts() -> None:
    """Labels are the facts', marks differ, severities rise."""
    assert set(BOOK.conditions) == WEATHER
    assert all(item.label == BOOK.facts[f"weather.{item.trait}"].label for item in BOOK.conditions.values())
    assert {item.severity for item in BOOK.conditions.values()} == {0, 1, 2, 3, 4}
    assert len({item.mark.casefold() for item in BOOK.conditions.values()}) == len(BOOK.conditions)
    assert all(re.fullmatch("[A-Z][A-Za-z]", item.mark) for item in BOOK.conditions.values())
    severity = {trait: item.severity for trait, item in BOOK.conditions.items()}
    slopes = (
        ("good", "overcast", "storms", "severe-storms", "violent-storms"),
        ("good", "fog", "thick-fog"),
        ("fog", "heavy-fog"),
        ("good", "heatwave", "extreme-heat"),
        ("good", "freezing", "extreme-cold"),
    )
    assert [pair for slope in slopes for pair in pairwise(slope) if severity[pair[0]] >= severity[pair[1]]] == []


def test_every_condition_that_a_table_reads_can_come_about() -> None:
    """Each occurs somewhere; only Flood Watches bring Mud/Flood."""
    read = {
        name.removeprefix("weather.")
        for table in BOOK.tables.values()
        for modifier in table.modifiers
        for name in list_mentioned_facts(modifier.when)
        if name.startswith("weather.")
    }
    found = {trait for *_, traits in _list_cells() for trait in traits}
    assert read - found == {"mud-flood"}
    assert found == WEATHER - {"mud-flood"}


@pytest.mark.parametrize("forms", FORMS, ids=lambda forms: "-or-".join(sorted(forms)))
def test_of_two_forms_of_one_weather_a_region_has_one(forms: set[str]) -> None:
    """A severe form replaces the mild one (PB-3)."""
    assert [traits for *_, traits in _list_cells() if len(forms.intersection(traits)) > 1] == []


@pytest.mark.parametrize("condition", PAIRS)
def test_what_few_rolls_read_stands_beside_what_most_do(condition: str) -> None:
    """Rare conditions come with those that most families read."""
    alone = [traits for *_, traits in _list_cells() if condition in traits and PAIRS[condition].isdisjoint(traits)]
    assert alone == []


def _weigh_sky(traits: tuple[str, ...]) -> list[int]:
    sums: list[int] = []
    for table, situations in ROLLED.items():
        for situation in situations:
            facts = (*situation, *(f"weather.{trait}" for trait in traits))
            known = {fact: KnownFact(1, Origin("weather", "this week")) for fact in facts}
            weighed = BOOK.table(table).modifier_set().weigh(known, {})
            amounts = [item.amount for item in weighed if item.modifier.id.startswith("weather.")]
            sums += [sum(amount for amount in amounts if amount > 0), -sum(amount for amount in amounts if amount < 0)]
    return [*sums, max(BOOK.conditions[trait].severity for trait in traits)]


@pytest.mark.parametrize(("zone", "side"), STEEPS)
def test_no_step_to_a_worse_category_weakens_anything(zone: str, side: str) -> None:
    """No modifier and no severity gets weaker."""
    rows = BOOK.zones[zone].climate
    milder_then_worse = [
        (region.id, outcome, rows[outcome][region.id], rows[worse][region.id])
        for outcome, worse in pairwise(["good", *_list_categories(zone, side)])
        for region in BOOK.zones[zone].regions
    ]
    pairs = [(*step, zip(_weigh_sky(step[2]), _weigh_sky(step[3]), strict=True)) for step in milder_then_worse]
    assert [step for *step, worth in pairs if any(before > after for before, after in worth)] == []


def test_storms_are_more_common_than_severe_storms() -> None:
    """Over all regions, and never rarer in a zone."""
    chances: dict[str, dict[str, Fraction]] = {}
    for zone, outcome, _, traits in _list_cells():
        chance = table_odds(BOOK.table(zone.table), 0)[outcome]
        for trait in traits:
            told = chances.setdefault(zone.id, {})
            told[trait] = told.get(trait, Fraction(0)) + chance
    assert [zone for zone, told in chances.items() if told["storms"] < told["severe-storms"]] == []
    assert sum(told["storms"] for told in chances.values()) > sum(told["severe-storms"] for told in chances.values())


@pytest.mark.parametrize("slope", SLOPES)
def test_rarer_is_harsher(slope: str) -> None:
    """The mean of the worst severities never falls."""
    zone = slope.removesuffix("-east").removesuffix("-west")
    means = [_rate_harshness(zone, outcome) for outcome in ["good", *SLOPES[slope]]]
    assert means == sorted(means)
    assert means[0] == 0 < means[1]
    assert means[-1] == max(means) > means[-2]


def test_the_slopes_hold_every_outcome() -> None:
    """All categories are compared, except Australia's other end."""
    told = {(slope.partition("-east")[0].partition("-west")[0], row) for slope, rows in SLOPES.items() for row in rows}
    every = {(zone.id, outcome) for zone in ZONES for outcome in zone.climate if outcome != "good"}
    assert every - told == {("australia", "category-7")}


def test_the_ends_of_the_tables_are_extremes() -> None:
    """Rarest categories bring severe and violent storms, or heat and dust."""
    assert _rate_harshness("australia", "category-7") >= _rate_harshness("australia", "category-5")
    dry = BOOK.zones["australia"].climate["category-7"]
    assert all(HEAT.intersection(traits) for traits in dry.values())
    assert DRY.issubset(dry["west-australia"])
    assert not WET.intersection(trait for traits in dry.values() for trait in traits)
    worst = [("south-asia", "category-6"), ("australia", "category-6"), ("south-africa", "category-6")]
    for zone, outcome in worst:
        found = [
            {"severe-storms", "violent-storms"} <= {*traits} for traits in BOOK.zones[zone].climate[outcome].values()
        ]
        assert found.count(True) * 2 >= len(found)


def test_deserts_are_hot_the_pole_is_cold_and_land_can_flood() -> None:
    """Land has Severe Storms; the Sahara also Storms (WE-9)."""
    assert all(_list_conditions(region) >= DRY | HEAT for region in DESERTS)
    assert all(_list_conditions(region) >= {"snowstorm", "freezing"} for region in POLAR - {"avery-ice-shelf"})
    assert _list_conditions("avery-ice-shelf") >= COLD
    assert _list_conditions(*POLAR).isdisjoint(DRY | HEAT)
    warm = [region.id for zone in ZONES for region in zone.regions if region.id not in {*POLAR, "new-zealand"}]
    assert _list_conditions(*warm).isdisjoint(COLD)
    seas = [region.id for zone in ZONES for region in zone.regions if not region.land]
    assert len(seas) == 8
    assert _list_conditions(*seas).isdisjoint(DRY | {"mud-flood"})
    land = [region.id for zone in ZONES for region in zone.regions if region.land and region.id not in POLAR]
    assert [region for region in land if "severe-storms" not in _list_conditions(region)] == []
    assert [region for region in land if not _list_conditions(region) & WET] == []
    assert "storms" in _list_conditions("saharan-africa")


def test_each_region_has_a_place_of_its_own_on_the_map() -> None:
    """Thirty regions on nine columns and five rows."""
    found = [region.at for zone in ZONES for region in zone.regions if region.at is not None]
    assert len(found) == len(set(found)) == 30
    assert {column for column, _ in found} == set(range(9))
    assert {row for _, row in found} == set(range(5))


@pytest.mark.parametrize(
    ("outcome", "short", "spoken"),
    [
        ("good", "Good", "Good"),
        ("category-3", "3", "category 3"),
        ("category-6-west", "6 West", "category 6 West"),
        ("ash-rain", "Ash Rain", "Ash Rain"),
    ],
)
def test_an_outcome_is_short_in_a_table_and_spoken_in_a_sentence(outcome: str, short: str, spoken: str) -> None:
    """Categories have number and side; other outcomes their name."""
    assert (category_label(outcome), category_phrase(outcome)) == (short, spoken)
