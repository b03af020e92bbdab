"""The board of a battle: its tiles, what lies on them, and who may enter that (lines 110 to 128)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from msgspec import Struct, field

from rules.books.total_war.catalog import Enter, Terrain, Where
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms
from rules.geometry.squares import Board, Square

_TILE = re.compile(r"\s*[A-Za-z]+\s*[0-9]+\s*")
_FREE = "all"


class Ground(Struct, frozen=True):
    """What lies on tiles, by their names, where it is not the first terrain of the list; and who may `enter` which terrain.

    What `enter` does not name is entered as the page says; what it names, as a game master has posted it (line 128).
    """

    terrain: Mapping[str, str] = field(default_factory=dict)
    enter: Mapping[str, Enter] = field(default_factory=dict)


class Mover(Struct, frozen=True):
    """A unit that is to move: its class, its tile, on which kind of board, and what it is by flags such as flying."""

    kind: str
    at: Square
    where: Where
    flags: frozenset[str] = frozenset()


class Shooter(Struct, frozen=True):
    """A unit that is to attack: its class, its tile, what it is by flags such as flying, and whether that is in melee."""

    kind: str
    at: Square
    flags: frozenset[str] = frozenset()
    melee: bool = False


def board_of(terms: Terms) -> Board:
    """Return the board, which is as wide as high (line 112)."""
    size = terms.number("board")
    return Board(size, size)


def tile(terms: Terms, text: str) -> Square:
    """Read the name of a tile.

    Raises:
        ValueError: it is no name of a tile at all.

    """
    board = board_of(terms)
    try:
        place = Square.parse(text)
    except ValueError:
        if _TILE.fullmatch(text) is None:
            raise
        place = None
    if place is None or place not in board:
        last = Square(board.columns, board.rows)
        raise Refused("E_OFF_BOARD", f"{text.strip()} is off the board, which goes from A1 to {last}.")
    return place


class Battlefield(Struct, frozen=True):
    """The board as a unit finds it: the rules, what lies on it, and the tiles that other units hold."""

    terms: Terms
    ground: Ground
    held: frozenset[Square] = frozenset()

    @property
    def board(self) -> Board:
        """The tiles."""
        return board_of(self.terms)

    def terrain(self, place: Square) -> Terrain:
        """Return what lies on a tile."""
        listed = self.terms.book.listed(Terrain)
        named = self.ground.terrain.get(str(place))
        return listed[named] if named is not None else next(iter(listed.values()))

    def may_enter(self, place: Square, flags: Collection[str]) -> bool:
        """Return whether a unit with these flags may stand on a tile or cross it, other units aside (lines 120, 126)."""
        found = self.terrain(place)
        posted = self.ground.enter.get(found.id)
        who = posted or found.enter
        if who == _FREE or who in flags:
            return True
        opened = found.opened_by is not None and self.terms.setting(found.opened_by, bool)
        return posted is None and opened and found.opened_to in flags

    def is_passed(self, place: Square) -> bool:
        """Return whether an attack passes over a tile (line 160)."""
        return place not in self.held and not self.terrain(place).obstructs

    def is_exposed(self, place: Square, shooter: Square, flags: Collection[str]) -> bool:
        """Return whether a unit on a tile can be attacked from another by one with these flags (line 126).

        Nobody stands on what nobody enters, so that there is nothing to attack on what obstructs, but for those it is
        `hit-by`.
        """
        found = self.terrain(place)
        if found.hit_from is not None:
            return self.terrain(shooter).id == found.hit_from
        if found.hit_by is not None:
            return found.hit_by in flags
        return not found.obstructs
