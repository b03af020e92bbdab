"""A war as it begins: the scenario's panels, factions and forces, and who joins it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.refusal import Refused
from rules.books.total_war.scenario import Panel, Pilot
from rules.books.total_war.war import Force, HeldPanel, Player, Rules, Side, Unit, War

PLAIN = "plain"


def begun(rules: Rules) -> War:
    """Return the war as its scenario has it at the start."""
    scenario = rules.scenario
    factions = {
        item.id: Side(item.name, item.colour, item.gold, item.grunt, item.capitol, item.rogue)
        for item in scenario.factions.values()
    }
    war = War({}, factions, {})
    for at in sorted(scenario.panels - scenario.blocked):
        kept = scenario.kinds.get(at, Panel(at, PLAIN))
        war, garrison = war.new_units(kept.garrison)
        held = HeldPanel(kept.kind, kept.bonus, **_owner(rules, at), facility=kept.facility, garrison=garrison)
        war = replace(war, panels={**war.panels, at: held})
    for item in scenario.forces:
        war, units = war.new_units(item.units)
        commander = None if item.commander is None else str(item.commander)
        piloted = _piloted(units, [pilot for pilot in scenario.pilots if pilot.force == item.name])
        war = war.with_forces(Force(item.name, item.kind, item.faction, item.at, commander, piloted))
    return war


def joined(rules: Rules, war: War, player: str, faction: str) -> War:
    """Return the war with a player in a faction, at the lowest rank; the first leads it and has its forces.

    Raises:
        Refused: there is no such faction, or the player is in the war already, or called as a faction is.

    """
    if player in war.players:
        raise Refused("E_NAME_IN_USE", f"{player} is in this war already.")
    if player in {*war.factions, NEUTRAL}:  # a lone rogue is a faction by that name
        raise Refused("E_NAME_IN_USE", f"{player} is the name of a faction: take another callsign.")
    if faction not in war.factions:
        raise Refused("E_NO_TARGET", f"There is no faction {faction}.")
    leads = war.factions[faction].leader is None
    ranks = rules.scenario.ranks
    joined_ = Player((ranks[-1] if leads else ranks[0]).name, faction)
    war = replace(war, players={**war.players, player: joined_})
    if not leads:
        return war
    free = [item for item in war.forces.values() if item.faction == faction and item.commander is None]
    return war.with_side(faction, leader=player).with_forces(*(replace(item, commander=player) for item in free))


def _owner(rules: Rules, at: object) -> dict[str, str]:
    owner = next((name for place, name in rules.scenario.owners.items() if place == at), None)
    return {} if owner is None else {"owner": owner}


def _piloted(units: Sequence[Unit], pilots: Sequence[Pilot]) -> tuple[Unit, ...]:
    named = {pilot.unit: pilot for pilot in pilots}
    return tuple(
        replace(unit, pilot=named[place].name, kills=named[place].kills) if place in named else unit
        for place, unit in enumerate(units, 1)
    )
