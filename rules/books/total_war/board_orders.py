"""Orders on the board: one move and one attack per turn, in either order (lines 130 to 230)."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import combat
from rules.books.total_war.board import require_attacker, require_foe, require_steps, require_target
from rules.books.total_war.catalog import Refused, Terms
from rules.books.total_war.combat import ExposedUnit, Shooting, Thrower
from rules.books.total_war.fight import (
    Attack,
    Clash,
    Fight,
    Fighter,
    Fire,
    MeetCondition,
    MoveUnit,
    Next,
    Order,
    Shoot,
    Withdraw,
    require_one_target,
    require_running,
)
from rules.geometry import Square


class OrderResult(Struct, frozen=True):
    """Results of an order: steps, attempts, destroyed units, and those that attacked."""

    steps: int | None = None
    tries: tuple[combat.Try, ...] | None = None
    destroyed: tuple[str, ...] | None = None
    spent: tuple[str, ...] | None = None


def play_order(terms: Terms, fight: Fight, order: Order, throw: Thrower) -> tuple[Fight, OrderResult]:
    """Return the battle after an order, and the order's result; refuse impossible orders."""
    require_running(fight.outcome)
    match order:
        case MoveUnit():
            steps = _require_steps(terms, fight, order)
            return fight.with_units((order.unit,), at=order.to, moved=True), OrderResult(steps=steps)
        case Shoot():
            return _shoot(terms, fight, order, throw)
        case Clash():
            return _clash(terms, fight, order, throw)
        case Fire():
            return _fire(terms, fight, order, throw)
        case Next() | Withdraw() | MeetCondition():
            return _pass(fight, order), OrderResult()


def require_order(terms: Terms, fight: Fight, order: Order) -> None:
    """Refuse an impossible order without throwing a die."""
    require_running(fight.outcome)
    match order:
        case MoveUnit():
            _require_steps(terms, fight, order)
        case Shoot():
            require_attack(terms, fight, order)
        case Clash():
            _require_clash(terms, fight, order)
        case Fire():
            lane_targets(terms, fight, order)
        case Next() | Withdraw() | MeetCondition():
            _pass(fight, order)


def require_attack(terms: Terms, fight: Fight, order: Shoot) -> Attack:
    """Return a possible shot's attack, combined or not (lines 160 to 162, 181 to 188)."""
    attack, goal = joint_attack(terms, fight, order), fight.unit(str(order.target)).at
    for name in (order.unit, *order.others):
        require_target(fight.around(terms, name), fight.unit(name).shooter(), goal)
    return attack


def joint_attack(terms: Terms, fight: Fight, order: Shoot) -> Attack:
    """Return the combined attack of a shot, in range or not."""
    names = (order.unit, *order.others)
    units = [_require_shooter(terms, fight, name) for name in names]
    require_one_target(order.unit, order.target)
    goal = _require_enemy(terms, fight, units[0], str(order.target))
    if len({*names}) < len(names):
        raise Refused("E_ALREADY_ATTACKED", f"{', '.join(names)}: each unit attacks once a turn.")
    shooters = [
        Shooting(_require_stats(name, unit), unit.at, unit.attacked) for name, unit in zip(names, units, strict=True)
    ]
    return combat.combine_attacks(terms, shooters, goal.at)


def lane_targets(terms: Terms, fight: Fight, order: Fire) -> dict[Square, int]:
    """Return the tiles of units that a ship's shot reaches, with kill chances in percent."""
    ship = fight.own(order.unit)
    combat.require_ship(terms, ship.kind, order.unit)
    combat.require_can_fire(terms, ship.fired, fight.turn, order.unit)
    others = {
        unit.at: ExposedUnit(unit.kind, unit.ace, unit.hero) for name, unit in fight.units.items() if name != order.unit
    }
    return combat.lane_chances(fight.around(terms, order.unit), ship.shooter(), order.way, others)


def _require_steps(terms: Terms, fight: Fight, order: MoveUnit) -> int:
    unit = fight.own(order.unit)
    if unit.moved:
        raise Refused("E_ALREADY_MOVED", f"{order.unit} has already moved in turn {fight.turn}.")
    return require_steps(fight.around(terms, order.unit), unit.mover(fight.where), order.to)


