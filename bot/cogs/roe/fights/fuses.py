"""Grenades whose fuse burns in a fight, and zones: a fight keeps them as values of its own (lines 399, 437)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import FIGHTS, Look
from bot.core import knowledge, state
from bot.core.campaigns import Campaign
from bot.core.records import Change
from bot.core.scene_entries import left
from bot.core.state import State
from bot.core.visibility import Viewer
from bot.ui.text import plain
from rules.books.roe.explosives import FUSE, ZONE, Fuse, Zone, burning, zones_of
from rules.books.roe.scene import Fight, leave


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


def removed(kept: State, number: int, entry: int) -> Iterator[Change]:
    """Yield what takes a subject out of fights when it is removed: its grenades and zones go with it; `kept` is the whole state."""
    yield from left(FIGHTS, leave, kept, number, entry)
    for key, value in kept.items():
        if key[1].startswith((FUSE, ZONE)) and number in {value.get("of"), value.get("turns", {}).get("of")}:
            yield Change(*key, value, None)


def burning_lines(tx: Connection, seen: Look) -> Iterator[str]:
    """Yield the grenades and zones of a fight that its viewer may know of, with when each explodes or ends."""
    called = {item.id: plain(item.name) for item in seen.shown.roster}
    for fuse in burning_in(tx, seen.campaign, seen.fight, seen.viewer).values():
        user = called.get(fuse.of, "somebody who is gone")
        held = f", in the hand of {user}" if fuse.held else ""
        yield f"**{plain(fuse.charge.item)}**{held}: explodes at the end of {user}'s turn in round {fuse.round}"
    for zone in zones_in(tx, seen.viewer, seen.fight).values():
        left, whose = zone.turns["left"], called.get(zone.turns["of"], "another")
        yield f"**{plain(zone.charge.item)}** (zone): until {whose} has had {left} more turn{'' if left == 1 else 's'}"


def _values(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None) -> dict[str, object]:
    kept = state.of_subjects(tx, campaign.id, {fight.header.subject})
    own = {key: value for key, value in kept.items() if key[1].startswith((FUSE, ZONE))}
    known = own if viewer is None else knowledge.values(tx, viewer, own)
    return {name: value for (_, name), value in known.items()}
