"""Attacks out of vehicles, on vehicles and pets, and by pets (lines 502 to 557): on people they are those of everybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import AttackPlan, plan_attack
from rules.books.roe.assault import AssaultMethod, describe_weapons
from rules.books.roe.attacks import (
    CRITICAL,
    AttackMethod,
    AttackRoll,
    conclude_hits,
    share_dice,
    throw_damage,
    throw_shots,
    with_straying,
)
from rules.books.roe.catalog import (
    ACTOR,
    RESISTER,
    Ammo,
    DamageKind,
    Fire,
    Pet,
    PetType,
    Vehicle,
    WeaponClass,
    WeaponKind,
    WeaponToken,
)
from rules.books.roe.characters import describe_ammo, find_ammo, list_loaded
from rules.books.roe.hiding import expose
from rules.books.roe.turns import make_wounding
from rules.books.roe.vehicles import LEVEL, OWNER, SLOT, TYPE, bring_pet, find_vehicle, strip_rider
from rules.books.roe.weapons import Weapon, damage_sides, find_mode, find_weapon, list_sizes
from rules.dice import Dice
from rules.errors import RollError
from rules.odds import table_odds
from rules.procedure import Chance, MethodResult, Part, PartResult, WeighedStage
from rules.tables import Consequence

TOP = 100
"""The natural accuracy die that hurts what is immune, and is a critical hit on what is not."""
DRIVEN = f"{RESISTER}.driven"
"""The fact of a vehicle that somebody drives, who rolls its dodge."""
_FAILED = "failure"
_STOPPED = "Hits without damage: only a natural 100 gets through"
_HANDLED: Mapping[str, tuple[WeaponKind, Fire | None]] = {"melee": ("melee", None), "ranged": ("ranged", "semi")}
"""How a weapon like the attack of a pet is wielded, and its fire."""


class VehicleAttack(Struct, frozen=True):
    """What a vehicle is attacked with, and the `natural` accuracy die of the attack; `sides` are those of its damage die."""

    size: str
    kind: DamageKind
    pierces: bool
    sides: int
    natural: int


def weigh_against_vehicle(book: Book, named: Weapon, ammo: Ammo | None, natural: int) -> VehicleAttack:
    """Return what a weapon is against vehicles."""
    kind = book.listed(DamageKind)[named.damage_type]
    usual = find_mode(book, named)
    sides = max(damage_sides(book, named, usual, range_m) for range_m in (0, None))
    return VehicleAttack(
        named.token.size, kind, named.type.pierces_armour or pierces_armour(kind, ammo), sides, natural
    )


def hurts(vehicle: Vehicle, against: VehicleAttack) -> bool:
    """Return whether a weapon hurts a vehicle: a natural 100 always does (line 517)."""
    return against.natural == TOP or not is_immune(vehicle, against)


def is_immune(vehicle: Vehicle, against: VehicleAttack) -> bool:
    """Return whether a weapon does nothing to a vehicle but by a natural 100 (lines 517, 531)."""
    if not against.kind.stopped or (against.pierces and vehicle.immune_ballistic):
        return False
    return against.size in (*vehicle.immune, *(vehicle.immune_ballistic if against.kind.guns else ()))


def pierces_armour(kind: DamageKind, ammo: Ammo | None) -> bool:
    """Return whether ammunition pierces the armour of vehicles, with the guns that it is for (line 517)."""
    return ammo is not None and ammo.pierces_armour and kind.guns and kind.stopped


class _VehicleShot(AttackRoll, frozen=True, kw_only=True):
    """An attack roll on a vehicle, and what its weapon is against that; one that is stopped by it counts as no hit."""

    against: VehicleAttack
    vehicle: Vehicle

    @property
    def met(self) -> bool:
        """Whether it meets the vehicle: where nobody dodges, all but a critical failure does."""
        return self.accuracy.row.outcome != _FAILED if self.dodge is None else self.dodge.row.outcome == ACTOR

    @property
    def hit(self) -> bool:
        return self.met and hurts(self.vehicle, self.against)

    @property
    def critical(self) -> bool:
        """Whether its die counts twice: not on what is immune but for the natural 100 (line 517)."""
        return self.hit and self.accuracy.row.outcome == CRITICAL and not is_immune(self.vehicle, self.against)

    @property
    def triggers(self) -> bool:
        """Whether it triggers its weapon's trait: vehicles neither bleed nor are stunned."""
        return False


