"""Orders on the board, one move and one attack per turn, with dice and odds (lines 130 to 230)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import board
from rules.books.total_war.catalog import COIN, AceLevel, CoinFace, Missing, Refused, Terms, UnitClass
from rules.books.total_war.fight import Clash, Fight, Fire, MeetCondition, MoveUnit, Next, Order, Shoot, Withdraw
from rules.dice import MAX_DICE, MAX_SIDES, MIN_SIDES
from rules.geometry import EDGES, Square, touches
from rules.odds import count_ways


def require_one_target(unit: str, target: str | Sequence[str]) -> None:
    """Refuse several targets: all attempts of a unit go at one (line 182)."""
    if not isinstance(target, str):
        raise Refused("E_ONE_TARGET", f"{len(target)} targets: {unit} attacks 1 in a turn, with all its attempts.")


Use = Literal["accuracy", "damage", "coin", "counter", "fire"]
PERCENT = 100


class Die(Struct, frozen=True):
    """A die to throw: for attempt number `attempt`, or the unit on `tile`."""

    use: Use
    sides: int
    attempt: int | None = None
    tile: Square | None = None


Thrower = Callable[[Die], int]
"""Returns the face of a die, from 1."""


def no_die(die: Die) -> NoReturn:
    """Raise AssertionError: a thrower for orders that never throw a die."""
    msg = f"an order without dice asked for one: {die.use}"
    raise AssertionError(msg)


Try = Literal["miss", "held", "beats"]
"""How an attempt ends: missed, held by the defense, or destroyed."""

_STAT = re.compile(r"\s*([0-9]{1,4})\s*[xX]\s*([0-9]{1,4})[dD]([0-9]{1,5})\s*")


class Shooting(Struct, frozen=True):
    """A unit about to shoot; `at` is None where distance doesn't matter."""

    attack: board.Attack
    at: Square | None = None
    attacked: bool = False


def parse_attack(text: str, accuracy: int | None = None) -> board.Attack:
    """Read an attack such as `2x 1d6`."""
    match = _STAT.fullmatch(text)
    if match is None:
        raise Refused("E_BAD_STAT", f"{text!r} isn't an attack. Write one such as 2x 1d6.")
    attempts, dice, sides = map(int, match.groups())
    if not 1 <= attempts <= MAX_DICE:
        raise Refused("E_BAD_STAT", f"{text!r} has {attempts} attempts. 1 to {MAX_DICE} are possible.")
    if dice != 1:
        raise Refused("E_BAD_STAT", f"{text!r} rolls {dice} dice at once. Each attempt is one die.")
    if not MIN_SIDES <= sides <= MAX_SIDES:
        raise Refused("E_BAD_STAT", f"{text!r} has a die of {sides} sides. {MIN_SIDES} to {MAX_SIDES} are possible.")
    if accuracy is not None and not 1 <= accuracy <= PERCENT:
        raise Refused("E_BAD_STAT", f"An accuracy of {accuracy}% won't work. 1% to {PERCENT}% are possible.")
    return board.Attack(attempts, sides, accuracy)


def combine_attacks(terms: Terms, units: Sequence[Shooting], target: Square | None = None) -> board.Attack:
    """Combine attacks on a target: most attempts, summed sides, lowest accuracy (lines 186 to 188, AMB-51)."""
    most = terms.setting("combine-limit", int)
    if len(units) > most:
        raise Refused("E_COMBINE_LIMIT", f"{len(units)} units are too many: {most} can combine an attack.")
    for unit in units:
        who = f"The unit on {unit.at}" if unit.at else "That unit"
        if unit.attacked:
            raise Refused("E_ALREADY_ATTACKED", f"{who} has already attacked this turn.")
        if len(units) > 1 and unit.at and target and not touches(unit.at, target):
            raise Refused("E_NOT_CLOSE", f"{who} isn't next to {target}. Only units next to the target can combine.")
    attacks = [unit.attack for unit in units]
    sides = sum(attack.sides for attack in attacks)
    if sides > MAX_SIDES:
        raise Refused("E_BAD_STAT", f"Together that makes a die of {sides} sides. {MAX_SIDES} is the limit.")
    accuracies = [attack.accuracy for attack in attacks if attack.accuracy is not None]
    return board.Attack(max(attack.attempts for attack in attacks), sides, min(accuracies, default=None))


