"""Weather in words, within limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.weather import embed as weather
from bot.cogs.weather.pictures import alt, history_alt
from bot.core.ledger import EntryView, Publication, View
from bot.core.records import Entry
from bot.ui.text import paginate, plain
from rules.books.campaign.weather import Week, describe_week, due_watches
from tests.cogs.weather import skies


def digest(made: Entry, view: View = "public", **known: Any) -> str:  # noqa: ANN401 - fields of EntryView
    """A rollover in full."""
    return skies.text(weather.digest_details(EntryView(made, "Iron Sea", **known), view))


def test_the_details_tell_each_zones_die_modifier_with_its_reason_total_and_category() -> None:
    """With reasons; others are bare dice."""
    past, _ = skies.rollover([], skies.STORMY, number=12)
    _, made = skies.rollover([past], (14, 3, 13, 10, 18, *[20] * 17))
    lines = digest(made).splitlines()

    why = "\N{MINUS SIGN}1 Antarctic Sea had category 6 or 7 West last week"
    assert f"**South Africa** 1d20: **14** \N{MINUS SIGN} 1 = **13**, **Good** ({why})" in lines
    assert "**North Africa** 1d20: **3**, category **6**" in lines
    assert any(
        line.startswith("**Antarctic Sea** 1d20: **18** + 1 = **19**, category **6 East** (+1 ") for line in lines
    )
    assert len(lines) <= 70


@pytest.mark.parametrize(("last", "said"), [(12, "**What changed**\nnothing\n"), (None, None)])
def test_no_change_is_said_only_when_last_week_is_known(last: int | None, said: str | None) -> None:
    """Without a week before, nothing is said."""
    _, made = skies.rollover([], skies.FAIR)
    body = json.loads(made.body)
    body["weather"]["last"] = last

    whole = digest(skies.entry(body))
    assert ("What changed" in whole) == (said is not None)
    assert said is None or said in whole


def test_an_entry_that_tells_last_week_in_words_alone_is_shown_too() -> None:
    """By labels."""
    _, made = skies.rollover([skies.week(skies.BOOK, 12, "good")], (20, 20, 12, 15, 10))
    body = json.loads(made.body)
    for zone in body["weather"]["zones"]:
        for place in zone["regions"]:
            del place["had"]
    assert digest(skies.entry(body)) == digest(made)


def test_each_flood_watch_is_told_with_its_die_and_what_it_came_to() -> None:
    """Mud/Flood is named nowhere else."""
    before = replace(skies.week(skies.BOOK, 12, "good"), regions=skies.make_drenched(skies.BOOK, 12).regions)
    assert [watch.region.id for watch in due_watches(skies.BOOK, [before])][:3] == [
        "zambeze-basin",
        "south-africa",
        "madagascar",
    ]
    watches = len(due_watches(skies.BOOK, [before]))
    _, made = skies.rollover([before], (12, 20, 20, 15, 10, 10, 11, 11, *[20] * (watches - 3)))
    whole = digest(made)

    zones, _, block = whole.partition("**Flood Watch**, 1d20 each\n")
    flooded, dry = block.split("\n")
    assert flooded.startswith("Mud/Flood: Zambeze Basin (10), South Africa (11, wet)")
    assert "Madagascar" not in flooded
    assert dry.startswith("None: Madagascar (11), ")
    assert "Mud/Flood" not in zones + dry


def test_mud_that_stays_or_ends_is_told_once() -> None:
    """Whatever else is there."""
    before = replace(
        skies.make_drenched(skies.BOOK, 12),
        watches={"zambeze-basin": "mud-flood", "south-africa": "mud-flood", "congo": "mud-flood"},
    )
    _, made = skies.rollover([before], (20, 20, 20, 15, 10, 10, *[20] * (len(due_watches(skies.BOOK, [before])) - 1)))
    whole = digest(made)
    changed = whole.partition("**What changed**\n")[2].partition("\n\n")[0]
    assert "Mud/Flood: Zambeze Basin (10, again)\nNone: South Africa (20), " in whole
    assert "\nNo more Mud/Flood: South Africa, Congo" in changed
    assert whole.count("Mud/Flood") == 2

    fair = replace(skies.week(skies.BOOK, 12, "good"), watches={"india": "mud-flood"})
    said = skies.text([weather.week_details(describe_week(fair, None, skies.BOOK), footer="Iron Sea")])
    assert "Mud/Flood: India\nGood weather: Arabian Sea, Sri Lanka" in said
    assert "No Mud/Flood" not in said


def test_a_fair_region_with_mud_is_not_called_good() -> None:
    """Facts have both."""
    made = replace(skies.week(skies.BOOK, 13, "good"), watches={"india": "mud-flood"})
    shown = describe_week(made, replace(made, number=12), skies.BOOK)
    alone = skies.text([weather.week_embeds(shown, footer="Iron Sea", place=skies.BOOK.places["india"][1])])
    line = skies.text(
        [weather.history_details([made], skies.BOOK, campaign="Iron Sea", place=skies.BOOK.places["india"][1])]
    )
    (india,) = [place for zone in shown["zones"] for place in zone["regions"] if place["id"] == "india"]

    assert alone.startswith("**Mud/Flood**\n")
    assert line == "**Week 13** \N{MIDDLE DOT} Mud/Flood"
    assert india["conditions"] == ["good", "mud-flood"]


def test_a_rollover_kept_from_the_public_is_not_told_to_it() -> None:
    """Until it's published."""
    _, made = skies.rollover([], skies.FAIR)
    body = json.loads(made.body)
    body["parts"][0]["audience"] = "staff"
    hidden = skies.entry(body)

    assert weather.digest_pages(EntryView(hidden, "Iron Sea"), "public") == []
    assert weather.digest_details(EntryView(hidden, "Iron Sea"), "public") == []
    assert "Australia" in skies.text(weather.digest_pages(EntryView(hidden, "Iron Sea"), "staff"))
    assert "Australia" in digest(hidden, "staff")
    assert "Australia" in digest(hidden, published=Publication())


