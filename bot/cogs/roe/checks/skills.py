"""A skill that was typed: which one of the book it is, of which family its roll is, and its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.core.subjects import Numbered
from bot.rolls.request import PartRequest
from rules.books.roe.catalog import Skill
from rules.books.roe.checks import CHECK
from rules.books.roe.contests import ACTOR, RESISTER, VERSUS
from rules.books.roe.skills import SKILL
from rules.ruleset import RuleSet
from rules.subjects import name_key

MOST = 10
"""Against how many one roll goes."""


def skill_named(book: RuleSet, typed: str) -> Skill | None:
    """Return the skill of a name or id; None of one that the book does not know."""
    wanted = name_key(typed)
    return next((item for item in book.listed(Skill).values() if wanted in {name_key(item.label), item.id}), None)


def family_of(skill: Skill | None, others: Sequence[str]) -> str:
    """Return the roll family of a skill outside of a turn."""
    return CHECK if not others else skill.family if skill and skill.family else VERSUS


def parts_of(who: Numbered, skill: Skill | None, others: Sequence[str], target: int | None) -> Iterator[PartRequest]:
    """Yield a part for each opponent, or the one of a roll against a number."""
    inputs: dict[str, Any] = {SKILL: skill.id} if skill else {}
    if target is not None:
        inputs["values"] = {skill.check if skill else CHECK: target}
    role = skill.role if skill else RESISTER
    for other in others or (None,):
        there = {ACTOR: who.name} | ({} if other is None else {role: other})
        yield PartRequest(subjects=there, ids={ACTOR: (who.id,)}, inputs=inputs)
