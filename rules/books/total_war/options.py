"""What an order can be given to and with, as a war stands: the choices that are possible now, as people read and type them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rules.books.total_war.catalog import Piece
from rules.books.total_war.colours import COLOURS, is_apart
from rules.books.total_war.deeds import Admit, Allot, Assign, Delegate, Follow, Promote, Rogue
from rules.books.total_war.joining import admitted, allotted, assigned, delegated, gone_rogue, promoted
from rules.books.total_war.moving import reachable
from rules.books.total_war.order_kinds import (
    ALLOT,
    ANSWER,
    ASSIGN,
    BUILD,
    BUY,
    DELEGATE,
    END,
    FOLLOW,
    FOUND,
    GARRISON,
    MOVE,
    NO,
    NOBODY,
    ON,
    PETITION,
    PROMOTE,
    RESEARCH,
    ROGUE,
    YES,
    bare,
)
from rules.books.total_war.pledging import followed, pledges, ride_of
from rules.books.total_war.refusal import Refused
from rules.books.total_war.routes import mover_of
from rules.books.total_war.war import Force, Rules, War, land_of, require_free, ruled
from rules.books.total_war.works import allows, garrisons, label, priced, research, sales, sites
from rules.geometry.hexes import Hex, bearing, distance, neighbours

Choices = Iterator[str]


def can(rules: Rules, war: War, kind: str, who: str) -> bool:
    """Return whether a force, a faction or a player can carry out an order of a kind in any way now."""
    if kind in _FREE:
        return _FREE[kind](rules, war, who)
    return next(_TARGETS[kind](rules, war, who), None) is not None


def targets(rules: Rules, war: War, kind: str, who: str) -> list[str]:
    """Return what an order can be given to: panels as `q,r`, forces, models with their price, ranks, players, factions by id.

    Empty where there is nothing to choose, or the order is not possible.
    """
    made = _TARGETS.get(kind)
    return [] if made is None else [*made(ruled(rules, war), war, who)]


def besides(rules: Rules, war: War, kind: str, who: str, to: str) -> list[str]:
    """Return what else is said of an order to something: items and models with their price, numbers, panels, colours, yes and no."""
    made = _BESIDES.get(kind)
    return [] if made is None else [*made(ruled(rules, war), war, who, to)]


def reach_of(rules: Rules, war: War, force: Force) -> set[Hex]:
    """Return the panels on which an order to move can end now, with those who have pledged to follow; none for a force that has moved or has to fight."""
    try:
        require_free(war, force)
        ends = reachable(rules.terms, mover_of(force), land_of(rules, war, force.faction))
    except Refused:
        return set()
    return {end for end in ends if _carries(rules, war, force, end)} if pledges(war, force) else ends


def _carries(rules: Rules, war: War, fleet: Force, end: Hex) -> bool:
    """Return whether a fleet can take along to a panel those who have pledged: one who cannot be shifted holds all back (AMB-14)."""
    path = (bearing(fleet.at, end) or "N",) * distance(fleet.at, end)
    try:
        ride_of(rules, war, fleet, pledges(war, fleet), path)
    except Refused:
        return False
    return True


def _move(rules: Rules, war: War, who: str) -> Choices:
    force = war.forces.get(who)
    yield from () if force is None else map(str, sorted(reach_of(rules, war, force)))


def _follow(rules: Rules, war: War, who: str) -> Choices:
    force = war.forces.get(who)
    if force is not None and rules.terms.of(Piece, force.kind).follows:
        near = (
            item for item in war.forces.values() if distance(item.at, force.at) == 1 and item.faction == force.faction
        )
        names = [item.name for item in near]
        yield from (name for name in names if allows(followed, rules, war, Follow(who=who, fleet=name)))


def _follow_on(rules: Rules, war: War, who: str, to: str) -> Choices:
    """Yield the panels to which a squadron can go on once a fleet has taken it along, wherever the fleet goes."""
    force, fleet = war.forces.get(who), war.forces.get(to)
    if force is None or fleet is None:
        return
    ends = {force.at.shifted(fleet.at, end) for end in reach_of(rules, war, fleet)}
    after = {panel for end in ends for panel in neighbours(end)} & war.panels.keys()
    yield from map(str, sorted(after - rules.scenario.blocked))


def _assign(rules: Rules, war: War, who: str) -> Choices:
    if who in war.forces:
        others = (name for name in war.players if name != war.forces[who].commander)
        yield from (name for name in others if allows(assigned, rules, war, Assign(who=who, player=name)))


def _allot(rules: Rules, war: War, who: str) -> Choices:
    for model, count in _pool(war, who).items():
        if count and allows(allotted, rules, war, Allot(who=who, model=model)):
            yield f"{model} ({count} wait)"


def _allot_number(rules: Rules, war: War, who: str, to: str) -> Choices:
    model = bare(to)
    numbers = range(1, _pool(war, who).get(model, 0) + 1)
    fits = (number for number in numbers if allows(allotted, rules, war, Allot(who=who, model=model, number=number)))
    yield from map(str, fits)


def _pool(war: War, who: str) -> Mapping[str, int]:
    """Return the units by their models that wait in the faction of a force; a lone rogue's has none."""
    side = war.factions.get(war.forces[who].faction) if who in war.forces else None
    return {} if side is None else side.pool


