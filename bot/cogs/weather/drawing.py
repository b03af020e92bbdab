"""The pictures of the weather as Pillow draws them: the map of a week, weeks and categories as heat maps, the forecast as bars.

The key of each says in the weather's own words what its letters and colours mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PIL import Image

from bot.cogs.weather.words import regions_of
from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, TITLE_MIDDLE, WIDTH, Pen, blank, headline, png, write
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.lettering import clip, fit_one_line, length
from bot.ui.pictures.palette import fill_of, ink_on
from bot.ui.pictures.tiles import (
    CELL,
    FLOOD_MARK,
    GAP,
    LEGEND_LINE,
    SCALE_WIDTH,
    Cell,
    KeyLine,
    Place,
    Tile,
    ZoneHead,
    base,
    code,
    draw_key,
    draw_marks,
    draw_scale,
    draw_tile,
    draw_zones,
    key_height,
    lay_out_key,
    lines_of,
    plates,
)
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import Forecast, Week, ZoneForecast
from rules.climate import FLOOD, WeekAccount, category_label, condition_label, worst_condition
from rules.phrases import percent, signed

_GRID: Final = (9, 16)
_FLOOD: Final = (FLOOD_MARK, "Mud, flood")
_GAP: Final = 12

_WIDTH: Final = 660
"""About twice what a telephone shows, so that the letters can be read there."""

_HEAD: Final = 30
_BAR: Final = 52
_SPACE: Final = 2
_LEAST: Final = 8
_BLOCK: Final = _HEAD + _BAR + 8
_SIZES: Final = range(24, 9, -1)
_SMALL_SIZES: Final = range(19, 9, -1)
_ASIDE: Final = Pen(19, over="muted")


def draw_week(account: WeekAccount, book: Book) -> bytes:
    """Return the map of a week as a PNG."""
    heads = [
        ZoneHead(zone["label"], category_label(zone["outcome"]) if zone["outcome"] else "?")
        for zone in account["zones"]
    ]
    spare = 1 + max((region.at[1] for _, region in book.places.values() if region.at), default=-1)
    tiles: list[Tile] = []
    marks: dict[str, str] = {}
    for row, zone in enumerate(account["zones"]):
        for column, region in enumerate(zone["regions"]):
            _, place = book.places.get(region["id"], (None, None))
            known = [book.conditions[trait] for trait in region["conditions"] if trait in book.conditions]
            rough = [item for item in known if item.severity]
            marks |= {FLOOD_MARK if item.trait == FLOOD else item.mark: item.label for item in rough}
            tiles.append(
                Tile(
                    label=region["label"],
                    at=(place and place.at) or (column, spare + row),
                    zone=zone["label"],
                    land=region["land"],
                    severity=region["severity"],
                    marks=tuple(item.mark for item in rough if item.trait != FLOOD),
                    flood=FLOOD in region["conditions"],
                )
            )
    return weather_map(f"Weather of week {account['week']}", heads, tiles, list(marks.items()))


def draw_history(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> bytes:
    """Return the heat map of weeks as a PNG: a row for each zone with its categories, or for each region of a place with the mark of its worst weather."""
    ordered = sorted(weeks, key=lambda week: week.number)
    columns = [str(week.number) for week in ordered]
    if place is None:
        rows = [(zone.label, [_zone_cell(zone, week, book) for week in ordered]) for zone in book.zones.values()]
        seen = {trait for week in ordered for traits in week.regions.values() for trait in traits}
        key = [KeyLine(None, _LETTERS), *_colours(seen, book)]
        return heat_map("Weather, week by week", columns, rows, [*key, *_water(rows, book)])
    regions = regions_of(place)
    rows = [(region.label, [_region_cell(region, week, book) for week in ordered]) for region in regions]
    seen_there = [worst_condition(week.regions.get(region.id, ()), book) for region in regions for week in ordered]
    key = [*_marks(seen_there), *_water(rows, book)]
    return heat_map(f"Weather of {place.label}, week by week", columns, rows, key)


def draw_categories(zone: Zone, book: Book) -> bytes:
    """Return what the categories of a zone mean as a PNG: a row for each region, a column for each category, the worst weather in each cell."""
    outcomes = [row.outcome for row in book.table(zone.table).rows]
    cells = {
        (region.id, outcome): worst_condition(zone.climate[outcome][region.id], book)
        for region in zone.regions
        for outcome in outcomes
    }
    rows = [
        (region.label, [_weather_cell(cells[region.id, outcome]) for outcome in outcomes]) for region in zone.regions
    ]
    return heat_map(zone.label, [_short(outcome) for outcome in outcomes], rows, list(_marks(cells.values())))


def draw_forecast(forecast: Forecast, book: Book) -> bytes:
    """Return the odds of the next week as a PNG: each zone's categories, calm first."""
    zones = [
        ZoneOdds(item.zone.label, _carried(item), [share for share in _shares(item, book) if share.chance])
        for item in forecast.zones
    ]
    seen = {
        trait
        for item in forecast.zones
        for outcome, chance in item.odds.items()
        if chance
        for traits in item.zone.climate[outcome].values()
        for trait in traits
    }
    letters = KeyLine(None, f"{_LETTERS} Numbers below: chance in percent.")
    return forecast_chart(f"Forecast for week {forecast.number}", zones, [letters, *_colours(seen, book)])


