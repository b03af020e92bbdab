"""An act of a unit on a board: it moves and attacks, in either order, and is held against the rules whole before any die falls (AMB-69)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from rules.books.total_war.actors import require_going, require_side
from rules.books.total_war.battles import closed, played
from rules.books.total_war.board import tile
from rules.books.total_war.deeds import Fight as FightDeed
from rules.books.total_war.fighting import Happened, require
from rules.books.total_war.leaving import battle_on, retreating
from rules.books.total_war.orders import Clash, Fire, Move, Order, Shoot
from rules.books.total_war.refusal import Missing, Refused
from rules.books.total_war.rosters import labels, meant
from rules.books.total_war.thrown import COIN, Side, Throw, no_die
from rules.books.total_war.war import Battle, Rules, War
from rules.geometry.hexes import Hex
from rules.geometry.squares import EDGES, Square

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
    def move(self) -> Move | None:
        """The move that belongs to it."""
        return next((order for order in self.orders if isinstance(order, Move)), None)

    def called(self, unit: str) -> str:
        """Return what a unit is called."""
        return self.names.get(unit, unit)


class Done(Struct, frozen=True):
    """An act that was carried out: the war after it, what each order came to, and those for which it was too late.

    `board` is the war when all was played and a battle that has ended was not closed yet; `ended` is that battle.
    """

    war: War
    board: War
    came: tuple[tuple[Order, Happened], ...]
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
    require_going(war)
    at, battle = battle_at(war, inputs)
    names, fight = labels(war, battle), battle.fight
    unit, target = meant(names, fight, who[0]), who[1]
    moves = [Move(unit, tile_at(rules, inputs["to"]))] if inputs.get("to") else []
    goal = meant(names, fight, target) if target else None
    others = tuple(meant(names, fight, str(other)) for other in inputs.get("others", ()))
    attacks = [] if way is None else [_attack(way, unit, goal, others, inputs)]
    orders = (*attacks, *moves) if inputs.get("first") == ATTACK_FIRST else (*moves, *attacks)
    if not orders:
        raise Missing("E_NO_MOVE", f"{names[unit]} has nothing to do: name a tile, a target or a direction.")
    return Act(at, inputs.get("by"), unit, orders, names)


def require_act(rules: Rules, war: War, act: Act) -> War:
    """Refuse an act of which any part is not possible, and return the war in which its attack is made; no die is thrown.

    Raises:
        Refused: as said by its code.

    """
    then = war
    for order in act.orders:
        require_side(then, FightDeed(at=act.at, order=order, actor=act.by))
        require(rules.terms, battle_on(then, act.at).fight, order)
        if isinstance(order, Move) and order is not act.orders[-1]:
            then, _ = played(rules, then, act.at, order, no_die)
    return then


def carried_out(rules: Rules, war: War, act: Act, throw: Throw) -> Done:
    """Return what an act comes to that is possible; nobody moves any more who has been destroyed, or whose battle is over."""
    came: list[tuple[Order, Happened]] = []
    left_out: list[Order] = []
    for order in act.orders:
        fight = war.battles[act.at].fight
        if fight.ended.over or act.unit not in fight.units:
            left_out.append(order)
            continue
        war, happened = played(rules, war, act.at, order, throw)
        came.append((order, happened))
    return done_with(rules, war, act.at, came, left_out)


def passed(rules: Rules, war: War, deed: FightDeed) -> Done:
    """Return what comes of an order without dice: a half that ends, a withdrawal, a condition that is met."""
    require_going(war)
    require_side(war, deed)
    war, happened = played(rules, war, deed.at, deed.order, no_die)
    return done_with(rules, war, deed.at, [(deed.order, happened)])


def done_with(
    rules: Rules, war: War, at: Hex, came: Sequence[tuple[Order, Happened]], left_out: Sequence[Order] = ()
) -> Done:
    """Return what was done, once a battle that is over is closed."""
    battle = war.battles[at]
    ended = battle if battle.fight.ended.over else None
    return Done(closed(rules, war, at), war, (*came,), (*left_out,), ended)


def standing(rules: Rules, war: War) -> dict[str, Any]:
    """Return for each battle that goes on (its panel) whose half of which turn it is, the side by its place; else which forces have to retreat, and who says where to."""
    beaten = {str(at): retreating(rules, war, at) for at in war.battles}
    waited = {at: sorted({str(force.commander) for force in forces}) for at, forces in beaten.items()}
    going = {at: battle.fight for at, battle in war.battles.items() if not battle.fight.ended.over}
    halves = {str(at): [fight.turn, fight.sides.index(fight.active)] for at, fight in going.items()}
    names = {at: [force.name for force in forces] for at, forces in beaten.items() if forces}
    return {"halves": halves, "retreats": {at: who for at, who in waited.items() if who}, BEATEN: names}


def tile_at(rules: Rules, typed: object) -> Square:
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


def _call(typed: object) -> Side | None:
    if typed is None:
        return None
    called = next((side for side in COIN if side == str(typed).strip().casefold()), None)
    if called is None:
        raise Refused("E_NO_CALL", f"Call {' or '.join(COIN)}.")
    return called
