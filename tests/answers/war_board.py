"""Answers about moves, targets, shots, melee and fire on a board."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from rules.books.total_war import board, combat
from rules.books.total_war.board import Attack, Battlefield, Fighter, Ground, Mover, Shooter
from rules.books.total_war.catalog import COIN, CoinFace, Enter, Refused, Terms, Where
from rules.books.total_war.combat import PERCENT, Die, Shooting, Thrower, fight_melee, melee_odds, needs_call
from rules.geometry import Square
from tests.answers.lines import Answer, BadLine, Question

ValueT = TypeVar("ValueT")
ClassName = Literal["ms", "ma", "combat", "noncombat", "warship"]
TerrainName = Literal["open", "debris", "rock", "water", "bridge"]
Flag = Literal["flying", "amphibious"]
Lane = Literal["A", "L", "1", "12"]
Percent = Annotated[int, Meta(ge=1, le=PERCENT)]
Six = Annotated[int, Meta(ge=1, le=6)]
Ace = Annotated[int, Meta(ge=0, le=5)]
Turn = Annotated[int, Meta(ge=1)]
Tries = tuple[Mapping[str, int], ...]
LANES: Mapping[Lane, str] = {"A": "W", "L": "E", "1": "S", "12": "N"}
"""The directions of lanes, by where they lead."""
ACCURACY = re.compile(r"\s*([0-9]{1,4})\s*%\s*")


class Attacker(Question, frozen=True):
    """A unit that shoots: its attack, and its tile if that counts."""

    attack: str
    accuracy: int | None = None
    at: str | None = None
    attacked: bool = False


class Caught(Question, frozen=True, rename={"kind": "class"}):
    """A unit that may be in the lane of a warship's shot."""

    kind: ClassName
    side: Literal["enemy", "own"] = "enemy"
    ace: Ace = 0
    hero: bool = False


def tile(terms: Terms, text: str) -> Square:
    """Read a tile."""
    try:
        return board.tile(terms, text)
    except ValueError as error:
        raise BadLine(str(error)) from None


def by_tile(terms: Terms, given: Mapping[str, ValueT]) -> dict[Square, ValueT]:
    """Return what is written by tiles."""
    found = {tile(terms, text): value for text, value in given.items()}
    if len(found) < len(given):
        raise BadLine("a tile is written twice")
    return found


def ground(terms: Terms, terrain: Mapping[str, TerrainName], enter: Mapping[TerrainName, Enter]) -> Ground:
    """Return what lies on tiles."""
    lying = {str(place): what for place, what in by_tile(terms, terrain).items()}
    return Ground(lying, {str(name): who for name, who in enter.items()})


def _write_tiles(places: Iterable[Square]) -> list[str]:
    return [str(place) for place in sorted(places)]


def _list_tiles(places: Collection[Square]) -> Answer:
    return {"count": len(places), "tiles": _write_tiles(places)}


def fraction(chance: Fraction | None) -> str | None:
    """Write a chance."""
    return None if chance is None else str(chance)


def read_tries(attack: Attack, tries: Sequence[Mapping[str, int]]) -> Thrower:
    """Return the dice of a ranged attack; unused ones are allowed."""
    if len(tries) > attack.attempts:
        raise BadLine(f"dice: {len(tries)} tries, and {attack} has {attack.attempts}")
    known = {f"d{sides}": sides for sides in (PERCENT, attack.sides)}
    for name, face in ((name, face) for fallen in tries for name, face in fallen.items()):
        if name not in known:
            raise BadLine(f"dice: no {name} falls for {attack}")
        if not 1 <= face <= known[name]:
            raise BadLine(f"dice: a {name} has no face {face}")

    def throw(die: Die) -> int:
        place, name = (die.attempt or 1) - 1, f"d{die.sides}"
        fallen = tries[place] if place < len(tries) else {}
        if name not in fallen:
            raise BadLine(f"dice: the {name} of try {die.attempt} is missing")
        if attack.accuracy is not None and die.use == "damage" and die.sides == PERCENT:
            raise BadLine(f"dice: try {die.attempt} has two dice by the name {name}")
        return fallen[name]

    return throw


def read_fire(faces: Mapping[Square, int]) -> Thrower:
    """Return the dice of a warship's shot, by tiles."""

    def throw(die: Die) -> int:
        if die.tile is None or die.tile not in faces:
            raise BadLine(f"dice: the d{die.sides} of {die.tile} is missing")
        return faces[die.tile]

    return throw


def read_melee(coin: CoinFace | None, d6: int | None) -> Thrower:
    """Return the coin and the die of a melee attack."""
    faces = {"coin": None if coin is None else COIN.index(coin) + 1, "counter": d6}

    def throw(die: Die) -> int:
        face = faces[die.use]
        if face is None:
            raise BadLine(f"dice: the {'coin' if die.use == 'coin' else f'd{die.sides}'} is missing")
        return face

    return throw


def _go(
    terms: Terms,
    *,
    terrain: Mapping[str, TerrainName] = {},
    units: tuple[str, ...] = (),
    flags: tuple[Flag, ...] = (),
    class_: ClassName,
    map_: Where,
    at: str,
    tiles: Mapping[TerrainName, Enter] = {},
    to: str | None = None,
) -> Answer:
    """Return where a unit can go, or in how many steps it goes somewhere."""
    held = frozenset(tile(terms, text) for text in units)
    field = Battlefield(terms, ground(terms, terrain, tiles), held)
    mover = Mover(class_, tile(terms, at), map_, frozenset(flags))
    if to is not None:
        return {"steps": board.require_steps(field, mover, tile(terms, to))}
    return _list_tiles(board.destinations(field, mover))


