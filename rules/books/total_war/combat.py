"""Ranged attacks, melee and warships' fire, with dice and odds (lines 163 to 222)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NoReturn

from msgspec import Struct

from rules.books.total_war.board import Battlefield, Shooter, lane_tiles, require_attacker
from rules.books.total_war.catalog import COIN, AceLevel, CoinFace, Missing, Refused, Terms, UnitClass
from rules.books.total_war.fight import Attack
from rules.dice import MAX_DICE, MAX_SIDES, MIN_SIDES
from rules.geometry import EDGES, Square, touches
from rules.odds import count_ways

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

    attack: Attack
    at: Square | None = None
    attacked: bool = False


def parse_attack(text: str, accuracy: int | None = None) -> Attack:
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
    return Attack(attempts, sides, accuracy)


def combine_attacks(terms: Terms, units: Sequence[Shooting], target: Square | None = None) -> Attack:
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
    return Attack(max(attack.attempts for attack in attacks), sides, min(accuracies, default=None))


def best_attacker(attacks: Sequence[Attack]) -> int:
    """Return the index of the unit that gets the kill: most attempts, else the first (AMB-51)."""
    attempts = [attack.attempts for attack in attacks]
    return attempts.index(max(attempts))


def hit_chance(attack: Attack, defense: int) -> Fraction:
    """Return the chance that an attack destroys its target (line 182)."""
    higher = min(attack.sides, max(0, attack.sides - defense))
    each = Fraction(higher, attack.sides) * Fraction(PERCENT if attack.accuracy is None else attack.accuracy, PERCENT)
    return 1 - (1 - each) ** attack.attempts


def shoot(attack: Attack, defense: int, throw: Thrower) -> tuple[Try, ...]:
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


def require_call(terms: Terms, attacker: str, target: str, call: CoinFace | None, whom: str = "") -> None:
    """Refuse melee for classes without it, or without a needed call."""
    require_attacker(terms, attacker, melee=True)
    if call is None and needs_call(terms, target):
        label = terms.of(UnitClass, target).label.lower()
        against = f"{whom}, a {label}," if whom else f"a {label}"
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
    require_attacker(terms, attacker, melee=True)
    hit = Fraction(1, terms.number("melee-coin")) if needs_call(terms, target) else Fraction(1)
    countered = (1 - hit) * Fraction(1, terms.number("counter-die"))
    return MeleeOdds(hit, countered, 1 - hit - countered)


class ExposedUnit(Struct, frozen=True):
    """A unit that may be in a lane; `ace` is 0 without a level."""

    kind: str
    ace: int = 0
    hero: bool = False


def require_ship(terms: Terms, kind: str, who: str = "It") -> None:
    """Refuse classes that don't fire down lanes."""
    found = terms.of(UnitClass, kind)
    if not found.lanes:
        able = " or ".join(each.label.lower() for each in terms.book.entries_of(UnitClass).values() if each.lanes)
        raise Refused("E_NOT_WARSHIP", f"{who} is a {found.label.lower()}. Only a {able} can fire down a lane.")


def list_covered_tiles(field: Battlefield, ship: Shooter, way: str) -> tuple[Square, ...]:
    """Return the tiles of a shot: one lane, or all four by the switch (AMB-54)."""
    require_ship(field.terms, ship.kind, f"The unit on {ship.at}")
    if way not in EDGES:
        raise Refused("E_BAD_DIRECTION", f"{way!r} isn't the direction of a lane: write {', '.join(EDGES)}.")
    ways = (way,) if field.terms.setting("fire", str) == "lane" else tuple(EDGES)
    return tuple(place for each in ways for place in lane_tiles(field, ship, each))


def lane_chances(field: Battlefield, ship: Shooter, way: str, units: Mapping[Square, ExposedUnit]) -> dict[Square, int]:
    """Return the tiles of units that a shot reaches, with kill chances in percent."""
    return {
        place: kill_chance(field.terms, units[place])
        for place in list_covered_tiles(field, ship, way)
        if place in units and field.is_exposed(place, ship.at, ship.flags)
    }


def kill_chance(terms: Terms, unit: ExposedUnit) -> int:
    """Return the percent chance that a shot kills a unit (lines 202 to 216, AMB-57)."""
    kind = terms.of(UnitClass, unit.kind)
    if unit.hero:
        return 0
    levels = (
        each.fire for each in terms.book.entries_of(AceLevel).values() if kind.armoured and each.level == unit.ace
    )
    return next(levels, kind.fire)


def needs_die(percent: int) -> bool:
    """Check whether a chance needs a die; 0 and 100 don't."""
    return 0 < percent < PERCENT


def fire_lane(chances: Mapping[Square, int], throw: Thrower) -> tuple[Square, ...]:
    """Throw for each chance; return the tiles of destroyed units."""
    return tuple(
        place
        for place, percent in chances.items()
        if (throw(Die("fire", PERCENT, tile=place)) <= percent if needs_die(percent) else percent > 0)
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
        blocked = terms.setting("cooldown", int)
        what = f"it fired in turn {fired} and can fire again in turn {fired + blocked + 1}"
        raise Refused("E_COOLDOWN", f"{who} can't fire in turn {turn}: {what}.")
