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
from rules.phrases import list_known, suggestion
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
    """A side with its dice; `burst` checks their number."""

    attribute: Whole
    mods: Numbers = ()
    crits: bool = True
    dice: Numbers = ()
    burst: Whole | None = None


class Rolling(Question, frozen=True):
    """A side about to roll."""

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
    """Resolve an unopposed roll; below 1 it has no die."""
    check = RollSide(attribute, mods, criticals=crits).check
    if die is None and not check.auto_fail:
        raise BadLine(f"missing die: write {EXAMPLES['die']}")
    (fall,) = check.read([] if die is None else [die])
    return {**fall_record(check, fall), "die_rolled": not check.auto_fail, "succeeded": fall.is_success}


def face_to_face(*, a: Rolled, b: Rolled) -> Answer:
    """Resolve two sides against each other."""
    result = compare_sides(_read("a", a, _falls), _read("b", b, _falls))
    return contest_record(_check(a), _check(b), result)


def odds_normal(*, attribute: Whole, mods: Numbers = (), crits: bool = True, burst: Whole = 1) -> Answer:
    """Return an unopposed roll's odds."""
    return asdict(check_odds(*_aim(Rolling(attribute=attribute, mods=mods, crits=crits, burst=burst))))


def odds_face_to_face(*, a: Rolling, b: Rolling) -> Answer:
    """Return the odds of two sides."""
    return asdict(contest_odds(*_read("a", a, _aim), *_read("b", b, _aim)))


OPS: Mapping[str, Op] = {
    "sv": success_value,
    "normal": normal,
    "face_to_face": face_to_face,
    "odds_normal": odds_normal,
    "odds_face_to_face": odds_face_to_face,
}


def answer(line: bytes) -> Answer:
    """Answer a line, or say what's wrong."""
    try:
        return _answer_op(read_object(line))
    except (RollError, BadLine) as error:
        return {"error": str(error)}


def _answer_op(asked: Answer) -> Answer:
    if "op" not in asked:
        raise BadLine(f"missing op: write {EXAMPLES['op']}{list_known(OPS)}")
    op = asked.pop("op")
    if not isinstance(op, str) or op not in OPS:
        name = f"{op}" if isinstance(op, str) else "that isn't text"
        raise BadLine(f"unknown op {name:.40}{suggestion(name, OPS) or list_known(OPS)}")
    return ask_strictly(OPS[op], asked, Question)


def _read(name: str, side: SideT, read: Callable[[SideT], ReadT]) -> ReadT:
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
    check_burst(side.burst)
    return _check(side), side.burst
