"""Success values, rolls and exact odds of Infinity CodeOne."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar

from msgspec.structs import asdict

from rules.books.infinity.book import contest_record
from rules.books.infinity.skill import (
    Check,
    DieResult,
    RollSide,
    check_burst,
    check_odds,
    compare_sides,
    contest_odds,
    fall_record,
)
from rules.errors import RollError, WrongDice
from rules.kinds import RuleItem, Whole
from rules.phrases import known_list, suggestion
from tests.answers.lines import Answer, BadLine, Op, ask_strictly, read_object

EXAMPLES: Mapping[str, str] = {
    "op": '"op": "sv"',
    "attribute": '"attribute": 13',
    "mods": '"mods": [-6, -3]',
    "crits": '"crits": false',
    "die": '"die": 12',
    "dice": '"dice": [12]',
    "burst": '"burst": 3',
    "a": '"a": {"attribute": 13, "mods": [-3]}',
    "b": '"b": {"attribute": 12, "mods": []}',
}
Numbers = tuple[Whole, ...]
SideT = TypeVar("SideT", bound=RuleItem)
ReadT = TypeVar("ReadT")


class Question(RuleItem, frozen=True):
    """What is asked."""

    noun = ""
    examples: ClassVar[Mapping[str, str]] = EXAMPLES


class Rolled(Question, frozen=True):
    """One side with its dice as they fell; `burst` may say how many they have to be."""

    attribute: Whole
    mods: Numbers = ()
    crits: bool = True
    dice: Numbers = ()
    burst: Whole | None = None


class Rolling(Question, frozen=True):
    """One side about to roll, one die or several."""

    attribute: Whole
    mods: Numbers = ()
    crits: bool = True
    burst: Whole = 1


def success_value(*, attribute: Whole, mods: Numbers = (), crits: bool = True) -> Answer:
    """Return a success value with its parts."""
    side = RollSide(attribute, mods, criticals=crits)
    return {
        "mod_sum": side.modifier_sum,
        "mod_applied": side.modifier,
        "sv": side.check.value,
        "effective_sv": side.check.effective,
        "die_bonus": side.check.bonus,
        "auto_fail": side.check.auto_fail,
    }


def normal(*, attribute: Whole, mods: Numbers = (), crits: bool = True, die: Whole | None = None) -> Answer:
    """Return how a roll comes out that no side opposes; it has no die below a value of 1."""
    check = RollSide(attribute, mods, criticals=crits).check
    if die is None and not check.auto_fail:
        raise BadLine(f"missing die: write {EXAMPLES['die']}")
    (fall,) = check.read([] if die is None else [die])
    return {**fall_record(check, fall), "die_rolled": not check.auto_fail, "succeeded": fall.succeeded}


def face_to_face(*, a: Rolled, b: Rolled) -> Answer:
    """Return how two sides' dice come out against each other."""
    result = compare_sides(_read("a", a, _falls), _read("b", b, _falls))
    return contest_record(_check(a), _check(b), result)


def odds_normal(*, attribute: Whole, mods: Numbers = (), crits: bool = True, burst: Whole = 1) -> Answer:
    """Return the odds of a roll that no side opposes."""
    return asdict(check_odds(*_aim(Rolling(attribute=attribute, mods=mods, crits=crits, burst=burst))))


def odds_face_to_face(*, a: Rolling, b: Rolling) -> Answer:
    """Return the odds of two sides against each other."""
    return asdict(contest_odds(*_read("a", a, _aim), *_read("b", b, _aim)))


OPS: Mapping[str, Op] = {
    "sv": success_value,
    "normal": normal,
    "face_to_face": face_to_face,
    "odds_normal": odds_normal,
    "odds_face_to_face": odds_face_to_face,
}


def answer(line: bytes) -> Answer:
    """Return the answer to a line, or what is wrong with it."""
    try:
        return _answered(read_object(line))
    except (RollError, BadLine) as error:
        return {"error": str(error)}


def _answered(asked: Answer) -> Answer:
    if "op" not in asked:
        raise BadLine(f"missing op: write {EXAMPLES['op']}{known_list(OPS)}")
    op = asked.pop("op")
    if not isinstance(op, str) or op not in OPS:
        name = f"{op}" if isinstance(op, str) else "that isn't text"
        raise BadLine(f"unknown op {name:.40}{suggestion(name, OPS) or known_list(OPS)}")
    return ask_strictly(OPS[op], asked, Question)


def _read(name: str, side: SideT, read: Callable[[SideT], ReadT]) -> ReadT:
    """Return what is read off a side; an error names it."""
    try:
        return read(side)
    except RollError as error:
        raise BadLine(f"{name}: {error}") from None


def _check(side: Rolled | Rolling) -> Check:
    return RollSide(side.attribute, side.mods, criticals=side.crits).check


def _falls(side: Rolled) -> tuple[DieResult, ...]:
    falls = _check(side).read(side.dice)
    check_burst(len(falls) if side.burst is None else side.burst)
    if side.dice and side.burst not in {None, len(side.dice)}:
        raise WrongDice(f"A burst of {side.burst} takes as many dice, not {len(side.dice)}.")
    return falls


def _aim(side: Rolling) -> tuple[Check, int]:
    """Return a side's check and how many dice it is rolled with."""
    check_burst(side.burst)
    return _check(side), side.burst
