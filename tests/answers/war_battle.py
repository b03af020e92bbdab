"""A whole battle of Total War, order by order, each with its dice, and what comes after one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from msgspec import Meta, convert, to_builtins
from msgspec.structs import asdict

from rules.books.total_war import board_orders
from rules.books.total_war.aftermath import ResupplyCase, require_resupply
from rules.books.total_war.battles import Record, ace_level, count_grunts, kills_of, squadron_tier, win_rate
from rules.books.total_war.catalog import Where
from rules.books.total_war.combat import Thrower, no_die, parse_attack
from rules.books.total_war.economy import battle_gold
from rules.books.total_war.fight import (
    Clash,
    Fight,
    Fighter,
    Fire,
    Next,
    Order,
    Result,
    Shoot,
    Step,
    Withdraw,
    battle_end,
    begin_fight,
    require_running,
)
from rules.books.total_war.fight import battle_result as result_of
from rules.books.total_war.order_kinds import CoinFace
from rules.books.total_war.terms import Refused, Terms
from tests.answers.lines import Answer, BadLine, Count, Question, question_of
from tests.answers.war_board import (
    LANES,
    Ace,
    ClassName,
    Flag,
    Lane,
    Percent,
    Six,
    TerrainName,
    Tries,
    Turn,
    by_tile,
    fraction,
    ground,
    read_fire,
    read_melee,
    read_tries,
    tile,
)

MOST_SIDES = 2
"""Sides of a battle: one attacks, and one is attacked."""
Given = tuple[Order, Callable[[], Thrower]]
"""An order, and what reads its dice once it is allowed."""


class Unit(Question, frozen=True, rename={"kind": "class"}):
    """A unit on the board. Whatever never shoots at single targets needs no attack."""

    side: str
    kind: ClassName
    at: str
    attack: str | None
    defense: int
    accuracy: int | None = None
    flags: tuple[Flag, ...] = ()
    ace: Ace = 0
    hero: bool = False
    fired: int | None = None


class Coins(Question, frozen=True):
    """How the coin and the die of a melee attack fell."""

    coin: CoinFace | None = None
    d6: Six | None = None


NO_COINS = Coins()


def move(terms: Terms, _: Fight, *, unit: str, to: str) -> Given:
    """Order a unit to move."""
    return Step(unit, tile(terms, to)), lambda: no_die


def shoot(
    terms: Terms,
    fight: Fight,
    *,
    unit: str,
    shoot: str | tuple[str, ...],
    with_: str | tuple[str, ...] | None = None,
    dice: Tries = (),
) -> Given:
    """Order a unit to shoot, alone or with others."""
    order = Shoot(unit, shoot, (with_,) if isinstance(with_, str) else with_ or ())
    return order, lambda: read_tries(board_orders.require_attack(terms, fight, order), dice)


def clash(_: Terms, __: Fight, *, unit: str, melee: str, call: CoinFace | None = None, dice: Coins = NO_COINS) -> Given:
    """Order a unit to attack in melee."""
    return Clash(unit, melee, call), partial(read_melee, dice.coin, dice.d6)


def fire(terms: Terms, _: Fight, *, unit: str, fire: Lane, dice: Mapping[str, Percent] = {}) -> Given:
    """Order a warship to fire."""
    return Fire(unit, LANES[fire]), lambda: read_fire(by_tile(terms, dice))


def end_half(_: Terms, __: Fight, *, next_: str) -> Given:
    """Order a side to end its half of the turn."""
    return Next(next_), lambda: no_die


def withdraw(_: Terms, __: Fight, *, withdraw: str) -> Given:
    """Order a side to withdraw."""
    return Withdraw(withdraw), lambda: no_die


ORDERS: Mapping[str, Callable[..., Given]] = {
    "to": move,
    "shoot": shoot,
    "melee": clash,
    "fire": fire,
    "next": end_half,
    "withdraw": withdraw,
}
"""The orders, by a key that only one of them has."""


def battle(
    terms: Terms,
    *,
    map_: Where,
    units: Annotated[Mapping[str, Unit], Meta(min_length=1)],
    orders: tuple[dict[str, Any], ...],
    terrain: Mapping[str, TerrainName] = {},
    turn: Turn = 1,
    active: str | None = None,
) -> Answer:
    """Return what comes of each order of a battle, and the battle after them."""
    given = [_read_order(number, order) for number, order in enumerate(orders, 1)]
    sides = {unit.side for unit in units.values()}
    if len(sides) > MOST_SIDES:
        raise BadLine(f"units: a battle has {MOST_SIDES} sides at most, not {len(sides)}")
    if active is not None and active not in sides:
        raise BadLine(f"active: {active!r} isn't a side of this battle")
    fighters = {name: _fighter(unit, terms) for name, unit in units.items()}
    fight = begin_fight(map_, ground(terms, terrain, {}), fighters, turn=turn, active=active)
    results = []
    for order in given:
        fight, came = _carried_out(terms, fight, order)
        results.append(came)
    return {"results": results, **_standing(terms, fight, units)}


def _read_order(number: int, given: Mapping[str, Any]) -> Callable[[Terms, Fight], Given]:
    """Read one of a battle's orders; a key that is null is left out."""
    given = {key: value for key, value in given.items() if value is not None}
    order = next((order for key, order in ORDERS.items() if key in given), None)
    if order is None:
        raise BadLine(f"order {number} needs one of the keys {', '.join(ORDERS)}")
    return partial(order, **asdict(convert(given, question_of(order))))