def best_attacker(attacks: Sequence[board.Attack]) -> int:
    """Return the index of the unit that gets the kill: most attempts, else the first (AMB-51)."""
    attempts = [attack.attempts for attack in attacks]
    return attempts.index(max(attempts))


def hit_chance(attack: board.Attack, defense: int) -> Fraction:
    """Return the chance that an attack destroys its target (line 182)."""
    higher = min(attack.sides, max(0, attack.sides - defense))
    each = Fraction(higher, attack.sides) * Fraction(PERCENT if attack.accuracy is None else attack.accuracy, PERCENT)
    return 1 - (1 - each) ** attack.attempts


def shoot(attack: board.Attack, defense: int, throw: Thrower) -> tuple[Try, ...]:
    """Throw attempts until one destroys the target; return how each ended (AMB-50)."""
    tries: list[Try] = []
    for attempt in range(1, attack.attempts + 1):
        if attack.accuracy is not None and throw(Die("accuracy", PERCENT, attempt)) > attack.accuracy:
            tries.append("miss")
            continue
        tries.append("beats" if throw(Die("damage", attack.sides, attempt)) > defense else "held")
        if tries[-1] == "beats":
            break
    return tuple(tries)


class Melee(Struct, frozen=True):
    """Who a melee attack destroyed, and which dice it threw."""

    target_destroyed: bool
    attacker_destroyed: bool
    dice: tuple[Use, ...]


class MeleeOdds(Struct, frozen=True):
    """Chances that melee destroys the target, the attacker, or no unit."""

    target: Fraction
    attacker: Fraction
    nobody: Fraction


def needs_call(terms: Terms, target: str) -> bool:
    """Check whether a coin decides melee against a class (line 194, AMB-52)."""
    return terms.of(UnitClass, target).armoured


def require_call(terms: Terms, attacker: str, target: str, call: CoinFace | None, named: str = "") -> None:
    """Refuse melee for classes without it, or without a needed call."""
    board.require_attacker(terms, attacker, melee=True)
    if call is None and needs_call(terms, target):
        label = terms.of(UnitClass, target).label.lower()
        against = f"{named}, a {label}," if named else f"a {label}"
        what = f"Melee against {against} is decided by a coin. Call {' or '.join(COIN)}."
        raise Missing("E_NO_CALL", what)


def fight_melee(terms: Terms, attacker: str, target: str, call: CoinFace | None, throw: Thrower) -> Melee:
    """Throw the dice of a melee attack, if any, and return who is destroyed."""
    require_call(terms, attacker, target, call)
    if not needs_call(terms, target):
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=())
    if COIN[throw(Die("coin", terms.number("melee-coin"))) - 1] == call:
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=("coin",))
    countered = throw(Die("counter", terms.number("counter-die"))) == terms.number("counter-face")
    return Melee(target_destroyed=False, attacker_destroyed=countered, dice=("coin", "counter"))


def melee_odds(terms: Terms, attacker: str, target: str) -> MeleeOdds:
    """Return the chance of each result of a melee attack."""
    board.require_attacker(terms, attacker, melee=True)
    hit = Fraction(1, terms.number("melee-coin")) if needs_call(terms, target) else Fraction(1)
    countered = (1 - hit) * Fraction(1, terms.number("counter-die"))
    return MeleeOdds(hit, countered, 1 - hit - countered)


def require_ship(terms: Terms, kind: str, who: str = "It") -> None:
    """Refuse classes that don't fire down lanes."""
    found = terms.of(UnitClass, kind)
    if not found.lanes:
        able = " or ".join(each.label.lower() for each in terms.book.entries_of(UnitClass).values() if each.lanes)
        raise Refused("E_NOT_WARSHIP", f"{who} is a {found.label.lower()}. Only a {able} can fire down a lane.")