_LETTERS = "G: good weather, W: West, E: East. Colour: the worst weather of the zone's regions."


def _carried(item: ZoneForecast) -> str:
    """Return by how much last week's weather changes a zone's roll."""
    return f"{signed(item.weighed.sum)} from last week" if item.weighed.sum else ""


def _shares(item: ZoneForecast, book: Book) -> list[Share]:
    """Return the categories of a zone with their chances, calm first."""
    shares = [
        Share(Cell(_short(outcome), _severity(worst_condition(_everywhere(item.zone, outcome), book))), chance)
        for outcome, chance in item.odds.items()
    ]
    return sorted(shares, key=lambda share: share.cell.severity or 0)


def _everywhere(zone: Zone, outcome: str) -> Iterator[str]:
    return (trait for traits in zone.climate[outcome].values() for trait in traits)


def _zone_cell(zone: Zone, week: Week, book: Book) -> Cell:
    outcome = week.zones.get(zone.id)
    found = worst_condition((trait for region in zone.regions for trait in week.regions.get(region.id, ())), book)
    flood = any(week.flooded(region.id) for region in zone.regions)
    return Cell(_short(outcome) if outcome else "", _severity(found), flood)


def _region_cell(region: Region, week: Week, book: Book) -> Cell:
    return replace(_weather_cell(worst_condition(week.regions.get(region.id, ()), book)), flood=week.flooded(region.id))


def _weather_cell(found: Condition | None) -> Cell:
    return Cell(found.mark if found else "", _severity(found))


def _severity(condition: Condition | None) -> int | None:
    return None if condition is None else condition.severity


def _colours(traits: Iterable[str], book: Book) -> Iterator[KeyLine]:
    """Return a line for each colour that occurs, calm first: the weather that it stands for."""
    labels: dict[int, list[str]] = {}
    known = set(traits)
    for condition in sorted(book.conditions.values(), key=lambda condition: condition.severity):
        if condition.trait in known:
            labels.setdefault(condition.severity, []).append(condition.label)
    return (KeyLine(Cell("", severity), ", ".join(names)) for severity, names in labels.items())


def _marks(found: Iterable[Condition | None]) -> Iterator[KeyLine]:
    """Return a line for each mark that occurs, calm first: the weather that it stands for."""
    known = {condition.trait: condition for condition in found if condition is not None}
    ordered = sorted(known.values(), key=lambda condition: condition.severity)
    return (KeyLine(_weather_cell(condition), condition.label) for condition in ordered)


def _water(rows: Iterable[tuple[str, Sequence[Cell]]], book: Book) -> Iterator[KeyLine]:
    """Return the line for water in a cell, where there is any."""
    if any(cell.flood for _, cells in rows for cell in cells):
        yield KeyLine(Cell("", 0, flood=True), f"{condition_label(book, FLOOD)}, in any weather")


def _short(outcome: str) -> str:
    """Return a category in two or three letters: G, 3, 6W."""
    return "".join(word[0] if word.isalpha() else word for word in category_label(outcome).split())


def weather_map(
    title: str, zones: Sequence[ZoneHead], tiles: Sequence[Tile], legend: Sequence[tuple[str, str]]
) -> bytes:
    """Return the map as a PNG.

    Args:
        title: what stands above the map.
        zones: the zones in the order in which they get their letters, A first.
        tiles: the regions. They stand in the order given where two share a place or the grid is larger than the paper.
        legend: mark and label of each condition that occurs; the mark of a flood is added when it is missing.
    """
    marks = _with_flood(legend, tiles)
    places = _places(tiles)
    columns, rows = (max(taken) + 1 for taken in zip(*places, (-1, -1), strict=True))
    foot = TITLE_HEIGHT + rows * CELL[1] + _GAP
    picture = blank(WIDTH, foot + lines_of(zones, marks) * LEGEND_LINE + MARGIN)
    headline(picture, title, WIDTH - 3 * MARGIN - SCALE_WIDTH)
    draw_scale(picture, TITLE_MIDDLE)
    if tiles:
        _draw_tiles(picture, zones, dict(zip(places, tiles, strict=True)), (columns, rows))
    draw_zones(picture, zones, foot)
    draw_marks(picture, marks, foot)
    return png(picture)


