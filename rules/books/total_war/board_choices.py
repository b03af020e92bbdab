"""What can be done on a board now, to be offered: units that may still act, and for one of them tiles, attacks, targets and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from rules.books.total_war.acting import Act, Attacks, require_act, tile_at
from rules.books.total_war.battles import retreats, shelters
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.fight import Fight
from rules.books.total_war.going import destinations
from rules.books.total_war.leaving import battle_on
from rules.books.total_war.melee import is_called
from rules.books.total_war.orders import Clash, Fire, Move, Order, Shoot
from rules.books.total_war.refusal import Refused
from rules.books.total_war.thrown import COIN
from rules.books.total_war.war import Force, Rules, War
from rules.geometry.hexes import Hex
from rules.geometry.squares import EDGES, Square


class Choices(Struct, frozen=True):
    """What somebody (a callsign; None: a game master) can do in the battle on a panel."""

    rules: Rules
    war: War
    at: Hex
    by: str | None = None

    @property
    def fight(self) -> Fight:
        """The fight."""
        return battle_on(self.war, self.at).fight

    def able(self) -> list[str]:
        """Return the units (ids) of the side whose half it is that can still move or attack."""
        fight = self.fight
        own = [name for name, unit in fight.units.items() if unit.side == fight.active]
        return [name for name in own if self.tiles(name) or any(self.attacks(name))]

    def idle(self) -> list[str]:
        """Return the units (ids) of that side that still have a tile to go to, or a target in range."""
        return [
            name
            for name in self.able()
            if self.tiles(name) or any(self._finds(name, way) for way in self.attacks(name))
        ]

    def tiles(self, unit: str) -> list[Square]:
        """Return the tiles to which a unit can go, the nearest first."""
        fight = self.fight
        found = destinations(fight.around(self.rules.terms, unit), fight.units[unit].mover(fight.where))
        ways = sorted(found, key=found.__getitem__)
        return ways if ways and self._is_possible(unit, [Move(unit, ways[0])]) else []

    def attacks(self, unit: str) -> Iterator[Attacks]:
        """Yield the ways in which a unit can still attack in this turn; whether a target is in range is not asked."""
        fighter = self.fight.units[unit]
        kind = self.rules.terms.of(UnitClass, fighter.kind)
        if kind.lanes and self.directions(unit, None):
            yield "fire"
        if not fighter.attacked and kind.range is not None:
            yield "shot"
        if not fighter.attacked and kind.melee:
            yield "melee"

    def targets(self, unit: str, way: Attacks, to: Square | None) -> list[str]:
        """Return the units (ids) that a unit can attack so, after it has gone to a tile."""
        return [name for name in self.fight.units if self._is_possible(unit, self._orders(unit, way, name, to))]

    def partners(self, unit: str, target: str, chosen: Sequence[str], to: Square | None) -> list[str]:
        """Return the units (ids) that can attack a target together with one, and with those `chosen` already."""
        others = [name for name in self.fight.units if name not in {unit, *chosen}]
        before: list[Order] = [] if to is None else [Move(unit, to)]
        return [name for name in others if self._is_possible(unit, [*before, Shoot(unit, target, (*chosen, name))])]

    def directions(self, unit: str, to: Square | None) -> list[str]:
        """Return the directions in which a unit can fire down a lane, after it has gone to a tile."""
        before: list[Order] = [] if to is None else [Move(unit, to)]
        return [way for way in EDGES if self._is_possible(unit, [*before, Fire(unit, way)])]

    def calls(self, target: str) -> tuple[str, ...]:
        """Return what is called for a melee attack on a unit; nothing where it is certain."""
        return COIN if is_called(self.rules.terms, self.fight.units[target].kind) else ()

    def tile(self, typed: str) -> Square:
        """Return the tile that is meant."""
        return tile_at(self.rules, typed)

    def retreats(self, force: Force) -> tuple[Hex, ...]:
        """Return where a beaten force can go."""
        return retreats(self.rules, self.war, self.at, force)

    def shelters(self, force: Force) -> tuple[Hex, ...]:
        """Return where a game master can send a beaten force besides."""
        return shelters(self.rules, self.war, self.at, force) if self.by is None else ()

    def free_tiles(self, unit: str) -> list[Square]:
        """Return the tiles on which a unit can be placed."""
        field, flags = self.fight.around(self.rules.terms, unit), self.fight.units[unit].flags
        return [place for place in field.board.squares() if place not in field.held and field.may_enter(place, flags)]

    def _finds(self, unit: str, way: Attacks) -> bool:
        return bool(self.directions(unit, None) if way == "fire" else self.targets(unit, way, None))

    def _orders(self, unit: str, way: Attacks, target: str, to: Square | None) -> list[Order]:
        before: list[Order] = [] if to is None else [Move(unit, to)]
        if way == "melee":
            return [*before, Clash(unit, target, COIN[0])]
        return [*before, Shoot(unit, target)]

    def _is_possible(self, unit: str, orders: Iterable[Order]) -> bool:
        with suppress(Refused):
            require_act(self.rules, self.war, Act(self.at, self.by, unit, tuple(orders), {}))
            return True
        return False