def test_a_die_with_a_secret_in_it_stays_with_the_staff() -> None:
    """The public reads the category."""
    _, made = skies.rollover([], skies.FAIR)
    body = json.loads(made.body)
    body["parts"][0]["secret"] = True

    assert "**South Africa** \N{RIGHTWARDS ARROW} **Good**" in digest(skies.entry(body))
    assert "**South Africa** 1d20" in digest(skies.entry(body), "staff")


def test_a_note_is_shown_to_all_and_a_reason_to_the_staff() -> None:
    """Notes beside secrets are hidden."""
    _, made = skies.rollover([], skies.FAIR)
    body = json.loads(made.body)
    noted = skies.entry(body, note="*Dry* season", reason="A <slip>")
    said = "**Note:** \\*Dry\\* season"

    assert digest(noted).endswith(said)
    assert digest(noted, "staff").endswith(f"{said}\n**Rolled again because:** A \\<slip>")
    body["parts"][0]["secret"] = True
    assert "Note" not in digest(skies.entry(body, note="*Dry* season"))


def test_the_longest_rollover_is_told_whole() -> None:
    """Escaped and within limits."""
    book = skies.stretch_labels(skies.BOOK, all_land=True)
    past = skies.make_drenched(book, 12)
    assert len(due_watches(book, [past])) == 30
    _, made = skies.rollover([past], (*skies.STORMY, *[3] * 30), book)
    skies.require_limits(weather.digest_pages(EntryView(made, "C" * 60), "public"))
    pages = weather.digest_details(EntryView(made, "C" * 60), "public")

    skies.require_limits(pages)
    whole = skies.text(pages).replace("\n", "")
    for zone in book.zones.values():
        for region in zone.regions:
            assert f"{plain(region.label)} (3)" in whole
    for name in skies.labels(book):
        assert plain(name) in whole


def test_a_zone_that_is_not_known_is_told_as_such() -> None:
    """In lists, alone and in alt texts."""
    known = Week(0, {}, {}).with_outcome(skies.BOOK.zones["australia"], "category-6")
    shown = describe_week(known, None, skies.BOOK)
    said = skies.text([weather.week_details(shown, footer="Iron Sea")])

    assert "**South Africa: not known**\nnot known: Zambeze Basin, South Africa" in said
    assert "**Australia: 6**" in said
    alone = skies.text([weather.week_embeds(shown, footer="Iron Sea", place=skies.BOOK.places["india"][1])])
    assert alone == "**not known**\nLand, in the zone South and Southeast Asia: not known"
    assert "South Africa not known, North Africa not known" in alt(shown)


def test_an_alt_text_that_is_cut_says_how_much_is_missing() -> None:
    """Named and unnamed add up."""
    book = skies.stretch_labels(skies.BOOK)
    past = skies.make_drenched(book, 12)
    made = replace(past, number=13, watches=dict.fromkeys(past.regions, "mud-flood"))
    said = alt(describe_week(made, None, book))

    assert len(said) <= 1000
    body, _, rest = said.partition(" And ")
    shown = sum(body.count(name) for name in skies.labels(book))
    assert shown + int(rest.removesuffix(" more.")) == 5 + 30 + 30


