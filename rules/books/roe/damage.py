"""Criticals (lines 86 to 92), and damage: types, modifiers, doubling, DR (C13, C16; lines 17, 105, 106, 261, 394)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rules import errors, kinds, subjects, tables
from rules.book import Book, weigh_score
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind, Option, find_rule
from rules.dice import DiceTerm
from rules.modifiers import Facts, KnownFact, Modifier, Origin, WeighedModifier
from rules.procedure import Part, Step

Critical = Literal["none", "success", "failure"]
Loses = Literal["nothing", "action", "turn"]
LOSSES: tuple[Loses, ...] = ("nothing", "action", "turn")  # least first
LOST = {"action": "lose-action", "turn": "lose-turn"}
_COST = "critical-costs"
DAMAGE, DR = "damage", "dr"
"""What adjustments of damage use as table ids."""
_STRENGTH = "strength"


def with_die(table: tables.RollTable, sides: int, *, can_crit: bool = True) -> tables.RollTable:
    """Return the table with another die; its highest face stays critical if it can be (line 90)."""
    try:
        die = DiceTerm(1, sides)
    except ValueError:
        raise errors.RollError(f"A die can't have {sides} sides.") from None
    low = [item for item in table.naturals if item.face < table.die.high]
    high = [replace(item, face=die.high) for item in table.naturals if item.face == table.die.high]
    return table.with_die(die, (*low, *(high if can_crit else ())))


def find_critical(step: Step) -> Critical:
    """Return which critical a die's natural face is by itself, whatever the modifiers."""
    table, face = step.table, step.roll.total
    if all(item.face != face for item in table.naturals):
        return "none"
    return "failure" if face == table.die.low else "success"


def find_critical_cost(book: Book, facts: Facts, role: str = "resister") -> Loses:
    """Return what a critical hit costs the role hit besides damage, by racial option (line 37)."""
    rule = find_rule(book.entries_of(Option), facts, role, _COST)
    return next((cost for cost in LOSSES if cost == rule), "nothing")


def find_losses(
    actor: Critical, resister: Critical, cost: Loses = "nothing", *, hit: bool = False
) -> tuple[Loses, Loses]:
    """Return what actor and resister lose to criticals (lines 37, 88)."""
    resister_loses: Loses = "nothing"
    if resister == "failure":
        resister_loses = find_worst("action", cost)
    elif hit and actor == "success":
        resister_loses = cost
    return "action" if actor == "failure" else "nothing", resister_loses


def find_worst(*lost: Loses) -> Loses:
    """Return the largest loss, `nothing` if there are none."""
    return max(lost, key=LOSSES.index, default=LOSSES[0])


class HitDie(Struct, frozen=True, forbid_unknown_fields=True):
    """The face of one hit's damage die."""

    die: int
    critical: bool = False


class TypedDamage(Struct, frozen=True, forbid_unknown_fields=True):
    """The attacker's modifier and the target's DR for one damage type."""

    type: str
    mod: int = 0
    dr: int = 0


class DamageTotal(Struct, frozen=True):
    """Damage of an action: multiplied dice, modifiers, and damage before and after DR."""

    dice: int
    mod: int
    before_dr: int
    dr: int
    damage: int


class AttackManner(Struct, frozen=True):
    """How an attack is made; `aimed` and `sneak` help only a single roll (`alone`)."""

    aimed: bool = False
    sneak: bool = False
    pierced: bool = False
    alone: bool = True

    def doubles(self, dr: int) -> bool:
        """Return whether the die doubles: in a sneak attack, or aimed without DR (lines 345, 360)."""
        return self.alone and (self.sneak or (self.aimed and dr <= 0))

    @property
    def ignores_dr(self) -> bool:
        """Whether DR doesn't help: if pierced, or aimed without sneaking (line 364)."""
        return self.pierced or (self.alone and self.aimed and not self.sneak)


