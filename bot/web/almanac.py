"""Public weather, printed rules, deadlines."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from textwrap import wrap
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.weather import pictures, queries
from bot.core import entries, errors, library
from bot.outbox.sending import Drawing
from bot.schedules.store import Schedule, find_next
from bot.web.addresses import SiteAddress
from bot.web.reading import MissingPage, SitePage, SiteReader
from rules.book import Book
from rules.books.campaign.weather import Week, describe_week
from rules.climate import WeekAccount, ZoneAccount, category_phrase, label_conditions
from rules.odds import table_odds
from rules.phrases import format_signed, name_totals, percent
from rules.ruleset import RuleSet
from rules.tables import RollTable

MOST_WEEKS, MOST_TILES = 26, 80
OURS = "house rule"
WIDTH, HEIGHT = 120, 104
LINES, LONGEST, LARGEST, ROOM = 3, 11, 18, 158


class MapTile(Struct, frozen=True):
    """A region of the map; `severity` is 0 to 4."""

    id: str
    label: str
    says: str
    left: int
    top: int
    severity: int | None
    land: bool
    flood: bool
    lines: Sequence[str]
    size: int


class WeatherMap(Struct, frozen=True):
    """A week as a map and in words; large ones lack tiles."""

    week: int
    width: int
    height: int
    tiles: Sequence[MapTile]
    zones: Sequence[Mapping[str, object]]


def read_newest(site: SiteReader) -> WeatherMap | None:
    """Return the newest public week."""
    found = _find_newest_week(site)
    return None if found is None else _draw_map(*found)


def _find_newest_week(site: SiteReader) -> tuple[WeekAccount, Book] | None:
    book, weeks = _read_weeks(site, 1)
    return (describe_week(weeks[0], None, book), book) if book and weeks else None


def plan_map(site: SiteReader) -> tuple[str, Drawing] | None:
    """Return the newest public week, and what draws it."""
    found = _find_newest_week(site)
    return None if found is None else (f"Week {found[0]['week']}", partial(pictures.week_picture, *found))


def show_weather(site: SiteReader, _address: SiteAddress) -> SitePage:
    """Show map, past weeks and forecast."""
    book, weeks = _read_weeks(site, MOST_WEEKS)
    if book is None or not weeks:
        return SitePage("Weather", "weather.html", {"weather": None})
    zones = [zone.label for zone in book.zones.values()]
    past = [
        (week.number, [(zone.label, _name_category(week.zones.get(zone.id))) for zone in book.zones.values()])
        for week in weeks
    ]
    shown = {
        "weather": _draw_map(describe_week(weeks[0], None, book), book),
        "zones": zones,
        "past": past,
        "forecast": [*_list_odds(site, weeks)],
    }
    return SitePage("Weather", "weather.html", shown, f"The weather of week {weeks[0].number}.")


def _name_category(outcome: str | None) -> str:
    words = category_phrase(outcome or "not known")
    return words[0].upper() + words[1:]


def _read_weeks(site: SiteReader, most: int) -> tuple[Book | None, list[Week]]:
    try:
        book = queries.weather_book(site.tx, site.tools.library, site.campaign)
    except errors.UserError:  # none of its books has weather, or house rules no longer fit
        return None, []
    known = queries.find_span(site.tx, site.campaign.id)
    if known is None:
        return book, []
    numbers = range(max(known.first, known.last - most + 1), known.last + 1)
    stored = queries.read_weeks(site.tx, site.campaign.id, numbers)
    made = {number for item in stored.values() for number in (item.entry, item.changed) if number is not None}
    read = entries.get_entries_bare(site.tx, site.campaign.id, made)
    public = {number for number, entry in read.items() if entry.audience == "results"}
    shown = [item.week for item in stored.values() if {item.entry, item.changed} - {None} <= public]
    return book, sorted(shown, key=attrgetter("number"), reverse=True)


def _list_odds(site: SiteReader, weeks: Sequence[Week]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    forecast, _ = queries.next_forecast(site.tx, site.tools.library, site.campaign)
    known = queries.find_span(site.tx, site.campaign.id)
    first = 0 if known is None else max(known.first, known.last - MOST_WEEKS + 1)
    if [week.number for week in weeks] != [*range(forecast.number - 1, first - 1, -1)]:
        return  # a week that isn't public would show in the odds
    for item in forecast.zones:
        yield item.zone.label, [(_name_category(name), percent(odd)) for name, odd in item.odds.items() if odd]


def _draw_map(account: WeekAccount, book: Book) -> WeatherMap:
    from bot.cogs.weather.drawing import list_tiles, place_tiles  # noqa: PLC0415 - Pillow loads with the first map

    regions = [place for zone in account["zones"] for place in zone["regions"]]
    listed = list_tiles(account, book)
    places = place_tiles(listed)
    found = [
        MapTile(
            id=region["id"],
            label=region["label"],
            says=", ".join(label_conditions(region["conditions"], region["labels"])) or "not known",
            left=column * WIDTH,
            top=row * HEIGHT,
            severity=tile.severity,
            land=tile.land,
            flood=tile.flood,
            lines=(lines := wrap(region["label"], LONGEST, max_lines=LINES, placeholder=" …")),
            size=min(LARGEST, ROOM // max(map(len, lines), default=1)),
        )
        for region, tile, (column, row) in zip(regions, listed, places, strict=True)
    ]
    width, height = (max((getattr(tile, side) for tile in found), default=0) for side in ("left", "top"))
    zones = [
        {
            "label": zone["label"],
            "category": _name_category(zone["outcome"]),
            "lines": [*_list_skies(zone)],
        }
        for zone in account["zones"]
    ]
    tiles = found if len(found) <= MOST_TILES else ()
    return WeatherMap(account["week"], width + WIDTH, height + HEIGHT, tiles, zones)


def _list_skies(zone: ZoneAccount) -> Iterator[Mapping[str, object]]:
    for region in zone["regions"]:
        sky = ", ".join(label_conditions(region["conditions"], region["labels"])) or "not known"
        yield {"id": region["id"], "label": region["label"], "sky": sky, "severity": region["severity"]}


def show_rules(site: SiteReader, _address: SiteAddress) -> SitePage:
    """List tables by book, and house rules."""
    books = [
        {
            "title": book.title,
            "tables": [(site.links.to(f"rules/{book.id}/{table.id}"), table.title) for table in book.tables.values()],
        }
        for book in _list_open(site)
    ]
    house = [f"{file.name} v{file.version}" for file in library.list_active_files(site.tx, site.campaign.id)]
    shown = {"books": books, "house": house}
    return SitePage("Rules", "rules.html", shown, f"The tables of {site.campaign.name}, with odds.")


def show_table(site: SiteReader, address: SiteAddress) -> SitePage:
    """Show a table with odds, modifiers, lines."""
    book = next((book for book in _list_open(site) if book.id == address.book), None)
    table = None if book is None else book.tables.get(address.table)
    if book is None or table is None:
        raise MissingPage
    printed = site.tools.library.shipped[book.id].tables.get(table.id)
    shown = {
        "table": table,
        "source": book.page_titles.get(table.source.book, book.title),
        "rows": [*_list_row_odds(table, printed)],
        "modifiers": [*_list_modifiers(table, printed)],
        "gone": [*_list_gone(table, printed)],
    }
    return SitePage(table.title, "table.html", shown, f"{table.title}: {table.dice_text}.")


def _list_open(site: SiteReader) -> Iterator[RuleSet]:
    # House rules are shown where players may roll, as their cards show them; elsewhere the printed table is.
    for book in site.tools.library.list_known_books(site.tx, site.campaign):
        printed = site.tools.library.shipped[book.id].tables
        may = site.campaign.players_may
        rolled = (roll for roll in book.procedures.values() if roll.family in may or roll.policy.open_to_players)
        opened = {name for roll in rolled for name in roll.method.tables}
        tables = {name: table if name in opened else printed.get(name) for name, table in book.tables.items()}
        yield library.hide_secrets(replace(book, tables={name: table for name, table in tables.items() if table}))


def _list_row_odds(table: RollTable, printed: RollTable | None) -> Iterator[Mapping[str, Any]]:
    known = () if printed is None else printed.rows
    read_alone = table.pool is None and (table.against is None or table.against.value is not None)
    odds = table_odds(table, 0) if read_alone else {}
    for row in table.rows:
        chance = percent(odds[row.outcome]) if row.outcome in odds else ""
        line = row.line if row in known else OURS
        faces = (f"a natural {item.face}" for item in table.naturals if item.outcome == row.outcome)
        totals = ", ".join(filter(None, [name_totals(row.min, row.max), *faces]))
        yield {"totals": totals, "text": row.text, "odds": chance, "line": line}


def _list_modifiers(table: RollTable, printed: RollTable | None) -> Iterator[Mapping[str, Any]]:
    known = () if printed is None else printed.modifiers
    for item in table.modifiers:
        line = item.line if item in known else OURS
        yield {"value": format_signed(item.value), "label": item.label, "group": item.group, "line": line}


def _list_gone(table: RollTable, printed: RollTable | None) -> Iterator[str]:
    if printed is not None:
        outcomes, ids = {row.outcome for row in table.rows}, {item.id for item in table.modifiers}
        yield from (row.text for row in printed.rows if row.outcome not in outcomes)
        yield from (item.label for item in printed.modifiers if item.id not in ids and not item.secret)


AHEAD = 4
LONGEST_LINE = 74
"""Bytes of a line, without its end."""


def list_calendar_lines(site: SiteReader) -> list[str]:
    """Return the calendar's lines."""
    head = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Adjutant//Site//EN",
        f"NAME:{_escape_text(site.campaign.name)}",
        f"X-WR-CALNAME:{_escape_text(site.campaign.name)}",
    ]
    events = [] if site.schedule is None else [*_list_events(site, site.schedule)]
    return [piece for line in (*head, *events, "END:VCALENDAR") for piece in _fold_line(line)]


def _list_events(site: SiteReader, schedule: Schedule) -> Iterator[str]:
    zone, at = ZoneInfo(site.campaign.timezone), schedule.next_at
    for _ in range(AHEAD):
        stamp = at.astimezone(UTC)
        yield "BEGIN:VEVENT"
        yield f"UID:{stamp:%Y%m%dT%H%M%SZ}-{site.campaign.uuid}"
        yield f"DTSTAMP:{_stamp(site.campaign.created_at)}"
        yield f"DTSTART:{_stamp(at)}"
        yield f"SUMMARY:{_escape_text(f'{site.campaign.name}: the update closes')}"
        yield "END:VEVENT"
        at = find_next(schedule.rule, schedule.start, schedule.at, zone, at)


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape_text(text: str) -> str:
    for sign in "\\;,":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _fold_line(line: str) -> Iterator[str]:
    piece = ""
    for letter in line:
        if len((piece + letter).encode()) > LONGEST_LINE:
            yield piece
            piece = " "
        piece += letter
    yield piece
