"""The house's climate of the campaign book: complete, plausible, and the harsher the rarer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import pytest

from rules.book import Region, Zone
from rules.climate import category_label, category_phrase
from rules.loader import load_book
from rules.modifiers import Known, Origin, mentioned_facts
from rules.odds import table_odds

BOOK = load_book("campaign")
ZONES = list(BOOK.zones.values())
WEATHER = {fact.trait for fact in BOOK.facts.values() if fact.role == "weather"}
FORMS = (  # grades of one and the same weather, of which a region has one at a time (PB-3)
    {"storms", "severe-storms"},
    {"fog", "thick-fog"},
    {"fog", "heavy-fog"},
)
PAIRS = {  # what one line of the page calls so, another knows by the other name (UC-3, ES-6): one never stands alone
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


def cells() -> Iterator[tuple[Zone, str, Region, tuple[str, ...]]]:
    """Every outcome of every zone for each of its regions, with the conditions there."""
    for zone in ZONES:
        for outcome, regions in zone.climate.items():
            for region in zone.regions:
                yield zone, outcome, region, regions[region.id]


def of(*regions: str) -> set[str]:
    """All conditions that these regions can have."""
    return {trait for _, _, region, traits in cells() if region.id in regions for trait in traits}


def harshness(zone: str, outcome: str) -> Fraction:
    """The mean over the zone's regions of the worst severity in each."""
    regions = BOOK.zones[zone].climate[outcome].values()
    return Fraction(sum(max(BOOK.conditions[trait].severity for trait in traits) for traits in regions), len(regions))


def categories(zone: str, side: str = "") -> list[str]:
    """The outcomes of one end of a zone's table, from category 1 upwards."""
    return sorted(outcome for outcome in BOOK.zones[zone].climate if re.fullmatch(rf"category-\d{side}", outcome))


SLOPES = {
    "south-africa": categories("south-africa"),
    "north-africa": categories("north-africa"),
    "south-asia": categories("south-asia"),
    "australia": categories("australia")[:6],  # 7 lies at the other end of the table
    "antarctic-east": categories("antarctic", "-east"),
    "antarctic-west": categories("antarctic", "-west"),
}


STEEPS = [(zone, "") for zone in BOOK.zones if zone != "antarctic"] + [("antarctic", "-east"), ("antarctic", "-west")]


def test_every_cell_is_told() -> None:
    """Each outcome of a zone's table gives each region of the zone, and no other, at least one condition; the good outcome gives good weather alone, and no other does."""
    for zone in ZONES:
        regions = {region.id for region in zone.regions}
        assert set(zone.climate) == {row.outcome for row in BOOK.table(zone.table).rows}
        assert all(set(told) == regions and all(told.values()) for told in zone.climate.values())
    assert {traits for _, outcome, _, traits in cells() if outcome == "good"} == {("good",)}
    assert {traits for *_, traits in cells() if "good" in traits} == {("good",)}


def test_conditions_are_the_weather_facts() -> None:
    """Each under the fact's label, with a severity from 0 to 4 and a mark of its own; severities rise from fog to thick fog, storms to severe and violent ones, heatwave to extreme heat."""
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
    """Whatever weather a modifier asks for occurs somewhere; Mud/Flood does not, since a Flood Watch alone brings it."""
    read = {
        name.removeprefix("weather.")
        for table in BOOK.tables.values()
        for modifier in table.modifiers
        for name in mentioned_facts(modifier.when)
        if name.startswith("weather.")
    }
    found = {trait for *_, traits in cells() for trait in traits}
    assert read - found == {"mud-flood"}
    assert found == WEATHER - {"mud-flood"}


@pytest.mark.parametrize("forms", FORMS, ids=lambda forms: "-or-".join(sorted(forms)))
def test_of_two_forms_of_one_weather_a_region_has_one(forms: set[str]) -> None:
    """A severe form is a condition of its own, not one beside the mild form (PB-3)."""
    assert [traits for *_, traits in cells() if len(forms.intersection(traits)) > 1] == []


@pytest.mark.parametrize("condition", PAIRS)
def test_what_few_rolls_read_stands_beside_what_most_do(condition: str) -> None:
    """A storm of snow or sand, heavy fog and the like come with the condition by which other families know them."""
    alone = [traits for *_, traits in cells() if condition in traits and PAIRS[condition].isdisjoint(traits)]
    assert alone == []


