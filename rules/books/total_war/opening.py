"""Battles that begin in a war: who fights whom on which board, and where everybody stands (lines 25, 91, AMB-71)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rules.books.total_war import after
from rules.books.total_war.board import Battlefield, Ground
from rules.books.total_war.catalog import Terrain
from rules.books.total_war.fight import Fight, Fighter, begun
from rules.books.total_war.land import hostile
from rules.books.total_war.refusal import Refused
from rules.books.total_war.rogues import grunts
from rules.books.total_war.scenario import AceValues, BoardPlan
from rules.books.total_war.shooting import Attack, attack_of
from rules.books.total_war.thrown import PERCENT
from rules.books.total_war.war import Battle, Rules, Unit, War, is_lone
from rules.geometry.hexes import Hex
from rules.geometry.squares import Square

OPEN = BoardPlan("open", "space", ())


def opened(rules: Rules, war: War, at: Hex, attacker: str) -> War:
    """Return the war with a battle on a panel between an attacker's forces there and all others with the garrison (AMB-21); whatever has no units does not fight.

    Against a lone rogue a stronghold's garrison is filled up with basic units for the battle (line 91). Whoever stands beside a
    garrison fights on its owner's side.
    """
    panel, forces = war.panels[at], {item.name: item for item in war.on(at) if item.units}
    standing = [item.faction for item in forces.values() if hostile(item.faction, attacker)]
    guards = hostile(panel.owner, attacker) and (panel.garrison or panel.owner in standing)
    defender = panel.owner if guards else next(iter(standing), panel.owner)
    if is_lone(war, attacker) and rules.kind(panel).stronghold and panel.owner == defender:
        war = _filled(rules, war, at)
    garrison = war.panels[at].garrison
    sides = {name: attacker if item.faction == attacker else defender for name, item in forces.items()}
    fighting: dict[str, list[Unit]] = {attacker: [], defender: []}
    for name, side in sides.items():
        fighting[side] += forces[name].units
    fighting[attacker if panel.owner == attacker else defender] += garrison
    ids = frozenset(unit.id for unit in garrison)
    filled = ids - {unit.id for unit in panel.garrison}
    battle = Battle(at, attacker, defender, sides, ids, _placed(rules, war, fighting), filled=filled)
    return replace(war, battles={**war.battles, at: battle})


def _filled(rules: Rules, war: War, at: Hex) -> War:
    """Return the war with a garrison filled up to a full squadron, with its owner's basic units (line 91)."""
    panel = war.panels[at]
    short = grunts(len(panel.garrison), rules.scenario.full_squadron)
    owner = war.factions.get(panel.owner, next(iter(war.factions.values())))
    war, more = war.new_units([owner.grunt] * short)
    return war.with_panel(at, garrison=(*panel.garrison, *more))


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


def _placed(rules: Rules, war: War, sides: Mapping[str, Sequence[Unit]]) -> Fight:
    """Return a battle with both sides in their rows, the attacker's at the bottom (AMB-71), on the scenario's first board.

    A scenario without boards is fought in open space.
    """
    plan, size = next(iter(rules.scenario.boards), OPEN), rules.terms.number("board")
    around = Battlefield(rules.terms, ground_of(rules, plan))
    units: dict[str, Fighter] = {}
    for (side, own), rows in zip(sides.items(), (range(1, size + 1), range(size, 0, -1)), strict=True):
        tiles = [Square(column, row) for row in rows for column in range(1, size + 1)]
        for unit in own:
            fighter = _fighter(rules, side, unit)
            held = {other.at for other in units.values()}
            free = (tile for tile in tiles if tile not in held and around.may_enter(tile, fighter.flags))
            place = next(free, None)
            if place is None:
                raise Refused(
                    "E_TERRAIN", f"The board {plan.id} has no room for {len(own)} units of {war.called(side)}."
                )
            units[unit.id] = replace(fighter, at=place)
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
