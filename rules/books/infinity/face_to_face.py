"""Face to Face Rolls: two sides at once, each against its own success value (infinity-codeone-rolls).

The page breaks off before the section of these rolls. `rules.checks` holds how they are read: failures are discarded, a
critical beats all else (line 72), the higher success wins, and equal ones cancel each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rules.books.infinity.skill import ON_IT, PAGE, SECTIONS, Side, fall_record
from rules.checks import Check, Contest, Reason, Winner, contest, contest_odds
from rules.errors import RollError
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.tables import Source

if TYPE_CHECKING:
    from rules.book import Book
    from rules.dice import Dice

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
        result = contest(ours, theirs)
        throws = tuple(_cite_criticals(throw, result) for throw in (mine, other))
        return MethodResult(throws, _conclusion(part, result.winner, _why(result)), record(a.check, b.check, result))

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        """Return the chances that either side wins, and that nobody does."""
        a, b = _sides(part)
        odds = contest_odds(a.check, a.burst, b.check, b.burst)
        counts: tuple[tuple[Winner, int], ...] = (("a", odds.a_wins), ("b", odds.b_wins), ("none", odds.none))
        return tuple(Chance(_conclusion(part, winner), Fraction(count, odds.of)) for winner, count in counts if count)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        """Return how both success values come about."""
        return tuple(_lines(part))


def record(a: Check, b: Check, result: Contest) -> dict[str, object]:
    """Return a contest as records and the command line have it."""
    return {
        "winner": result.winner,
        "reason": result.reason,
        "winner_hits": result.hits,
        "a": fall_record(a, result.a),
        "b": fall_record(b, result.b),
    }


def _sides(part: Part) -> tuple[Side, Side]:
    """Return both sides; what is wrong with one is told with its name."""
    sides = []
    for role in SIDES:
        try:
            sides.append(Side.of(part.inputs[role]))
        except RollError as error:
            raise RollError(f"{part.subjects[role]}: {error}") from None
    a, b = sides
    return a, b


def _cite_criticals(throw: Throw, result: Contest) -> Throw:
    """Cite the line of criticals for a throw of a contest that they decide."""
    if result.reason not in {"critical", "both_critical"}:
        return throw
    return replace(throw, source=Source(PAGE, SECTIONS[ON_IT]), line=CRITICALS)


def _lines(part: Part) -> Iterator[str]:
    for role, side in zip(SIDES, _sides(part), strict=True):
        yield f"{part.subjects[role]}:"
        yield from side.lines()


def _conclusion(part: Part, winner: Winner, why: str = "") -> Conclusion:
    how = "No winner" if winner == "none" else f"{part.subjects[winner]} wins"
    return Conclusion(winner, f"{how}{why}", "neutral" if winner == "none" else "success", "results")


def _why(result: Contest) -> str:
    """Return the reason, the successes that were compared, and how many dice count as hits."""
    why = f": {REASONS[result.reason]}"
    if result.reason == "higher_success":
        high, low = sorted((result.a.result or 0, result.b.result or 0), reverse=True)
        why += f", {high} against {low}"
    if result.reason == "tie":
        why += f" of {result.a.result}"
    return f"{why}, {result.hits} hits" if result.hits > 1 else why


PROCEDURE = Procedure(
    family="face-to-face",
    title="Face to Face Roll",
    actor="a",
    subject="b",
    headline="{a} against {b}, face to face",
    method=FaceToFace(),
    policy=Policy(again="never", open_to_players=True),
)
