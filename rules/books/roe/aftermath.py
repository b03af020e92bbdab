"""Taking things after a fight, or unseen: loot, theft, search and handcuffs (lines 462 to 499)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.characters import find_fighter, read_marks
from rules.books.roe.contests import (
    BY_WINNER,
    ONCE,
    ContestMethod,
    carry_fighting,
    count_hidden_stacks,
    decide_cuffs,
    find_contest,
    find_unresisted,
    list_losses,
)
from rules.books.roe.wounds import SETTLES, halve_loss
from rules.dice import Dice, DiceTerm
from rules.errors import RollError
from rules.kinds import PrintedNumber
from rules.procedure import Carry, Chance, Conclusion, MethodResult, Part, Procedure, Stage, Step, Throw, carry_nothing
from rules.scenes import MEMBER
from rules.stages import TableMethod
from rules.tables import Consequence

SIZE, WITNESS = "size", "witness"
"""The inputs of a part: the size of the stack, and that the one who resists is not robbed but looks on."""
CUFFS = "cuffs-used"
"""The mark of a fighter who has used handcuffs."""
MOST = "loot-most"
"""The number that is the largest die for an amount."""
NOTICED = "The theft was already noticed."
_MORTAL_LINE = 174
_FOUND, _VEHICLE = f"{ACTOR}.found.other", "thing.vehicle"
_STATES = {
    "wounded": "incapacitated",
    "prisoner": "incapacitated",
    "surrenders": "surrendering",
    "stunned": "stunned",
}
"""What handcuffs find of whoever they are for, by the traits that tell it; the first one counts."""
_LOOT, _FRISK, _CUFF = (
    (method.tables, BY_WINNER, method.plan) for method in map(find_contest, ("loot", "frisk", "cuff"))
)
_THEFT = (*find_contest("pickpocket").tables, *find_contest("witness").tables)


def stack_sides(book: Book, size: int) -> int:
    """Return the sides of the die for the amount that is taken of a stack (line 471)."""
    if size < 1:
        raise RollError("That stack is empty.")
    return min(size, book.number("loot-most"))


class _TakingMethod(ContestMethod, frozen=True):
    """The method of taking from somebody: a contest, and who wins throws for how much of the stack.

    Where nobody has said how large that is, who wins has seen the inventory, and throws for the amount in another roll.
    Whoever is cuffed does not resist where that `yields`. What is `stealthy` is told to who did it and the staff, until
    somebody notices. What is taken `after_wounds` is of what a Mortal Wound has left.
    """

    yields: bool = False
    stealthy: bool = False
    after_wounds: bool = False

    def check(self, part: Part, book: Book) -> None:
        if SIZE in part.inputs:
            stack_sides(book, self._count_left(part, book))
        elif _FOUND in part.facts and not part.inputs.get(WITNESS):
            what = f"{part.subjects[ACTOR]} has already seen {part.subjects[RESISTER]}'s inventory. Give the size of one stack."
            raise RollError(what)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = self.unopposed(part, book) or _contest(self, part, book, dice)
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
        return ContestMethod.odds(self, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        told = [*ContestMethod.lines(self, part, book)]
        told += [f"{step.title}: {step.text}." for step in self._list_given(part, book)]
        if size := SIZE in part.inputs and self._count_left(part, book):
            sides = stack_sides(book, size)
            told.append(f"If won, from a stack of {size}: d{sides}, {(sides + 1) / 2:g} on average.")
        return told

    def _count_left(self, part: Part, book: Book) -> int:
        """Return how much of the stack the die falls for: what a Mortal Wound has left of it (line 174)."""
        size = int(part.inputs[SIZE])
        left = size - (halve_loss(book, size) if self._halves(part) else 0)
        if size and not left:
            raise RollError("The Mortal Wound gives all of that stack without a roll. Pick another stack.")
        return left

    def _list_given(self, part: Part, book: Book) -> Iterator[Throw]:
        """Yield what of the stacks of somebody mortally wounded is given without a roll, besides what is looted (line 174)."""
        if self._halves(part):
            size, source = part.inputs.get(SIZE), book.table(self.tables[1]).source
            half = "half of each stack in pocket 0, rounded up, except permanents"
            text = (
                f"{half} is handed over as well"
                if size is None
                else f"{halve_loss(book, size)} of {size} are handed over as well"
            )
            yield Throw("Mortal Wound", text, source=source, line=_MORTAL_LINE)

    def _halves(self, part: Part) -> bool:
        return (
            self.after_wounds and f"{RESISTER}.mortally-wounded" in part.facts and "thing.permanent" not in part.facts
        )

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes without a contest: one that was won before, or that nobody resists (line 499); None where there is one."""
        table = book.table(self.tables[1])
        row = table.row(ACTOR)
        if _FOUND in part.facts and not part.inputs.get(WITNESS):
            told = Throw("Already won", "only the amount is rolled", source=table.source, line=row.line)
            picked = replace(BY_WINNER(part, [row]), consequences=(Consequence("pick", ACTOR),))
            return MethodResult((told,), picked)
        return find_unresisted(part, book, table.id) if self.yields and not part.inputs.get(WITNESS) else None

    def _take(self, result: MethodResult, size: int, book: Book, dice: Dice) -> MethodResult:
        """Return it with the amount that is taken of a stack (line 471); of one thing there is one."""
        sides, source = stack_sides(book, size), book.table(self.tables[1]).source
        rolls = (dice.roll(DiceTerm(1, sides)),) if sides > 1 else ()
        amount = rolls[0].total if rolls else 1
        thrown = Throw("Amount", f"{amount} of {size}", rolls, source, book.listed(PrintedNumber)[MOST].line)
        text = f"{result.conclusion.text}; {amount} of {size} taken"
        conclusion = replace(result.conclusion, text=text)
        return MethodResult((*result.steps, thrown), conclusion, {**result.record, "taken": amount})


