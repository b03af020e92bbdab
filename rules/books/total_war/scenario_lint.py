"""Finds faults in scenarios: unknown names, panels off the map, wrong units."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from rules.book import Book
from rules.books.total_war import catalog, combat, scenario
from rules.books.total_war.war import NEUTRAL
from rules.documents import Place
from rules.errors import Fault
from rules.geometry import Hex, disc
from rules.items import Items, PlacedItem
from rules.kinds import RuleItem
from rules.phrases import format_count, list_known, lower_first, suggestion
from rules.subjects import name_key, unfit


class Draft(Struct, frozen=True, dict=True):
    """A scenario as written; an unreadable head is None, and its checks are skipped."""

    head: scenario.HeadItem | None
    victory: scenario.Conditions | None
    land: scenario.MapItem | None
    switches: Mapping[str, object]
    place: Place
    factions: Items[scenario.Faction]
    ranks: Items[scenario.Rank]
    kinds: Items[scenario.Panel]
    units: Items[scenario.UnitModel]
    builds: Items[scenario.WarItem]
    forces: Items[scenario.StartingForce]
    pilots: Items[scenario.Pilot]
    boards: Items[scenario.BoardPlan]

    @cached_property
    def panels(self) -> frozenset[Hex] | None:
        """All panels of the map; None unless it has either a radius or panels."""
        land = self.land
        if land is None or (land.radius is None) == (land.panels is None):
            return None
        return frozenset(disc(Hex(0, 0), land.radius or 0) if land.panels is None else land.panels)

    @cached_property
    def owners(self) -> Mapping[Hex, str]:
        """Owners (ids) by panel, without capitols."""
        held = self.land.owners if self.land else {}
        return {at: name for name, panels in held.items() for at in panels}

    @cached_property
    def faction_by_capitol(self) -> Mapping[Hex, str]:
        """Each faction's id by the panel of its capitol."""
        return {item.capitol: item.id for item in self.factions if item.capitol is not None}

    @cached_property
    def models(self) -> Mapping[str, scenario.UnitModel]:
        """Unit models by id."""
        return {item.id: item for item in self.units}

    def names_in(self, section: str, key: str = "id") -> tuple[str, ...]:
        """Return the names in a section, faulty items included."""
        written = self.place.document.data.get(section, [])
        return tuple(dict.fromkeys(str(item[key]) for item in written if key in item))


