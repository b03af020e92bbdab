"""Hit points that are kept: full ones stand in what is saved of somebody, and how many are lost beside it (line 106)."""

from __future__ import annotations

from rules.effects import Change
from rules.errors import RollError
from rules.procedure import Part

HEALTH = "health"
"""The name under which it is kept how many HP somebody has `lost`; nothing is where none are."""
_FULL = "hp"


class NoHp(RollError):
    """Nobody has said how many HP somebody has."""


def full_hp(part: Part, role: str) -> int:
    """Return the HP that whoever stands in a role has in full.

    Raises:
        NoHp: it is not known.

    """
    known = part.facts.get(f"{role}.{_FULL}")
    if known is None or not known.count:
        who = part.subjects.get(role, "Nobody")
        raise NoHp(f"Nobody has said how many HP {who} has: /character edit, fields: hp: 30.")
    return known.count


def left_hp(part: Part, role: str) -> int:
    """Return the HP that are left to whoever stands in a role.

    Raises:
        NoHp: it is not known how many there are in full.

    """
    return max(0, full_hp(part, role) - lost_hp(part, role))


def lost_hp(part: Part, role: str) -> int:
    """Return how many HP whoever stands in a role has lost."""
    kept = part.kept.get(part.subjects.get(role, ""), {}).get(HEALTH)
    return 0 if kept is None else int(kept["lost"])


def with_hp(part: Part, role: str, left: int) -> Change:
    """Return what changes when so many HP are left to whoever stands in a role."""
    lost = full_hp(part, role) - left
    return part.subjects[role], HEALTH, {"lost": lost} if lost else None
