"""The map of a week's weather: a tile for each region, coloured by severity, on the plate of its zone.

Land is a tile with round corners, sea one with waves above and below. What colour tells is told by letters as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PIL import Image

from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, TITLE_MIDDLE, WIDTH, blank, headline, png
from bot.ui.pictures.legend import LINE, SCALE_WIDTH, ZoneHead, code, draw_marks, draw_scale, draw_zones, lines_of
from bot.ui.pictures.tiles import CELL, FLOOD_MARK, Place, Tile, draw_tile, plates

__all__ = ["Tile", "ZoneHead", "weather_map"]

_GRID: Final = (9, 16)
_FLOOD: Final = (FLOOD_MARK, "Mud, flood")
_GAP: Final = 12


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
    picture = blank(WIDTH, foot + lines_of(zones, marks) * LINE + MARGIN)
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
