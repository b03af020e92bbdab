"""How far people of the toy book reach over its terrain."""

from __future__ import annotations

from msgspec.structs import replace

from rules.geometry import Hex, neighbours, reach
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part

MOST = 4
ROUGH = {Hex(3, 3), Hex(3, 4)}
WALL = {Hex(4, r) for r in range(1, 7)}


def _find_cost(place: Hex) -> int | None:
    if place in WALL or not (1 <= place.q <= 9 and 1 <= place.r <= 9):
        return None
    return 2 if place in ROUGH else 1


def count_steps(start: Hex, goal: Hex) -> int | None:
    """Return the least cost between hexes, or None."""
    return 0 if start == goal else reach(start, MOST, neighbours, _find_cost).get(goal)


def with_reach(part: Part) -> Part:
    """Add the resister's distance, if both hexes are known; secret hexes keep it secret."""
    kept = [part.facts.get(f"{role}.{axis}") for role in ("actor", "resister") for axis in "qr"]
    known = [item for item in kept if item]
    if len(known) < len(kept):
        return part
    start, goal = Hex(known[0].count, known[1].count), Hex(known[2].count, known[3].count)
    spent = count_steps(start, goal)
    found = KnownFact(spent or 1, Origin("reach", f"from {start} to {goal}"), any(item.secret for item in known))
    facts = {"resister.far": found} if spent is None else {"resister.distance": found} if spent else {}
    return replace(part, facts={**facts, **part.facts})
