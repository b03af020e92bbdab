"""Forecasts, categories and changes in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.cogs.weather import embed, words
from bot.core.ledger import Body, EntryView
from bot.ui.text import paginate, plain
from rules.book import Book, Zone
from rules.books.campaign.weather import Week, forecast
from rules.climate import Climate, worst_condition
from tests.cogs.weather.skies import BOOK, entry, labels, long, make_drenched, require_limits, stretch_labels, text

SHOWN = EntryView(entry({}), "Iron Sea")
NONE = Climate()
"""A climate that is the book's own."""


def open_week(**outcomes: str) -> Week:
    """Week 12 with these outcomes by zone."""
    made = Week(12, {}, {})
    for zone, outcome in outcomes.items():
        made = made.with_outcome(BOOK.zones[zone.replace("_", "-")], outcome)
    return made


def foretold(*past: Week, book: Book = BOOK) -> str:
    """The forecast's text."""
    return text([embed.forecast_details(forecast(book, past, 13), book, campaign="Iron Sea")])


def test_a_forecast_tells_carry_over_and_the_exact_odds_of_each_zone() -> None:
    """Australia 6 gives +1; no other zone has any."""
    lines = foretold(open_week(australia="category-6")).splitlines()
    dot = "\N{MIDDLE DOT}"

    place = lines.index(f"**Australia** {dot} +1 Australia had category 6 last week")
    assert lines[place + 1] == (
        f"**7** 10% {dot} **Good** 35% {dot} **1** 10% {dot} **2** 10% {dot} **3** 15% {dot} **4** 10% {dot} **5** 10%"
    )
    place = lines.index(f"**North Africa** {dot} no carry-over")
    assert lines[place + 1].startswith(f"**Good** 25% {dot} **1** 15% {dot} **2** 10%")


def test_the_longest_forecast_is_told_whole() -> None:
    """The preview counts what it leaves out."""
    book = stretch_labels(BOOK, all_land=True)
    pages = paginate(embed.forecast_details(forecast(book, [make_drenched(book, 12)], 13), book, campaign="C" * 60))

    require_limits(pages)
    whole = text(pages).replace("\n", "")
    for name in labels(book):
        assert plain(name) in whole
    assert f"\N{BULLET} {plain(long('severe-storms'))} in week 12: " in whole
    lines = embed.preview_lines(forecast(book, [make_drenched(book, 12)], 13), book)

    assert len("\n".join(lines)) < 3300
    shown, last = lines[:-1], lines[-1]
    assert last == f"*and {2 * 5 + 1 + 1 - len(shown)} line more*"


def test_the_preview_tells_all_dice_in_their_order() -> None:
    """Zones, then regions, in 3,300 characters."""
    land = {
        zone.id: replace(
            zone, regions=tuple(replace(region, land=True, severe_storms_flood=True) for region in zone.regions)
        )
        for zone in BOOK.zones.values()
    }
    book = replace(BOOK, zones=land)
    answer = forecast(book, [make_drenched(book, 12)], 13)
    lines = embed.preview_lines(answer, book)

    assert len("\n".join(lines)) < 3300
    assert len(answer.watches) == 30
    (due,) = (line for line in lines if line.startswith("\N{BULLET}"))
    assert due == f"\N{BULLET} Severe Storms in week 12: {', '.join(watch.region.label for watch in answer.watches)}"
    zones = [line for line in lines if line.startswith(tuple(f"**{zone.label}**" for zone in book.zones.values()))]
    assert len(zones) == 5
    assert lines.index(zones[-1]) < lines.index("**Flood Watch**")
    assert any("7 East" in line and "7 West" in line for line in lines)


def describe_meaning(zone: Zone, outcome: str | None = None, climate: Climate = NONE, book: Book = BOOK) -> str:
    """A zone's categories in words."""
    return text([words.category_embeds(book, zone, climate, outcome)])


def test_categories_show_totals_exact_chance_and_a_printed_one_that_differs() -> None:
    """North Africa has two mismatches (WE-2)."""
    zone = BOOK.zones["north-africa"]
    said = "\n".join(describe_meaning(zone, outcome) for outcome in zone.climate)
    dot = "\N{MIDDLE DOT}"

    assert f"**Good** {dot} a total of 16-20 {dot} 25% (printed 20%)\nGood weather: Saharan Africa, Arabia" in said
    assert f"**Category 1** {dot} a total of 13-15 {dot} 15% (printed 20%)\n" in said
    assert f"**Category 2** {dot} a total of 11-12 {dot} 10%\n" in said
    assert f"**Category 7** {dot} a total of 1 {dot} 5%\n" in said
    assert said.count("printed") == 2


def test_a_row_beyond_the_plain_die_is_shown_by_its_own_end() -> None:
    """Rows 0 and 21 have no chance."""
    zone = BOOK.zones["australia"]
    table = BOOK.table(zone.table)
    first, *middle, last = table.rows
    rows = (replace(first, min=21), replace(middle[0], max=20), *middle[1:], replace(last, max=0))
    rows = (*rows[:-2], replace(rows[-2], min=1), rows[-1])
    book = replace(BOOK, tables={zone.table: replace(table, rows=rows)})

    for outcome, total in (("category-7", 21), ("category-6", 0)):
        head = f"**{outcome.title().replace('-', ' ')}** \N{MIDDLE DOT} a total of {total} \N{MIDDLE DOT} 0%"
        assert describe_meaning(zone, outcome, book=book).startswith(head)