def sum_dominant(values: Sequence[int]) -> int:
    """Return the largest value plus half of each other, rounded down: 10, 5, 3 make 13 (line 341)."""
    first, *others = sorted(values, reverse=True) or [0]
    return first + sum(value // 2 for value in others)


def find_reduction(book: Book, values: Sequence[int]) -> int:
    """Return the capped DR against an action; below 0 it adds damage."""
    return min(book.number("dr-cap"), sum_dominant(values))


def sum_dice(hits: Sequence[HitDie], *, doubled: bool) -> int:
    """Return the dice: twice if doubled or critical, three times if both (line 350)."""
    return sum(hit.die * (1 + hit.critical + doubled) for hit in hits)


def total_damage(
    book: Book, dice: int, typed: Sequence[TypedDamage], untyped: int = 0, *, ignores_dr: bool = False
) -> DamageTotal:
    """Add modifiers and subtract DR once each (lines 105, 106, 341).

    Of the types' modifiers the largest counts and half of each other; `untyped` counts in full.
    """
    if not typed:
        return DamageTotal(0, 0, 0, 0, 0)
    mod = min(book.number("modifier-cap"), sum_dominant([each.mod for each in typed]) + untyped)
    dr = find_reduction(book, [each.dr for each in typed])
    dr = min(dr, 0) if ignores_dr else dr
    before = max(0, dice + mod)
    return DamageTotal(dice, mod, before, dr, max(0, before - dr))


def total_plain_damage(part: Part, book: Book, role: str, kind: DamageKind, dice: int) -> DamageTotal:
    """Return the damage of dice without modifiers, less the role's DR."""
    dr = sum(weigh_score(book.scores[score], role, part.facts, part.marks).raw for score in kind.dr)
    return total_damage(book, dice, [TypedDamage(kind.id, 0, dr)])


def find_strength_bonus(strength: int, *, improvised: bool) -> int:
    """Return strength as damage, halved for improvised weapons (line 394)."""
    return strength // 2 if improvised else strength


class Bonus(Struct, frozen=True):
    """Modifiers and DR of a damage type before any cap, and the modifiers that count."""

    typed: TypedDamage
    counted: tuple[WeighedModifier, ...] = ()


def find_bonus(part: Part, book: Book, kind: DamageKind, brought: Iterable[WeighedModifier] = ()) -> Bonus:
    """Sum the modifiers, with those `brought`, and the DR of one damage type."""
    facts, brought = with_kind(part.facts, kind), tuple(brought)
    against = sum(each.value for each in part.adjustments if each.table == DR)
    own = weigh_score(book.scores[kind.score], ACTOR, facts, part.marks)
    reduced = (weigh_score(book.scores[score], RESISTER, facts, part.marks).raw for score in kind.dr)
    typed = TypedDamage(kind.id, own.raw + sum(item.amount for item in brought), against + sum(reduced))
    return Bonus(typed, tuple(item for item in (*own.modifiers, *brought) if item.count))


def sum_untyped(part: Part) -> int:
    """Return what adjustments add once per Action (line 105)."""
    return sum(each.value for each in part.adjustments if each.table == DAMAGE)


def list_strength(part: Part, book: Book, kind: DamageKind, *, improvised: bool) -> Iterator[WeighedModifier]:
    """Yield what strength adds to a damage type."""
    score = book.scores[_STRENGTH]
    weighed = weigh_score(score, ACTOR, with_kind(part.facts, kind), part.marks)
    bonus = find_strength_bonus(weighed.raw, improvised=improvised)
    if bonus:
        label = f"{score.label}, half" if improvised else score.label
        secret = any(item.secret for item in weighed.modifiers)
        yield WeighedModifier(make_modifier(_STRENGTH, bonus, label, score.line).modifier, 1, "", None, secret=secret)


def list_attached(book: Book, part: Part, place: int, to: str) -> Iterator[WeighedModifier]:
    """Yield what attachments of the weapon in this place add to `accuracy` or `damage` (line 261)."""
    mods = part.inputs.get("mods", ())
    line = book.entries_of(kinds.PrintedNumber)["attachments"].line
    for added, name, value in mods[place] if place < len(mods) else ():
        if added == to:
            origin = Origin("weapon", name_weapon(part, place))
            yield make_modifier(f"attached.{subjects.word_id(name)}", value, name, line, origin)


def make_modifier(name: str, value: int, label: str, line: int, origin: Origin | None = None) -> WeighedModifier:
    """Make a modifier that its table doesn't print."""
    return WeighedModifier(Modifier(name, value, label, "weapon", line), 1, "", origin, secret=False)


def name_weapon(part: Part, place: int) -> str:
    """Return a weapon's name by its place."""
    return str((part.inputs.get("names") or part.inputs["tokens"])[place])


def with_kind(facts: Facts, kind: DamageKind) -> Facts:
    """Add the facts of a damage type."""
    known = KnownFact(1, Origin("weapon", kind.label))
    return {**facts, **{f"attack.{fact}": known for fact in kind.facts}}


def describe_bonuses(items: Iterable[WeighedModifier]) -> str:
    """Describe damage modifiers, without secret ones."""
    return ", ".join(f"{item.modifier.label} {item.amount:+}" for item in items if not item.secret)
