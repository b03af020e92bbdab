"""Criticals (lines 86 to 92), and what the dice of an attack come to: types of damage, what is added to each and why, doubling, damage reduction (C13, C16; lines 17, 105, 106, 261, 394)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind, Option, find_rule
from rules.dice import DiceTerm
from rules.errors import RollError
from rules.fields import word_id
from rules.kinds import PrintedNumber
from rules.modifiers import Facts, Known, Modifier, Origin, WeighedModifier
from rules.procedure import Part, Step
from rules.tables import RollTable, weigh_score

Critical = Literal["none", "success", "failure"]
Loses = Literal["nothing", "action", "turn"]
LOSSES: tuple[Loses, ...] = ("nothing", "action", "turn")
"""What a critical can cost, the least first."""
LOST = {"action": "lose-action", "turn": "lose-turn"}
"""The deeds by which something of the next turn is lost to a critical."""
_COST = "critical-costs"
DAMAGE, DR = "damage", "dr"
"""What adjustments of damage are made to, in the place of a table's id."""
_STRENGTH = "strength"


def with_die(table: RollTable, sides: int, *, can_crit: bool = True) -> RollTable:
    """Return a table as it is rolled with a die of other sides: its highest face decides there too, if it can (line 90)."""
    try:
        die = DiceTerm(1, sides)
    except ValueError:
        raise RollError(f"A die can't have {sides} sides.") from None
    low = [item for item in table.naturals if item.face < table.die.high]
    high = [replace(item, face=die.high) for item in table.naturals if item.face == table.die.high]
    return table.thrown_as(die, (*low, *(high if can_crit else ())))


def find_critical(step: Step) -> Critical:
    """Return what the face of a roll is by itself: the lowest fails, the highest succeeds, where it decides on the table."""
    table, face = step.table, step.roll.total
    if all(item.face != face for item in table.naturals):
        return "none"
    return "failure" if face == table.die.low else "success"


def find_critical_cost(book: Book, facts: Facts, role: str = "resister") -> Loses:
    """Return what a critical hit on whoever stands in a role costs besides its damage, by the racial option (line 37)."""
    rule = find_rule(book.listed(Option), facts, role, _COST)
    return next((cost for cost in LOSSES if cost == rule), "nothing")


def find_losses(
    actor: Critical, resister: Critical, cost: Loses = "nothing", *, hit: bool = False
) -> tuple[Loses, Loses]:
    """Return what the critical failures of both sides cost them: the next Action (line 88), the resister its `cost` if more.

    `hit` says that the actor has hit: where that was critical too, it is the resister's `cost` alone (line 37).
    """
    resister_loses: Loses = "nothing"
    if resister == "failure":
        resister_loses = find_worst("action", cost)
    elif hit and actor == "success":
        resister_loses = cost
    return "action" if actor == "failure" else "nothing", resister_loses


def find_worst(*lost: Loses) -> Loses:
    """Return the most of several things that are lost."""
    return max(lost, key=LOSSES.index, default=LOSSES[0])


class HitDie(Struct, frozen=True, forbid_unknown_fields=True):
    """The damage die of an attack that hit, and whether it was a critical hit."""

    die: int
    critical: bool = False


class TypedDamage(Struct, frozen=True, forbid_unknown_fields=True):
    """What is added to damage of a type that hit, and what the target has against it."""

    type: str
    mod: int = 0
    dr: int = 0


class DamageTotal(Struct, frozen=True):
    """What the hits of an action come to: multiplied dice, the sum of modifiers, damage before and after `dr` is subtracted."""

    dice: int
    mod: int
    before_dr: int
    dr: int
    damage: int


class AttackManner(Struct, frozen=True):
    """What is known of an attack besides its dice: an `aimed` shot or `sneak` attack helps only if `alone` (one attack roll)."""

    aimed: bool = False
    sneak: bool = False
    pierced: bool = False
    alone: bool = True

    def doubles(self, dr: int) -> bool:
        """Return whether the die is doubled: in a sneak attack, and where an aim finds no damage reduction (lines 345, 360)."""
        return self.alone and (self.sneak or (self.aimed and dr <= 0))

    @property
    def ignores_dr(self) -> bool:
        """Whether damage reduction does not help. A sneak attack has no other benefit of an aimed one (line 364)."""
        return self.pierced or (self.alone and self.aimed and not self.sneak)


