"""A rollover at a glance: what stands below its map, in five lines at most."""

from __future__ import annotations

import json

from msgspec.structs import replace

from bot.cogs.weather import embed as weather
from bot.core.entry_kinds import EntryView
from bot.core.records import Entry
from tests.cogs.weather.skies import BOOK, FAIR, STORMY, drenched, entry, rollover, text, week


def gist(made: Entry) -> list[str]:
    """The lines below the map of a rollover."""
    return text(weather.digest_pages(EntryView(made, "Iron Sea"), "public")).splitlines()


def test_what_turns_worse_is_told_without_mud() -> None:
    """A zone whose regions all grew worse is named as a whole, else its regions; mud alone makes no weather worse."""
    _, made = rollover([week(BOOK, 12, "good")], (20, 20, 12, 15, 10))
    assert gist(made)[1:] == [
        "No warnings, no Mud/Flood.",
        "**Worse:** all of South and Southeast Asia",
    ]
    fair = drenched(BOOK, 12)
    _, muddy = rollover([replace(fair, regions=week(BOOK, 12, "good").regions)], FAIR)
    body = json.loads(muddy.body)
    body["weather"]["zones"][2]["regions"][1]["conditions"].append("mud-flood")
    assert gist(entry(body))[1:] == ["**Mud/Flood:** India"]


def test_of_many_regions_the_first_four_are_named() -> None:
    """Where 30 regions are under Mud/Flood, the line names four and counts the others; no line is a list of them all."""
    book = replace(
        BOOK,
        zones={
            zone.id: replace(
                zone, regions=tuple(replace(region, land=True, severe_storms_flood=True) for region in zone.regions)
            )
            for zone in BOOK.zones.values()
        },
    )
    _, made = rollover([drenched(book, 12)], (*FAIR, *[10] * 30), book)
    (line,) = [line for line in gist(made) if line.startswith("**Mud/Flood:**")]
    assert line == "**Mud/Flood:** Zambeze Basin, South Africa, Madagascar, Lutzow-Holm Bay and 26 more"


def test_an_entry_of_old_that_knows_no_warnings_is_told_without_them() -> None:
    """Categories and Mud/Flood are there, nothing is said of what turned."""
    _, made = rollover([], STORMY)
    body = json.loads(made.body)
    for zone in body["weather"]["zones"]:
        for place in zone["regions"]:
            del place["warning"], place["turned"]
    assert gist(entry(body))[1:] == ["No warnings, no Mud/Flood."]
