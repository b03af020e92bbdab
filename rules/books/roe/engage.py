"""Attacks out of vehicles, and on vehicles and pets (lines 502 to 557): on people they are those of everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER, Plan, plan_of
from rules.books.roe.ammunition import ammo_in, loaded, told
from rules.books.roe.assault import AssaultMethod, wielded
from rules.books.roe.attack import CRITICAL, AttackMethod, Shot, concluded, played, share_dice, shots_of
from rules.books.roe.attack_odds import Foresight
from rules.books.roe.catalog import DamageKind, Vehicle
from rules.books.roe.hulls import SLOT, prepared, vehicle_of
from rules.books.roe.lasting_rules import wounded
from rules.books.roe.straying import straying_of, with_straying
from rules.books.roe.vehicle_hits import Against, against_token, hurts, is_immune
from rules.books.roe.weapons import weapon_named
from rules.dice import Dice
from rules.errors import RollError
from rules.odds import table_odds
from rules.procedure import Chance, MethodResult, Part, PartResult, Policy, Procedure, WeighedStage

DRIVEN = f"{RESISTER}.driven"
"""The fact of a vehicle that somebody drives, who rolls its dodge."""
_FAILED = "failure"
_STOPPED = "Hits without damage: only a natural 100 gets through"


class Salvo(Shot, frozen=True, kw_only=True):
    """An attack roll on a vehicle, and what its weapon is against that; one that is stopped by it counts as no hit."""

    against: Against
    vehicle: Vehicle

    @property
    def met(self) -> bool:
        """Whether it meets the vehicle: where nobody dodges, all but a critical failure does."""
        return self.accuracy.row.outcome != _FAILED if self.dodge is None else self.dodge.row.outcome == ACTOR

    @property
    def hit(self) -> bool:
        """Whether it meets and hurts the vehicle."""
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

    def check(self, part: Part, book: Book) -> None:
        """Refuse what an attack does, and what goes into no weapon slot."""
        _check_slot(part, book)
        AssaultMethod.check(self, prepared(part, book), book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Play it as an attack."""
        return AssaultMethod.play(self, prepared(part, book), book, dice)

    def strike(self, plan: Plan, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the attack, and tell where it hits a vehicle in vain; nothing else than damage befalls that."""
        vehicle = vehicle_of(part, book, RESISTER)
        if vehicle is None:
            return AttackMethod.strike(self, plan, part, book, dice)
        salvos = _salvos(plan, part, book, dice, vehicle)
        struck = played(plan, salvos, part, book, dice)
        stopped = not any(salvo.hit for salvo in salvos) and any(salvo.met for salvo in salvos)
        conclusion = replace(struck.conclusion, text=_STOPPED) if stopped else struck.conclusion
        return MethodResult(struck.steps, conclusion, {**struck.record, "effects": []})

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides, that of the attacker alone where nobody dodges."""
        stages = AssaultMethod.stages(self, prepared(part, book), book)
        dodged = vehicle_of(part, book, RESISTER) is None or DRIVEN in part.facts
        return stages if dodged else tuple(item for item in stages if not item.stage.opposes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits; on a vehicle of those that get through."""
        vehicle = vehicle_of(part, book, RESISTER)
        if vehicle is None:
            return AssaultMethod.odds(self, part, book)
        ready = prepared(part, book)
        hits = _through(plan_of(ready, book), ready, book, vehicle, dodged=DRIVEN in part.facts)
        each = [concluded(count, len(hits) - 1) for count in range(len(hits))]
        each[0] = replace(each[0], text="Nothing gets through")
        chances = tuple(Chance(item, chance) for item, chance in zip(each, hits, strict=True) if chance)
        straying = straying_of(book, part.facts) if part.inputs.get("strays") else None
        return with_straying(chances, straying) if straying else chances

    def foreseen(self, part: Part, book: Book) -> Foresight:
        """Return what an attack on somebody will come to."""
        return AssaultMethod.foreseen(self, prepared(part, book), book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what can be told of an attack before the dice."""
        ready, vehicle = prepared(part, book), vehicle_of(part, book, RESISTER)
        lines = AssaultMethod.lines(self, ready, book) if vehicle is None else _foretold(ready, book, vehicle)
        names = () if part.inputs.get("past") else part.inputs.get("names") or part.inputs["tokens"]
        return [*lines, *(line for name in names for line in told(book, part, name))]


def _salvos(plan: Plan, part: Part, book: Book, dice: Dice, vehicle: Vehicle) -> list[Salvo]:
    """Throw the attack rolls on a vehicle; nobody dodges for one that nobody drives."""
    asked = plan.asked if DRIVEN in part.facts else replace(plan.asked, past="taken")
    shots = shots_of(replace(plan, asked=asked), dice)
    naturals = [shot.accuracy.roll.total for shot in shots]
    stopping = [_against(plan, part, book, shot.place, face) for shot, face in zip(shots, naturals, strict=True)]
    return [
        Salvo(shot.place, shot.aim, shot.accuracy, shot.dodge, shot.number, against=against, vehicle=vehicle)
        for shot, against in zip(shots, stopping, strict=True)
    ]


def _check_slot(part: Part, book: Book) -> None:
    """Refuse what does not go into the weapon slot of a vehicle (lines 502, 516, 519)."""
    if SLOT not in part.facts:
        return
    weapons = [weapon_named(book, name) for name in part.inputs.get("tokens", ())]
    if len(weapons) > 1:
        raise RollError("In a vehicle, you can't fire two weapons at once.")
    kinds = book.listed(DamageKind)
    for weapon in weapons:
        if not kinds[weapon.damage_type].guns or weapon.type.stuns:
            raise RollError("A vehicle's weapon slot only takes ballistic or explosive weapons.")


def _against(plan: Plan, part: Part, book: Book, place: int, natural: int) -> Against:
    """Return what the weapon in a place is against vehicles as it is loaded, with the natural die of an attack roll."""
    name, arm = plan.named[place if plan.asked.only is None else plan.asked.only]
    return replace(against_token(book, arm.weapon, ammo_in(book, part, name), natural), kind=arm.kind)


def loaded_for_all(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    """Return a part with the dice that fell for the target, and what the weapons are loaded with: what they cost is paid once."""
    part = share_dice(part, before, book)
    marks = loaded(part) if before else []
    return replace(part, inputs={**part.inputs, "loaded": marks}) if marks else part


def _through(plan: Plan, part: Part, book: Book, vehicle: Vehicle, *, dodged: bool) -> list[Fraction]:
    """Return the chance of each number of attack rolls to get through to a vehicle."""
    hits = [Fraction(1)]
    each = {place: _each(plan, part, book, vehicle, place, dodged=dodged) for place in {*plan.rolls}}
    for place in plan.rolls:
        chance = each[place]
        more = [Fraction(0), *(some * chance for some in hits)]
        hits = [some * (1 - chance) + further for some, further in zip([*hits, Fraction(0)], more, strict=True)]
    return hits


def _each(  # noqa: PLR0913 - one weapon of several, against a vehicle
    plan: Plan, part: Part, book: Book, vehicle: Vehicle, place: int, *, dodged: bool
) -> Fraction:
    """Return the chance of one attack roll with the weapon in a place to get through, face by face of accuracy."""
    aim = plan.aims[place]
    table, won = aim.accuracy.stage.table, Fraction(0)
    faces = [face for face in table.die.ways() if hurts(vehicle, _against(plan, part, book, place, face))]
    for face in faces:
        total, score = table.score(face, aim.accuracy.sum, None)
        outcome = table.read(face, score)[0].outcome
        weighed = aim.dodges[outcome]
        odds = table_odds(weighed.stage.table, weighed.sum, weighed.stage.reading, total)
        won += odds.get(ACTOR, Fraction(0)) if dodged else Fraction(outcome != _FAILED)
    return won / table.die.sides


def _foretold(part: Part, book: Book, vehicle: Vehicle) -> list[str]:
    """Return what can be told of an attack on a vehicle before its dice."""
    plan = plan_of(part, book)
    harmless = all(is_immune(vehicle, _against(plan, part, book, place, 0)) for place in {*plan.rolls})
    return [
        *(f"With {used}" for used in wielded(part, book)),
        *([f"{vehicle.label}: immune, except to a natural 100."] if harmless else []),
        *([] if DRIVEN in part.facts else ["No known driver, so no dodge."]),
        f"{plan.hp} HP left.",
    ]


PROCEDURE = Procedure(
    family="roe.engage",
    title="Attack",
    actor=ACTOR,
    subject=RESISTER,
    headline="{actor} attacks {resister}",
    method=EngageMethod(),
    carry=loaded_for_all,
    policy=Policy(again="never", on_request=False),
    settles={"wound": wounded},
)
