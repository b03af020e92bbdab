"""How things stand with somebody saved: captivity and what lasts, as far as the person who looks may know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.cogs.captives.queries import RESISTING, SERIOUS, CaptiveStatus, statuses
from bot.cogs.effects.service import LastingEffect, lasting
from bot.core.profiles import Profile
from bot.core.visibility import Viewer
from rules.book import Effect
from rules.books.campaign.captivity import CRACKED, INJURED
from rules.effects import EFFECT

TOLD = frozenset(name.removeprefix(EFFECT) for name in (CRACKED, INJURED, SERIOUS, RESISTING))
"""The effects that a status tells already."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand: as a captive, None for whoever never was one or for whom that is secret, and what else lasts."""

    status: CaptiveStatus | None = None
    lasting: tuple[LastingEffect, ...] = ()


def standing(tx: Connection, viewer: Viewer, item: Profile, known: Mapping[str, Effect]) -> Standing:
    """How things stand with somebody; captivity is told to game masters and to whose character it is."""
    told = viewer.person.leads(viewer.campaign) or viewer.own(item)
    status = statuses(tx, viewer.campaign.id, [item.key]).get(item.key) if told else None
    found = lasting(tx, viewer, known, item.key)
    return Standing(status, tuple(one for one in found if status is None or one.trait not in TOLD))
