"""Vehicles and pets in a fight: mounting, ramming, and attacks from, on and by them (lines 502 to 557)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules import effects, errors, modifiers, scenes, subjects, tables
from rules.book import Book
from rules.books.roe import attacks, catalog, contests, hiding, turns, vehicles, weapons, wounds
from rules.books.roe.aim import AttackPlan, plan_attack
from rules.books.roe.assault import AssaultMethod, describe_weapons
from rules.books.roe.catalog import ACTOR, RESISTER, Ammo, DamageKind, Fire, Pet, Vehicle, WeaponClass, WeaponToken
from rules.books.roe.characters import describe_ammo, find_ammo, list_arms, list_loaded, mark_fighter, restart_reloading
from rules.books.roe.damage import total_plain_damage, with_kind
from rules.books.roe.fights import DRAWN, UNREAD
from rules.dice import Dice, DiceTerm
from rules.odds import table_odds
from rules.procedure import Chance, MethodResult, Part, PartResult, WeighedStage
from rules.stages import TableMethod

TOP = 100
"""The natural accuracy die that always hurts, and is critical unless immune."""
DRIVEN = f"{RESISTER}.driven"
_FAILED = "failure"
_STOPPED = "Hits without damage: only a natural 100 gets through"
_HANDLED: Mapping[str, tuple[catalog.WeaponKind, Fire | None]] = {
    "melee": ("melee", None),
    "ranged": ("ranged", "semi"),
}


class VehicleAttack(Struct, frozen=True):
    """A weapon against a vehicle; `natural` is the accuracy die, `sides` the damage die's."""

    size: str
    kind: DamageKind
    pierces: bool
    sides: int
    natural: int


def weigh_against_vehicle(book: Book, named: weapons.Weapon, ammo: Ammo | None, natural: int) -> VehicleAttack:
    """Return a weapon as it counts against vehicles, with its largest damage die."""
    kind = book.entries_of(DamageKind)[named.damage_type]
    usual = weapons.find_mode(book, named)
    sides = max(weapons.damage_sides(book, named, usual, range_m) for range_m in (0, None))
    pierces = named.type.pierces_armour or pierces_armour(kind, ammo)
    return VehicleAttack(named.token.size, kind, pierces, sides, natural)


def can_hurt(vehicle: Vehicle, against: VehicleAttack) -> bool:
    """Return whether a weapon hurts a vehicle (line 517)."""
    return against.natural == TOP or not is_immune(vehicle, against)


def is_immune(vehicle: Vehicle, against: VehicleAttack) -> bool:
    """Return whether only a natural 100 hurts a vehicle (lines 517, 531)."""
    if not against.kind.stopped or (against.pierces and vehicle.immune_ballistic):
        return False
    return against.size in (*vehicle.immune, *(vehicle.immune_ballistic if against.kind.guns else ()))


def pierces_armour(kind: DamageKind, ammo: Ammo | None) -> bool:
    """Return whether ammunition pierces vehicle armour with these guns (line 517)."""
    return ammo is not None and ammo.pierces_armour and kind.guns and kind.stopped


class _VehicleShot(attacks.AttackRoll, frozen=True, kw_only=True):
    """An attack roll on a vehicle; a stopped one isn't a hit."""

    against: VehicleAttack
    vehicle: Vehicle

    @property
    def meets(self) -> bool:
        """Whether it meets the vehicle; without a dodge, only a critical failure misses."""
        return self.accuracy.row.outcome != _FAILED if self.dodge is None else self.dodge.row.outcome == ACTOR

    @property
    def hit(self) -> bool:
        return self.meets and can_hurt(self.vehicle, self.against)

    @property
    def critical(self) -> bool:
        return self.hit and self.accuracy.row.outcome == attacks.CRITICAL and not is_immune(self.vehicle, self.against)

    @property
    def triggers(self) -> bool:
        return False


