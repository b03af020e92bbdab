"""The map as one faction sees it, which panels a victory captures, and which are supplied (lines 23, 25, 64 to 84, 93)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from rules.books.total_war.terms import Refused, Terms, refuse_blocked, refuse_off_map
from rules.geometry import DIRECTIONS, Hex, connected, neighbours

NEUTRAL = "N"
"""Whose a panel is that nobody owns (line 66)."""
NOBODYS = "neutral garrison"
"""What the garrison of such a panel is called in a battle."""

Owners = Mapping[Hex, str]
"""Whose panels are; one that is not named is neutral."""


def are_enemies(a: str, b: str) -> bool:
    """Return whether two factions are enemies: all are, rogues among themselves too, and whoever guards nobody's land (line 87, AMB-37)."""
    return a != b


class Land(Struct, frozen=True):
    """The panels of a map, those that cannot be entered (`blocked`), their owners, and where enemies and friends of a faction stand.

    `installed` are the facilities by their panels; to those on which a battle is `fought` nobody comes (AMB-21), nor to
    those that are `reserved` for a beaten force.
    """

    panels: frozenset[Hex]
    faction: str
    owners: Owners = field(default_factory=dict)
    enemies: frozenset[Hex] = frozenset()
    friends: frozenset[Hex] = frozenset()
    installed: Mapping[Hex, str] = field(default_factory=dict)
    blocked: frozenset[Hex] = frozenset()
    fought: frozenset[Hex] = frozenset()
    reserved: frozenset[Hex] = frozenset()

    def owner(self, panel: Hex) -> str:
        """Return whose a panel is."""
        return self.owners.get(panel, NEUTRAL)

    def is_foreign(self, panel: Hex) -> bool:
        """Return whether a panel is the enemy's: neither the faction's own nor neutral."""
        return self.owner(panel) not in {self.faction, NEUTRAL}

    def require_panel(self, panel: Hex) -> None:
        """Refuse a panel that nobody can enter (AMB-02)."""
        if panel in self.blocked:
            raise refuse_blocked(panel)
        if panel not in self.panels:
            raise refuse_off_map(self.panels, panel)

    def require_peace(self, panel: Hex) -> None:
        """Refuse a panel on which a battle is fought: only whoever stood there as it began is in it (AMB-21); or to which a beaten force goes."""
        if panel in self.reserved:
            raise Refused("E_BATTLE_PENDING", f"A beaten force retreats to {panel}: no other force can go there.")
        if panel in self.fought:
            raise Refused("E_BATTLE_PENDING", f"A battle is on at {panel}: no other force can go there.")


def panels_on_path(at: Hex, path: Iterable[str]) -> tuple[Hex, ...]:
    """Return each panel that a path of directions enters from a panel on."""
    entered: list[Hex] = []
    for direction in path:
        if direction not in DIRECTIONS:
            raise Refused("E_BAD_DIRECTION", f"{direction!r} isn't a direction: write {', '.join(DIRECTIONS)}.")
        entered.append((entered[-1] if entered else at).step(direction))
    return tuple(entered)


def find_free_beside(place: Hex, panels: Iterable[Hex], occupied: Iterable[Hex]) -> tuple[Hex, ...]:
    """Return the panels beside one to which a beaten force can go, whoever owns them (line 25, AMB-10)."""
    known, taken = set(panels), set(occupied)
    return tuple(panel for panel in neighbours(place) if panel in known and panel not in taken)


def require_retreat(start: Hex, goal: Hex, panels: Iterable[Hex], occupied: Iterable[Hex]) -> None:
    """Refuse a panel to which a beaten force cannot go (lines 25, 226)."""
    if goal not in neighbours(start):
        raise Refused("E_NOT_ADJACENT", f"{goal} isn't next to {start}.")
    if goal not in set(panels):
        raise refuse_off_map(panels, goal)
    if goal in set(occupied):
        raise Refused("E_OCCUPIED", f"{goal} is occupied.")


class Victory(Struct, frozen=True):
    """A fight that was won on a panel: whether by a fleet, and whether it founds a rogue faction (line 93)."""

    at: Hex
    winner: str
    loser: str
    fleet: bool = False
    founding: bool = False


def captured_panels(
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


def supplied_panels(sources: Iterable[Hex], owners: Owners, faction: str) -> set[Hex]:
    """Return the panels of a faction that a chain of its own panels joins to a source, be enemies there or not (line 80, AMB-23)."""
    return connected(sources, {panel for panel, owner in owners.items() if owner == faction}, neighbours)


def list_panels(panels: Iterable[Hex], joined: str = "and") -> str:
    """Return panels in a row, in order; several are each in brackets, since each has a comma inside."""
    *most, last = [str(panel) for panel in sorted(panels)]
    return f"{', '.join(f'({panel})' for panel in most)} {joined} ({last})" if most else last
