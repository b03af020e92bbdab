"""How far the people of the toy book reach over its terrain, out of the hexes that are kept of them."""

from __future__ import annotations

from msgspec.structs import replace

from rules.geometry import Hex, neighbours, reach
from rules.modifiers import Known, Origin
from rules.procedure import Part

MOST = 4
ROUGH = {Hex(3, 3), Hex(3, 4)}
WALL = {Hex(4, r) for r in range(1, 7)}


def entering(place: Hex) -> int | None:
    """Rough ground costs twice as much; nobody gets through the wall or off the map."""
    if place in WALL or not (1 <= place.q <= 9 and 1 <= place.r <= 9):
        return None
    return 2 if place in ROUGH else 1


def steps(start: Hex, goal: Hex) -> int | None:
    """The least that it costs from one hex to another; None where it is out of reach."""
    return 0 if start == goal else reach(start, MOST, neighbours, entering).get(goal)


def with_reach(part: Part) -> Part:
    """A part with how far off the resister stands, or that it is out of reach; as it is where one of both hexes is not known.

    What follows from a hex that players may not know is as secret as the hex.
    """
    kept = [part.facts.get(f"{role}.{axis}") for role in ("actor", "resister") for axis in "qr"]
    known = [item for item in kept if item]
    if len(known) < len(kept):
        return part
    start, goal = Hex(known[0].count, known[1].count), Hex(known[2].count, known[3].count)
    spent = steps(start, goal)
    found = Known(spent or 1, Origin("reach", f"from {start} to {goal}"), any(item.secret for item in known))
    facts = {"resister.far": found} if spent is None else {"resister.distance": found} if spent else {}
    return replace(part, facts={**facts, **part.facts})
