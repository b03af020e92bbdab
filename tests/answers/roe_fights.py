"""Attacks of the RoE book with the dice as they fell, and their odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import asdict

from rules.book import Book
from rules.books.roe.aim import ACCURACY, DODGE, AttackPlan, plan_attack
from rules.books.roe.attack_odds import find_odds
from rules.books.roe.attacks import PROCEDURE, THROWN, throw_shots
from rules.books.roe.catalog import ACTOR, RESISTER, Ammo, DamageDie, DamageKind, Vehicle, WeaponTrait, entry_of
from rules.books.roe.characters import racial_facts
from rules.books.roe.damage import (
    DAMAGE,
    DR,
    AttackManner,
    DamageTotal,
    HitDie,
    TypedDamage,
    find_reduction,
    find_strength_bonus,
    sum_dice,
    total_damage,
)
from rules.books.roe.engagements import TOP, VehicleAttack, can_hurt, is_immune, pierces_armour, weigh_against_vehicle
from rules.books.roe.weapons import counts_as_automatic, find_weapon, list_sizes, size_sides, threshold
from rules.errors import RollError
from rules.modifiers import Adjustment, Facts
from rules.procedure import Part, Request, Stage
from rules.ruleset import RuleSet, resolve
from rules.stages import roll_stage, weigh_stage
from tests.answers.lines import Answer, BadLine, Op, Question
from tests.answers.roe_rolls import Roll, adjust_table, script_dice
from tests.answers.roe_values import Mods, list_adjustments

HUNDRED = 100
RESIST = "roe.resist.strike"
"""The table of a dodge."""


class Rolled(Question, frozen=True):
    """A natural accuracy die, and whether it hit."""

    natural: int
    hit: bool


def attack(
    book: RuleSet,
    *,
    tokens: tuple[str, ...],
    range_m: float,
    hp: int,
    attack_dice: tuple[int, ...],
    dodge_dice: tuple[int, ...],
    damage_dice: tuple[int, ...],
    mode: str | None = None,
    accuracy: Mods = (),
    dodge: Mods = (),
    damage: Mods = (),
    dr: int = 0,
    aimed: bool = False,
    sneak: bool = False,
    racial: str | None = None,
    target_racial: str | None = None,
) -> Answer:
    """Play an attack with the dice of each roll in order.

    One dodge die may count for all; an option's die follows the damage dice.
    """
    rolls = len(attack_dice)
    inputs = {
        "tokens": tokens,
        "range_m": range_m,
        "mode": mode,
        "hp": hp,
        "aimed": aimed,
        "sneak": sneak,
        "rolls": rolls,
        "one_dodge": len(dodge_dice) < rolls,
        "extra": len(damage_dice) > rolls,
        "strength": True,
    }
    facts = {**racial_facts(book, ACTOR, racial), **racial_facts(book, RESISTER, target_racial)}
    mods = {ACCURACY: accuracy, DODGE: dodge, DAMAGE: damage, DR: (dr,)}
    part = _part(inputs, mods, facts)
    plan = plan_attack(part, book)
    if len(dodge_dice) not in {1, rolls}:
        raise RollError(f"{rolls} attack dice are dodged by {rolls} dice or by one, not by {len(dodge_dice)}.")
    contested = [*_list_contest_dice(plan, attack_dice, dodge_dice)]
    hits = [shot.hit for shot in throw_shots(plan, script_dice(*contested))]
    dice = script_dice(*contested, *_damage_dice(plan, damage_dice, hits))
    played = resolve(Request(PROCEDURE.family, (part,)), book, dice).parts[0]
    return {name: value for name, value in played.record.items() if name != THROWN}


def attack_odds(
    book: RuleSet,
    *,
    tokens: tuple[str, ...],
    range_m: float,
    mode: str | None = None,
    accuracy: Mods = (),
    dodge: Mods = (),
) -> Answer:
    """Return the chance of each number of hits."""
    inputs = {"tokens": tokens, "range_m": range_m, "mode": mode, "hp": 1}
    part = _part(inputs, {ACCURACY: accuracy, DODGE: dodge, DR: (0,)}, {})
    return {"hits": [str(chance) for chance in find_odds(plan_attack(part, book), book).hits]}


def _part(inputs: Mapping[str, Any], mods: Mapping[str, Mods], facts: Facts) -> Part:
    adjustments = tuple(
        Adjustment(each.value, each.reason, table) for table, given in mods.items() for each in list_adjustments(given)
    )
    return Part("attack", {ACTOR: ACTOR, RESISTER: RESISTER}, facts, adjustments=adjustments, inputs=inputs)


def _list_contest_dice(
    plan: AttackPlan, attack_dice: tuple[int, ...], dodge_dice: tuple[int, ...]
) -> Iterator[tuple[int, int]]:
    for place, (of, face) in enumerate(zip(plan.rolls, attack_dice, strict=True)):
        aim = plan.aims[of]
        yield aim.arm.sides, face
        if place < len(dodge_dice):
            yield next(iter(aim.dodges.values())).stage.table.die.sides, dodge_dice[place]


def _damage_dice(plan: AttackPlan, dice: tuple[int, ...], hits: list[bool]) -> Iterator[tuple[int, int]]:
    if not len(hits) <= len(dice) <= len(hits) + (plan.extra is not None):
        raise RollError(f"{len(hits)} attack dice have as many damage dice, not {len(dice)}.")
    hitting = [(place, face) for place, face, hit in zip(plan.rolls, dice, hits, strict=False) if hit]
    yield from ((plan.aims[place].arm.die, face) for place, face in hitting)
    extra = plan.extra_from(place for place, _ in hitting)
    if extra is not None:
        yield extra.sides, dice[-1]


def damage(
    book: Book,
    *,
    hits: tuple[HitDie, ...],
    mods: Mods | None = None,
    dr: int | None = None,
    types: tuple[TypedDamage, ...] | None = None,
    aimed: bool = False,
    sneak: bool = False,
    pierced: bool = False,
    improvised: bool = False,
    strength: int = 0,
) -> Answer:
    """Return the hits' damage."""
    if types is not None and (mods is not None or dr is not None):
        raise BadLine("write types instead of mods and dr")
    bonus = find_strength_bonus(strength, improvised=improvised)
    if types is None:
        typed = [TypedDamage("", sum(each.value for each in list_adjustments(mods or ())) + bonus, dr or 0)]
    else:
        typed = _add_strength(book, types, bonus)
    script_dice(*((book.number("improvised-sides") if improvised else _largest(book), hit.die) for hit in hits))
    if not hits:
        return asdict(total_damage(book, 0, ()))
    done = AttackManner(aimed, sneak, pierced, alone=len(hits) == 1 and len(typed) == 1)
    doubled = done.doubles(find_reduction(book, [each.dr for each in typed]))
    dice = sum_dice(hits, doubled=doubled)
    return asdict(total_damage(book, dice, typed, ignores_dr=done.ignores_dr))


