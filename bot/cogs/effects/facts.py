"""Facts from what lasts on units and characters."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core import state
from bot.rolls.situation import RollContext
from rules.effects import EFFECT, is_current
from rules.facts import Known, Origin


def effects(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands."""
    everyone = context.everyone()
    bearers = {item.key for part in everyone for _, item in part}
    effects_of: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in state.beginning(tx, context.campaign.id, bearers, EFFECT).items():
        if is_current(value, context.update):
            origin = Origin("effect", f"since entry {value['entry']}")
            known = Known(1, origin, secret=context.is_secret(subject))
            effects_of.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [
        {f"{role}.{trait}": known for role, item in part for trait, known in effects_of.get(item.key, ())}
        for part in everyone
    ]
