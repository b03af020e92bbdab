"""Facts from captivity: who is held captive, and who tries to escape together."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.captives.queries import TRIED, declared
from bot.core import state
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE, joint_escape, who_tried
from rules.facts import Known, Origin
from rules.subjects import subject_key

CAUGHT = Origin("captive", "held captive")


def captivity(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return the fact that somebody is held captive, in whatever role."""
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=item.secret)
            for role, item in part
            if (item.key, CAPTIVE) in context.kept
        }
        for part in context.everyone()
    ]


def together(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    trying = [
        next((item.key for role, item in part if role == "captive" and "interrogator" not in names), "")
        for part, names in zip(context.everyone(), context.subjects, strict=True)
    ]
    if not any(trying):
        return [{} for _ in trying]
    others = who_tried(state.naming(tx, context.campaign.id, TRIED), context.update)
    others |= {subject_key(status.id) for status in declared(tx, context.campaign.id)}
    names = {key: part["captive"] for key, part in zip(trying, context.subjects, strict=True) if key}
    return [joint_escape(key, names, others) if key else {} for key in trying]
