"""What is added to the damage of an attack and whence, and what the target has against it (lines 17, 105, 106, 261, 394)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import DamageKind
from rules.books.roe.damage import Typed, strength_bonus
from rules.catalog import Amount
from rules.facts import Facts, Known, Origin
from rules.fields import word_id
from rules.modifiers import Modifier, WeighedModifier
from rules.procedure import Part
from rules.scores import weigh_score

ACTOR, RESISTER = "actor", "resister"
DAMAGE, DR = "damage", "dr"
"""What adjustments of damage are made to, in the place of a table's id."""
_STRENGTH = "strength"


class Bonus(Struct, frozen=True):
    """What is added to damage of a type and what the target has against it, before any cap, and what of the former counts, with its origins."""

    typed: Typed
    counted: tuple[WeighedModifier, ...] = ()


def bonus_of(part: Part, book: Book, kind: DamageKind, brought: Iterable[WeighedModifier] = ()) -> Bonus:
    """Return what is added to damage of a type alone, with what is brought to it, and what the target has against it."""
    facts, brought = with_kind(part.facts, kind), tuple(brought)
    against = sum(each.value for each in part.adjustments if each.table == DR)
    own = weigh_score(book.scores[kind.score], ACTOR, facts, part.marks)
    reduced = (weigh_score(book.scores[score], RESISTER, facts, part.marks).raw for score in kind.dr)
    typed = Typed(kind.id, own.raw + sum(item.amount for item in brought), against + sum(reduced))
    return Bonus(typed, tuple(item for item in (*own.modifiers, *brought) if item.count))


def untyped_of(part: Part) -> int:
    """Return what is added to damage of whatever type, once for all of an Action (line 105)."""
    return sum(each.value for each in part.adjustments if each.table == DAMAGE)


def strength_of(part: Part, book: Book, kind: DamageKind, *, improvised: bool) -> Iterator[WeighedModifier]:
    """Yield what strength adds to damage of a type."""
    score = book.scores[_STRENGTH]
    weighed = weigh_score(score, ACTOR, with_kind(part.facts, kind), part.marks)
    bonus = strength_bonus(weighed.raw, improvised=improvised)
    if bonus:
        label = f"{score.label}, half" if improvised else score.label
        secret = any(item.secret for item in weighed.modifiers)
        yield WeighedModifier(brought(_STRENGTH, bonus, label, score.line).modifier, 1, "", None, secret=secret)


def attached(book: Book, part: Part, place: int, to: str) -> Iterator[WeighedModifier]:
    """Yield what is attached to the weapon in a place, and adds to something: it serves that one alone (line 261)."""
    mods = part.inputs.get("mods", ())
    line = book.listed(Amount)["attachments"].line
    for added, name, value in mods[place] if place < len(mods) else ():
        if added == to:
            yield brought(f"attached.{word_id(name)}", value, name, line, Origin("weapon", called(part, place)))


def brought(name: str, value: int, label: str, line: int, origin: Origin | None = None) -> WeighedModifier:
    """Return something that counts on a roll although its table has not printed it, such as what a weapon brings."""
    return WeighedModifier(Modifier(name, value, label, "weapon", line), 1, "", origin, secret=False)


def called(part: Part, place: int) -> str:
    """Return what the weapon in a place is called."""
    return str((part.inputs.get("names") or part.inputs["tokens"])[place])


def with_kind(facts: Facts, kind: DamageKind) -> Facts:
    """Return what is true of an attack with a type of damage."""
    told = Origin("weapon", kind.label)
    return {**facts, **{f"attack.{fact}": Known(1, told) for fact in kind.facts}}


def told_bonuses(items: Iterable[WeighedModifier]) -> str:
    """Return what is added to damage, each with how much, in words; of what players may not know nothing."""
    return ", ".join(f"{item.modifier.label} {item.amount:+}" for item in items if not item.secret)
