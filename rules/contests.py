"""Rolls of several dice that are one matter: two sides against each other, and several tries at one thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import cache, partial
from math import prod

from rules.book import MAX_TRIES, Book, Strikes
from rules.dice import Dice, ScriptedDice
from rules.errors import RollError
from rules.odds import count_ways, table_odds
from rules.procedure import Chance, FrozenMethod, MethodResult, Part, Shared, Stage, Step, WeighedStage
from rules.stages import Conclude, TableMethod, roll_stage, stage_of, weigh_stage


@cache  # so that procedures built twice are equal
@cache  # so that procedures built twice are equal
def contest_method(contest: str, tables: tuple[str, str], conclude: Conclude) -> TableMethod:
    """Return the method of a contest: the actor's table, then the resister's, read off the actor's total.

    `tables` are the two, so that a procedure says which it rolls on before its book is loaded.
    """
    return TableMethod(tables, conclude, partial(_first_stage, contest), shares=partial(_shares, contest))


def _first_stage(contest: str, part: Part, book: Book) -> Stage:
    declared = book.contests[contest]
    actor, resister = stage_of(declared.actor, part, book), book.table(declared.resister)
    plain = Stage(resister, opposes=True)
    then = {row.outcome: plain for row in actor.table.rows}
    for outcome, reading in declared.against.items():
        then[outcome] = Stage(resister, resister.readings[reading], opposes=True)
    return Stage(actor.table, then=then, value=actor.value)


def _shares(contest: str, book: Book) -> Shared | None:
    declared = book.contests[contest]
    sides: dict[str, Shared] = {"actor": (declared.actor, "actor"), "resister": (declared.resister, "subject")}
    return sides.get(declared.each or "")


class StrikesMethod(FrozenMethod, frozen=True):
    """The method of strikes: tries until they are used up or enough have hit, and a table that reads how many did.

    A part's inputs may have `tries`, and under `values` what its tables are read against. `tables` are those of the rolls
    and of the tally, so that a procedure says which it rolls on before its book is loaded.
    """

    strikes: str
    tables: tuple[str, ...]
    conclude: Conclude

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Try, and try again."""
        declared, stages = book.strikes[self.strikes], self.stages(part, book)
        steps: list[Step] = []
        hits = 0
        for _ in range(_tries(declared, part)):
            if hits == declared.until:
                break
            hits += _tried(declared, stages, dice, steps)
        tally = _tally(declared, part, book, hits)
        return MethodResult((*steps, tally), self.conclude(part, [tally.row]), {"hits": hits})

    def check(self, part: Part, book: Book) -> None:
        """Refuse tries that nobody says, and tables without their numbers."""
        _tries(book.strikes[self.strikes], part)
        self.stages(part, book)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the tables of one try, weighed."""
        stages = [stage_of(table, part, book) for table in book.strikes[self.strikes].rolls]
        for stage in stages:
            stage.require_numbers()
        return tuple(weigh_stage(stage, part, first=not place) for place, stage in enumerate(stages))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of everything that the number of hits can mean, the fewest hits first."""
        declared, tries = book.strikes[self.strikes], _tries(book.strikes[self.strikes], part)
        hit = prod((_passed(weighed, declared.hits) for weighed in self.stages(part, book)), start=Fraction(1))
        counts, most = count_ways([hit.numerator] * tries, hit.denominator), min(declared.until or tries, tries)
        chances: dict[str, Chance] = {}
        for hits, ways in enumerate((*counts[:most], sum(counts[most:]))):
            conclusion = self.conclude(part, [_tally(declared, part, book, hits).row])
            before = chances[conclusion.outcome].chance if conclusion.outcome in chances else Fraction(0)
            if ways:
                chances[conclusion.outcome] = Chance(conclusion, before + Fraction(ways, hit.denominator**tries))
        return tuple(chances.values())


def _tries(declared: Strikes, part: Part) -> int:
    """Return how many tries there are."""
    tries = part.inputs.get("tries", declared.tries)
    if tries is None or not 1 <= tries <= MAX_TRIES:
        raise RollError(f"{declared.title} takes 1 to {MAX_TRIES} tries, not {tries or 'none'}.")
    return int(tries)


def _tried(declared: Strikes, stages: Sequence[WeighedStage], dice: Dice, steps: list[Step]) -> bool:
    """Roll table by table as long as each lets the try go on, and return whether it hit."""
    for weighed in stages:
        steps.append(roll_stage(weighed, dice))
        if steps[-1].row.outcome not in declared.hits:
            return False
    return True


def _passed(weighed: WeighedStage, hits: Collection[str]) -> Fraction:
    stage = weighed.stage
    odds = table_odds(stage.table, weighed.sum, stage.reading, stage.number)
    return sum((chance for outcome, chance in odds.items() if outcome in hits), Fraction(0))


def _tally(declared: Strikes, part: Part, book: Book, hits: int) -> Step:
    tally = Stage(book.table(declared.tally), value=hits)
    return roll_stage(weigh_stage(tally, part, first=not declared.rolls), ScriptedDice(()))
