"""What factions of a war can make and build at all, what that costs, and what becomes of it once it is done (lines 47 to 57)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from msgspec.structs import replace

from rules.books.total_war.catalog import SHIP, SUIT, Item, UnitClass
from rules.books.total_war.scenario import Faction, UnitModel, WarItem
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Force, Rules, War, Works, taken_by
from rules.geometry import Hex
from rules.subjects import unfit

_MOST_BUILT = 999
"""Up to which number a name of a force that is built has room for it."""


def makeable_models(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield the models that a faction can ever make: of its own, and of the classes that it may have."""
    start = _starting_faction(rules, war, faction)
    for model in rules.scenario.units.values() if faction in war.factions else ():
        if _is_open_to(war, faction, model) and (start is None or model.unit_class in start.classes):
            yield model.id


def useful_research(rules: Rules, war: War, faction: str, models: Iterable[str]) -> Iterator[str]:
    """Yield the models of these whose research lets a faction make something, or build what needs them."""
    made = {*makeable_models(rules, war, faction)}
    for model in models:
        users = {name for name, unit in rules.scenario.units.items() if unit.needs == model}
        built = any(item.needs == model for item in rules.scenario.items.values())
        if built or not users or not users.isdisjoint(made):
            yield model


def find_model(rules: Rules, war: War, faction: str, model: str) -> UnitModel:
    """Return a model that a faction can make."""
    found = rules.scenario.units.get(model)
    if found is None or not _is_open_to(war, faction, found):
        whose = "" if found is None else f": it belongs to {war.called(found.faction or faction)}"
        words = f"{war.factions[faction].name} can't make {model}{whose}. {_describe_makeable(rules, war, faction)}"
        raise Refused("E_NO_TARGET", words)
    start = _starting_faction(rules, war, faction)
    if start is not None and found.unit_class not in start.classes:
        label = rules.terms.of(UnitClass, found.unit_class).label.lower()
        words = f"{start.name} can't make {model} ({label}). {_describe_makeable(rules, war, faction)}"
        raise Refused("E_CLASS_FACTION", words)
    require_model(war, faction, None if rules.is_upgrade(found.needs) else found.needs)
    return found


def require_model(war: War, faction: str, model: str | None) -> None:
    """Refuse what needs a model that a faction does not know."""
    if model is not None and model not in war.factions[faction].models:
        raise Refused("E_NOT_RESEARCHED", f"{model} isn't researched yet.")


def require_use(rules: Rules, war: War, faction: str, model: str) -> None:
    """Refuse the research of what others alone can make or build (line 101)."""
    if not any(useful_research(rules, war, faction, [model])):
        words = f"{war.called(faction)} can't use {model}. {_describe_makeable(rules, war, faction)}"
        raise Refused("E_NO_TARGET", words)


def find_price(found: WarItem | UnitModel) -> int:
    """Return what something costs; refuse what has no price."""
    if found.cost is None:
        raise Refused("E_NO_FUNDS", f"{found.id} has no price yet. A game master has to set one.")
    return found.cost


def purchase_kind(rules: Rules, model: UnitModel) -> str:
    """Return as what a model is bought: as a ship or a suit."""
    return SHIP if rules.terms.of(UnitClass, model.unit_class).lanes else SUIT


def listed_item(rules: Rules, found: WarItem) -> Item:
    """Return what the page says of an item, on the panels that the scenario says; one of the scenario's own is a facility."""
    printed = rules.terms.book.listed(Item).get(found.id)
    return replace(printed, on=found.on) if printed else Item(id=found.id, label=found.id, line=0, on=found.on)


def is_held(rules: Rules, war: War, at: Hex) -> bool:
    """Return whether a force stands where another one would (AMB-06)."""
    return rules.terms.setting("stacking", int) > 0 and any(war.on(at))


def finish_works(rules: Rules, war: War, works: Works) -> War:
    """Return the war with what was built: a model known, a force of its own, more of a garrison, or a facility on the panel."""
    side = war.factions[works.faction]
    if works.at is None:
        return war.with_side(works.faction, models=side.models | {works.item})
    printed = rules.terms.book.listed(Item).get(works.item)
    gives = "facility" if printed is None else printed.gives
    if gives == "force":
        name = _force_name(war, works.faction, printed.label if printed else works.item)
        return war.with_forces(Force(name, works.item, works.faction, works.at, side.leader))
    if gives == "garrison":
        war, more = war.new_units([works.model or side.grunt] * works.number)
        return war.with_panel(works.at, garrison=(*war.panels[works.at].garrison, *more))
    return war.with_panel(works.at, facility=works.item)


def _force_name(war: War, faction: str, label: str) -> str:
    """Return what a force that a faction has built is called: by the faction's name, or its id where that is too long, and a number among its own, which reveals nothing of others."""
    called = war.factions[faction].name
    owner = faction if unfit(f"{called} {label} {_MOST_BUILT}") else called
    names = (f"{owner} {label} {number}" for number in count(1))
    return next(name for name in names if taken_by(war, name) is None)


def _describe_makeable(rules: Rules, war: War, faction: str) -> str:
    made = ", ".join(makeable_models(rules, war, faction))
    return f"It can make: {made}." if made else "It can't make any units."


def _is_open_to(war: War, faction: str, model: UnitModel) -> bool:
    """Return whether a model is everybody's, a faction's own, or that of the one from which its founder has gone."""
    return model.faction in {None, faction, war.factions[faction].origin or faction}


def _starting_faction(rules: Rules, war: War, faction: str) -> Faction | None:
    """Return as what of the scenario a faction has begun, or the one from which its founder has gone."""
    return rules.scenario.factions.get(war.factions[faction].origin or faction)