def _add_strength(book: Book, types: tuple[TypedDamage, ...], bonus: int) -> list[TypedDamage]:
    kinds = [entry_of(book.entries_of(DamageKind), each.type) for each in types]
    if not kinds or len({kind.id for kind in kinds}) < len(kinds):
        raise RollError("Name each damage type that hit once.")
    return [
        TypedDamage(each.type, each.mod + (bonus if kind.strength else 0), each.dr)
        for each, kind in zip(types, kinds, strict=True)
    ]


def trait(book: Book, *, trait: str, size: str, rolls: tuple[Rolled, ...]) -> Answer:
    """Return whether a trait triggers, and what it does."""
    if {*trait.split("/")} <= {*book.entries_of(WeaponTrait)} and "/" in trait:
        raise RollError(f"Name one of {trait}: the attacker chooses.")
    least = threshold(book, size, trait)
    script_dice(*((HUNDRED, roll.natural) for roll in rolls))
    triggered = any(roll.hit and roll.natural >= least for roll in rolls)
    found = book.entries_of(WeaponTrait)[trait] if triggered else None
    effect, turns = (found.effect, found.turns) if found else (None, None)
    return {"threshold": least, "triggered": triggered, "effect": effect, "turns": turns}


def bystanders(
    book: Book,
    *,
    fire: str,
    range_m: float | None = None,
    attack_total: int | None = None,
    primary_hit: bool | None = None,
    ally: Roll | None = None,
    damage_dice: tuple[int, ...] | None = None,
    mod: int = 0,
    primary_hits: tuple[bool, ...] | None = None,
    secondary_hits: tuple[bool, ...] | None = None,
    shielded: bool = False,
) -> Answer:
    """Return whom automatic fire also hits (lines 377 to 381)."""
    automatic = counts_as_automatic(book, fire, range_m)
    answer: Answer = {"automatic": automatic}
    if shielded:
        if primary_hits is None:
            raise BadLine("primary_hits is missing: which attacks hit the target")
        missed = [not hit for hit in primary_hits]
        return {**answer, "shielder_hits": missed, "dodge": book.number("shield-dodge"), "spends": "action"}
    if automatic:
        if damage_dice is None and primary_hits is None and secondary_hits is None:
            return answer
        if damage_dice is None or primary_hits is None or secondary_hits is None:
            raise BadLine("damage_dice, primary_hits and secondary_hits belong together")
        return {**answer, **_shares(book, damage_dice, mod, primary_hits, secondary_hits)}
    if attack_total is None and primary_hit is None and ally is None:
        return answer
    if attack_total is None or primary_hit is None or ally is None:
        raise BadLine("attack_total, primary_hit and ally belong together")
    return {**answer, "ally_hit": not _dodges(book, ally, attack_total) and not primary_hit}


