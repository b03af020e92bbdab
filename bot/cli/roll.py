"""One free dice expression, rolled and printed as JSON."""

from __future__ import annotations

from typing import Any

from rules.dice import Dice
from rules.expression import Expression, RepeatResult


def roll_text(text: str, dice: Dice) -> dict[str, Any]:
    """Return every face, the totals, the range and the mean (null where it takes too long to compute) of one repeat."""
    expression = Expression.parse(text)
    low, high = expression.span
    mean = expression.mean
    return {
        "expression": expression.text,
        "label": expression.label,
        "rolls": [_record(fall) for fall in expression.roll(dice)],
        "range": {"min": low, "max": high},
        "mean": None if mean is None else {"exact": str(mean), "about": round(float(mean), 4)},
        "explosions_per_die": expression.explosions,
    }


def _record(fall: RepeatResult) -> dict[str, Any]:
    pools = [
        {
            "dice": str(pool_roll.pool),
            "fell": [{"faces": die.faces, "kept": die.kept} for die in pool_roll.dice],
            "total": pool_roll.total,
        }
        for pool_roll in fall.pool_rolls
    ]
    return {"total": fall.total, "pools": pools}
