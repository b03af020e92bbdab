"""Loot, theft, search and handcuffs (lines 462 to 499)."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe import contests
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.characters import find_fighter, read_marks
from rules.books.roe.wounds import SETTLES, halve_loss
from rules.dice import Dice, DiceTerm
from rules.errors import RollError
from rules.kinds import PrintedNumber
from rules.procedure import Carry, Chance, Conclusion, MethodResult, Part, Procedure, Stage, Step, Throw, carry_nothing
from rules.scenes import MEMBER
from rules.stages import TableMethod
from rules.tables import Consequence

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
        left = size - (halve_loss(book, size) if self._halves(part) else 0)
        if size and not left:
            raise RollError("The Mortal Wound gives all of that stack without a roll. Pick another stack.")
        return left

    def _list_given(self, part: Part, book: Book) -> Iterator[Throw]:
        if self._halves(part):
            size, source = part.inputs.get(SIZE), book.table(self.tables[1]).source
            given = "half of each stack in pocket 0, rounded up, except permanents is"
            given = given if size is None else f"{halve_loss(book, size)} of {size} are"
            yield Throw("Mortal Wound", f"{given} handed over as well", source=source, line=_MORTAL_LINE)

    def _halves(self, part: Part) -> bool:
        return (
            self.after_wounds and f"{RESISTER}.mortally-wounded" in part.facts and "thing.permanent" not in part.facts
        )

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
        thrown = Throw("Amount", f"{amount} of {size}", rolls, source, book.entries_of(PrintedNumber)[_MOST].line)
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

    keeps: tuple[str, ...] = (MEMBER,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = self.find_sure_result(part, book) or _roll_contest(self, part, book, dice)
        member = find_fighter(part, ACTOR)
        if member is None:
            return result
        used = {**member, "marks": {**read_marks(part, ACTOR), _CUFFED: 1}}
        return replace(result, changes=((part.subjects[ACTOR], MEMBER, used),))

    def find_sure_result(self, part: Part, book: Book) -> MethodResult | None:
        target = next((_STATES[trait] for trait in _STATES if f"{RESISTER}.{trait}" in part.facts), "alert")
        closes = contests.decide_cuffs(book, target, resists=target not in {"surrendering", "incapacitated"})
        if closes is None:
            return None
        row = book.table(self.tables[-1]).row(ACTOR if closes else RESISTER)
        return MethodResult((), contests.BY_WINNER(part, [row]))


def _find_theft_stage(part: Part, book: Book) -> Stage:
    return contests.find_contest("witness" if part.inputs.get(WITNESS) else "pickpocket").first_stage(part, book)


def _procedure(
    name: str, title: str, headline: str, method: contests.ContestMethod, carry: Carry = carry_nothing
) -> Procedure:
    return Procedure(
        f"roe.{name}", title, ACTOR, RESISTER, headline, method, carry=carry, policy=contests.ONCE, settles=SETTLES
    )


PROCEDURES = (
    _procedure(
        "rob",
        "Loot",
        "{actor} loots {resister}",
        _TakingMethod(*contests.list_contest_fields("loot"), yields=True, after_wounds=True),
    ),
    _procedure(
        "steal",
        "Theft",
        "{actor} steals in front of {resister}",
        _TakingMethod(_THEFT, contests.BY_WINNER, _find_theft_stage, yields=True, stealthy=True),
        contests.carry_fighting,
    ),
    _procedure(
        "seize",
        "Search and seizure",
        "{actor} searches {resister}",
        _SeizingMethod(*contests.list_contest_fields("frisk"), yields=True),
    ),
    _procedure(
        "cuffing",
        "Handcuff",
        "{actor} tries to handcuff {resister}",
        _CuffingMethod(*contests.list_contest_fields("cuff")),
    ),
)
