"""The rules as a war is played by: the book, and how its scenario sets the switches."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise, starmap
from operator import lt
from typing import TypeVar

from msgspec import Struct, field

from rules.book import Book, EntryT
from rules.books.total_war.catalog import Setting, Switch
from rules.errors import RollError
from rules.phrases import known_list, suggestion

T = TypeVar("T")
ACES = 5
"""How many levels of aces there are (lines 258-262)."""


class BadSwitch(RollError):
    """A switch is unknown, or cannot be set so."""


class Terms(Struct, frozen=True):
    """The book, and the switches that are set otherwise than it says."""

    book: Book
    switches: Mapping[str, Setting] = field(default_factory=dict)

    def of(self, kind: type[EntryT], name: str) -> EntryT:
        """Return what the book lists under a name."""
        return self.book.listed(kind)[name]

    def number(self, name: str) -> int:
        """Return a number of the page."""
        return self.book.number(name)

    def setting(self, name: str, kind: type[T]) -> T:
        """Return how a switch is set, which is of this type."""
        found = self.switches.get(name, self.book.listed(Switch)[name].default)
        if not isinstance(found, kind):
            msg = f"{name} isn't a {kind.__name__}"
            raise TypeError(msg)
        return found

    @property
    def ace_kills(self) -> tuple[int, ...]:
        """How many kills each level of aces takes."""
        found: tuple[int, ...] = self.setting("ace-kills", tuple)
        return found


def set_otherwise(book: Book, given: Mapping[str, object]) -> Terms:
    """Return the rules with switches set as given.

    Raises:
        BadSwitch: one is unknown, or cannot be set so.

    """
    known = book.listed(Switch)
    return Terms(book, {name: _checked(known, name, value) for name, value in given.items()})


def _checked(known: Mapping[str, Switch], name: str, value: object) -> Setting:
    switch = known.get(name)
    if switch is None:
        raise BadSwitch(f"{name!r} isn't a switch{suggestion(name, known) or known_list(known)}")
    if switch.options:
        if isinstance(value, str) and value in switch.options:
            return value
        raise BadSwitch(f"{name} must be one of: {', '.join(switch.options)}")
    if isinstance(switch.default, bool):
        if isinstance(value, bool):
            return value
        raise BadSwitch(f"{name} must be true or false")
    if isinstance(switch.default, int):
        return _number(switch, value)
    return _rising(name, value)


def _number(switch: Switch, value: object) -> int:
    least, most = switch.least or 0, switch.most or 0
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise BadSwitch(f"{switch.id} must be a number from {least} to {most}")


def _rising(name: str, value: object) -> tuple[int, ...]:
    numbers = value if isinstance(value, list | tuple) else []
    whole = tuple(item for item in numbers if isinstance(item, int) and not isinstance(item, bool) and item > 0)
    if len(whole) == len(numbers) == ACES and all(starmap(lt, pairwise(whole))):
        return whole
    raise BadSwitch(f"{name} must be {ACES} numbers, each greater than the one before")