def sum_dominant(values: Sequence[int]) -> int:
    """Return the largest value and half of each other, rounded down by itself (line 341): 10, 5 and 3 come to 13."""
    first, *others = sorted(values, reverse=True) or [0]
    return first + sum(value // 2 for value in others)


def find_reduction(book: Book, values: Sequence[int]) -> int:
    """Return the damage reduction against all types of an action, within its cap; below 0 it adds to the damage."""
    return min(book.number("dr-cap"), sum_dominant(values))


def sum_dice(hits: Sequence[HitDie], *, doubled: bool) -> int:
    """Return the sum of dice, each taken twice where it is doubled or critical, and three times where it is both (line 350)."""
    return sum(hit.die * (1 + hit.critical + doubled) for hit in hits)


def total_damage(
    book: Book, dice: int, typed: Sequence[TypedDamage], untyped: int = 0, *, ignores_dr: bool = False
) -> DamageTotal:
    """Add modifiers once to the multiplied dice, and subtract damage reduction once (lines 105, 106, 341); none hit without a type.

    Of the types' own modifiers the largest counts, and half of each other; one of no type (`untyped`) counts once and in full.
    """
    if not typed:
        return DamageTotal(0, 0, 0, 0, 0)
    mod = min(book.number("modifier-cap"), sum_dominant([each.mod for each in typed]) + untyped)
    dr = find_reduction(book, [each.dr for each in typed])
    dr = min(dr, 0) if ignores_dr else dr
    before = max(0, dice + mod)
    return DamageTotal(dice, mod, before, dr, max(0, before - dr))


def total_plain_damage(part: Part, book: Book, role: str, kind: DamageKind, dice: int) -> DamageTotal:
    """Return damage to which nothing adds, less what whoever stands in a role has against it."""
    dr = sum(weigh_score(book.scores[score], role, part.facts, part.marks).raw for score in kind.dr)
    return total_damage(book, dice, [TypedDamage(kind.id, 0, dr)])


def find_strength_bonus(strength: int, *, improvised: bool) -> int:
    """Return what strength adds to damage: half of it, rounded down, to that of improvised weapons (line 394)."""
    return strength // 2 if improvised else strength


class Bonus(Struct, frozen=True):
    """What is added to damage of a type and what the target has against it, before any cap, and what of the former counts, with its origins."""

    typed: TypedDamage
    counted: tuple[WeighedModifier, ...] = ()


def find_bonus(part: Part, book: Book, kind: DamageKind, brought: Iterable[WeighedModifier] = ()) -> Bonus:
    """Return what is added to damage of a type alone, with what is brought to it, and what the target has against it."""
    facts, brought = with_kind(part.facts, kind), tuple(brought)
    against = sum(each.value for each in part.adjustments if each.table == DR)
    own = weigh_score(book.scores[kind.score], ACTOR, facts, part.marks)
    reduced = (weigh_score(book.scores[score], RESISTER, facts, part.marks).raw for score in kind.dr)
    typed = TypedDamage(kind.id, own.raw + sum(item.amount for item in brought), against + sum(reduced))
    return Bonus(typed, tuple(item for item in (*own.modifiers, *brought) if item.count))


def sum_untyped(part: Part) -> int:
    """Return what is added to damage of whatever type, once for all of an Action (line 105)."""
    return sum(each.value for each in part.adjustments if each.table == DAMAGE)


def list_strength(part: Part, book: Book, kind: DamageKind, *, improvised: bool) -> Iterator[WeighedModifier]:
    """Yield what strength adds to damage of a type."""
    score = book.scores[_STRENGTH]
    weighed = weigh_score(score, ACTOR, with_kind(part.facts, kind), part.marks)
    bonus = find_strength_bonus(weighed.raw, improvised=improvised)
    if bonus:
        label = f"{score.label}, half" if improvised else score.label
        secret = any(item.secret for item in weighed.modifiers)
        yield WeighedModifier(make_modifier(_STRENGTH, bonus, label, score.line).modifier, 1, "", None, secret=secret)


def list_attached(book: Book, part: Part, place: int, to: str) -> Iterator[WeighedModifier]:
    """Yield what is attached to the weapon in a place, and adds to something: it serves that one alone (line 261)."""
    mods = part.inputs.get("mods", ())
    line = book.listed(PrintedNumber)["attachments"].line
    for added, name, value in mods[place] if place < len(mods) else ():
        if added == to:
            yield make_modifier(
                f"attached.{word_id(name)}", value, name, line, Origin("weapon", name_weapon(part, place))
            )


def make_modifier(name: str, value: int, label: str, line: int, origin: Origin | None = None) -> WeighedModifier:
    """Return something that counts on a roll although its table has not printed it, such as what a weapon brings."""
    return WeighedModifier(Modifier(name, value, label, "weapon", line), 1, "", origin, secret=False)


def name_weapon(part: Part, place: int) -> str:
    """Return what the weapon in a place is called."""
    return str((part.inputs.get("names") or part.inputs["tokens"])[place])


def with_kind(facts: Facts, kind: DamageKind) -> Facts:
    """Return what is true of an attack with a type of damage."""
    told = Origin("weapon", kind.label)
    return {**facts, **{f"attack.{fact}": Known(1, told) for fact in kind.facts}}


def describe_bonuses(items: Iterable[WeighedModifier]) -> str:
    """Return what is added to damage, each with how much, in words; of what players may not know nothing."""
    return ", ".join(f"{item.modifier.label} {item.amount:+}" for item in items if not item.secret)
