"""Forces and units as a game master sets them: new ones, others, elsewhere, and what is ruled to be destroyed (AMB-79)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from rules.books.total_war.catalog import Piece
from rules.books.total_war.deeds import AddForce, AddUnits, PlaceForce, RemoveForce, RemoveUnit, SetUnit, Strike
from rules.books.total_war.holding import settled
from rules.books.total_war.refusal import Refused
from rules.books.total_war.settings import (
    panel_at,
    require_number,
    require_place,
    require_unreserved,
)
from rules.books.total_war.war import Force, Rules, Unit, War, require_free, require_name, require_no_battle
from rules.geometry.hexes import Hex
from rules.names import visible
from rules.phrases import known_list, sentence, suggestion

MOST_UNITS = 50
"""Most units that come at once."""


def reinforced(rules: Rules, war: War, asked: AddUnits) -> War:
    """Return the war with more units in a force or in the garrison of a panel; no rank bounds what a game master gives."""
    if not 1 <= asked.number <= MOST_UNITS:
        raise Refused("E_NO_TARGET", f"{asked.number} {asked.model} won't work: write a number from 1 to {MOST_UNITS}.")
    _require_models(rules, [asked.model])
    if isinstance(asked.to, Hex):
        panel = panel_at(war, asked.to)
        require_no_battle(war, asked.to)
        war, more = war.new_units([asked.model] * asked.number)
        return war.with_panel(asked.to, garrison=(*panel.garrison, *more))
    force = war.force(asked.to)
    require_free(war, force)
    _require_manned(rules, force.kind, force.name)
    war, more = war.new_units([asked.model] * asked.number)
    return war.with_forces(replace(force, units=(*force.units, *more)))


def dismissed(rules: Rules, war: War, asked: RemoveUnit) -> War:
    """Return the war without a unit, and without its force when that was the last."""
    return settled(rules, _without(war, asked.unit))


def retold(rules: Rules, war: War, asked: SetUnit) -> War:
    """Return the war with a unit's kills or pilot as they are set."""
    unit = _free_unit(war, asked.unit)
    if asked.kills is not None:
        require_number(asked.kills, f"{asked.unit} can't have {asked.kills} kills", "E_BAD_STAT")
        unit = replace(unit, kills=asked.kills)
    if asked.pilot is not None:
        unit = replace(unit, pilot=_pilot(rules, war, unit, asked.pilot) if asked.pilot else None)
    return _with_unit(war, asked.unit, [unit])


def mustered(rules: Rules, war: War, asked: AddForce) -> War:
    """Return the war with a new force on a panel."""
    name = visible(asked.name)
    require_name(war, name)
    pieces = {key: piece for key, piece in rules.terms.book.listed(Piece).items() if piece.most}
    if asked.piece not in pieces:
        raise Refused("E_NO_TARGET", f"{asked.piece} isn't a kind of force{known_list(pieces)}.")
    _require_side(war, asked)
    _require_models(rules, asked.units)
    if bool(asked.units) != pieces[asked.piece].attacks or len(asked.units) > MOST_UNITS:
        wants = f"1 to {MOST_UNITS} units" if pieces[asked.piece].attacks else "no units"
        raise Refused("E_SQUADRON_FULL", f"A {asked.piece} has {wants}, not {len(asked.units)}.")
    require_place(rules, war, asked.at, asked.faction)
    war, units = war.new_units(asked.units)
    return war.with_forces(Force(name, asked.piece, asked.faction, asked.at, asked.commander, units))


def placed(rules: Rules, war: War, asked: PlaceForce) -> War:
    """Return the war with a force on another panel; it takes nothing there, and may still move."""
    force = war.force(asked.who)
    require_free(war, force)
    if force.at == asked.at:
        raise Refused("E_NO_MOVE", f"{force.name} is already on {asked.at}.")
    require_place(rules, war, asked.at, force.faction)
    return war.with_forces(replace(force, at=asked.at, follows=None))


def disbanded(_rules: Rules, war: War, asked: RemoveForce) -> War:
    """Return the war without a force."""
    require_free(war, war.force(asked.who))
    return war.without_forces([asked.who])


def struck(rules: Rules, war: War, asked: Strike) -> War:
    """Return the war without units, and without panels and all that is on them, which nobody enters any more (AMB-79)."""
    if not asked.units and not asked.panels:
        raise Refused("E_NO_TARGET", "Name the units or panels that are destroyed.")
    for name in dict.fromkeys(asked.units):
        war = _without(war, name)
    for at in dict.fromkeys(asked.panels):
        war = _without_panel(war, at)
    return settled(rules, war)


