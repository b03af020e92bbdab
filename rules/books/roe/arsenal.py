"""Weapons in a fight, as marks of whoever bears them: what each owes, what is in the hands, and special ammunition (lines 264 to 325, 408, 517, 518)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Ammo, Mode
from rules.books.roe.fights import DRAWN, FIRED, FIRST_ATTACK, FIRST_TURN, GONE, STUNNED_TILL_NOW, TURN_NOTES
from rules.books.roe.weapons import Owed, Weapon, find_owed
from rules.effects import Change
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Part
from rules.scenes import MEMBER

Marks = Mapping[str, int]
ACTOR = "actor"
ANEW = "anew."
"""How the mark begins of a weapon that is being reloaded: of how many Actions it takes when it is begun anew; its id follows."""
DREW = f"{TURN_NOTES}drawn."
"""How the mark begins of a weapon that was drawn in this turn, to be used from the next on; its id follows."""
LOADED = "ammo."
"""How the mark of special ammunition begins: behind it follow the ids of weapon and ammunition."""
_STATE = ("used", "reload", "bolt", "rack")
_FIRST: Mapping[Owed, str] = {
    "reload": "reload first",
    "bolt": "work its bolt first",
    "rack": "let a turn pass without firing it first",
}
"""What is to be done before a weapon fires that owes something."""


class Readiness(Struct, frozen=True):
    """What a weapon owes: Actions of reloading, the bolt, the racking; `used` are turns of fire since the last reload."""

    used: int = 0
    reload: int = 0
    bolt: bool = False
    rack: bool = False

    @property
    def owes(self) -> Owed | None:
        """What comes before the next shot."""
        return "reload" if self.reload else "bolt" if self.bolt else "rack" if self.rack else None


def fire_weapon(weapon: Weapon, mode: Mode, state: Readiness, name: str) -> Readiness:
    """Return what a weapon owes after it was used in a mode."""
    if state.owes:
        raise RollError(f"{name} isn't ready: {_FIRST[state.owes]}.")
    used = state.used + mode.reload
    if mode.reload and used >= weapon.type.cycle:
        return Readiness(0, weapon.type.reload)
    due = find_owed(weapon, mode)
    return Readiness(used, bolt=due == "bolt", rack=due == "rack")


def find_fighter(part: Part, role: str) -> Mapping[str, Any] | None:
    """Return what a fight keeps of whoever stands in a role; None of whoever is in none."""
    value: Mapping[str, Any] | None = part.kept.get(part.subjects[role], {}).get(MEMBER)
    return value


def read_marks(part: Part, role: str) -> Marks:
    """Return the marks of whoever stands in a role; none outside of a fight."""
    marks: Marks = (find_fighter(part, role) or {}).get("marks", {})
    return marks


def with_marks(value: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    """Return what a fight keeps of somebody with other marks; what is nought is not kept."""
    return {**value, "marks": {name: count for name, count in marks.items() if count}}


def mark_fighter(part: Part, role: str, new: Marks) -> Iterator[Change]:
    """Yield how the marks change of whoever stands in a role, in a fight."""
    value = find_fighter(part, role)
    if value is not None:
        yield part.subjects[role], MEMBER, with_marks(value, {**value.get("marks", {}), **new})


def read_readiness(marks: Marks, weapon: str) -> Readiness:
    """Return what a weapon (its name) owes."""
    used, reload, bolt, rack = (marks.get(f"{name}.{word_id(weapon)}", 0) for name in _STATE)
    return Readiness(used, reload, bool(bolt), bool(rack))


def with_readiness(marks: Marks, weapon: str, state: Readiness) -> dict[str, int]:
    """Return marks with what a weapon owes."""
    owed = (state.used, state.reload, int(state.bolt), int(state.rack))
    return {**marks, **{f"{name}.{word_id(weapon)}": count for name, count in zip(_STATE, owed, strict=True)}}


def is_in_hand(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon (its name) is in the hands; drawing is free in the first turn without a stun (line 315), but not what is gone."""
    drawn = any(marks.get(mark) for mark in (DRAWN + word_id(weapon), FIRST_TURN, STUNNED_TILL_NOW))
    return drawn and not is_gone(marks, weapon)


def is_gone(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon (its name) lies on the ground, or others have picked it up."""
    return any(marks.get(mark + word_id(weapon)) for mark in GONE)


def restart_reloads(marks: Marks) -> dict[str, int]:
    """Return marks of whoever has moved or attacked: reloads of several Actions begin anew (line 266)."""
    begun = [mark.removeprefix(ANEW) for mark in marks if mark.startswith(ANEW) and marks[mark]]
    return {
        **marks,
        **{f"reload.{called}": marks[ANEW + called] for called in begun},
        **{ANEW + called: 0 for called in begun},
    }


def restart_reloading(part: Part) -> Iterator[Change]:
    """Yield what changes of whoever moves or attacks otherwise than with a weapon that is at hand: reloads begin anew."""
    marks = read_marks(part, ACTOR)
    if any(mark.startswith(ANEW) for mark in marks):
        yield from mark_fighter(part, ACTOR, restart_reloads(marks))


def use_weapons(marks: Marks, armed: Iterable[tuple[str, Weapon, Mode]]) -> dict[str, int]:
    """Return marks after weapons were used: each with its name, and the mode."""
    now = restart_reloads(marks)
    for name, weapon, mode in armed:
        if not (weapon.token.bare or is_in_hand(now, name)):
            raise RollError(f"{name} isn't in hand. Draw it first, for an Action.")
        if weapon.token.bare and mode.thrown:
            raise RollError(f"{name} can't be thrown.")
        if now.get(DREW + word_id(name)):
            raise RollError(f"{name} was drawn this turn and can be used next turn.")
        if not mode.thrown:
            now = with_readiness(now, name, fire_weapon(weapon, mode, read_readiness(now, name), name))
        now[FIRED + word_id(name)] = 1
        now[DRAWN + word_id(name)] = int(not (weapon.token.bare or mode.thrown))
    return {**now, FIRST_ATTACK: 0}


def list_loaded(part: Part) -> list[str]:
    """Return the marks of what whoever acts has in weapons; of one who has paid with another target already, those of then."""
    return [
        *(mark for mark, count in read_marks(part, ACTOR).items() if mark.startswith(LOADED) and count),
        *part.inputs.get("loaded", ()),
    ]


def find_ammo(book: Book, part: Part, weapon: str) -> Ammo | None:
    """Return the kind that is in a weapon (its name); None of ordinary rounds, and of what the book does not know."""
    known = {f"{LOADED}{word_id(weapon)}.{item.id}": item for item in book.listed(Ammo).values()}
    return next((known[mark] for mark in list_loaded(part) if mark in known), None)


def describe_ammo(book: Book, part: Part, weapon: str) -> Iterator[str]:
    """Yield what a weapon (its name) is loaded with; what that does beyond the page is typed."""
    of, kinds = f"{LOADED}{word_id(weapon)}.", book.listed(Ammo)
    for mark in list_loaded(part):
        if mark.startswith(of):
            kind = kinds.get(mark.removeprefix(of))
            own = mark.removeprefix(of).replace("-", " ")
            yield f"{weapon}: loaded with {kind.label if kind else f'{own}, which works as its text says'}."
