"""How lines write the strategy map: panels as `q,r`, a map by its radius or its panels, and whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Question
from rules.books.total_war.land import Land
from rules.geometry.hexes import Hex, disc

MAX_RADIUS = 200
Count = Annotated[int, Meta(ge=0)]


class Round(Question, frozen=True):
    """The disc about 0,0."""

    radius: Annotated[int, Meta(ge=0, le=MAX_RADIUS)]


Area = Round | tuple[str, ...]


class OnLand(Question, frozen=True, kw_only=True):
    """The keys that say how the map is for a faction."""

    map: Area
    faction: str = "F"
    owners: Mapping[str, str] = {}
    enemies: tuple[str, ...] = ()
    friends: tuple[str, ...] = ()

    def land(self, facilities: Mapping[str, str] | None = None, elsewhere: Iterable[Hex] = ()) -> Land:
        """Return the land that is asked about; `elsewhere` are panels that have to be on it."""
        land = Land(
            panels_of(self.map),
            self.faction,
            by_panel(self.owners),
            frozenset(map(panel, self.enemies)),
            frozenset(map(panel, self.friends)),
            by_panel(facilities or {}),
        )
        for place in elsewhere:
            land.require_panel(place)
        return land


def panel(text: str) -> Hex:
    """Read a panel."""
    try:
        return Hex.parse(text)
    except ValueError as error:
        raise BadLine(str(error)) from None


def panels_of(area: Area) -> frozenset[Hex]:
    """Return the panels of a map."""
    return frozenset(disc(Hex(0, 0), area.radius) if isinstance(area, Round) else map(panel, area))


def by_panel(given: Mapping[str, str]) -> dict[Hex, str]:
    """Return what is written by panels."""
    found = {panel(place): value for place, value in given.items()}
    if len(found) < len(given):
        raise BadLine("a panel is written twice")
    return found


def named(places: Iterable[Hex]) -> list[str]:
    """Write panels."""
    return [str(place) for place in places]