def _add(result: MethodResult, *done: Consequence) -> MethodResult:
    """Return a result that does something besides."""
    conclusion = result.conclusion
    return replace(result, conclusion=replace(conclusion, consequences=(*conclusion.consequences, *done)))


def _contest(method: ContestMethod, part: Part, book: Book, dice: Dice) -> MethodResult:
    """Throw the dice of a contest; who fails critically in a fight loses the next Action (line 88)."""
    played = TableMethod.play(method, part, book, dice)
    return _add(played, *list_losses(part, book, played))


def _hide_theft(part: Part, conclusion: Conclusion) -> Conclusion:
    """Return what a theft comes to: nobody else is told as long as nobody notices; when who is robbed does, it is over."""
    if conclusion.outcome == ACTOR:  # nothing befalls whoever has not noticed: that would tell of it
        own = tuple(item for item in conclusion.consequences if item.to != RESISTER)
        return replace(conclusion, audience="maker", consequences=own)
    return conclusion if part.inputs.get(WITNESS) else replace(conclusion, stops=NOTICED)


class _SeizingMethod(_TakingMethod, frozen=True):
    """The method of a search by the police: of what is hidden from it stacks are kept, by the margin (line 496)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        result = _TakingMethod.play(self, part, book, dice)
        if result.conclusion.outcome == ACTOR:
            return result
        act, resist = (step for step in result.steps if isinstance(step, Step))
        stacks = count_hidden_stacks(book, resist.total - act.total)
        kept = "1 stack stays hidden" if stacks == 1 else f"{stacks} stacks stay hidden"
        text = f"{kept} (no use in custody, returned on release)"
        told = replace(result, conclusion=replace(result.conclusion, text=text), record={"stacks": stacks})
        return _add(told, Consequence("keep-stacks", RESISTER, stacks))


class _CuffingMethod(ContestMethod, frozen=True):
    """The method of handcuffs: dice decide about the stunned alone, and they are used up either way (line 499)."""

    keeps: tuple[str, ...] = (MEMBER,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Close the cuffs, or fail to; who stands in a fight has used theirs."""
        result = self.unopposed(part, book) or _contest(self, part, book, dice)
        member = find_fighter(part, ACTOR)
        if member is None:
            return result
        used = {**member, "marks": {**read_marks(part, ACTOR), CUFFS: 1}}
        return replace(result, changes=((part.subjects[ACTOR], MEMBER, used),))

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:
        target = next((_STATES[trait] for trait in _STATES if f"{RESISTER}.{trait}" in part.facts), "alert")
        closes = decide_cuffs(book, target, resists=target not in {"surrendering", "incapacitated"})
        if closes is None:
            return None
        row = book.table(self.tables[-1]).row(ACTOR if closes else RESISTER)
        return MethodResult((), BY_WINNER(part, [row]))


def _find_theft_stage(part: Part, book: Book) -> Stage:
    return find_contest("witness" if part.inputs.get(WITNESS) else "pickpocket").first_stage(part, book)


def _procedure(name: str, title: str, headline: str, method: ContestMethod, carry: Carry = carry_nothing) -> Procedure:
    return Procedure(f"roe.{name}", title, ACTOR, RESISTER, headline, method, carry=carry, policy=ONCE, settles=SETTLES)


PROCEDURES = (
    _procedure("rob", "Loot", "{actor} loots {resister}", _TakingMethod(*_LOOT, yields=True, after_wounds=True)),
    _procedure(
        "steal",
        "Theft",
        "{actor} steals in front of {resister}",
        _TakingMethod(_THEFT, BY_WINNER, _find_theft_stage, yields=True, stealthy=True),
        carry_fighting,
    ),
    _procedure("seize", "Search and seizure", "{actor} searches {resister}", _SeizingMethod(*_FRISK, yields=True)),
    _procedure("cuffing", "Handcuff", "{actor} tries to handcuff {resister}", _CuffingMethod(*_CUFF)),
)
