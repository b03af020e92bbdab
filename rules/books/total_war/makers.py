"""Which models of units a faction of a war can make at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.books.total_war.scenario import Faction, UnitModel
from rules.books.total_war.war import Rules, War


def made_by(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield the models that a faction can ever make: of its own, and of the classes that it may have."""
    start = beginning(rules, war, faction)
    for model in rules.scenario.units.values() if faction in war.factions else ():
        if is_of(war, faction, model) and (start is None or model.unit_class in start.classes):
            yield model.id


def useful(rules: Rules, war: War, faction: str, models: Iterable[str]) -> Iterator[str]:
    """Yield the models of these whose research lets a faction make something, or build what needs them."""
    made = {*made_by(rules, war, faction)}
    for model in models:
        users = {name for name, unit in rules.scenario.units.items() if unit.needs == model}
        built = any(item.needs == model for item in rules.scenario.items.values())
        if built or not users or not users.isdisjoint(made):
            yield model


def makes(rules: Rules, war: War, faction: str) -> str:
    """Return in a sentence which models a faction makes."""
    made = ", ".join(made_by(rules, war, faction))
    return f"It can make: {made}." if made else "It can't make any units."


def is_of(war: War, faction: str, model: UnitModel) -> bool:
    """Return whether a model is everybody's, a faction's own, or that of the one from which its founder has gone."""
    return model.faction in {None, faction, war.factions[faction].origin or faction}


def beginning(rules: Rules, war: War, faction: str) -> Faction | None:
    """Return as what of the scenario a faction has begun, or the one from which its founder has gone."""
    return rules.scenario.factions.get(war.factions[faction].origin or faction)
