"""How an effect that is set by hand ends: as is asked for, or by its own rule; in a scene in that of whoever it is bound to."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.effects.bodies import InSceneBody
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.subjects import Subject
from bot.errors import BadInput
from rules.book import Effect
from rules.ends import End, Moment

Until = Literal["update", "cleared", "scene"]


class Ending(Struct, frozen=True):
    """How an effect ends: by these keys of its value, and what its entry says of the scene."""

    keys: dict[str, Any]
    told: InSceneBody


def wanted_end(effect: Effect, until: Until | None, hours: int | None, turns: int | None) -> End:
    """Return the end that is asked for; that of the effect's own rule where none is.

    Raises:
        BadInput: two are that do not go together.

    """
    if hours and turns:
        raise BadInput("An effect ends after hours or after turns, not after both.", "Leave hours: or turns: out.")
    if turns:
        return End("turns", turns)
    return End("hours", hours) if hours else End(until) if until else effect.end


def begun(tx: Connection, campaign: Campaign, now: Moment, bearer: Subject, whose: Subject | None, end: End) -> Ending:
    """Return how an effect ends that begins now on its bearer, counted in the turns of `whose`, or in the bearer's own.

    Raises:
        BadInput: it ends in a scene, and there is none for it; or it is not said whose turns count, or in vain.

    """
    if whose and end.until != "turns":
        raise BadInput("Nobody's turns end this effect.", "Say after how many as turns:, or leave whose: out.")
    if end.until not in {"turns", "scene"}:
        return Ending(end.begun(now), InSceneBody())
    if end.of == "initiator" and whose is None:
        raise BadInput("This effect ends after turns of whoever brings it about.", "Name that one as whose:.")
    counted = whose or bearer
    at = scenes.where(tx, campaign.id, counted.id)
    if at is None:
        what = f"{counted.name} stands in no battle or other scene that could end this effect."
        raise BadInput(what, "Say when it ends as until: or hours:, or let that one join first.")
    told = InSceneBody(scene=at.header.name)
    if end.until == "turns":
        told |= {"turns": end.count, "whose": counted.name}
    return Ending(end.begun(Moment(now.update, now.hence, now.entry, at.scene), counted.id), told)
