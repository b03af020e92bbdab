"""What a unit can do in a battle: tiles, attacks, targets and retreats."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from rules.books.total_war.acts import Attacks, UnitAct, parse_tile, require_act
from rules.books.total_war.aftermath import list_retreats, list_shelters
from rules.books.total_war.battles import battle_on
from rules.books.total_war.board import destinations
from rules.books.total_war.catalog import COIN, Refused, UnitClass
from rules.books.total_war.combat import needs_call
from rules.books.total_war.fight import Clash, Fight, Fire, MoveUnit, Order, Shoot
from rules.books.total_war.war import Force, Rules, War
from rules.geometry import EDGES, Hex, Square


class Choices(Struct, frozen=True):
    """What a player (`by`; None: a game master) can do in a battle."""

    rules: Rules
    war: War
    at: Hex
    by: str | None = None

    @property
    def fight(self) -> Fight:
        """The fight on the board of this battle."""
        return battle_on(self.war, self.at).fight

    def able(self) -> list[str]:
        """Return ids of units that can still move or attack in this half."""
        fight = self.fight
        own = [name for name, unit in fight.units.items() if unit.side == fight.active]
        return [name for name in own if self.tiles(name) or any(self.attacks(name))]

    def idle(self) -> list[str]:
        """Return ids of the able units that have a tile to go to or a target in range."""
        able = self.able()
        return [name for name in able if self.tiles(name) or any(self._finds(name, way) for way in self.attacks(name))]

    def _finds(self, unit: str, way: Attacks) -> bool:
        return bool(self.directions(unit, None) if way == "fire" else self.targets(unit, way, None))

    def tiles(self, unit: str) -> list[Square]:
        """Return reachable tiles, nearest first."""
        fight = self.fight
        found = destinations(fight.around(self.rules.terms, unit), fight.units[unit].mover(fight.where))
        ways = sorted(found, key=found.__getitem__)
        return ways if ways and self._is_possible(unit, MoveUnit(unit, ways[0])) else []

    def attacks(self, unit: str) -> Iterator[Attacks]:
        """Yield the unit's ways to attack this turn, even without a target in range."""
        fighter = self.fight.units[unit]
        kind = self.rules.terms.of(UnitClass, fighter.kind)
        if kind.lanes and self.directions(unit, None):
            yield "fire"
        if not fighter.attacked and kind.range is not None:
            yield "shot"
        if not fighter.attacked and kind.melee:
            yield "melee"

    def targets(self, unit: str, way: Attacks, to: Square | None) -> list[str]:
        """Return the units (ids) that `unit` could attack this way after moving `to` a tile."""
        units = self.fight.units
        attacks = {name: Clash(unit, name, COIN[0]) if way == "melee" else Shoot(unit, name) for name in units}
        return [name for name, attack in attacks.items() if self._is_possible(unit, attack, to)]

    def partners(self, unit: str, target: str, chosen: Sequence[str], to: Square | None) -> list[str]:
        """Return ids of units that can join an attack."""
        others = [name for name in self.fight.units if name not in {unit, *chosen}]
        return [name for name in others if self._is_possible(unit, Shoot(unit, target, (*chosen, name)), to)]

    def directions(self, unit: str, to: Square | None) -> list[str]:
        """Return lanes to fire down after a move."""
        return [way for way in EDGES if self._is_possible(unit, Fire(unit, way), to)]

    def calls(self, target: str) -> tuple[str, ...]:
        """Return the calls of a melee attack; empty if no coin is needed."""
        return COIN if needs_call(self.rules.terms, self.fight.units[target].kind) else ()

    def tile(self, typed: str) -> Square:
        """Read a tile."""
        return parse_tile(self.rules, typed)

    def retreats(self, force: Force) -> tuple[Hex, ...]:
        """Return where a beaten force can go."""
        return list_retreats(self.rules, self.war, self.at, force)

    def shelters(self, force: Force) -> tuple[Hex, ...]:
        """Return panels that only a game master can choose for a force without a retreat."""
        return list_shelters(self.rules, self.war, self.at, force) if self.by is None else ()

    def free_tiles(self, unit: str) -> list[Square]:
        """Return tiles where a unit can be placed."""
        field, flags = self.fight.around(self.rules.terms, unit), self.fight.units[unit].flags
        return [place for place in field.board.squares() if place not in field.held and field.may_enter(place, flags)]

    def _is_possible(self, unit: str, order: Order, to: Square | None = None) -> bool:
        orders = (order,) if to is None else (MoveUnit(unit, to), order)
        with suppress(Refused):
            require_act(self.rules, self.war, UnitAct(self.at, self.by, unit, orders, {}))
            return True
        return False