def _aim(
    terms: Terms,
    *,
    terrain: Mapping[str, TerrainName] = {},
    units: tuple[str, ...] = (),
    flags: tuple[Flag, ...] = (),
    class_: ClassName,
    at: str,
    how: Literal["ranged", "melee"] = "ranged",
    side: Literal["enemy", "own"] = "enemy",
    target: str | None = None,
) -> Answer:
    """Return what a unit can attack, or that it can attack something."""
    held = frozenset(tile(terms, text) for text in units)
    field = Battlefield(terms, ground(terms, terrain, {}), held)
    shooter = Shooter(class_, tile(terms, at), frozenset(flags), how == "melee")
    board.require_attacker(terms, class_, melee=how == "melee")
    if side == "own":
        board.require_foe(terms, shooter)
    if target is not None:
        board.require_target(field, shooter, tile(terms, target))
        return {}
    return _list_tiles(board.target_tiles(field, shooter))


def _stat(_: Terms, *, text: str, accuracy: str | None = None) -> Answer:
    match = None if accuracy is None else ACCURACY.fullmatch(accuracy)
    if accuracy is not None and match is None:
        raise Refused("E_BAD_STAT", f"{accuracy!r} isn't an accuracy: write one such as 40%.")
    attack = combat.parse_attack(text, None if match is None else int(match[1]))
    return {"attempts": attack.attempts, "dice": 1, "sides": attack.sides, "accuracy": attack.accuracy}


def _shoot(
    terms: Terms,
    *,
    attacks: Annotated[tuple[Attacker, ...], Meta(min_length=1)],
    target: str | None = None,
    defense: int | None = None,
    dice: Tries | None = None,
) -> Answer:
    units = [
        Shooting(
            combat.parse_attack(each.attack, each.accuracy),
            None if each.at is None else tile(terms, each.at),
            each.attacked,
        )
        for each in attacks
    ]
    attack = combat.combine_attacks(terms, units, None if target is None else tile(terms, target))
    answer = {"attack": str(attack), "attempts": attack.attempts, "sides": attack.sides, "accuracy": attack.accuracy}
    chance = None if defense is None else combat.hit_chance(attack, defense)
    answer |= {"chance": fraction(chance), "tries": None, "destroyed": None}
    if dice is None:
        return answer
    if defense is None:
        raise BadLine("dice are rolled against a defense: give it")
    tries = combat.shoot(attack, defense, read_tries(attack, dice))
    return {**answer, "tries": [*tries], "destroyed": "beats" in tries}


def _clash(
    terms: Terms,
    *,
    attacker: ClassName,
    target: ClassName,
    call: CoinFace | None = None,
    coin: CoinFace | None = None,
    d6: Six | None = None,
) -> Answer:
    chances = melee_odds(terms, attacker, target)
    chance = {name: fraction(getattr(chances, name)) for name in ("target", "attacker", "nobody")}
    if coin is None and needs_call(terms, target):
        unknown = ("target_destroyed", "attacker_destroyed", "dice", "credit")
        return {**dict.fromkeys(unknown), "chance": chance}
    out = fight_melee(terms, attacker, target, call, read_melee(coin, d6))
    credit = "target" if out.attacker_destroyed else None
    return {
        "target_destroyed": out.target_destroyed,
        "attacker_destroyed": out.attacker_destroyed,
        "dice": ["coin" if use == "coin" else "d6" for use in out.dice],
        "credit": "attacker" if out.target_destroyed else credit,
        "chance": chance,
    }


def _fire(
    terms: Terms,
    *,
    at: str,
    toward: Lane,
    class_: ClassName = "warship",
    terrain: Mapping[str, TerrainName] = {},
    units: Mapping[str, Caught] = {},
    dice: Mapping[str, Percent] | None = None,
) -> Answer:
    field = Battlefield(terms, ground(terms, terrain, {}))
    ship, way = Shooter(class_, tile(terms, at)), LANES[toward]
    there = by_tile(terms, units)
    exposed = {
        place: Fighter("", unit.kind, place, None, 0, ace=unit.ace, hero=unit.hero) for place, unit in there.items()
    }
    chances = combat.lane_chances(field, ship, way, exposed)
    destroyed: Sequence[Square] | None = None
    if dice is not None or not any(0 < chance < PERCENT for chance in chances.values()):
        destroyed = combat.fire_lane(chances, read_fire(by_tile(terms, dice or {})))
    enemies = [place for place in destroyed or () if there[place].side == "enemy"]
    number = combat.kill_chances(chances.values())
    return {
        **_list_tiles(combat.list_covered_tiles(field, ship, way)),
        "tested": _write_tiles(chances),
        "chances": {str(place): percent for place, percent in chances.items()},
        "destroyed": None if destroyed is None else _write_tiles(destroyed),
        "credited": None if destroyed is None else _write_tiles(enemies),
        "any": fraction(1 - number[0]),
        "number": {str(count): fraction(each) for count, each in enumerate(number)},
    }


def _ready(terms: Terms, *, turn: int, fired: int | None = None) -> Answer:
    combat.require_can_fire(terms, fired, turn)
    return {}


def _shots(terms: Terms, *, turns: tuple[int, ...]) -> Answer:
    accepted: list[int] = []
    refused: list[int] = []
    for turn in turns:
        fired = accepted[-1] if accepted else None
        (accepted if combat.can_fire(terms, fired, turn) else refused).append(turn)
    return {"accepted": accepted, "refused": refused}


OPS: Mapping[str, Any] = {
    "go": _go,
    "aim": _aim,
    "stat": _stat,
    "shoot": _shoot,
    "melee": _clash,
    "fire": _fire,
    "cooldown": {"turns": _shots, "fired": _ready},
}
