"""`adjutant rules infinity`: success values, rolls and exact odds of Infinity CodeOne, one line of JSON each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from msgspec.structs import asdict
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from bot.cli.queries import BadLine, Small, read_object
from rules.books.infinity.face_to_face import record
from rules.books.infinity.skill import Skill, check_burst, fall_record
from rules.checks import Check, Fall, check_odds, contest, contest_odds
from rules.errors import RollError, WrongDice
from rules.explain import explain, relevant_errors
from rules.phrases import known_list, suggestion

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


PreparedT = TypeVar("PreparedT")


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SkillQuery(_Strict):
    """An attribute and its modifiers; `crits` is false for a skill that has no criticals."""

    attribute: Small
    mods: Annotated[list[Small], Field(default_factory=list)]
    crits: bool = True

    @property
    def skill(self) -> Skill:
        """The skill as the rules take it."""
        return Skill(self.attribute, tuple(self.mods), self.crits)


class NormalQuery(SkillQuery):
    """One roll that nobody opposes; no die where none is rolled."""

    die: Small | None = None


class OddsQuery(SkillQuery):
    """A roll to come, of one die or several."""

    burst: Small = 1

    def prepared(self) -> tuple[Check, int]:
        """Return the check and how many dice it is rolled with."""
        check_burst(self.burst)
        return self.skill.check, self.burst


class DiceQuery(SkillQuery):
    """One side with its dice as they fell; `burst` may say how many they have to be."""

    dice: Annotated[list[Small], Field(default_factory=list)]
    burst: Small | None = None

    def prepared(self) -> tuple[Fall, ...]:
        """Return what each of its dice came to."""
        falls = self.skill.check.read(self.dice)
        check_burst(len(falls) if self.burst is None else self.burst)
        if self.dice and self.burst not in {None, len(self.dice)}:
            raise WrongDice(f"A burst of {self.burst} takes as many dice, not {len(self.dice)}.")
        return falls


class ContestQuery(_Strict):
    """Two sides with their dice."""

    a: DiceQuery = Field(alias="a")
    b: DiceQuery = Field(alias="b")


class ContestOddsQuery(_Strict):
    """Two sides about to roll."""

    a: OddsQuery = Field(alias="a")
    b: OddsQuery = Field(alias="b")


def answer(line: bytes) -> dict[str, Any]:
    """Return the answer to one line, or what is wrong with it."""
    try:
        return _result(read_object(line))
    except (RollError, BadLine) as error:
        return {"error": str(error)}


def _result(query: dict[str, Any]) -> dict[str, Any]:
    if "op" not in query:
        raise BadLine(f"missing op: write {EXAMPLES['op']}{known_list(_OPS)}")
    op = query.pop("op")
    if not isinstance(op, str) or op not in _OPS:
        name = f"{op}" if isinstance(op, str) else "that isn't text"
        raise BadLine(f"unknown op {name:.40}{suggestion(name, _OPS) or known_list(_OPS)}")
    model, evaluate = _OPS[op]
    try:
        return evaluate(model.model_validate(query))
    except ValidationError as error:
        raise BadLine("; ".join(_explained(model, detail) for detail in relevant_errors(model, error))) from None


def _explained(model: type[BaseModel], detail: ErrorDetails) -> str:
    what = explain(model, detail, EXAMPLES)
    side, *within = detail["loc"]
    return f"{side}: {what}" if within and side in {"a", "b"} else what


def _sv(query: SkillQuery) -> dict[str, Any]:
    skill = query.skill
    return {
        "mod_sum": skill.modifier_sum,
        "mod_applied": skill.modifier,
        "sv": skill.check.value,
        "effective_sv": skill.check.effective,
        "die_bonus": skill.check.bonus,
        "auto_fail": skill.check.auto_fail,
    }


def _normal(query: NormalQuery) -> dict[str, Any]:
    check = query.skill.check
    if query.die is None and not check.auto_fail:
        raise BadLine(f"missing die: write {EXAMPLES['die']}")
    (fall,) = check.read([] if query.die is None else [query.die])
    return {**fall_record(check, fall), "die_rolled": not check.auto_fail, "succeeded": fall.succeeded}


def _face_to_face(query: ContestQuery) -> dict[str, Any]:
    result = contest(_prepared("a", query.a.prepared), _prepared("b", query.b.prepared))
    return record(query.a.skill.check, query.b.skill.check, result)


def _odds_normal(query: OddsQuery) -> dict[str, Any]:
    return asdict(check_odds(*query.prepared()))


def _odds_face_to_face(query: ContestOddsQuery) -> dict[str, Any]:
    return asdict(contest_odds(*_prepared("a", query.a.prepared), *_prepared("b", query.b.prepared)))


def _prepared(side: str, prepare: Callable[[], PreparedT]) -> PreparedT:
    """Return what a side prepares; an error names the side."""
    try:
        return prepare()
    except RollError as error:
        raise BadLine(f"{side}: {error}") from None


_OPS: Mapping[str, tuple[type[BaseModel], Callable[[Any], dict[str, Any]]]] = {
    "sv": (SkillQuery, _sv),
    "normal": (NormalQuery, _normal),
    "face_to_face": (ContestQuery, _face_to_face),
    "odds_normal": (OddsQuery, _odds_normal),
    "odds_face_to_face": (ContestOddsQuery, _odds_face_to_face),
}
