"""The rolls of Infinity CodeOne: Normal Rolls (lines 92-102) and Face to Face Rolls (infinity-codeone-rolls).

The page breaks off before the section of Face to Face Rolls. Failures are discarded, a critical beats all else (line 72),
the higher success wins, and equal ones cancel each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import asdict, replace

from rules.book import Book
from rules.books.infinity.skill import (
    NUMBERS,
    ON_IT,
    PAGE,
    SECTIONS,
    Check,
    DieResult,
    OpposedResult,
    Outcome,
    Reason,
    RollSide,
    Winner,
    check_odds,
    compare_sides,
    contest_odds,
    fall_record,
    find_best,
)
from rules.dice import Dice
from rules.errors import RollError
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.tables import Source, Tone

SIDES = ("a", "b")
CRITICALS = 72
"""The line of criticals in a contest."""

REASONS: Mapping[Reason, str] = {
    "critical": "the only critical",
    "higher_success": "the higher success",
    "only_success": "the only success",
    "both_failed": "both failed",
    "tie": "equal successes",
    "both_critical": "criticals on both sides cancel each other",
    "no_roll": "both success values are below 1, no dice rolled",
}


class FaceToFace(FrozenMethod, frozen=True):
    """The method of a Face to Face Roll; its inputs `a` and `b` are those of a `Side` each, its roles are `a` and `b`."""

    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of both sides and hold the best ones against each other."""
        a, b = _sides(part)
        ours, mine = a.throw(dice, part.subjects["a"])
        theirs, other = b.throw(dice, part.subjects["b"])
        result = compare_sides(ours, theirs)
        throws = tuple(_cite_criticals(throw, result) for throw in (mine, other))
        return MethodResult(
            throws, _conclude_contest(part, result.winner, _why(result)), contest_record(a.check, b.check, result)
        )

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        """Return the chances that either side wins, and that nobody does."""
        a, b = _sides(part)
        odds = contest_odds(a.check, a.burst, b.check, b.burst)
        counts: tuple[tuple[Winner, int], ...] = (("a", odds.a_wins), ("b", odds.b_wins), ("none", odds.none))
        return tuple(
            Chance(_conclude_contest(part, winner), Fraction(count, odds.of)) for winner, count in counts if count
        )

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        """Return how both success values come about."""
        return tuple(_lines(part))


def contest_record(a: Check, b: Check, result: OpposedResult) -> dict[str, object]:
    """Return a contest as records and the command line have it."""
    return {
        "winner": result.winner,
        "reason": result.reason,
        "winner_hits": result.hits,
        "a": fall_record(a, result.a),
        "b": fall_record(b, result.b),
    }


def _sides(part: Part) -> tuple[RollSide, RollSide]:
    """Return both sides; what is wrong with one is told with its name."""
    sides = []
    for role in SIDES:
        try:
            sides.append(RollSide.of(part.inputs[role]))
        except RollError as error:
            raise RollError(f"{part.subjects[role]}: {error}") from None
    a, b = sides
    return a, b


def _cite_criticals(throw: Throw, result: OpposedResult) -> Throw:
    """Cite the line of criticals for a throw of a contest that they decide."""
    if result.reason not in {"critical", "both_critical"}:
        return throw
    return replace(throw, source=Source(PAGE, SECTIONS[ON_IT]), line=CRITICALS)


def _lines(part: Part) -> Iterator[str]:
    for role, side in zip(SIDES, _sides(part), strict=True):
        yield f"{part.subjects[role]}:"
        yield from side.lines()


def _conclude_contest(part: Part, winner: Winner, why: str = "") -> Conclusion:
    how = "No winner" if winner == "none" else f"{part.subjects[winner]} wins"
    return Conclusion(winner, f"{how}{why}", "neutral" if winner == "none" else "success", "results")


def _why(result: OpposedResult) -> str:
    """Return the reason, the successes that were compared, and how many dice count as hits."""
    why = f": {REASONS[result.reason]}"
    if result.reason == "higher_success":
        high, low = sorted((result.a.result or 0, result.b.result or 0), reverse=True)
        why += f", {high} against {low}"
    if result.reason == "tie":
        why += f" of {result.a.result}"
    return f"{why}, {result.hits} hits" if result.hits > 1 else why


FACE_TO_FACE = Procedure(
    family="face-to-face",
    title="Face to Face Roll",
    actor="a",
    subject="b",
    headline="{a} against {b}, face to face",
    method=FaceToFace(),
    policy=Policy(again="never", open_to_players=True),
)


ROLLER = "roller"

TEXTS: dict[Outcome, tuple[str, Tone]] = {
    "critical": ("Critical success", "success"),
    "success": ("Success", "success"),
    "failure": ("Failure", "failure"),
    "auto_failure": ("Automatic failure", "failure"),
}


class NormalRoll(FrozenMethod, frozen=True):
    """The method of a Normal Roll; inputs are those of a `Side`. Of several dice the best one says what came of it."""

    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        """Throw the dice, unless the value is below 1."""
        side = RollSide.of(part.inputs)
        falls, throw = side.throw(dice)
        fall = find_best(falls)
        record = {**fall_record(side.check, fall), "die_rolled": not side.check.auto_fail, "succeeded": fall.succeeded}
        return MethodResult((throw,), _conclude_roll(fall.outcome, _count_text(falls)), record)

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        """Return the chances of a critical, of a success without one, and of neither."""
        side = RollSide.of(part.inputs)
        odds = asdict(check_odds(side.check, side.burst))
        failure: Outcome = "auto_failure" if side.check.auto_fail else "failure"
        counts: tuple[tuple[Outcome, int], ...] = (
            ("critical", odds["critical"]),
            ("success", odds["plain_success"]),
            (failure, odds["failure"]),
        )
        return tuple(Chance(_conclude_roll(outcome), Fraction(count, odds["of"])) for outcome, count in counts if count)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        """Return how the success value comes about."""
        return tuple(RollSide.of(part.inputs).lines())


def _conclude_roll(outcome: Outcome, counted: str = "") -> Conclusion:
    text, tone = TEXTS[outcome]
    return Conclusion(outcome, f"{text}{counted}", tone, "results")


def _count_text(falls: Sequence[DieResult]) -> str:
    """Return how many of several dice succeeded, and how many of them are criticals."""
    if len(falls) == 1:
        return ""
    succeeded = sum(fall.succeeded for fall in falls)
    criticals = sum(fall.outcome == "critical" for fall in falls)
    return f": {succeeded} of {len(falls)} dice succeed" + (f", {criticals} of them critical" if criticals else "")


NORMAL_ROLL = Procedure(
    family="normal-roll",
    title="Normal Roll",
    actor=ROLLER,
    subject=ROLLER,
    headline="{roller} makes a Normal Roll",
    method=NormalRoll(),
    policy=Policy(again="never", open_to_players=True),
)


__all__ = ["NUMBERS", "PROCEDURES"]

PROCEDURES = (NORMAL_ROLL, FACE_TO_FACE)
