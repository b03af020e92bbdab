"""Whether a war fits together: nobody is named who is not there, nobody stands where somebody else does, nothing is there twice.

Orders and rulings keep a war so by themselves; it is asked where some of them are taken back and others stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.war import Rules, War, apply_settings
from rules.subjects import name_key


def misfits(rules: Rules, war: War, before: War) -> list[str]:
    """Return in words what does not fit in a war, of which somewhat was otherwise `before`; nothing of what did not fit then either."""
    known = {*_every(rules, before)}
    lost = {*before.players} - {*war.players}
    return [fault for fault in (*_every(rules, war), *_of_players(war, lost)) if fault not in known]


def _every(rules: Rules, war: War) -> Iterator[str]:
    yield from chain.from_iterable(part(rules, war) for part in (_forces, _places, _battles, _units, _names))


def _forces(_rules: Rules, war: War) -> Iterator[str]:
    """Yield whose faction is not there."""
    sides = {*war.factions, *war.players, NEUTRAL}
    for force in war.forces.values():
        if force.faction not in sides:
            yield f"the faction of {force.name} would be missing"
        if force.at not in war.panels:
            yield f"{force.name} would be on {force.at}, off the map"
    for at, panel in war.panels.items():
        if panel.owner not in sides:
            yield f"the faction that owns {at} would be missing"
    for name, player in war.players.items():
        if player.faction is not None and player.faction not in war.factions:
            yield f"the faction of {name} would be missing"


def _places(rules: Rules, war: War) -> Iterator[str]:
    """Yield forces on one panel that neither may stand together nor fight there, nor are fought for without units of their own."""
    stacking = apply_settings(rules, war).terms.setting("stacking", int)
    first: dict[object, str] = {}
    for force in (item for item in war.forces.values() if item.units or item.at not in war.battles):
        other = war.forces[first.setdefault(force.at, force.name)]
        fighting = war.battles[force.at].forces if force.at in war.battles else {}
        alone = other.faction == force.faction and not stacking
        if other is not force and not alone and not {other.name, force.name} <= {*fighting}:
            yield f"{other.name} and {force.name} would both be on {force.at}"


def _battles(_rules: Rules, war: War) -> Iterator[str]:
    """Yield battles of which somebody is not there."""
    for at, battle in war.battles.items():
        if at not in war.panels:
            yield f"a battle would be on {at}, off the map"
            continue
        if {*battle.fight.sides} != {battle.attacker, battle.defender}:
            yield f"only one side would fight on {at}"
        yield from (
            f"{name} would fight on {at} without being there" for name in battle.forces if name not in war.forces
        )
        there = [unit for name in battle.forces if name in war.forces for unit in war.forces[name].units]
        known = {unit.id for unit in (*there, *war.panels[at].garrison)}
        yield from (
            f"{name} would fight on {at} without being there" for name in battle.fight.units if name not in known
        )


def _units(_rules: Rules, war: War) -> Iterator[str]:
    """Yield units that are there twice, and pilots of two."""
    every = [*war.every_unit()]
    yield from (f"unit {name} would exist twice" for name in _twice([unit.id for unit in every]))
    yield from (f"{name} would pilot two units" for name in _twice([unit.pilot for unit in every if unit.pilot]))


def _names(rules: Rules, war: War) -> Iterator[str]:
    """Yield names and colours that two bear; in fog a player may be called as a force is of which they do not know."""
    if not rules.scenario.has_fog:
        yield from (f"{name} would be both a force and a player" for name in _twice([*war.forces, *war.players]))
    sides = war.factions.values()
    for what, some in (("called", [side.name for side in sides]), ("coloured", [side.colour for side in sides])):
        yield from (f"two factions would be {what} {each}" for each in _twice(some))


def _of_players(war: War, lost: set[str]) -> Iterator[str]:
    """Yield what players (names) would have to do who are not in the war any more."""
    for force in war.forces.values():
        if force.commander in lost:
            yield f"{force.commander}, commander of {force.name}, wouldn't be in the war"
    for side in war.factions.values():
        for name in {side.leader, side.delegate} & lost:
            yield f"{name}, with a post of {side.name}, wouldn't be in the war"


def _twice(names: Sequence[str]) -> Iterator[str]:
    """Yield each name, as it is there first, that another one equals."""
    seen: dict[str, str] = {}
    for name in names:
        key = name_key(name)
        if key in seen:
            yield seen[key]
        seen.setdefault(key, name)
