"""The map as one faction sees it (lines 23, 25, 64 to 84), and moves on it (lines 17 to 44)."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.catalog import PanelKind, Piece, Refused, Terms, refuse_off_map
from rules.books.total_war.war import NEUTRAL, Force, Owners, Rules, War, are_enemies
from rules.geometry import DIRECTIONS, Hex, hex_distance, neighbours, reach
from rules.phrases import format_count


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
    """Return the panels that a path enters."""
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


def list_panels(panels: Iterable[Hex], joined: str = "and") -> str:
    """Join sorted panels; several are in brackets, since each has a comma inside."""
    *most, last = [str(panel) for panel in sorted(panels)]
    return f"{', '.join(f'({panel})' for panel in most)} {joined} ({last})" if most else last


def land_of(rules: Rules, war: War, faction: str) -> Land:
    """Return the map for a faction; superweapons and empty strongholds aren't enemies (AMB-09, 20)."""
    fighting = [item for item in war.forces.values() if item.units]
    others = {at for at, panel in war.panels.items() if are_enemies(panel.owner, faction)}
    enemies = {item.at for item in fighting if are_enemies(item.faction, faction)}
    enemies |= {at for at in others if war.panels[at].garrison}
    if war.is_lone(faction):  # a founder has to beat a full squadron there (line 91)
        enemies |= {at for at in others if rules.kind(war.panels[at]).stronghold}
    weapons = {item.at: item.kind for item in war.forces.values() if not item.units and item.faction != faction}
    falling = {name for name, kind in rules.terms.book.entries_of(PanelKind).items() if kind.stronghold or kind.seat}
    seats = {at: war.panels[at].kind for at in others if war.panels[at].kind in falling}
    installed = {at: panel.facility for at, panel in war.panels.items() if panel.facility is not None}
    friends = frozenset(item.at for item in war.forces.values() if item.faction == faction)
    panels, sites, fought = frozenset(war.panels), {**seats, **weapons, **installed}, frozenset(war.battles)
    blocked, reserved = rules.scenario.blocked, war.retreat_panels
    return Land(panels, faction, war.owners, frozenset(enemies), friends, sites, blocked, fought, reserved)


class MoveResult(Struct, frozen=True):
    """A move's end, steps, fight, taken panels, and those that lose a facility."""

    at: Hex
    steps: int
    fights: Hex | None
    captured: tuple[Hex, ...]
    destroyed: tuple[Hex, ...]


class Follower(Struct, frozen=True):
    """Where a squadron ends after a ride, whether it fights there, and how many panels it can go on."""

    at: Hex
    fights: bool
    extra: int


def most_steps(terms: Terms, force: Force) -> int:
    """Return how many panels a force can still move this turn."""
    piece = terms.of(Piece, force.kind)
    if piece.most == 0:
        raise Refused("E_STATIONARY", f"A {piece.label.lower()} can't be moved.")
    if force.moved or force.forced:
        raise Refused("E_ALREADY_MOVED", f"That {piece.label.lower()} has already moved this turn.")
    return terms.number("after-riding") if force.tagged else piece.most


def move_force(terms: Terms, force: Force, path: Sequence[str], land: Land) -> MoveResult:
    """Return where a path ends: at its last panel, or at the first enemy (AMB-08)."""
    piece, most = terms.of(Piece, force.kind), most_steps(terms, force)
    entered = panels_on_path(force.at, path)
    if not path:
        raise Refused("E_NO_MOVE", "That isn't a move.")
    _require_near(piece, len(path), most)
    if piece.straight and len(set(path)) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A {piece.label.lower()} moves in one direction. {', '.join(path)} turns.")
    for panel in (*(panel for panel in entered if panel in land.blocked), *entered):
        land.require_panel(panel)
    walked: list[Hex] = []
    for panel in entered:
        walked.append(panel)
        met = panel in land.enemies if piece.attacks else _is_enemys(panel, land)  # empty land stops other pieces only
        if starts_fight(terms, force.kind, hostile=met, where=str(panel)):
            break
    if terms.setting("stacking", int) and walked[-1] in land.friends:
        raise Refused("E_OCCUPIED", f"Your own force is on {walked[-1]}: pass it or stop before it.")
    land.require_peace(walked[-1])
    return _make_result(piece, walked, land)


def reachable_panels(terms: Terms, force: Force, land: Land) -> set[Hex]:
    """Return the panels where one move can end."""
    piece, most = terms.of(Piece, force.kind), most_steps(terms, force)
    closed = {panel for panel in land.panels if not piece.attacks and _is_enemys(panel, land)}
    open_ = land.panels - land.blocked - closed
    if piece.straight:
        ends = {panel for way in DIRECTIONS for panel in _ends_along(force.at, way, most, open_, land)}
    else:
        ends = {*reach(force.at, most, neighbours, dict.fromkeys(open_, 1).get, land.enemies.__contains__)}
    return ends - land.fought - land.reserved - (land.friends if terms.setting("stacking", int) else set()) - {force.at}


