"""Facts from saved units and characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection

from bot.core import profiles
from bot.core.profiles import ALONE, Profile, profile
from bot.core.state import State
from bot.core.subjects import names_of, unit
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE
from rules.facts import Known, Origin


def saved_facts(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Return facts from saved units and characters, in whatever role they stand; a character has those of the squad too."""
    named = [
        [
            (role, found)
            for role, names in subjects.items()
            for name in names_of(names)
            if (found := profile(scene.held, name))
        ]
        for subjects in scene.subjects
    ]
    squads = profiles.read(
        tx, scene.campaign.id, {found.squad for part in named for _, found in part if found.squad is not None}
    )
    return [dict(_carried(part, squads, scene.held)) for part in named]


def _carried(
    part: Sequence[tuple[str, Profile]], squads: Mapping[str, Profile], held: State
) -> Iterator[tuple[str, Known]]:
    """The facts of each in its role; a captive is without the squad, whatever it tries."""
    for role, found in part:
        with_squad = found.squad is not None and role not in ALONE and (found.key, CAPTIVE) not in held
        squad = squads.get(unit(found.squad)) if found.squad and with_squad else None
        for bearer in (squad, found):
            if bearer is not None:
                origin = Origin("saved", bearer.name)
                for trait, count in bearer.known().items():
                    yield f"{role}.{trait}", Known(count, origin, secret=bearer.secret)