def faults_of(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield all faults except models of wrong factions."""
    yield from _head_faults(draft)
    yield from _map_faults(draft)
    yield from _find_duplicates(draft)
    yield from _find_unfit(draft)
    for faction in draft.factions.with_places():
        yield from _faction_faults(book, draft, *faction)
    for kind in draft.kinds.with_places():
        yield from _panel_faults(book, draft, *kind)
    for unit in draft.units.with_places():
        yield from _unit_faults(book, draft, *unit)
    for build in draft.builds.with_places():
        yield from _build_faults(book, draft, *build)
    for force in draft.forces.with_places():
        yield from _force_faults(book, draft, *force)
    for pilot in draft.pilots.with_places():
        yield from _pilot_faults(draft, *pilot)
    yield from _pilots_faults(draft)
    for board in draft.boards.with_places():
        yield from _board_faults(book, *board)


def class_faults(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield models that their faction may not have (line 140, AMB-74); unknown classes are reported elsewhere."""
    factions = {item.id: item for item in draft.factions}
    classes = book.entries_of(catalog.UnitClass)
    known = [(item, place) for item, place in draft.units.with_places() if item.unit_class in classes]
    models = {item.id: item for item, _ in known}
    for model, place in known:
        bearer = factions.get(model.faction or "")
        if bearer is not None and model.unit_class not in bearer.classes:
            mend = f"write another class or faction, or put {model.unit_class} into its classes"
            yield place.at("class").fault(f"unit {model.id}: {bearer.name} can't have class {model.unit_class}: {mend}")
    for place, who, owner, names in _list_rosters(draft):
        faction = factions.get(owner)
        for model in (models[name] for name in dict.fromkeys(names) if name in models):
            if faction is not None and model.unit_class not in faction.classes:
                mend = f"take another model, or put {model.unit_class} into its classes"
                yield place.fault(f"{who}: {faction.name} can't have {model.id} (class {model.unit_class}): {mend}")
            elif faction is not None and model.faction not in {None, owner}:
                yield place.fault(f"{who}: only {model.faction} can have {model.id}: take another model")


def _list_rosters(draft: Draft) -> Iterator[tuple[Place, str, str, Iterable[str]]]:
    owners = {**draft.owners, **draft.faction_by_capitol}
    for force, place in draft.forces.with_places():
        yield place.at("units"), f"force {force.name}", force.faction, force.units
    for kind, place in draft.kinds.with_places():
        yield place.at("garrison"), f"panel {kind.at}", owners.get(kind.at, ""), kind.garrison
    for item, place in draft.factions.with_places():
        yield place.at("grunt"), f"faction {item.id}", item.id, [item.grunt]


def _head_faults(draft: Draft) -> Iterator[Fault]:
    head, place = draft.head, draft.place.at("scenario")
    if head and head.fog == "near" and head.sight is None:
        yield place.fault('fog = "near" needs how far forces see: write sight = 1')
    if head and head.second == head.id:
        yield place.at("second").fault("second is this scenario itself: write the id of another one")
    if not draft.ranks.items and draft.ranks.whole:
        yield draft.place.fault("missing ranks: write at least one under [[ranks]]")
    if not draft.factions.items and draft.factions.whole:
        yield draft.place.fault("missing factions: write them under [[factions]]")
    for name in ("ends", "asks") if draft.victory else ():
        place = draft.place.at("victory", name)
        for whose, taker in getattr(draft.victory, name).items():
            yield from _find_unknown(place, "faction", [whose, taker], draft.names_in("factions"), f"{name}: ")
            if whose == taker:
                what = f'{name}: {whose} can\'t take its own capitol: write who takes it, as in {{ Z = "E" }}'
                yield place.fault(what)


def _map_faults(draft: Draft) -> Iterator[Fault]:
    land, head = draft.land, draft.place.at("map")
    if land is None:
        return
    if draft.panels is None:
        yield head.fault("map: write either radius or panels")
    elif land.panels is not None and len(draft.panels) < len(land.panels):
        twice = next(at for at in draft.panels if land.panels.count(at) > 1)
        yield head.at("panels").fault(f"panels: {twice} is listed twice: write it once")
    seen: dict[Hex, str] = {}
    for place, name, at in [(head.at("blocked"), "", at) for at in land.blocked] + [
        (head.at("owners", owner), owner, at) for owner, held in land.owners.items() for at in held
    ]:
        yield from _off_map(place, draft, at, f"{name or 'blocked'}: ")
        if name and seen.setdefault(at, name) != name:
            yield place.fault(f"panel {at} already belongs to {seen[at]}: write it for one faction")
    yield from _find_unknown(head.at("owners"), "faction", land.owners, draft.names_in("factions"), "owners: ")


def _find_duplicates(draft: Draft) -> Iterator[Fault]:
    once, other = "write it once", "choose another one"
    named: Iterable[tuple[str, str, Iterable[tuple[str, Place]]]] = (
        ("faction", other, ((item.id, place) for item, place in draft.factions.with_places())),
        ("faction's name", other, ((item.name, place) for item, place in draft.factions.with_places())),
        ("colour", other, ((item.colour, place) for item, place in draft.factions.with_places())),
        ("rank", once, ((item.name, place) for item, place in draft.ranks.with_places())),
        ("panel", once, ((str(item.at), place) for item, place in draft.kinds.with_places())),
        ("unit", once, ((item.id, place) for item, place in draft.units.with_places())),
        ("item", once, ((item.id, place) for item, place in draft.builds.with_places())),
        ("force", other, ((item.name, place) for item, place in draft.forces.with_places())),
        ("pilot", other, ((item.name, place) for item, place in draft.pilots.with_places())),
        ("board", once, ((item.id, place) for item, place in draft.boards.with_places())),
    )
    for what, mend, pairs in named:
        seen: set[str] = set()
        for name, place in pairs:
            if name_key(name) in seen:
                yield place.fault(f"{what} {name} is listed twice: {mend}")
            seen.add(name_key(name))


def _find_unfit(draft: Draft) -> Iterator[Fault]:
    sides = [(name, place) for item, place in draft.factions.with_places() for name in (item.id, item.name)]
    others: list[PlacedItem[Any]] = [*draft.units.items, *draft.builds.items]
    others += [*draft.ranks.items, *draft.forces.items, *draft.pilots.items]
    heads = [(draft.head.title, draft.place.at("scenario"))] if draft.head else []
    for name, place in (*heads, *sides, *((item.name, item.place) for item in others)):
        why = unfit(name)
        if why is not None:
            yield place.fault(f"{name!r} isn't a name: {why}")
    taken = {name_key(name) for name, _ in sides}
    for force, place in draft.forces.with_places():
        if name_key(force.name) in taken:
            yield place.fault(f"force {force.name} is the name of a faction: choose another name")


def _faction_faults(book: Book, draft: Draft, item: scenario.Faction, place: Place) -> Iterator[Fault]:
    if item.capitol is None and not item.rogue:
        what = f'faction {item.id}: missing capitol, for example capitol = "5,-2"; only a rogue faction (rogue = true) has none'
        yield place.fault(what)
    if item.id == NEUTRAL:
        yield place.at("id").fault(f"faction {item.id}: this id means neutral: choose another id")
    if item.capitol is not None:
        yield from _off_map(place.at("capitol"), draft, item.capitol, f"faction {item.id}: capitol ")
        yield from _check_blocked(place.at("capitol"), f"faction {item.id}", draft, item.capitol)
        at = item.capitol
        kinds = book.entries_of(catalog.PanelKind)
        if not any(other.at == at and other.kind in kinds and kinds[other.kind].seat for other in draft.kinds):
            what = f'faction {item.id}: panel {item.capitol} isn\'t a capitol: write kind = "capitol" for it under [[panels]]'
            yield place.at("capitol").fault(what)
        owner = draft.owners.get(at, item.id)
        if owner != item.id:
            what = f"faction {item.id}: its capitol {item.capitol} belongs to {owner} on the map: take it out of owners"
            yield place.at("capitol").fault(what)
    yield from _need_known(item, place.at("grunt"), "unit", [item.grunt], draft.names_in("units"))
    yield from _need_known(item, place.at("classes"), "class", item.classes, book.entries_of(catalog.UnitClass))


def _check_blocked(place: Place, who: str, draft: Draft, at: Hex) -> Iterator[Fault]:
    if draft.land is not None and at in draft.land.blocked:
        yield place.fault(f"{who}: {at} is blocked: choose another panel, or take it out of blocked")


def _needs_faults(
    draft: Draft, item: scenario.UnitModel | scenario.WarItem, place: Place, stands: Collection[str] = ()
) -> Iterator[Fault]:
    if item.needs is None:
        return
    known = {build.id: build for build in draft.builds}
    yield from _need_known(item, place.at("needs"), "item", [item.needs], draft.names_in("items"))
    if item.needs in known and known[item.needs].on and item.needs not in stands:
        what = f"{item.noun} {item.id}: {item.needs} is built, not researched: name a research item (one without on)"
        yield place.at("needs").fault(what)


def _panel_faults(book: Book, draft: Draft, item: scenario.Panel, place: Place) -> Iterator[Fault]:
    yield from _off_map(place.at("at"), draft, item.at, "panel ")
    yield from _need_known(item, place.at("kind"), "kind", [item.kind], book.entries_of(catalog.PanelKind))
    yield from _need_known(item, place.at("garrison"), "unit", item.garrison, draft.names_in("units"))
    kind = book.entries_of(catalog.PanelKind).get(item.kind)
    if item.bonus and kind is not None and not kind.pays:
        mend = "leave bonus out, or choose a kind that pays"
        what = f"panel {item.at}: a {lower_first(kind.label)} pays no bonus: {mend}"
        yield place.at("bonus").fault(what)
    if item.facility is not None:
        known = {build.id: build for build in draft.builds}
        yield from _need_known(item, place.at("facility"), "item", [item.facility], draft.names_in("items"))
        if item.facility in known and item.kind not in known[item.facility].on:
            stands = ", ".join(known[item.facility].on) or "no panel"
            what = f"panel {item.at}: {item.facility} can't be on {item.kind}, only on {stands}"
            yield place.at("facility").fault(f"{what}: leave it out, or choose another kind")


def _unit_faults(book: Book, draft: Draft, item: scenario.UnitModel, place: Place) -> Iterator[Fault]:
    classes = book.entries_of(catalog.UnitClass)
    yield from _need_known(item, place.at("class"), "class", [item.unit_class], classes)
    if item.faction is not None:
        yield from _need_known(item, place.at("faction"), "faction", [item.faction], draft.names_in("factions"))
    shoots = item.unit_class in classes and classes[item.unit_class].range is not None
    if item.attack is None and shoots:
        yield place.fault(f'unit {item.id}: missing attack, for example attack = "2x 1d6"')
    # Ships are made without a facility (line 55).
    is_ship = item.unit_class in classes and classes[item.unit_class].lanes
    built = () if is_ship else book.entries_of(catalog.Item).values()
    upgrades = [each.id for each in built if each.upgrades is not None]
    yield from _needs_faults(draft, item, place, upgrades)
    if item.attack is not None:
        try:
            combat.parse_attack(item.attack)
        except catalog.Refused as refusal:
            yield place.at("attack").fault(f"unit {item.id}: {refusal}")


def _build_faults(book: Book, draft: Draft, item: scenario.WarItem, place: Place) -> Iterator[Fault]:
    yield from _needs_faults(draft, item, place)
    if item.id in {catalog.SUIT, catalog.SHIP, catalog.RESEARCH}:
        yield place.at("id").fault(f"item {item.id}: this id is reserved for units and research: choose another id")
    yield from _need_known(item, place.at("on"), "kind", item.on, book.entries_of(catalog.PanelKind))
    printed = book.entries_of(catalog.Item).get(item.id)
    if printed is not None and not (item.on and {*item.on} <= {*printed.on}):
        yield place.at("on").fault(f"item {item.id}: the page has it on {', '.join(printed.on)}: write no other kind")


def _force_faults(book: Book, draft: Draft, item: scenario.StartingForce, place: Place) -> Iterator[Fault]:
    yield from _off_map(place.at("at"), draft, item.at, f"force {item.name}: ")
    movable = [name for name, piece in book.entries_of(catalog.Piece).items() if piece.most]
    yield from _need_known(item, place.at("kind"), "kind", [item.kind], movable)
    yield from _need_known(item, place.at("faction"), "faction", [item.faction], draft.names_in("factions"))
    yield from _need_known(item, place.at("units"), "unit", item.units, draft.names_in("units"))
    piece = book.entries_of(catalog.Piece).get(item.kind)
    if piece is not None and piece.attacks != bool(item.units):
        wants = "needs at least one unit" if piece.attacks else "can't have units"
        mend = "write units = with their models" if piece.attacks else "leave them out"
        yield place.at("units").fault(f"force {item.name}: a {piece.label.lower()} {wants}: {mend}")
    yield from _check_blocked(place.at("at"), f"force {item.name}", draft, item.at)
    other, there = next((force, there) for force, there in draft.forces.with_places() if force.at == item.at)
    if there != place and (other.faction != item.faction or draft.switches.get("stacking", 1)):
        yield place.at("at").fault(f"force {item.name}: {other.name} is already on {item.at}: choose another panel")


def _pilot_faults(draft: Draft, item: scenario.Pilot, place: Place) -> Iterator[Fault]:
    forces = {force.name: force for force in draft.forces}
    yield from _need_known(item, place.at("force"), "force", [item.force], draft.names_in("forces", "name"))
    if item.force in forces and item.unit > len(forces[item.force].units):
        most = len(forces[item.force].units)
        has = f"{item.force} has {format_count(most, 'units')}, no unit {item.unit}"
        yield place.at("unit").fault(f"pilot {item.name}: {has}: write a number from 1 to {most}")


def _pilots_faults(draft: Draft) -> Iterator[Fault]:
    seen: dict[tuple[str, int], str] = {}
    for pilot, place in draft.pilots.with_places():
        other = seen.setdefault((pilot.force, pilot.unit), pilot.name)
        if other != pilot.name:
            what = f"pilot {pilot.name}: {other} is already in unit {pilot.unit} of {pilot.force}: choose another unit"
            yield place.at("unit").fault(what)


def _board_faults(book: Book, item: scenario.BoardPlan, place: Place) -> Iterator[Fault]:
    side, signs = book.number("board"), {terrain.sign for terrain in book.entries_of(catalog.Terrain).values()}
    if len(item.rows) != side:
        yield place.at("rows").fault(f"board {item.id}: it has {len(item.rows)} rows: write {side}")
    for number, row in enumerate(item.rows):
        if len(row) != side or not {*row} <= signs:
            what = f"board {item.id}: {row!r} isn't a row of {side} signs out of {' '.join(sorted(signs))}"
            yield place.at("rows", number).fault(what)


def _off_map(place: Place, draft: Draft, at: Hex, whose: str) -> Iterator[Fault]:
    if draft.panels is not None and at not in draft.panels:
        yield place.fault(f"{whose}{catalog.refuse_off_map(draft.panels, at)}")


def _need_known(item: RuleItem, place: Place, what: str, names: Iterable[str], known: Iterable[str]) -> Iterator[Fault]:
    yield from _find_unknown(place, what, names, known, f"{item.noun} {getattr(item, item.key)}: ")


def _find_unknown(place: Place, what: str, names: Iterable[str], known: Iterable[str], whose: str) -> Iterator[Fault]:
    every = [*known]
    for name in dict.fromkeys(names):
        if name not in every:
            known_ones = suggestion(name, every) or (list_known(every) if every else f": no {what} is listed")
            yield place.fault(f"{whose}unknown {what} {name}{known_ones}")
