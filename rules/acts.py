"""Acts: what is done in a turn or to a thing, as data: what it costs and what refuses it, what it is rolled on, what it sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Self

from msgspec.structs import replace

from rules.book import Act, Book, Cost
from rules.dice import Dice
from rules.effects import Change, with_changes
from rules.errors import RollError
from rules.modifiers import Facts, JsonObject, matching_facts, mentioned_facts
from rules.phrases import counted
from rules.procedure import (
    Carry,
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    PartResult,
    Policy,
    Procedure,
    ResolutionMethod,
    Shared,
    Throw,
    WeighedStage,
    carry_nothing,
)
from rules.ruleset import RuleSet
from rules.scenes import MEMBER
from rules.stages import Conclude, StrikesMethod, TableMethod, conclude_by_row, contest_method
from rules.subjects import PROFILE, name_key, names_of
from rules.tables import Consequence, Source

OTHER_ONE = "the other one"
SPENT = "spent"
"""The trait of a turn of which an act has cost something, behind how the ids of its acts begin."""
EFFECTIVE = "effective"
"""The input of a part that says when an act takes effect, of those that go in more than one way."""


class TooLittle(RollError):
    """There is too little of a mark to pay for an act."""

    def __init__(self, what: str, mark: str) -> None:
        super().__init__(what)
        self.mark = mark


class ActMethod(FrozenMethod, frozen=True):
    """The method of an act: refused or paid, then played as what it is `rolled` by, or done without a die."""

    act: str
    rolled: ResolutionMethod | None
    tables: tuple[str, ...]
    manual_facts: tuple[str, ...]
    keeps: tuple[str, ...]
    skips: tuple[str, ...]
    discloses: bool

    @classmethod
    def of(cls, act: str, rolled: ResolutionMethod | None = None) -> Self:
        """Return the method of an act; what is kept in their scene of who does it is read too, since that pays."""
        method = rolled or ResolutionMethod
        keeps = (MEMBER, *method.keeps)
        return cls(act, rolled, method.tables, method.manual_facts, keeps, method.skips, method.discloses)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is impossible, and what it is rolled by refuses."""
        rolled = self._rolled(self._possible(part, book), part)
        if rolled:
            rolled.check(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Pay what it costs, and roll where it is rolled."""
        act = book.acts[self.act]
        rolled = self._rolled(act, part)
        taken, paid = [*_list_payments(act, part, book)], list(_payments(act, part))
        when = {EFFECTIVE: act.variant(part.facts).effect} if act.variants else {}
        left = replace(part, kept=with_changes(part.kept, taken), inputs={**part.inputs, **when})
        then = list_consequences(act, part, book)
        played = rolled.play(left, book, dice) if rolled else MethodResult((), replace(_done(act), consequences=then))
        text = ", ".join(f"{counted(cost.amount, cost.label)}, {left} left" for cost, left in paid)
        bill = [Throw("Cost", text, source=Source(book.source, act.title), line=act.costs[0].line)] if paid else []
        follows = (*played.conclusion.consequences, *(then if rolled else ()))
        conclusion = replace(played.conclusion, consequences=follows)
        return MethodResult((*bill, *played.steps), conclusion, played.record, (*taken, *played.changes))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return those of what it is rolled by."""
        rolled = self._rolled(self._possible(part, book), part)
        return rolled.stages(part, book) if rolled else ()

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return those of what it is rolled by; what is not rolled is certain."""
        act = self._possible(part, book)
        rolled = self._rolled(act, part)
        return rolled.odds(part, book) if rolled else (Chance(_done(act), Fraction(1)),)

    def shared(self, book: Book) -> Shared | None:
        """Return that of what it is rolled by."""
        return self.rolled.shared(book) if self.rolled else None

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what it costs."""
        act = self._possible(part, book)
        costs = [
            f"Costs {counted(cost.amount, cost.label)}; {left} will be left." for cost, left in _payments(act, part)
        ]
        rolled = self._rolled(act, part)
        return [*costs, *(rolled.lines(part, book) if rolled else ())]

    def _rolled(self, act: Act, part: Part) -> ResolutionMethod | None:
        """Return what it is rolled by as it goes here; None where no die is thrown."""
        return self.rolled if act.variant(part.facts).rolled else None

    def _possible(self, part: Part, book: Book) -> Act:
        """Return the act; raise RollError where it cannot be done."""
        require_possible(book, book.acts[self.act], part)
        return book.acts[self.act]


def require_possible(book: Book, act: Act, part: Part, *, alone: bool = False) -> None:
    """Refuse an act that cannot be done; `alone`, as far as that can be told before it is said to whom.

    What players may not know refuses nothing, whether it holds or not: an answer would tell of it.
    """
    declared = book.facts
    shown = {fact: known for fact, known in part.facts.items() if not (known.secret or declared[fact].secret)}
    believed = {**shown, **part.lacking}
    for refusal in act.refused:
        if alone and any(map(act.about_other, mentioned_facts(refusal.when))):
            continue
        if all(matching_facts(refusal.when, facts) is not None for facts in (shown, believed)):
            raise RollError(refusal.words.format_map({"to": OTHER_ONE, act.subject: OTHER_ONE, **part.subjects}))
    who = part.subjects.get(act.actor, "Nobody")
    for cost, left in _payments(act, part):
        if left < 0:
            has = left + cost.amount
            what = f"{who} has {counted(has, cost.label) if has else f'no {cost.label}'} left, and this takes {cost.amount}."
            raise TooLittle(what, cost.mark)


def with_procedures(book: RuleSet, procedures: Iterable[Procedure]) -> RuleSet:
    """Return a book with procedures for its roll families: these, and one for each of its acts."""
    own = {item.family: item for item in procedures}
    acts = {act.id: _procedure(act, book, own) for act in book.acts.values()}
    return replace(book, procedures={**acts, **own})


def _procedure(act: Act, book: Book, families: Mapping[str, Procedure]) -> Procedure:
    played = None if act.rolls in book.contests else families.get(act.rolls or "")
    rolled = None if act.rolls is None else _method(act.rolls, book, conclude_by_row(act.audience))
    return Procedure(
        family=act.id,
        title=act.title,
        actor=act.actor,
        subject=act.subject,
        headline=act.headline,
        method=ActMethod.of(act.id, played.method if played else rolled),
        headline_alone=act.headline_alone or act.headline,
        policy=Policy(again="never", open_to_players=act.own, needs=((act.actor, PROFILE),) if act.own else ()),
        carry=_charge_once(act.actor, played.carry if played else carry_nothing),
        settles=played.settles if played else {},
    )


@cache  # so that procedures built twice are equal
def _charge_once(actor: str, carry: Carry) -> Carry:
    """Return what lets an act be free in the later parts of a roll: however many it is done to, it is one act."""
    return partial(_charge_first_part, actor, carry)


def _charge_first_part(actor: str, carry: Carry, part: Part, before: Sequence[PartResult], book: Book) -> Part:
    part = carry(part, before, book)
    if any(name_key(item.part.subjects[actor]) == name_key(part.subjects[actor]) for item in before):
        who = names_of(part.subjects[actor])
        return replace(part, kept=with_changes(part.kept, [(name, MEMBER, None) for name in who]))
    return part


def _method(rolled: str, book: Book, conclude: Conclude) -> ResolutionMethod:
    if rolled in book.contests:
        contest = book.contests[rolled]
        return contest_method(rolled, (contest.actor, contest.resister), conclude)
    if rolled in book.strikes:
        strikes = book.strikes[rolled]
        return StrikesMethod(rolled, (*strikes.rolls, strikes.tally), conclude)
    return TableMethod((rolled,), conclude)


def _payments(act: Act, part: Part) -> Iterator[tuple[Cost, int]]:
    """Yield what is paid of each mark and what is left, by the poorest of several; outside of a scene nothing is paid."""
    marked = [value.get("marks", {}) for _, value in _participants(act, part)]
    for cost in list_costs(act, part.facts) if marked else ():
        there = min(marks.get(cost.mark, 0) for marks in marked)
        if taken := _amount(cost, there):
            yield replace(cost, amount=taken), there - taken


def list_notes(act: Act, book: Book, *, paid: bool) -> list[str]:
    """Return the facts that an act leaves behind, as far as the book declares them: that it was done, and that something is spent."""
    spent = [f"{act.id.partition('.')[0]}.{SPENT}"] if paid else []
    return [fact for fact in (act.id, *spent) if fact in book.facts]


def _list_payments(act: Act, part: Part, book: Book) -> Iterator[Change]:
    """Yield what each who does an act pays out of the marks of its scene, with the marks that say so."""
    costs = [*list_costs(act, part.facts)]
    for who, value in _participants(act, part):
        marks = dict(value.get("marks", {}))
        for cost in costs:
            there = marks.get(cost.mark, 0)
            marks[cost.mark] = there - _amount(cost, there)
        notes = list_notes(act, book, paid=marks != dict(value.get("marks", {})))
        marks |= dict.fromkeys(notes, 1)
        if costs or notes:
            yield who, MEMBER, {**value, "marks": marks}


def _amount(cost: Cost, there: int) -> int:
    """Return how much a cost takes where there is so much of its mark."""
    return max(there, cost.amount) if cost.whole else cost.amount


def _participants(act: Act, part: Part) -> list[tuple[str, JsonObject]]:
    """Return what scenes keep of those who do an act, by name."""
    kept = ((who, part.kept.get(who, {}).get(MEMBER)) for who in names_of(part.subjects.get(act.actor, "")))
    return [(who, value) for who, value in kept if value is not None]


def list_costs(act: Act, facts: Facts) -> Iterator[Cost]:
    """Yield what an act costs when these facts hold."""
    return (cost for cost in act.costs if matching_facts(cost.unless, facts) is None)


def list_consequences(act: Act, part: Part, book: Book) -> tuple[Consequence, ...]:
    """Return what an act sets, without what would end only what does not hold; of an act without a roll that is left, it does nothing."""
    found = []
    for item in act.then:
        deed = book.deeds[item.do]
        nothing = deed.effect is None and deed.ends and item.to is not None
        if not nothing or any(f"{item.to}.{trait}" in part.facts for trait in deed.ends):
            found.append(item)
    return tuple(found)


def _done(act: Act) -> Conclusion:
    return Conclusion("done", act.text, "neutral", act.audience, act.then)
