"""Rolls of sides as lines tell of them: the parts that they make up, and how these fall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.cli.roe.questions import RollIn
from rules.books.roe.contests import ALONE, DICE, Settled, settled
from rules.books.roe.sides import TYPED, Mods, counted, fallen, racial_facts
from rules.engine import resolve
from rules.facts import Facts, Known
from rules.modifiers import Adjustment
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet


class ThrownIn(RollIn, frozen=True, kw_only=True):
    """A roll of a die of its own, which may have a critical success or not."""

    sides: int = 100
    can_crit: bool = True


def typed(*facts: str) -> Facts:
    """Return facts as typed."""
    return {fact: Known(1, TYPED) for fact in facts}


def added(table: str, mods: Mods) -> Iterator[Adjustment]:
    """Yield modifiers as adjustments of a table."""
    return (Adjustment(item.value, item.reason, table) for item in counted(mods))


def fight(
    book: RuleSet, family: str, actor: RollIn, others: Sequence[RollIn], facts: Facts | None = None
) -> tuple[PartResult, ...]:
    """Resolve a contest of one side against each of the others; with none it rolls alone."""
    declared = book.contests[f"roe.{family}"]
    parts = [_part(book, family, (actor, other), {**(facts or {})}) for other in others or (None,)]
    faces = [(_sides(actor, declared.actor, book), actor.die)]
    faces += [(_sides(other, declared.resister, book), other.die) for other in others]
    return resolve(Request(declared.id, tuple(parts)), book, fallen(*faces)).parts


def meet(book: RuleSet, family: str, actor: RollIn, resister: RollIn, *facts: str) -> Settled:
    """Return how a contest of two sides comes out."""
    return settled(fight(book, family, actor, (resister,), typed(*facts))[0], book)


def _part(book: RuleSet, family: str, sides: tuple[RollIn, RollIn | None], facts: dict[str, Known]) -> Part:
    declared = book.contests[f"roe.{family}"]
    tables = (("actor", declared.actor), ("resister", declared.resister))
    told = [(role, table, roll) for (role, table), roll in zip(tables, sides, strict=True) if roll is not None]
    adjustments = [item for _, table, roll in told for item in added(table, roll.mods)]
    for role, _, roll in told:
        facts.update(racial_facts(book, role, roll.racial))
    dice = {
        table: {"sides": roll.sides, "can_crit": roll.can_crit} for _, table, roll in told if isinstance(roll, ThrownIn)
    }
    inputs = {DICE: dice, ALONE: sides[1] is None}
    return Part("typed", {}, facts, adjustments=tuple(adjustments), inputs=inputs)


def _sides(roll: RollIn, table: str, book: RuleSet) -> int:
    return roll.sides if isinstance(roll, ThrownIn) else book.table(table).die.sides
