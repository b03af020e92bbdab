"""What a faction sees in fog: its own surroundings, and who owns each panel (AMB-80).

What is hidden doesn't exist in the war that is shown. Orders are checked against that war first, so refusals reveal
nothing.
"""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war.war import Rules, War, WarBattle
from rules.geometry import Hex, neighbours


class Sight(Struct, frozen=True):
    """How much of a war a viewer knows: panels without details, and factions with known gold (None: all)."""

    unseen: frozenset[Hex] = frozenset()
    known: frozenset[str] | None = None


WHOLE = Sight()


def has_fog(rules: Rules) -> bool:
    """Check whether the scenario hides anything; the page doesn't."""
    return rules.scenario.has_fog


def find_unseen(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> set[Hex]:
    """Return the panels of which a faction sees only the owner.

    A lone rogue goes by name, and None sees nothing. `seen` replaces what the faction sees, see `last_seen`.
    """
    if not has_fog(rules):
        return set()
    return {*war.panels} - {*(_list_seen(rules, war, faction) if seen is None else seen)}


def last_seen(rules: Rules, before: War, after: War, faction: str | None) -> set[Hex] | None:
    """Return the panels where an ended faction learns of its end; None while it exists."""
    if faction not in before.factions.keys() - after.factions.keys():
        return None
    own = (item.name for item in before.forces.values() if item.faction == faction)
    stand = {after.forces[name].at for name in own if name in after.forces}
    return (_list_seen(rules, before, faction) | stand) & after.panels.keys()


def sight_of(rules: Rules, war: War, faction: str | None) -> Sight:
    """Return how much a faction, or an onlooker (None), knows of a war."""
    if not has_fog(rules):
        return WHOLE
    return Sight(frozenset(find_unseen(rules, war, faction)), frozenset([faction] if faction else []))


def knows(rules: Rules, viewer: str | None, faction: str) -> bool:
    """Check whether a viewer knows a faction's gold, pool, models and ranks."""
    return not has_fog(rules) or viewer == faction


def mask_war(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> War:
    """Return the war as a faction, a lone rogue (by name) or an onlooker (None) sees it.

    Others have no gold, and their ranks are `UNKNOWN`. All rules work on this war. `seen` replaces the panels in
    sight, see `last_seen`. New units get the next number in sight, which reveals no total.
    """
    if not has_fog(rules):
        return war
    seen = _list_seen(rules, war, faction) if seen is None else seen
    forces = (item for item in war.forces.values() if item.at in seen)
    shown = replace(
        war,
        panels={
            at: panel if at in seen else replace(panel, facility=None, garrison=()) for at, panel in war.panels.items()
        },
        factions={name: side if name == faction else side.public_view for name, side in war.factions.items()},
        forces={item.name: item if item.faction == faction else replace(item, follows=None) for item in forces},
        players={
            name: player if faction is not None and faction == (player.faction or name) else player.mask(faction)
            for name, player in war.players.items()
        },
        battles={at: _mask_battle(war, battle, faction, seen) for at, battle in war.battles.items() if at in seen},
        works=tuple(item for item in war.works if item.faction == faction or item.at in seen),
        answers={name: answer for name, answer in war.answers.items() if name == faction},
    )
    return replace(shown, units=max((int(unit.id[1:]) for unit in shown.every_unit()), default=0), numbered="")


def _list_seen(rules: Rules, war: War, faction: str | None) -> set[Hex]:
    """Return panels near own panels and forces, and battles of the own side."""
    if faction is None:
        return set()
    near = {at for at, panel in war.panels.items() if panel.owner == faction}
    near |= {item.at for item in war.forces.values() if item.faction == faction}
    edge = near
    for _ in range(rules.scenario.sight):  # over the edge of the map too
        edge = {beside for place in edge for beside in neighbours(place)} - near
        near |= edge
    fights = {at for at, battle in war.battles.items() if _takes_part(war, battle, faction)}
    return (near | fights) & war.panels.keys()


def _takes_part(war: War, battle: WarBattle, faction: str) -> bool:
    sides = {battle.attacker, battle.defender}
    return faction in sides or any(war.forces[name].faction == faction for name in battle.forces)


def _mask_battle(war: War, battle: WarBattle, faction: str | None, seen: Collection[Hex]) -> WarBattle:
    if faction is not None and _takes_part(war, battle, faction):
        return battle
    return replace(battle, retreats={name: to for name, to in battle.retreats.items() if to in seen})
