"""Loot, theft, search, handcuffs, surgery, escape and treatment (lines 33, 56, 71, 171, 178, 462 to 499)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count

from msgspec.structs import replace

from rules import kinds, procedure, scenes
from rules.book import Book, Strikes, weigh_score
from rules.books.roe import characters, contests, turns, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, Option, find_rule
from rules.dice import Dice, DiceTerm, ScriptedDice
from rules.errors import RollError
from rules.modifiers import WeighedModifier
from rules.odds import table_odds
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Procedure, Stage, Step, Throw
from rules.stages import TableMethod, roll_stage, weigh_stage
from rules.tables import Consequence, Tone

SIZE, WITNESS = "size", "witness"
"""Inputs: the size of the stack, and that the resister looks on instead of being robbed."""
_CUFFED = "cuffs-used"
_MOST = "loot-most"
NOTICED = "The theft was already noticed."
_MORTAL_LINE = 174
_FOUND, _VEHICLE = f"{ACTOR}.found.other", "thing.vehicle"
_STATES = {"wounded": "incapacitated", "prisoner": "incapacitated", "surrenders": "surrendering", "stunned": "stunned"}
_THEFT = (*contests.find_contest("pickpocket").tables, *contests.find_contest("witness").tables)


def stack_sides(book: Book, size: int) -> int:
    """Return the sides of the die for the amount taken from a stack (line 471)."""
    if size < 1:
        raise RollError("That stack is empty.")
    return min(size, book.number(_MOST))


class _TakingMethod(contests.ContestMethod, frozen=True):
    """Taking things: a contest, then a die for the amount.

    Without a known size the winner sees the inventory and rolls the amount later. The cuffed don't resist what `yields`.
    Only the thief and the staff see a `stealthy` one until it's noticed. `after_wounds` takes what a Mortal Wound leaves.
    """

    yields: bool = False
    stealthy: bool = False
    after_wounds: bool = False

    def check(self, part: Part, book: Book) -> None:
        if SIZE in part.inputs:
            stack_sides(book, self._count_left(part, book))
        elif _FOUND in part.facts and not part.inputs.get(WITNESS):
            actor, other = part.subjects[ACTOR], part.subjects[RESISTER]
            raise RollError(f"{actor} has already seen {other}'s inventory. Give the size of one stack.")

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = self.find_sure_result(part, book) or _roll_contest(self, part, book, dice)
        result = replace(result, steps=(*result.steps, *self._list_given(part, book)))
        won, size = result.conclusion.outcome == ACTOR, SIZE in part.inputs and self._count_left(part, book)
        if self.stealthy:
            result = replace(result, conclusion=_hide_theft(part, result.conclusion))
        if won and size:
            return self._take(result, size, book, dice)
        if won and not part.inputs.get(WITNESS) and _VEHICLE not in part.facts:
            return _add(result, Consequence("find", ACTOR))
        return result

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        self.check(part, book)
        return contests.ContestMethod.odds(self, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        lines = [*contests.ContestMethod.lines(self, part, book)]
        lines += [f"{step.title}: {step.text}." for step in self._list_given(part, book)]
        if size := SIZE in part.inputs and self._count_left(part, book):
            sides = stack_sides(book, size)
            lines.append(f"If won, from a stack of {size}: d{sides}, {(sides + 1) / 2:g} on average.")
        return lines

    def _count_left(self, part: Part, book: Book) -> int:
        size = int(part.inputs[SIZE])
        left = size - (wounds.halve_loss(book, size) if self._halves(part) else 0)
        if size and not left:
            raise RollError("The Mortal Wound gives all of that stack without a roll. Pick another stack.")
        return left

    def _list_given(self, part: Part, book: Book) -> Iterator[Throw]:
        if self._halves(part):
            size, source = part.inputs.get(SIZE), book.table(self.tables[1]).source
            given = "half of each stack in pocket 0, rounded up, except permanents is"
            given = given if size is None else f"{wounds.halve_loss(book, size)} of {size} are"
            yield Throw("Mortal Wound", f"{given} handed over as well", source=source, line=_MORTAL_LINE)

    def _halves(self, part: Part) -> bool:
        mortal = self.after_wounds and f"{RESISTER}.mortally-wounded" in part.facts
        return mortal and "thing.permanent" not in part.facts

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        table = book.table(self.tables[1])
        row = table.row(ACTOR)
        if _FOUND in part.facts and not part.inputs.get(WITNESS):
            step = Throw("Already won", "only the amount is rolled", source=table.source, line=row.line)
            return MethodResult(
                (step,), replace(contests.BY_WINNER(part, [row]), consequences=(Consequence("pick", ACTOR),))
            )
        return contests.find_unresisted(part, book, table.id) if self.yields and not part.inputs.get(WITNESS) else None

    def _take(self, result: MethodResult, size: int, book: Book, dice: Dice) -> MethodResult:
        sides, source = stack_sides(book, size), book.table(self.tables[1]).source
        rolls = (dice.roll(DiceTerm(1, sides)),) if sides > 1 else ()
        amount = rolls[0].total if rolls else 1
        thrown = Throw("Amount", f"{amount} of {size}", rolls, source, book.entries_of(kinds.PrintedNumber)[_MOST].line)
        text = f"{result.conclusion.text}; {amount} of {size} taken"
        conclusion = replace(result.conclusion, text=text)
        return MethodResult((*result.steps, thrown), conclusion, {**result.record, "taken": amount})


def _add(result: MethodResult, *done: Consequence) -> MethodResult:
    conclusion = result.conclusion
    return replace(result, conclusion=replace(conclusion, consequences=(*conclusion.consequences, *done)))


def _roll_contest(method: contests.ContestMethod, part: Part, book: Book, dice: Dice) -> MethodResult:
    played = TableMethod.play(method, part, book, dice)
    return _add(played, *contests.list_losses(part, book, played))


def _hide_theft(part: Part, conclusion: Conclusion) -> Conclusion:
    if conclusion.outcome == ACTOR:  # consequences for the victim would give the theft away
        own = tuple(item for item in conclusion.consequences if item.to != RESISTER)
        return replace(conclusion, audience="maker", consequences=own)
    return conclusion if part.inputs.get(WITNESS) else replace(conclusion, stops=NOTICED)


class _SeizingMethod(_TakingMethod, frozen=True):
    """A search by the police; the margin decides how many stacks stay hidden (line 496)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = _TakingMethod.play(self, part, book, dice)
        if result.conclusion.outcome == ACTOR:
            return result
        act, resist = (step for step in result.steps if isinstance(step, Step))
        stacks = contests.count_hidden_stacks(book, resist.total - act.total)
        kept = "1 stack stays hidden" if stacks == 1 else f"{stacks} stacks stay hidden"
        text = f"{kept} (no use in custody, returned on release)"
        result = replace(result, conclusion=replace(result.conclusion, text=text), record={"stacks": stacks})
        return _add(result, Consequence("keep-stacks", RESISTER, stacks))


