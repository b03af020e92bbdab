"""Answers about a whole battle, and what follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from msgspec import Meta, convert, to_builtins
from msgspec.structs import asdict

from rules.books.total_war import board, fight
from rules.books.total_war.aftermath import require_resupply
from rules.books.total_war.battles import ace_level, count_grunts, kills_of, squadron_tier, win_rate
from rules.books.total_war.catalog import CoinFace, Refused, Terms, Where
from rules.books.total_war.combat import Thrower, no_die, parse_attack, play_order, require_attack, require_order
from rules.books.total_war.economy import battle_gold
from rules.books.total_war.fight import battle_result as result_of
from tests.answers import war_board
from tests.answers.lines import Answer, BadLine, Count, Question, question_of

MOST_SIDES = 2
"""Sides of a battle: one attacks, and one is attacked."""
Given = tuple[fight.Order, Callable[[], Thrower]]
"""An order, and what reads its dice once it is allowed."""


class Unit(Question, frozen=True, rename={"kind": "class"}):
    """A unit on the board; `attack` is None for units that never shoot."""

    side: str
    kind: war_board.ClassName
    at: str
    attack: str | None
    defense: int
    accuracy: int | None = None
    flags: tuple[war_board.Flag, ...] = ()
    ace: war_board.Ace = 0
    hero: bool = False
    fired: int | None = None


class Coins(Question, frozen=True):
    """How the coin and the die of a melee attack fell."""

    coin: CoinFace | None = None
    d6: war_board.Six | None = None


NO_COINS = Coins()


def _move(terms: Terms, _: fight.Fight, *, unit: str, to: str) -> Given:
    return fight.MoveUnit(unit, war_board.tile(terms, to)), lambda: no_die


def _shoot(
    terms: Terms,
    state: fight.Fight,
    *,
    unit: str,
    shoot: str | tuple[str, ...],
    with_: str | tuple[str, ...] | None = None,
    dice: war_board.Tries = (),
) -> Given:
    order = fight.Shoot(unit, shoot, (with_,) if isinstance(with_, str) else with_ or ())
    return order, lambda: war_board.read_tries(require_attack(terms, state, order), dice)


def _clash(
    _: Terms, __: fight.Fight, *, unit: str, melee: str, call: CoinFace | None = None, dice: Coins = NO_COINS
) -> Given:
    return fight.Clash(unit, melee, call), partial(war_board.read_melee, dice.coin, dice.d6)


def _fire(
    terms: Terms, _: fight.Fight, *, unit: str, fire: war_board.Lane, dice: Mapping[str, war_board.Percent] = {}
) -> Given:
    return fight.Fire(unit, war_board.LANES[fire]), lambda: war_board.read_fire(war_board.by_tile(terms, dice))


def _end_half(_: Terms, __: fight.Fight, *, next_: str) -> Given:
    return fight.Next(next_), lambda: no_die


def _withdraw(_: Terms, __: fight.Fight, *, withdraw: str) -> Given:
    return fight.Withdraw(withdraw), lambda: no_die


ORDERS: Mapping[str, Callable[..., Given]] = {
    "to": _move,
    "shoot": _shoot,
    "melee": _clash,
    "fire": _fire,
    "next": _end_half,
    "withdraw": _withdraw,
}
"""The orders, by a key that only one of them has."""


def _battle(
    terms: Terms,
    *,
    map_: Where,
    units: Annotated[Mapping[str, Unit], Meta(min_length=1)],
    orders: tuple[dict[str, Any], ...],
    terrain: Mapping[str, war_board.TerrainName] = {},
    turn: war_board.Turn = 1,
    active: str | None = None,
) -> Answer:
    given = [_read_order(number, order) for number, order in enumerate(orders, 1)]
    sides = {unit.side for unit in units.values()}
    if len(sides) > MOST_SIDES:
        raise BadLine(f"units: a battle has {MOST_SIDES} sides at most, not {len(sides)}")
    if active is not None and active not in sides:
        raise BadLine(f"active: {active!r} isn't a side of this battle")
    fighters = {name: _fighter(unit, terms) for name, unit in units.items()}
    state = fight.begin_fight(map_, war_board.ground(terms, terrain, {}), fighters, turn=turn, active=active)
    results = []
    for order in given:
        state, result = _carry_out(terms, state, order)
        results.append(result)
    return {"results": results, **_describe_fight(terms, state, units)}


def _read_order(number: int, given: Mapping[str, Any]) -> Callable[[Terms, fight.Fight], Given]:
    given = {key: value for key, value in given.items() if value is not None}
    order = next((order for key, order in ORDERS.items() if key in given), None)
    if order is None:
        raise BadLine(f"order {number} needs one of the keys {', '.join(ORDERS)}")
    return partial(order, **asdict(convert(given, question_of(order))))


def _fighter(unit: Unit, terms: Terms) -> board.Fighter:
    place, attack = (
        war_board.tile(terms, unit.at),
        None if unit.attack is None else parse_attack(unit.attack, unit.accuracy),
    )
    flags = frozenset(unit.flags)
    return board.Fighter(unit.side, unit.kind, place, attack, unit.defense, flags, unit.ace, unit.hero, unit.fired)


def _carry_out(
    terms: Terms, state: fight.Fight, given: Callable[[Terms, fight.Fight], Given]
) -> tuple[fight.Fight, Answer]:
    try:
        order, dice = given(terms, state)
        require_order(terms, state, order)
        after, result = play_order(terms, state, order, dice())
    except Refused as refusal:
        return state, {"ok": False, "error": refusal.code, "text": str(refusal)}
    # What such an order never brings about is left out.
    shown = {name: value for name, value in to_builtins(result).items() if value is not None}
    shown = {name: [*value] if isinstance(value, tuple) else value for name, value in shown.items()}
    return after, {"ok": True, **shown}


def _describe_fight(terms: Terms, state: fight.Fight, units: Mapping[str, Unit]) -> Answer:
    results = {side: result_of(state.outcome, side, state.withdrawn) for side in state.sides if state.outcome.over}
    lost = {side: state.lost.get(side, 0) for side in state.sides}
    return {
        "turn": state.turn,
        "active": state.active,
        "over": state.outcome.over,
        "winner": state.outcome.winner,
        "gold": {side: battle_gold(terms, results[side], state.turn) if side in results else 0 for side in state.sides},
        "kills": {name: state.kills.get(name, 0) for name in units},
        "lost": lost,
        "grunts": {
            side: count_grunts(terms, results[side], lost[side]) if side in results else 0 for side in state.sides
        },
        "units": {
            name: {"tile": str(unit.at), "moved": unit.moved, "attacked": unit.attacked, "fired": unit.fired}
            for name, unit in state.units.items()
        },
    }


def _over(
    _: Terms,
    *,
    sides: Annotated[Mapping[str, tuple[Count, ...]], Meta(min_length=1)],
    withdraws: str | None = None,
    condition: str | None = None,
) -> Answer:
    """Return whether a battle is over, and who won."""
    for key, side in (("withdraws", withdraws), ("condition", condition)):
        if side is not None and side not in sides:
            raise BadLine(f"{key}: {side!r} isn't a side of this battle")
    left = {side: sum(units) for side, units in sides.items()}
    state = fight.battle_end(left, met=condition)
    if withdraws is not None:
        state.require_running()
        state = fight.battle_end(left, [withdraws])
    return {"over": state.over, "winner": state.winner}


def _after(
    terms: Terms,
    *,
    result: fight.Result,
    lost: tuple[Count, ...],
    turns: war_board.Turn | None = None,
    own: bool = True,
    supplied: bool = True,
    lone_rogue: bool = False,
) -> Answer:
    """Return basic units by squadron, and the faction's gold."""
    answer: Answer = {"gold": battle_gold(terms, result, turns, lone_rogue=lone_rogue)}
    try:
        require_resupply(own=own, supplied=supplied, lone_rogue=lone_rogue)
    except Refused as refusal:
        return {**answer, "grunts": [0] * len(lost), "refused": refusal.code, "text": str(refusal)}
    return {**answer, "grunts": [count_grunts(terms, result, each) for each in lost], "refused": None}


def _sheet(
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
    """Return a unit's kills and level, and a squadron's record."""
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
        "rating": war_board.fraction(win_rate(battles, won + opponent_withdrew)),
    }


OPS: Mapping[str, Any] = {"over": _over, "after": _after, "sheet": _sheet, "battle": _battle}
