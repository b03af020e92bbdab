"""How the orders of an update pair (campaign-rolls): who is rolled for against whom, phase by phase.

Who is on the patrol's own side, as far as that is known, is not stopped by it, nor looked for by a detector of that side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from rules.orders import Battle, KnownOfUpdate, Lapse, Order, Outcome, Phase, Task, Who, by_target, each

Roles = Mapping[str, tuple[Who, ...]]


def gather(phase: Phase, orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Outcome]:
    """Yield the tasks of a phase of this book, in the order of the orders."""
    return _PAIRING[phase.id](orders, known)


def _declared(orders: Sequence[Order], _known: KnownOfUpdate) -> Iterator[Task]:
    """Yield what is true today without a die: hiding, assault, surprise attack, rescue, resistance (lines 61, 99, 305, 342-344)."""
    yield from each("hide", _of(orders, "hide"), "hider", "sector")
    yield from each("assault", _of(orders, "assault"), "attacker", "base")
    for order in _of(orders, "surprise-attack"):
        about = [order.to, *order.beside] if order.to else order.beside
        yield Task("surprise-attack", tuple(_part(attacker=order.who, target=who) for who in about), (order.entry,))
    yield from each("rescue", _of(orders, "rescue"), "rescuer", "captive")
    yield from each("resist", _of(orders, "resist"), "captive", None)


def _detected(orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Task]:
    """Yield one roll for each sector that is searched: every hidden one against every detector, or the detectors alone (line 127)."""
    hiders = by_target(order for order in _of(orders, "hide") if order.who.key in known.hidden)
    for sector, searched in by_target(_of(orders, "detect")).items():
        hidden = [order.who for order in hiders.get(sector, ())]
        parts = [part for order in searched for part in _looked_for(order.who, hidden, known)]
        yield Task("detection", tuple(parts), tuple(order.entry for order in searched))


def _looked_for(detector: Who, hidden: Sequence[Who], known: KnownOfUpdate) -> list[Roles]:
    others = [who for who in hidden if not known.same_side(detector, who)]
    return [_part(detector=detector, hider=who) for who in others] or [_part(detector=detector)]


def _patrolled(orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Outcome]:
    """Yield each patrol against all that move through its sector, in their priority (lines 22, 65); and moves that no patrol meets."""
    moves, met = by_target(_of(orders, "move")), set[int]()
    for order in _of(orders, "patrol"):
        moving = moves.get(order.to.key, ()) if order.to else ()
        targets = [move for move in moving if not known.same_side(order.who, move.who)]
        met |= {move.entry for move in targets}
        if not targets:
            yield Lapse(order.entry, f"nobody to stop moves through {order.to.name if order.to else 'the sector'}")
            continue
        parts = tuple(_part(patrol=order.who, target=move.who) for move in targets)
        yield Task("patrol", parts, (order.entry, *(move.entry for move in targets)))
    free = [order for order in _of(orders, "move") if order.entry not in met]
    yield from each("move", free, "target", "sector")


def _scouted(orders: Sequence[Order], _known: KnownOfUpdate) -> Iterator[Task]:
    """Yield one roll for each base: a part for each who scouts it (line 82)."""
    for group in by_target(_of(orders, "scout")).values():
        parts = [_part(scouter=order.who, base=order.to) for order in group]
        yield Task("scouting", tuple(parts), tuple(order.entry for order in group))


def _fought(orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Task]:
    """Yield one roll for each battle: a part for each side (line 268)."""
    raids = by_target(order for kind in ("assault", "surprise-attack") for order in _of(orders, kind))
    assaults = [
        Battle(f"Battle of {group[0].to.name}", tuple(order.who for order in group), (group[0].to,), group[0].to)
        for group in raids.values()
        if group[0].to is not None
    ]
    for battle in chain(assaults, known.battles):
        title, base = (Who(battle.title),), battle.base
        sides = [*_sides(battle.attackers, known), *_sides(battle.defenders, known)]
        defending = {_side(who, known).key for who in battle.defenders} if base else set()
        parts = [
            {"side": (side,), "battle": title, **({"base": (base,)} if base and side.key in defending else {})}
            for side in sides
        ]
        yield Task("complications", tuple(parts), ())


def _interrogated(orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Task]:
    """Yield one roll for each captive, however many interrogate (line 284)."""
    for group in by_target(_of(orders, "interrogate")).values():
        captive = group[0].to
        part = {**_part(captive=captive, base=known.at.get(captive.key) if captive else None)}
        part["interrogator"] = tuple(order.who for order in group)
        yield Task("interrogation", (part,), tuple(order.entry for order in group))


def _escaped(orders: Sequence[Order], known: KnownOfUpdate) -> Iterator[Task]:
    """Yield one roll for each place where captives try: a part for each of them (lines 316, 341)."""
    held: dict[str, list[Order]] = {}
    for order in _of(orders, "escape"):
        place = known.at.get(order.who.key)
        held.setdefault(place.key if place else "", []).append(order)
    for group in held.values():
        parts = [_part(captive=order.who, base=known.at.get(order.who.key)) for order in group]
        yield Task("escape", tuple(parts), tuple(order.entry for order in group))


_PAIRING: Mapping[str, Callable[[Sequence[Order], KnownOfUpdate], Iterator[Outcome]]] = {
    "declare": _declared,
    "detect": _detected,
    "patrol": _patrolled,
    "scout": _scouted,
    "battle": _fought,
    "interrogate": _interrogated,
    "escape": _escaped,
}
"""How orders pair, by the id of their phase."""


def _of(orders: Sequence[Order], kind: str) -> list[Order]:
    return [order for order in orders if order.kind == kind]


def _part(**roles: Who | None) -> Roles:
    return {role: (who,) for role, who in roles.items() if who is not None}


def _side(who: Who, known: KnownOfUpdate) -> Who:
    """Return the side on which somebody fights, or that one alone where no side is known."""
    side = known.sides.get(who.key)
    return who if side is None else Who(side)


def _sides(people: Sequence[Who], known: KnownOfUpdate) -> list[Who]:
    sides = [_side(who, known) for who in people]
    return [*{side.key: side for side in sides}.values()]
