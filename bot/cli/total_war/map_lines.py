"""Lines about the strategy map: hexes, moves, riding along, fights and what they capture, supply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Asked, Forms, Op, Question
from bot.cli.total_war.places import Area, Count, OnLand, by_panel, named, panel, panels_of
from rules.books.total_war.conquest import Victory, captured, supplied
from rules.books.total_war.land import course, free_beside, require_retreat
from rules.books.total_war.moving import Force, Ride, Rider, fights, move, reachable, ride
from rules.books.total_war.ranks import require_own
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms
from rules.geometry.hexes import bearing, distance

GAME_MASTER = "game-master"
PieceName = Literal["fleet", "squadron", "superweapon", "facility"]


class Path(Question, frozen=True, rename={"start": "from"}):
    """A way from a panel, by directions."""

    start: str
    path: tuple[str, ...]


class Pair(Question, frozen=True):
    """Two panels."""

    a: str
    b: str


class Around(Question, frozen=True):
    """A ring and a disc about a panel."""

    centre: str
    radius: Count


class MoveQuestion(OnLand, frozen=True, kw_only=True):
    """A force that is to move along a path, or whose reach is asked for; who orders it and who commands it."""

    kind: PieceName
    at: str
    path: tuple[str, ...] | None = None
    reach: bool = False
    facilities: Mapping[str, str] = {}
    moved: bool = False
    tagged: bool = False
    fought: bool = False
    actor: str | None = None
    commander: str | None = None


class RideQuestion(OnLand, frozen=True, kw_only=True):
    """A fleet's move and the squadrons that ride along."""

    fleet: str
    direction: str
    steps: Count
    followers: Mapping[str, str]
    factions: Mapping[str, str] = {}
    moved: tuple[str, ...] = ()


class Meeting(Question, frozen=True):
    """What comes upon what."""

    mover: PieceName
    target: Literal["fleet", "squadron", "superweapon", "installation", "colony"]
    same_faction: bool = False
    enters: bool = True


class Retreat(Question, frozen=True, rename={"start": "from"}):
    """A beaten force, and where it goes."""

    start: str
    map: Area
    occupied: tuple[str, ...] = ()
    to: str | None = None


class Won(Question, frozen=True):
    """A fight that was won, and every panel there is."""

    at: str
    winner: str
    loser: str
    fleet: bool
    owners: Mapping[str, str]
    guarded: tuple[str, ...] = ()
    fought: tuple[str, ...] = ()
    facilities: Mapping[str, str] = {}
    founding: bool = False
    retreat: str | None = None
    loser_fleet: bool = False


class SupplyQuestion(Question, frozen=True):
    """A faction's sources and the panels of all."""

    faction: str
    sources: tuple[str, ...]
    owners: Mapping[str, str]
    enemies: Annotated[tuple[str, ...], Meta(description="cut nothing (AMB-23)")] = ()


def way(asked: Path, _terms: Terms) -> dict[str, Any]:
    """Return the panels of a way."""
    start = panel(asked.start)
    entered = course(start, asked.path)
    end = entered[-1] if entered else start
    return {"panels": named(entered), "to": str(end), "distance": distance(start, end)}


def between(asked: Pair, _terms: Terms) -> dict[str, Any]:
    """Return how far apart two panels are, and the straight line between them."""
    a, b = panel(asked.a), panel(asked.b)
    far, direction = distance(a, b), bearing(a, b)
    straight = direction is not None or far == 0
    return {"distance": far, "straight": straight, "direction": direction, "steps": far if straight else None}


def counts(asked: Around, _terms: Terms) -> dict[str, Any]:
    """Return how many panels a ring and a disc have."""
    panel(asked.centre)
    most = asked.radius
    return {"ring": 6 * most or 1, "disc": 1 + 3 * most * (most + 1)}


def moved(asked: MoveQuestion, terms: Terms) -> dict[str, Any]:
    """Return what an order comes to."""
    if asked.path is None:
        raise BadLine("move needs a path, or reach: true")
    if asked.commander is not None:
        require_own(asked.actor, asked.commander)
    made = move(terms, _force(asked), asked.path, asked.land(asked.facilities, [panel(asked.at)]))
    return {
        "at": str(made.at),
        "steps": made.steps,
        "fights": None if made.fights is None else str(made.fights),
        "captured": named(made.captured),
        "destroyed": named(made.destroyed),
    }