def _draw_tiles(picture: Image.Image, zones: Sequence[ZoneHead], tiles: Mapping[Place, Tile], grid: Place) -> None:
    codes = {zone.label: code(number) for number, zone in enumerate(zones)}
    left = (WIDTH - grid[0] * CELL[0]) // 2
    ground = plates(tuple((place, tile.zone) for place, tile in tiles.items()), grid)
    picture.paste(ground, (left, TITLE_HEIGHT))
    for (column, row), tile in tiles.items():
        corner = (left + column * CELL[0], TITLE_HEIGHT + row * CELL[1])
        draw_tile(picture, tile, codes.get(tile.zone, ""), corner)


def _places(tiles: Sequence[Tile]) -> list[Place]:
    """Return where each tile stands, counted from the first column and row that are taken."""
    left = min((tile.at[0] for tile in tiles), default=0)
    top = min((tile.at[1] for tile in tiles), default=0)
    places = [(tile.at[0] - left, tile.at[1] - top) for tile in tiles]
    fits = all(column < _GRID[0] and row < _GRID[1] for column, row in places)
    if fits and len(set(places)) == len(places):
        return places
    return [(number % _GRID[0], number // _GRID[0]) for number in range(len(tiles))]


def _with_flood(legend: Sequence[tuple[str, str]], tiles: Sequence[Tile]) -> list[tuple[str, str]]:
    missing = any(tile.flood for tile in tiles) and FLOOD_MARK not in dict(legend)
    return [*legend, _FLOOD] if missing else list(legend)


class Share(Struct, frozen=True):
    """A category that may come: its cell and its chance."""

    cell: Cell
    chance: Fraction


class ZoneOdds(Struct, frozen=True):
    """What may come in a zone, calm first, and what is to be said beside its name."""

    label: str
    aside: str
    shares: Sequence[Share]


def forecast_chart(title: str, zones: Sequence[ZoneOdds], key: Sequence[KeyLine]) -> bytes:
    """Return the chart as a PNG."""
    meanings = lay_out_key(key, _WIDTH)
    foot = TITLE_HEIGHT + len(zones) * _BLOCK
    picture = blank(_WIDTH, foot + GAP + key_height(meanings) + MARGIN)
    headline(picture, title, _WIDTH - 2 * MARGIN)
    for number, zone in enumerate(zones):
        _draw_zone(picture, zone, TITLE_HEIGHT + number * _BLOCK)
    draw_key(picture, meanings, foot + GAP)
    return png(picture)


def _draw_zone(picture: Image.Image, zone: ZoneOdds, top: int) -> None:
    middle, end = top + _HEAD // 2, picture.width - MARGIN
    aside = clip(zone.aside, _ASIDE.size, (end - MARGIN) // 2)
    room = end - MARGIN - GAP - length(aside, _ASIDE.size)
    size, label = fit_one_line(zone.label, _SIZES, room)
    write(picture, label, (MARGIN, middle), Pen(size, bold=True))
    write(picture, aside, (end, middle), _ASIDE, align=1)
    drawn = [(share, *ends) for share, ends in zip(zone.shares, _ends(zone.shares, end - MARGIN), strict=True)]
    narrow = [(share.cell.text, right - left - _SPACE) for share, left, right in drawn]
    size = min((fit_one_line(text, _SIZES, width)[0] for text, width in narrow), default=_SIZES[0])
    for share, left, right in drawn:
        _draw_share(picture, share, (MARGIN + left, top + _HEAD), (right - left - _SPACE, size))


def _ends(shares: Sequence[Share], width: int) -> list[tuple[int, int]]:
    """Return where each share begins and ends on a bar of this width."""
    ends = [round(width * place) for place in accumulate((share.chance for share in shares), initial=Fraction(0))]
    return [(left, max(right, left + _LEAST)) for left, right in pairwise(ends)]


def _draw_share(picture: Image.Image, share: Share, at: tuple[int, int], room: tuple[int, int]) -> None:
    """Draw a share at a corner; `room` is its width, and the size of its letters."""
    width, letters = room
    fill = fill_of(share.cell.severity)
    picture.paste(base((width, _BAR), fill, land=True, below="paper"), at)
    chance = percent(share.chance).removesuffix("%")
    small, chance = fit_one_line(chance, _SMALL_SIZES, width)
    for text, size, middle in ((clip(share.cell.text, letters, width, bold=True), letters, 18), (chance, small, 38)):
        write(picture, text, (at[0] + width / 2, at[1] + middle), Pen(size, ink_on(fill), fill), align=0.5)
