"""Battles of a war: opened where a force enters, fought on a board, lost with a retreat (lines 25, 91, 226)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rules.books.total_war import after
from rules.books.total_war.aftermath import concluded
from rules.books.total_war.board import Battlefield, Ground
from rules.books.total_war.catalog import Terrain
from rules.books.total_war.deeds import Retreat
from rules.books.total_war.fight import Fight, Fighter, begun
from rules.books.total_war.fighting import Happened, act
from rules.books.total_war.land import free_beside, require_retreat
from rules.books.total_war.orders import Order
from rules.books.total_war.ranks import require_own
from rules.books.total_war.rogues import grunts
from rules.books.total_war.scenario import AceValues, BoardPlan
from rules.books.total_war.shooting import Attack, attack_of
from rules.books.total_war.terms import Refused
from rules.books.total_war.thrown import PERCENT, Throw
from rules.books.total_war.war import Battle, Force, Rules, Unit, War, is_lone, land_of
from rules.geometry.hexes import Hex
from rules.geometry.squares import Square


def opened(rules: Rules, war: War, at: Hex, attacker: str) -> War:
    """Return the war with a battle on a panel between an attacker's forces there and all others with the garrison (AMB-21).

    Against a lone rogue a stronghold's garrison is filled up with basic units (line 91).
    """
    panel = war.panels[at]
    if is_lone(war, attacker) and rules.kind(panel).stronghold:
        short = grunts(len(panel.garrison), rules.scenario.full_squadron)
        owner = war.factions.get(panel.owner, next(iter(war.factions.values())))
        war, more = war.new_units([owner.grunt] * short)
        war = war.with_panel(at, garrison=(*panel.garrison, *more))
    forces = {item.name: item for item in war.on(at)}
    defender = next((item.faction for item in forces.values() if item.faction != attacker), panel.owner)
    garrison = war.panels[at].garrison if panel.owner == defender else ()
    sides = {name: attacker if item.faction == attacker else defender for name, item in forces.items()}
    fighting: dict[str, list[Unit]] = {attacker: [], defender: []}
    for name, side in sides.items():
        fighting[side] += forces[name].units
    fighting[defender] += garrison
    ids = frozenset(unit.id for unit in garrison)
    battle = Battle(at, attacker, defender, sides, ids, _placed(rules, fighting))
    return replace(war, battles={**war.battles, at: battle})


def fought(rules: Rules, war: War, at: Hex, order: Order, throw: Throw) -> tuple[War, Happened]:
    """Return the war after an order on the board of a battle, and after the battle where that ends it.

    Raises:
        Refused: it is not possible.

    """
    battle = battle_on(war, at)
    fight, happened = act(rules.terms, battle.fight, order, throw)
    war = replace(war, battles={**war.battles, at: replace(battle, fight=fight)})
    return (concluded(rules, war, at) if not retreating(rules, war, at) and fight.ended.over else war), happened


def retreating(rules: Rules, war: War, at: Hex) -> list[Force]:
    """Return the forces that have lost a battle and have to say where they go: those of which anything is left, or will come.

    Raises:
        Refused: there is no battle.

    """
    battle = battle_on(war, at)
    if not battle.fight.ended.over:
        return []
    lost = [war.force(name) for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    return [item for item in lost if _has_rest(rules, battle, item)]


def retreats(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """Return where a beaten force can go: beside the battle, no force there, no enemy's stronghold, capitol or installation (AMB-10)."""
    battle = battle_on(war, at)
    land = land_of(rules, war, force.faction)
    closed = {item.at for item in war.forces.values()} | {*battle.retreats.values()} | {*land.enemies}
    closed |= {panel for panel in land.installed if land.is_foreign(panel)}
    return free_beside(at, war.panels, closed)


