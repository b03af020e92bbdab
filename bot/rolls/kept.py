"""What is kept of those in a roll and of its scene, as its parts carry it to whatever changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import state
from bot.core.state import State
from bot.core.subjects import everybody, named
from bot.rolls.situation import RollContext
from rules.effects import SCENE, Kept, is_open
from rules.ends import holds
from rules.scenes import MEMBER
from rules.subjects import PROFILE

Sight = Callable[[State], State]
"""Return as much of these values as somebody may know."""


def of_scenes(tx: Connection, context: RollContext) -> State:
    """Return what is kept of where a roll happens, in truth and as far as everybody may know, if its method keeps any of that."""
    stands = (context.scenes.openly(context.cast), context.scenes.where(everybody(context.cast).values()))
    there = {at.scene for at in stands if at} if context.procedure.method.keeps not in {(), (MEMBER,)} else ()
    return state.of_subjects(tx, context.campaign.id, there) if there else {}


def carried(context: RollContext, own: State, sight: Sight | None) -> list[Kept]:
    """Return what still holds of that which the method of a roll keeps, part by part, as far as somebody may know; all of it without `sight`.

    `own` is what is kept of where it happens, as `of_scenes` gives it. What is kept as open is known to everybody.
    """
    keeps, skips = context.procedure.method.keeps, context.procedure.method.skips
    if not keeps:
        return [{} for _ in context.cast]
    there = everybody(context.cast)
    at = context.scenes.openly(context.cast) if sight else context.scenes.where(there.values())
    of = {*(item.key for item in there.values()), *({at.scene} if at else ())}
    saved = {item.key: item for part in context.saved for _, item in part}
    found = {
        key: saved[key[0]].value() if key[1] == PROFILE else value
        for key, value in (context.kept | own).items()
        if key[0] in of and key[1].startswith(keeps) and not key[1].startswith(MEMBER) and key[1] not in skips
    }
    known = _known(found, sight) if sight else found
    if MEMBER in keeps:
        for item in there.values():
            stands = context.scenes.standing.get(item.id) if context.knows(item) else None
            if stands:
                known[item.key, MEMBER] = context.kept[stands.scene, f"{MEMBER}{item.id}"]
    values: dict[str, dict[str, Any]] = {subject: {} for subject in of}
    for (subject, name), value in known.items():
        if name == PROFILE or not isinstance(value, dict) or holds(value, context.moment):
            values[subject][name] = value
    scene = {SCENE: values[at.scene]} if at else {}
    parts = zip(context.subjects, context.cast, strict=True)
    return [
        scene | {who: values[item.key] if item else {} for who, item in named(subjects, cast)}
        for subjects, cast in parts
    ]


def _known(found: State, sight: Sight) -> State:
    """Return as much of these values as somebody may know; what is open needs no look, and of a war that is nearly all."""
    opened = {key: value for key, value in found.items() if is_open(value)}
    return {**sight({key: value for key, value in found.items() if key not in opened}), **opened}


def hidden(context: RollContext, own: State, held: Sequence[Kept], sight: Sight) -> list[bool]:
    """Tell in which parts something is kept (`held`, all of it) that not everybody may know, by the sight of those who play."""
    seen = carried(replace(context, secrets=False, mine=None), own, sight)
    return [mine != other for mine, other in zip(held, seen, strict=True)]
