"""Lines about the board of a battle: where units go, what they attack, shots and melee."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from bot.cli.queries import BadLine
from bot.cli.questions import Asked, Op, Question
from bot.cli.total_war.faces import TypedMelee, TypedTries
from bot.cli.total_war.tiles import ClassName, OnTiles, TerrainName, fraction, listed, tile
from rules.books.total_war import shooting
from rules.books.total_war.aiming import require_attacker, require_foe, require_target, targets
from rules.books.total_war.board import Mover, Shooter
from rules.books.total_war.catalog import Enter, Where
from rules.books.total_war.going import destinations, require_steps
from rules.books.total_war.melee import is_called, melee, odds
from rules.books.total_war.refusal import Refused
from rules.books.total_war.shooting import Shooting
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import Side

Answer = dict[str, Any]
_ACCURACY = re.compile(r"\s*([0-9]{1,4})\s*%\s*")


class GoQuestion(OnTiles, frozen=True, kw_only=True, rename={"kind": "class"}):
    """A unit that is to move, and perhaps where to."""

    kind: ClassName
    map: Where
    at: str
    tiles: Mapping[TerrainName, Enter] = {}
    to: str | None = None


class AimQuestion(OnTiles, frozen=True, kw_only=True, rename={"kind": "class"}):
    """A unit that is to attack, and perhaps what."""

    kind: ClassName
    at: str
    how: Literal["ranged", "melee"] = "ranged"
    side: Literal["enemy", "own"] = "enemy"
    target: str | None = None


class StatQuestion(Question, frozen=True):
    """An attack and an accuracy as they are printed."""

    text: str
    accuracy: str | None = None


class Attacker(Question, frozen=True):
    """A unit that shoots: its attack, and where it stands if that counts."""

    attack: str
    accuracy: int | None = None
    at: str | None = None
    attacked: bool = False


class ShootQuestion(Question, frozen=True):
    """An attack at range by one unit or by several together, its target, and the dice try by try."""

    attacks: Annotated[tuple[Attacker, ...], Meta(min_length=1)]
    target: str | None = None
    defense: int | None = None
    dice: tuple[Mapping[str, int], ...] | None = None


class MeleeQuestion(Question, frozen=True):
    """A melee attack, the call, and how the coin and the die fell."""

    attacker: ClassName
    target: ClassName
    call: Side | None = None
    coin: Side | None = None
    d6: Annotated[int, Meta(ge=1, le=6)] | None = None


def go(asked: GoQuestion, terms: Terms) -> Answer:
    """Return where a unit can go, or in how many steps it goes somewhere."""
    field = asked.field(terms, asked.tiles)
    mover = Mover(asked.kind, tile(terms, asked.at), asked.map, frozenset(asked.flags))
    if asked.to is not None:
        return {"steps": require_steps(field, mover, tile(terms, asked.to))}
    return listed(destinations(field, mover))


def aim(asked: AimQuestion, terms: Terms) -> Answer:
    """Return what a unit can attack, or that it can attack something."""
    field, melee_attack = asked.field(terms), asked.how == "melee"
    shooter = Shooter(asked.kind, tile(terms, asked.at), frozenset(asked.flags), melee_attack)
    require_attacker(terms, asked.kind, melee=melee_attack)
    if asked.side == "own":
        require_foe(terms, shooter)
    if asked.target is not None:
        require_target(field, shooter, tile(terms, asked.target))
        return {}
    return listed(targets(field, shooter))


def stat(asked: StatQuestion, _terms: Terms) -> Answer:
    """Return what a printed attack says."""
    accuracy = None if asked.accuracy is None else _percent(asked.accuracy)
    attack = shooting.attack_of(asked.text, accuracy)
    return {"attempts": attack.attempts, "dice": 1, "sides": attack.sides, "accuracy": attack.accuracy}


def shoot(asked: ShootQuestion, terms: Terms) -> Answer:
    """Return how an attack at range comes out, and how likely it destroys its target."""
    units = [_shooting(each, terms) for each in asked.attacks]
    attack = shooting.combined(terms, units, None if asked.target is None else tile(terms, asked.target))
    told = {"attack": str(attack), "attempts": attack.attempts, "sides": attack.sides, "accuracy": attack.accuracy}
    chance = None if asked.defense is None else shooting.chance(attack, asked.defense)
    told |= {"chance": fraction(chance), "tries": None, "destroyed": None}
    if asked.dice is None:
        return told
    if asked.defense is None:
        raise BadLine("dice are rolled against a defense: give it")
    shot = shooting.shoot(attack, asked.defense, TypedTries(attack, asked.dice))
    return {**told, "tries": [*shot.tries], "destroyed": shot.destroyed}


def clash(asked: MeleeQuestion, terms: Terms) -> Answer:
    """Return how a melee attack comes out, and how likely each end of it is."""
    chances = odds(terms, asked.attacker, asked.target)
    told: Answer = {
        "target_destroyed": None,
        "attacker_destroyed": None,
        "dice": None,
        "credit": None,
        "chance": {
            "target": fraction(chances.target),
            "attacker": fraction(chances.attacker),
            "nobody": fraction(chances.nobody),
        },
    }
    if asked.coin is None and is_called(terms, asked.target):
        return told
    out = melee(terms, asked.attacker, asked.target, asked.call, TypedMelee(asked.coin, asked.d6))
    credit = "target" if out.attacker_destroyed else None
    return {
        **told,
        "target_destroyed": out.target_destroyed,
        "attacker_destroyed": out.attacker_destroyed,
        "dice": ["coin" if use == "coin" else "d6" for use in out.dice],
        "credit": "attacker" if out.target_destroyed else credit,
    }


def _percent(text: str) -> int:
    """Read an accuracy such as `40%`."""
    match = _ACCURACY.fullmatch(text)
    if match is None:
        raise Refused("E_BAD_STAT", f"{text!r} isn't an accuracy: write one such as 40%.")
    return int(match[1])


def _shooting(given: Attacker, terms: Terms) -> Shooting:
    attack = shooting.attack_of(given.attack, given.accuracy)
    return Shooting(attack, None if given.at is None else tile(terms, given.at), given.attacked)


OPS: Mapping[str, Asked] = {
    "go": Op(GoQuestion, go),
    "aim": Op(AimQuestion, aim),
    "stat": Op(StatQuestion, stat),
    "shoot": Op(ShootQuestion, shoot),
    "melee": Op(MeleeQuestion, clash),
}
