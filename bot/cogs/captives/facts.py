"""Facts from captivity: who is held captive, and who tries to escape together."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.captives.queries import TRIED, declared
from bot.core import state
from bot.core.subjects import names_of, unit
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE, joint_escape, who_tried
from rules.facts import Known, Origin

CAUGHT = Origin("captive", "held captive")


def captivity(_tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Return the fact that somebody is held captive, in whatever role."""
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=scene.is_secret(unit(name)))
            for role, names in subjects.items()
            for name in names_of(names)
            if (unit(name), CAPTIVE) in scene.held
        }
        for subjects in scene.subjects
    ]


def together(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Return facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    trying = [
        unit(part["captive"]) if "captive" in part and "interrogator" not in part else "" for part in scene.subjects
    ]
    if not any(trying):
        return [{} for _ in trying]
    others = who_tried(state.naming(tx, scene.campaign.id, TRIED), scene.update)
    others |= {unit(status.name) for status in declared(tx, scene.campaign.id)}
    names = {key: part["captive"] for key, part in zip(trying, scene.subjects, strict=True) if key}
    return [joint_escape(key, names, others) if key else {} for key in trying]
