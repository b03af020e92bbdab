"""How long what an event has set on a unit stays in force, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SPANS: Mapping[str, str] = {
    "turn": "until the end of turn {turn} of {battle}",
    "battle": "until {battle} is over",
    "permanent": "for good",
    "until_condition": "until its condition is met",
    "until_gone": "until it or its enemy is gone",
}


def event_ends(value: Mapping[str, Any]) -> str | None:
    """Return when an effect ends, from the value that is kept of it; None of one that no event has set."""
    if "parts" not in value:
        return None
    spans = dict.fromkeys(part["lasts"] for part in value["parts"])
    return ", ".join(SPANS[span].format(turn=value["turn"], battle=value["battle"]) for span in spans)
