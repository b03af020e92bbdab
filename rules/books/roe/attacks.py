"""Attacks: accuracy against dodge, roll by roll, then damage, HP and traits (lines 82 to 108), and those that go at a random target (line 57)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import STRAYS, AttackPlan, WeaponAttack, doubles_damage, plan_attack
from rules.books.roe.attack_odds import AttackOdds, find_odds
from rules.books.roe.catalog import ACTOR, RESISTER, Option
from rules.books.roe.characters import mark_fighter, read_marks
from rules.books.roe.damage import (
    DamageTotal,
    HitDie,
    Loses,
    describe_bonuses,
    find_critical,
    find_critical_cost,
    find_losses,
    find_worst,
    sum_dice,
    total_damage,
)
from rules.books.roe.fights import ACTIONS, STRAY
from rules.books.roe.weapons import find_owed
from rules.books.roe.wounds import record_harm, show_damage
from rules.dice import SHARED, Dice, DiceTerm, Roll
from rules.modifiers import JsonObject
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
    Throw,
    WeighedStage,
)
from rules.stages import roll_stage
from rules.tables import Source, Tone

ATTACK_TABLES = (
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
OUTCOME = "astray"
_PAGE = Source("roe-7th-edition-dice", "Racial Traits")


class AttackRoll(Struct, frozen=True):
    """One attack roll with the dodge against it, None where nothing is dodged; `place` is that of its weapon, `number` its own."""

    place: int
    aim: WeaponAttack
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
        actor, *resister = (find_critical(step) for step in self.steps)
        return find_losses(actor, next(iter(resister), "none"), cost, hit=self.hit)


def throw_shots(plan: AttackPlan, dice: Dice) -> tuple[AttackRoll, ...]:
    """Throw accuracy and dodge of each attack roll, in order; one die may dodge all (A12), and accuracy have fallen before.

    Of what comes past the target only the rolls are taken that missed it.
    """
    shots: list[AttackRoll] = []
    asked, fallen = plan.asked, plan.asked.accuracy_dice
    for number, place in enumerate(plan.rolls):
        if asked.missed is None or number in asked.missed:
            aim = plan.aims[place]
            accuracy = roll_stage(aim.accuracy, dice, fallen[number : number + 1])
            faces = shots[0].dodge.roll.faces if shots and shots[0].dodge and asked.one_dodge else ()
            opposed = oppose(aim.dodges[accuracy.row.outcome], accuracy.total)
            dodge = None if asked.past == "taken" else roll_stage(opposed, dice, faces)
            shots.append(AttackRoll(place, aim, accuracy, dodge, number))
    return tuple(shots)


def list_damage_dice(plan: AttackPlan, shots: Sequence[AttackRoll]) -> tuple[DiceTerm, ...]:
    """Return the damage dice of the shots that hit, in order, and behind them the one that an option of the target adds."""
    dice = [DiceTerm(1, shot.aim.arm.die) for shot in shots if shot.hit]
    extra = plan.extra_from(shot.place for shot in shots if shot.hit)
    return (*dice, extra) if extra else tuple(dice)


def settle_damage(
    plan: AttackPlan, part: Part, book: Book, shots: Sequence[AttackRoll], faces: Sequence[int]
) -> tuple[DamageTotal, JsonObject]:
    """Return what the damage dice of an attack come to, and all of it as JSON has it."""
    hits = [shot for shot in shots if shot.hit]
    triggered = [shot.aim.trait for shot in hits if shot.triggers and shot.aim.trait]
    dice = [HitDie(face, shot.critical) for shot, face in zip(hits, faces, strict=False)]
    amount = (sum_dice(dice, doubled=doubles_damage(plan, book)) + sum(faces[len(dice) :])) // plan.share
    strike = replace(plan.strike, pierced=any(item.pierces for item in triggered))
    typed = plan.typed_from(shot.place for shot in hits)
    done = total_damage(book, amount, typed, plan.untyped, ignores_dr=strike.ignores_dr)
    cost = find_critical_cost(book, part.facts)
    lost_by = [shot.losses(cost) for shot in shots]
    effects = [item.effect for item in triggered if item.effect and not item.bearer]
    effects += [SUPPRESSED for aim in plan.aims if aim.arm.mode.suppresses]
    return done, {
        "hits": [shot.hit for shot in shots],
        **record_harm(book, plan.hp, done, mortal=plan.mortal),
        "trait": triggered[0].id if triggered else None,
        "effects": [*dict.fromkeys(effects)],
        "actor_loses": find_worst(*(lost for lost, _ in lost_by)),
        "resister_loses": find_worst(*(lost for _, lost in lost_by)),
        "owes": next(filter(None, [find_owed(aim.arm.weapon, aim.arm.mode) for aim in plan.aims]), None),
    }


def oppose(weighed: WeighedStage, total: int) -> WeighedStage:
    """Return the dodge of a shot, read against its total."""
    stage = weighed.stage
    opposed = Stage(stage.table, stage.reading, stage.then, total)
    return WeighedStage(opposed, weighed.modifiers, weighed.adjustments, weighed.sum, weighed.uncapped)


class AttackMethod(FrozenMethod, frozen=True):
    """The method of an attack; inputs are those of `rules.books.roe.aim.AttackInputs`."""

    tables: tuple[str, ...] = ATTACK_TABLES

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Return a part with all that counts on the attack, and the book with what it is made with."""
        return part, book

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons cannot do."""
        plan_attack(*self.ready(part, book))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw accuracy and dodge of each roll, then the damage dice of the hits."""
        part, book = self.ready(part, book)
        return self.strike(plan_attack(part, book), part, book, dice)

    def strike(self, plan: AttackPlan, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of an attack that is settled."""
        return throw_damage(plan, throw_shots(plan, dice), part, book, dice)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides with each weapon."""
        aims = plan_attack(*self.ready(part, book)).aims
        return tuple(stage for aim in aims for stage in (aim.accuracy, aim.dodges[CRITICAL]))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits."""
        hits = self.foreseen(part, book).hits
        return tuple(Chance(conclude_hits(count, len(hits) - 1), chance) for count, chance in enumerate(hits) if chance)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what is added to damage, how likely traits, going down and a saving roll are, and the mean damage."""
        plan = plan_attack(*self.ready(part, book))
        added = describe_bonuses(plan.counted_from(range(len(plan.aims))))
        return (*([f"Added to damage: {added}"] if added else []), *self.foreseen(part, book).lines())

    def foreseen(self, part: Part, book: Book) -> AttackOdds:
        """Return what an attack will come to."""
        part, book = self.ready(part, book)
        return find_odds(plan_attack(part, book), book)


def throw_damage(plan: AttackPlan, shots: Sequence[AttackRoll], part: Part, book: Book, dice: Dice) -> MethodResult:
    """Throw the damage dice of an attack whose rolls have fallen."""
    rolls = _throw_damage_dice(plan, shots, dice)
    done, came = settle_damage(plan, part, book, shots, [roll.total for roll in rolls])
    record = {**came, THROWN: _list_faces(plan, shots, rolls)}
    steps = [step for shot in shots for step in shot.steps]
    bonuses = plan.counted_from(shot.place for shot in shots if shot.hit)
    told = show_damage(plan.hp, rolls, done, bonuses=bonuses) if rolls else ()
    return MethodResult((*steps, *told), conclude_hits(sum(shot.hit for shot in shots), len(shots)), record)


def _throw_damage_dice(plan: AttackPlan, shots: Sequence[AttackRoll], dice: Dice) -> list[Roll]:
    """Throw the damage dice of the hits, but for those that fell in their places before."""
    fallen = plan.asked.damage_dice or [0] * len(plan.rolls)
    before = [fallen[shot.number] for shot in shots if shot.hit]
    terms = list_damage_dice(plan, shots)
    known = (
        Roll(term, (face,), SHARED) if face else dice.roll(term) for term, face in zip(terms, before, strict=False)
    )
    return [*known, *map(dice.roll, terms[len(before) :])]


def _list_faces(plan: AttackPlan, shots: Sequence[AttackRoll], rolls: Sequence[Roll]) -> JsonObject:
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


def conclude_hits(hits: int, rolls: int) -> Conclusion:
    """Return what so many hits of so many attack rolls are called."""
    tone: Tone = "success" if hits else "failure"
    text = "Missed" if not hits else "Hit" if rolls == 1 else f"{hits} of {rolls} hit"
    return Conclusion(f"{hits}-hits", text, tone, "results")


PROCEDURE = Procedure(
    "roe.attack",
    "Attack",
    ACTOR,
    RESISTER,
    "{actor} attacks {resister}",
    AttackMethod(),
    carry=share_dice,
    policy=Policy(again="never"),
)


class Straying(Struct, frozen=True):
    """How many faces of a die lead astray, of how many, and where that is printed."""

    faces: int
    sides: int
    line: int

    @property
    def chance(self) -> Fraction:
        """How likely it is."""
        return Fraction(self.faces, self.sides)


def find_straying(part: Part, book: Book) -> Straying | None:
    """Return how often attacks of whoever acts go astray; None where they never do, or there is nobody else."""
    for option in book.listed(Option).values() if part.inputs.get("strays") else ():
        if STRAYS in option.rules and f"{ACTOR}.option.{option.id}" in part.facts:
            faces, sides = str(option.rules[STRAYS]).split(" in ")
            return Straying(int(faces), int(sides), option.line)
    return None


def throw_straying(part: Part, straying: Straying, dice: Dice) -> tuple[Throw, MethodResult | None]:
    """Throw the die of an attack that may go astray, and return what that comes to; None where it goes at its target.

    An attack that has gone astray is to be made on somebody else: its Action is given back, and a mark says on whom.
    """
    first = dice.roll(DiceTerm(1, straying.sides))
    others: Sequence[tuple[int, str]] = part.inputs["strays"]
    if first.total > straying.faces:
        return Throw("Target", part.subjects[RESISTER], (first,), _PAGE, straying.line), None
    picks = (dice.roll(DiceTerm(1, len(others))),) if len(others) > 1 else ()
    number, name = others[picks[0].total - 1 if picks else 0]
    marks = {ACTIONS: read_marks(part, ACTOR).get(ACTIONS, 0) + 1, STRAY: number}
    throw = Throw("Target", f"{name} instead", (first, *picks), _PAGE, straying.line)
    stops = f"It goes at {name} instead."
    astray = Conclusion(OUTCOME, f"Astray: attack {name} instead", "danger", "results", stops=stops)
    return throw, MethodResult((throw,), astray, {}, tuple(mark_fighter(part, ACTOR, marks)))


def with_straying(chances: tuple[Chance, ...], part: Part, book: Book) -> tuple[Chance, ...]:
    """Return chances with that of going astray, where an attack may."""
    straying = find_straying(part, book)
    if straying is None:
        return chances
    others = (Chance(item.conclusion, item.chance * (1 - straying.chance)) for item in chances)
    astray = Conclusion(OUTCOME, "Goes astray by chance", "danger", "results")
    return (*others, Chance(astray, straying.chance))