def reached(asked: MoveQuestion, terms: Terms) -> dict[str, Any]:
    """Return where an order can end, or what one along a path comes to."""
    if not asked.reach:
        return moved(asked, terms)
    if asked.path is not None:
        raise BadLine("write path or reach: true, not both")
    if asked.commander is not None:
        require_own(asked.actor, asked.commander)
    ends = sorted(reachable(terms, _force(asked), asked.land(asked.facilities, [panel(asked.at)])))
    return {"count": len(ends), "panels": named(ends)}


def ridden(asked: RideQuestion, terms: Terms) -> dict[str, Any]:
    """Return where a fleet and its followers end."""
    riders = tuple(
        Rider(name, panel(at), asked.factions.get(name, asked.faction), name in asked.moved)
        for name, at in asked.followers.items()
    )
    made, taken = ride(terms, Ride(panel(asked.fleet), asked.direction, asked.steps, riders), asked.land())
    squadrons = {name: {"at": str(item.at), "fights": item.fights, "extra": item.extra} for name, item in taken.items()}
    return {
        "fleet": str(made.at),
        "fights": made.fights is not None,
        "squadrons": squadrons,
        "captured": named(made.captured),
    }


def met(asked: Meeting, terms: Terms) -> dict[str, Any]:
    """Return whether a fight begins."""
    return {"fight": fights(terms, asked.mover, hostile=not asked.same_faction, enters=asked.enters)}


def retreated(asked: Retreat, _terms: Terms) -> dict[str, Any]:
    """Return where a beaten force can go."""
    start, panels, occupied = panel(asked.start), panels_of(asked.map), list(map(panel, asked.occupied))
    free = free_beside(start, panels, occupied)
    told = {"panels": named(free), "count": len(free), "ask": None if free else GAME_MASTER}
    if asked.to is None:
        return told
    require_retreat(start, panel(asked.to), panels, occupied)
    return {**told, "to": str(panel(asked.to))}


def won(asked: Won, terms: Terms) -> dict[str, Any]:
    """Return what a victory captures."""
    owners, facilities, at = by_panel(asked.owners), by_panel(asked.facilities), panel(asked.at)
    victory = Victory(at, asked.winner, asked.loser, asked.fleet, asked.founding)
    if at not in owners:
        raise Refused("E_OFF_MAP", f"{at} is off the map.")
    loser_at = None if asked.retreat is None else panel(asked.retreat)
    if loser_at is not None:
        require_retreat(at, loser_at, owners, ())
    guarded, fought = (set(map(panel, places)) for places in (asked.guarded, asked.fought))
    flipped = captured(terms, victory, owners, guarded, fought)
    after = owners | dict.fromkeys(flipped, asked.winner)
    return {
        "flipped": named(flipped),
        "count": len(flipped),
        "owned": sum(owner == asked.winner for owner in after.values()),
        "owners": {str(place): owner for place, owner in after.items()},
        "destroyed": named(place for place in flipped if place in facilities),
        "loser_at": None if loser_at is None else str(loser_at),
    }


def supply(asked: SupplyQuestion, _terms: Terms) -> dict[str, Any]:
    """Return which panels of a faction are supplied."""
    owners = by_panel(asked.owners)
    for place in asked.enemies:
        panel(place)
    own = {place for place, owner in owners.items() if owner == asked.faction}
    joined = supplied(map(panel, asked.sources), owners, asked.faction)
    return {"owned": len(own), "supplied": len(joined), "cut_off": named(sorted(own - joined))}


def _force(asked: MoveQuestion) -> Force:
    return Force(asked.kind, panel(asked.at), asked.moved, asked.tagged, asked.fought)


OPS: Mapping[str, Asked] = {
    "hex": Forms({"from": Op(Path, way), "a": Op(Pair, between), "centre": Op(Around, counts)}),
    "move": Op(MoveQuestion, reached),
    "tagalong": Op(RideQuestion, ridden),
    "meet": Op(Meeting, met),
    "retreat": Op(Retreat, retreated),
    "capture": Op(Won, won),
    "supply": Op(SupplyQuestion, supply),
}