def test_a_category_is_told_in_a_line_for_each_kind_of_weather() -> None:
    """A picture, five lines and its key."""
    for zone in BOOK.zones.values():
        assert len(describe_meaning(zone).splitlines()) <= 6
        for outcome in zone.climate:
            *lines, key = describe_meaning(zone, outcome).splitlines()
            assert len(lines) <= 1 + len(zone.regions)
            worst = [worst_condition(traits, BOOK) for traits in zone.climate[outcome].values()]
            assert all(found and f"{found.mark} {found.label}" in key for found in worst)
    (top, _) = words.category_embeds(BOOK, BOOK.zones["australia"], NONE)
    assert top.image.url == f"attachment://{words.CATEGORIES_PICTURE}"


def test_what_the_campaign_changed_bears_the_pencil() -> None:
    """Only in the changed zone."""
    zone, cell = BOOK.zones["south-asia"], Climate({("category-1", "india"): ("fog",)})
    assert words.EDITED not in describe_meaning(zone, "category-2", cell) + describe_meaning(
        BOOK.zones["australia"], None, cell
    )
    assert "Sea:" not in describe_meaning(BOOK.zones["north-africa"])
    climate = Climate(land={"new-zealand": True})
    said = describe_meaning(BOOK.zones["australia"], None, climate)
    assert f"Land: West Australia, East Australia, New Zealand {words.EDITED}\n" in said
    assert f"{words.EDITED} changed in this campaign\n" in said
    assert said.count(words.EDITED) == 2
    assert words.EDITED not in describe_meaning(BOOK.zones["south-asia"], None, climate)


def test_all_categories_of_the_longest_labels_fit() -> None:
    """With every region in every row."""
    book = stretch_labels(BOOK)
    every = {
        (outcome, region.id): ("good",)
        for zone in book.zones.values()
        for outcome in zone.climate
        for region in zone.regions
    }
    climate = Climate(every)
    for zone in book.zones.values():
        require_limits([words.category_embeds(book, zone, climate)])
        for outcome in zone.climate:
            embeds = words.category_embeds(book, zone, climate, outcome)
            require_limits([embeds])
            for region in zone.regions:
                assert text([embeds]).count(f"{plain(region.label)} {words.EDITED}") == 1


SET: Body = {
    "deed": "set",
    "week": 13,
    "zone": "*Australia*",
    "before": "category-1",
    "after": "category-6",
    "regions": [{"label": "Coral Sea", "labels": ["Storms", "Fog"]}, {"label": "Tasman", "labels": ["Storms", "Fog"]}],
    "opening": False,
}
EDIT: Body = {
    "deed": "edit",
    "zone": "Australia",
    "outcome": "category-6",
    "region": "Coral Sea",
    "before": ["Storms"],
    "after": ["Severe *Storms*", "Fog"],
    "land": None,
}
SEA = {"before": True, "after": False}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (SET, r"Week 13, \*Australia\*: category 1 → category 6"),
        ({**SET, "before": None}, r"Week 13, \*Australia\*: category 6"),
        ({**SET, "before": None, "after": "good", "opening": True}, r"Week 13 starts with Good in \*Australia\*"),
        (EDIT, r"In Coral Sea (Australia), category 6 means Storms → Severe \*Storms\*, Fog"),
        ({**EDIT, "after": ["Storms"], "land": SEA}, "Coral Sea is now sea"),
        (
            {**EDIT, "after": ["Fog"], "land": {"before": False, "after": True}},
            "In Coral Sea (Australia), category 6 means Storms → Fog; Coral Sea is now land",
        ),
        ({**EDIT, "after": ["Storms"]}, "Coral Sea stays as it is"),
    ],
)
def test_what_was_done_by_hand_is_a_short_sentence(body: Body, said: str) -> None:
    """First in the notice too."""
    assert words.change_sentence(body) == said
    (embed,) = words.notice(body, SHOWN)
    assert (embed.description or "").split("\n")[0] == said
    assert embed.footer.text == "#40"


@pytest.mark.parametrize(
    ("body", "besides"),
    [
        (SET, []),
        ({**SET, "newer": [14, 14]}, ["Week 14 stays as rolled."]),
        ({**SET, "newer": [14, 16]}, ["Weeks 14 to 16 stay as rolled."]),
        ({**EDIT, "default": {}}, []),
        (
            {**EDIT, "default": {"conditions": ["*Fog*", "Storms"], "land": False}},
            [r"House default: \*Fog\*, Storms; sea."],
        ),
    ],
)
def test_what_a_change_by_hand_means_besides_stands_below(body: Body, besides: list[str]) -> None:
    """In answer and notice."""
    assert list(words.list_unaffected(body)) == besides
    (embed,) = words.notice(body, SHOWN)
    assert (embed.description or "").split("\n\n")[0].split("\n")[1:] == besides
