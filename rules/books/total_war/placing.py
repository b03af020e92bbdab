"""Where a game master puts a unit on a board: on any tile that it could stand on and where no other does (AMB-71)."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.actors import require_fought
from rules.books.total_war.leaving import battle_on
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Rules, War
from rules.geometry.hexes import Hex
from rules.geometry.squares import Square


def placed(rules: Rules, war: War, at: Hex, name: str, to: Square) -> War:
    """Return the war with a unit on another tile of the battle on a panel; that is no move of its turn."""
    battle = battle_on(war, at)
    require_fought(war, battle)
    unit, field = battle.fight.unit(name), battle.fight.around(rules.terms, name)
    if to == unit.at:
        raise Refused("E_NO_MOVE", f"{name} is already on {to}.")
    if to in field.held:
        holder = next(other for other, item in battle.fight.units.items() if item.at == to)
        raise Refused("E_OCCUPIED", f"{name} can't be on {to}: {holder} is there, and a tile has room for 1 unit.")
    if not field.may_enter(to, unit.flags):
        raise Refused("E_TERRAIN", f"{name} can't be on {to}: {field.terrain(to).label.lower()}.")
    fight = battle.fight.changed((name,), at=to)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)})
