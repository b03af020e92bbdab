"""Orders to move and to ride along with a fleet (lines 17 to 44)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product

from msgspec.structs import replace

from rules.books.total_war import battles, course, movement, order_kinds
from rules.books.total_war.catalog import Item, Piece, Refused, refuse_off_map
from rules.books.total_war.order_kinds import OrderText, WarOrder, require_own
from rules.books.total_war.war import Force, Rules, War, WarAction, are_enemies
from rules.geometry import DIRECTIONS, Hex, find_direction, hex_distance, neighbours
from rules.phrases import format_count, join_words, lower_first, possessive

_PAIR = re.compile(r"[+-]?[0-9]{1,4}\s*,\s*[+-]?[0-9]{1,4}")
_BETWEEN = re.compile(r"[\s>;→-]*")
_SIGNS = re.compile(r"[\s,>;→-]+")
_LONGEST = 40


class MoveForce(WarAction, frozen=True, tag="move"):
    """A force moves along a path; `followers` ride along besides those with a pledge."""

    who: str
    path: tuple[str, ...]
    followers: tuple[str, ...] = ()

    def apply(self, rules: Rules, war: War) -> War:
        """Move, take panels, remove superweapons, and open battles."""
        force = war.force(self.who)
        riders = [war.force(each) for each in self.followers]
        riders += [item for item in list_pledged(war, force) if item not in riders]
        require_own(self.actor, force.commander, war.describe_commander(force))
        if riders:
            return _ride(rules, war, force, riders, self.path)
        war.require_free(force)
        land = movement.land_of(rules, war, force.faction)
        land = replace(land, friends=land.friends - {force.at})  # it may return to its own panel
        move = movement.move_force(rules.terms, force, self.path, land)
        war = course.take_panels(rules, war, move.captured, force.faction)
        war = war.with_forces(replace(force, at=move.at, moved=True))
        return _arrive(rules, war, force.faction, [move.at], [move.fights])


class Follow(WarAction, frozen=True):
    """A squadron rides along with a fleet that moves this turn, then goes on to `after` (AMB-16)."""

    who: str
    fleet: str
    after: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Record the pledge for this turn (line 32)."""
        force, fleet = war.force(self.who), war.force(self.fleet)
        require_own(self.actor, force.commander, war.describe_commander(force))
        war.require_free(force)
        _require_follow(rules, fleet, [force])
        if force.moved or force.tagged:
            raise Refused("E_ALREADY_MOVED", f"{force.name} has already moved this turn.")
        movement.require_beside(force, fleet.at, fleet.faction)
        war.require_free(fleet)
        if fleet.moved:
            what = f"{fleet.name} has already moved this turn, so no squadron can ride along."
            raise Refused("E_ALREADY_MOVED", what)
        most, others = rules.terms.number("followers"), [item for item in list_pledged(war, fleet) if item != force]
        if len(others) >= most:
            what = f"{len(others)} squadrons already follow {fleet.name}, the most allowed is {most}."
            raise Refused("E_TAG_LIMIT", what)
        return war.with_forces(replace(force, follows=fleet.name))


def list_pledged(war: War, fleet: Force) -> list[Force]:
    """List squadrons that pledged to follow a fleet and still can."""
    fighting = {name for battle in war.battles.values() for name in battle.forces}
    return [
        item
        for item in war.forces.values()
        if item.follows == fleet.name
        and item.faction == fleet.faction
        and not (item.moved or item.tagged)
        and item.name not in fighting
        and hex_distance(item.at, fleet.at) == 1
    ]


def _ride_of(
    rules: Rules, war: War, fleet: Force, riders: Sequence[Force], path: Sequence[str]
) -> tuple[movement.MoveResult, dict[str, movement.Follower]]:
    for force in (fleet, *riders):
        war.require_free(force)
    _require_follow(rules, fleet, riders)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has already moved this turn.")
    if len({*path}) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A fleet moves in one direction. {', '.join(path)} turns.")
    way = (path[0] if path else "N", len(path))
    return movement.ride_along(rules.terms, fleet.at, way, riders, movement.land_of(rules, war, fleet.faction))


