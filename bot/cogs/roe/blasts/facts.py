"""Facts of grenades: whether one is within reach of whoever throws it back (line 399)."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.roe.blasts import THROW_BACK
from bot.rolls.situation import RollContext
from rules.facts import Known, Origin

REACHED = "actor.at-grenade"


def reached(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return that whoever throws a grenade back reaches it, unless it was said to lie farther away."""
    known, reach = Known(1, Origin("typed", "as typed")), context.book.number("melee-reach-m")
    back = context.procedure.family == THROW_BACK
    away = [part.inputs.get("range_m") or 0 if back else 0 for part in context.request.parts]
    return [{REACHED: known} if metres <= reach else {} for metres in away]
