"""Moves on the strategy map: one order for each force and turn (lines 17 to 44), and what a fleet takes on its way (line 64)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war.catalog import Piece
from rules.books.total_war.land import Land, panels_on_path
from rules.books.total_war.terms import Refused, Terms
from rules.books.total_war.war import Force
from rules.geometry import DIRECTIONS, Hex, hex_distance, neighbours, reach
from rules.phrases import counted


class MoveResult(Struct, frozen=True):
    """Where an order ends after how many steps; the panel of the fight that ends it; the panels taken on the way, and those of them that lose a facility."""

    at: Hex
    steps: int
    fights: Hex | None
    captured: tuple[Hex, ...]
    destroyed: tuple[Hex, ...]


class Follower(Struct, frozen=True):
    """A squadron that has ridden along: its panel, whether it has to fight there, and how many panels it has left."""

    at: Hex
    fights: bool
    extra: int


def most_steps(terms: Terms, force: Force) -> int:
    """Return how many panels a force may still move in this turn."""
    piece = terms.of(Piece, force.kind)
    if piece.most == 0:
        raise Refused("E_STATIONARY", f"A {piece.label.lower()} can't be moved.")
    if force.moved or force.forced:
        raise Refused("E_ALREADY_MOVED", f"That {piece.label.lower()} has already moved this turn.")
    return terms.number("after-riding") if force.tagged else piece.most


def move_force(terms: Terms, force: Force, path: Sequence[str], land: Land) -> MoveResult:
    """Return what an order along a path of directions comes to; it ends where an enemy stands (AMB-08)."""
    piece, most = terms.of(Piece, force.kind), most_steps(terms, force)
    entered = panels_on_path(force.at, path)
    _require_way(piece, path, most)
    for panel in (*(panel for panel in entered if panel in land.blocked), *entered):
        land.require_panel(panel)
    made = entered[: _until_fight(terms, force.kind, entered, land)]
    _require_end(terms, made, land)
    return _make_result(piece, made, land)


def reachable_panels(terms: Terms, force: Force, land: Land) -> set[Hex]:
    """Return every other panel on which one order can end."""
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
    """Return where a fleet on a panel, which moves so many panels in a direction, and the squadrons that ride along end, all shifted alike (lines 32 to 44).

    They move as one body, so that a follower's old panel is free for the others (AMB-15).
    """
    most, (direction, steps) = terms.number("followers"), path
    if len(riders) > most:
        raise Refused("E_TAG_LIMIT", f"{len(riders)} squadrons: only {most} can ride along with a fleet.", who=None)
    cleared = replace(land, friends=land.friends - {at, *(rider.at for rider in riders)})
    fleet = Force("", "fleet", land.faction, at)
    with _name_in_refusal(None):
        land.require_panel(at)
        _require_near(terms.of(Piece, fleet.kind), steps, most_steps(terms, fleet))
        made = move_force(terms, fleet, [direction] * steps, cleared)
    taken: dict[str, Follower] = {}
    for rider in riders:
        with _name_in_refusal(rider.name):
            land.require_panel(rider.at)
            require_beside(rider, at, land.faction)
            _require_apart(terms, rider, riders)
            taken[rider.name] = _shift_rider(terms, rider.at.shifted(at, made.at), cleared)
    return made, taken


def require_beside(rider: Force, fleet: Hex, own: str) -> None:
    """Refuse a squadron that does not ride along: not beside the fleet, of others, or moved (lines 32, 34)."""
    if hex_distance(fleet, rider.at) != 1:
        raise Refused("E_NOT_ADJACENT", f"{rider.name} on {rider.at} isn't next to the fleet on {fleet}.")
    if rider.faction != own:
        raise Refused("E_NOT_ALLIED", f"{rider.name} and the fleet on {fleet} are in different factions.")
    if rider.moved or rider.tagged:
        raise Refused("E_ALREADY_MOVED", f"{rider.name} has already moved this turn.")


def starts_fight(terms: Terms, mover: str, *, hostile: bool, enters: bool = True, where: str = "that panel") -> bool:
    """Return whether a fight begins where a piece comes upon another, on a panel called `where` (line 25)."""
    if not hostile:
        return False
    piece = terms.of(Piece, mover)
    if not piece.attacks:
        raise Refused(
            "E_CANNOT_ATTACK", f"A {piece.label.lower()} can't attack, so it can't enter {where}, an enemy's."
        )
    if not enters:
        raise Refused("E_MUST_ENTER", f"To attack, move onto {where}.")
    return True


def _require_way(piece: Piece, path: Sequence[str], most: int) -> None:
    if not path:
        raise Refused("E_NO_MOVE", "That isn't a move.")
    _require_near(piece, len(path), most)
    if piece.straight and len(set(path)) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A {piece.label.lower()} moves in one direction. {', '.join(path)} turns.")


def _require_near(piece: Piece, steps: int, most: int) -> None:
    if steps > most:
        raise Refused(
            "E_TOO_FAR", f"{counted(steps, 'panels')} is too far: this {piece.label.lower()} can move {most}."
        )


def _until_fight(terms: Terms, kind: str, entered: Sequence[Hex], land: Land) -> int:
    """Return after how many of the panels an order ends: where a fight begins, or with the last."""
    attacks = terms.of(Piece, kind).attacks  # land that nobody defends stops only who cannot attack
    for steps, panel in enumerate(entered, 1):
        met = panel in land.enemies if attacks else _is_enemys(panel, land)
        if starts_fight(terms, kind, hostile=met, where=str(panel)):
            return steps
    return len(entered)


def _require_end(terms: Terms, made: Sequence[Hex], land: Land) -> None:
    if terms.setting("stacking", int) and made[-1] in land.friends:
        raise Refused("E_OCCUPIED", f"Your own force is on {made[-1]}: pass it or stop before it.")
    land.require_peace(made[-1])


def _is_enemys(panel: Hex, land: Land) -> bool:
    """Return whether a panel is one that a piece without an attack cannot enter (AMB-09)."""
    return panel in land.enemies or land.is_foreign(panel)


def _make_result(piece: Piece, made: Sequence[Hex], land: Land) -> MoveResult:
    """Return an order as made, with what it takes: each panel a fleet enters, or the installation on which a squadron ends (AMB-20)."""
    fight = made[-1] if made[-1] in land.enemies else None
    entered = made[:-1] if fight else made
    taken = (
        [panel for panel in dict.fromkeys(entered) if land.owner(panel) != land.faction] if piece.takes_passing else []
    )
    if fight is None and takes_site(piece, made[-1], land):
        taken = [made[-1]]
    return MoveResult(
        made[-1], len(made), fight, tuple(taken), tuple(panel for panel in taken if panel in land.installed)
    )


def takes_site(piece: Piece, at: Hex, land: Land) -> bool:
    """Return whether an installation on a panel is taken by a piece that ends its move there, as nobody defends it (AMB-20)."""
    undefended = at in land.installed and at not in land.enemies
    return piece.takes_ending and undefended and land.owner(at) != land.faction


def _ends_along(at: Hex, way: str, most: int, open_: Collection[Hex], land: Land) -> list[Hex]:
    """Return the panels along one direction, as far as the way is open and no fight ends it."""
    ends: list[Hex] = []
    for steps in range(1, most + 1):
        panel = at.step(way, steps)
        if panel not in open_:
            break
        ends.append(panel)
        if panel in land.enemies:
            break
    return ends


@contextmanager
def _name_in_refusal(name: str | None) -> Iterator[None]:
    """Say of a refusal whom it is about."""
    try:
        yield
    except Refused as refusal:
        refusal.told = {**refusal.told, "who": name}
        raise


def _require_apart(terms: Terms, rider: Force, riders: Sequence[Force]) -> None:
    """Refuse a follower that stands where one before it does, since both would end on one panel (AMB-06)."""
    first = next(other for other in riders if other.at == rider.at)
    if terms.setting("stacking", int) and first is not rider:
        raise Refused(
            "E_OCCUPIED",
            f"{rider.name} and {first.name} are both on {rider.at}: a panel has room for 1 force of a side.",
        )


def _shift_rider(terms: Terms, panel: Hex, land: Land) -> Follower:
    """Return a follower where the fleet has taken it; an enemy there makes it fight and leaves it no more panels (line 44)."""
    land.require_panel(panel)
    if terms.setting("stacking", int) and panel in land.friends:
        raise Refused("E_OCCUPIED", f"Your own force is on {panel}, where it would end.")
    land.require_peace(panel)
    if panel in land.enemies:
        return Follower(panel, fights=True, extra=0)
    return Follower(panel, fights=False, extra=terms.number("after-riding"))
