"""Infinity CodeOne: Normal Rolls (lines 92-102) and Face to Face Rolls.

The page breaks off before Face to Face Rolls. Failures are discarded, a critical beats all (line 72), the higher
success wins, and equal ones cancel each other.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec.structs import asdict, replace

from rules import errors, tables
from rules.book import Book
from rules.books.infinity import skill
from rules.dice import Dice
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure

SIDES = ("a", "b")
CRITICALS = 72

REASONS: Mapping[skill.Reason, str] = {
    "critical": "the only critical",
    "higher_success": "the higher success",
    "only_success": "the only success",
    "both_failed": "both failed",
    "tie": "equal successes",
    "both_critical": "criticals on both sides cancel each other",
    "no_roll": "both success values are below 1, no dice rolled",
}


class _FaceToFace(FrozenMethod, frozen=True):
    """A Face to Face Roll; its inputs and roles are `a` and `b`."""

    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        a, b = _sides(part)
        ours, mine = a.throw(dice, part.subjects["a"])
        theirs, other = b.throw(dice, part.subjects["b"])
        result = skill.compare_sides(ours, theirs)
        throws = (mine, other)
        if result.reason in {"critical", "both_critical"}:
            source = tables.Source(skill.PAGE, skill.SECTIONS[skill.ON_IT])
            throws = (replace(mine, source=source, line=CRITICALS), replace(other, source=source, line=CRITICALS))
        return MethodResult(
            throws, _conclude_contest(part, result.winner, _why(result)), contest_record(a.check, b.check, result)
        )

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        a, b = _sides(part)
        odds = skill.contest_odds(a.check, a.burst, b.check, b.burst)
        counts: tuple[tuple[skill.Winner, int], ...] = (("a", odds.a_wins), ("b", odds.b_wins), ("none", odds.none))
        return tuple(
            Chance(_conclude_contest(part, winner), Fraction(count, odds.of)) for winner, count in counts if count
        )

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        sides = zip(SIDES, _sides(part), strict=True)
        return [line for role, side in sides for line in (f"{part.subjects[role]}:", *side.lines())]


def contest_record(a: skill.Check, b: skill.Check, result: skill.OpposedResult) -> dict[str, object]:
    """Return a contest as records keep it."""
    return {
        "winner": result.winner,
        "reason": result.reason,
        "winner_hits": result.hits,
        "a": skill.fall_record(a, result.a),
        "b": skill.fall_record(b, result.b),
    }


def _sides(part: Part) -> tuple[skill.RollSide, skill.RollSide]:
    sides = []
    for role in SIDES:
        try:
            sides.append(skill.RollSide.of(part.inputs[role]))
        except errors.RollError as error:
            raise errors.RollError(f"{part.subjects[role]}: {error}") from None
    a, b = sides
    return a, b


def _conclude_contest(part: Part, winner: skill.Winner, why: str = "") -> Conclusion:
    how = "No winner" if winner == "none" else f"{part.subjects[winner]} wins"
    return Conclusion(winner, f"{how}{why}", "neutral" if winner == "none" else "success", "results")


def _why(result: skill.OpposedResult) -> str:
    why = f": {REASONS[result.reason]}"
    if result.reason == "higher_success":
        high, low = sorted((result.a.result or 0, result.b.result or 0), reverse=True)
        why += f", {high} against {low}"
    if result.reason == "tie":
        why += f" of {result.a.result}"
    return f"{why}, {result.hits} hits" if result.hits > 1 else why


TEXTS: dict[skill.Outcome, tuple[str, tables.Tone]] = {
    "critical": ("Critical success", "success"),
    "success": ("Success", "success"),
    "failure": ("Failure", "failure"),
    "auto_failure": ("Automatic failure", "failure"),
}


class _NormalRoll(FrozenMethod, frozen=True):
    """A Normal Roll; of several dice the best one counts."""

    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        side = skill.RollSide.of(part.inputs)
        falls, throw = side.throw(dice)
        fall = skill.find_best(falls)
        rolled = {"die_rolled": not side.check.auto_fail, "succeeded": fall.is_success}
        record = {**skill.fall_record(side.check, fall), **rolled}
        return MethodResult((throw,), _conclude_roll(fall.outcome, _count_text(falls)), record)

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        side = skill.RollSide.of(part.inputs)
        odds = asdict(skill.check_odds(side.check, side.burst))
        failure: skill.Outcome = "auto_failure" if side.check.auto_fail else "failure"
        counts: tuple[tuple[skill.Outcome, int], ...] = (
            ("critical", odds["critical"]),
            ("success", odds["plain_success"]),
            (failure, odds["failure"]),
        )
        return tuple(Chance(_conclude_roll(outcome), Fraction(count, odds["of"])) for outcome, count in counts if count)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        return tuple(skill.RollSide.of(part.inputs).lines())


def _conclude_roll(outcome: skill.Outcome, counted: str = "") -> Conclusion:
    text, tone = TEXTS[outcome]
    return Conclusion(outcome, f"{text}{counted}", tone, "results")


def _count_text(falls: Sequence[skill.DieResult]) -> str:
    if len(falls) == 1:
        return ""
    successes = sum(fall.is_success for fall in falls)
    criticals = sum(fall.outcome == "critical" for fall in falls)
    return f": {successes} of {len(falls)} dice succeed" + (f", {criticals} of them critical" if criticals else "")


_FOR_ALL = Policy(again="never", open_to_players=True)
_FACED, _ROLLS = "{a} against {b}, face to face", "{roller} makes a Normal Roll"
FACE_TO_FACE = Procedure("face-to-face", "Face to Face Roll", "a", "b", _FACED, _FaceToFace(), policy=_FOR_ALL)
NORMAL_ROLL = Procedure("normal-roll", "Normal Roll", "roller", "roller", _ROLLS, _NormalRoll(), policy=_FOR_ALL)
NUMBERS = skill.NUMBERS
PROCEDURES = (NORMAL_ROLL, FACE_TO_FACE)
