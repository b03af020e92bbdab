"""Surgery, escape, treatment and the hospital (lines 33, 56, 71, 171, 178, 473 to 475, 494)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count

from msgspec.structs import replace

from rules.book import Book, Strikes
from rules.books.roe.catalog import ACTOR, RESISTER, Option, find_rule
from rules.books.roe.contests import BY_WINNER, ONCE, CertainMethod
from rules.books.roe.turns import AN_HOUR, Timer, settle_recovery, settle_wait
from rules.books.roe.wounds import HEALTH, count_hp_left, count_minutes, full_hp, halve_loss, with_hp
from rules.dice import Dice, ScriptedDice
from rules.errors import RollError
from rules.modifiers import WeighedModifier
from rules.odds import table_odds
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    Procedure,
    Stage,
    Step,
    Throw,
    WeighedStage,
)
from rules.stages import roll_stage, weigh_stage
from rules.tables import Consequence, Tone, weigh_score

HP, HOURS, CREDITS = "hp", "hours", "credits"
"""Inputs: HP or hours of a treatment, and credits at the hospital."""
_SCORES = ((RESISTER, "heal"), (ACTOR, "healing"))
_EFFECT = "medical-effect"
BROKEN = "broken"
_BROKEN = -1
TRIES, KEPT, TOOLS = "tries", "kept", "tools"
"""Inputs: how many dice if the book doesn't say, hits so far, and tools."""
_HITS_KEPT, WAIT = "escape-hits", "escape-wait"
"""The consequences of a failed escape: hits so far, and the wait."""
_HITS = "actor.escape-hits"
_TIMER = "escape"


class _TreatMethod(CertainMethod, frozen=True):
    """A treatment: HP back, or a shorter Wounded period (line 171)."""

    keeps: tuple[str, ...] = (HEALTH,)
    discloses: bool = True

    def settle(self, part: Part, book: Book) -> MethodResult:
        if HOURS not in part.inputs:
            left, full = count_hp_left(part, ACTOR), full_hp(part, ACTOR)
            if left == full:
                raise RollError(f"{part.subjects[ACTOR]} already has all {full} HP.")
            amount = part.inputs[HP] + sum(item.amount for item in _list_modifiers(part, book))
            after = min(full, left + max(0, int(amount * _find_share(part, book))))
            tone: Tone = "success" if after > left else "neutral"
            conclusion = Conclusion("done", f"{after - left} HP back: {after} of {full}", tone, "results")
            return MethodResult((), conclusion, {"hp": after}, (with_hp(part, ACTOR, after),))
        if f"{ACTOR}.wounded" not in part.facts:
            raise RollError(f"{part.subjects[ACTOR]} isn't Wounded.")
        minutes = int(part.inputs[HOURS] * AN_HOUR * _find_share(part, book))
        follows = (Consequence("recover", ACTOR, minutes),)
        text = f"Wounded for {minutes / AN_HOUR:g} hours less"
        return MethodResult((), Conclusion("done", text, "success", "results", follows))

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        modifiers = _list_modifiers(part, book) if HP in part.inputs else ()
        lines = [f"{item.modifier.label}: {item.amount:+d}" for item in modifiers if item.amount]
        share = _find_share(part, book)
        return lines if share == 1 else [*lines, f"{share} of that takes effect."]


class _HospitalMethod(CertainMethod, frozen=True):
    """Paying the hospital half of the credits, or a debt (line 178)."""

    def settle(self, part: Part, book: Book) -> MethodResult:
        owned = int(part.inputs[CREDITS])
        paid = halve_loss(book, owned)
        if not paid:
            follows, text = (Consequence("owe-hospital", ACTOR),), "No credits: in debt to the hospital"
            return MethodResult((), Conclusion("debt", text, "failure", "results", follows))
        follows, text = (Consequence("pay-hospital", ACTOR),), f"{paid} of {owned} credits go to the hospital"
        return MethodResult((), Conclusion("paid", text, "neutral", "results", follows), {"paid": paid})


def _list_modifiers(part: Part, book: Book) -> Iterator[WeighedModifier]:
    for role, score in _SCORES:
        yield from weigh_score(book.scores[score], role, part.facts).modifiers


def _find_share(part: Part, book: Book) -> Fraction:
    share = find_rule(book.entries_of(Option), part.facts, ACTOR, _EFFECT)
    return Fraction(1 if share is None else str(share))


