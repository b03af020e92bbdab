"""Lines about battles: the board, what comes after, and a whole battle, order by order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Asked, Op, Question, told
from bot.cli.total_war import after_lines, board_lines, fire_lines
from bot.cli.total_war.order_lines import OrderLine, read_order
from bot.cli.total_war.tiles import ClassName, Flag, TerrainName, ground, tile
from rules.books.total_war.after import gold, grunts
from rules.books.total_war.catalog import Where
from rules.books.total_war.ending import result
from rules.books.total_war.fight import Fight, Fighter, begun
from rules.books.total_war.fighting import Happened, act, require
from rules.books.total_war.refusal import Refused
from rules.books.total_war.shooting import attack_of
from rules.books.total_war.terms import Terms

MOST_SIDES = 2
"""Sides of a battle: one attacks, and one is attacked."""
Answer = dict[str, Any]


class Unit(Question, frozen=True, rename={"kind": "class"}):
    """A unit on the board. Whatever never shoots at single targets needs no attack."""

    side: str
    kind: ClassName
    at: str
    attack: str | None
    defense: int
    accuracy: int | None = None
    flags: tuple[Flag, ...] = ()
    ace: Annotated[int, Meta(ge=0, le=5)] = 0
    hero: bool = False
    fired: int | None = None


class BattleQuestion(Question, frozen=True):
    """A battle and what is ordered in it, in turn."""

    map: Where
    units: Annotated[Mapping[str, Unit], Meta(min_length=1)]
    orders: tuple[dict[str, Any], ...]
    terrain: Mapping[str, TerrainName] = {}
    turn: Annotated[int, Meta(ge=1)] = 1
    active: str | None = None


def battle(asked: BattleQuestion, terms: Terms) -> Answer:
    """Return what comes of each order of a battle, and how it stands after them."""
    lines = [read_order(number, given) for number, given in enumerate(asked.orders, 1)]
    fight, results = _begun(asked, terms), []
    for line in lines:
        fight, told_of_it = _answered(terms, fight, line)
        results.append(told_of_it)
    return {"results": results, **_standing(terms, fight, asked.units)}


def _begun(asked: BattleQuestion, terms: Terms) -> Fight:
    sides = {unit.side for unit in asked.units.values()}
    if len(sides) > MOST_SIDES:
        raise BadLine(f"units: a battle has {MOST_SIDES} sides at most, not {len(sides)}")
    if asked.active is not None and asked.active not in sides:
        raise BadLine(f"active: {asked.active!r} isn't a side of this battle")
    units = {name: _fighter(unit, terms) for name, unit in asked.units.items()}
    return begun(asked.map, ground(terms, asked.terrain), units, turn=asked.turn, active=asked.active)


def _fighter(given: Unit, terms: Terms) -> Fighter:
    return Fighter(
        given.side,
        given.kind,
        tile(terms, given.at),
        None if given.attack is None else attack_of(given.attack, given.accuracy),
        given.defense,
        frozenset(given.flags),
        given.ace,
        given.hero,
        given.fired,
    )


def _answered(terms: Terms, fight: Fight, line: OrderLine) -> tuple[Fight, Answer]:
    """Return the battle after an order, or as it was where that is refused, and what is told of it."""
    try:
        order = line.order(terms)
        require(terms, fight, order)
        after, happened = act(terms, fight, order, line.throw(terms, fight, order))
    except Refused as refusal:
        return fight, {"ok": False, "error": refusal.code, "text": str(refusal)}
    return after, {"ok": True, **_happened(happened)}


def _happened(happened: Happened) -> Answer:
    """Return what came of an order, without what such an order never brings about."""
    shown = {name: value for name, value in told(happened).items() if value is not None}
    return {name: [*value] if isinstance(value, tuple) else value for name, value in shown.items()}


def _standing(terms: Terms, fight: Fight, units: Mapping[str, Unit]) -> Answer:
    results = {side: result(fight.ended, side, fight.withdrawn) for side in fight.sides if fight.ended.over}
    lost = {side: fight.lost.get(side, 0) for side in fight.sides}
    return {
        "turn": fight.turn,
        "active": fight.active,
        "over": fight.ended.over,
        "winner": fight.ended.winner,
        "gold": {side: gold(terms, results[side], fight.turn) if side in results else 0 for side in fight.sides},
        "kills": {name: fight.kills.get(name, 0) for name in units},
        "lost": lost,
        "grunts": {side: grunts(terms, results[side], lost[side]) if side in results else 0 for side in fight.sides},
        "units": {
            name: {"tile": str(unit.at), "moved": unit.moved, "attacked": unit.attacked, "fired": unit.fired}
            for name, unit in fight.units.items()
        },
    }


OPS: Mapping[str, Asked] = {
    **board_lines.OPS,
    **fire_lines.OPS,
    **after_lines.OPS,
    "battle": Op(BattleQuestion, battle),
}