def retreated(rules: Rules, war: War, asked: Retreat) -> War:
    """Return the war after a beaten force has said where it goes; None gives it up, where no panel is free.

    Raises:
        Refused: it has not lost, or cannot go there.

    """
    name, to = asked.who, asked.to
    force = war.force(name)
    require_own(asked.actor, force.commander)
    at = next((place for place in war.battles if force in retreating(rules, war, place)), None)
    if at is None:
        raise Refused("E_NO_TARGET", f"{name} has lost no battle that it has to leave.")
    battle, free = war.battles[at], retreats(rules, war, at, force)
    if to is None and free:
        raise Refused("E_OCCUPIED", f"{name} is not given up: it can go to {', '.join(map(str, free))}.")
    if to is None:
        forces = {other: side for other, side in battle.forces.items() if other != name}
        war, battle = war.without_forces([name]), replace(battle, forces=forces)
    else:
        require_retreat(at, to, war.panels, set(war.panels) - {*free})
        battle = replace(battle, retreats={**battle.retreats, name: to})
    war = replace(war, battles={**war.battles, at: battle})
    return war if retreating(rules, war, at) else concluded(rules, war, at)


def battle_on(war: War, at: Hex) -> Battle:
    """Return the battle on a panel.

    Raises:
        Refused: E_NO_TARGET.

    """
    if at not in war.battles:
        raise Refused("E_NO_TARGET", f"There is no battle on {at}.")
    return war.battles[at]


def ground_of(rules: Rules, plan: BoardPlan) -> Ground:
    """Return what lies on the tiles of a board as drawn, from the top row down to row 1."""
    signs = {item.sign: name for name, item in rules.terms.book.listed(Terrain).items()}
    usual = next(iter(signs))
    lies = {
        str(Square(column, len(plan.rows) - number)): signs[sign]
        for number, row in enumerate(plan.rows)
        for column, sign in enumerate(row, 1)
        if sign != usual
    }
    return Ground(lies)


def _has_rest(rules: Rules, battle: Battle, force: Force) -> bool:
    rest = sum(unit.id in battle.fight.units for unit in force.units)
    return rest > 0 or after.grunts(rules.terms, battle.result(force.name), len(force.units)) > 0


def _placed(rules: Rules, sides: Mapping[str, Sequence[Unit]]) -> Fight:
    """Return a battle with both sides in their rows, the attacker's at the bottom (AMB-71), on the scenario's first board."""
    plan, size = rules.scenario.boards[0], rules.terms.number("board")
    around = Battlefield(rules.terms, ground_of(rules, plan))
    units: dict[str, Fighter] = {}
    for (side, own), rows in zip(sides.items(), (range(1, size + 1), range(size, 0, -1)), strict=True):
        tiles = [Square(column, row) for row in rows for column in range(1, size + 1)]
        for unit in own:
            fighter = _fighter(rules, side, unit)
            held = {other.at for other in units.values()}
            free = (tile for tile in tiles if tile not in held and around.may_enter(tile, fighter.flags))
            units[unit.id] = replace(fighter, at=next(free))
    return begun(plan.map, around.ground, units)


def _fighter(rules: Rules, side: str, unit: Unit) -> Fighter:
    model = rules.scenario.units[unit.model]
    pilot = next((item for item in rules.scenario.pilots if item.name == unit.pilot), None)
    added = AceValues() if pilot is None else pilot.modifiers
    attack = None if model.attack is None else _better(attack_of(model.attack, model.accuracy), added)
    hero, level = pilot is not None and pilot.hero, after.ace_level(rules.terms, unit.kills)
    defense = max(0, model.defense + added.defense)
    return Fighter(side, model.unit_class, Square(1, 1), attack, defense, model.flags, level, hero)


def _better(attack: Attack, added: AceValues) -> Attack:
    """Return an attack with what a pilot adds (AMB-59)."""
    accuracy = None if attack.accuracy is None else min(PERCENT, max(1, attack.accuracy + added.accuracy))
    return Attack(max(1, attack.attempts + added.attempts), max(2, attack.sides + added.sides), accuracy)
