"""What is ordered in a battle, and what comes of it: a unit moves and attacks once a turn, in either order (lines 130 to 230)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import broadside, melee, shooting
from rules.books.total_war.aiming import require_attacker, require_foe, require_target
from rules.books.total_war.broadside import Exposed
from rules.books.total_war.ending import require_running
from rules.books.total_war.fight import Fight, Fighter
from rules.books.total_war.going import require_steps
from rules.books.total_war.orders import (
    Clash,
    Condition,
    Fire,
    Move,
    Next,
    Order,
    Shoot,
    Withdraw,
    require_one_target,
)
from rules.books.total_war.refusal import Refused
from rules.books.total_war.shooting import Attack, Shooting
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import Throw
from rules.geometry.squares import Square


class Happened(Struct, frozen=True):
    """What came of an order: steps of a move; tries of a shot; units destroyed, and those that have attacked for it."""

    steps: int | None = None
    tries: tuple[shooting.Try, ...] | None = None
    destroyed: tuple[str, ...] | None = None
    spent: tuple[str, ...] | None = None


def act(terms: Terms, fight: Fight, order: Order, throw: Throw) -> tuple[Fight, Happened]:
    """Return the battle after an order, and what came of it.

    Raises:
        Refused: it is not possible; no die has been thrown.

    """
    require_running(fight.ended)
    match order:
        case Move():
            steps = _steps(terms, fight, order)
            return fight.changed((order.unit,), at=order.to, moved=True), Happened(steps=steps)
        case Shoot():
            return _shot(terms, fight, order, throw)
        case Clash():
            return _clashed(terms, fight, order, throw)
        case Fire():
            return _fired(terms, fight, order, throw)
        case Next() | Withdraw() | Condition():
            return _passed(fight, order), Happened()


def require(terms: Terms, fight: Fight, order: Order) -> None:
    """Refuse an order that is not possible as the battle stands; nothing is thrown for that.

    Raises:
        Refused: as said by its code.

    """
    require_running(fight.ended)
    match order:
        case Move():
            _steps(terms, fight, order)
        case Shoot():
            attack_of(terms, fight, order)
        case Clash():
            _require_clash(terms, fight, order)
        case Fire():
            lane_of(terms, fight, order)
        case Next() | Withdraw() | Condition():
            _passed(fight, order)


def attack_of(terms: Terms, fight: Fight, order: Shoot) -> Attack:
    """Return the attack that a shot comes to, combined or not (lines 160 to 162, 181 to 188).

    Raises:
        Refused: it is not possible.

    """
    attack, goal = joined(terms, fight, order), fight.unit(str(order.target)).at
    for name in (order.unit, *order.others):
        require_target(fight.around(terms, name), fight.unit(name).shooter(), goal)
    return attack


def joined(terms: Terms, fight: Fight, order: Shoot) -> Attack:
    """Return the attack that the units of a shot make together, whether or not their target is within reach."""
    names = (order.unit, *order.others)
    units = [_able(terms, fight, name) for name in names]
    require_one_target(order.unit, order.target)
    goal = _enemy(terms, fight, units[0], str(order.target))
    if len({*names}) < len(names):
        raise Refused("E_ALREADY_ATTACKED", f"{', '.join(names)}: each unit attacks once a turn.")
    shooters = [Shooting(_attack(name, unit), unit.at, unit.attacked) for name, unit in zip(names, units, strict=True)]
    return shooting.combined(terms, shooters, goal.at)


def lane_of(terms: Terms, fight: Fight, order: Fire) -> dict[Square, int]:
    """Return the units that a shot reaches by their tiles, with the chance in percent that it destroys each."""
    ship = fight.own(order.unit)
    broadside.require_ship(terms, ship.kind, order.unit)
    broadside.require_ready(terms, ship.fired, fight.turn, order.unit)
    others = {
        unit.at: Exposed(unit.kind, unit.ace, unit.hero) for name, unit in fight.units.items() if name != order.unit
    }
    return broadside.tested(fight.around(terms, order.unit), ship.shooter(), order.way, others)


def _steps(terms: Terms, fight: Fight, order: Move) -> int:
    unit = fight.own(order.unit)
    if unit.moved:
        raise Refused("E_ALREADY_MOVED", f"{order.unit} has already moved in turn {fight.turn}.")
    return require_steps(fight.around(terms, order.unit), unit.mover(fight.where), order.to)


def _able(terms: Terms, fight: Fight, name: str) -> Fighter:
    """Return a unit that shoots at single targets."""
    unit = fight.own(name)
    kind = require_attacker(terms, unit.kind, name)
    if kind.range is None:
        raise Refused(
            "E_CANNOT_ATTACK", f"{name} is a {kind.label.lower()}: it fires down a lane, not at a single target."
        )
    return unit


def _attack(name: str, unit: Fighter) -> Attack:
    if unit.attack is None:
        raise Refused("E_BAD_STAT", f"{name} on {unit.at} has no attack such as 2x 1d6.")
    return unit.attack


def _enemy(terms: Terms, fight: Fight, attacker: Fighter, target: str, *, melee: bool = False) -> Fighter:
    found = fight.unit(target)
    if found.side == attacker.side:
        require_foe(terms, attacker.shooter(melee=melee), f"{target} on {found.at}")
    return found


def _require_clash(terms: Terms, fight: Fight, order: Clash) -> None:
    unit = fight.own(order.unit)
    require_attacker(terms, unit.kind, order.unit, melee=True)
    goal = _enemy(terms, fight, unit, order.target, melee=True)
    if unit.attacked:
        raise Refused("E_ALREADY_ATTACKED", f"{order.unit} has already attacked in turn {fight.turn}.")
    require_target(fight.around(terms, order.unit), unit.shooter(melee=True), goal.at)
    melee.require_call(terms, unit.kind, goal.kind, order.call, order.target)


def _passed(fight: Fight, order: Next | Withdraw | Condition) -> Fight:
    if order.side not in fight.sides:
        raise Refused("E_NOT_YOURS", f"{order.side} isn't a side of this battle (known: {', '.join(fight.sides)}).")
    match order:
        case Next():
            if order.side != fight.active:
                what = f"this half of turn {fight.turn} is {fight.active}'s"
                raise Refused("E_NOT_YOURS", f"{order.side} can't end it: {what}.")
            return fight.handed_on()
        case Withdraw():
            return replace(fight, withdrawn=(*fight.withdrawn, order.side))
        case Condition():
            return replace(fight, met=order.side)


def _shot(terms: Terms, fight: Fight, order: Shoot, throw: Throw) -> tuple[Fight, Happened]:
    attack = attack_of(terms, fight, order)
    target, names = str(order.target), (order.unit, *order.others)
    shot = shooting.shoot(attack, fight.units[target].defense, throw)
    destroyed = (target,) if shot.destroyed else ()
    best = names[shooting.credited([_attack(name, fight.units[name]) for name in names])]
    after = fight.changed(names, attacked=True).without(destroyed, {best: len(destroyed)})
    return after, Happened(tries=shot.tries, destroyed=destroyed, spent=names)


def _clashed(terms: Terms, fight: Fight, order: Clash, throw: Throw) -> tuple[Fight, Happened]:
    _require_clash(terms, fight, order)
    kinds = fight.units[order.unit].kind, fight.units[order.target].kind
    out = melee.melee(terms, *kinds, order.call, throw)
    pairs: Sequence[tuple[bool, str, str]] = (
        (out.target_destroyed, order.target, order.unit),
        (out.attacker_destroyed, order.unit, order.target),
    )
    fallen = {name: victor for falls, name, victor in pairs if falls}
    after = fight.changed((order.unit,), attacked=True).without(tuple(fallen), Counter(fallen.values()))
    return after, Happened(destroyed=tuple(fallen), spent=(order.unit,))


def _fired(terms: Terms, fight: Fight, order: Fire, throw: Throw) -> tuple[Fight, Happened]:
    struck = broadside.fire(lane_of(terms, fight, order), throw)
    on = {unit.at: name for name, unit in fight.units.items()}
    destroyed = tuple(on[place] for place in struck)
    enemies = sum(fight.units[name].side != fight.units[order.unit].side for name in destroyed)
    fired = fight.changed((order.unit,), attacked=True, fired=fight.turn)
    return fired.without(destroyed, {order.unit: enemies}), Happened(destroyed=destroyed, spent=(order.unit,))