def _require_follow(rules: Rules, fleet: Force, riders: Iterable[Force]) -> None:
    if not rules.terms.of(Piece, fleet.kind).takes_passing:
        raise Refused("E_NOT_ALLIED", f"{fleet.name} isn't a fleet, so no squadron can ride along.")
    for item in riders:
        if not rules.terms.of(Piece, item.kind).follows:
            raise Refused("E_NOT_ALLIED", f"{item.name} isn't a squadron, so it can't ride along.", who=item.name)


def _ride(rules: Rules, war: War, fleet: Force, riders: Sequence[Force], path: Sequence[str]) -> War:
    made, ends = _ride_of(rules, war, fleet, riders, path)
    war = course.take_panels(rules, war, made.captured, fleet.faction)
    shifted = [replace(item, at=ends[item.name].at, tagged=True, forced=ends[item.name].fights) for item in riders]
    war = war.with_forces(replace(fleet, at=made.at, moved=True), *shifted)
    fought = [made.fights, *(item.at for item in shifted if item.forced)]
    return _arrive(rules, war, fleet.faction, [made.at, *(item.at for item in shifted)], fought)


def _arrive(rules: Rules, war: War, faction: str, ends: Iterable[Hex], fought: Collection[Hex | None]) -> War:
    war = course.remove_superweapons(war, [at for at in ends if at not in fought], faction)
    war = course.dissolve_rogues(rules, war)
    for panel in fought:
        if panel is not None:
            war = battles.open_battle(rules, war, panel, faction)
    return war


def find_reachable(rules: Rules, war: War, force: Force) -> set[Hex]:
    """Return where a move can end now, with pledged squadrons; empty for a force that can't move."""
    try:
        war.require_free(force)
        ends = movement.reachable_panels(rules.terms, force, movement.land_of(rules, war, force.faction))
    except Refused:
        return set()
    return {end for end in ends if _carries(rules, war, force, end)} if list_pledged(war, force) else ends


def _carries(rules: Rules, war: War, fleet: Force, end: Hex) -> bool:
    path = (find_direction(fleet.at, end) or "N",) * hex_distance(fleet.at, end)
    try:
        _ride_of(rules, war, fleet, list_pledged(war, fleet), path)
    except Refused:
        return False
    return True


def parse_route(rules: Rules, war: War, who: str, text: str) -> tuple[str, ...]:
    """Read a path of directions or panels, or find the way to a single panel."""
    force, text = war.force(who), text.replace("\N{MINUS SIGN}", "-")
    words = [word for word in _SIGNS.split(text.upper()) if word]
    if words and all(word in DIRECTIONS for word in words) and len(words) <= _LONGEST:
        return tuple(words)
    panels = _panels(text)
    other = order_kinds.find_name([*war.forces], text)
    if not panels and other is not None:
        foe = war.forces[other]
        hostile = are_enemies(foe.faction, force.faction)
        movement.starts_fight(rules.terms, force.kind, hostile=hostile, enters=False, where=str(foe.at))
        raise Refused("E_NO_TARGET", f"{other} is on {foe.at}. Write the panel where {force.name} should go.")
    if not panels:
        raise _no_way(text)
    if len(panels) == 1:
        return _way_to(rules, war, force, panels[0])
    if panels[0] == force.at:
        panels = panels[1:]
    return tuple(_step(before, after) for before, after in pairwise((force.at, *panels)))


def _panels(text: str) -> list[Hex]:
    found = _PAIR.findall(text)
    rest = _PAIR.sub("", text)
    if not found or len(found) > _LONGEST or _BETWEEN.fullmatch(rest) is None:
        return []
    return [Hex.parse(each) for each in found]


def _no_way(text: str) -> Refused:
    words = [word for word in _SIGNS.split(text.upper()) if word]
    wrong = next((word for word in words if word not in DIRECTIONS), None)
    if wrong is not None and any(word in DIRECTIONS for word in words):
        *before, last = DIRECTIONS
        ways = f"Use {', '.join(before)} or {last}, such as NW N. Or give the last panel, such as 4,-1."
        return Refused("E_BAD_DIRECTION", f"{wrong[:60]!r} in {text.strip()[:60]!r} isn't a direction. {ways}")
    ways = "where it ends (4,-1), each panel (1,0 > 2,0) or directions (NW N)"
    return Refused("E_NO_TARGET", f"{text.strip()[:60]!r} isn't a path. Write {ways}.")