class _RowMethod(FrozenMethod, frozen=True):
    """A row of dice: earlier hits count, and one die may break the row.

    With `until`, it's thrown die by die until enough hits end it or a die breaks it; without a number of dice it goes on until then.
    """

    row: str
    tables: tuple[str, ...]

    def check(self, part: Part, _book: Book) -> None:
        if TOOLS in part.inputs:
            check_surgery(tools=part.inputs[TOOLS], on_self=False)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        declared, weighed = book.strikes[self.row], self.stages(part, book)[0]
        steps: list[Step] = []
        hits, broken = _count_kept(part), False
        tries = _count_tries(declared, part)
        for _ in count() if tries is None else range(tries):
            if declared.until is not None and (broken or hits >= declared.until):
                break
            steps.append(roll_stage(weighed, dice))
            hits += steps[-1].row.outcome in declared.hits
            broken |= steps[-1].row.outcome == BROKEN
        tally = _tally_hits(declared, part, book, _BROKEN if broken else hits)
        used: list[Throw] = []
        if TOOLS in part.inputs:
            left = f"1 used up, {part.inputs[TOOLS] - 1} left"
            used = [Throw("Medical_Tools", left, source=book.table(declared.tally).source, line=declared.line)]
        record = {"hits": hits, "dice": len(steps)}
        return MethodResult((*used, *steps, tally), BY_WINNER(part, [tally.row]), record)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        return (weigh_stage(Stage(book.table(book.strikes[self.row].rolls[0])), part, first=True),)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        self.check(part, book)
        declared, weighed = book.strikes[self.row], self.stages(part, book)[0]
        die = table_odds(weighed.stage.table, weighed.sum, None, weighed.stage.number)
        hit = sum((chance for outcome, chance in die.items() if outcome in declared.hits), Fraction(0))
        chances: dict[str, tuple[Conclusion, Fraction]] = {}
        for reached, chance in _count_row_odds(declared, part, hit, die.get(BROKEN, Fraction(0))):
            conclusion = BY_WINNER(part, [_tally_hits(declared, part, book, reached).row])
            before = chances.get(conclusion.outcome, (conclusion, Fraction(0)))[1]
            chances[conclusion.outcome] = conclusion, before + chance
        return tuple(Chance(conclusion, chance) for conclusion, chance in chances.values() if chance)


class _EscapeMethod(_RowMethod, frozen=True):
    """An escape: hits are kept, and after a failed try the next has to wait (line 494)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = _RowMethod.play(self, part, book, dice)
        hits, done = result.record["hits"], result.conclusion
        if done.consequences:
            return result
        kept = [Consequence(_HITS_KEPT, ACTOR, hits)] if hits else []
        wait = Consequence(WAIT, ACTOR, count_minutes(book, book.entries_of(Timer)[_TIMER]))
        return replace(result, conclusion=replace(done, consequences=(*kept, wait)))


def check_surgery(*, tools: int, on_self: bool) -> None:
    """Refuse surgery without tools or on oneself (lines 473 and 475)."""
    if tools < 1:
        raise RollError("Surgery uses Medical_Tools.")
    if on_self:
        raise RollError("Characters can't operate on themselves.")


def _count_row_odds(declared: Strikes, part: Part, hit: Fraction, broken: Fraction) -> Iterator[tuple[int, Fraction]]:
    tries, enough = _count_tries(declared, part), declared.until
    if tries is None:  # dice that neither hit nor break are thrown again: they do not count
        hit, broken, tries = hit / (hit + broken), broken / (hit + broken), enough or 0
    ways = {_count_kept(part): Fraction(1)}
    for _ in range(tries):
        after: dict[int, Fraction] = {}
        for reached, chance in ways.items():
            ended = reached == _BROKEN or (enough is not None and reached >= enough)
            rolled = ((_BROKEN, broken), (reached, 1 - hit - broken), (reached + 1, hit))
            for then, further in [(reached, Fraction(1))] if ended else rolled:
                after[then] = after.get(then, Fraction(0)) + chance * further
        ways = after
    yield from ways.items()


def _count_tries(declared: Strikes, part: Part) -> int | None:
    tries: int | None = part.inputs.get(TRIES, declared.tries)
    return tries


def _count_kept(part: Part) -> int:
    known = part.facts.get(_HITS)
    kept: int = part.inputs.get(KEPT, known.count if known else 0)
    return kept


def _tally_hits(declared: Strikes, part: Part, book: Book, hits: int) -> Step:
    tally = Stage(book.table(declared.tally), value=hits)
    return roll_stage(weigh_stage(tally, part, first=False), ScriptedDice(()))


def _row(name: str, title: str, headline: str, die: str, method: type[_RowMethod] = _RowMethod) -> Procedure:
    family, settles = f"roe.{name}", {WAIT: settle_wait}
    made = method(family, (die, family))
    return Procedure(family, title, ACTOR, RESISTER, headline, made, "{actor} rolls", policy=ONCE, settles=settles)


def _treatment(name: str, title: str, headline: str, method: CertainMethod) -> Procedure:
    settles = {"recover": settle_recovery}
    return Procedure(f"roe.{name}", title, ACTOR, RESISTER, headline, method, policy=ONCE, settles=settles)


ROWS = (
    _row("surgery", "Forced surgery", "{actor} operates on {resister}", "roe.surgery.die"),
    _row("install", "Surgery with consent", "{actor} operates on {resister}", "roe.surgery.die"),
    _row("escape", "Escape", "{actor} escapes from {resister}", "roe.escape.die", _EscapeMethod),
)
PROCEDURES = (
    _treatment("treat", "Treatment", "{actor} is treated by {resister}", _TreatMethod()),
    _treatment("hospital", "Hospital", "{actor} pays the hospital", _HospitalMethod()),
)
