"""Attacks of the RoE book: accuracy against dodge, roll by roll, then damage, damage reduction, HP and traits (lines 82 to 108)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER, Aim, Plan, doubled, plan_of
from rules.books.roe.attack_odds import Foresight, foresight_of
from rules.books.roe.bonuses import told_bonuses
from rules.books.roe.criticals import Loses, critical_cost, critical_of, losses, worst
from rules.books.roe.damage import Blow, Hit, Strike, blow, multiplied
from rules.books.roe.injury import harm, throws
from rules.books.roe.weapons import owed
from rules.dice import SHARED, Dice, DiceTerm, Roll
from rules.facts import JsonObject
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    PartResult,
    Policy,
    Procedure,
    Stage,
    Step,
    WeighedStage,
)
from rules.stages import roll_stage
from rules.tables import Tone

TABLES = (
    "roe.act.accuracy",
    "roe.act.shot",
    "roe.act.ranged",
    "roe.act.magika",
    "roe.resist.strike",
    "roe.resist.magika",
)
CRITICAL, SUPPRESSED = "critical", "suppressed"
THROWN = "thrown"
"""What the record of an attack has besides its outcome: the faces of accuracy and damage."""


class Shot(Struct, frozen=True):
    """One attack roll with the dodge against it, None where nothing is dodged; `place` is that of its weapon, `number` its own."""

    place: int
    aim: Aim
    accuracy: Step
    dodge: Step | None
    number: int

    @property
    def hit(self) -> bool:
        """Whether it hits."""
        return self.dodge is None or self.dodge.row.outcome == ACTOR

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its rolls."""
        return (self.accuracy,) if self.dodge is None else (self.accuracy, self.dodge)

    @property
    def critical(self) -> bool:
        """Whether it is a critical hit."""
        return self.hit and self.accuracy.row.outcome == CRITICAL

    @property
    def triggers(self) -> bool:
        """Whether it triggers its weapon's trait."""
        return self.aim.trait is not None and self.hit and self.accuracy.roll.total >= self.aim.natural

    def losses(self, cost: Loses) -> tuple[Loses, Loses]:
        """Return what criticals cost attacker and target, to whom a critical hit costs something by itself."""
        actor, *resister = (critical_of(step.table, step.roll.total) for step in self.steps)
        return losses(actor, next(iter(resister), "none"), cost, hit=self.hit)


def shots_of(plan: Plan, dice: Dice) -> tuple[Shot, ...]:
    """Throw accuracy and dodge of each attack roll, in order; one die may dodge all (A12), and accuracy have fallen before.

    Of what comes past the target only the rolls are taken that missed it.
    """
    shots: list[Shot] = []
    asked, fallen = plan.asked, plan.asked.accuracy_dice
    for number, place in enumerate(plan.rolls):
        if asked.missed is None or number in asked.missed:
            aim = plan.aims[place]
            accuracy = roll_stage(aim.accuracy, dice, fallen[number : number + 1])
            faces = shots[0].dodge.roll.faces if shots and shots[0].dodge and asked.one_dodge else ()
            opposed = against(aim.dodges[accuracy.row.outcome], accuracy.total)
            dodge = None if asked.past == "taken" else roll_stage(opposed, dice, faces)
            shots.append(Shot(place, aim, accuracy, dodge, number))
    return tuple(shots)


def hit_dice(plan: Plan, shots: Sequence[Shot]) -> tuple[DiceTerm, ...]:
    """Return the damage dice of the shots that hit, in order, and behind them the one that an option of the target adds."""
    dice = [DiceTerm(1, shot.aim.arm.die) for shot in shots if shot.hit]
    extra = plan.extra_from(shot.place for shot in shots if shot.hit)
    return (*dice, extra) if extra else tuple(dice)


def outcome_of(
    plan: Plan, part: Part, book: Book, shots: Sequence[Shot], faces: Sequence[int]
) -> tuple[Blow, JsonObject]:
    """Return what the damage dice of an attack come to, and all of it as JSON has it."""
    hits = [shot for shot in shots if shot.hit]
    triggered = [shot.aim.trait for shot in hits if shot.triggers and shot.aim.trait]
    dice = [Hit(face, shot.critical) for shot, face in zip(hits, faces, strict=False)]
    amount = (multiplied(dice, doubled=doubled(plan, book)) + sum(faces[len(dice) :])) // plan.share
    strike = Strike(plan.strike.aimed, plan.strike.sneak, any(item.pierces for item in triggered), plan.strike.alone)
    typed = plan.typed_from(shot.place for shot in hits)
    done = blow(book, amount, typed, plan.untyped, ignores_dr=strike.ignores_dr)
    cost = critical_cost(book, part.facts)
    lost_by = [shot.losses(cost) for shot in shots]
    effects = [item.effect for item in triggered if item.effect and not item.bearer]
    effects += [SUPPRESSED for aim in plan.aims if aim.arm.mode.suppresses]
    return done, {
        "hits": [shot.hit for shot in shots],
        **harm(book, plan.hp, done, mortal=plan.mortal),
        "trait": triggered[0].id if triggered else None,
        "effects": [*dict.fromkeys(effects)],
        "actor_loses": worst(*(lost for lost, _ in lost_by)),
        "resister_loses": worst(*(lost for _, lost in lost_by)),
        "owes": next(filter(None, [owed(aim.arm.weapon, aim.arm.mode) for aim in plan.aims]), None),
    }


