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
    file = read(items.ScenarioFile, document.data, place, faults)
    if file is None:
        return None
    whole = file.value
    head = _one(items.HeadItem, whole.scenario, place.at("scenario"), faults)
    victory = _one(Conditions, whole.victory, place.at("victory"), faults)
    land = _one(items.MapItem, whole.map, place.at("map"), faults)
    return Draft(
        head,
        victory,
        land,
        whole.switches,
        place,
        factions=read_list(Faction, whole.factions, place.at("factions"), faults),
        ranks=read_list(Rank, whole.ranks, place.at("ranks"), faults),
        kinds=read_list(Panel, whole.panels, place.at("panels"), faults),
        units=read_list(UnitModel, whole.units, place.at("units"), faults),
        builds=read_list(WarItem, whole.items, place.at("items"), faults),
        forces=read_list(StartingForce, whole.forces, place.at("forces"), faults),
        pilots=read_list(Pilot, whole.pilots, place.at("pilots"), faults),
        boards=read_list(BoardPlan, whole.boards, place.at("boards"), faults),
    )


def _one(model: type[ItemT], raw: Mapping[str, Any], place: Place, faults: list[Fault]) -> ItemT | None:
    item = read(model, raw, place, faults)
    return item.value if item else None


def _switch_faults(book: Book, draft: Draft) -> list[Fault]:
    found = []
    for name, value in draft.switches.items():
        try:
            set_otherwise(book, {name: value})
        except BadSwitch as error:
            found.append(draft.place.at("switches", name).fault(str(error)))
    return found


def _scenario(book: Book, draft: Draft, head: items.HeadItem, land: items.MapItem) -> Scenario:
    return Scenario(
        head.id,
        head.title,
        head.full_squadron,
        draft.panels or frozenset(),
        {**draft.owners, **draft.seats},
        {item.id: item for item in draft.factions},
        tuple(draft.ranks),
        {item.at: item for item in draft.kinds},
        {item.id: item for item in draft.units},
        {item.id: item for item in draft.builds},
        tuple(draft.forces),
        tuple(draft.pilots),
        tuple(draft.boards),
        _conditions(draft),
        set_otherwise(book, draft.switches).switches,
        frozenset(land.blocked),
        head.fog,
        head.sight or 0,
        head.orders,
        head.second,
    )


def _conditions(draft: Draft) -> Conditions:
    """Return how the war ends: as it is written, else as on the page, among the factions that there are."""
    if draft.victory is not None and "victory" in draft.place.document.data:
        return draft.victory
    known = draft.named("factions")
    ends, asks = (
        {whose: taker for whose, taker in pairs.items() if {whose, taker} <= {*known}}
        for pairs in (PRINTED.ends, PRINTED.asks)
    )
    return Conditions(ends, asks)
