"""Taking things after a fight of the RoE book, or unseen: loot, theft, search and handcuffs (lines 462 to 499)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.contests import ACTOR, BY_WINNER, RESISTER, cuffs_by_dice, stacks_kept, unresisted
from rules.books.roe.prisoners import SETTLES
from rules.books.roe.skills import lost_by, still_fighting
from rules.books.roe.things import mean_taken, stack_sides
from rules.books.roe.wounds import given
from rules.catalog import Amount
from rules.contests import contest_method
from rules.dice import Dice, DiceTerm
from rules.errors import RollError
from rules.procedure import (
    Carry,
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    Policy,
    Procedure,
    ResolutionMethod,
    Stage,
    Step,
    Throw,
    WeighedStage,
    carry_nothing,
)
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
_THEFT = {
    False: ("roe.pickpocket", ("roe.act.theft", "roe.resist.pickpocket")),
    True: ("roe.witness", ("roe.act.stealth", "roe.resist.witness")),
}
"""The contests of a theft, with who is robbed and with who looks on."""


class TakingMethod(FrozenMethod, frozen=True):
    """The method of taking from somebody: a contest, and who wins throws for how much of the stack.

    Where nobody has said how large that is, who wins has seen the inventory, and throws for the amount in another roll.
    Whoever is cuffed does not resist where that `yields`. What is `stealthy` is told to who did it and the staff, until
    somebody notices. What is taken `after_wounds` is of what a Mortal Wound has left.
    """

    contest: TableMethod
    tables: tuple[str, ...]  # those of the contest
    yields: bool = False
    stealthy: bool = False
    after_wounds: bool = False

    def check(self, part: Part, book: Book) -> None:
        """Refuse a stack in which there is nothing, and none where the inventory has been seen already."""
        if SIZE in part.inputs:
            stack_sides(book, self._left(part, book))
        elif _FOUND in part.facts and not part.inputs.get(WITNESS):
            what = f"{part.subjects[ACTOR]} has already seen {part.subjects[RESISTER]}'s inventory. Give the size of one stack."
            raise RollError(what)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of the contest, if somebody resists, and that for the amount, if it is won."""
        result = self._sure(part, book) or _contested(self.contest, part, book, dice)
        result = replace(result, steps=(*result.steps, *self._given(part, book)))
        won, size = result.conclusion.outcome == ACTOR, SIZE in part.inputs and self._left(part, book)
        if self.stealthy:
            result = replace(result, conclusion=_stealthy(part, result.conclusion))
        if won and size:
            return self._taken(result, size, book, dice)
        if won and not part.inputs.get(WITNESS) and _VEHICLE not in part.facts:
            return _with(result, Consequence("find", ACTOR))
        return result

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return those of the contest."""
        return () if self._sure(part, book) else self.contest.stages(part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return those of the contest."""
        self.check(part, book)
        sure = self._sure(part, book)
        return (Chance(sure.conclusion, Fraction(1)),) if sure else self.contest.odds(part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how much is taken, and that nobody resists."""
        return list(self._lines(part, book))

    def _lines(self, part: Part, book: Book) -> Iterator[str]:
        sure = self._sure(part, book)
        if sure and isinstance(sure.steps[0], Throw):
            yield f"{sure.steps[0].title}: {sure.steps[0].text}."
        yield from (f"{step.title}: {step.text}." for step in self._given(part, book))
        if size := SIZE in part.inputs and self._left(part, book):
            sides, mean = stack_sides(book, size), float(mean_taken(book, size))
            yield f"If won, from a stack of {size}: d{sides}, {mean:g} on average."

    def _left(self, part: Part, book: Book) -> int:
        """Return how much of the stack the die falls for: what a Mortal Wound has left of it (line 174)."""
        size = int(part.inputs[SIZE])
        left = size - (given(book, size) if self._halves(part) else 0)
        if size and not left:
            raise RollError("The Mortal Wound gives all of that stack without a roll. Pick another stack.")
        return left

    def _given(self, part: Part, book: Book) -> Iterator[Throw]:
        """Yield what of the stacks of somebody mortally wounded is given without a roll, besides what is looted (line 174)."""
        if self._halves(part):
            size, source = part.inputs.get(SIZE), book.table(self.tables[1]).source
            half = "half of each stack in pocket 0, rounded up, except permanents"
            text = (
                f"{half} is handed over as well"
                if size is None
                else f"{given(book, size)} of {size} are handed over as well"
            )
            yield Throw("Mortal Wound", text, source=source, line=_MORTAL_LINE)

    def _halves(self, part: Part) -> bool:
        return (
            self.after_wounds and f"{RESISTER}.mortally-wounded" in part.facts and "thing.permanent" not in part.facts
        )

    def _sure(self, part: Part, book: Book) -> MethodResult | None:
        """Return how it goes without a contest: one that was won before, or that nobody resists (line 499); None where there is one."""
        table = book.table(self.tables[1])
        row = table.row(ACTOR)
        if _FOUND in part.facts and not part.inputs.get(WITNESS):
            told = Throw("Already won", "only the amount is rolled", source=table.source, line=row.line)
            picked = replace(BY_WINNER(part, [row]), consequences=(Consequence("pick", ACTOR),))
            return MethodResult((told,), picked)
        return unresisted(part, book, table.id) if self.yields and not part.inputs.get(WITNESS) else None

    def _taken(self, result: MethodResult, size: int, book: Book, dice: Dice) -> MethodResult:
        """Return it with the amount that is taken of a stack (line 471); of one thing there is one."""
        sides, source = stack_sides(book, size), book.table(self.tables[1]).source
        rolls = (dice.roll(DiceTerm(1, sides)),) if sides > 1 else ()
        amount = rolls[0].total if rolls else 1
        thrown = Throw("Amount", f"{amount} of {size}", rolls, source, book.listed(Amount)[MOST].line)
        text = f"{result.conclusion.text}; {amount} of {size} taken"
        conclusion = replace(result.conclusion, text=text)
        return MethodResult((*result.steps, thrown), conclusion, {**result.record, "taken": amount})


def _with(result: MethodResult, *done: Consequence) -> MethodResult:
    """Return a result that does something besides."""
    conclusion = result.conclusion
    return replace(result, conclusion=replace(conclusion, consequences=(*conclusion.consequences, *done)))


def _contested(contest: TableMethod, part: Part, book: Book, dice: Dice) -> MethodResult:
    """Throw the dice of a contest; who fails critically in a fight loses the next Action (line 88)."""
    played = contest.play(part, book, dice)
    return _with(played, *lost_by(part, book, played))


def _stealthy(part: Part, conclusion: Conclusion) -> Conclusion:
    """Return what a theft comes to: nobody else is told as long as nobody notices; when who is robbed does, it is over."""
    if conclusion.outcome == ACTOR:  # nothing befalls whoever has not noticed: that would tell of it
        own = tuple(item for item in conclusion.consequences if item.to != RESISTER)
        return replace(conclusion, audience="maker", consequences=own)
    return conclusion if part.inputs.get(WITNESS) else replace(conclusion, stops=NOTICED)


class SeizingMethod(TakingMethod, frozen=True):
    """The method of a search by the police: of what is hidden from it stacks are kept, by the margin (line 496)."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice, if somebody resists, and count the stacks that stay hidden."""
        result = TakingMethod.play(self, part, book, dice)
        if result.conclusion.outcome == ACTOR:
            return result
        act, resist = (step for step in result.steps if isinstance(step, Step))
        stacks = stacks_kept(book, resist.total - act.total)
        kept = "1 stack stays hidden" if stacks == 1 else f"{stacks} stacks stay hidden"
        text = f"{kept} (no use in custody, returned on release)"
        told = replace(result, conclusion=replace(result.conclusion, text=text), record={"stacks": stacks})
        return _with(told, Consequence("keep-stacks", RESISTER, stacks))


class CuffingMethod(FrozenMethod, frozen=True):
    """The method of handcuffs: dice decide about the stunned alone, and they are used up either way (line 499)."""

    contest: TableMethod
    tables: tuple[str, ...]  # those of the contest
    keeps = (MEMBER,)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Close the cuffs, or fail to; who stands in a fight has used theirs."""
        sure = self._sure(part, book)
        result = MethodResult((), sure) if sure else _contested(self.contest, part, book, dice)
        who = part.subjects[ACTOR]
        member = part.kept.get(who, {}).get(MEMBER)
        if member is None:
            return result
        used = {**member, "marks": {**member.get("marks", {}), CUFFS: 1}}
        return replace(result, changes=((who, MEMBER, used),))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return those of the contest, where dice decide."""
        return () if self._sure(part, book) else self.contest.stages(part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return those of the contest, where dice decide."""
        sure = self._sure(part, book)
        return (Chance(sure, Fraction(1)),) if sure else self.contest.odds(part, book)

    def _sure(self, part: Part, book: Book) -> Conclusion | None:
        """Return what it comes to without dice; None where these decide."""
        facts = {trait for trait in _STATES if f"{RESISTER}.{trait}" in part.facts}
        target = next((_STATES[trait] for trait in _STATES if trait in facts), "alert")
        closes = cuffs_by_dice(book, target, resists=target not in {"surrendering", "incapacitated"}, used=0)
        if closes is None:
            return None
        row = book.table(self.tables[-1]).row(ACTOR if closes else RESISTER)
        return BY_WINNER(part, [row])


_STATES = {
    "wounded": "incapacitated",
    "prisoner": "incapacitated",
    "surrenders": "surrendering",
    "stunned": "stunned",
}
"""What handcuffs find of whoever they are for, by the traits that tell it; the first one counts."""


def _theft_stage(part: Part, book: Book) -> Stage:
    contest, tables = _THEFT[bool(part.inputs.get(WITNESS))]
    return contest_method(contest, tables, BY_WINNER).first_stage(part, book)


_LOOT, _FRISK, _CUFF = (
    contest_method(contest, tables, BY_WINNER)
    for contest, tables in (
        ("roe.loot", ("roe.act.loot", "roe.resist.loot")),
        ("roe.frisk", ("roe.act.perception", "roe.resist.frisk")),
        ("roe.cuff", ("roe.act.accuracy", "roe.resist.cuff")),
    )
)
_STEAL = TableMethod((*_THEFT[False][1], *_THEFT[True][1]), BY_WINNER, _theft_stage)


def _procedure(
    name: str, title: str, headline: str, method: ResolutionMethod, carry: Carry = carry_nothing
) -> Procedure:
    return Procedure(
        family=f"roe.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=headline,
        method=method,
        policy=Policy(again="never"),
        carry=carry,
        settles=SETTLES,
    )


PROCEDURES = (
    _procedure(
        "rob", "Loot", "{actor} loots {resister}", TakingMethod(_LOOT, _LOOT.tables, yields=True, after_wounds=True)
    ),
    _procedure(
        "steal",
        "Theft",
        "{actor} steals in front of {resister}",
        TakingMethod(_STEAL, _STEAL.tables, yields=True, stealthy=True),
        still_fighting,
    ),
    _procedure(
        "seize", "Search and seizure", "{actor} searches {resister}", SeizingMethod(_FRISK, _FRISK.tables, yields=True)
    ),
    _procedure("cuffing", "Handcuff", "{actor} tries to handcuff {resister}", CuffingMethod(_CUFF, _CUFF.tables)),
)
