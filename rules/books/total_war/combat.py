"""Attacks in a battle: dice, ranged attacks, melee, and warships' fire (lines 163 to 222)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NoReturn

from msgspec import Struct

from rules.books.total_war.board import Battlefield, Shooter, lane_tiles, require_attacker
from rules.books.total_war.catalog import AceLevel, UnitClass
from rules.books.total_war.fight import Attack
from rules.books.total_war.order_kinds import COIN, CoinFace
from rules.books.total_war.terms import Missing, Refused, Terms
from rules.dice import MAX_DICE, MAX_SIDES, MIN_SIDES
from rules.geometry import EDGES, Square, touches
from rules.odds import count_ways

Use = Literal["accuracy", "damage", "coin", "counter", "fire"]
PERCENT = 100
"""Sides of the die by which a chance in percent is tried."""


class Die(Struct, frozen=True):
    """A die of so many sides, what for, and in which try (from 1) or for the unit on which tile."""

    use: Use
    sides: int
    attempt: int | None = None
    tile: Square | None = None


Thrower = Callable[[Die], int]
"""Returns the face, from 1, that a die falls on."""


def no_die(die: Die) -> NoReturn:
    """Refuse to throw a die where none falls."""
    msg = f"an order without dice asked for one: {die.use}"
    raise AssertionError(msg)


Try = Literal["miss", "held", "beats"]
"""How a try comes out: it misses by its accuracy, the defense holds, or the roll is higher than that."""

_STAT = re.compile(r"\s*([0-9]{1,4})\s*[xX]\s*([0-9]{1,4})[dD]([0-9]{1,5})\s*")


class Shooting(Struct, frozen=True):
    """A unit that is to shoot: its attack, its tile (None where it touches the target), and whether it has attacked in this turn."""

    attack: Attack
    at: Square | None = None
    attacked: bool = False


class Shot(Struct, frozen=True):
    """How the tries of a ranged attack came out; the last is the first that beats, if one does."""

    tries: tuple[Try, ...]

    @property
    def destroyed(self) -> bool:
        """Whether the target is destroyed."""
        return "beats" in self.tries


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
    """Return the one attack that units of a side make on a target, each as its own or all together (lines 186 to 188).

    That has the most attempts of theirs, one die with as many sides as theirs have together, and their lowest accuracy
    (AMB-51).
    """
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
    """Return the place of the one to whom a kill counts: who has most attempts, else the first (AMB-51)."""
    attempts = [attack.attempts for attack in attacks]
    return attempts.index(max(attempts))


def hit_chance(attack: Attack, defense: int) -> Fraction:
    """Return how likely an attack destroys a target: one try at least hits and rolls higher than its defense (line 182)."""
    higher = min(attack.sides, max(0, attack.sides - defense))
    each = Fraction(higher, attack.sides) * Fraction(PERCENT if attack.accuracy is None else attack.accuracy, PERCENT)
    return 1 - (1 - each) ** attack.attempts


def shoot(attack: Attack, defense: int, throw: Thrower) -> Shot:
    """Return how the tries come out; after one that beats no more are made (AMB-50)."""
    tries: list[Try] = []
    for attempt in range(1, attack.attempts + 1):
        tries.append(_try_attack(attack, defense, attempt, throw))
        if tries[-1] == "beats":
            break
    return Shot(tuple(tries))


def _try_attack(attack: Attack, defense: int, attempt: int, throw: Thrower) -> Try:
    if attack.accuracy is not None and throw(Die("accuracy", PERCENT, attempt)) > attack.accuracy:
        return "miss"
    return "beats" if throw(Die("damage", attack.sides, attempt)) > defense else "held"


class Melee(Struct, frozen=True):
    """How a melee attack came out, and the dice that were thrown for it."""

    target_destroyed: bool
    attacker_destroyed: bool
    dice: tuple[Use, ...]


class MeleeOdds(Struct, frozen=True):
    """How likely a melee attack destroys the target, the attacker, or nobody."""

    target: Fraction
    attacker: Fraction
    nobody: Fraction


def needs_call(terms: Terms, target: str) -> bool:
    """Return whether a coin is called for a melee attack on such a unit (line 194, AMB-52)."""
    return terms.of(UnitClass, target).armoured


def require_call(terms: Terms, attacker: str, target: str, call: CoinFace | None, whom: str = "") -> None:
    """Refuse a melee attack that is not possible, or for which the coin is not called; `whom` is what the target is called."""
    require_attacker(terms, attacker, melee=True)
    if call is None and needs_call(terms, target):
        label = terms.of(UnitClass, target).label.lower()
        against = f"{whom}, a {label}," if whom else f"a {label}"
        raise Missing("E_NO_CALL", f"Melee against {against} is decided by a coin. Call {' or '.join(COIN)}.")


def fight_melee(terms: Terms, attacker: str, target: str, call: CoinFace | None, throw: Thrower) -> Melee:
    """Return how a melee attack comes out."""
    require_call(terms, attacker, target, call)
    if not needs_call(terms, target):
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=())
    if COIN[throw(Die("coin", terms.number("melee-coin"))) - 1] == call:
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=("coin",))
    countered = throw(Die("counter", terms.number("counter-die"))) == terms.number("counter-face")
    return Melee(target_destroyed=False, attacker_destroyed=countered, dice=("coin", "counter"))


def melee_odds(terms: Terms, attacker: str, target: str) -> MeleeOdds:
    """Return how likely each end of a melee attack is."""
    require_attacker(terms, attacker, melee=True)
    hit = Fraction(1, terms.number("melee-coin")) if needs_call(terms, target) else Fraction(1)
    countered = (1 - hit) * Fraction(1, terms.number("counter-die"))
    return MeleeOdds(hit, countered, 1 - hit - countered)


class Exposed(Struct, frozen=True):
    """A unit that may stand in a lane: its class, its level as an ace (0 for none), and whether it is a hero."""

    kind: str
    ace: int = 0
    hero: bool = False


def require_ship(terms: Terms, kind: str, who: str = "It") -> None:
    """Refuse whatever does not fire down lanes; `who` is what it is called."""
    found = terms.of(UnitClass, kind)
    if not found.lanes:
        able = " or ".join(each.label.lower() for each in terms.book.listed(UnitClass).values() if each.lanes)
        raise Refused("E_NOT_WARSHIP", f"{who} is a {found.label.lower()}. Only a {able} can fire down a lane.")


def covered_tiles(field: Battlefield, ship: Shooter, way: str) -> tuple[Square, ...]:
    """Return the tiles that a shot in a direction covers: one lane, or by the switch all four (AMB-54)."""
    require_ship(field.terms, ship.kind, f"The unit on {ship.at}")
    if way not in EDGES:
        raise Refused("E_BAD_DIRECTION", f"{way!r} isn't the direction of a lane: write {', '.join(EDGES)}.")
    ways = (way,) if field.terms.setting("fire", str) == "lane" else tuple(EDGES)
    return tuple(place for each in ways for place in lane_tiles(field, ship, each))


def lane_chances(field: Battlefield, ship: Shooter, way: str, units: Mapping[Square, Exposed]) -> dict[Square, int]:
    """Return the units that a shot reaches by their tiles, with the chance in percent that it destroys each."""
    return {
        place: kill_chance(field.terms, units[place])
        for place in covered_tiles(field, ship, way)
        if place in units and field.is_exposed(place, ship.at, ship.flags)
    }


def kill_chance(terms: Terms, unit: Exposed) -> int:
    """Return the chance in percent that a shot destroys a unit that it reaches (lines 202 to 216, AMB-57)."""
    kind = terms.of(UnitClass, unit.kind)
    if unit.hero:
        return 0
    levels = (each.fire for each in terms.book.listed(AceLevel).values() if kind.armoured and each.level == unit.ace)
    return next(levels, kind.fire)


def needs_die(percent: int) -> bool:
    """Return whether a die falls for a unit, which what is certain needs none for."""
    return 0 < percent < PERCENT


def fire_lane(chances: Mapping[Square, int], throw: Thrower) -> tuple[Square, ...]:
    """Return the tiles of the units that a shot destroys, by their chances in percent."""
    return tuple(place for place, percent in chances.items() if _is_destroyed(place, percent, throw))


def kill_chances(chances: Iterable[int]) -> tuple[Fraction, ...]:
    """Return how likely it is that a shot destroys none of the units that it reaches, one, two, up to all."""
    each = [*chances]
    return tuple(Fraction(ways, PERCENT ** len(each)) for ways in count_ways(each, PERCENT))


def can_fire(terms: Terms, fired: int | None, turn: int) -> bool:
    """Return whether a ship that last fired in a turn may fire in another (line 222, AMB-53)."""
    return fired is None or turn - fired > terms.setting("cooldown", int)


def require_can_fire(terms: Terms, fired: int | None, turn: int, who: str = "The ship") -> None:
    """Refuse a shot while a ship, called `who`, cannot fire again."""
    if fired is not None and not can_fire(terms, fired, turn):
        blocked = terms.setting("cooldown", int)
        what = f"it fired in turn {fired} and can fire again in turn {fired + blocked + 1}"
        raise Refused("E_COOLDOWN", f"{who} can't fire in turn {turn}: {what}.")


def _is_destroyed(place: Square, percent: int, throw: Thrower) -> bool:
    return throw(Die("fire", PERCENT, tile=place)) <= percent if needs_die(percent) else percent > 0
