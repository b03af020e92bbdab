"""Free dice as a book of their own: no page is behind them, so that it is made here and not read from a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from msgspec.structs import replace

from rules.book import Book
from rules.dice import MAX_DICE, Dice, DiceTerm, Roll
from rules.expression import Expression, RepeatResult
from rules.modifiers import JsonObject
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.ruleset import RuleSet, take_fingerprint
from rules.terms import PoolDie, PoolRoll


class FreeDice(FrozenMethod, frozen=True):
    """The method of free dice; their totals are too many to list odds of, and mean and range stand in `lines`. Its inputs are those of `inputs_of`."""

    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        """Throw all dice of every repeat."""
        expression = Expression.parse(part.inputs["expression"])
        falls = expression.roll(dice)
        heads = [f"Roll {place + 1}: " for place in range(len(falls))] if falls[1:] else [""]
        steps = [throw for head, fall in zip(heads, falls, strict=True) for throw in _throws(expression, fall, head)]
        steps.append(Throw("Expected", "; ".join(_expectation(part.inputs))))
        text = _totals([fall.total for fall in falls], counts=expression.counts)
        record = {"totals": [fall.total for fall in falls]}
        return MethodResult(tuple(steps), Conclusion("rolled", text, "neutral", "results"), record)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        """Return mean and range, and how often dice explode."""
        return tuple(_expectation(part.inputs))


def inputs_of(expression: Expression) -> dict[str, object]:
    """Return what a roll of an expression takes; its label is left out. Working out the mean can take a third of a second."""
    low, high = expression.span
    mean = expression.mean
    return {
        "expression": expression.formula,
        "low": low,
        "high": high,
        "mean": None if mean is None else str(mean),
        "explosions": expression.explosions,
        "repeats": expression.repeats,
        "counts": expression.counts,
    }


def mean_text(mean: Fraction) -> str:
    """Return a mean in words: to four decimals, and whether it has more."""
    short = f"{float(mean):.4f}".rstrip("0").rstrip(".")
    return short if Fraction(short) == mean else f"about {short}"


def _expectation(inputs: JsonObject) -> Iterator[str]:
    each = " successes" if inputs.get("counts") else ""  # a card from before successes were told has no such input
    each += " each" if inputs["repeats"] > 1 else ""
    mean = f"mean {mean_text(Fraction(inputs['mean']))}" if inputs["mean"] else "the mean takes too long to compute"
    yield f"{inputs['low']} to {inputs['high']}{each}, {mean}"
    most = inputs["explosions"]
    if most:
        yield f"a die explodes {'once' if most == 1 else f'{most} times'} at most"


def _totals(totals: Sequence[int], *, counts: bool) -> str:
    """Return what one roll came to, or each of several."""
    if totals[1:]:
        return f"{'Successes' if counts else 'Totals'} {', '.join(map(str, totals))}"
    return _successes(totals[0]) if counts else f"Total {totals[0]}"


def _successes(count: int) -> str:
    return f"{count} {'success' if count == 1 else 'successes'}"


def _throws(expression: Expression, fall: RepeatResult, head: str) -> Iterator[Throw]:
    """Yield one throw for each pool of a repeat; the last tells how the total comes about, unless the pool is all of it."""
    total = f": {_successes(fall.total)}" if expression.counts else f" = {fall.total}"
    # The sum needs no line of its own where one pool is all that is rolled.
    alone = [pool_roll.total for pool_roll in fall.pool_rolls] == [fall.total]
    whole = alone and expression.counts == (fall.pool_rolls[0].pool.test is not None)
    for pool_roll in fall.pool_rolls:
        end = "" if whole or pool_roll is not fall.pool_rolls[-1] else f"; {expression.once}{total}"
        yield Throw(f"{head}{pool_roll.pool}", f"{_throw_text(pool_roll)}{end}", _rolls(pool_roll))
    if not fall.pool_rolls:
        yield Throw(f"{head}no dice", _totals([fall.total], counts=expression.counts).lower())


def _throw_text(pool_roll: PoolRoll) -> str:
    """Return what the dice come to, and those that do not count; where some exploded or are counted, which those are.

    All faces stand in front of it.
    """
    kept = [_die(die) for die in pool_roll.dice if die.kept]
    dropped = [_die(die) for die in pool_roll.dice if not die.kept]
    test = pool_roll.pool.test
    if test:
        passed = [str(face) for die in pool_roll.dice if die.kept for face in die.faces if test.holds(face)]
        text = _successes(pool_roll.total) + (f": {', '.join(passed)}" if passed else "")
    else:
        exploded = any("!" in die for die in kept)
        text = f"{' + '.join(kept)} = {pool_roll.total}" if exploded else str(pool_roll.total)
    return text + (f", dropped {', '.join(dropped)}" if dropped else "")


def _die(die: PoolDie) -> str:
    """Return the face of a die; one that exploded with a mark behind each highest face: (6! + 6! + 2)."""
    *exploded, last = die.faces
    return f"({' + '.join([*(f'{face}!' for face in exploded), str(last)])})" if exploded else str(last)


def _rolls(pool_roll: PoolRoll) -> tuple[Roll, ...]:
    """Return all faces of a pool in the order in which they fell, as few rolls as can be."""
    single = [roll for die in pool_roll.dice for roll in die.rolls]
    return tuple(
        Roll(DiceTerm(len(faces), pool_roll.pool.sides), faces, source)
        for source, alike in groupby(single, key=lambda roll: roll.source)
        # A `DiceTerm` has 20 dice at most, an exploding pool up to 100.
        for faces in _chunks([roll.total for roll in alike])
    )


def _chunks(faces: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(faces), MAX_DICE):
        yield tuple(faces[start : start + MAX_DICE])


PROCEDURE = Procedure(
    family="dice",
    title="Dice",
    actor="roller",
    subject="dice",
    headline="{roller} rolls {dice}",
    method=FreeDice(),
    policy=Policy(again="never", open_to_players=True),
)


_UNMARKED = RuleSet("dice", "Free dice", "", {}, {}, procedures={PROCEDURE.family: PROCEDURE})
BOOK = replace(_UNMARKED, fingerprint=take_fingerprint(_UNMARKED))
"""The book of free dice, which every campaign plays by."""
