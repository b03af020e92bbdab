"""What the categories of each zone mean, and what was changed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import discord

from bot.cogs.weather.entry_body import CategoryChanged, CellDefault, WeatherChange, WeekSet
from bot.cogs.weather.words import ARROW, grouped, pictured
from bot.core.entry_kinds import EntryView
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, plain
from rules.book import Book, Zone
from rules.climate import Climate, category_phrase, condition_label
from rules.odds import table_odds
from rules.phrases import percent
from rules.tables import RollTable, TableRow

EDITED = "\N{PENCIL}"
HOUSE_DEFAULT = "*House ruling: the book doesn't say this. Game masters change it with `/weather edit`.*"
CATEGORIES_PICTURE = "categories.png"
NOTHING = "nothing"


def category_embeds(book: Book, zone: Zone, climate: Climate, outcome: str | None = None) -> list[discord.Embed]:
    """Return what the categories of a zone mean, the picture first; with an outcome, all that this one means.

    What the campaign's own climate has changed is marked.
    """
    table = book.table(zone.table)
    footer = f"{book.cited.get(table.source.book, book.title)}, {table.source.section}"
    rows = [row for row in table.rows if row.outcome == outcome]
    lines = _category_lines(book, zone, rows[0], climate) if rows else _zone_lines(zone, climate)
    return pictured(f"{plain(zone.label)}: what the categories mean", lines, footer, CATEGORIES_PICTURE)


def chance_of(row: TableRow, table: RollTable) -> str:
    """Return by which totals a category comes, and how likely that is in a week without carry-over."""
    return f"a total of {_totals(row, table)}{DOT}{_odd(row, table_odds(table, 0)[row.outcome])}"


def notice(body: WeatherChange, shown: EntryView) -> list[discord.Embed]:
    """Return the notice that the weather was set, or that a category was given another meaning."""
    lines = [sentence(body), *asides(body)]
    if body["deed"] == "set" and body["regions"]:
        lines += ["", grouped((_words(region["labels"]), plain(region["label"])) for region in body["regions"])]
    return paging.fit(_title(body), lines, colour=COLOURS["neutral"], footer=entry_footer(shown))


def asides(body: WeatherChange) -> Iterator[str]:
    """Return what a change by hand leaves as it was, what it takes along, and the default that it leaves behind."""
    if body["deed"] == "set":
        if weeks := body.get("newer"):
            first, last = weeks
            yield f"Week {first} stays as rolled." if first == last else f"Weeks {first} to {last} stay as rolled."
    elif default := body.get("default"):
        yield f"House default: {_default(default)}."


def sentence(body: WeatherChange) -> str:
    """Return the same in one line."""
    return _set(body) if body["deed"] == "set" else _edit(body)


def _title(body: WeatherChange) -> str:
    return "Weather set by hand" if body["deed"] == "set" else "Weather category changed"


def _zone_lines(zone: Zone, climate: Climate) -> Iterator[str]:
    yield HOUSE_DEFAULT
    changed = [
        category_phrase(outcome)
        for outcome in zone.climate
        if any((outcome, region.id) in climate.cells for region in zone.regions)
    ]
    if changed or any(region.id in climate.land for region in zone.regions):
        yield f"{EDITED} changed in this campaign" + (f": {', '.join(changed)}" if changed else "")
    for name, land in (("Land", True), ("Sea", False)):
        regions = [
            plain(region.label) + _mark(region.id in climate.land) for region in zone.regions if region.land is land
        ]
        if regions:
            yield f"{name}: {', '.join(regions)}"
    yield "The picture shows each region's worst weather. Pick a category below for the rest."


def _mark(changed: bool) -> str:  # noqa: FBT001 - it marks whether it is so
    return f" {EDITED}" if changed else ""


def _category_lines(book: Book, zone: Zone, row: TableRow, climate: Climate) -> Iterator[str]:
    head = category_phrase(row.outcome)
    yield f"**{head[:1].upper()}{head[1:]}**{DOT}{chance_of(row, book.table(zone.table))}"
    cells = zone.climate.get(row.outcome, {})
    yield grouped(
        (
            _words(condition_label(book, trait) for trait in cells.get(region.id, ())),
            plain(region.label) + _mark((row.outcome, region.id) in climate.cells),
        )
        for region in zone.regions
    )


def _totals(row: TableRow, table: RollTable) -> str:
    """Return the totals of a row on a plain die, an open end being the die's own."""
    ends = [end for end in (row.min, row.max) if end is not None]
    low = min([table.die.low, *ends]) if row.min is None else row.min
    high = max([table.die.high, *ends]) if row.max is None else row.max
    return str(low) if low == high else f"{low}-{high}"


def _odd(row: TableRow, chance: Fraction) -> str:
    printed = row.percent is not None and Fraction(row.percent, 100) != chance
    return percent(chance) + (f" (printed {row.percent}%)" if printed else "")


def _set(body: WeekSet) -> str:
    zone, after = plain(body["zone"]), category_phrase(body["after"])
    if body["opening"]:
        return f"Week {body['week']} starts with {after} in {zone}"
    before = f"{category_phrase(body['before'])}{ARROW}" if body["before"] else ""
    return f"Week {body['week']}, {zone}: {before}{after}"


def _edit(body: CategoryChanged) -> str:
    region = plain(body["region"])
    sentences: list[str] = []
    if body["before"] != body["after"]:
        change = f"{_words(body['before'])}{ARROW}{_words(body['after'])}"
        sentences.append(f"In {region} ({plain(body['zone'])}), {category_phrase(body['outcome'])} means {change}")
    if body["land"]:
        sentences.append(f"{region} is now {'land' if body['land']['after'] else 'sea'}")
    return "; ".join(sentences) or f"{region} stays as it is"


def _default(default: CellDefault) -> str:
    words = [_words(default["conditions"])] if "conditions" in default else []
    words += ["land" if default["land"] else "sea"] if "land" in default else []
    return "; ".join(words)


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or NOTHING
