"""Pictures of the weather with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PIL import Image

from bot.cogs.weather.words import regions_of, short_category
from bot.ui.pictures import canvas, tiles
from bot.ui.pictures.canvas import EDGE, ROOM, Pen, blank, clip, fit_one_line, length, png, write
from bot.ui.pictures.gallery import draw_once
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.style import fill_of, ink_on
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import Forecast, Week, ZoneForecast
from rules.climate import FLOOD, WARNED, WeekAccount, worst_condition
from rules.phrases import format_signed, percent

_GRID: Final = (9, 16)
_GAP: Final = 5

_WIDTH: Final = 660  # twice a phone's width, so letters can be read
_SIZES: Final = range(30, canvas.find_least_size(*ROOM) - 1, -1)
_ASIDE: Final = Pen(_SIZES[-1], over="muted")
_HEAD: Final = 36
_BAR: Final = 66
_SPACE: Final = 2
_LEAST: Final = 8


def draw_week(account: WeekAccount, book: Book) -> bytes:
    """Draw a week's map as a PNG: regions where they lie, darker where the weather is worse."""
    return draw_once(weather_map, list_tiles(account, book))


def list_tiles(account: WeekAccount, book: Book) -> list[tiles.Tile]:
    """Return a tile for each region of a week."""
    spare = 1 + max((region.at[1] for _, region in book.places.values() if region.at), default=-1)
    regions: list[tiles.Tile] = []
    for row, zone in enumerate(account["zones"]):
        for column, region in enumerate(zone["regions"]):
            _, place = book.places.get(region["id"], (None, None))
            worst = worst_condition(region["conditions"], book)
            regions.append(
                tiles.Tile(
                    label=region["label"],
                    at=(place and place.at) or (column, spare + row),
                    zone=zone["label"],
                    land=region["land"],
                    severity=region["severity"],
                    weather=worst.label if worst and worst.severity >= WARNED else "",
                    flood=FLOOD in region["conditions"],
                )
            )
    return regions


