"""Reads scenario files and reports all faults at once, with lines."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import scenario as items
from rules.books.total_war.catalog import BadSwitch, PanelKind, Terrain, set_switches
from rules.books.total_war.scenario_lint import Draft, class_faults, faults_of
from rules.documents import Document, Place
from rules.errors import BookError, Fault
from rules.items import ItemT, read, read_list
from rules.phrases import format_count, sentence

_LEAST_USER_ID = 10**16
"""Discord ids count milliseconds since 2015, shifted by 22 bits."""


def _warnings_of(book: Book, draft: Draft) -> Iterator[Fault]:
    least, most = book.number("least-bonus"), book.number("most-bonus")
    kinds = book.entries_of(PanelKind)
    paying = {name for name, kind in kinds.items() if kind.pays}
    for build, place in draft.builds.with_places():
        if not build.income and paying.intersection(build.on):
            yield place.fault(f"item {build.id}: it pays nothing extra: write income = 15, or what it pays")
    for item, place in draft.kinds.with_places():
        kind = kinds.get(item.kind)
        if kind is not None and kind.pays and not least <= item.bonus <= most:
            yield place.at("bonus").fault(f"panel {item.at}: {item.bonus} gold; the rules have {least} to {most}")
    yield from _seats_of_nobody(book, draft)
    for rank, place in draft.ranks.with_places():
        if rank.squadrons and not rank.squadron_size:
            mend = "write squadron-size = 4, or the size they may have"
            yield place.at("squadron-size").fault(f"rank {rank.name}: its squadrons can't have units: {mend}")
    for force, place in draft.forces.with_places():
        if force.commander is not None and force.commander < _LEAST_USER_ID:
            what = f"force {force.name}: {force.commander} isn't the id of a Discord user: those have 17 digits or more"
            yield place.at("commander").fault(what)
    yield from _too_many(book, draft)


def _seats_of_nobody(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield capitols without a faction: taking one ends nothing."""
    kinds = book.entries_of(PanelKind)
    for item, place in draft.kinds.with_places():
        if kinds[item.kind].seat and item.at not in draft.faction_by_capitol:
            what = f"panel {item.at}: this {item.kind} belongs to no faction: make it the capitol of one, or write another kind"
            yield place.at("kind").fault(what)


def _too_many(book: Book, draft: Draft) -> Iterator[Fault]:
    open_to = {terrain.sign for terrain in book.entries_of(Terrain).values() if terrain.enter != "none"}
    rows = next((board.rows for board in draft.boards), ())
    room = book.number("board") ** 2 - sum(sign not in open_to for row in rows for sign in row)
    mine = [(place.at("units"), f"force {item.name}", item.units) for item, place in draft.forces.with_places()]
    theirs = [(place.at("garrison"), f"panel {item.at}", item.garrison) for item, place in draft.kinds.with_places()]
    for place, who, units in (*mine, *theirs):
        if len(units) >= room:
            what = f"{who}: {format_count(len(units), 'units')} are too many for a battle: a board has {room} tiles for both sides"
            yield place.fault(what)


EXAMPLE = Path(__file__).parent / "scenarios" / "first_days.toml"


class BadScenario(BookError):
    """A scenario with faults; `code` is E_CLASS_FACTION if only models of wrong factions are at fault."""

    def __init__(self, faults: Sequence[Fault], code: str = "E_SCENARIO") -> None:
        super().__init__([*map(_whole, faults)])
        self.code = code


class CheckedScenario(Struct, frozen=True):
    """A scenario without faults, and its warnings."""

    scenario: items.Scenario
    warnings: tuple[Fault, ...]


def read_scenario(book: Book, document: Document) -> CheckedScenario:
    """Read a whole scenario; raises BadScenario with all faults."""
    faults: list[Fault] = []
    draft = _draft(document, faults)
    if draft is None:
        raise BadScenario(faults)
    for name, value in draft.switches.items():
        try:
            set_switches(book, {name: value})
        except BadSwitch as error:
            faults.append(draft.place.at("switches", name).fault(str(error)))
    faults += faults_of(book, draft)
    unfit = list(class_faults(book, draft))
    if faults or unfit or draft.head is None or draft.land is None:
        raise BadScenario([*faults, *unfit], "E_SCENARIO" if faults else "E_CLASS_FACTION")
    warnings = tuple(map(_whole, _warnings_of(book, draft)))
    return CheckedScenario(_scenario(book, draft, draft.head, draft.land), warnings)


def _whole(fault: Fault) -> Fault:
    return replace(fault, what=sentence(fault.what))


def example() -> Document:
    """Return the shipped scenario."""
    data = EXAMPLE.read_bytes().decode()
    return Document(EXAMPLE.name, data, tomllib.loads(data))


def _draft(document: Document, faults: list[Fault]) -> Draft | None:
    place = Place(document)
    file = read(items.ScenarioFile, document.data, place, faults)
    if file is None:
        return None
    whole = file.value
    return Draft(
        _one(items.HeadItem, whole.scenario, place.at("scenario"), faults),
        _one(items.Conditions, whole.victory, place.at("victory"), faults),
        _one(items.MapItem, whole.map, place.at("map"), faults),
        whole.switches,
        place,
        factions=read_list(items.Faction, whole.factions, place.at("factions"), faults),
        ranks=read_list(items.Rank, whole.ranks, place.at("ranks"), faults),
        kinds=read_list(items.Panel, whole.panels, place.at("panels"), faults),
        units=read_list(items.UnitModel, whole.units, place.at("units"), faults),
        builds=read_list(items.WarItem, whole.items, place.at("items"), faults),
        forces=read_list(items.StartingForce, whole.forces, place.at("forces"), faults),
        pilots=read_list(items.Pilot, whole.pilots, place.at("pilots"), faults),
        boards=read_list(items.BoardPlan, whole.boards, place.at("boards"), faults),
    )


def _one(model: type[ItemT], raw: Mapping[str, Any], place: Place, faults: list[Fault]) -> ItemT | None:
    item = read(model, raw, place, faults)
    return item.value if item else None


def _scenario(book: Book, draft: Draft, head: items.HeadItem, land: items.MapItem) -> items.Scenario:
    return items.Scenario(
        head.id,
        head.title,
        head.full_squadron,
        draft.panels or frozenset(),
        {**draft.owners, **draft.faction_by_capitol},
        {item.id: item for item in draft.factions},
        tuple(draft.ranks),
        {item.at: item for item in draft.kinds},
        {item.id: item for item in draft.units},
        {item.id: item for item in draft.builds},
        tuple(draft.forces),
        tuple(draft.pilots),
        tuple(draft.boards),
        _conditions(draft),
        set_switches(book, draft.switches).switches,
        frozenset(land.blocked),
        head.fog,
        head.sight or 0,
        head.orders,
        head.second,
    )


def _conditions(draft: Draft) -> items.Conditions:
    if draft.victory is not None and "victory" in draft.place.document.data:
        return draft.victory
    known = draft.names_in("factions")
    ends, asks = (
        {whose: taker for whose, taker in pairs.items() if {whose, taker} <= {*known}}
        for pairs in (items.PRINTED.ends, items.PRINTED.asks)
    )
    return items.Conditions(ends, asks)
