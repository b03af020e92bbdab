"""How lines write the board of a battle: tiles as `A1`, what lies on them, who holds them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Question
from rules.books.total_war import board
from rules.books.total_war.board import Battlefield, Ground
from rules.books.total_war.catalog import Enter
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import PERCENT
from rules.geometry.squares import Square

ValueT = TypeVar("ValueT")
ClassName = Literal["ms", "ma", "combat", "noncombat", "warship"]
TerrainName = Literal["open", "debris", "rock", "water", "bridge"]
Flag = Literal["flying", "amphibious"]
Lane = Literal["A", "L", "1", "12"]
Percent = Annotated[int, Meta(ge=1, le=PERCENT)]
LANES: Mapping[Lane, str] = {"A": "W", "L": "E", "1": "S", "12": "N"}
"""The directions of lanes, by where they lead."""


class OnTiles(Question, frozen=True, kw_only=True):
    """The keys that say how the board is for a unit."""

    terrain: Mapping[str, TerrainName] = {}
    units: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()

    def field(self, terms: Terms, enter: Mapping[TerrainName, Enter] | None = None) -> Battlefield:
        """Return the board that is asked about."""
        held = frozenset(tile(terms, text) for text in self.units)
        return Battlefield(terms, ground(terms, self.terrain, enter), held)


def tile(terms: Terms, text: str) -> Square:
    """Read a tile.

    Raises:
        BadLine: it is none.

    """
    try:
        return board.tile(terms, text)
    except ValueError as error:
        raise BadLine(str(error)) from None


def ground(
    terms: Terms, terrain: Mapping[str, TerrainName], enter: Mapping[TerrainName, Enter] | None = None
) -> Ground:
    """Return what lies on tiles."""
    named = by_tile(terms, terrain)
    return Ground(
        {str(place): what for place, what in named.items()}, {str(name): who for name, who in (enter or {}).items()}
    )


def by_tile(terms: Terms, given: Mapping[str, ValueT]) -> dict[Square, ValueT]:
    """Return what is written by tiles."""
    found = {tile(terms, text): value for text, value in given.items()}
    if len(found) < len(given):
        raise BadLine("a tile is written twice")
    return found


def named(places: Iterable[Square]) -> list[str]:
    """Write tiles."""
    return [str(place) for place in sorted(places)]


def listed(places: Collection[Square]) -> dict[str, Any]:
    """Write tiles, and how many there are."""
    return {"count": len(places), "tiles": named(places)}


def fraction(chance: Fraction | None) -> str | None:
    """Write a chance."""
    return None if chance is None else str(chance)
