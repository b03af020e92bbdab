"""Damage of the RoE book: dice and types, traits, bystanders, vehicles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cli.queries import BadLine
from bot.cli.questions import Op, Question
from bot.cli.roe.questions import RollIn
from rules.books.roe.attack import dodges
from rules.books.roe.bystanders import counts_as_automatic, shares, shielded
from rules.books.roe.catalog import Ammo, DamageDie, DamageKind, Trigger, Vehicle, entry_of
from rules.books.roe.damage import Hit, Strike, Typed, check_die, strength_bonus, strengthened, struck
from rules.books.roe.sides import Mods, counted, fallen, racial_facts
from rules.books.roe.traits import Rolled, triggers
from rules.books.roe.vehicle_hits import Against, against_like, against_token, damage_to, hurts, wreck
from rules.books.roe.weapons import size_sides, sizes, threshold, weapon_named
from rules.errors import RollError
from rules.ruleset import RuleSet

HUNDRED = 100


class DamageQuestion(Question, frozen=True):
    """The dice that hit and what is added, or that type by type."""

    hits: tuple[Hit, ...]
    mods: Mods | None = None
    dr: int | None = None
    types: tuple[Typed, ...] | None = None
    aimed: bool = False
    sneak: bool = False
    pierced: bool = False
    improvised: bool = False
    strength: int = 0


class TraitQuestion(Question, frozen=True):
    """A trait of a weapon of some size, and the attack rolls of one Action."""

    trait: str
    size: str
    rolls: tuple[Rolled, ...]


class BystandersQuestion(Question, frozen=True):
    """Fire past others: a single shot through an ally or at somebody who is shielded, or automatic fire."""

    fire: str
    range_m: float | None = None
    attack_total: int | None = None
    primary_hit: bool | None = None
    ally: RollIn | None = None
    damage_dice: tuple[int, ...] | None = None
    mod: int = 0
    primary_hits: tuple[bool, ...] | None = None
    secondary_hits: tuple[bool, ...] | None = None
    shielded: bool = False


class VehicleHitQuestion(Question, frozen=True, rename={"kind": "class"}):
    """An attack on a vehicle with a token, or with a size and a type of damage."""

    kind: str
    natural: int
    hp: int | None = None
    token: str | None = None
    size: str | None = None
    type: str | None = None
    trait: str | None = None
    ammo: str | None = None
    damage_die: int | None = None
    mods: Mods = ()
    occupants: dict[str, int] | None = None


def damage(asked: DamageQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what hits come to."""
    if asked.types is not None and (asked.mods is not None or asked.dr is not None):
        raise BadLine("write types instead of mods and dr")
    bonus = strength_bonus(asked.strength, improvised=asked.improvised)
    mod = sum(each.value for each in counted(asked.mods or ())) + bonus
    typed = (Typed("", mod, asked.dr or 0),) if asked.types is None else strengthened(book, asked.types, bonus)
    for hit in asked.hits:
        check_die(_largest(book, improvised=asked.improvised), hit.die)
    alone = len(asked.hits) == 1 and len(typed) == 1
    done = struck(book, asked.hits, typed, Strike(asked.aimed, asked.sneak, asked.pierced, alone))
    return {name: getattr(done, name) for name in done.__struct_fields__}


def trait(asked: TraitQuestion, book: RuleSet) -> dict[str, Any]:
    """Return whether a trait is triggered, and what it does."""
    if {*asked.trait.split("/")} <= {*book.listed(Trigger)} and "/" in asked.trait:
        raise RollError(f"Name one of {asked.trait}: the attacker chooses.")
    least = threshold(book, asked.size, asked.trait)
    for roll in asked.rolls:
        check_die(HUNDRED, roll.natural)
    found = triggers(book, asked.trait, asked.size, asked.rolls)
    return {
        "threshold": least,
        "triggered": found is not None,
        "effect": found and found.effect,
        "turns": found and found.turns,
    }


def bystanders(asked: BystandersQuestion, book: RuleSet) -> dict[str, Any]:
    """Return whether fire counts as automatic for others, and who of them is hit."""
    automatic = counts_as_automatic(book, asked.fire, asked.range_m)
    if asked.shielded:
        return {"automatic": automatic, **_shielded(asked, book)}
    return {"automatic": automatic, **(_shared(asked, book) if automatic else _ally(asked, book))}


