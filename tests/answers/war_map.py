"""Answers about moves, rides, fights, captures and supply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from rules.books.total_war import movement, war
from rules.books.total_war.catalog import Refused, Terms
from rules.books.total_war.movement import move_force, reachable_panels, ride_along, starts_fight
from rules.books.total_war.order_kinds import require_own
from rules.books.total_war.war import Force
from rules.geometry import Hex, disc, find_direction, hex_distance
from tests.answers.lines import Answer, BadLine, Count, Question

Kind = Literal["fleet", "squadron", "superweapon", "facility"]


class Round(Question, frozen=True):
    """The disc about 0,0."""

    radius: Annotated[int, Meta(ge=0, le=200)]


Area = Round | tuple[str, ...]


def panel(text: str) -> Hex:
    """Read a panel."""
    try:
        return Hex.parse(text)
    except ValueError as error:
        raise BadLine(str(error)) from None


def by_panel(given: Mapping[str, str]) -> dict[Hex, str]:
    """Return what is written by panels."""
    found = {panel(place): value for place, value in given.items()}
    if len(found) < len(given):
        raise BadLine("a panel is written twice")
    return found


def _panels(area: Area) -> frozenset[Hex]:
    return frozenset(disc(Hex(0, 0), area.radius) if isinstance(area, Round) else map(panel, area))


def _write_panels(places: Iterable[Hex]) -> list[str]:
    return [str(place) for place in places]


def _way(_: Terms, *, from_: str, path: tuple[str, ...]) -> Answer:
    start = panel(from_)
    entered = movement.panels_on_path(start, path)
    end = entered[-1] if entered else start
    return {"panels": _write_panels(entered), "to": str(end), "distance": hex_distance(start, end)}


def _between(_: Terms, *, a: str, b: str) -> Answer:
    far, direction = hex_distance(panel(a), panel(b)), find_direction(panel(a), panel(b))
    straight = direction is not None or far == 0
    return {"distance": far, "straight": straight, "direction": direction, "steps": far if straight else None}


def _around(_: Terms, *, centre: str, radius: Count) -> Answer:
    panel(centre)
    return {"ring": 6 * radius or 1, "disc": 1 + 3 * radius * (radius + 1)}


def _move(
    terms: Terms,
    *,
    map_: Area,
    faction: str = "F",
    owners: Mapping[str, str] = {},
    enemies: tuple[str, ...] = (),
    friends: tuple[str, ...] = (),
    kind: Kind,
    at: str,
    path: tuple[str, ...] | None = None,
    reach: bool = False,
    facilities: Mapping[str, str] = {},
    moved: bool = False,
    tagged: bool = False,
    fought: bool = False,
    actor: str | None = None,
    commander: str | None = None,
) -> Answer:
    if path is not None and reach:
        raise BadLine("write path or reach: true, not both")
    if path is None and not reach:
        raise BadLine("move needs a path, or reach: true")
    if commander is not None:
        require_own(actor, commander)
    force = Force("", kind, faction, panel(at), moved=moved, tagged=tagged, forced=fought)
    here = _land(map_, faction, owners, enemies, friends, by_panel(facilities))
    here.require_panel(force.at)
    if path is None:
        ends = sorted(reachable_panels(terms, force, here))
        return {"count": len(ends), "panels": _write_panels(ends)}
    made = move_force(terms, force, path, here)
    return {
        "at": str(made.at),
        "steps": made.steps,
        "fights": None if made.fights is None else str(made.fights),
        "captured": _write_panels(made.captured),
        "destroyed": _write_panels(made.destroyed),
    }


def _land(  # noqa: PLR0917 - as a line has them
    area: Area,
    faction: str,
    owners: Mapping[str, str],
    enemies: Iterable[str],
    friends: Iterable[str],
    facilities: Mapping[Hex, str],
) -> movement.Land:
    foes, allies = frozenset(map(panel, enemies)), frozenset(map(panel, friends))
    return movement.Land(_panels(area), faction, by_panel(owners), foes, allies, facilities)


def _ride(
    terms: Terms,
    *,
    map_: Area,
    faction: str = "F",
    owners: Mapping[str, str] = {},
    enemies: tuple[str, ...] = (),
    friends: tuple[str, ...] = (),
    fleet: str,
    direction: str,
    steps: Count,
    followers: Mapping[str, str],
    factions: Mapping[str, str] = {},
    moved: tuple[str, ...] = (),
) -> Answer:
    riders = [
        Force(name, "squadron", factions.get(name, faction), panel(at), moved=name in moved)
        for name, at in followers.items()
    ]
    here = _land(map_, faction, owners, enemies, friends, {})
    made, taken = ride_along(terms, panel(fleet), (direction, steps), riders, here)
    squadrons = {name: {"at": str(item.at), "fights": item.fights, "extra": item.extra} for name, item in taken.items()}
    return {
        "fleet": str(made.at),
        "fights": made.fights is not None,
        "squadrons": squadrons,
        "captured": _write_panels(made.captured),
    }


def _meet(
    terms: Terms,
    *,
    mover: Kind,
    target: Literal["fleet", "squadron", "superweapon", "installation", "colony"],  # noqa: ARG001 - all are fought alike
    same_faction: bool = False,
    enters: bool = True,
) -> Answer:
    return {"fight": starts_fight(terms, mover, hostile=not same_faction, enters=enters)}


def _retreat(_: Terms, *, from_: str, map_: Area, occupied: tuple[str, ...] = (), to: str | None = None) -> Answer:
    start, panels, taken = panel(from_), _panels(map_), list(map(panel, occupied))
    free = movement.find_free_beside(start, panels, taken)
    answer = {"panels": _write_panels(free), "count": len(free), "ask": None if free else "game-master"}
    if to is None:
        return answer
    movement.require_retreat(start, panel(to), panels, taken)
    return {**answer, "to": str(panel(to))}


def _capture(
    terms: Terms,
    *,
    at: str,
    winner: str,
    loser: str,
    fleet: bool,
    owners: Mapping[str, str],
    guarded: tuple[str, ...] = (),
    fought: tuple[str, ...] = (),
    facilities: Mapping[str, str] = {},
    founding: bool = False,
    retreat: str | None = None,
    loser_fleet: bool = False,  # noqa: ARG001 - a beaten fleet loses no more than a squadron
) -> Answer:
    before, built, place = by_panel(owners), by_panel(facilities), panel(at)
    victory = movement.Victory(place, winner, loser, fleet, founding)
    if place not in before:
        raise Refused("E_OFF_MAP", f"{place} is off the map.")
    loser_at = None if retreat is None else panel(retreat)
    if loser_at is not None:
        movement.require_retreat(place, loser_at, before, ())
    flipped = movement.find_captured(terms, victory, before, set(map(panel, guarded)), set(map(panel, fought)))
    after = before | dict.fromkeys(flipped, winner)
    return {
        "flipped": _write_panels(flipped),
        "count": len(flipped),
        "owned": sum(owner == winner for owner in after.values()),
        "owners": {str(place): owner for place, owner in after.items()},
        "destroyed": _write_panels(place for place in flipped if place in built),
        "loser_at": None if loser_at is None else str(loser_at),
    }


def _supply(
    _: Terms, *, faction: str, sources: tuple[str, ...], owners: Mapping[str, str], enemies: tuple[str, ...] = ()
) -> Answer:
    held = by_panel(owners)
    for place in enemies:
        panel(place)
    own = {place for place, owner in held.items() if owner == faction}
    joined = war.find_supplied(map(panel, sources), held, faction)
    return {"owned": len(own), "supplied": len(joined), "cut_off": _write_panels(sorted(own - joined))}


OPS: Mapping[str, Any] = {
    "hex": {"from": _way, "a": _between, "centre": _around},
    "move": _move,
    "tagalong": _ride,
    "meet": _meet,
    "retreat": _retreat,
    "capture": _capture,
    "supply": _supply,
}
