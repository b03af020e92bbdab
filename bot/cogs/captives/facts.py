"""Facts from captivity: who is held captive, and who tries to escape together."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.captives.queries import TRIED, declared
from bot.core import knowledge, state
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE, joint_escape, who_tried
from rules.facts import Known, Origin
from rules.subjects import subject_key

CAUGHT = Origin("captive", "held captive")


def captivity(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return the fact that somebody is held captive, in whatever role."""
    held = {key: value for key, value in context.kept.items() if key[1] == CAPTIVE}
    public = knowledge.values(tx, any_player(context.campaign), held)
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=(item.key, CAPTIVE) not in public)
            for role, item in part
            if (item.key, CAPTIVE) in held
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
    attempts = state.naming(tx, context.campaign.id, TRIED)
    others = who_tried(attempts, context.update)
    others |= {subject_key(status.id) for status in declared(tx, context.campaign.id)}
    public = who_tried(knowledge.values(tx, any_player(context.campaign), attempts), context.update)
    names = {key: part["captive"] for key, part in zip(trying, context.subjects, strict=True) if key}
    return [joint_escape(key, names, others, public) if key else {} for key in trying]