class EngageMethod(AssaultMethod, frozen=True):
    """The method of an attack in play, whatever it is made on, and from where.

    Nothing but what is attached to the weapon modifies a shot from a weapon slot. On a vehicle there is no damage reduction
    and no trait, and only its driver dodges, with nothing added (line 522).
    """

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Return an attack without what does not count out of a weapon slot."""
        return AssaultMethod.ready(self, strip_rider(part, book), book)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what an attack does, and what goes into no weapon slot."""
        _check_slot(*self.ready(part, book))
        AssaultMethod.check(self, part, book)

    def strike(self, plan: AttackPlan, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the attack, and tell where it hits a vehicle in vain; nothing else than damage befalls that."""
        vehicle = find_vehicle(part, book, RESISTER)
        if vehicle is None:
            return AttackMethod.strike(self, plan, part, book, dice)
        salvos = _throw_vehicle_shots(plan, part, book, dice, vehicle)
        struck = throw_damage(plan, salvos, part, book, dice)
        stopped = not any(salvo.hit for salvo in salvos) and any(salvo.met for salvo in salvos)
        conclusion = replace(struck.conclusion, text=_STOPPED) if stopped else struck.conclusion
        return MethodResult(struck.steps, conclusion, {**struck.record, "effects": []})

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides, that of the attacker alone where nobody dodges."""
        stages = AssaultMethod.stages(self, part, book)
        dodged = find_vehicle(part, book, RESISTER) is None or DRIVEN in part.facts
        return stages if dodged else tuple(item for item in stages if not item.stage.opposes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits; on a vehicle of those that get through."""
        vehicle = find_vehicle(part, book, RESISTER)
        if vehicle is None:
            return AssaultMethod.odds(self, part, book)
        ready, own = self.ready(part, book)
        hits = _count_through(plan_attack(ready, own), ready, own, vehicle, dodged=DRIVEN in part.facts)
        each = [conclude_hits(count, len(hits) - 1) for count in range(len(hits))]
        each[0] = replace(each[0], text="Nothing gets through")
        chances = tuple(Chance(item, chance) for item, chance in zip(each, hits, strict=True) if chance)
        return with_straying(chances, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what can be told of an attack before the dice."""
        (ready, own), vehicle = self.ready(part, book), find_vehicle(part, book, RESISTER)
        lines = AssaultMethod.lines(self, part, book) if vehicle is None else _describe_ahead(ready, own, vehicle)
        names = () if part.inputs.get("past") else ready.inputs.get("names") or ready.inputs["tokens"]
        return [*lines, *(line for name in names for line in describe_ammo(own, ready, name))]


def _throw_vehicle_shots(plan: AttackPlan, part: Part, book: Book, dice: Dice, vehicle: Vehicle) -> list[_VehicleShot]:
    """Throw the attack rolls on a vehicle; nobody dodges for one that nobody drives."""
    asked = plan.asked if DRIVEN in part.facts else replace(plan.asked, past="taken")
    shots = throw_shots(replace(plan, asked=asked), dice)
    naturals = [shot.accuracy.roll.total for shot in shots]
    stopping = [_weigh_against(plan, part, book, shot.place, face) for shot, face in zip(shots, naturals, strict=True)]
    return [
        _VehicleShot(shot.place, shot.aim, shot.accuracy, shot.dodge, shot.number, against=against, vehicle=vehicle)
        for shot, against in zip(shots, stopping, strict=True)
    ]


def _check_slot(part: Part, book: Book) -> None:
    """Refuse what does not go into the weapon slot of a vehicle (lines 502, 516, 519)."""
    if SLOT not in part.facts:
        return
    weapons = [find_weapon(book, name) for name in part.inputs.get("tokens", ())]
    if len(weapons) > 1:
        raise RollError("In a vehicle, you can't fire two weapons at once.")
    kinds = book.listed(DamageKind)
    for weapon in weapons:
        if not kinds[weapon.damage_type].guns or weapon.type.stuns:
            raise RollError("A vehicle's weapon slot only takes ballistic or explosive weapons.")


def _weigh_against(plan: AttackPlan, part: Part, book: Book, place: int, natural: int) -> VehicleAttack:
    """Return what the weapon in a place is against vehicles as it is loaded, with the natural die of an attack roll."""
    name, arm = plan.named[place if plan.asked.only is None else plan.asked.only]
    return replace(weigh_against_vehicle(book, arm.weapon, find_ammo(book, part, name), natural), kind=arm.kind)


def carry_ammunition(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    """Return a part with the dice that fell for the target, and what the weapons are loaded with: what they cost is paid once."""
    part = share_dice(part, before, book)
    marks = list_loaded(part) if before else []
    return replace(part, inputs={**part.inputs, "loaded": marks}) if marks else part


def _count_through(plan: AttackPlan, part: Part, book: Book, vehicle: Vehicle, *, dodged: bool) -> list[Fraction]:
    """Return the chance of each number of attack rolls to get through to a vehicle."""
    hits = [Fraction(1)]
    each = {place: _count_each(plan, part, book, vehicle, place, dodged=dodged) for place in {*plan.rolls}}
    for place in plan.rolls:
        chance = each[place]
        more = [Fraction(0), *(some * chance for some in hits)]
        hits = [some * (1 - chance) + further for some, further in zip([*hits, Fraction(0)], more, strict=True)]
    return hits


def _count_each(  # noqa: PLR0913 - one weapon of several, against a vehicle
    plan: AttackPlan, part: Part, book: Book, vehicle: Vehicle, place: int, *, dodged: bool
) -> Fraction:
    """Return the chance of one attack roll with the weapon in a place to get through, face by face of accuracy."""
    aim = plan.aims[place]
    table, won = aim.accuracy.stage.table, Fraction(0)
    faces = [face for face in table.die.ways() if hurts(vehicle, _weigh_against(plan, part, book, place, face))]
    for face in faces:
        total, score = table.score(face, aim.accuracy.sum, None)
        outcome = table.read(face, score)[0].outcome
        weighed = aim.dodges[outcome]
        odds = table_odds(weighed.stage.table, weighed.sum, weighed.stage.reading, total)
        won += odds.get(ACTOR, Fraction(0)) if dodged else Fraction(outcome != _FAILED)
    return won / table.die.sides


def _describe_ahead(part: Part, book: Book, vehicle: Vehicle) -> list[str]:
    """Return what can be told of an attack on a vehicle before its dice."""
    plan = plan_attack(part, book)
    harmless = all(is_immune(vehicle, _weigh_against(plan, part, book, place, 0)) for place in {*plan.rolls})
    return [
        *(f"With {used}" for used in describe_weapons(part, book)),
        *([f"{vehicle.label}: immune, except to a natural 100."] if harmless else []),
        *([] if DRIVEN in part.facts else ["No known driver, so no dodge."]),
        f"{plan.hp} HP left.",
    ]


class _PetMethod(EngageMethod, frozen=True):
    """The method of an attack of a pet: one attack roll as with a weapon that has the die of its level, by the range."""

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        return EngageMethod.ready(self, *_arm_pet(part, book))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        played = EngageMethod.play(self, part, book, dice)
        more = (Consequence("bring-out", ACTOR), *expose(part, OWNER))
        return replace(
            played, conclusion=replace(played.conclusion, consequences=(*more, *played.conclusion.consequences))
        )


def _arm_pet(part: Part, book: Book) -> tuple[Part, Book]:
    pet, kind = bring_pet(book, part.inputs[LEVEL], part.inputs.get(TYPE))
    inputs = {name: value for name, value in part.inputs.items() if name not in {LEVEL, TYPE}}
    token, weapon = _make_weapon(pet, kind, list_sizes(book)[0])
    catalog = {
        **book.catalog,
        WeaponToken.kind: {**book.listed(WeaponToken), token.id: token},
        WeaponClass.kind: {**book.listed(WeaponClass), weapon.id: weapon},
    }
    return replace(part, inputs={**inputs, "tokens": [token.label]}), replace(book, catalog=catalog)


def _make_weapon(pet: Pet, kind: PetType, size: str) -> tuple[WeaponToken, WeaponClass]:
    wielded, fire = _HANDLED[kind.attack]
    name, label = f"{Pet.kind}.{pet.id}.{kind.id}", f"{kind.label} pet, {pet.label.lower()}"
    weapon = WeaponClass(id=name, label=label, line=pet.line, die=pet.die, rolls=1)
    token = WeaponToken(
        id=name, label=label, line=pet.line, size=size, wielded=wielded, weapon_class=name, fire=fire, bare=True
    )
    return token, weapon


PROCEDURES = (
    make_wounding("roe.engage", "Attack", "{actor} attacks {resister}", EngageMethod(), carry_ammunition),
    make_wounding(
        "roe.pet-attack", "Attack of a pet", "{owner} sends {actor} at {resister}", _PetMethod(), share_dice, OWNER
    ),
)
