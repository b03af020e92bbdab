"""Lines about the fire of warships: what a shot reaches, what becomes of it, and when the next one is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from bot.cli.questions import Asked, Forms, Op, Question
from bot.cli.total_war.faces import TypedFire
from bot.cli.total_war.tiles import (
    LANES,
    ClassName,
    Lane,
    Percent,
    TerrainName,
    by_tile,
    fraction,
    ground,
    listed,
    named,
    tile,
)
from rules.books.total_war import broadside
from rules.books.total_war.board import Battlefield, Shooter
from rules.books.total_war.terms import Terms
from rules.geometry.squares import Square

Answer = dict[str, Any]


class Caught(Question, frozen=True, rename={"kind": "class"}):
    """A unit that may stand in the lane."""

    kind: ClassName
    side: Literal["enemy", "own"] = "enemy"
    ace: Annotated[int, Meta(ge=0, le=5)] = 0
    hero: bool = False


class FireQuestion(Question, frozen=True, rename={"kind": "class"}):
    """A warship's shot, the units on the board, and the dice by their tiles."""

    at: str
    toward: Lane
    kind: ClassName = "warship"
    terrain: Mapping[str, TerrainName] = {}
    units: Mapping[str, Caught] = {}
    dice: Mapping[str, Percent] | None = None


class ReadyQuestion(Question, frozen=True):
    """The turn of a ship's last shot, and that of the next."""

    turn: int
    fired: int | None = None


class ShotsQuestion(Question, frozen=True):
    """The turns in each of which a shot is ordered."""

    turns: tuple[int, ...]


def fire(asked: FireQuestion, terms: Terms) -> Answer:
    """Return what a warship's shot covers, which units it reaches, and what becomes of them."""
    field = Battlefield(terms, ground(terms, asked.terrain))
    ship, way = Shooter(asked.kind, tile(terms, asked.at)), LANES[asked.toward]
    units = by_tile(terms, asked.units)
    exposed = {place: broadside.Exposed(unit.kind, unit.ace, unit.hero) for place, unit in units.items()}
    chances = broadside.tested(field, ship, way, exposed)
    destroyed, number = _struck(asked, terms, chances), broadside.number(chances.values())
    return {
        **listed(broadside.covered(field, ship, way)),
        "tested": named(chances),
        "chances": {str(place): percent for place, percent in chances.items()},
        "destroyed": None if destroyed is None else named(destroyed),
        "credited": None if destroyed is None else named(place for place in destroyed if units[place].side == "enemy"),
        "any": fraction(1 - number[0]),
        "number": {str(count): fraction(each) for count, each in enumerate(number)},
    }


def ready(asked: ReadyQuestion, terms: Terms) -> Answer:
    """Return that a ship may fire."""
    broadside.require_ready(terms, asked.fired, asked.turn)
    return {}


def shots(asked: ShotsQuestion, terms: Terms) -> Answer:
    """Return in which turns a ship fires that is ordered to in each of them."""
    accepted: list[int] = []
    refused: list[int] = []
    for turn in asked.turns:
        fired = accepted[-1] if accepted else None
        (accepted if broadside.is_ready(terms, fired, turn) else refused).append(turn)
    return {"accepted": accepted, "refused": refused}


def _struck(asked: FireQuestion, terms: Terms, chances: Mapping[Square, int]) -> tuple[Square, ...] | None:
    """Return the tiles of the units that are destroyed; None while dice are needed and there are none."""
    if asked.dice is None and any(map(broadside.is_thrown, chances.values())):
        return None
    return broadside.fire(chances, TypedFire(by_tile(terms, asked.dice or {})))


OPS: Mapping[str, Asked] = {
    "fire": Op(FireQuestion, fire),
    "cooldown": Forms({"turns": Op(ShotsQuestion, shots), "fired": Op(ReadyQuestion, ready)}),
}
