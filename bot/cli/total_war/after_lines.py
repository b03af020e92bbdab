"""Lines about the end of a battle and what comes after: who has won, basic units, gold, records of squadrons and units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Asked, Op, Question
from bot.cli.total_war.places import Count
from bot.cli.total_war.tiles import fraction
from rules.books.total_war.after import (
    Record,
    Standing,
    ace_level,
    gold,
    grunts,
    kills_of,
    rating,
    require_resupply,
    tier,
)
from rules.books.total_war.ending import Result, ended, require_running
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms

Answer = dict[str, Any]


class OverQuestion(Question, frozen=True):
    """The units that each player of each side has left, who withdraws, and who has met a special condition."""

    sides: Annotated[Mapping[str, tuple[Count, ...]], Meta(min_length=1)]
    withdraws: str | None = None
    condition: str | None = None


class AfterQuestion(Question, frozen=True):
    """How a battle went for a force, and what each of its squadrons has lost."""

    result: Result
    lost: tuple[Count, ...]
    turns: Annotated[int, Meta(ge=1)] | None = None
    own: bool = True
    supplied: bool = True
    lone_rogue: bool = False


class SheetQuestion(Question, frozen=True):
    """The kills of a unit, battle by battle, and the battles of a squadron."""

    kills: tuple[Count, ...] = ()
    own_kills: Count = 0
    destroyed: bool = False
    won: Count = 0
    lost: Count = 0
    withdrew: Count = 0
    opponent_withdrew: Count = 0
    fought: Count | None = None


def over(asked: OverQuestion, _terms: Terms) -> Answer:
    """Return whether a battle is over, and who has won."""
    for key, side in (("withdraws", asked.withdraws), ("condition", asked.condition)):
        if side is not None and side not in asked.sides:
            raise BadLine(f"{key}: {side!r} isn't a side of this battle")
    left = {side: sum(units) for side, units in asked.sides.items()}
    state = ended(left, met=asked.condition)
    if asked.withdraws is not None:
        require_running(state)
        state = ended(left, [asked.withdraws])
    return {"over": state.over, "winner": state.winner}


def after(asked: AfterQuestion, terms: Terms) -> Answer:
    """Return the basic units of each squadron, and the gold of its faction."""
    told = {"gold": gold(terms, asked.result, asked.turns, lone_rogue=asked.lone_rogue)}
    try:
        require_resupply(Standing(asked.own, asked.supplied, asked.lone_rogue))
    except Refused as refusal:
        return {**told, "grunts": [0] * len(asked.lost), "refused": refusal.code, "text": str(refusal)}
    return {**told, "grunts": [grunts(terms, asked.result, lost) for lost in asked.lost], "refused": None}


def sheet(asked: SheetQuestion, terms: Terms) -> Answer:
    """Return the kills and the level of a unit, and the battles, tier and rating of a squadron."""
    kills = kills_of(asked.kills, destroyed=asked.destroyed)
    won = asked.won + asked.opponent_withdrew
    counted = won + asked.lost + asked.withdrew
    fought = counted if asked.fought is None else asked.fought
    if fought < counted:
        raise BadLine(f"fought: {fought} battles, and {counted} of them are listed")
    return {
        "kills": kills,
        "ace_level": ace_level(terms, kills),
        "fought": fought,
        "won": won,
        "tier": tier(terms, fought),
        "rating": fraction(rating(Record(fought, won))),
    }


OPS: Mapping[str, Asked] = {
    "over": Op(OverQuestion, over),
    "after": Op(AfterQuestion, after),
    "sheet": Op(SheetQuestion, sheet),
}
