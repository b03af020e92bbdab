"""Who fights in a battle, as people call them: units by id, model and pilot, and sides by the names of their factions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rules.books.total_war.fight import Fight
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Battle, Unit, War
from rules.phrases import known_list, sentence, suggestion
from rules.subjects import name_key

SHOWN = 8
"""How many units a refusal lists."""


def units_of(war: War, battle: Battle) -> dict[str, Unit]:
    """Return the units that came into a battle, those destroyed too, by their ids."""
    forces = (unit for name in battle.forces if name in war.forces for unit in war.forces[name].units)
    panel = war.panels.get(battle.at)
    garrison = (unit for unit in (panel.garrison if panel else ()) if unit.id in battle.garrison)
    return {unit.id: unit for unit in (*forces, *garrison)}


def called(unit: Unit) -> str:
    """Return what a unit is called: its pilot if one is named, its id and its model; no comma, which separates names."""
    name = f"{unit.id} {unit.model}"
    return (f"{unit.pilot} ({name})" if unit.pilot else name).replace(",", "")


def labels(war: War, battle: Battle) -> dict[str, str]:
    """Return what the units of a battle are called, by their ids."""
    return {name: called(unit) for name, unit in units_of(war, battle).items()}


def meant(names: Mapping[str, str], fight: Fight, typed: str) -> str:
    """Return the id of the unit on the board that is meant by `names` (id to label): by its id, label, or pilot or model alone.

    Raises:
        Refused: E_NO_TARGET, where none is, or several.

    """
    here = {name: names.get(name, name) for name in sorted(fight.units, key=in_order)}
    found = _called_so(here, typed)
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(here[name] for name in found[:SHOWN])
        raise Refused("E_NO_TARGET", f"{typed[:60]!r} could be {several}. Write the id of one.")
    fallen = _called_so({name: label for name, label in names.items() if name not in here}, typed)
    if len(fallen) == 1:
        raise Refused("E_NO_TARGET", f"{names[fallen[0]]} was destroyed in this battle.")
    told = suggestion(typed, here.values()) or known_list([*here.values()][:SHOWN])
    raise Refused("E_NO_TARGET", sentence(f"No unit {typed[:60]!r} is on the board{told}"))


def in_order(name: str) -> tuple[int, str]:
    """Return by what units (ids) are put in their order: u9 before u10."""
    return len(name), name


def side_name(war: War, side: str) -> str:
    """Return what a side of a battle is called, as a subject of rolls: without a comma, which parts names."""
    return war.called(side).replace(",", "")


def side_meant(war: War, battle: Battle, typed: str) -> str:
    """Return the side of a battle that is meant, by its id or its name."""
    known = {name_key(word): side for side in battle.fight.sides for word in (side, side_name(war, side))}
    side = known.get(name_key(typed))
    if side is None:
        sides = known_list(side_name(war, each) for each in battle.fight.sides)
        raise Refused("E_NOT_YOURS", f"{typed[:60]!r} isn't a side of the battle on {battle.at}{sides}.")
    return side


def _called_so(names: Mapping[str, str], typed: str) -> list[str]:
    """Return the ids of the units (id to label) that are meant: by label, else by id, pilot or model."""
    wanted = name_key(typed)
    first = wanted.partition(" ")[0]
    found = [name for name, label in names.items() if name_key(label) == wanted]
    found = found or [name for name in names if name_key(name) in {wanted, first}]
    return found or [name for name, label in names.items() if wanted and wanted in set(_parts(label))]


def _parts(label: str) -> Iterator[str]:
    """Yield by what else than its id a unit is known: its whole label, its model, its pilot, and both of these."""
    pilot, _, kind = name_key(label).rpartition(" (")
    model = kind.removesuffix(")").partition(" ")[2]
    yield from (name_key(label), model)
    if pilot:
        yield from (pilot, f"{model} {pilot}")