def _without_panel(war: War, at: Hex) -> War:
    panel_at(war, at)
    require_no_battle(war, at)
    require_unreserved(war, at)
    if len(war.panels) == 1:
        raise Refused("E_OFF_MAP", f"{at} is the last panel of the map.")
    war = war.without_forces([item.name for item in war.on(at)])
    for name, side in war.factions.items():
        if at in {side.seat, side.source}:
            seat, source = (None if place == at else place for place in (side.seat, side.source))
            war = war.with_side(name, seat=seat, source=source)
    works = tuple(item for item in war.works if item.at != at)
    return replace(war, panels={place: panel for place, panel in war.panels.items() if place != at}, works=works)


def _units(war: War) -> Iterator[Unit]:
    for force in war.forces.values():
        yield from force.units
    for panel in war.panels.values():
        yield from panel.garrison


def _free_unit(war: War, name: str) -> Unit:
    """Return a unit that is in no battle."""
    found = next((unit for unit in _units(war) if unit.id == name), None)
    if found is None:
        raise Refused("E_NO_TARGET", f"{name} isn't a unit. Write its id, such as u1.")
    place = next(
        (at for at, battle in war.battles.items() if name in battle.fight.units or _was_there(war, at, name)), None
    )
    if place is not None:
        raise Refused("E_BATTLE_PENDING", f"{name} is in the battle on {place}. End it first.")
    return found


def _was_there(war: War, at: Hex, name: str) -> bool:
    """Return whether a unit is of a force or garrison that fights on a panel, be it destroyed there."""
    battle = war.battles[at]
    return name in battle.garrison or any(unit.id == name for each in battle.forces for unit in war.force(each).units)


def _without(war: War, name: str) -> War:
    _free_unit(war, name)
    emptied = [force.name for force in war.forces.values() if [unit.id for unit in force.units] == [name]]
    return _with_unit(war, name, ()).without_forces(emptied)


def _with_unit(war: War, name: str, now: Iterable[Unit]) -> War:
    """Return the war with others in the place of a unit."""
    instead = [*now]
    for force in war.forces.values():
        if any(unit.id == name for unit in force.units):
            return war.with_forces(replace(force, units=_exchanged(force.units, name, instead)))
    at = next(at for at, panel in war.panels.items() if any(unit.id == name for unit in panel.garrison))
    return war.with_panel(at, garrison=_exchanged(war.panels[at].garrison, name, instead))


def _exchanged(units: Iterable[Unit], name: str, instead: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(each for unit in units for each in (instead if unit.id == name else (unit,)))


def _pilot(rules: Rules, war: War, unit: Unit, name: str) -> str:
    """Return a pilot of the scenario who has no other unit."""
    known = [pilot.name for pilot in rules.scenario.pilots]
    if name not in known:
        near = suggestion(name, known) or known_list(known)
        raise Refused("E_NO_TARGET", sentence(f"{name} isn't a pilot{near}"))
    other = next((each.id for each in _units(war) if each.pilot == name and each.id != unit.id), None)
    if other is not None:
        raise Refused("E_NAME_IN_USE", f"{name} already pilots {other}. Take them out of that unit first.")
    return name


def _require_models(rules: Rules, models: Iterable[str]) -> None:
    known = rules.scenario.units
    for model in models:
        if model not in known:
            near = suggestion(model, known) or known_list(known)
            raise Refused("E_NO_TARGET", sentence(f"{model} isn't a model{near}"))


def _require_manned(rules: Rules, piece: str, name: str) -> None:
    if not rules.terms.of(Piece, piece).attacks:
        raise Refused("E_SQUADRON_FULL", f"{name} is a {piece} and has no units.")


def _require_side(war: War, asked: AddForce) -> None:
    """Refuse a force of nobody, or one whose commander is of others; a lone rogue's is their own."""
    lone = {name for name, player in war.players.items() if player.faction is None}
    if asked.faction not in {*war.factions, *lone}:
        known = known_list([*(side.name for side in war.factions.values()), *sorted(lone)])
        raise Refused("E_NO_TARGET", f"{asked.faction} isn't a faction{known}.")
    if asked.commander is None:
        return
    own = [name for name, player in war.players.items() if (player.faction or name) == asked.faction]
    if asked.commander not in own:
        raise Refused("E_NOT_ALLIED", f"{asked.commander} isn't in {war.called(asked.faction)}{known_list(own)}.")