def _require_shooter(terms: Terms, fight: Fight, name: str) -> Fighter:
    unit = fight.own(name)
    kind = require_attacker(terms, unit.kind, name)
    if kind.range is None:
        what = f"{name} is a {kind.label.lower()}: it fires down a lane, not at a single target."
        raise Refused("E_CANNOT_ATTACK", what)
    return unit


def _require_stats(name: str, unit: Fighter) -> Attack:
    if unit.attack is None:
        raise Refused("E_BAD_STAT", f"{name} on {unit.at} has no attack such as 2x 1d6.")
    return unit.attack


def _require_enemy(terms: Terms, fight: Fight, attacker: Fighter, target: str, *, melee: bool = False) -> Fighter:
    found = fight.unit(target)
    if found.side == attacker.side:
        require_foe(terms, attacker.shooter(melee=melee), f"{target} on {found.at}")
    return found


def _require_clash(terms: Terms, fight: Fight, order: Clash) -> None:
    unit = fight.own(order.unit)
    require_attacker(terms, unit.kind, order.unit, melee=True)
    goal = _require_enemy(terms, fight, unit, order.target, melee=True)
    if unit.attacked:
        raise Refused("E_ALREADY_ATTACKED", f"{order.unit} has already attacked in turn {fight.turn}.")
    require_target(fight.around(terms, order.unit), unit.shooter(melee=True), goal.at)
    combat.require_call(terms, unit.kind, goal.kind, order.call, order.target)


def _pass(fight: Fight, order: Next | Withdraw | MeetCondition) -> Fight:
    if order.side not in fight.sides:
        raise Refused("E_NOT_YOURS", f"{order.side} isn't a side of this battle (known: {', '.join(fight.sides)}).")
    match order:
        case Next():
            if order.side != fight.active:
                what = f"this half of turn {fight.turn} is {fight.active}'s"
                raise Refused("E_NOT_YOURS", f"{order.side} can't end it: {what}.")
            return fight.next_half()
        case Withdraw():
            return replace(fight, withdrawn=(*fight.withdrawn, order.side))
        case MeetCondition():
            return replace(fight, met=order.side)


def _shoot(terms: Terms, fight: Fight, order: Shoot, throw: Thrower) -> tuple[Fight, OrderResult]:
    attack = require_attack(terms, fight, order)
    target, names = str(order.target), (order.unit, *order.others)
    tries = combat.shoot(attack, fight.units[target].defense, throw)
    destroyed = (target,) if "beats" in tries else ()
    best = names[combat.best_attacker([_require_stats(name, fight.units[name]) for name in names])]
    after = fight.with_units(names, attacked=True).without(destroyed, {best: len(destroyed)})
    return after, OrderResult(tries=tries, destroyed=destroyed, spent=names)


def _clash(terms: Terms, fight: Fight, order: Clash, throw: Thrower) -> tuple[Fight, OrderResult]:
    _require_clash(terms, fight, order)
    kinds = fight.units[order.unit].kind, fight.units[order.target].kind
    out = combat.fight_melee(terms, *kinds, order.call, throw)
    pairs: Sequence[tuple[bool, str, str]] = (
        (out.target_destroyed, order.target, order.unit),
        (out.attacker_destroyed, order.unit, order.target),
    )
    destroyed = {name: victor for falls, name, victor in pairs if falls}
    after = fight.with_units((order.unit,), attacked=True).without(tuple(destroyed), Counter(destroyed.values()))
    return after, OrderResult(destroyed=tuple(destroyed), spent=(order.unit,))


def _fire(terms: Terms, fight: Fight, order: Fire, throw: Thrower) -> tuple[Fight, OrderResult]:
    struck = combat.fire_lane(lane_targets(terms, fight, order), throw)
    on = {unit.at: name for name, unit in fight.units.items()}
    destroyed = tuple(on[place] for place in struck)
    enemies = sum(fight.units[name].side != fight.units[order.unit].side for name in destroyed)
    fired = fight.with_units((order.unit,), attacked=True, fired=fight.turn)
    return fired.without(destroyed, {order.unit: enemies}), OrderResult(destroyed=destroyed, spent=(order.unit,))
