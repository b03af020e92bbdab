"""Scores weighed for somebody: what counts on all rolls of one kind, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from rules.facts import Facts
from rules.modifiers import Adjustment, WeighedModifier
from rules.tables import Score, held


class WeighedScore(Struct, frozen=True):
    """A score as weighed for somebody: every modifier, what they come to with the base, and that within the caps."""

    score: Score
    modifiers: tuple[WeighedModifier, ...]
    raw: int
    value: int


def weigh_score(
    score: Score,
    role: str,
    facts: Facts,
    marks: Mapping[str, int] | None = None,
    adjustments: Sequence[Adjustment] = (),
) -> WeighedScore:
    """Weigh a score for whoever stands in a role: facts, ticks by hand and adjustments count as on a table."""
    modifiers = score.borne(role).weigh(facts, marks or {})
    raw = score.base + sum(item.amount for item in modifiers) + sum(item.value for item in adjustments)
    return WeighedScore(score, modifiers, raw, held(score.caps, modifiers, adjustments, raw))
