"""Hit points that are kept: full ones stand in what is saved of somebody, and how many are lost beside it (line 106)."""

from __future__ import annotations

from rules.effects import Change
from rules.errors import RollError
from rules.procedure import Part

HEALTH = "health"
"""The name under which it is kept how many HP somebody has `lost`; nothing is where none are."""
_FULL = "hp"
OUT = {"vehicle": "wreck", "pet-level": "withdraw"}
"""The facts of what is no person, and the deed that takes it out of a fight when it has no HP left."""
_OVER = ("wrecked", "withdrawn")
"""The effects of that, until the fight is over."""


class NoHp(RollError):
    """Nobody has said how many HP somebody has."""


def full_hp(part: Part, role: str) -> int:
    """Return the HP that whoever stands in a role has in full."""
    known = part.facts.get(f"{role}.{_FULL}")
    if known is None or not known.count:
        who = part.subjects.get(role, "The target")
        raise NoHp(f"{who}'s HP isn't set: /character edit, fields: hp: 30.")
    return known.count


def left_hp(part: Part, role: str) -> int:
    """Return the HP that are left to whoever stands in a role."""
    return max(0, full_hp(part, role) - lost_hp(part, role))


def lost_hp(part: Part, role: str) -> int:
    """Return how many HP whoever stands in a role has lost.

    A vehicle or pet without any is whole again once the fight is over (lines 502, 552).
    """
    kept = part.kept.get(part.subjects.get(role, ""), {}).get(HEALTH)
    lost = 0 if kept is None else int(kept["lost"])
    out = any(f"{role}.{trait}" in part.facts for trait in _OVER)
    return 0 if out_by(part, role) and not out and lost >= full_hp(part, role) else lost


def out_by(part: Part, role: str) -> str | None:
    """Return the deed that takes whoever stands in a role out of a fight without HP left; None of people, who are Wounded."""
    kinds = [deed for fact, deed in OUT.items() if f"{role}.{fact}" in part.facts]
    return kinds[0] if kinds and f"{role}.seated" not in part.facts else None


def with_hp(part: Part, role: str, left: int) -> Change:
    """Return what changes when so many HP are left to whoever stands in a role."""
    lost = full_hp(part, role) - left
    return part.subjects[role], HEALTH, {"lost": lost} if lost else None
