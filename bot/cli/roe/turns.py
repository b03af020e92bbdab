"""Turns of the RoE book: what one has and what its acts leave, what is allowed, and what is ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from bot.cli.questions import Op, Question
from rules.books.roe import allowances, permission, readiness, turn
from rules.books.roe.catalog import Seat, entry_of
from rules.books.roe.turn_catalog import TurnStep
from rules.books.roe.weapons import weapon_named
from rules.ruleset import RuleSet

COSTS = {
    frozenset[str](): "nothing",
    frozenset({"actions"}): "action",
    frozenset({"movements"}): "movement",
    frozenset({"actions", "movements"}): "turn",
}
ROLLS = {
    "roe.check": "skill",
    "roe.check.hacking": "skill",
    "roe.skill": "contest",
    "roe.rob": "loot",
    "roe.steal": "pickpocket",
}
"""What answers call the rolls of skills, and of what is taken; the others go by their own names."""


class ReadyQuestion(Question, frozen=True):
    """A weapon, what each turn is spent on, and the seat in a vehicle."""

    token: str
    turns: tuple[str, ...]
    role: str | None = None
    vehicle_moves: bool = False


class GrenadeQuestion(Question, frozen=True):
    """How a grenade is used, in which turn, and in which turns its user is stunned."""

    use: Literal["throw", "cook"]
    turn: int
    stunned: tuple[int, ...] = ()


class TurnQuestion(Question, frozen=True):
    """A turn, what is true in it, Actions lost and gained, HP, and what is done."""

    does: tuple[str, ...]
    turn: int = 2
    facts: tuple[str, ...] = ()
    lost: int = 0
    extra: int = 0
    hp: int | None = None


class MayQuestion(Question, frozen=True, rename={"vehicle_class": "class"}):
    """What is to be done, what is true, and words for what it asks."""

    do: str
    facts: tuple[str, ...] = ()
    weapon: str | None = None
    size: str | None = None
    slot: str | None = None
    type: str | None = None
    vehicle_class: str | None = None


def ready(asked: ReadyQuestion, book: RuleSet) -> dict[str, Any]:
    """Return for each turn whether it may be spent so."""
    seat = None if asked.role is None else entry_of(book.listed(Seat), asked.role)
    moving = asked.vehicle_moves and seat is not None and seat.moves
    return {"legal": readiness.legal(book, weapon_named(book, asked.token), asked.turns, moving=moving)}


def grenade(asked: GrenadeQuestion, book: RuleSet) -> dict[str, Any]:
    """Return when a grenade is thrown, and when and where it explodes."""
    fuse = readiness.fuse(book, asked.turn, cooked=asked.use == "cook", stunned=asked.stunned)
    return {"throw_on_turn": fuse.throw, "explodes_after_turn": fuse.explodes, "in_hand": fuse.in_hand}


def whole_turn(asked: TurnQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what a turn has, what becomes of each act, and what is left."""
    facts = turn.numbered(turn.true(turn.readable(book), asked.facts), asked.turn)
    hp: dict[str, int] = {}
    if asked.hp is not None:
        facts, hp["hp"] = turn.befallen(book, facts, asked.hp)
    now = allowances.begin(book, facts, lost=asked.lost, extra=asked.extra)
    answer: dict[str, Any] = {"order": [step.replace("-", "_") for step in book.listed(TurnStep)]}
    answer |= {mark.replace("-", "_"): left for mark, left in now.marks.items()} | hp
    acts = []
    for name in asked.does:
        now, did = turn.do(book, now, name)
        acts.append(_told(did, asked.turn))
    left = {mark: now.marks[mark] for mark in ("actions", "movements")}
    upkeep = {name: "kept" if kept else "released" for name, kept in allowances.kept(book, now).items()}
    return {**answer, "acts": acts, "left": left, **upkeep}


def _told(did: turn.Did, number: int) -> dict[str, Any]:
    told = {"allowed": did.why is None, "costs": COSTS[did.costs], "why": did.why}
    if did.delay is None:
        return told
    return {**told, "usable_on_turn": None if did.why else number + did.delay}


def may(asked: MayQuestion, book: RuleSet) -> dict[str, Any]:
    """Return whether something is allowed, what it is rolled on and when it takes effect."""
    keys = {name: getattr(asked, name) for name in permission.KEYS} | {"class": asked.vehicle_class}
    said = {name: word for name, word in keys.items() if word is not None}
    ruled = permission.ruling(book, asked.do, asked.facts, said)
    if ruled.why is not None:
        return {"allowed": False, "why": ruled.why}
    rolls = None if ruled.rolls is None else ROLLS.get(ruled.rolls, ruled.rolls.removeprefix("roe."))
    return {"allowed": True, "why": None, "roll": rolls, "when": ruled.effect}


OPS: Mapping[str, Op] = {
    "ready": Op(ReadyQuestion, ready),
    "grenade": Op(GrenadeQuestion, grenade),
    "turn": Op(TurnQuestion, whole_turn),
    "may": Op(MayQuestion, may),
}
