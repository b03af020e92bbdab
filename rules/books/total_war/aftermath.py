"""What the end of a battle means on the map, in this order (lines 25, 64 to 97, 226 to 273).

The panel, those around it and what stands there; the losers' retreat; rogue factions; basic units, records and gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from rules.books.total_war import after
from rules.books.total_war.after import Standing, require_resupply
from rules.books.total_war.catalog import Piece
from rules.books.total_war.conquest import Victory, captured
from rules.books.total_war.holding import settled, swept, taken
from rules.books.total_war.joining import founded_by
from rules.books.total_war.refusal import Refused
from rules.books.total_war.rogues import founds_on
from rules.books.total_war.war import Battle, Force, Rules, Unit, War, is_lone, supply
from rules.geometry.hexes import Hex


def concluded(rules: Rules, war: War, at: Hex) -> War:
    """Return the war after a battle that is over, once all the losers have said where they go."""
    battle = war.battles[at]
    war = replace(war, battles={place: item for place, item in war.battles.items() if place != at})
    losses = {name: _losses(battle, war.force(name)) for name in battle.forces}
    war = _garrisoned(war, battle)
    war, winner = conquered(rules, war, battle)
    war = war.with_forces(*(_left(battle, war.force(name)) for name in battle.forces))
    war = _resupplied(rules, settled(rules, war), battle, losses)
    war = war.without_forces(name for name in battle.forces if not war.force(name).units)
    if winner is None or winner not in war.factions:
        return war
    paid = after.gold(rules.terms, "won", battle.fight.turn) or 0
    return war.with_side(winner, gold=war.factions[winner].gold + paid)


def _losses(battle: Battle, force: Force) -> int:
    return sum(unit.id not in battle.fight.units for unit in force.units)


def _garrisoned(war: War, battle: Battle) -> War:
    """Return the war with what is left of the garrison, and the kills that it has made; a beaten one has nowhere to go, and who has filled it up goes home."""
    owner = war.panels[battle.at].owner
    units = tuple(unit for unit in war.panels[battle.at].garrison if unit.id not in battle.filled)
    if battle.winner not in {None, battle.attacker if owner == battle.attacker else battle.defender}:
        units = tuple(unit for unit in units if unit.id not in battle.garrison)
    left = tuple(
        _grown(battle, unit) for unit in units if unit.id in battle.fight.units or unit.id not in battle.garrison
    )
    return war.with_panel(battle.at, garrison=left)


def _grown(battle: Battle, unit: Unit) -> Unit:
    return replace(unit, kills=after.kills_of([unit.kills, battle.fight.kills.get(unit.id, 0)]))


def conquered(rules: Rules, war: War, battle: Battle) -> tuple[War, str | None]:
    """Return the war after the winner has taken the panel and what lies around it, and who that is: a founder's new faction."""
    side = battle.winner
    if side is None:
        return war, None
    winner, loser = _now(war, side), _now(war, battle.defender if side == battle.attacker else battle.attacker)
    founding = is_lone(war, winner) and _founds(rules, war, battle, side)
    if founding:
        war, winner = founded_by(rules, war, winner)
    elif is_lone(war, winner):
        return swept(taken(rules, war, [battle.at], winner), [battle.at], winner), winner
    fleet = any(_is_fleet(rules, war, name) for name, fights in battle.forces.items() if fights == side)
    won = Victory(battle.at, winner, loser, fleet, founding)
    beaten = [name for name, fights in battle.forces.items() if fights != side]
    guarded = _guarded(rules, war, winner, beaten)
    gained = captured(rules.terms, won, war.owners, guarded, war.battles)
    return taken(rules, war, gained, winner), winner


def _now(war: War, side: str) -> str:
    """Return what a side of a battle is by now: of a lone rogue the faction that another victory has founded meanwhile."""
    player = war.players.get(side) if is_lone(war, side) else None
    return side if player is None or player.faction is None else player.faction


def _founds(rules: Rules, war: War, battle: Battle, rogue: str) -> bool:
    """Return whether a lone rogue founds a faction: by an attack on a stronghold with a squadron; a fleet is none (line 91)."""
    own = (war.force(name).kind for name, side in battle.forces.items() if side == rogue)
    squadron = any(rules.terms.of(Piece, kind).follows for kind in own)
    return squadron and rogue == battle.attacker and founds_on(rules.terms, war.panels[battle.at].kind)


def _is_fleet(rules: Rules, war: War, name: str) -> bool:
    return rules.terms.of(Piece, war.force(name).kind).takes_passing


def _guarded(rules: Rules, war: War, winner: str, beaten: Iterable[str]) -> set[Hex]:
    """Return the panels that need a fight of their own: an enemy's force or garrison, and capitols (AMB-17)."""
    gone = {*beaten}
    others = (item for item in war.forces.values() if item.faction != winner and item.units and item.name not in gone)
    foreign = {at: panel for at, panel in war.panels.items() if panel.owner != winner}
    held = {at for at, panel in foreign.items() if panel.garrison or rules.kind(panel).seat}
    return {item.at for item in others} | held


def _left(battle: Battle, force: Force) -> Force:
    """Return what is left of a force, where it stands now, with one battle more; no order is spent by being attacked (AMB-05)."""
    units = tuple(_grown(battle, unit) for unit in force.units if unit.id in battle.fight.units)
    won = force.won + (battle.result(force.name) == "won")
    at = battle.retreats.get(force.name, battle.at)
    forced = force.forced or (force.tagged and at != battle.at)  # where a beaten force goes it takes nothing (AMB-11)
    return replace(force, units=units, at=at, fought=force.fought + 1, won=won, forced=forced)


def _resupplied(rules: Rules, war: War, battle: Battle, losses: Mapping[str, int]) -> War:
    """Return the war with the basic units that forces get for their losses, where they stand now (lines 226, 237, 238, AMB-67)."""
    for force in [war.force(name) for name in battle.forces]:
        own = war.panels[force.at].owner == force.faction
        fed = force.at in supply(rules, war, force.faction)
        try:
            require_resupply(Standing(own=own, supplied=fed, lone_rogue=is_lone(war, force.faction)))
        except Refused:
            continue
        count = after.grunts(rules.terms, battle.result(force.name), losses[force.name])
        war, units = war.new_units([war.factions[force.faction].grunt] * count)
        war = war.with_forces(replace(force, units=(*force.units, *units)))
    return war
