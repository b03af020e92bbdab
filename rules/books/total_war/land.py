"""The map as one faction sees it: captures and supply (lines 23, 25, 64 to 84, 93)."""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from rules.books.total_war.catalog import Refused, Terms, refuse_off_map
from rules.geometry import DIRECTIONS, Hex, find_connected, neighbours

NEUTRAL = "N"
"""The owner of panels that no faction owns (line 66)."""
NOBODYS = "neutral garrison"

Owners = Mapping[Hex, str]


def are_enemies(a: str, b: str) -> bool:
    """Check two factions; all are enemies, rogues and neutral garrisons too (line 87, AMB-37)."""
    return a != b


class Land(Struct, frozen=True):
    """A map for one faction; no force enters `fought` (AMB-21) or `reserved` panels."""

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
        """Return a panel's owner."""
        return self.owners.get(panel, NEUTRAL)

    def is_foreign(self, panel: Hex) -> bool:
        """Check whether another faction owns a panel."""
        return self.owner(panel) not in {self.faction, NEUTRAL}

    def require_panel(self, panel: Hex) -> None:
        """Refuse a panel that can't be entered (AMB-02)."""
        if panel in self.blocked:
            raise Refused("E_BLOCKED", f"{panel} can't be entered.")
        if panel not in self.panels:
            raise refuse_off_map(self.panels, panel)

    def require_peace(self, panel: Hex) -> None:
        """Refuse a panel with a battle (AMB-21), or one where a beaten force goes."""
        if panel in self.reserved:
            raise Refused("E_BATTLE_PENDING", f"A beaten force retreats to {panel}: no other force can go there.")
        if panel in self.fought:
            raise Refused("E_BATTLE_PENDING", f"A battle is on at {panel}: no other force can go there.")


def panels_on_path(at: Hex, path: Iterable[str]) -> tuple[Hex, ...]:
    """Return the panels that a path of directions enters."""
    entered: list[Hex] = []
    for direction in path:
        if direction not in DIRECTIONS:
            raise Refused("E_BAD_DIRECTION", f"{direction!r} isn't a direction: write {', '.join(DIRECTIONS)}.")
        entered.append((entered[-1] if entered else at).step(direction))
    return tuple(entered)


def find_free_beside(place: Hex, panels: Iterable[Hex], occupied: Iterable[Hex]) -> tuple[Hex, ...]:
    """Return panels next to `place` that are on the map and not occupied (line 25, AMB-10)."""
    known, taken = set(panels), set(occupied)
    return tuple(panel for panel in neighbours(place) if panel in known and panel not in taken)


def require_retreat(start: Hex, goal: Hex, panels: Iterable[Hex], occupied: Iterable[Hex]) -> None:
    """Refuse a panel where a beaten force can't go (lines 25, 226)."""
    if goal not in neighbours(start):
        raise Refused("E_NOT_ADJACENT", f"{goal} isn't next to {start}.")
    if goal not in set(panels):
        raise refuse_off_map(panels, goal)
    if goal in set(occupied):
        raise Refused("E_OCCUPIED", f"{goal} is occupied.")


class Victory(Struct, frozen=True):
    """A won fight; a fleet or a founder captures more (line 93)."""

    at: Hex
    winner: str
    loser: str
    fleet: bool = False
    founding: bool = False


def find_captured(
    terms: Terms, won: Victory, owners: Owners, guarded: Collection[Hex], fought: Collection[Hex] = ()
) -> tuple[Hex, ...]:
    """Return the panels a victory captures; `guarded` ones need a separate fight, except for founders (AMB-17, 31)."""
    spared = {*guarded} if terms.setting("guarded-adjacent", bool) else set[Hex]()
    around = [panel for panel in neighbours(won.at) if panel in owners and panel not in fought]
    if won.founding:
        gained = around
    elif won.fleet:
        gained = [panel for panel in around if owners[panel] in {NEUTRAL, won.loser} and panel not in spared]
    else:
        gained = []
    return tuple(panel for panel in (won.at, *gained) if owners.get(panel) != won.winner)


def find_supplied(sources: Iterable[Hex], owners: Owners, faction: str) -> set[Hex]:
    """Return a faction's panels joined to a source by their own land (line 80, AMB-23)."""
    return find_connected(sources, {panel for panel, owner in owners.items() if owner == faction}, neighbours)


def list_panels(panels: Iterable[Hex], joined: str = "and") -> str:
    """Join sorted panels; several are in brackets, since each has a comma inside."""
    *most, last = [str(panel) for panel in sorted(panels)]
    return f"{', '.join(f'({panel})' for panel in most)} {joined} ({last})" if most else last