def _shielded(asked: BystandersQuestion, book: RuleSet) -> dict[str, Any]:
    if asked.primary_hits is None:
        raise BadLine("primary_hits is missing: which attacks hit the target")
    hits = shielded(asked.primary_hits)
    return {"shielder_hits": [*hits], "dodge": book.number("shield-dodge"), "spends": "action"}


def _shared(asked: BystandersQuestion, book: RuleSet) -> dict[str, Any]:
    lists = (asked.damage_dice, asked.primary_hits, asked.secondary_hits)
    dice, primary, secondary = lists
    if dice is None and primary is None and secondary is None:
        return {}
    if dice is None or primary is None or secondary is None:
        raise BadLine("damage_dice, primary_hits and secondary_hits belong together")
    for die in dice:
        check_die(_largest(book), die)
    mine, theirs = shares(book, dice, asked.mod, primary, secondary)
    return {"primary": mine, "secondary": theirs}


def _ally(asked: BystandersQuestion, book: RuleSet) -> dict[str, Any]:
    total, hit, ally = asked.attack_total, asked.primary_hit, asked.ally
    if total is None and hit is None and ally is None:
        return {}
    if total is None or hit is None or ally is None:
        raise BadLine("attack_total, primary_hit and ally belong together")
    facts = racial_facts(book, "resister", ally.racial)
    dodged = dodges(book, total, facts, [*counted(ally.mods)], fallen((HUNDRED, ally.die)))
    return {"ally_hit": not hit and not dodged}


def vehicle_hit(asked: VehicleHitQuestion, book: RuleSet) -> dict[str, Any]:
    """Return whether a vehicle can be hurt, and what becomes of it and those in it."""
    vehicle = entry_of(book.listed(Vehicle), asked.kind)
    against = _against(asked, book)
    if asked.trait is not None:
        entry_of(book.listed(Trigger), asked.trait)
    check_die(HUNDRED, asked.natural)
    answered = {"can_damage": hurts(vehicle, against)}
    if asked.damage_die is None:
        if asked.occupants is not None:
            raise BadLine("damage_die and hp are missing: what becomes of the occupants hangs on them")
        return answered
    check_die(against.sides, asked.damage_die)
    mod = sum(each.value for each in counted(asked.mods))
    done, doubled = damage_to(book, vehicle, against, asked.damage_die, mod)
    return {**answered, "damage": done, "doubled": doubled, **_wreck(asked, vehicle, done, book)}


def _against(asked: VehicleHitQuestion, book: RuleSet) -> Against:
    by_label = {each.label: each for each in book.listed(Ammo).values()}
    ammo = None if asked.ammo is None else entry_of(by_label, asked.ammo)
    if asked.token is not None and asked.size is None and asked.type is None:
        return against_token(book, weapon_named(book, asked.token), ammo, asked.natural)
    if asked.token is None and asked.size is not None and asked.type is not None:
        line, kind = entry_of(book.listed(DamageDie), asked.size), entry_of(book.listed(DamageKind), asked.type)
        return against_like(book, line, kind, ammo, asked.natural)
    raise BadLine("either token is asked about, or size and type")


def _wreck(asked: VehicleHitQuestion, vehicle: Vehicle, done: int, book: RuleSet) -> dict[str, Any]:
    if asked.hp is None:
        if asked.occupants is not None:
            raise BadLine("hp is missing: what becomes of the occupants hangs on it")
        return {}
    if not 0 <= asked.hp <= vehicle.hp:
        raise RollError(f"{vehicle.label} has 0 to {vehicle.hp} HP.")
    left = wreck(book, asked.hp, done, asked.occupants or {})
    answered = {"hp": left.hp, "destroyed": left.destroyed, "usable": not left.destroyed}
    if asked.occupants is None:
        return answered
    return {**answered, "ejected": left.destroyed, "occupants": dict(left.occupants), "downed": left.downed}


def _largest(book: RuleSet, *, improvised: bool = False) -> int:
    """Return the sides of the largest damage die there is."""
    if improvised:
        return book.number("improvised-sides")
    return max(size_sides(book, size, gun=gun) for size in sizes(book) for gun in (True, False))


OPS: Mapping[str, Op] = {
    "damage": Op(DamageQuestion, damage),
    "trait": Op(TraitQuestion, trait),
    "bystanders": Op(BystandersQuestion, bystanders),
    "vehicle_hit": Op(VehicleHitQuestion, vehicle_hit),
}
