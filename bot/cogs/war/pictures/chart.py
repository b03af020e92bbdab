"""What a strategy map shows, as plain facts: picture and words are both made of these, and of nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war.catalog import Item, Piece
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.paying import pays
from rules.books.total_war.sight import WHOLE, Sight
from rules.books.total_war.war import HeldPanel, Rules, War, sources, supply
from rules.geometry.hexes import Hex, disc

Layer = Literal["control", "supply", "income", "forces"]
"""The views of the map: who holds what, what is joined to its capitol, what panels pay, where forces stand."""

_MANY: Final = 150
"""More panels than that are too small to show what is about one of them."""


class Lot(Struct, frozen=True):
    """A panel: its owner's id (None: neutral), whether that is cut off, its kind, and what stands on it.

    `mark` is the shape of its kind, `fed` whether supply begins there, `pays` the gold that its owner has of it in a turn,
    or could have. `seen` says whether what stands there is known; `forces` are the numbers of those that do.
    """

    at: Hex
    owner: str | None
    kind: str
    mark: str | None
    bonus: int
    facility: str | None
    garrison: int
    pays: int
    fight: tuple[str, str] | None
    cut_off: bool = False
    fed: bool = False
    seen: bool = True
    forces: tuple[int, ...] = ()


class Holder(Struct, frozen=True):
    """A faction: the letters on its panels, its place among all (for its colour), gold and income; None where they are not told."""

    id: str
    letters: str
    name: str
    colour: str
    place: int
    gold: int | None
    income: int | None
    panels: int
    cut_off: int


class Token(Struct, frozen=True):
    """A force: its number on the map, kind, shape, faction, panel, how many units it has, and whether it has moved in this turn."""

    number: int
    name: str
    kind: str
    drawn: str
    faction: str
    at: Hex
    units: int
    moved: bool


class Chart(Struct, frozen=True):
    """A strategy map: panels in order, those that nobody can enter, factions by id, and forces; the name of whoever has won the war."""

    title: str
    turn: int
    layer: Layer
    lots: tuple[Lot, ...]
    blocked: tuple[Hex, ...]
    holders: Mapping[str, Holder]
    tokens: tuple[Token, ...]
    winner: str | None = None

    def on(self, lot: Lot) -> tuple[Token, ...]:
        """Return the forces on a panel."""
        return tuple(self.tokens[number - 1] for number in lot.forces)

    def letters(self, faction: str | None) -> str:
        """Return the letters of a faction; those of no faction are none."""
        return self.holders[faction].letters if faction is not None and faction in self.holders else ""

    def name(self, faction: str | None) -> str:
        """Return what a faction of forces is called; whoever is none is a lone rogue, but for nobody's garrison."""
        if faction == NEUTRAL:
            return NOBODYS
        return self.holders[faction].name if faction is not None and faction in self.holders else "a lone rogue"


def chart_of(rules: Rules, war: War, layer: Layer = "control", sight: Sight = WHOLE) -> Chart:
    """Return what a view of the map of a war shows, `war` and `sight` being what whoever looks at it sees."""
    supplied = {(faction, at) for faction in war.factions for at in supply(rules, war, faction)}
    begins = {(faction, at) for faction in war.factions for at in sources(rules, war, faction)} & supplied
    tokens = tuple(_tokens(rules, war))
    standing: dict[Hex, list[int]] = {}
    for token in tokens:
        standing.setdefault(token.at, []).append(token.number)
    lots = tuple(
        replace(
            _lot(rules, war, at, panel),
            cut_off=panel.owner != NEUTRAL and (panel.owner, at) not in supplied,
            fed=(panel.owner, at) in begins,
            seen=at not in sight.unseen,
            forces=tuple(standing.get(at, ())),
        )
        for at, panel in sorted(war.panels.items())
    )
    holders = {item.id: item for item in _holders(war, lots, sight.known)}
    won = war.factions.get(war.winner or "")
    blocked, winner = tuple(sorted(rules.scenario.blocked)), won.name if won else war.winner
    return Chart(rules.scenario.title, war.turn, layer, lots, blocked, holders, tokens, winner)


def near(chart: Chart, places: Collection[Hex], within: int) -> Chart:
    """Return a large map as far as it lies about places, if that is not most of it; a small one whole."""
    if len(chart.lots) <= _MANY or not places:
        return chart
    about = {at for place in places for at in disc(place, within)}
    shown = tuple(lot for lot in chart.lots if lot.at in about)
    if 2 * len(shown) > len(chart.lots):
        return chart
    return replace(chart, lots=shown, blocked=tuple(at for at in chart.blocked if at in about))


SHORT = 2
"""The characters of a name that is its own letters."""


def letters_of(names: Sequence[str]) -> list[str]:
    """Return the shortest beginnings of names by which each can be told from the others; names as short as `R1` stay whole, as sheets have them."""
    return [
        next(
            (name[:size] for size in range(1, len(name)) if len(name) > SHORT and _tells(name[:size], name, names)),
            name,
        )
        for name in names
    ]


def _tells(head: str, name: str, names: Sequence[str]) -> bool:
    return not any(other.casefold().startswith(head.casefold()) for other in names if other != name)


def _lot(rules: Rules, war: War, at: Hex, panel: HeldPanel) -> Lot:
    """Return what a panel is, apart from supply and forces."""
    kind, battle = rules.kind(panel), war.battles.get(at)
    return Lot(
        at,
        None if panel.owner == NEUTRAL else panel.owner,
        kind.label,
        kind.drawn,
        panel.bonus,
        facility_label(rules, panel.facility),
        len(panel.garrison),
        pays(rules, panel),
        None if battle is None else (battle.attacker, battle.defender),
    )


def facility_label(rules: Rules, facility: str | None) -> str | None:
    """Return what a facility is called: as the page does, or by its id where it is the scenario's own."""
    printed = rules.terms.book.listed(Item).get(facility or "")
    return facility if printed is None else printed.label


def _tokens(rules: Rules, war: War) -> Iterator[Token]:
    """Yield the forces, numbered: faction by faction, as they were raised."""
    ordered = [item for faction in war.factions for item in war.forces.values() if item.faction == faction]
    ordered += [item for item in war.forces.values() if item.faction not in war.factions]
    for number, item in enumerate(ordered, 1):
        piece = rules.terms.of(Piece, item.kind)
        yield Token(number, item.name, piece.label, piece.drawn, item.faction, item.at, len(item.units), item.moved)


def _holders(war: War, lots: Sequence[Lot], known: Collection[str] | None) -> Iterator[Holder]:
    letters = letters_of([*war.factions])
    for place, (name, side) in enumerate(war.factions.items()):
        own = [lot for lot in lots if lot.owner == name]
        told = known is None or name in known
        income = sum(lot.pays for lot in own if not lot.cut_off)
        cut_off = sum(lot.cut_off for lot in own)
        yield Holder(
            name,
            letters[place],
            side.name,
            side.colour,
            place,
            side.gold if told else None,
            income if told else None,
            len(own),
            cut_off,
        )
