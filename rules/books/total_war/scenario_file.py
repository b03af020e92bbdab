"""Scenario files: read, held against the book and against themselves, every fault told at once with its line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import scenario_items as items
from rules.books.total_war.ranks import Rank
from rules.books.total_war.scenario import (
    PRINTED,
    AceValues,
    BoardPlan,
    Conditions,
    Faction,
    Panel,
    Pilot,
    Scenario,
    StartingForce,
    UnitModel,
    WarItem,
)
from rules.books.total_war.scenario_lint import Draft, class_faults, faults_of
from rules.books.total_war.scenario_warnings import warnings_of
from rules.books.total_war.terms import BadSwitch, set_otherwise
from rules.errors import BookError, Fault
from rules.geometry.hexes import Hex
from rules.items import ItemT, read, read_list
from rules.lines import Document, Place
from rules.phrases import sentence

EXAMPLE = Path(__file__).parent / "scenarios" / "first_days.toml"


class BadScenario(BookError):
    """A scenario cannot be played: `code` is E_CLASS_FACTION where all that is wrong is who has which units."""

    def __init__(self, faults: Sequence[Fault], code: str = "E_SCENARIO") -> None:
        super().__init__([*map(_whole, faults)])
        self.code = code


class Checked(Struct, frozen=True):
    """A scenario without faults, and what may be slips in it."""

    scenario: Scenario
    warnings: tuple[Fault, ...]


def read_scenario(book: Book, document: Document) -> Checked:
    """Read a scenario, whole.

    Raises:
        BadScenario: it has faults.

    """
    faults: list[Fault] = []
    draft = _draft(document, faults)
    if draft is None:
        raise BadScenario(faults)
    faults += _switch_faults(book, draft)
    faults += faults_of(book, draft)
    unfit = list(class_faults(book, draft))
    if faults or unfit or draft.head is None or draft.land is None:
        raise BadScenario([*faults, *unfit], "E_SCENARIO" if faults else "E_CLASS_FACTION")
    return Checked(_scenario(book, draft, draft.head, draft.land), tuple(map(_whole, warnings_of(book, draft))))


def _whole(fault: Fault) -> Fault:
    """Return a fault told in a whole sentence."""
    return replace(fault, what=sentence(fault.what))


def example() -> Document:
    """Return the scenario that is shipped."""
    data = EXAMPLE.read_bytes().decode()
    return Document(EXAMPLE.name, data, tomllib.loads(data))


def _draft(document: Document, faults: list[Fault]) -> Draft | None:
    """Return the items of a file; None where its sections cannot be told."""
    place = Place(document)
    whole = read(items.ScenarioFile, document.data, place, faults)
    if whole is None:
        return None
    head = _one(items.HeadItem, whole.scenario, place.at("scenario"), faults)
    victory = _one(items.VictoryItem, whole.victory, place.at("victory"), faults)
    land = _one(items.MapItem, whole.map, place.at("map"), faults)
    return Draft(
        head,
        victory,
        land,
        whole.switches,
        place,
        factions=read_list(items.FactionItem, whole.factions, place.at("factions"), faults),
        ranks=read_list(items.RankItem, whole.ranks, place.at("ranks"), faults),
        kinds=read_list(items.PanelItem, whole.panels, place.at("panels"), faults),
        units=read_list(items.UnitItem, whole.units, place.at("units"), faults),
        builds=read_list(items.BuildItem, whole.items, place.at("items"), faults),
        forces=read_list(items.ForceItem, whole.forces, place.at("forces"), faults),
        pilots=read_list(items.PilotItem, whole.pilots, place.at("pilots"), faults),
        boards=read_list(items.BoardItem, whole.boards, place.at("boards"), faults),
    )


def _one(model: type[ItemT], raw: Mapping[str, Any], place: Place, faults: list[Fault]) -> ItemT | None:
    return read(model, dict(raw), place, faults)


def _switch_faults(book: Book, draft: Draft) -> list[Fault]:
    found = []
    for name, value in draft.switches.items():
        try:
            set_otherwise(book, {name: value})
        except BadSwitch as error:
            found.append(draft.place.at("switches", name).fault(str(error)))
    return found


def _scenario(book: Book, draft: Draft, head: items.HeadItem, land: items.MapItem) -> Scenario:
    owners = {Hex.parse(item.capitol): item.id for item in draft.factions if item.capitol}
    return Scenario(
        head.id,
        head.title,
        head.full_squadron,
        draft.panels or frozenset(),
        {**draft.owners, **owners},
        {item.id: _faction(item) for item in draft.factions},
        tuple(Rank(item.name_, item.squadron_size, item.squadrons, item.fleets) for item in draft.ranks),
        {Hex.parse(item.at): _panel(item) for item in draft.kinds},
        {item.id: _unit(item) for item in draft.units},
        {
            item.id: WarItem(item.id, tuple(item.on), item.cost, item.income, item.turns, item.needs)
            for item in draft.builds
        },
        tuple(map(_force, draft.forces)),
        tuple(map(_pilot, draft.pilots)),
        tuple(BoardPlan(item.id, item.map, tuple(item.rows)) for item in draft.boards),
        _conditions(draft),
        set_otherwise(book, draft.switches).switches,
        frozenset(map(Hex.parse, land.blocked)),
        head.fog,
        head.sight or 0,
        head.orders,
        head.second,
    )


def _conditions(draft: Draft) -> Conditions:
    """Return how the war ends: as it is written, else as on the page, among the factions that there are."""
    if draft.victory is not None and "victory" in draft.place.document.data:
        return Conditions(draft.victory.ends, draft.victory.asks)
    known = draft.named("factions")
    ends, asks = (
        {whose: taker for whose, taker in pairs.items() if {whose, taker} <= {*known}}
        for pairs in (PRINTED.ends, PRINTED.asks)
    )
    return Conditions(ends, asks)


def _faction(item: items.FactionItem) -> Faction:
    capitol = None if item.capitol is None else Hex.parse(item.capitol)
    classes = frozenset(item.classes)
    return Faction(item.id, item.name_, item.colour.lower(), capitol, item.gold, item.grunt, classes, item.rogue)


def _panel(item: items.PanelItem) -> Panel:
    return Panel(Hex.parse(item.at), item.kind_, item.bonus, tuple(item.garrison), item.facility)


def _unit(item: items.UnitItem) -> UnitModel:
    flags = frozenset(item.flags)
    return UnitModel(
        item.id, item.class_, item.defense, item.attack, item.accuracy, flags, item.faction, item.cost, item.needs
    )


def _force(item: items.ForceItem) -> StartingForce:
    return StartingForce(item.name_, item.kind_, item.faction, Hex.parse(item.at), tuple(item.units), item.commander)


def _pilot(item: items.PilotItem) -> Pilot:
    added = item.modifiers
    values = AceValues(added.attempts, added.sides, added.defense, added.accuracy) if added else AceValues()
    return Pilot(item.name_, item.force, item.unit, item.hero, item.kills, values)
