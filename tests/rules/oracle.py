"""The page's weather written down a second time, by hand, to hold the rules against (campaign-rolls, lines 166-266)."""

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
    """An outcome as it is written here: category-6-west is 6W, good is G."""
    words = outcome.removeprefix("category-").split("-")
    return "".join(word[0] for word in words).upper()


def read(zone: str, total: int) -> str:
    """What a total means in a zone, in short; beyond the ends the nearest one (WE-3)."""
    return _BANDS[zone].split()[min(max(total, 1), 20) - 1]


def carried(last: Mapping[str, str]) -> dict[str, int]:
    """The modifier of each zone after a week in which the zones had these outcomes."""
    sums = dict.fromkeys(ZONES, 0)
    for zone, outcome in last.items():
        for other, value in _CARRY.get((zone, short(outcome)), {}).items():
            sums[other] += value
    return sums


def watched(past: Sequence[Regions], sea: set[str]) -> set[str]:
    """The regions whose Flood Watch is due after weeks with these conditions, the newest first."""
    last, before = [*past, {}, {}][:2]
    severe = {region for region, traits in last.items() if "severe-storms" in traits and region != EXCEPTED}
    running = {region for region, traits in last.items() if "storms" in traits and "storms" in before.get(region, ())}
    return (severe | running) - sea


def floods(face: int, conditions: Sequence[str]) -> bool:
    """Whether a Flood Watch with this face brings Mud/Flood to a region with these conditions."""
    return face <= 10 or bool(WET & set(conditions))