def _step(before: Hex, after: Hex) -> str:
    way = find_direction(before, after)
    if way is None or before.step(way) != after:
        what = f"{after} isn't next to {before}. Write every panel of the path, or only the last."
        raise Refused("E_NOT_ADJACENT", what)
    return way


def _way_to(rules: Rules, war: War, force: Force, goal: Hex) -> tuple[str, ...]:
    if goal == force.at:
        raise Refused("E_NO_MOVE", f"{force.name} is already on {goal}.")
    if goal not in war.panels and goal not in rules.scenario.blocked:
        raise refuse_off_map(war.panels, goal)
    piece, apart = rules.terms.of(Piece, force.kind), hex_distance(force.at, goal)
    most = rules.terms.number("after-riding") if force.tagged else piece.most
    if most == 0:
        raise Refused("E_STATIONARY", f"{force.name} can't be moved.")
    if apart > most:
        raise Refused("E_TOO_FAR", f"{goal} is {apart} panels from {force.at}. {force.name} can move {most}.")
    straight = find_direction(force.at, goal)
    if piece.straight:
        if straight is None:
            words = f"{goal} isn't in a straight line from {force.at}. A {piece.label.lower()} moves in one direction."
            raise Refused("E_NOT_STRAIGHT", words)
        return (straight,) * apart
    land = movement.land_of(rules, war, force.faction)
    land = replace(land, friends=land.friends - {force.at})
    return _best(rules, force, goal, land, most)


def _best(rules: Rules, force: Force, goal: Hex, land: movement.Land, most: int) -> tuple[str, ...]:
    ways = [
        way
        for steps in range(hex_distance(force.at, goal), most + 1)
        for way in product(DIRECTIONS, repeat=steps)
        if movement.panels_on_path(force.at, way)[-1] == goal
    ]
    tried = [(way, _try_way(rules, force, way, land)) for way in ways]
    there = [way for way, end in tried if end is not None and end.at == goal]
    peace = replace(land, enemies=frozenset())
    stopped = [way for way, end in tried if end is not None and _try_way(rules, force, way, peace) is not None]
    refused = [way for way, end in tried if end is None]
    if not (there or stopped or refused):
        movement.move_force(rules.terms, force, ways[0], peace)
    return next(iter((*there, *stopped, *refused)))


def _try_way(rules: Rules, force: Force, way: Sequence[str], land: movement.Land) -> movement.MoveResult | None:
    try:
        return movement.move_force(rules.terms, force, way, land)
    except Refused:
        return None


def _read_move(rules: Rules, war: War, text: OrderText) -> MoveForce:
    who = text.force(war)
    way = parse_route(rules, war, who, order_kinds.require_text(text.to, "where it goes, such as 4,-1"))
    return MoveForce(actor=text.actor, who=who, path=way)


def _read_follow(_rules: Rules, war: War, text: OrderText) -> Follow:
    who, fleet = text.force(war), order_kinds.read_name(war.forces, text.to, "a force")
    after = None if not order_kinds.is_said(text.besides) else order_kinds.parse_panel(war.panels, text.besides or "")
    return Follow(actor=text.actor, who=who, fleet=fleet, after=after)


def read_movement(rules: Rules, war: War, text: OrderText) -> MoveForce | Follow:
    """Read an order to move or follow."""
    return (_read_follow if text.kind == order_kinds.FOLLOW else _read_move)(rules, war, text)


def _list_ends(rules: Rules, war: War, who: str) -> Iterator[str]:
    force = war.forces.get(who)
    yield from () if force is None else map(str, sorted(find_reachable(rules, war, force)))


