"""Words about schedules that messages and entries share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from bot.schedules.store import CatchUp

LATE_ONES: Mapping[CatchUp, str] = {"roll": "catch up automatically", "ask": "ask in the staff channel"}
"""What can become of occurrences that were missed."""


def duration(minutes: int) -> str:
    """Return a number of minutes in words: 6 days 22 hours."""
    left = timedelta(minutes=minutes)
    hours, rest = divmod(left.seconds // 60, 60)
    counts = {"day": left.days, "hour": hours, "minute": rest}
    return " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in counts.items() if count)