def ride_along(
    terms: Terms, at: Hex, path: tuple[str, int], riders: Sequence[Force], land: Land
) -> tuple[MoveResult, dict[str, Follower]]:
    """Return where a fleet and its riders end, shifted as one body (lines 32 to 44, AMB-15)."""
    most, (direction, steps) = terms.number("followers"), path
    if len(riders) > most:
        raise Refused("E_TAG_LIMIT", f"{len(riders)} squadrons: only {most} can ride along with a fleet.", who=None)
    cleared = replace(land, friends=land.friends - {at, *(rider.at for rider in riders)})
    fleet = Force("", "fleet", land.faction, at)
    who, taken = None, dict[str, Follower]()
    try:
        land.require_panel(at)
        _require_near(terms.of(Piece, fleet.kind), steps, most_steps(terms, fleet))
        move = move_force(terms, fleet, [direction] * steps, cleared)
        for rider in riders:
            who = rider.name
            land.require_panel(rider.at)
            require_beside(rider, at, land.faction)
            _require_apart(terms, rider, riders)
            taken[who] = _shift_rider(terms, rider.at.shift(at, move.at), cleared)
    except Refused as refusal:
        refusal.details = {**refusal.details, "who": who}
        raise
    return move, taken


def require_beside(rider: Force, fleet: Hex, own: str) -> None:
    """Refuse riders that aren't next to the fleet, in its faction, and unmoved (lines 32, 34)."""
    if hex_distance(fleet, rider.at) != 1:
        raise Refused("E_NOT_ADJACENT", f"{rider.name} on {rider.at} isn't next to the fleet on {fleet}.")
    if rider.faction != own:
        raise Refused("E_NOT_ALLIED", f"{rider.name} and the fleet on {fleet} are in different factions.")
    if rider.moved or rider.tagged:
        raise Refused("E_ALREADY_MOVED", f"{rider.name} has already moved this turn.")


def starts_fight(terms: Terms, mover: str, *, hostile: bool, enters: bool = True, where: str = "that panel") -> bool:
    """Check whether entering a panel begins a fight (line 25)."""
    if not hostile:
        return False
    piece = terms.of(Piece, mover)
    if not piece.attacks:
        what = f"A {piece.label.lower()} can't attack, so it can't enter {where}, an enemy's."
        raise Refused("E_CANNOT_ATTACK", what)
    if not enters:
        raise Refused("E_MUST_ENTER", f"To attack, move onto {where}.")
    return True


def _require_near(piece: Piece, steps: int, most: int) -> None:
    if steps > most:
        what = f"{format_count(steps, 'panels')} is too far: this {piece.label.lower()} can move {most}."
        raise Refused("E_TOO_FAR", what)


def _is_enemys(panel: Hex, land: Land) -> bool:
    # Check for a panel closed to pieces without an attack (AMB-09).
    return panel in land.enemies or land.is_foreign(panel)


def _make_result(piece: Piece, made: Sequence[Hex], land: Land) -> MoveResult:
    # Return a move with what it takes: panels that a fleet enters, or a squadron's last one (AMB-20).
    fight = made[-1] if made[-1] in land.enemies else None
    entered = dict.fromkeys(made[:-1] if fight else made)
    taken = [panel for panel in entered if piece.takes_passing and land.owner(panel) != land.faction]
    if fight is None and takes_site(piece, made[-1], land):
        taken = [made[-1]]
    destroyed = tuple(panel for panel in taken if panel in land.installed)
    return MoveResult(made[-1], len(made), fight, tuple(taken), destroyed)


def takes_site(piece: Piece, at: Hex, land: Land) -> bool:
    """Check for an undefended installation where a piece ends (AMB-20)."""
    undefended = at in land.installed and at not in land.enemies
    return piece.takes_ending and undefended and land.owner(at) != land.faction


def _ends_along(at: Hex, way: str, most: int, open_: Collection[Hex], land: Land) -> list[Hex]:
    ends: list[Hex] = []
    for steps in range(1, most + 1):
        panel = at.step(way, steps)
        if panel not in open_:
            break
        ends.append(panel)
        if panel in land.enemies:
            break
    return ends


def _require_apart(terms: Terms, rider: Force, riders: Sequence[Force]) -> None:
    # Refuse a rider on another one's panel, since both would end on one (AMB-06).
    first = next(other for other in riders if other.at == rider.at)
    if terms.setting("stacking", int) and first is not rider:
        what = f"{rider.name} and {first.name} are both on {rider.at}: a panel has room for 1 force of a side."
        raise Refused("E_OCCUPIED", what)


def _shift_rider(terms: Terms, panel: Hex, land: Land) -> Follower:
    # Return a rider's end; an enemy there uses up its further move (line 44).
    land.require_panel(panel)
    if terms.setting("stacking", int) and panel in land.friends:
        raise Refused("E_OCCUPIED", f"Your own force is on {panel}, where it would end.")
    land.require_peace(panel)
    if panel in land.enemies:
        return Follower(panel, fights=True, extra=0)
    return Follower(panel, fights=False, extra=terms.number("after-riding"))
