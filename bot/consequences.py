"""What a resolution does to the campaign, as recorded changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.request import subject_key, unit
from bot.situation import EFFECT
from rules.engine import PartResult, Procedure, Resolution
from rules.tables import Deed

ROLLED = "rolled."


@dataclass(frozen=True, slots=True)
class Lasting:
    """How a deed lasts on whom it is done to: as which trait, and whether it ends with the update."""

    trait: str
    this_update: bool


LASTING: Mapping[Deed, Lasting] = {
    "ambush": Lasting("ambushed-today", this_update=True),
    "scouted": Lasting("scouted", this_update=False),
    "reveal": Lasting("revealed", this_update=True),
    "stop": Lasting("move-stopped", this_update=True),
    "stop-used": Lasting("stop-used", this_update=True),
}


@dataclass(frozen=True, slots=True)
class Moment:
    """The entry that a change belongs to, and the update it falls in."""

    entry: int
    update: int


def effects(resolution: Resolution, procedure: Procedure, moment: Moment) -> dict[tuple[str, str], Any]:
    """What a resolution sets, by subject and name; where two parts set the same, the later one stands."""
    return {
        (subject, name): value
        for part in resolution.parts
        for subject, name, value in _effects(part, procedure, moment)
    }


def rolled_name(family: str, actor: str) -> str:
    """The name under which a subject remembers that this actor has rolled for it."""
    return f"{ROLLED}{family}.{subject_key(actor)}"


def _effects(part: PartResult, procedure: Procedure, moment: Moment) -> Iterator[tuple[str, str, Any]]:
    if part.conclusion is None or not procedure.on_request:
        return
    names = part.part.subjects
    actor = names[procedure.actor]
    now = {"entry": moment.entry, "update": moment.update}
    yield unit(names.get(procedure.subject, actor)), rolled_name(procedure.family, actor), now
    for consequence in part.conclusion.consequences:
        lasting = LASTING.get(consequence.do)
        if lasting is not None and consequence.to is not None and consequence.to in names:
            name = names[consequence.to]
            value = {**(now if lasting.this_update else {"entry": moment.entry}), "name": name}
            yield unit(name), EFFECT + lasting.trait, value