def _panels(places: Iterator[Hex]) -> Choices:
    """Yield places, each once."""
    seen: set[Hex] = set()
    for at in places:
        if at not in seen:
            seen.add(at)
            yield str(at)


def _build(rules: Rules, war: War, who: str) -> Choices:
    yield from _panels(at for at, _ in sites(rules, war, who, garrison=False))


def _garrison(rules: Rules, war: War, who: str) -> Choices:
    yield from _panels(at for at, _ in sites(rules, war, who, garrison=True))


def _build_item(rules: Rules, war: War, who: str, to: str) -> Choices:
    found = sites(rules, war, who, garrison=False)
    yield from (priced(label(rules, item), item.cost) for at, item in found if str(at) == to)


def _garrison_item(rules: Rules, war: War, who: str, to: str) -> Choices:
    yield from garrisons(rules, war, who, to)


def _buy(rules: Rules, war: War, who: str) -> Choices:
    yield from _panels(at for at, _ in sales(rules, war, who))


def _buy_model(rules: Rules, war: War, who: str, to: str) -> Choices:
    yield from (model for at, model in sales(rules, war, who) if str(at) == to)


def _research(rules: Rules, war: War, who: str) -> Choices:
    yield from research(rules, war, who)


def _delegate(rules: Rules, war: War, who: str) -> Choices:
    if who not in war.factions:
        return
    others = (name for name in war.players if name not in {war.factions[who].delegate, war.factions[who].leader})
    yield from (name for name in others if allows(delegated, rules, war, Delegate(faction=who, player=name)))
    if war.factions[who].delegate is not None:
        yield NOBODY


def _answer(rules: Rules, war: War, who: str) -> Choices:
    if war.asked is not None and who in {war.asked, rules.scenario.victory.asks[war.asked]}:
        yield from (answer for answer in (END, ON) if answer != war.answers.get(who))
    asking = (name for name, player in war.players.items() if player.petition == who)
    yield from (name for name in asking if allows(admitted, rules, war, Admit(player=name, takes=True)))


def _answer_rogue(_rules: Rules, war: War, who: str, to: str) -> Choices:
    if to in war.players and war.players[to].petition == who:
        yield from (YES, NO)


def _promote(rules: Rules, war: War, who: str) -> Choices:
    if who in war.players:
        others = (rank.name for rank in rules.scenario.ranks if rank.name != war.players[who].rank)
        yield from (name for name in others if allows(promoted, rules, war, Promote(player=who, rank=name)))


def _petition(_rules: Rules, war: War, who: str) -> Choices:
    player = war.players.get(who)
    if player is not None and player.faction is None:
        yield from (side.name for name, side in war.factions.items() if name != player.petition)


def _colours(_rules: Rules, war: War, who: str, _to: str) -> Choices:
    used = [side.colour for name, side in war.factions.items() if name != who]
    yield from (colour for colour in COLOURS if is_apart(colour, used))


def _may_move(rules: Rules, war: War, who: str) -> bool:
    """Return whether a force can move anywhere: to a panel beside it at once, or as far as it goes."""
    force = war.forces.get(who)
    if force is None:
        return False
    piece = rules.terms.of(Piece, force.kind)
    free = not (force.moved or force.forced) and force.at not in war.battles
    if free and piece.attacks and not pledges(war, force):
        held = {item.at for item in war.forces.values() if item.faction == force.faction}
        if any(at in war.panels and at not in held for at in neighbours(force.at)):
            return True
    return free and next(_move(rules, war, who), None) is not None


def _may_found(_rules: Rules, war: War, who: str) -> bool:
    return who in war.factions and war.factions[who].rogue


def _may_go(rules: Rules, war: War, who: str) -> bool:
    return who in war.players and allows(gone_rogue, rules, war, Rogue(player=who))


_FREE: Mapping[str, Callable[[Rules, War, str], bool]] = {MOVE: _may_move, FOUND: _may_found, ROGUE: _may_go}
"""Orders to nothing that could be listed, and those that are found out faster than by listing."""

_TARGETS: Mapping[str, Callable[[Rules, War, str], Choices]] = {
    MOVE: _move,
    FOLLOW: _follow,
    ASSIGN: _assign,
    ALLOT: _allot,
    BUILD: _build,
    BUY: _buy,
    RESEARCH: _research,
    GARRISON: _garrison,
    DELEGATE: _delegate,
    ANSWER: _answer,
    PROMOTE: _promote,
    PETITION: _petition,
}

_BESIDES: Mapping[str, Callable[[Rules, War, str, str], Choices]] = {
    FOLLOW: _follow_on,
    ALLOT: _allot_number,
    BUILD: _build_item,
    BUY: _buy_model,
    GARRISON: _garrison_item,
    ANSWER: _answer_rogue,
    FOUND: _colours,
}