def _dodges(book: Book, ally: Roll, attack_total: int) -> bool:
    facts = racial_facts(book, RESISTER, ally.racial)
    part = Part("dodge", {RESISTER: RESISTER}, facts, adjustments=tuple(adjust_table(RESIST, ally.mods)))
    stage = weigh_stage(Stage(book.table(RESIST), value=attack_total), part, first=True)
    return roll_stage(stage, script_dice((HUNDRED, ally.die))).row.outcome != ACTOR


def _shares(
    book: Book, dice: tuple[int, ...], mod: int, primary: tuple[bool, ...], secondary: tuple[bool, ...]
) -> Answer:
    script_dice(*((_largest(book), die) for die in dice))
    if not len(dice) == len(primary) == len(secondary):
        raise RollError("Give one damage die and one hit or miss per attack for each.")
    shares = {}
    for name, places, part in (("primary", primary, 1), ("secondary", secondary, book.number("shared-part"))):
        hits = [HitDie(die) for die, hit in zip(dice, places, strict=True) if hit]
        shared = sum_dice(hits, doubled=False) // part
        shares[name] = total_damage(book, shared, [TypedDamage("", mod)] if hits else ()).before_dr
    return shares


def vehicle_hit(
    book: Book,
    *,
    class_: str,
    natural: int,
    hp: int | None = None,
    token: str | None = None,
    size: str | None = None,
    type_: str | None = None,
    trait: str | None = None,
    ammo: str | None = None,
    damage_die: int | None = None,
    mods: Mods = (),
    occupants: dict[str, int] | None = None,
) -> Answer:
    """Return whether a weapon hurts a vehicle, and the result."""
    vehicle = entry_of(book.entries_of(Vehicle), class_)
    against = _against(book, natural, ammo, token=token, size=size, kind=type_)
    if trait is not None:
        entry_of(book.entries_of(WeaponTrait), trait)
    script_dice((HUNDRED, natural))
    answer: Answer = {"can_damage": can_hurt(vehicle, against)}
    if damage_die is None:
        if occupants is not None:
            raise BadLine("damage_die and hp are missing: what becomes of the occupants hangs on them")
        return answer
    script_dice((against.sides, damage_die))
    # A natural 100 hurts what is immune, too, but doubles its die only on what isn't.
    doubled = natural == TOP and not is_immune(vehicle, against)
    dice = sum_dice([HitDie(damage_die, doubled)], doubled=False)
    mod = sum(each.value for each in list_adjustments(mods))
    struck = total_damage(book, dice, [TypedDamage(against.kind.id, mod)] if answer["can_damage"] else ())
    answer |= {"damage": struck.damage, "doubled": doubled}
    return {**answer, **_wreck(book, vehicle, hp, struck, occupants)}


def _against(
    book: Book, natural: int, ammo: str | None, *, token: str | None, size: str | None, kind: str | None
) -> VehicleAttack:
    by_label = {each.label: each for each in book.entries_of(Ammo).values()}
    loaded = None if ammo is None else entry_of(by_label, ammo)
    if token is not None and size is None and kind is None:
        return weigh_against_vehicle(book, find_weapon(book, token), loaded, natural)
    if token is None and size is not None and kind is not None:
        line, typed = entry_of(book.entries_of(DamageDie), size), entry_of(book.entries_of(DamageKind), kind)
        # Of explosives and magika the die may be that of either table.
        tables = [typed.guns] if typed.stopped else [True, False]
        sides = max(size_sides(book, line.id, gun=gun) for gun in tables)
        return VehicleAttack(line.id, typed, pierces_armour(typed, loaded), sides, natural)
    raise BadLine("either token is asked about, or size and type")


def _wreck(
    book: Book, vehicle: Vehicle, hp: int | None, struck: DamageTotal, occupants: Mapping[str, int] | None
) -> Answer:
    if hp is None:
        if occupants is not None:
            raise BadLine("hp is missing: what becomes of the occupants hangs on it")
        return {}
    if not 0 <= hp <= vehicle.hp:
        raise RollError(f"{vehicle.label} has 0 to {vehicle.hp} HP.")
    left = max(0, hp - struck.damage)
    answer: Answer = {"hp": left, "destroyed": not left, "usable": left > 0}
    if occupants is None:
        return answer
    lost = 0 if left else book.number("ejected-hp")
    after = {name: max(0, each - lost) for name, each in occupants.items()}
    downed = [name for name, each in after.items() if not each and not left]
    return {**answer, "ejected": not left, "occupants": after, "downed": downed}


def _largest(book: Book) -> int:
    return max(size_sides(book, size, gun=gun) for size in list_sizes(book) for gun in (True, False))


OPS: Mapping[str, Op] = {op.__name__: op for op in (attack, damage, trait, bystanders, vehicle_hit)}