def draw_history(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> bytes:
    """Draw weeks: zones' categories, or a place's worst weather."""
    ordered = sorted(weeks, key=lambda week: week.number)
    columns = [str(week.number) for week in ordered]
    if place is None:
        rows = [(zone.label, [_zone_cell(zone, week, book) for week in ordered]) for zone in book.zones.values()]
    else:
        rows = [(item.label, [_region_cell(item, week, book) for week in ordered]) for item in regions_of(place)]
    return draw_once(heat_map, columns, rows)


def draw_categories(zone: Zone, book: Book) -> bytes:
    """Draw a zone's worst weather by region and category."""
    outcomes = [row.outcome for row in book.table(zone.table).rows]
    rows = [
        (
            region.label,
            [_weather_cell(worst_condition(zone.climate[outcome][region.id], book)) for outcome in outcomes],
        )
        for region in zone.regions
    ]
    return draw_once(heat_map, [short_category(outcome) for outcome in outcomes], rows)


def draw_forecast(forecast: Forecast, book: Book) -> bytes:
    """Draw next week's odds: each zone's categories, calm first."""
    zones = [
        _ZoneOdds(
            item.zone.label,
            f"{format_signed(item.weighed.sum)} from last week" if item.weighed.sum else "",
            [share for share in _shares(item, book) if share.chance],
        )
        for item in forecast.zones
    ]
    return draw_once(_draw_odds, zones)


def _draw_odds(zones: Sequence[_ZoneOdds]) -> bytes:
    block = max(_HEAD + _BAR, min(_HEAD + 2 * _BAR, (ROOM[1] - 2 * EDGE) // max(1, len(zones))))
    picture = blank(ROOM[0], 2 * EDGE + len(zones) * block)
    for number, zone in enumerate(zones):
        _draw_zone(picture, zone, EDGE + number * block)
    return png(picture)


def _shares(item: ZoneForecast, book: Book) -> list[Share]:
    shares = []
    for outcome, chance in item.odds.items():
        everywhere = chain.from_iterable(item.zone.climate[outcome].values())
        shares.append(Share(tiles.Cell(short_category(outcome), _severity(worst_condition(everywhere, book))), chance))
    return sorted(shares, key=lambda share: share.cell.severity or 0)


def _zone_cell(zone: Zone, week: Week, book: Book) -> tiles.Cell:
    outcome = week.zones.get(zone.id)
    found = worst_condition((trait for region in zone.regions for trait in week.regions.get(region.id, ())), book)
    flood = any(week.is_flooded(region.id) for region in zone.regions)
    return tiles.Cell(short_category(outcome) if outcome else "", _severity(found), flood)


def _region_cell(region: Region, week: Week, book: Book) -> tiles.Cell:
    return replace(
        _weather_cell(worst_condition(week.regions.get(region.id, ()), book)), flood=week.is_flooded(region.id)
    )


def _weather_cell(found: Condition | None) -> tiles.Cell:
    return tiles.Cell(found.mark if found else "", _severity(found))


def _severity(condition: Condition | None) -> int | None:
    return None if condition is None else condition.severity


def weather_map(regions: Sequence[tiles.Tile]) -> bytes:
    """Draw regions as a PNG. Neighbours of one zone share a border."""
    placed = dict(zip(place_tiles(regions), regions, strict=True))
    columns, rows = (max(taken) + 1 for taken in zip(*placed, (0, 0), strict=True))
    picture = blank(max(columns * tiles.CELL[0], _WIDTH) + 2 * _GAP, rows * tiles.CELL[1] + 2 * _GAP)
    left = (picture.width - columns * tiles.CELL[0]) // 2
    if placed:
        ground = tiles.plates(tuple((place, tile.zone) for place, tile in placed.items()), (columns, rows))
        picture.paste(ground, (left, _GAP))
    for (column, row), tile in placed.items():
        tiles.draw_tile(picture, tile, (left + column * tiles.CELL[0], _GAP + row * tiles.CELL[1]))
    return png(picture)


def place_tiles(regions: Sequence[tiles.Tile]) -> list[tiles.Place]:
    """Return columns and rows, from 0; in order where the printed ones don't fit."""
    left = min((tile.at[0] for tile in regions), default=0)
    top = min((tile.at[1] for tile in regions), default=0)
    places = [(tile.at[0] - left, tile.at[1] - top) for tile in regions]
    fits = all(column < _GRID[0] and row < _GRID[1] for column, row in places)
    if fits and len(set(places)) == len(places):
        return places
    return [(number % _GRID[0], number // _GRID[0]) for number in range(len(regions))]


class Share(Struct, frozen=True):
    """A category and its chance."""

    cell: tiles.Cell
    chance: Fraction


class _ZoneOdds(Struct, frozen=True):
    """A zone's categories, calm first, and a note."""

    label: str
    aside: str
    shares: Sequence[Share]


def _draw_zone(picture: Image.Image, zone: _ZoneOdds, top: int) -> None:
    middle, end = top + _HEAD // 2, picture.width - EDGE
    aside = clip(zone.aside, _ASIDE.size, (end - EDGE) // 2)
    size, label = fit_one_line(zone.label, _SIZES, end - 3 * EDGE - length(aside, _ASIDE.size))
    write(picture, label, (EDGE, middle), Pen(size, bold=True))
    write(picture, aside, (end, middle), _ASIDE, align=1)
    for share, (left, right) in zip(zone.shares, _ends(zone.shares, end - EDGE), strict=True):
        _draw_share(picture, share, (EDGE + left, top + _HEAD), right - left - _SPACE)


def _ends(shares: Sequence[Share], width: int) -> list[tuple[int, int]]:
    ends = [round(width * place) for place in accumulate((share.chance for share in shares), initial=Fraction(0))]
    return [(left, max(right, left + _LEAST)) for left, right in pairwise(ends)]


def _draw_share(picture: Image.Image, share: Share, at: tuple[int, int], width: int) -> None:
    fill = fill_of(share.cell.severity)
    picture.paste(tiles.base((width, _BAR), fill, land=True, below="paper"), at)
    for text, middle in ((share.cell.text, 20), (percent(share.chance).removesuffix("%"), 46)):
        if length(text, _ASIDE.size) <= width:  # smaller letters can't be read; the text has all odds
            pen = Pen(_ASIDE.size, ink_on(fill), fill)
            write(picture, text, (at[0] + width / 2, at[1] + middle), pen, align=0.5)
