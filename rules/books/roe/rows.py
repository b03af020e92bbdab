"""Rows of dice of the RoE book, each read by itself until enough have hit: surgery and escape (lines 473 to 475, 494)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.book import Book, Strikes
from rules.books.roe.contests import BY_WINNER
from rules.books.roe.lasting_rules import waiting
from rules.books.roe.turn_catalog import Timer
from rules.books.roe.wounds import minutes
from rules.dice import Dice, ScriptedDice
from rules.errors import RollError
from rules.odds import table_odds
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    Policy,
    Procedure,
    Stage,
    Step,
    Throw,
    WeighedStage,
)
from rules.stages import roll_stage, weigh_stage
from rules.tables import Consequence

BROKEN = "broken"
"""The outcome of a die that breaks its row."""
_BROKEN = -1
TRIES, KEPT, TOOLS = "tries", "kept", "tools"
"""The inputs of a part: how many dice are thrown, if the book does not say, how many have hit before, and how many tools there are."""
HITS, WAIT = "escape-hits", "escape-wait"
"""The deeds of an escape that has not come off: how many dice have hit so far, and how long the next try waits."""
_HITS = "actor.escape-hits"
_TIMER = "escape"


class RowMethod(FrozenMethod, frozen=True):
    """The method of a row of dice: as strikes, but hits of before count, and one die may break the whole row.

    A row that ends with a hit (`until`) is thrown die by die and ends with one that breaks it too; any other is thrown at
    once. One whose number of dice nobody says goes on until it ends.
    """

    row: str
    tables: tuple[str, ...]

    def check(self, part: Part, _book: Book) -> None:
        """Refuse a surgery without tools."""
        if TOOLS in part.inputs:
            check_surgery(tools=part.inputs[TOOLS], on_self=False)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the row."""
        declared, weighed = book.strikes[self.row], self.stages(part, book)[0]
        steps: list[Step] = []
        hits, broken = _kept(part), False
        for _ in _counted(_tries(declared, part)):
            if declared.until is not None and (broken or hits >= declared.until):
                break
            steps.append(roll_stage(weighed, dice))
            hits += steps[-1].row.outcome in declared.hits
            broken |= steps[-1].row.outcome == BROKEN
        tally = _tally(declared, part, book, _BROKEN if broken else hits)
        return MethodResult(
            (*_used(declared, part, book), *steps, tally),
            BY_WINNER(part, [tally.row]),
            {"hits": hits, "dice": len(steps)},
        )

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the table of one die, weighed."""
        return (weigh_stage(Stage(book.table(book.strikes[self.row].rolls[0])), part, first=True),)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of everything that the row can come to."""
        self.check(part, book)
        declared, weighed = book.strikes[self.row], self.stages(part, book)[0]
        die = table_odds(weighed.stage.table, weighed.sum, None, weighed.stage.number)
        hit = sum((chance for outcome, chance in die.items() if outcome in declared.hits), Fraction(0))
        chances: dict[str, tuple[Conclusion, Fraction]] = {}
        for count, chance in _row_odds(declared, part, hit, die.get(BROKEN, Fraction(0))):
            conclusion = BY_WINNER(part, [_tally(declared, part, book, count).row])
            before = chances.get(conclusion.outcome, (conclusion, Fraction(0)))[1]
            chances[conclusion.outcome] = conclusion, before + chance
        return tuple(Chance(conclusion, chance) for conclusion, chance in chances.values() if chance)


class EscapeMethod(RowMethod, frozen=True):
    """The method of an escape: successes are kept over tries, and after one that fails the next has to wait (line 494)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the row, and tell what is kept of it."""
        result = RowMethod.play(self, part, book, dice)
        hits, done = result.record["hits"], result.conclusion
        if done.consequences:
            return result
        kept = [Consequence(HITS, "actor", hits)] if hits else []
        wait = Consequence(WAIT, "actor", minutes(book, book.listed(Timer)[_TIMER]))
        return replace(result, conclusion=replace(done, consequences=(*kept, wait)))


def check_surgery(*, tools: int, on_self: bool) -> None:
    """Refuse a surgery without tools, or on one's own body (lines 473 and 475)."""
    if tools < 1:
        raise RollError("Surgery uses Medical_Tools.")
    if on_self:
        raise RollError("Characters can't operate on themselves.")


def _row_odds(declared: Strikes, part: Part, hit: Fraction, broken: Fraction) -> Iterator[tuple[int, Fraction]]:
    """Yield each number of hits, below nought for a broken row, with its chance."""
    tries, enough = _tries(declared, part), declared.until
    if tries is None:  # dice that neither hit nor break are thrown again: they do not count
        hit, broken, tries = hit / (hit + broken), broken / (hit + broken), enough or 0
    ways = {_kept(part): Fraction(1)}
    for _ in range(tries):
        after: dict[int, Fraction] = {}
        for count, chance in ways.items():
            ended = count == _BROKEN or (enough is not None and count >= enough)
            steps = ((count, Fraction(1)),) if ended else _next(count, hit, broken)
            for reached, further in steps:
                after[reached] = after.get(reached, Fraction(0)) + chance * further
        ways = after
    yield from ways.items()


def _next(count: int, hit: Fraction, broken: Fraction) -> Sequence[tuple[int, Fraction]]:
    return (_BROKEN, broken), (count, 1 - hit - broken), (count + 1, hit)


def _counted(tries: int | None) -> Iterator[int]:
    """Yield a number for each die, without end where nobody says how many there are."""
    done = 0
    while tries is None or done < tries:
        yield done
        done += 1


def _used(declared: Strikes, part: Part, book: Book) -> Iterator[Throw]:
    """Yield that tools are used up, where somebody has said how many there are."""
    if TOOLS in part.inputs:
        left = f"1 used up, {part.inputs[TOOLS] - 1} left"
        yield Throw("Medical_Tools", left, source=book.table(declared.tally).source, line=declared.line)


def _tries(declared: Strikes, part: Part) -> int | None:
    tries: int | None = part.inputs.get(TRIES, declared.tries)
    return tries


def _kept(part: Part) -> int:
    known = part.facts.get(_HITS)
    kept: int = part.inputs.get(KEPT, known.count if known else 0)
    return kept


def _tally(declared: Strikes, part: Part, book: Book, hits: int) -> Step:
    tally = Stage(book.table(declared.tally), value=hits)
    return roll_stage(weigh_stage(tally, part, first=False), ScriptedDice(()))


def _procedure(name: str, title: str, headline: str, die: str, method: type[RowMethod] = RowMethod) -> Procedure:
    return Procedure(
        family=f"roe.{name}",
        title=title,
        actor="actor",
        subject="resister",
        headline=headline,
        headline_alone="{actor} rolls",
        method=method(f"roe.{name}", (die, f"roe.{name}")),
        policy=Policy(again="never"),
        settles={WAIT: waiting},
    )


PROCEDURES = (
    _procedure("surgery", "Forced surgery", "{actor} operates on {resister}", "roe.surgery.die"),
    _procedure("install", "Surgery with consent", "{actor} operates on {resister}", "roe.surgery.die"),
    _procedure("escape", "Escape", "{actor} escapes from {resister}", "roe.escape.die", EscapeMethod),
)