def _fighter(unit: Unit, terms: Terms) -> Fighter:
    place, attack = tile(terms, unit.at), None if unit.attack is None else parse_attack(unit.attack, unit.accuracy)
    flags = frozenset(unit.flags)
    return Fighter(unit.side, unit.kind, place, attack, unit.defense, flags, unit.ace, unit.hero, unit.fired)


def _carried_out(terms: Terms, fight: Fight, given: Callable[[Terms, Fight], Given]) -> tuple[Fight, Answer]:
    """Return the battle after an order, or as it was where that is refused, and what is answered of it."""
    try:
        order, dice = given(terms, fight)
        board_orders.require_order(terms, fight, order)
        after, happened = board_orders.play_order(terms, fight, order, dice())
    except Refused as refusal:
        return fight, {"ok": False, "error": refusal.code, "text": str(refusal)}
    # What such an order never brings about is left out.
    shown = {name: value for name, value in to_builtins(happened).items() if value is not None}
    shown = {name: [*value] if isinstance(value, tuple) else value for name, value in shown.items()}
    return after, {"ok": True, **shown}


def _standing(terms: Terms, fight: Fight, units: Mapping[str, Unit]) -> Answer:
    results = {side: result_of(fight.ended, side, fight.withdrawn) for side in fight.sides if fight.ended.over}
    lost = {side: fight.lost.get(side, 0) for side in fight.sides}
    return {
        "turn": fight.turn,
        "active": fight.active,
        "over": fight.ended.over,
        "winner": fight.ended.winner,
        "gold": {side: battle_gold(terms, results[side], fight.turn) if side in results else 0 for side in fight.sides},
        "kills": {name: fight.kills.get(name, 0) for name in units},
        "lost": lost,
        "grunts": {
            side: count_grunts(terms, results[side], lost[side]) if side in results else 0 for side in fight.sides
        },
        "units": {
            name: {"tile": str(unit.at), "moved": unit.moved, "attacked": unit.attacked, "fired": unit.fired}
            for name, unit in fight.units.items()
        },
    }


def over(
    _: Terms,
    *,
    sides: Annotated[Mapping[str, tuple[Count, ...]], Meta(min_length=1)],
    withdraws: str | None = None,
    condition: str | None = None,
) -> Answer:
    """Return whether a battle is over, and who has won, by the units that each player of each side has left."""
    for key, side in (("withdraws", withdraws), ("condition", condition)):
        if side is not None and side not in sides:
            raise BadLine(f"{key}: {side!r} isn't a side of this battle")
    left = {side: sum(units) for side, units in sides.items()}
    state = battle_end(left, met=condition)
    if withdraws is not None:
        require_running(state)
        state = battle_end(left, [withdraws])
    return {"over": state.over, "winner": state.winner}


def after(
    terms: Terms,
    *,
    result: Result,
    lost: tuple[Count, ...],
    turns: Turn | None = None,
    own: bool = True,
    supplied: bool = True,
    lone_rogue: bool = False,
) -> Answer:
    """Return the basic units of each squadron by what it has lost, and the gold of its faction."""
    answer: Answer = {"gold": battle_gold(terms, result, turns, lone_rogue=lone_rogue)}
    try:
        require_resupply(ResupplyCase(own, supplied, lone_rogue))
    except Refused as refusal:
        return {**answer, "grunts": [0] * len(lost), "refused": refusal.code, "text": str(refusal)}
    return {**answer, "grunts": [count_grunts(terms, result, each) for each in lost], "refused": None}


def sheet(
    terms: Terms,
    *,
    kills: tuple[Count, ...] = (),
    own_kills: Count = 0,  # noqa: ARG001 - kills of one's own side don't count
    destroyed: bool = False,
    won: Count = 0,
    lost: Count = 0,
    withdrew: Count = 0,
    opponent_withdrew: Count = 0,
    fought: Count | None = None,
) -> Answer:
    """Return the kills and the level of a unit, and the battles, tier and rating of a squadron."""
    counted = won + opponent_withdrew + lost + withdrew
    all_kills, battles = kills_of(kills, destroyed=destroyed), counted if fought is None else fought
    if battles < counted:
        raise BadLine(f"fought: {battles} battles, and {counted} of them are listed")
    return {
        "kills": all_kills,
        "ace_level": ace_level(terms, all_kills),
        "fought": battles,
        "won": won + opponent_withdrew,
        "tier": squadron_tier(terms, battles),
        "rating": fraction(win_rate(Record(battles, won + opponent_withdrew))),
    }


OPS: Mapping[str, Any] = {"over": over, "after": after, "sheet": sheet, "battle": battle}
