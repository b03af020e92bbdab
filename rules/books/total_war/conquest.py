"""Whose panels become after a fight, and which of them are supplied (lines 23, 25, 64 to 84, 93)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from rules.books.total_war.land import NEUTRAL, Owners
from rules.books.total_war.terms import Terms
from rules.geometry.hexes import Hex, neighbours
from rules.geometry.paths import connected


class Victory(Struct, frozen=True):
    """A fight that was won on a panel: whether by a fleet, and whether it founds a rogue faction (line 93)."""

    at: Hex
    winner: str
    loser: str
    fleet: bool = False
    founding: bool = False


def captured(
    terms: Terms, won: Victory, owners: Owners, guarded: Collection[Hex], fought: Collection[Hex] = ()
) -> tuple[Hex, ...]:
    """Return the panels that become the winner's: that of the fight, and those around it by a fleet or for a founder.

    `owners` has every panel that there is, `guarded` those with an enemy's force or garrison, and capitols: by the switch
    they need a fight of their own (AMB-17), but all six around are a founder's (AMB-31). Those that are being `fought` for
    are the winner's of that battle (line 25).
    """
    spared = {*guarded} if terms.setting("guarded-adjacent", bool) else set[Hex]()
    around = [panel for panel in neighbours(won.at) if panel in owners and panel not in fought]
    if won.founding:
        gained = around
    elif won.fleet:
        gained = [panel for panel in around if owners[panel] in {NEUTRAL, won.loser} and panel not in spared]
    else:
        gained = []
    return tuple(panel for panel in (won.at, *gained) if owners.get(panel) != won.winner)


def supplied(sources: Iterable[Hex], owners: Owners, faction: str) -> set[Hex]:
    """Return the panels of a faction that a chain of its own panels joins to a source, be enemies there or not (line 80, AMB-23)."""
    return connected(sources, {panel for panel, owner in owners.items() if owner == faction}, neighbours)
