"""Facts from what lasts on units and characters."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core import state
from bot.core.subjects import names_of, unit
from bot.rolls.situation import RollContext
from rules.effects import EFFECT, is_current
from rules.facts import Known, Origin


def effects(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Return facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands."""
    keys = [
        [(role, unit(name)) for role, names in subjects.items() for name in names_of(names)]
        for subjects in scene.subjects
    ]
    bearers = {key for part in keys for _, key in part}
    held: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in state.beginning(tx, scene.campaign.id, bearers, EFFECT).items():
        if is_current(value, scene.update):
            origin = Origin("effect", f"since entry {value['entry']}")
            known = Known(1, origin, secret=scene.is_secret(subject))
            held.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [{f"{role}.{trait}": known for role, key in part for trait, known in held.get(key, ())} for part in keys]