class _CuffingMethod(contests.ContestMethod, frozen=True):
    """Handcuffs: dice decide only about the stunned, and the cuffs are used up either way (line 499)."""

    keeps: tuple[str, ...] = (scenes.MEMBER,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = self.find_sure_result(part, book) or _roll_contest(self, part, book, dice)
        member = characters.find_fighter(part, ACTOR)
        if member is None:
            return result
        used = {**member, "marks": {**characters.read_marks(part, ACTOR), _CUFFED: 1}}
        return replace(result, changes=((part.subjects[ACTOR], scenes.MEMBER, used),))

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        target = next((_STATES[trait] for trait in _STATES if f"{RESISTER}.{trait}" in part.facts), "alert")
        closes = contests.decide_cuffs(book, target, resists=target not in {"surrendering", "incapacitated"})
        if closes is None:
            return None
        row = book.table(self.tables[-1]).row(ACTOR if closes else RESISTER)
        return MethodResult((), contests.BY_WINNER(part, [row]))


def _find_theft_stage(part: Part, book: Book) -> Stage:
    return contests.find_contest("witness" if part.inputs.get(WITNESS) else "pickpocket").first_stage(part, book)


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


class _TreatMethod(contests.CertainMethod, frozen=True):
    """A treatment: HP back, or a shorter Wounded period (line 171)."""

    keeps: tuple[str, ...] = (wounds.HEALTH,)
    discloses: bool = True

    def settle(self, part: Part, book: Book) -> MethodResult:
        if HOURS not in part.inputs:
            left, full = wounds.count_hp_left(part, ACTOR), wounds.full_hp(part, ACTOR)
            if left == full:
                raise RollError(f"{part.subjects[ACTOR]} already has all {full} HP.")
            amount = part.inputs[HP] + sum(item.amount for item in _list_modifiers(part, book))
            after = min(full, left + max(0, int(amount * _find_share(part, book))))
            tone: Tone = "success" if after > left else "neutral"
            conclusion = Conclusion("done", f"{after - left} HP back: {after} of {full}", tone, "results")
            return MethodResult((), conclusion, {"hp": after}, (wounds.with_hp(part, ACTOR, after),))
        if f"{ACTOR}.wounded" not in part.facts:
            raise RollError(f"{part.subjects[ACTOR]} isn't Wounded.")
        minutes = int(part.inputs[HOURS] * turns.AN_HOUR * _find_share(part, book))
        follows = (Consequence("recover", ACTOR, minutes),)
        text = f"Wounded for {minutes / turns.AN_HOUR:g} hours less"
        return MethodResult((), Conclusion("done", text, "success", "results", follows))

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        modifiers = _list_modifiers(part, book) if HP in part.inputs else ()
        lines = [f"{item.modifier.label}: {item.amount:+d}" for item in modifiers if item.amount]
        share = _find_share(part, book)
        return lines if share == 1 else [*lines, f"{share} of that takes effect."]


class _HospitalMethod(contests.CertainMethod, frozen=True):
    """Paying the hospital half of the credits, or a debt (line 178)."""

    def settle(self, part: Part, book: Book) -> MethodResult:
        owned = int(part.inputs[CREDITS])
        paid = wounds.halve_loss(book, owned)
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
        return MethodResult((*used, *steps, tally), contests.BY_WINNER(part, [tally.row]), record)

    def stages(self, part: Part, book: Book) -> tuple[procedure.WeighedStage, ...]:
        return (weigh_stage(Stage(book.table(book.strikes[self.row].rolls[0])), part, first=True),)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        self.check(part, book)
        declared, weighed = book.strikes[self.row], self.stages(part, book)[0]
        die = table_odds(weighed.stage.table, weighed.sum, None, weighed.stage.number)
        hit = sum((chance for outcome, chance in die.items() if outcome in declared.hits), Fraction(0))
        chances: dict[str, tuple[Conclusion, Fraction]] = {}
        for reached, chance in _count_row_odds(declared, part, hit, die.get(BROKEN, Fraction(0))):
            conclusion = contests.BY_WINNER(part, [_tally_hits(declared, part, book, reached).row])
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
        wait = Consequence(WAIT, ACTOR, wounds.count_minutes(book, book.entries_of(turns.Timer)[_TIMER]))
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


def _procedure(
    name: str,
    title: str,
    headline: str,
    method: procedure.ResolutionMethod,
    carry: procedure.Carry = procedure.carry_nothing,
) -> Procedure:
    family = f"roe.{name}"
    settles = wounds.SETTLES
    return Procedure(
        family, title, ACTOR, RESISTER, headline, method, carry=carry, policy=contests.ONCE, settles=settles
    )


def _row(name: str, title: str, headline: str, die: str, method: type[_RowMethod] = _RowMethod) -> Procedure:
    made = _procedure(name, title, headline, method(f"roe.{name}", (die, f"roe.{name}")))
    return replace(made, headline_alone="{actor} rolls", settles={WAIT: turns.settle_wait})


def _treatment(name: str, title: str, headline: str, method: procedure.ResolutionMethod) -> Procedure:
    made = _procedure(name, title, headline, method)
    return replace(made, settles={"recover": turns.settle_recovery})


_ROB = _TakingMethod(*contests.list_contest_fields("loot"), yields=True, after_wounds=True)
_STEAL = _TakingMethod(_THEFT, contests.BY_WINNER, _find_theft_stage, yields=True, stealthy=True)
_SEIZE = _SeizingMethod(*contests.list_contest_fields("frisk"), yields=True)
_CUFF = _CuffingMethod(*contests.list_contest_fields("cuff"))
ROWS = (
    _row("surgery", "Forced surgery", "{actor} operates on {resister}", "roe.surgery.die"),
    _row("install", "Surgery with consent", "{actor} operates on {resister}", "roe.surgery.die"),
    _row("escape", "Escape", "{actor} escapes from {resister}", "roe.escape.die", _EscapeMethod),
)
PROCEDURES = (
    _procedure("rob", "Loot", "{actor} loots {resister}", _ROB),
    _procedure("steal", "Theft", "{actor} steals in front of {resister}", _STEAL, contests.carry_fighting),
    _procedure("seize", "Search and seizure", "{actor} searches {resister}", _SEIZE),
    _procedure("cuffing", "Handcuff", "{actor} tries to handcuff {resister}", _CUFF),
    _treatment("treat", "Treatment", "{actor} is treated by {resister}", _TreatMethod()),
    _treatment("hospital", "Hospital", "{actor} pays the hospital", _HospitalMethod()),
)
