"""What a unit does on a board: it moves and attacks, in either order, checked whole before any die is rolled (AMB-69)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct

from rules.books.total_war.aftermath import FightAction, close_battle, list_retreats, list_shelters, play_act
from rules.books.total_war.battles import (
    battle_on,
    find_unit,
    require_may_act,
    require_war_on,
    retreating_forces,
    unit_labels,
)
from rules.books.total_war.board import destinations, tile
from rules.books.total_war.board_orders import OrderResult, require_order
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.combat import Thrower, needs_call, no_die
from rules.books.total_war.fight import Clash, Fight, Fire, Order, Shoot, Step
from rules.books.total_war.order_kinds import COIN, CoinFace
from rules.books.total_war.terms import Missing, Refused
from rules.books.total_war.war import Battle, Force, Rules, War
from rules.geometry import EDGES, Hex, Square

Attacks = Literal["shot", "melee", "fire"]
"""The ways in which a unit attacks."""

Inputs = Mapping[str, Any]
"""What an act takes: `at`, `by`, `to`, `first`, `others`, `call` and `toward`, each a word or a list of them."""

ATTACK_FIRST = "attack"
BEATEN = "beaten"
"""Under which name a roll keeps which forces have to retreat, by the panel of their battle."""


class Act(Struct, frozen=True):
    """An act as it is asked for: of which unit (id) in the battle on a panel, by whom, in its order; `names` are those of all units."""

    at: Hex
    by: str | None
    unit: str
    orders: tuple[Order, ...]
    names: Mapping[str, str]

    @property
    def attack(self) -> Shoot | Clash | Fire | None:
        """The attack that belongs to it."""
        return next((order for order in self.orders if isinstance(order, Shoot | Clash | Fire)), None)

    @property
    def move(self) -> Step | None:
        """The move that belongs to it."""
        return next((order for order in self.orders if isinstance(order, Step)), None)

    def called(self, unit: str) -> str:
        """Return what a unit is called."""
        return self.names.get(unit, unit)


class ActResult(Struct, frozen=True):
    """An act that was carried out: the war after it, what each order came to, and those for which it was too late.

    `board` is the war when all was played and a battle that has ended was not closed yet; `ended` is that battle.
    """

    war: War
    board: War
    came: tuple[tuple[Order, OrderResult], ...]
    left_out: tuple[Order, ...] = ()
    ended: Battle | None = None

    @property
    def fallen(self) -> tuple[str, ...]:
        """The units (ids) that were destroyed."""
        return tuple(name for _, happened in self.came for name in happened.destroyed or ())


def battle_at(war: War, inputs: Inputs) -> tuple[Hex, Battle]:
    """Return the battle that is meant."""
    try:
        at = Hex.parse(str(inputs.get("at", "")))
    except ValueError as error:
        raise Refused("E_NO_TARGET", f"{error}.") from error
    return at, battle_on(war, at)


def read_act(rules: Rules, war: War, who: tuple[str, str | None], inputs: Inputs, way: Attacks | None) -> Act:
    """Return an act as it was asked for, of a unit (and on a target), with names and tiles read; nothing is held against the rules yet."""
    require_war_on(war)
    at, battle = battle_at(war, inputs)
    names, fight = unit_labels(war, battle), battle.fight
    unit, target = find_unit(names, fight, who[0]), who[1]
    moves = [Step(unit, parse_tile(rules, inputs["to"]))] if inputs.get("to") else []
    goal = find_unit(names, fight, target) if target else None
    others = tuple(find_unit(names, fight, str(other)) for other in inputs.get("others", ()))
    attacks = [] if way is None else [_attack(way, unit, goal, others, inputs)]
    orders = (*attacks, *moves) if inputs.get("first") == ATTACK_FIRST else (*moves, *attacks)
    if not orders:
        raise Missing("E_NO_MOVE", f"{names[unit]} has nothing to do: name a tile, a target or a direction.")
    return Act(at, inputs.get("by"), unit, orders, names)


def require_act(rules: Rules, war: War, act: Act) -> War:
    """Refuse an act of which any part is not possible, and return the war in which its attack is made; no die is thrown."""
    then = war
    for order in act.orders:
        require_may_act(then, act.at, order, act.by)
        require_order(rules.terms, battle_on(then, act.at).fight, order)
        if isinstance(order, Step) and order is not act.orders[-1]:
            then, _ = play_act(rules, then, act.at, order, no_die)
    return then


def carry_out(rules: Rules, war: War, act: Act, throw: Thrower) -> ActResult:
    """Return what an act comes to that is possible; nobody moves any more who has been destroyed, or whose battle is over."""
    came: list[tuple[Order, OrderResult]] = []
    left_out: list[Order] = []
    for order in act.orders:
        fight = war.battles[act.at].fight
        if fight.ended.over or act.unit not in fight.units:
            left_out.append(order)
            continue
        war, happened = play_act(rules, war, act.at, order, throw)
        came.append((order, happened))
    return finish_act(rules, war, act.at, came, left_out)


def pass_half(rules: Rules, war: War, action: FightAction) -> ActResult:
    """Return what comes of an order without dice: a half that ends, a withdrawal, a condition that is met."""
    require_war_on(war)
    require_may_act(war, action.at, action.order, action.actor)
    war, happened = play_act(rules, war, action.at, action.order, no_die)
    return finish_act(rules, war, action.at, [(action.order, happened)])


def finish_act(
    rules: Rules, war: War, at: Hex, came: Sequence[tuple[Order, OrderResult]], left_out: Sequence[Order] = ()
) -> ActResult:
    """Return what was done, once a battle that is over is closed."""
    battle = war.battles[at]
    ended = battle if battle.fight.ended.over else None
    return ActResult(close_battle(rules, war, at), war, (*came,), (*left_out,), ended)


def battle_states(rules: Rules, war: War) -> dict[str, Any]:
    """Return for each battle that goes on (its panel) whose half of which turn it is, the side by its place; else which forces have to retreat, and who says where to."""
    beaten = {str(at): retreating_forces(rules, war, at) for at in war.battles}
    waited = {at: sorted({str(force.commander) for force in forces}) for at, forces in beaten.items()}
    going = {at: battle.fight for at, battle in war.battles.items() if not battle.fight.ended.over}
    halves = {str(at): [fight.turn, fight.sides.index(fight.active)] for at, fight in going.items()}
    names = {at: [force.name for force in forces] for at, forces in beaten.items() if forces}
    return {"halves": halves, "retreats": {at: who for at, who in waited.items() if who}, BEATEN: names}


def parse_tile(rules: Rules, typed: object) -> Square:
    """Return the tile that is meant."""
    try:
        return tile(rules.terms, str(typed))
    except ValueError as error:
        raise Refused("E_OFF_BOARD", f"{str(error)[:120]}.") from error


def _attack(way: Attacks, unit: str, goal: str | None, others: tuple[str, ...], inputs: Inputs) -> Order:
    if way == "fire":
        return Fire(unit, _direction(inputs.get("toward")))
    if goal is None:
        raise Missing("E_NO_TARGET", "An attack needs a target: name a unit of the other side.")
    if way == "shot":
        return Shoot(unit, goal, others)
    return Clash(unit, goal, _call(inputs.get("call")))


def _direction(typed: object) -> str:
    ways = {way.casefold(): way for way in EDGES}
    found = ways.get(str(typed or "").strip().casefold())
    if found is None:
        given = f", not {typed}" if typed else ""
        refusal = Refused if typed else Missing
        raise refusal("E_BAD_DIRECTION", f"A warship fires down a lane: toward {', '.join(EDGES)}{given}.")
    return found


def _call(typed: object) -> CoinFace | None:
    if typed is None:
        return None
    called = next((side for side in COIN if side == str(typed).strip().casefold()), None)
    if called is None:
        raise Refused("E_NO_CALL", f"Call {' or '.join(COIN)}.")
    return called


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
        return ways if ways and self._is_possible(unit, [Step(unit, ways[0])]) else []

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
        before: list[Order] = [] if to is None else [Step(unit, to)]
        return [name for name in others if self._is_possible(unit, [*before, Shoot(unit, target, (*chosen, name))])]

    def directions(self, unit: str, to: Square | None) -> list[str]:
        """Return the directions in which a unit can fire down a lane, after it has gone to a tile."""
        before: list[Order] = [] if to is None else [Step(unit, to)]
        return [way for way in EDGES if self._is_possible(unit, [*before, Fire(unit, way)])]

    def calls(self, target: str) -> tuple[str, ...]:
        """Return what is called for a melee attack on a unit; nothing where it is certain."""
        return COIN if needs_call(self.rules.terms, self.fight.units[target].kind) else ()

    def tile(self, typed: str) -> Square:
        """Return the tile that is meant."""
        return parse_tile(self.rules, typed)

    def retreats(self, force: Force) -> tuple[Hex, ...]:
        """Return where a beaten force can go."""
        return list_retreats(self.rules, self.war, self.at, force)

    def shelters(self, force: Force) -> tuple[Hex, ...]:
        """Return where a game master can send a beaten force besides."""
        return list_shelters(self.rules, self.war, self.at, force) if self.by is None else ()

    def free_tiles(self, unit: str) -> list[Square]:
        """Return the tiles on which a unit can be placed."""
        field, flags = self.fight.around(self.rules.terms, unit), self.fight.units[unit].flags
        return [place for place in field.board.squares() if place not in field.held and field.may_enter(place, flags)]

    def _finds(self, unit: str, way: Attacks) -> bool:
        return bool(self.directions(unit, None) if way == "fire" else self.targets(unit, way, None))

    def _orders(self, unit: str, way: Attacks, target: str, to: Square | None) -> list[Order]:
        before: list[Order] = [] if to is None else [Step(unit, to)]
        if way == "melee":
            return [*before, Clash(unit, target, COIN[0])]
        return [*before, Shoot(unit, target)]

    def _is_possible(self, unit: str, orders: Iterable[Order]) -> bool:
        with suppress(Refused):
            require_act(self.rules, self.war, Act(self.at, self.by, unit, tuple(orders), {}))
            return True
        return False
