"""Grenades whose fuse burns in a fight, and zones: a fight keeps them as values of its own (lines 399, 437)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from bot.core import knowledge, state
from bot.core.campaigns import Campaign
from bot.core.visibility import Viewer
from rules.books.roe.explosives import FUSE, ZONE, Fuse, Zone, burning, zones_of
from rules.books.roe.scene import Fight


def burning_in(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> Mapping[str, Fuse]:
    """Return the grenades of a fight, by their names there, as far as a viewer may know of them; all without one."""
    return burning(_values(tx, campaign, fight, viewer))


def zones_in(tx: Connection, viewer: Viewer, fight: Fight) -> Mapping[str, Zone]:
    """Return the zones of a fight that a viewer may know of, by their names there."""
    return zones_of(_values(tx, viewer.campaign, fight, viewer))


def due_in(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> dict[str, Fuse]:
    """Return the grenades that explode at the end of the turn of now."""
    there = [item.id for item in fight.roster]
    burns = burning_in(tx, campaign, fight, viewer)
    return {name: item for name, item in burns.items() if item.due(fight.header.turn, fight.now, there)}


def _values(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None) -> dict[str, object]:
    kept = state.of_subjects(tx, campaign.id, {fight.header.subject})
    own = {key: value for key, value in kept.items() if key[1].startswith((FUSE, ZONE))}
    known = own if viewer is None else knowledge.values(tx, viewer, own)
    return {name: value for (_, name), value in known.items()}
