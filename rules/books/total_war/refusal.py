"""How the rules of Total War refuse an order."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from rules.errors import MissingValue, RollError
from rules.geometry.hexes import Hex, distance


class Refused(RollError):
    """An order that the rules do not allow: `code` says by which refusal, `told` what else is answered. Nothing has changed."""

    title = "That won't work"
    left = "Nothing has changed."

    def __init__(self, code: str, words: str, **told: object) -> None:
        self.code, self.told = code, told
        super().__init__(words)


def blocked(at: Hex) -> Refused:
    """Return the refusal of a panel that nobody can enter."""
    return Refused("E_BLOCKED", f"{at} can't be entered.")


class Missing(Refused, MissingValue):
    """An order in which something is missing; the words ask for it."""


def off_map(panels: Iterable[Hex], at: Hex) -> Refused:
    """Return the refusal of a place that is none of these panels of a map, which says how far it reaches and which panel is nearest."""
    known = sorted(panels)
    if not known:
        return Refused("E_OFF_MAP", f"{at} is off the map.")
    first, last = (f"{pick(q for q, _ in known)},{pick(r for _, r in known)}" for pick in (min, max))
    near = min(known, key=partial(distance, at))
    return Refused("E_OFF_MAP", f"{at} is off the map. The map spans {first} to {last}; the nearest panel is {near}.")
