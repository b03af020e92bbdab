"""Normal Rolls: one side against its own success value, nobody opposing (infinity-codeone-rolls, lines 92-102)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from rules.books.infinity.skill import Side, fall_record
from rules.checks import Outcome, best, check_odds
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure

if TYPE_CHECKING:
    from rules.book import Book
    from rules.checks import Fall
    from rules.dice import Dice
    from rules.tables import Tone

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
        side = Side.of(part.inputs)
        falls, throw = side.throw(dice)
        fall = best(falls)
        record = {**fall_record(side.check, fall), "die_rolled": not side.check.auto_fail, "succeeded": fall.succeeded}
        return MethodResult((throw,), _conclusion(fall.outcome, _count_text(falls)), record)

    def odds(self, part: Part, _book: Book) -> tuple[Chance, ...]:
        """Return the chances of a critical, of a success without one, and of neither."""
        side = Side.of(part.inputs)
        odds = asdict(check_odds(side.check, side.burst))
        failure: Outcome = "auto_failure" if side.check.auto_fail else "failure"
        counts: tuple[tuple[Outcome, int], ...] = (
            ("critical", odds["critical"]),
            ("success", odds["plain_success"]),
            (failure, odds["failure"]),
        )
        return tuple(Chance(_conclusion(outcome), Fraction(count, odds["of"])) for outcome, count in counts if count)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        """Return how the success value comes about."""
        return tuple(Side.of(part.inputs).lines())


def _conclusion(outcome: Outcome, counted: str = "") -> Conclusion:
    text, tone = TEXTS[outcome]
    return Conclusion(outcome, f"{text}{counted}", tone, "results")


def _count_text(falls: Sequence[Fall]) -> str:
    """Return how many of several dice succeeded, and how many of them are criticals."""
    if len(falls) == 1:
        return ""
    succeeded = sum(fall.succeeded for fall in falls)
    criticals = sum(fall.outcome == "critical" for fall in falls)
    return f": {succeeded} of {len(falls)} dice succeed" + (f", {criticals} of them critical" if criticals else "")


PROCEDURE = Procedure(
    family="normal-roll",
    title="Normal Roll",
    actor=ROLLER,
    subject=ROLLER,
    headline="{roller} makes a Normal Roll",
    method=NormalRoll(),
    policy=Policy(again="never", open_to_players=True),
)
