"""One turn of somebody: what it has, what befalls at its start, what each act leaves of it, what is kept at its end (lines 94 to 110)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from rules.acts import ActMethod, TooLittle, noted_by, payable
from rules.book import Act, Book
from rules.books.roe.allowances import ACTOR, DOWN, Turn, bars
from rules.books.roe.sides import TYPED
from rules.books.roe.turn_catalog import Allowance, Bar, Lasting, Upkeep
from rules.dice import ScriptedDice
from rules.errors import RollError, UnknownName
from rules.facts import Facts, Known, mentioned_facts
from rules.procedure import Part
from rules.scenes import MEMBER

WHO = "The character"
ACTS = "turn."
"""How the ids of the acts of a turn begin; one that was done is the fact of its id for the rest of the turn."""
DELAYS = {"now": 0, "next-turn": 1}
"""After how many turns acts take effect, by what they say of it; 0 by any other word."""
FIRST = f"{ACTOR}.first-turn"


class UnknownAct(UnknownName):
    """There is no such act."""

    kind = "act"


class UnknownFact(UnknownName):
    """Nothing reads such a fact."""

    kind = "fact"


class Did(Struct, frozen=True):
    """An act in a turn: why it is not allowed (None: it is), which marks it costs, and after how many turns it takes effect.

    That is None of an act that always takes effect at once.
    """

    why: str | None
    costs: frozenset[str]
    delay: int | None


def numbered(facts: Facts, number: int) -> Facts:
    """Return what is true in a turn of this number, 1 being the first of the fight."""
    if number < 1:
        raise RollError("Turns are numbered from 1.")
    return {**facts, FIRST: Known(1, TYPED)} if number == 1 else facts


def befallen(book: Book, facts: Facts, hp: int) -> tuple[Facts, int]:
    """Return what is true, and the HP left, after what takes a fixed number of HP at the start of a turn."""
    if hp < 0:
        raise RollError("HP can't be below 0.")
    taken = sum(item.amount or 0 for item in book.listed(Lasting).values() if _fact(item.effect) in facts)
    left = max(0, hp - taken)
    return (facts if left else {**facts, DOWN: Known(1, TYPED)}), left


def do(book: Book, turn: Turn, name: str) -> tuple[Turn, Did]:
    """Return the turn after an act, the same one where it is not allowed, and what is to be told of it."""
    act = named(book, ACTS, name)
    costs = frozenset(cost.mark for cost in payable(act, turn.facts) if cost.amount)
    delay = DELAYS.get(act.variant(turn.facts).effect, 0) if act.variants else None
    part = Part(act.id, {ACTOR: WHO}, turn.facts, kept={WHO: {MEMBER: {"marks": turn.marks}}})
    method = ActMethod(act.id)  # its costs alone: what it is rolled on is no matter here
    try:
        method.check(part, book)
        result = method.play(part, book, ScriptedDice(()))
    except TooLittle as error:
        taking = (bar.label for bar in bars(book, turn.facts) if error.mark in bar.takes)
        return turn, Did(next(taking, str(error)), costs, delay)
    except RollError as error:
        return turn, Did(str(error), costs, delay)
    paid = (value["marks"] for who, name, value in result.changes if (who, name) == (WHO, MEMBER) and value)
    marks = {mark: count for mark, count in next(paid, turn.marks).items() if mark in turn.marks}
    return Turn(_settled(book, act, turn.facts, costs), marks), Did(None, costs, delay)


def barring(book: Book, act: Act, facts: Facts) -> Bar | None:
    """Return what leaves nothing of a mark that an act costs now; None where nothing does, or it's free."""
    takes = {cost.mark for cost in payable(act, facts) if cost.amount}
    return next((bar for bar in bars(book, facts) if takes & {*bar.takes}), None)


def readable(book: Book) -> frozenset[str]:
    """Return all facts of whoever has a turn that something in it reads."""
    read = [fact for act in book.acts.values() if act.id.startswith(ACTS) for fact in act.facts]
    read += [fact for bar in book.listed(Bar).values() for fact in mentioned_facts(bar.when)]
    read += [item.needs for item in book.listed(Allowance).values() if item.needs]
    read += [item.of for item in book.listed(Upkeep).values()]
    read += [_fact(item.effect) for item in book.listed(Lasting).values() if item.amount]
    return frozenset(fact for fact in read if fact.startswith(f"{ACTOR}.")) - {FIRST}


def named(book: Book, group: str, name: str) -> Act:
    """Return the act of this name in a group: with the same beginning of their ids."""
    if group + name not in book.acts:
        raise UnknownAct(name, [act.removeprefix(group) for act in book.acts if act.startswith(group)])
    return book.acts[group + name]


def true(readable: Iterable[str], words: Iterable[str]) -> Facts:
    """Return facts by their traits, out of those that something reads."""
    by_trait = {fact.partition(".")[2]: fact for fact in readable}
    facts = {}
    for word in words:
        if word not in by_trait:
            raise UnknownFact(word, by_trait)
        facts[by_trait[word]] = Known(1, TYPED)
    return facts


def _settled(book: Book, act: Act, facts: Facts, costs: Collection[str]) -> Facts:
    """Return what is true after an act: what it sets and ends, and that it was done."""
    now = dict(facts)
    for consequence in act.then:
        deed = book.deeds[consequence.do]
        for trait in deed.ends:
            now.pop(_fact(trait), None)
        if deed.effect is not None:
            now[_fact(deed.effect)] = Known(1, TYPED)
    return {**now, **{fact: Known(1, TYPED) for fact in noted_by(act, book, paid=bool(costs))}}


def _fact(trait: str | None) -> str:
    return f"{ACTOR}.{trait}"
