"""The page's weather again, by hand, to check the rules (campaign-rolls, lines 166-266)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ZONES = ("south-africa", "north-africa", "south-asia", "australia", "antarctic")
"""In the order of the page, in which a rollover throws."""
_SOUTH = "6 5 5 4 4 3 3 3 2 2 1 1 G G G G G G G G"
_BANDS = {
    "south-africa": _SOUTH,
    "north-africa": "7 6 6 5 5 4 4 3 3 3 2 2 1 1 1 G G G G G",
    "south-asia": _SOUTH,
    "australia": "6 5 5 4 4 3 3 3 2 2 1 1 G G G G G G G 7",
    "antarctic": "7W 6W 5W 4W 3W 2W 1W G G G G G G 1E 2E 3E 4E 5E 6E 7E",
}
"""What each total from 1 to 20 means (WE-1 and WE-2 included)."""

_CARRY = {
    ("australia", "6"): {"australia": +1},
    ("australia", "7"): {"australia": -1},
    ("antarctic", "6W"): {"antarctic": +1, "south-africa": -1},
    ("antarctic", "7W"): {"antarctic": +1, "south-africa": -1},
    ("antarctic", "6E"): {"antarctic": -1},
    ("antarctic", "7E"): {"antarctic": -1},
    ("north-africa", "5"): {"north-africa": -1},
    ("north-africa", "7"): {"north-africa": -1},
    ("north-africa", "6"): {"south-asia": -1},
}
SEA = {
    *("west-indian-ocean", "arabian-sea", "central-indian-ocean", "east-indian-ocean"),
    *("coral-sea", "south-indian-ocean", "davis-sea", "tasman-sea"),
}
EXCEPTED = "saharan-africa"
WET = {"overcast", "storms", "severe-storms"}
Regions = Mapping[str, Sequence[str]]


def short(outcome: str) -> str:
    """Shorten an outcome: category-6-west to 6W."""
    words = outcome.removeprefix("category-").split("-")
    return "".join(word[0] for word in words).upper()


def read(zone: str, total: int) -> str:
    """Look a total up; beyond the ends the nearest (WE-3)."""
    return _BANDS[zone].split()[min(max(total, 1), 20) - 1]


def carry_over(last: Mapping[str, str]) -> dict[str, int]:
    """Add up each zone's modifiers after a week."""
    sums = dict.fromkeys(ZONES, 0)
    for zone, outcome in last.items():
        for other, value in _CARRY.get((zone, short(outcome)), {}).items():
            sums[other] += value
    return sums


def list_watched(past: Sequence[Regions], sea: set[str]) -> set[str]:
    """List regions due for a Flood Watch, from weeks newest first."""
    last, before = [*past, {}, {}][:2]
    severe = {region for region, traits in last.items() if "severe-storms" in traits and region != EXCEPTED}
    running = {region for region, traits in last.items() if "storms" in traits and "storms" in before.get(region, ())}
    return (severe | running) - sea


def is_flooded(face: int, conditions: Sequence[str]) -> bool:
    """Check whether a face brings Mud/Flood."""
    return face <= 10 or bool(WET & set(conditions))
