"""Pictures of the weather with Pillow, each with a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PIL import Image

from bot.cogs.weather.words import regions_of
from bot.ui.pictures import tiles
from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, Pen, blank, clip, fit_one_line, headline, length, png, write
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.style import fill_of, ink_on
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import Forecast, Week, ZoneForecast
from rules.climate import FLOOD, WARNED, WeekAccount, category_label, condition_label, worst_condition
from rules.phrases import format_signed, percent

_GRID: Final = (9, 16)
_GAP: Final = 5

_WIDTH: Final = 660  # twice a phone's width, so letters can be read
_HEAD: Final = 30
_BAR: Final = 52
_SPACE: Final = 2
_LEAST: Final = 8
_BLOCK: Final = _HEAD + _BAR + 8
_SIZES: Final = range(24, 9, -1)
_SMALL_SIZES: Final = range(19, 9, -1)
_ASIDE: Final = Pen(19, over="muted")


def draw_week(account: WeekAccount, book: Book) -> bytes:
    """Draw a week's map as a PNG: regions where they lie, darker where the weather is worse."""
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
    return weather_map(regions)


def draw_history(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> bytes:
    """Draw weeks: zones' categories, or a place's worst weather."""
    ordered = sorted(weeks, key=lambda week: week.number)
    columns = [str(week.number) for week in ordered]
    if place is None:
        rows = [(zone.label, [_zone_cell(zone, week, book) for week in ordered]) for zone in book.zones.values()]
        seen = {trait for week in ordered for traits in week.regions.values() for trait in traits}
        key = [tiles.KeyLine(None, _LETTERS), *_list_colours(seen, book)]
        return heat_map("Weather, week by week", columns, rows, [*key, *_list_water_lines(rows, book)])
    regions = regions_of(place)
    rows = [(region.label, [_region_cell(region, week, book) for week in ordered]) for region in regions]
    seen_there = [worst_condition(week.regions.get(region.id, ()), book) for region in regions for week in ordered]
    key = [*_list_marks(seen_there), *_list_water_lines(rows, book)]
    return heat_map(f"Weather of {place.label}, week by week", columns, rows, key)


def draw_categories(zone: Zone, book: Book) -> bytes:
    """Draw a zone's worst weather by region and category."""
    outcomes = [row.outcome for row in book.table(zone.table).rows]
    cells = {
        (region.id, outcome): worst_condition(zone.climate[outcome][region.id], book)
        for region in zone.regions
        for outcome in outcomes
    }
    rows = [
        (region.label, [_weather_cell(cells[region.id, outcome]) for outcome in outcomes]) for region in zone.regions
    ]
    return heat_map(zone.label, [_short(outcome) for outcome in outcomes], rows, list(_list_marks(cells.values())))


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
    seen = {
        trait
        for item in forecast.zones
        for outcome, chance in item.odds.items()
        if chance
        for traits in item.zone.climate[outcome].values()
        for trait in traits
    }
    letters = tiles.KeyLine(None, f"{_LETTERS} Numbers below: chance in percent.")
    return _forecast_chart(f"Forecast for week {forecast.number}", zones, [letters, *_list_colours(seen, book)])


_LETTERS = "G: good weather, W: West, E: East. Colour: the worst weather of the zone's regions."


def _shares(item: ZoneForecast, book: Book) -> list[Share]:
    shares = []
    for outcome, chance in item.odds.items():
        everywhere = chain.from_iterable(item.zone.climate[outcome].values())
        shares.append(Share(tiles.Cell(_short(outcome), _severity(worst_condition(everywhere, book))), chance))
    return sorted(shares, key=lambda share: share.cell.severity or 0)


def _zone_cell(zone: Zone, week: Week, book: Book) -> tiles.Cell:
    outcome = week.zones.get(zone.id)
    found = worst_condition((trait for region in zone.regions for trait in week.regions.get(region.id, ())), book)
    flood = any(week.is_flooded(region.id) for region in zone.regions)
    return tiles.Cell(_short(outcome) if outcome else "", _severity(found), flood)


def _region_cell(region: Region, week: Week, book: Book) -> tiles.Cell:
    return replace(
        _weather_cell(worst_condition(week.regions.get(region.id, ()), book)), flood=week.is_flooded(region.id)
    )


def _weather_cell(found: Condition | None) -> tiles.Cell:
    return tiles.Cell(found.mark if found else "", _severity(found))


def _severity(condition: Condition | None) -> int | None:
    return None if condition is None else condition.severity


def _list_colours(traits: Iterable[str], book: Book) -> Iterator[tiles.KeyLine]:
    labels: dict[int, list[str]] = {}
    known = set(traits)
    for condition in sorted(book.conditions.values(), key=lambda condition: condition.severity):
        if condition.trait in known:
            labels.setdefault(condition.severity, []).append(condition.label)
    return (tiles.KeyLine(tiles.Cell("", severity), ", ".join(names)) for severity, names in labels.items())


def _list_marks(found: Iterable[Condition | None]) -> Iterator[tiles.KeyLine]:
    known = {condition.trait: condition for condition in found if condition is not None}
    ordered = sorted(known.values(), key=lambda condition: condition.severity)
    return (tiles.KeyLine(_weather_cell(condition), condition.label) for condition in ordered)


def _list_water_lines(rows: Iterable[tuple[str, Sequence[tiles.Cell]]], book: Book) -> Iterator[tiles.KeyLine]:
    if any(cell.flood for _, cells in rows for cell in cells):
        yield tiles.KeyLine(tiles.Cell("", 0, flood=True), f"{condition_label(book, FLOOD)}, in any weather")


def _short(outcome: str) -> str:
    return "".join(word[0] if word.isalpha() else word for word in category_label(outcome).split())


def weather_map(regions: Sequence[tiles.Tile]) -> bytes:
    """Draw regions as a PNG. Neighbours of one zone share a border."""
    placed = dict(zip(_places(regions), regions, strict=True))
    columns, rows = (max(taken) + 1 for taken in zip(*placed, (0, 0), strict=True))
    picture = blank(max(columns * tiles.CELL[0], _WIDTH) + 2 * _GAP, rows * tiles.CELL[1] + 2 * _GAP)
    left = (picture.width - columns * tiles.CELL[0]) // 2
    if placed:
        ground = tiles.plates(tuple((place, tile.zone) for place, tile in placed.items()), (columns, rows))
        picture.paste(ground, (left, _GAP))
    for (column, row), tile in placed.items():
        tiles.draw_tile(picture, tile, (left + column * tiles.CELL[0], _GAP + row * tiles.CELL[1]))
    return png(picture)


def _places(regions: Sequence[tiles.Tile]) -> list[tiles.Place]:
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


def _forecast_chart(title: str, zones: Sequence[_ZoneOdds], key: Sequence[tiles.KeyLine]) -> bytes:
    meanings = tiles.lay_out_key(key, _WIDTH)
    foot = TITLE_HEIGHT + len(zones) * _BLOCK
    picture = blank(_WIDTH, foot + tiles.GAP + tiles.key_height(meanings) + MARGIN)
    headline(picture, title, _WIDTH - 2 * MARGIN)
    for number, zone in enumerate(zones):
        _draw_zone(picture, zone, TITLE_HEIGHT + number * _BLOCK)
    tiles.draw_key(picture, meanings, foot + tiles.GAP)
    return png(picture)


def _draw_zone(picture: Image.Image, zone: _ZoneOdds, top: int) -> None:
    middle, end = top + _HEAD // 2, picture.width - MARGIN
    aside = clip(zone.aside, _ASIDE.size, (end - MARGIN) // 2)
    room = end - MARGIN - tiles.GAP - length(aside, _ASIDE.size)
    size, label = fit_one_line(zone.label, _SIZES, room)
    write(picture, label, (MARGIN, middle), Pen(size, bold=True))
    write(picture, aside, (end, middle), _ASIDE, align=1)
    drawn = [(share, *ends) for share, ends in zip(zone.shares, _ends(zone.shares, end - MARGIN), strict=True)]
    narrow = [(share.cell.text, right - left - _SPACE) for share, left, right in drawn]
    size = min((fit_one_line(text, _SIZES, width)[0] for text, width in narrow), default=_SIZES[0])
    for share, left, right in drawn:
        _draw_share(picture, share, (MARGIN + left, top + _HEAD), (right - left - _SPACE, size))


def _ends(shares: Sequence[Share], width: int) -> list[tuple[int, int]]:
    ends = [round(width * place) for place in accumulate((share.chance for share in shares), initial=Fraction(0))]
    return [(left, max(right, left + _LEAST)) for left, right in pairwise(ends)]


def _draw_share(picture: Image.Image, share: Share, at: tuple[int, int], room: tuple[int, int]) -> None:
    width, letters = room
    fill = fill_of(share.cell.severity)
    picture.paste(tiles.base((width, _BAR), fill, land=True, below="paper"), at)
    chance = percent(share.chance).removesuffix("%")
    small, chance = fit_one_line(chance, _SMALL_SIZES, width)
    for text, size, middle in ((clip(share.cell.text, letters, width, bold=True), letters, 18), (chance, small, 38)):
        write(picture, text, (at[0] + width / 2, at[1] + middle), Pen(size, ink_on(fill), fill), align=0.5)
