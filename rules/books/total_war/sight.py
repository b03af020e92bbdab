"""What a faction sees of a war where there is fog: pieces near its own panels and forces alone, owners of panels always (AMB-80).

What is not seen is not there in the war that is shown: orders are held against that first, so that no refusal tells of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war.war import Battle, HeldPanel, Player, Rules, Side, War, Works
from rules.geometry import Hex, neighbours

UNKNOWN = "?"
"""What stands for a rank that is not seen."""


class Sight(Struct, frozen=True):
    """How much of a war somebody is told: the panels of which no more than whose they are, and the factions whose gold and income they know (None: all)."""

    unseen: frozenset[Hex] = frozenset()
    known: frozenset[str] | None = None


WHOLE = Sight()
"""Nothing is hidden."""


def has_fog(rules: Rules) -> bool:
    """Return whether anything is hidden at all; the page hides nothing."""
    return rules.scenario.has_fog


def unseen(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> set[Hex]:
    """Return the panels of which a faction sees no more than whose they are; a lone rogue is named as such, None sees nothing.

    What it sees can be given (`seen`), as of one that is no more: `last_seen`.
    """
    return {*war.panels} - {*_given_sight(rules, war, faction, seen)} if has_fog(rules) else set()


def last_seen(rules: Rules, before: War, after: War, faction: str | None) -> set[Hex] | None:
    """Return the panels of which a faction is told how it has ended: those that it saw, and where its forces stand since; None of one that is still there."""
    if faction not in before.factions.keys() - after.factions.keys():
        return None
    own = (item.name for item in before.forces.values() if item.faction == faction)
    stand = {after.forces[name].at for name in own if name in after.forces}
    return (_seen_panels(rules, before, faction) | stand) & after.panels.keys()


def sight_of(rules: Rules, war: War, faction: str | None) -> Sight:
    """Return how much of a war a faction is told, or an onlooker (None)."""
    if not has_fog(rules):
        return WHOLE
    return Sight(frozenset(unseen(rules, war, faction)), frozenset([faction] if faction else []))


def knows(rules: Rules, viewer: str | None, faction: str) -> bool:
    """Return whether a faction's bank, pool, models and ranks are told to another: to itself alone where there is fog."""
    return not has_fog(rules) or viewer == faction


def seen_by(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> War:
    """Return the war as a faction sees it, or a lone rogue by their name, or an onlooker (None); whole where there is no fog.

    Banks of others are empty there, their ranks `UNKNOWN`, as `knows` tells. It is a war in which every rule can be asked.
    Which panels it sees can be given (`seen`), as of one that is no more: `last_seen`.
    """
    if not has_fog(rules):
        return war
    seen = _given_sight(rules, war, faction, seen)
    shown = replace(
        war,
        panels={at: panel if at in seen else _mask_panel(panel) for at, panel in war.panels.items()},
        factions={name: side if name == faction else _mask_side(side) for name, side in war.factions.items()},
        forces={
            item.name: item if item.faction == faction else replace(item, follows=None)
            for item in war.forces.values()
            if item.at in seen
        },
        players={name: _mask_player(name, player, faction) for name, player in war.players.items()},
        battles={at: _mask_battle(war, battle, faction, seen) for at, battle in war.battles.items() if at in seen},
        works=tuple(item for item in war.works if _sees_works(item, faction, seen)),
        answers={name: answer for name, answer in war.answers.items() if name == faction},
    )
    return replace(shown, units=_highest_number(shown), numbered="")


def _given_sight(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None) -> Collection[Hex]:
    return _seen_panels(rules, war, faction) if seen is None else seen


def _seen_panels(rules: Rules, war: War, faction: str | None) -> set[Hex]:
    """Return the panels that a faction sees: those near its own panels and forces, and where a battle of its side is fought."""
    if faction is None:
        return set()
    own = {at for at, panel in war.panels.items() if panel.owner == faction}
    own |= {item.at for item in war.forces.values() if item.faction == faction}
    fights = {at for at, battle in war.battles.items() if _takes_part(war, battle, faction)}
    return (_panels_within(own, rules.scenario.sight) | fights) & war.panels.keys()


def _panels_within(places: Iterable[Hex], most: int) -> set[Hex]:
    """Return the hexes within a distance of any of these, over the edge of the map too."""
    found = {*places}
    edge = found
    for _ in range(most):
        edge = {beside for place in edge for beside in neighbours(place)} - found
        found = found | edge
    return found


def _takes_part(war: War, battle: Battle, faction: str) -> bool:
    sides = {battle.attacker, battle.defender}
    return faction in sides or any(war.forces[name].faction == faction for name in battle.forces)


def _mask_panel(panel: HeldPanel) -> HeldPanel:
    return replace(panel, facility=None, garrison=())


def _mask_side(side: Side) -> Side:
    """Return a faction as others see it: what it is called and who leads it."""
    return replace(side, gold=0, delegate=None, pool={}, models=frozenset(), source=None)


def _mask_player(name: str, player: Player, viewer: str | None) -> Player:
    """Return a player as somebody sees them: their rank only to their own, a wish to be taken in to the faction asked too."""
    if viewer is not None and viewer == (player.faction or name):
        return player
    asks = player.petition if player.petition == viewer else None
    return replace(player, rank=UNKNOWN, petition=asks, owner=None)


def _mask_battle(war: War, battle: Battle, faction: str | None, seen: Collection[Hex]) -> Battle:
    """Return a battle as somebody sees it: whole to those who take part, else without retreats out of sight."""
    if faction is not None and _takes_part(war, battle, faction):
        return battle
    return replace(battle, retreats={name: to for name, to in battle.retreats.items() if to in seen})


def _sees_works(works: Works, faction: str | None, seen: Collection[Hex]) -> bool:
    return works.faction == faction or works.at in seen


def _highest_number(war: War) -> int:
    """Return the highest number that a unit in sight has, so that new ones get other ids, and none tells how many there are."""
    return max((int(unit.id[1:]) for unit in war.every_unit()), default=0)