def weight(traits: tuple[str, ...]) -> list[int]:
    """What a sky is worth: for each roll that reads it what it adds and what it takes, then its severity."""
    sums: list[int] = []
    for table, situations in ROLLED.items():
        for situation in situations:
            facts = (*situation, *(f"weather.{trait}" for trait in traits))
            known = {fact: Known(1, Origin("weather", "this week")) for fact in facts}
            weighed = BOOK.table(table).modifier_set().weigh(known, {})
            amounts = [item.amount for item in weighed if item.modifier.id.startswith("weather.")]
            sums += [sum(amount for amount in amounts if amount > 0), -sum(amount for amount in amounts if amount < 0)]
    return [*sums, max(BOOK.conditions[trait].severity for trait in traits)]


@pytest.mark.parametrize(("zone", "side"), STEEPS)
def test_no_step_to_a_worse_category_weakens_anything(zone: str, side: str) -> None:
    """In each region no modifier of any family that the weather brings, for or against, gets less, and no severity falls."""
    rows = BOOK.zones[zone].climate
    milder_then_worse = [
        (region.id, outcome, rows[outcome][region.id], rows[worse][region.id])
        for outcome, worse in pairwise(["good", *categories(zone, side)])
        for region in BOOK.zones[zone].regions
    ]
    pairs = [(*step, zip(weight(step[2]), weight(step[3]), strict=True)) for step in milder_then_worse]
    assert [step for *step, worth in pairs if any(before > after for before, after in worth)] == []


def test_storms_are_more_common_than_severe_storms() -> None:
    """Over all regions a week brings Storms more often than Severe Storms, and in no zone less often."""
    chances: dict[str, dict[str, Fraction]] = {}
    for zone, outcome, _, traits in cells():
        chance = table_odds(BOOK.table(zone.table), 0)[outcome]
        for trait in traits:
            told = chances.setdefault(zone.id, {})
            told[trait] = told.get(trait, Fraction(0)) + chance
    assert [zone for zone, told in chances.items() if told["storms"] < told["severe-storms"]] == []
    assert sum(told["storms"] for told in chances.values()) > sum(told["severe-storms"] for told in chances.values())


@pytest.mark.parametrize("slope", SLOPES)
def test_rarer_is_harsher(slope: str) -> None:
    """From good weather up the categories the mean of the worst severities never falls, and the last is the worst."""
    zone = slope.removesuffix("-east").removesuffix("-west")
    means = [harshness(zone, outcome) for outcome in ["good", *SLOPES[slope]]]
    assert means == sorted(means)
    assert means[0] == 0 < means[1]
    assert means[-1] == max(means) > means[-2]


def test_the_slopes_hold_every_outcome() -> None:
    """All categories of the five tables are compared, but for the other end of Australia's."""
    told = {(slope.partition("-east")[0].partition("-west")[0], row) for slope, rows in SLOPES.items() for row in rows}
    every = {(zone.id, outcome) for zone in ZONES for outcome in zone.climate if outcome != "good"}
    assert every - told == {("australia", "category-7")}


def test_the_ends_of_the_tables_are_extremes() -> None:
    """The rarest category brings severe and violent storms together to most regions around the equator; at its other end Australia has heat and dust, no milder than floods."""
    assert harshness("australia", "category-7") >= harshness("australia", "category-5")
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


def test_deserts_are_dry_and_hot_and_the_pole_is_cold() -> None:
    """Sand, dust and heat belong to the Sahara and Arabia, and to no sea; snow and cold to the Antarctic and no tropical place."""
    assert all(of(region) >= DRY | HEAT for region in DESERTS)
    assert all(of(region) >= {"snowstorm", "freezing"} for region in POLAR - {"avery-ice-shelf"})
    assert of("avery-ice-shelf") >= COLD
    assert of(*POLAR).isdisjoint(DRY | HEAT)
    warm = [region.id for zone in ZONES for region in zone.regions if region.id not in {*POLAR, "new-zealand"}]
    assert of(*warm).isdisjoint(COLD)
    seas = [region.id for zone in ZONES for region in zone.regions if not region.land]
    assert len(seas) == 8
    assert of(*seas).isdisjoint(DRY | {"mud-flood"})


def test_every_land_region_but_the_pole_can_come_to_a_flood_watch() -> None:
    """Wherever it is not too cold for it, land has Severe Storms; the Sahara, excepted then, has Storms too (WE-9)."""
    land = [region.id for zone in ZONES for region in zone.regions if region.land and region.id not in POLAR]
    assert [region for region in land if "severe-storms" not in of(region)] == []
    assert [region for region in land if not of(region) & WET] == []
    assert "storms" in of("saharan-africa")


def test_each_region_has_a_place_of_its_own_on_the_map() -> None:
    """All thirty regions stand on a grid of nine columns and five rows, one on each place."""
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
    """A category is its number and side, with the word before it in a sentence; a house's own outcome is its name."""
    assert (category_label(outcome), category_phrase(outcome)) == (short, spoken)
