"""Facts from what lasts on units and characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from bot.core import knowledge
from bot.core.permissions import unreadable
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.effects import EFFECT
from rules.ends import holds
from rules.facts import Known, Origin


def _counts(value: Mapping[str, Any], context: RollContext) -> bool:
    return holds(value, context.moment) and "by" not in value and context.scenes.count(value)


def effects(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands.

    What only one side has a hold of, as `by` tells, is not true whoever rolls: the feature of such a roll sees to it.
    """
    everyone = context.everyone
    kept = {key: value for key, value in context.kept.items() if key[1].startswith(EFFECT)}
    lasting = {key: value for key, value in kept.items() if _counts(value, context)}
    viewer = any_player(context.campaign, context.mine)
    public = knowledge.values(tx, viewer, lasting)
    told = {value["entry"] for value in (*lasting.values(), *public.values())}
    hidden = set() if context.secrets else unreadable(tx, viewer.person, context.campaign, context.mine, told)
    effects_of: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in lasting.items():
        seen = public.get((subject, name), {"update": 0})
        secret = not holds(seen, context.moment)
        shown = value if secret else seen
        entry = shown["entry"]
        since = "lasting effect" if entry in hidden else f"since entry {entry}"
        known = Known(shown.get("amount") or 1, Origin("effect", since, entry), secret=secret)
        effects_of.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [
        {f"{role}.{trait}": known for role, item in part for trait, known in effects_of.get(item.key, ())}
        for part in everyone
    ]