def against(weighed: WeighedStage, total: int) -> WeighedStage:
    """Return the dodge of a shot, read against its total."""
    stage = weighed.stage
    opposed = Stage(stage.table, stage.reading, stage.then, total)
    return WeighedStage(opposed, weighed.modifiers, weighed.adjustments, weighed.sum, weighed.uncapped)


class AttackMethod(FrozenMethod, frozen=True):
    """The method of an attack; inputs are those of `rules.books.roe.aim.Attack`."""

    tables: tuple[str, ...] = TABLES

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons cannot do."""
        plan_of(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw accuracy and dodge of each roll, then the damage dice of the hits."""
        return self.strike(plan_of(part, book), part, book, dice)

    def strike(self, plan: Plan, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of an attack that is settled."""
        return played(plan, shots_of(plan, dice), part, book, dice)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides with each weapon."""
        return tuple(stage for aim in plan_of(part, book).aims for stage in (aim.accuracy, aim.dodges[CRITICAL]))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits."""
        hits = self.foreseen(part, book).hits
        return tuple(Chance(concluded(count, len(hits) - 1), chance) for count, chance in enumerate(hits) if chance)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what is added to damage, how likely traits, going down and a saving roll are, and the mean damage."""
        plan = plan_of(part, book)
        added = told_bonuses(plan.counted_from(range(len(plan.aims))))
        return (*([f"Added to damage: {added}"] if added else []), *self.foreseen(part, book).lines())

    def foreseen(self, part: Part, book: Book) -> Foresight:
        """Return what an attack will come to."""
        return foresight_of(plan_of(part, book), book)


def played(plan: Plan, shots: Sequence[Shot], part: Part, book: Book, dice: Dice) -> MethodResult:
    """Throw the damage dice of an attack whose rolls have fallen."""
    rolls = _damage_rolls(plan, shots, dice)
    done, came = outcome_of(plan, part, book, shots, [roll.total for roll in rolls])
    record = {**came, THROWN: _thrown(plan, shots, rolls)}
    steps = [step for shot in shots for step in shot.steps]
    bonuses = plan.counted_from(shot.place for shot in shots if shot.hit)
    told = throws(plan.hp, rolls, done, bonuses=bonuses) if rolls else ()
    return MethodResult((*steps, *told), concluded(sum(shot.hit for shot in shots), len(shots)), record)


def _damage_rolls(plan: Plan, shots: Sequence[Shot], dice: Dice) -> list[Roll]:
    """Throw the damage dice of the hits, but for those that fell in their places before."""
    fallen = plan.asked.damage_dice or [0] * len(plan.rolls)
    before = [fallen[shot.number] for shot in shots if shot.hit]
    terms = hit_dice(plan, shots)
    known = (
        Roll(term, (face,), SHARED) if face else dice.roll(term) for term, face in zip(terms, before, strict=False)
    )
    return [*known, *map(dice.roll, terms[len(before) :])]


def _thrown(plan: Plan, shots: Sequence[Shot], rolls: Sequence[Roll]) -> JsonObject:
    """Return the faces that fell, by attack roll: those beside the target share them; 0 where no damage die was thrown."""
    count = len(plan.rolls)
    accuracy, damage = [*(plan.asked.accuracy_dice or [0] * count)], [*(plan.asked.damage_dice or [0] * count)]
    fallen = iter(rolls)
    for shot in shots:
        accuracy[shot.number] = shot.accuracy.roll.total
        if shot.hit:
            damage[shot.number] = next(fallen).total
    return {"accuracy": accuracy, "damage": damage}


def share_dice(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    """Return the part of somebody beside the target, or behind it, with the dice that fell for the target and others (lines 377 to 381)."""
    thrown = [item.record for item in before if item is before[0] or _shares(item.part)]
    if not _shares(part) or not thrown or THROWN not in thrown[0]:
        return part
    fallen = {"accuracy_dice": thrown[0][THROWN]["accuracy"], "damage_dice": thrown[-1][THROWN]["damage"]}
    if part.inputs.get("past"):
        fallen["missed"] = [place for place, hit in enumerate(thrown[0]["hits"]) if not hit]
    return replace(part, inputs={**part.inputs, **fallen})


def _shares(part: Part) -> bool:
    """Return whether somebody meets attack rolls that are made against another one."""
    return bool(part.inputs.get("beside") or part.inputs.get("past"))


def concluded(hits: int, rolls: int) -> Conclusion:
    """Return what so many hits of so many attack rolls are called."""
    tone: Tone = "success" if hits else "failure"
    text = "Missed" if not hits else "Hit" if rolls == 1 else f"{hits} of {rolls} hit"
    return Conclusion(f"{hits}-hits", text, tone, "results")


PROCEDURE = Procedure(
    family="roe.attack",
    title="Attack",
    actor=ACTOR,
    subject=RESISTER,
    headline="{actor} attacks {resister}",
    method=AttackMethod(),
    carry=share_dice,
    policy=Policy(again="never"),
)
