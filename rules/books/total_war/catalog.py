"""What Total War lists, how its switches are set, and how orders are refused."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal, TypeVar

from msgspec import Struct, field

from rules.book import Book, EntryT
from rules.errors import MissingValue, RollError
from rules.geometry import Hex, hex_distance
from rules.kinds import CatalogEntry, PrintedNumber
from rules.phrases import list_known, suggestion

Enter = Literal["all", "none", "flying", "amphibious"]

Where = Literal["space", "land"]

Setting = bool | int | str | tuple[int, ...]

SUIT, SHIP, RESEARCH = "mobile_suit", "warship", "research"


CoinFace = Literal["heads", "tails"]
COIN: tuple[CoinFace, CoinFace] = ("heads", "tails")


class Piece(CatalogEntry, frozen=True):
    """A kind of force; one that `takes_passing` takes each panel on its way, one that `takes_ending` an undefended installation."""

    kind = "piece"
    most: int
    straight: bool = False
    attacks: bool = False
    takes_passing: bool = False
    takes_ending: bool = False
    follows: bool = False
    drawn: str = "disc"


class PanelKind(CatalogEntry, frozen=True):
    """A kind of panel: a capitol (`seat`), a rogue's `stronghold`, or one that `pays` extra."""

    kind = "panel"
    seat: bool = False
    stronghold: bool = False
    pays: bool = False
    ships: bool = False
    suits: bool = False
    suits_with: tuple[str, ...] = ()
    drawn: str | None = None


class Item(CatalogEntry, frozen=True):
    """Something built: a facility, a guard (of any model by `choice`), or a force."""

    kind = "item"
    on: tuple[str, ...]
    upgrades: str | None = None
    gives: Literal["facility", "garrison", "force"] = "facility"
    choice: bool = False


class UnitClass(CatalogEntry, frozen=True):
    """A class of units with tiles per move; `fire` is the percent chance that a warship's shot kills it."""

    kind = "class"
    space: int
    land: int
    fire: int
    fire_line: int
    straight: bool = False
    range: int | None = None
    lanes: bool = False
    melee: bool = False
    armoured: bool = False
    drawn: str = "disc"

    def moves(self, where: Where) -> int:
        """Return its tiles per move."""
        return self.space if where == "space" else self.land


class Terrain(CatalogEntry, frozen=True):
    """A kind of tile; `opened_by` is a switch, `hit_by` a flag, `hit_from` a terrain."""

    kind = "terrain"
    sign: str
    enter: Enter
    opened_to: str | None = None
    opened_by: str | None = None
    obstructs: bool = False
    hit_by: str | None = None
    hit_from: str | None = None
    in_space: str = "#000000"
    on_land: str = "#000000"

    def colour(self, where: Where) -> str:
        """Return its colour on a board."""
        return self.in_space if where == "space" else self.on_land


class AceLevel(CatalogEntry, frozen=True):
    """A level of aces with the percent chance that fire destroys one; a switch sets its kills."""

    kind = "ace"
    level: int
    fire: int
    kills_line: int


class Tier(CatalogEntry, frozen=True):
    """A tier of squadrons and how many battles it takes."""

    kind = "tier"
    tier: int
    battles: int


class GoldBonus(CatalogEntry, frozen=True):
    """Gold for a victory in less than `under` turns."""

    kind = "bonus"
    under: int
    gold: int


class Resupply(CatalogEntry, frozen=True):
    """Losses per free basic unit, by result."""

    kind = "resupply"
    losses: int
    pays: bool = False


class Switch(CatalogEntry, frozen=True):
    """What a scenario decides: an option, a number, or yes and no."""

    kind = "switch"
    default: Setting
    options: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None


_KINDS = (Piece, PanelKind, Item, UnitClass, Terrain, AceLevel, Tier, GoldBonus, Resupply, Switch, PrintedNumber)
CATALOG: Mapping[str, type[CatalogEntry]] = {kind.kind: kind for kind in _KINDS}


class Refused(RollError):
    """An order that the rules refuse by a `code`; nothing has changed."""

    title = "That won't work"
    left = "Nothing has changed."

    def __init__(self, code: str, words: str, **details: object) -> None:
        self.code, self.details = code, details
        super().__init__(words)


class Missing(Refused, MissingValue):
    """An order lacks something; the text asks for it."""


def refuse_off_map(panels: Iterable[Hex], at: Hex) -> Refused:
    """Return a refusal that gives the map's extent and the nearest panel."""
    known = sorted(panels)
    if not known:
        return Refused("E_OFF_MAP", f"{at} is off the map.")
    first, last = (f"{pick(q for q, _ in known)},{pick(r for _, r in known)}" for pick in (min, max))
    near = min(known, key=partial(hex_distance, at))
    return Refused("E_OFF_MAP", f"{at} is off the map. The map spans {first} to {last}; the nearest panel is {near}.")


T = TypeVar("T")
_ACES = 5
"""Levels of aces (lines 258 to 262)."""


class BadSwitch(RollError):
    """A switch is unknown, or can't have that value."""


class Terms(Struct, frozen=True):
    """The book, and the switches set differently."""

    book: Book
    switches: Mapping[str, Setting] = field(default_factory=dict)

    def of(self, kind: type[EntryT], name: str) -> EntryT:
        """Return an entry of the book."""
        return self.book.entries_of(kind)[name]

    def number(self, name: str) -> int:
        """Return a number of the page."""
        return self.book.number(name)

    def setting(self, name: str, kind: type[T]) -> T:
        """Return the value of a switch, checked for its type."""
        found = self.switches.get(name, self.book.entries_of(Switch)[name].default)
        if not isinstance(found, kind):
            msg = f"{name} isn't a {kind.__name__}"
            raise TypeError(msg)
        return found

    @property
    def ace_kills(self) -> tuple[int, ...]:
        """The kills that each level of aces takes, from level 1."""
        found: tuple[int, ...] = self.setting("ace-kills", tuple)
        return found


def set_switches(book: Book, given: Mapping[str, object]) -> Terms:
    """Return the rules with these switches; raises BadSwitch."""
    known = book.entries_of(Switch)
    return Terms(book, {name: _check_switch(known, name, value) for name, value in given.items()})


def _check_switch(known: Mapping[str, Switch], name: str, value: object) -> Setting:
    switch = known.get(name)
    if switch is None:
        raise BadSwitch(f"{name!r} isn't a switch{suggestion(name, known) or list_known(known)}")
    if switch.options:
        if isinstance(value, str) and value in switch.options:
            return value
        raise BadSwitch(f"{name} must be one of: {', '.join(switch.options)}")
    if isinstance(switch.default, bool):
        if isinstance(value, bool):
            return value
        raise BadSwitch(f"{name} must be true or false")
    if isinstance(switch.default, int):
        least, most = switch.least or 0, switch.most or 0
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        raise BadSwitch(f"{name} must be a number from {least} to {most}")
    numbers = value if isinstance(value, list | tuple) else []
    whole = tuple(item for item in numbers if isinstance(item, int) and not isinstance(item, bool) and item > 0)
    if len(whole) == len(numbers) == _ACES and [*whole] == sorted({*whole}):
        return whole
    raise BadSwitch(f"{name} must be {_ACES} numbers, each greater than the one before")
