"""Weapons in a fight: what each owes and which are in the hands, as marks of whoever bears them (lines 264 to 319)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.books.roe.catalog import Mode
from rules.books.roe.marks import DRAWN, FIRED, FIRST_ATTACK, FIRST_TURN, GONE, STUNNED_TILL_NOW, TURN_NOTES
from rules.books.roe.readiness import Readiness, fired
from rules.books.roe.weapons import Weapon
from rules.effects import Change, Kept
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Part
from rules.scenes import MEMBER

Marks = Mapping[str, int]
ANEW = "anew."
"""How the mark begins of a weapon that is being reloaded: of how many Actions it takes when it is begun anew; its id follows."""
DREW = f"{TURN_NOTES}drawn."
"""How the mark begins of a weapon that was drawn in this turn, to be used from the next on; its id follows."""
_STATE = ("used", "reload", "bolt", "rack")


def fighter(kept: Kept, name: str) -> Mapping[str, Any] | None:
    """Return what a fight keeps of somebody in it; None of whoever is in none."""
    value: Mapping[str, Any] | None = kept.get(name, {}).get(MEMBER)
    return value


def with_marks(value: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    """Return what a fight keeps of somebody with other marks; what is nought is not kept."""
    return {**value, "marks": {name: count for name, count in marks.items() if count}}


def state_of(marks: Marks, weapon: str) -> Readiness:
    """Return what a weapon (its name) owes."""
    used, reload, bolt, rack = (marks.get(f"{name}.{word_id(weapon)}", 0) for name in _STATE)
    return Readiness(used, reload, bool(bolt), bool(rack))


def with_state(marks: Marks, weapon: str, state: Readiness) -> dict[str, int]:
    """Return marks with what a weapon owes."""
    owed = (state.used, state.reload, int(state.bolt), int(state.rack))
    return {**marks, **{f"{name}.{word_id(weapon)}": count for name, count in zip(_STATE, owed, strict=True)}}


def in_hand(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon (its name) is in the hands; drawing is free in the first turn without a stun (line 315), but not what is gone."""
    drawn = any(marks.get(mark) for mark in (DRAWN + word_id(weapon), FIRST_TURN, STUNNED_TILL_NOW))
    return drawn and not gone(marks, weapon)


def gone(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon (its name) lies on the ground, or others have picked it up."""
    return any(marks.get(mark + word_id(weapon)) for mark in GONE)


def restarted(marks: Marks) -> dict[str, int]:
    """Return marks of whoever has moved or attacked: reloads of several Actions begin anew (line 266)."""
    begun = [mark.removeprefix(ANEW) for mark in marks if mark.startswith(ANEW) and marks[mark]]
    return {
        **marks,
        **{f"reload.{called}": marks[ANEW + called] for called in begun},
        **{ANEW + called: 0 for called in begun},
    }


def begun_anew(part: Part, role: str = "actor") -> Iterator[Change]:
    """Yield what changes of whoever moves or attacks otherwise than with a weapon that is at hand: reloads begin anew."""
    value = fighter(part.kept, part.subjects[role])
    marks: Marks = (value or {}).get("marks", {})
    if value is not None and any(mark.startswith(ANEW) for mark in marks):
        yield part.subjects[role], MEMBER, with_marks(value, restarted(marks))


def used(marks: Marks, armed: Iterable[tuple[str, Weapon, Mode]]) -> dict[str, int]:
    """Return marks after weapons were used: each with its name, and the mode."""
    now = restarted(marks)
    for name, weapon, mode in armed:
        if not (weapon.token.bare or in_hand(now, name)):
            raise RollError(f"{name} isn't in hand. Draw it first, for an Action.")
        if weapon.token.bare and mode.thrown:
            raise RollError(f"{name} can't be thrown.")
        if now.get(DREW + word_id(name)):
            raise RollError(f"{name} was drawn this turn and can be used next turn.")
        if not mode.thrown:
            now = with_state(now, name, fired(weapon, mode, state_of(now, name), name))
        now[FIRED + word_id(name)] = 1
        now[DRAWN + word_id(name)] = int(not (weapon.token.bare or mode.thrown))
    return {**now, FIRST_ATTACK: 0}