def list_covered_tiles(field: board.Battlefield, ship: board.Shooter, way: str) -> tuple[Square, ...]:
    """Return the tiles of a shot: one lane, or all four by the switch (AMB-54)."""
    require_ship(field.terms, ship.kind, f"The unit on {ship.at}")
    if way not in EDGES:
        raise Refused("E_BAD_DIRECTION", f"{way!r} isn't the direction of a lane: write {', '.join(EDGES)}.")
    ways = (way,) if field.terms.setting("fire", str) == "lane" else tuple(EDGES)
    return tuple(place for each in ways for place in board.lane_tiles(field, ship, each))


def lane_chances(
    field: board.Battlefield, ship: board.Shooter, way: str, units: Mapping[Square, board.Fighter]
) -> dict[Square, int]:
    """Return the tiles of units that a shot reaches, with kill chances in percent."""
    return {
        place: kill_chance(field.terms, units[place])
        for place in list_covered_tiles(field, ship, way)
        if place in units and field.is_exposed(place, ship.at, ship.flags)
    }


def kill_chance(terms: Terms, unit: board.Fighter) -> int:
    """Return the percent chance that a shot kills a unit (lines 202 to 216, AMB-57)."""
    kind = terms.of(UnitClass, unit.kind)
    if unit.hero:
        return 0
    aces = terms.book.entries_of(AceLevel).values() if kind.armoured else ()
    levels = (each.fire for each in aces if each.level == unit.ace)
    return next(levels, kind.fire)


def fire_lane(chances: Mapping[Square, int], throw: Thrower) -> tuple[Square, ...]:
    """Throw for each chance; return the tiles of destroyed units."""
    return tuple(
        place
        for place, percent in chances.items()
        if (throw(Die("fire", PERCENT, tile=place)) <= percent if 0 < percent < PERCENT else percent > 0)
    )


def kill_chances(chances: Iterable[int]) -> tuple[Fraction, ...]:
    """Return the chance of 0, 1, 2 … kills, from a percentage for each unit."""
    each = [*chances]
    return tuple(Fraction(ways, PERCENT ** len(each)) for ways in count_ways(each, PERCENT))


def can_fire(terms: Terms, fired: int | None, turn: int) -> bool:
    """Check whether a ship that last fired in turn `fired` (None: never) can fire (line 222, AMB-53)."""
    return fired is None or turn - fired > terms.setting("cooldown", int)


def require_can_fire(terms: Terms, fired: int | None, turn: int, who: str = "The ship") -> None:
    """Refuse a shot during the cooldown."""
    if fired is not None and not can_fire(terms, fired, turn):
        what = f"it fired in turn {fired} and can fire again in turn {fired + terms.setting('cooldown', int) + 1}"
        raise Refused("E_COOLDOWN", f"{who} can't fire in turn {turn}: {what}.")


class OrderResult(Struct, frozen=True):
    """Results of an order: steps, attempts, destroyed units, and those that attacked."""

    steps: int | None = None
    tries: tuple[Try, ...] | None = None
    destroyed: tuple[str, ...] | None = None
    spent: tuple[str, ...] | None = None


def play_order(terms: Terms, fight: Fight, order: Order, throw: Thrower) -> tuple[Fight, OrderResult]:
    """Return the battle after an order, and the order's result; refuse impossible orders."""
    fight.outcome.require_running()
    match order:
        case MoveUnit():
            unit = fight.own(order.unit)
            if unit.moved:
                raise Refused("E_ALREADY_MOVED", f"{order.unit} has already moved in turn {fight.turn}.")
            steps = board.require_steps(fight.around(terms, order.unit), unit.mover(fight.where), order.to)
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
    fight.outcome.require_running()
    match order:
        case Shoot():
            require_attack(terms, fight, order)
        case Clash():
            _require_clash(terms, fight, order)
        case Fire():
            lane_targets(terms, fight, order)
        case _:
            play_order(terms, fight, order, no_die)


def require_attack(terms: Terms, fight: Fight, order: Shoot) -> board.Attack:
    """Return a possible shot's attack, combined or not (lines 160 to 162, 181 to 188)."""
    attack, goal = joint_attack(terms, fight, order), fight.unit(str(order.target)).at
    for name in (order.unit, *order.others):
        board.require_target(fight.around(terms, name), fight.unit(name).shooter(), goal)
    return attack