def test_a_year_of_weeks_is_told_newest_first_and_none_is_dropped() -> None:
    """A line each, within limits."""
    book = skies.stretch_labels(skies.BOOK)
    weeks = [skies.week(book, number) for number in range(52)]
    zone = book.zones["australia"]
    for place in (None, zone, zone.regions[0]):
        shown = weather.history_embeds(weeks, book, campaign="Iron Sea", place=place)
        skies.require_limits(paginate(shown))
        assert shown[0].image.url == "attachment://history.png"
        *lines, key = skies.text([shown]).splitlines()
        assert len(lines) == weather.NEWEST
        assert key.startswith("-# ")
        assert "from light to dark" in key
        embeds = weather.history_details(weeks, book, campaign="Iron Sea", place=place)
        skies.require_limits(paginate(embeds))
        numbers = [int(line.split("**")[1].removeprefix("Week ")) for line in skies.text([embeds]).splitlines()]
        assert numbers == list(range(51, -1, -1))


def test_a_history_without_weeks_says_so() -> None:
    """One sentence."""
    assert history_alt([], skies.BOOK).endswith("No week is known yet.")


def test_the_heat_maps_alt_text_counts_weeks() -> None:
    """In the table's order."""
    weeks = [skies.week(skies.BOOK, number, "good" if number < 3 else "category-2") for number in range(1, 5)]
    said = history_alt(weeks, skies.BOOK)
    assert said.startswith("Heat map of the weather of weeks 1 to 4")
    assert "South Africa: Good in 2, 2 in 2." in said
    assert said.endswith("Antarctic Sea: Good in 2, not known in 2.")

    year = [
        Week(
            number, {zone.id: list(zone.climate)[number % len(zone.climate)] for zone in skies.BOOK.zones.values()}, {}
        )
        for number in range(52)
    ]
    assert len(history_alt(year, skies.BOOK)) <= 1000
    assert "not named" not in history_alt(year, skies.BOOK)
    assert len(history_alt(year, skies.stretch_labels(skies.BOOK))) <= 1000


def test_the_alt_text_of_one_place_counts_its_own_weather() -> None:
    """Cut to Discord's limit."""
    weeks = [skies.week(skies.BOOK, number, "good" if number < 3 else "category-1") for number in range(1, 4)]
    zone = skies.BOOK.zones["south-asia"]
    india = "India: Good weather in 2, Overcast in 1."
    alone = history_alt(weeks, skies.BOOK, skies.BOOK.places["india"][1])
    assert (
        alone
        == f"Heat map of the weather of weeks 1 to 3: in how many of them each region had which conditions. {india}"
    )
    every = history_alt(weeks, skies.BOOK, zone)
    assert india in every
    assert all(f" {region.label}: " in every for region in zone.regions)
    book = skies.stretch_labels(skies.BOOK)
    assert len(history_alt([skies.week(book, number) for number in range(52)], book, book.zones["south-asia"])) <= 1000


def gist(made: Entry) -> list[str]:
    """Lines below the map, without its key."""
    *lines, key = skies.text(weather.digest_pages(EntryView(made, "Iron Sea"), "public")).splitlines()
    assert key.endswith("Blue: Mud/Flood.")
    return lines


def test_what_turns_worse_is_told_without_mud() -> None:
    """Whole zones are named."""
    _, made = skies.rollover([skies.week(skies.BOOK, 12, "good")], (20, 20, 12, 15, 10))
    assert gist(made)[1:] == ["No warnings, no Mud/Flood.", "**Worse:** all of South and Southeast Asia"]
    fair = skies.make_drenched(skies.BOOK, 12)
    _, muddy = skies.rollover([replace(fair, regions=skies.week(skies.BOOK, 12, "good").regions)], skies.FAIR)
    body = json.loads(muddy.body)
    body["weather"]["zones"][2]["regions"][1]["conditions"].append("mud-flood")
    assert gist(skies.entry(body))[1:] == ["**Mud/Flood:** India"]


def test_an_entry_of_old_that_knows_no_warnings_is_told_without_them() -> None:
    """Categories and Mud/Flood are there."""
    _, made = skies.rollover([], skies.STORMY)
    body = json.loads(made.body)
    for zone in body["weather"]["zones"]:
        for place in zone["regions"]:
            del place["warning"], place["turned"]
    assert gist(skies.entry(body))[1:] == ["No warnings, no Mud/Flood."]
