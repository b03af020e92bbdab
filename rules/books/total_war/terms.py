"""The rules by which a war is played: the book, how its scenario sets the switches, and how orders are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import pairwise, starmap
from operator import lt
from typing import TypeVar

from msgspec import Struct, field

from rules.book import Book, EntryT
from rules.books.total_war.catalog import Setting, Switch
from rules.errors import MissingValue, RollError
from rules.geometry import Hex, hex_distance
from rules.phrases import known_list, suggestion


class Refused(RollError):
    """An order that the rules do not allow: `code` says by which refusal, `told` what else is answered. Nothing has changed."""

    title = "That won't work"
    left = "Nothing has changed."

    def __init__(self, code: str, words: str, **told: object) -> None:
        self.code, self.told = code, told
        super().__init__(words)


def refuse_blocked(at: Hex) -> Refused:
    """Return the refusal of a panel that nobody can enter."""
    return Refused("E_BLOCKED", f"{at} can't be entered.")


class Missing(Refused, MissingValue):
    """An order in which something is missing; the words ask for it."""


def refuse_off_map(panels: Iterable[Hex], at: Hex) -> Refused:
    """Return the refusal of a place that is none of these panels of a map, which says how far it reaches and which panel is nearest."""
    known = sorted(panels)
    if not known:
        return Refused("E_OFF_MAP", f"{at} is off the map.")
    first, last = (f"{pick(q for q, _ in known)},{pick(r for _, r in known)}" for pick in (min, max))
    near = min(known, key=partial(hex_distance, at))
    return Refused("E_OFF_MAP", f"{at} is off the map. The map spans {first} to {last}; the nearest panel is {near}.")


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


def set_switches(book: Book, given: Mapping[str, object]) -> Terms:
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