def _may_move(rules: Rules, war: War, who: str) -> bool:
    force = war.forces.get(who)
    if force is None:
        return False
    piece = rules.terms.of(Piece, force.kind)
    free = not (force.moved or force.forced) and force.at not in war.battles
    if free and piece.attacks and not list_pledged(war, force):
        occupied = {item.at for item in war.forces.values() if item.faction == force.faction}
        if any(at in war.panels and at not in occupied for at in neighbours(force.at)):
            return True
    return free and next(_list_ends(rules, war, who), None) is not None


def _list_fleets(rules: Rules, war: War, who: str) -> Iterator[str]:
    force = war.forces.get(who)
    if force is None or not rules.terms.of(Piece, force.kind).follows:
        return
    for fleet in war.forces.values():
        near = hex_distance(fleet.at, force.at) == 1 and fleet.faction == force.faction
        if near and Follow(who=who, fleet=fleet.name).is_possible(rules, war):
            yield fleet.name


def _panels_after(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    force, fleet = war.forces.get(who), war.forces.get(to)
    if force is None or fleet is None:
        return
    ends = {force.at.shift(fleet.at, end) for end in find_reachable(rules, war, fleet)}
    after = {panel for end in ends for panel in neighbours(end)} & war.panels.keys()
    yield from map(str, sorted(after - rules.scenario.blocked))


def _commander(war: War, who: str) -> tuple[str | None]:
    return (war.forces[who].commander,)


ORDERS = (
    WarOrder("move", "Move", "force", "{force} moves to {to}", _read_move, _commander, _list_ends, may=_may_move),
    WarOrder("follow", "Ride along", "squadron", "{squadron} follows {to}", _read_follow, _commander, _list_fleets, _panels_after),
)  # fmt: skip


MOST = 6


def describe_reach(rules: Rules, war: War, force: Force, hidden: Collection[Hex] = ()) -> Iterator[str]:
    """Describe where a force can go, fight and take something, as a viewer sees it."""
    ends = sorted(find_reachable(rules, war, force))
    if not ends:
        return
    piece, most = rules.terms.of(Piece, force.kind), movement.most_steps(rules.terms, force)
    way = " in one direction" if piece.straight and most > 1 else ""
    yield f"{force.name} on {force.at} can move {format_count(most, 'panels')}{way} ({format_count(len(ends), 'panels')} in reach)."
    land = movement.land_of(rules, war, force.faction)
    fights = {end: _list_foes(war, force, end) for end in ends if end in land.enemies}
    if fights:
        yield f"Moving there starts a battle: {_list_panels(fights)}."
    taken = {
        end: note
        for end in ends
        if end not in fights
        and land.owner(end) != force.faction
        and (
            piece.takes_passing or end in hidden or movement.takes_site(piece, end, land)
        )  # squadrons take nothing else (line 84)
        and (note := _describe_panel(rules, war, end))
    }
    side = war.factions.get(force.faction)
    whose = "yours" if side is None else possessive(side.name)
    for what, known in (("Undefended", True), ("Out of sight", False)):
        notes = {end: note for end, note in taken.items() if (end not in hidden) is known}
        if notes:
            yield f"{what} and not {whose}: {_list_panels(notes)}."


def _list_foes(war: War, force: Force, at: Hex) -> str:
    others = [item for item in war.forces.values() if item.at == at and item.faction != force.faction]
    names = [item.name for item in others if item.units]
    guards = len(war.panels[at].garrison)
    return join_words([*names, *([f"a garrison of {guards}"] if guards else [])] or ["its defenders"])


def _describe_panel(rules: Rules, war: War, at: Hex) -> str:
    panel, kind = war.panels[at], rules.kind(war.panels[at])
    built = rules.terms.book.entries_of(Item).get(panel.facility or "")
    facility = [] if panel.facility is None else [lower_first(built.label) if built else panel.facility]
    bonus = [f"+{panel.bonus} gold"] if panel.bonus else []
    weapons = [item.name for item in war.forces.values() if item.at == at and not item.units]
    label = [lower_first(kind.label)] if kind.drawn else []
    return ", ".join([*label, *bonus, *facility, *weapons])


def _list_panels(notes: Mapping[Hex, str]) -> str:
    shown = [f"{at} ({note})" for at, note in notes.items()][:MOST]
    more = len(notes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