class _EngageMethod(AssaultMethod, frozen=True):
    """An attack in play, also from a weapon slot or on a vehicle.

    In a slot only attachments count. Vehicles have no DR, no traits, and only a driver dodges (line 522).
    """

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        return AssaultMethod.ready(self, vehicles.strip_rider(part, book), book)

    def check(self, part: Part, book: Book) -> None:
        ready, own = self.ready(part, book)
        slot, kinds = vehicles.SLOT in ready.facts, own.entries_of(DamageKind)
        fired = [weapons.find_weapon(own, name) for name in ready.inputs.get("tokens", ())] if slot else []
        if len(fired) > 1:
            raise errors.RollError("In a vehicle, you can't fire two weapons at once.")
        for weapon in fired:
            if not kinds[weapon.damage_type].guns or weapon.type.stuns:
                raise errors.RollError("A vehicle's weapon slot only takes ballistic or explosive weapons.")
        AssaultMethod.check(self, part, book)

    def strike(self, plan: AttackPlan, part: Part, book: Book, dice: Dice) -> MethodResult:
        vehicle = vehicles.find_vehicle(part, book, RESISTER)
        if vehicle is None:
            return attacks.AttackMethod.strike(self, plan, part, book, dice)
        asked = plan.inputs if DRIVEN in part.facts else replace(plan.inputs, past="taken")
        shots = []
        for shot in attacks.throw_shots(replace(plan, inputs=asked), dice):
            against = _weigh_against(plan, part, book, shot.place, shot.accuracy.roll.total)
            thrown = (shot.place, shot.aim, shot.accuracy, shot.dodge, shot.number)
            shots.append(_VehicleShot(*thrown, against=against, vehicle=vehicle))
        struck = attacks.throw_damage(plan, shots, part, book, dice)
        stopped = not any(shot.hit for shot in shots) and any(shot.meets for shot in shots)
        conclusion = replace(struck.conclusion, text=_STOPPED) if stopped else struck.conclusion
        return MethodResult(struck.steps, conclusion, {**struck.record, "effects": []})

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        stages = AssaultMethod.stages(self, part, book)
        dodged = vehicles.find_vehicle(part, book, RESISTER) is None or DRIVEN in part.facts
        return stages if dodged else tuple(item for item in stages if not item.stage.opposes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        vehicle = vehicles.find_vehicle(part, book, RESISTER)
        if vehicle is None:
            return AssaultMethod.odds(self, part, book)
        ready, own = self.ready(part, book)
        hits = _count_through(plan_attack(ready, own), ready, own, vehicle, dodged=DRIVEN in part.facts)
        each = [attacks.conclude_hits(count, len(hits) - 1) for count in range(len(hits))]
        each[0] = replace(each[0], text="Nothing gets through")
        chances = tuple(Chance(item, chance) for item, chance in zip(each, hits, strict=True) if chance)
        return attacks.with_straying(chances, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        (ready, own), vehicle = self.ready(part, book), vehicles.find_vehicle(part, book, RESISTER)
        lines = AssaultMethod.lines(self, part, book) if vehicle is None else _describe_ahead(ready, own, vehicle)
        names = () if part.inputs.get("past") else ready.inputs.get("names") or ready.inputs["tokens"]
        return [*lines, *(line for name in names for line in describe_ammo(own, ready, name))]


def _weigh_against(plan: AttackPlan, part: Part, book: Book, place: int, natural: int) -> VehicleAttack:
    name, arm = plan.arms_by_name[place if plan.inputs.only is None else plan.inputs.only]
    return replace(weigh_against_vehicle(book, arm.weapon, find_ammo(book, part, name), natural), kind=arm.kind)


def _carry_ammunition(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    part = attacks.share_dice(part, before, book)
    marks = list_loaded(part) if before else []
    return replace(part, inputs={**part.inputs, "loaded": marks}) if marks else part


def _count_through(plan: AttackPlan, part: Part, book: Book, vehicle: Vehicle, *, dodged: bool) -> list[Fraction]:
    hits = [Fraction(1)]
    chances = {place: _count_each(plan, part, book, vehicle, place, dodged=dodged) for place in {*plan.rolls}}
    for chance in map(chances.__getitem__, plan.rolls):
        more = [Fraction(0), *(some * chance for some in hits)]
        hits = [some * (1 - chance) + further for some, further in zip([*hits, Fraction(0)], more, strict=True)]
    return hits


def _count_each(  # noqa: PLR0913 - one weapon of several, against a vehicle
    plan: AttackPlan, part: Part, book: Book, vehicle: Vehicle, place: int, *, dodged: bool
) -> Fraction:
    aim = plan.aims[place]
    table, won = aim.accuracy.stage.table, Fraction(0)
    for face in table.die.ways():
        if not can_hurt(vehicle, _weigh_against(plan, part, book, place, face)):
            continue
        total, score = table.score(face, aim.accuracy.sum, None)
        outcome = table.read(face, score)[0].outcome
        weighed = aim.dodges[outcome]
        odds = table_odds(weighed.stage.table, weighed.sum, weighed.stage.reading, total)
        won += odds.get(ACTOR, Fraction(0)) if dodged else Fraction(outcome != _FAILED)
    return won / table.die.sides


def _describe_ahead(part: Part, book: Book, vehicle: Vehicle) -> list[str]:
    plan = plan_attack(part, book)
    harmless = all(is_immune(vehicle, _weigh_against(plan, part, book, place, 0)) for place in {*plan.rolls})
    return [
        *(f"With {used}" for used in describe_weapons(part, book)),
        *([f"{vehicle.label}: immune, except to a natural 100."] if harmless else []),
        *([] if DRIVEN in part.facts else ["No known driver, so no dodge."]),
        f"{plan.hp} HP left.",
    ]


class _PetMethod(_EngageMethod, frozen=True):
    """An attack by a pet: one roll, as with a weapon that has its level's die."""

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        return _EngageMethod.ready(self, *_arm_pet(part, book))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        played = _EngageMethod.play(self, part, book, dice)
        more = (tables.Consequence("bring-out", ACTOR), *hiding.expose(part, vehicles.OWNER))
        done = played.conclusion
        return replace(played, conclusion=replace(done, consequences=(*more, *done.consequences)))


def _arm_pet(part: Part, book: Book) -> tuple[Part, Book]:
    pet, kind = vehicles.bring_pet(book, part.inputs[vehicles.LEVEL], part.inputs.get(vehicles.TYPE))
    inputs = {name: value for name, value in part.inputs.items() if name not in {vehicles.LEVEL, vehicles.TYPE}}
    wielded, fire = _HANDLED[kind.attack]
    name, label = f"{Pet.kind}.{pet.id}.{kind.id}", f"{kind.label} pet, {pet.label.lower()}"
    weapon = WeaponClass(id=name, label=label, line=pet.line, die=pet.die, rolls=1)
    size = weapons.list_sizes(book)[0]
    token = WeaponToken(
        id=name, label=label, line=pet.line, size=size, wielded=wielded, weapon_class=name, fire=fire, bare=True
    )
    armed = {
        **book.catalog,
        WeaponToken.kind: {**book.entries_of(WeaponToken), token.id: token},
        WeaponClass.kind: {**book.entries_of(WeaponClass), weapon.id: weapon},
    }
    return replace(part, inputs={**inputs, "tokens": [token.label]}), replace(book, catalog=armed)


_RAM = contests.find_contest("ram")
_NOTHING: modifiers.JsonObject = {"effects": [], "actor_loses": "nothing", "resister_loses": "nothing"}


class _MountMethod(contests.CertainMethod, frozen=True):
    """Getting into a free seat, without dice."""

    keeps: tuple[str, ...] = (scenes.MEMBER, subjects.PROFILE)

    def settle(self, part: Part, book: Book) -> MethodResult:
        seat = vehicles.choose_seat(part, book, RESISTER, part.inputs.get(vehicles.SEAT))
        conclusion = contests.conclude_act(seat.label, tables.Consequence(seat.deed, ACTOR))
        fields = part.kept.get(part.subjects[RESISTER], {}).get(subjects.PROFILE, {})
        drawn = {DRAWN + arm.id: 1 for arm in list_arms(book, vehicles.slot_weapons(book, fields)) if seat.may_fire}
        changes = tuple(mark_fighter(part, ACTOR, drawn)) if drawn else ()
        return MethodResult((), conclusion, {vehicles.SEAT: seat.id}, changes)


class _RamMethod(TableMethod, frozen=True):
    """Ramming: the driver's die against a dodge, which costs the next movement (A32)."""

    keeps: tuple[str, ...] = (wounds.HEALTH, scenes.MEMBER, effects.EFFECT)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as the engine calls it
        wounds.count_hp_left(part, RESISTER)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        met = TableMethod.play(self, part, book, dice)
        contest, lost = met.conclusion, (*contests.list_losses(part, book, met), *hiding.expose(part, ACTOR, RESISTER))
        moved = tuple(restart_reloading(part))
        if contest.outcome != ACTOR:
            dodged = replace(contest, consequences=(tables.Consequence("lose-movement", RESISTER), *lost))
            return MethodResult(met.steps, dodged, {"damage": 0}, moved)
        roll = dice.roll(DiceTerm(1, book.number("ram-sides")))
        # It is melee damage, to which nothing adds (line 522).
        kind = next(item for item in book.entries_of(DamageKind).values() if item.contest == "roe.strike")
        struck = replace(part, facts=with_kind(part.facts, kind))
        hp, done = wounds.count_hp_left(part, RESISTER), total_plain_damage(struck, book, RESISTER, kind, roll.total)
        record = {**_NOTHING, **wounds.record_harm(book, hp, done, mortal=True)}
        saved = wounds.throw_saving_roll(record, part, book, dice)
        text = f"{contest.text}: {wounds.describe_harm(done.damage, down=record['wounded'])}"
        conclusion = replace(contest, text=text, consequences=(*wounds.list_injuries(record, part, book, saved), *lost))
        changes = (*moved, wounds.with_hp(part, RESISTER, record["hp"])) if done.damage else moved
        return MethodResult((*met.steps, *wounds.show_damage(hp, [roll], done), *saved), conclusion, record, changes)


_SENDS = "{owner} sends {actor} at {resister}"
_RAMMING = _RamMethod((*_RAM.tables, wounds.SAVING), contests.BY_WINNER, _RAM.plan)
PROCEDURES = (
    turns.make_wounding("roe.engage", "Attack", "{actor} attacks {resister}", _EngageMethod(), _carry_ammunition),
    turns.make_wounding("roe.pet-attack", "Attack of a pet", _SENDS, _PetMethod(), attacks.share_dice, vehicles.OWNER),
    turns.make_wounding("roe.mount", "Mount", "{actor} gets into {resister}", _MountMethod()),
    turns.make_wounding("roe.ramming", "Ram", "{actor} rams {resister}", _RAMMING),
)
