"""Panels that change hands in a war: what stands there is lost, rogue factions end, a captured capitol may end the war."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.rogues import capitol_taken, exists, left_to
from rules.books.total_war.war import Rules, War, is_lone
from rules.geometry.hexes import Hex

MASTERLESS = "on its own"
"""What is said of a force that no faction and no lone rogue has any more."""


def taken(rules: Rules, war: War, panels: Iterable[Hex], faction: str) -> War:
    """Return the war after panels have become a faction's: facilities, garrisons and superweapons there are lost (lines 23, AMB-09).

    What a lone rogue takes stays as it is, or becomes neutral by the switch (AMB-33).
    """
    if is_lone(war, faction):
        faction = NEUTRAL
        panels = [at for at in panels if left_to(rules.terms, war.panels[at].owner) == faction]
    flipped = [at for at in panels if war.panels[at].owner != faction]
    for at in flipped:
        war = war.with_panel(at, owner=faction, facility=None, garrison=())
    war = swept(war, flipped, faction)
    war = replace(war, works=tuple(item for item in war.works if item.at not in flipped))
    return _capitols(war, rules, flipped, faction) if flipped else war


def swept(war: War, panels: Iterable[Hex], faction: str) -> War:
    """Return the war without others' superweapons on panels that a faction's forces have come to (AMB-09)."""
    come = {*panels}
    unarmed = (item for item in war.forces.values() if item.at in come and not item.units and item.faction != faction)
    return war.without_forces(item.name for item in unarmed)


def settled(rules: Rules, war: War) -> War:
    """Return the war without rogue factions that hold no stronghold any more (line 97, AMB-35); a battle of theirs, or on their land, comes first."""
    fighting = {side for battle in war.battles.values() for side in (battle.attacker, battle.defender)}
    fighting |= {war.forces[name].faction for battle in war.battles.values() for name in battle.forces}
    fighting |= {war.panels[at].owner for at in war.battles}
    for name, side in war.factions.items():
        if side.rogue and name not in fighting and not exists(_strongholds(rules, war, name)):
            war = _dissolved(war, name)
    return war


def _strongholds(rules: Rules, war: War, faction: str) -> int:
    return sum(rules.kind(panel).stronghold for panel in war.panels.values() if panel.owner == faction)


def _dissolved(war: War, faction: str) -> War:
    """Return the war without a faction: its land is neutral, its gold lost, its forces are lone rogues under their commanders.

    Whoever has asked it to be taken in has asked nobody: another one may be founded by the same id.
    One that nobody commands is of nobody else: by a name that no player can have, as that has a comma.
    """
    panels = {
        at: replace(panel, owner=NEUTRAL, facility=None, garrison=()) if panel.owner == faction else panel
        for at, panel in war.panels.items()
    }
    side = war.factions[faction]
    members = {name for name, player in war.players.items() if player.faction == faction}
    forces = {
        item.name: replace(item, faction=item.commander or f"{item.name}, {MASTERLESS}")
        if item.faction == faction
        else item
        for item in war.forces.values()
    }
    players = {
        name: replace(player, faction=None, former=side.origin)
        if name in members
        else replace(player, petition=None if player.petition == faction else player.petition)
        for name, player in war.players.items()
    }
    factions = {name: other for name, other in war.factions.items() if name != faction}
    works = tuple(item for item in war.works if item.faction != faction)
    return replace(war, panels=panels, forces=forces, players=players, factions=factions, works=works)


def _capitols(war: War, rules: Rules, flipped: Iterable[Hex], by: str) -> War:
    """Return the war after capitols were captured: over, or both leaders are asked (line 60)."""
    for name, side in war.factions.items():
        if side.seat in {*flipped} and name != by and war.winner is None:
            outcome = capitol_taken(rules.scenario.victory, name, by, {})
            war = replace(war, winner=outcome.winner)
            if outcome.next is not None:
                war = replace(war, asked=name, answers={})  # what was answered about an earlier capture is past
    return war