def joint_attack(terms: Terms, fight: Fight, order: Shoot) -> board.Attack:
    """Return the combined attack of a shot, in range or not."""
    names = (order.unit, *order.others)
    units = [_require_shooter(terms, fight, name) for name in names]
    require_one_target(order.unit, order.target)
    goal = _require_enemy(terms, fight, units[0], str(order.target))
    if len({*names}) < len(names):
        raise Refused("E_ALREADY_ATTACKED", f"{', '.join(names)}: each unit attacks once a turn.")
    shooters = []
    for name, unit in zip(names, units, strict=True):
        if unit.attack is None:
            raise Refused("E_BAD_STAT", f"{name} on {unit.at} has no attack such as 2x 1d6.")
        shooters.append(Shooting(unit.attack, unit.at, unit.attacked))
    return combine_attacks(terms, shooters, goal.at)


def lane_targets(terms: Terms, fight: Fight, order: Fire) -> dict[Square, int]:
    """Return the tiles of units that a ship's shot reaches, with kill chances in percent."""
    ship = fight.own(order.unit)
    require_ship(terms, ship.kind, order.unit)
    require_can_fire(terms, ship.fired, fight.turn, order.unit)
    others = {unit.at: unit for name, unit in fight.units.items() if name != order.unit}
    return lane_chances(fight.around(terms, order.unit), ship.shooter(), order.way, others)


def _require_shooter(terms: Terms, fight: Fight, name: str) -> board.Fighter:
    unit = fight.own(name)
    kind = board.require_attacker(terms, unit.kind, name)
    if kind.range is None:
        what = f"{name} is a {kind.label.lower()}: it fires down a lane, not at a single target."
        raise Refused("E_CANNOT_ATTACK", what)
    return unit


def _require_enemy(
    terms: Terms, fight: Fight, attacker: board.Fighter, target: str, *, melee: bool = False
) -> board.Fighter:
    found = fight.unit(target)
    if found.side == attacker.side:
        board.require_foe(terms, attacker.shooter(melee=melee), f"{target} on {found.at}")
    return found


def _require_clash(terms: Terms, fight: Fight, order: Clash) -> None:
    unit = fight.own(order.unit)
    board.require_attacker(terms, unit.kind, order.unit, melee=True)
    goal = _require_enemy(terms, fight, unit, order.target, melee=True)
    if unit.attacked:
        raise Refused("E_ALREADY_ATTACKED", f"{order.unit} has already attacked in turn {fight.turn}.")
    board.require_target(fight.around(terms, order.unit), unit.shooter(melee=True), goal.at)
    require_call(terms, unit.kind, goal.kind, order.call, order.target)


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
    tries = shoot(attack, fight.units[target].defense, throw)
    destroyed = (target,) if "beats" in tries else ()
    best = names[best_attacker([each for name in names if (each := fight.units[name].attack)])]
    after = fight.with_units(names, attacked=True).without(destroyed, {best: len(destroyed)})
    return after, OrderResult(tries=tries, destroyed=destroyed, spent=names)


def _clash(terms: Terms, fight: Fight, order: Clash, throw: Thrower) -> tuple[Fight, OrderResult]:
    _require_clash(terms, fight, order)
    kinds = fight.units[order.unit].kind, fight.units[order.target].kind
    out = fight_melee(terms, *kinds, order.call, throw)
    destroyed = {order.target: order.unit} if out.target_destroyed else {}
    destroyed |= {order.unit: order.target} if out.attacker_destroyed else {}
    credit = dict.fromkeys(destroyed.values(), 1)
    after = fight.with_units((order.unit,), attacked=True).without(tuple(destroyed), credit)
    return after, OrderResult(destroyed=tuple(destroyed), spent=(order.unit,))


def _fire(terms: Terms, fight: Fight, order: Fire, throw: Thrower) -> tuple[Fight, OrderResult]:
    struck = fire_lane(lane_targets(terms, fight, order), throw)
    on = {unit.at: name for name, unit in fight.units.items()}
    destroyed = tuple(on[place] for place in struck)
    enemies = sum(fight.units[name].side != fight.units[order.unit].side for name in destroyed)
    fired = fight.with_units((order.unit,), attacked=True, fired=fight.turn)
    return fired.without(destroyed, {order.unit: enemies}), OrderResult(destroyed=destroyed, spent=(order.unit,))
