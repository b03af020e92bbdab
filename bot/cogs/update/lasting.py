"""Effects at the end of an update: which end with it, and which last."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.campaigns import Campaign
from rules.effects import EFFECT
from rules.ends import Moment, holds
from rules.subjects import name_key, number_of


def lasting_effects(tx: Connection, campaign: Campaign, moment: Moment) -> Iterator[tuple[str, str, bool]]:
    """Yield the effects that hold at a moment: bearer, effect, and whether it ends with the update."""
    kept = state.in_force(tx, campaign.id, EFFECT, moment.update)
    kept = {key: value for key, value in kept.items() if holds(value, moment)}
    names = subjects.names(tx, campaign.id, {number_of(key) for key, _ in kept})
    bearers = {key: names[number_of(key)] for key, _ in kept}
    for (key, name), value in sorted(kept.items(), key=lambda item: (name_key(bearers[item[0][0]]), item[0])):
        yield bearers[key], value.get("label") or name.removeprefix(EFFECT).replace("-", " "), "update" in value
