"""Whole attacks of the RoE book, and what they will come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.cli.questions import Op, Question
from rules.books.roe.aim import ACCURACY, ACTOR, DODGE, RESISTER, Plan, plan_of
from rules.books.roe.attack import PROCEDURE, THROWN, shots_of
from rules.books.roe.attack_odds import foresee
from rules.books.roe.bonuses import DAMAGE, DR
from rules.books.roe.sides import Mods, counted, fallen, racial_facts
from rules.engine import resolve
from rules.errors import RollError
from rules.modifiers import Adjustment
from rules.procedure import Part, Request
from rules.ruleset import RuleSet


class AttackQuestion(Question, frozen=True):
    """An attack with all dice as they fell: accuracy, dodge and damage of each attack roll, in order.

    One dodge die may stand for all. Behind the damage dice there may be one that an option of the target adds.
    """

    tokens: tuple[str, ...]
    range_m: float
    hp: int
    attack_dice: tuple[int, ...]
    dodge_dice: tuple[int, ...]
    damage_dice: tuple[int, ...]
    mode: str | None = None
    accuracy: Mods = ()
    dodge: Mods = ()
    damage: Mods = ()
    dr: int = 0
    aimed: bool = False
    sneak: bool = False
    racial: str | None = None
    target_racial: str | None = None


class OddsQuestion(Question, frozen=True):
    """An attack before its dice."""

    tokens: tuple[str, ...]
    range_m: float
    mode: str | None = None
    accuracy: Mods = ()
    dodge: Mods = ()


def attack(asked: AttackQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what an attack comes to, as its procedure plays it."""
    rolls = len(asked.attack_dice)
    part = _part(asked, book, damage=asked.damage, dr=asked.dr, inputs=_inputs(asked, rolls))
    plan = plan_of(part, book)
    if len(asked.dodge_dice) not in {1, rolls}:
        raise RollError(f"{rolls} attack dice are dodged by {rolls} dice or by one, not by {len(asked.dodge_dice)}.")
    contested = [*_contested(asked, plan)]
    hits = [shot.hit for shot in shots_of(plan, fallen(*contested))]
    damage = [*_damage(asked, plan, hits)]
    played = resolve(Request(PROCEDURE.family, (part,)), book, fallen(*contested, *damage)).parts[0]
    return {name: value for name, value in played.record.items() if name != THROWN}


def odds(asked: OddsQuestion, book: RuleSet) -> dict[str, Any]:
    """Return how likely each number of hits is, as fractions in lowest terms."""
    part = _part(asked, book, inputs={"hp": 1})
    return {"hits": [str(chance) for chance in foresee(plan_of(part, book), book).hits]}


def _inputs(asked: AttackQuestion, rolls: int) -> Mapping[str, Any]:
    return {
        "hp": asked.hp,
        "aimed": asked.aimed,
        "sneak": asked.sneak,
        "rolls": rolls,
        "one_dodge": len(asked.dodge_dice) < rolls,
        "extra": len(asked.damage_dice) > rolls,
        "strength": True,
    }


def _part(
    asked: AttackQuestion | OddsQuestion, book: RuleSet, *, inputs: Mapping[str, Any], damage: Mods = (), dr: int = 0
) -> Part:
    """Return the part of an attack: who has which option, and what is added to what."""
    options = (asked.racial, asked.target_racial) if isinstance(asked, AttackQuestion) else (None, None)
    facts = {**racial_facts(book, ACTOR, options[0]), **racial_facts(book, RESISTER, options[1])}
    lists = {ACCURACY: asked.accuracy, DODGE: asked.dodge, DAMAGE: damage, DR: (dr,)}
    adjustments = tuple(
        Adjustment(each.value, each.reason, table) for table, mods in lists.items() for each in counted(mods)
    )
    told = {"tokens": asked.tokens, "range_m": asked.range_m, "mode": asked.mode, **inputs}
    return Part("attack", {ACTOR: ACTOR, RESISTER: RESISTER}, facts, adjustments=adjustments, inputs=told)


def _contested(asked: AttackQuestion, plan: Plan) -> Iterator[tuple[int, int]]:
    """Yield the dice of accuracy and dodge in the order in which they are thrown, as (sides, face)."""
    for place, (of, face) in enumerate(zip(plan.rolls, asked.attack_dice, strict=True)):
        aim = plan.aims[of]
        yield aim.arm.sides, face
        if place < len(asked.dodge_dice):
            yield next(iter(aim.dodges.values())).stage.table.die.sides, asked.dodge_dice[place]


def _damage(asked: AttackQuestion, plan: Plan, hits: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the damage dice of the hits, as (sides, face)."""
    most = len(hits) + (plan.extra is not None)
    if not len(hits) <= len(asked.damage_dice) <= most:
        raise RollError(f"{len(hits)} attack dice have as many damage dice, not {len(asked.damage_dice)}.")
    hitting = [(place, face) for place, face, hit in zip(plan.rolls, asked.damage_dice, hits, strict=False) if hit]
    yield from ((plan.aims[place].arm.die, face) for place, face in hitting)
    extra = plan.extra_from(place for place, _ in hitting)
    if extra is not None:
        yield extra.sides, asked.damage_dice[-1]


OPS: Mapping[str, Op] = {"attack": Op(AttackQuestion, attack)}
ODDS = Op(OddsQuestion, odds)
