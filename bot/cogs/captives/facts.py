"""Facts from captivity: who is held captive, and who tries to escape together."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection

from bot.cogs.captives.queries import TRIED, declared
from bot.core import state
from bot.core.subjects import names_of, unit
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE
from rules.facts import Known, Origin

CAUGHT = Origin("captive", "held captive")


def captivity(_tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """The fact that somebody is held captive, in whatever role."""
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
    """Facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    trying = [
        unit(part["captive"]) if "captive" in part and "interrogator" not in part else "" for part in scene.subjects
    ]
    if not any(trying):
        return [{} for _ in trying]
    tried = state.naming(tx, scene.campaign.id, TRIED).items()
    others = {subject for (subject, _), value in tried if value["update"] == scene.update}
    others |= {unit(status.name) for status in declared(tx, scene.campaign.id)}
    names = {key: part["captive"] for key, part in zip(trying, scene.subjects, strict=True) if key}
    return [_joint(key, names, others) if key else {} for key in trying]


def _joint(key: str, names: dict[str, str], others: Collection[str]) -> dict[str, Known]:
    beside = [name for other, name in names.items() if other != key]
    more = f" and {len(beside) - 1} more" if len(beside) > 1 else ""
    if beside:
        return {"captive.joint-escape": Known(1, Origin("captive", f"together with {beside[0]}{more}"))}
    if set(others) - {key}:
        return {"captive.joint-escape": Known(1, Origin("captive", "others try in this update"))}
    return {}
