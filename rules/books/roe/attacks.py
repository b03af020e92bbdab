"""Attacks: accuracy against dodge, then damage, HP and traits (lines 82 to 108), and stray attacks (line 57)."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules import modifiers, procedure
from rules.book import Book
from rules.books.roe import attack_odds, catalog, characters, damage, fights, weapons, wounds
from rules.books.roe.aim import STRAYS, AttackPlan, WeaponAttack, doubles_damage, plan_attack
from rules.dice import SHARED, Dice, DiceTerm, Roll
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Step, Throw, WeighedStage
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
"""The faces of accuracy and damage, in the record."""
_ASTRAY = "astray"
_PAGE = Source("roe-7th-edition-dice", "Racial Traits")


class AttackRoll(Struct, frozen=True):
    """One attack roll and the dodge against it, if any; `place` is its weapon's."""

    place: int
    aim: WeaponAttack
    accuracy: Step
    dodge: Step | None
    number: int

    @property
    def hit(self) -> bool:
        """Whether it hits: it wasn't dodged, or couldn't be."""
        return self.dodge is None or self.dodge.row.outcome == catalog.ACTOR

    @property
    def steps(self) -> tuple[Step, ...]:
        """The rolls thrown."""
        return (self.accuracy,) if self.dodge is None else (self.accuracy, self.dodge)

    @property
    def critical(self) -> bool:
        """Whether it's a critical hit."""
        return self.hit and self.accuracy.row.outcome == CRITICAL

    @property
    def triggers(self) -> bool:
        """Whether it triggers the weapon's trait."""
        return self.aim.trait is not None and self.hit and self.accuracy.roll.total >= self.aim.natural

    def losses(self, cost: damage.Loses) -> tuple[damage.Loses, damage.Loses]:
        """Return what criticals cost attacker and target."""
        actor, *resister = (damage.find_critical(step) for step in self.steps)
        return damage.find_losses(actor, next(iter(resister), "none"), cost, hit=self.hit)


def throw_shots(plan: AttackPlan, dice: Dice) -> tuple[AttackRoll, ...]:
    """Throw accuracy and dodge of each roll; one die may dodge all (A12).

    A target behind the first one takes only the rolls that missed that one.
    """
    shots: list[AttackRoll] = []
    asked, fallen = plan.inputs, plan.inputs.accuracy_dice
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
    """Return the damage dice of the hits, then the target's extra die."""
    dice = [DiceTerm(1, shot.aim.arm.die) for shot in shots if shot.hit]
    extra = plan.extra_from(shot.place for shot in shots if shot.hit)
    return (*dice, extra) if extra else tuple(dice)


def settle_damage(
    plan: AttackPlan, part: Part, book: Book, shots: Sequence[AttackRoll], faces: Sequence[int]
) -> tuple[damage.DamageTotal, modifiers.JsonObject]:
    """Return the damage of thrown dice, and the attack's record: hits, damage, trait, effects, losses."""
    hits = [shot for shot in shots if shot.hit]
    triggered = [shot.aim.trait for shot in hits if shot.triggers and shot.aim.trait]
    dice = [damage.HitDie(face, shot.critical) for shot, face in zip(hits, faces, strict=False)]
    amount = (damage.sum_dice(dice, doubled=doubles_damage(plan, book)) + sum(faces[len(dice) :])) // plan.share
    strike = replace(plan.strike, pierced=any(item.pierces for item in triggered))
    typed = plan.sum_types(shot.place for shot in hits)
    done = damage.total_damage(book, amount, typed, plan.untyped, ignores_dr=strike.ignores_dr)
    cost = damage.find_critical_cost(book, part.facts)
    lost_by = [shot.losses(cost) for shot in shots]
    effects = [item.effect for item in triggered if item.effect and not item.bearer]
    effects += [SUPPRESSED for aim in plan.aims if aim.arm.mode.suppresses]
    return done, {
        "hits": [shot.hit for shot in shots],
        **wounds.record_harm(book, plan.hp, done, mortal=plan.mortal),
        "trait": triggered[0].id if triggered else None,
        "effects": [*dict.fromkeys(effects)],
        "actor_loses": damage.find_worst(*(lost for lost, _ in lost_by)),
        "resister_loses": damage.find_worst(*(lost for _, lost in lost_by)),
        "owes": next(filter(None, [weapons.find_owed(aim.arm.weapon, aim.arm.mode) for aim in plan.aims]), None),
    }


def oppose(weighed: WeighedStage, total: int) -> WeighedStage:
    """Set the total that the dodge has to beat."""
    return replace(weighed, stage=replace(weighed.stage, value=total, opposes=False))


class AttackMethod(FrozenMethod, frozen=True):
    """An attack; inputs are `rules.books.roe.aim.AttackInputs`."""

    tables: tuple[str, ...] = ATTACK_TABLES

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Complete the part and the book before the attack."""
        return part, book

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons can't do."""
        plan_attack(*self.ready(part, book))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw accuracy and dodge of each roll, then damage."""
        part, book = self.ready(part, book)
        return self.strike(plan_attack(part, book), part, book, dice)

    def strike(self, plan: AttackPlan, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of a planned attack."""
        return throw_damage(plan, throw_shots(plan, dice), part, book, dice)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return both sides' rolls for each weapon."""
        aims = plan_attack(*self.ready(part, book)).aims
        return tuple(stage for aim in aims for stage in (aim.accuracy, aim.dodges[CRITICAL]))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits."""
        hits = self.forecast(part, book).hits
        return tuple(Chance(conclude_hits(count, len(hits) - 1), chance) for count, chance in enumerate(hits) if chance)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Describe damage modifiers, and all chances but those of hits."""
        plan = plan_attack(*self.ready(part, book))
        added = damage.describe_bonuses(plan.list_bonuses(range(len(plan.aims))))
        return (*([f"Added to damage: {added}"] if added else []), *self.forecast(part, book).lines())

    def forecast(self, part: Part, book: Book) -> attack_odds.AttackOdds:
        """Return exact chances."""
        part, book = self.ready(part, book)
        return attack_odds.find_odds(plan_attack(part, book), book)


def throw_damage(plan: AttackPlan, shots: Sequence[AttackRoll], part: Part, book: Book, dice: Dice) -> MethodResult:
    """Throw the damage dice of all hits and return the attack's result."""
    shared = plan.inputs.damage_dice or [0] * len(plan.rolls)
    before = [shared[shot.number] for shot in shots if shot.hit]  # 0 for a die that hasn't been thrown for others
    terms = list_damage_dice(plan, shots)
    known = zip(terms, before, strict=False)
    rolls = [Roll(term, (face,), SHARED) if face else dice.roll(term) for term, face in known]
    rolls += map(dice.roll, terms[len(before) :])
    done, settled = settle_damage(plan, part, book, shots, [roll.total for roll in rolls])
    record = {**settled, THROWN: _list_faces(plan, shots, rolls)}
    steps = [step for shot in shots for step in shot.steps]
    bonuses = plan.list_bonuses(shot.place for shot in shots if shot.hit)
    shown = wounds.show_damage(plan.hp, rolls, done, bonuses=bonuses) if rolls else ()
    return MethodResult((*steps, *shown), conclude_hits(sum(shot.hit for shot in shots), len(shots)), record)


def _list_faces(plan: AttackPlan, shots: Sequence[AttackRoll], rolls: Sequence[Roll]) -> modifiers.JsonObject:
    count = len(plan.rolls)
    accuracy, harm = [*(plan.inputs.accuracy_dice or [0] * count)], [*(plan.inputs.damage_dice or [0] * count)]
    fallen = iter(rolls)
    for shot in shots:
        accuracy[shot.number] = shot.accuracy.roll.total
        if shot.hit:
            harm[shot.number] = next(fallen).total
    return {"accuracy": accuracy, "damage": harm}


def share_dice(part: Part, before: Sequence[procedure.PartResult], _book: Book) -> Part:
    """Give those next to or behind the target the dice already thrown (lines 377 to 381)."""
    records = [item.record for item in before if item is before[0] or _shares(item.part)]
    if not _shares(part) or not records or THROWN not in records[0]:
        return part
    shared = {"accuracy_dice": records[0][THROWN]["accuracy"], "damage_dice": records[-1][THROWN]["damage"]}
    if part.inputs.get("past"):
        shared["missed"] = [place for place, hit in enumerate(records[0]["hits"]) if not hit]
    return replace(part, inputs={**part.inputs, **shared})


def _shares(part: Part) -> bool:
    return bool(part.inputs.get("beside") or part.inputs.get("past"))


def conclude_hits(hits: int, rolls: int) -> Conclusion:
    """Conclude an attack by its hits."""
    tone: Tone = "success" if hits else "failure"
    text = "Missed" if not hits else "Hit" if rolls == 1 else f"{hits} of {rolls} hit"
    return Conclusion(f"{hits}-hits", text, tone, "results")


PROCEDURE = procedure.Procedure(
    "roe.attack",
    "Attack",
    catalog.ACTOR,
    catalog.RESISTER,
    "{actor} attacks {resister}",
    AttackMethod(),
    carry=share_dice,
    policy=Policy(again="never"),
)


class StrayShots(Struct, frozen=True):
    """A die with `sides`, of which the lowest `faces` lead an attack astray."""

    faces: int
    sides: int
    line: int


def find_straying(part: Part, book: Book) -> StrayShots | None:
    """Return how the actor's attacks go astray, if they can."""
    for option in book.entries_of(catalog.Option).values() if part.inputs.get("strays") else ():
        if STRAYS in option.rules and f"{catalog.ACTOR}.option.{option.id}" in part.facts:
            faces, sides = str(option.rules[STRAYS]).split(" in ")
            return StrayShots(int(faces), int(sides), option.line)
    return None


def throw_straying(part: Part, straying: StrayShots, dice: Dice) -> tuple[Throw, MethodResult | None]:
    """Throw for a stray attack; the result is None if it goes at its target.

    A stray attack gives its Action back, and a mark names the other target.
    """
    first = dice.roll(DiceTerm(1, straying.sides))
    others: Sequence[tuple[int, str]] = part.inputs["strays"]
    if first.total > straying.faces:
        return Throw("Target", part.subjects[catalog.RESISTER], (first,), _PAGE, straying.line), None
    picks = (dice.roll(DiceTerm(1, len(others))),) if len(others) > 1 else ()
    number, name = others[picks[0].total - 1 if picks else 0]
    actions = characters.read_marks(part, catalog.ACTOR).get(fights.ACTIONS, 0)
    marks = {fights.ACTIONS: actions + 1, fights.STRAY: number}
    throw = Throw("Target", f"{name} instead", (first, *picks), _PAGE, straying.line)
    stops = f"It goes at {name} instead."
    astray = Conclusion(_ASTRAY, f"Astray: attack {name} instead", "danger", "results", stops=stops)
    return throw, MethodResult((throw,), astray, {}, tuple(characters.mark_fighter(part, catalog.ACTOR, marks)))


def with_straying(chances: tuple[Chance, ...], part: Part, book: Book) -> tuple[Chance, ...]:
    """Add the chance to go astray, if there is one."""
    straying = find_straying(part, book)
    if straying is None:
        return chances
    share = Fraction(straying.faces, straying.sides)
    others = (Chance(item.conclusion, item.chance * (1 - share)) for item in chances)
    return (*others, Chance(Conclusion(_ASTRAY, "Goes astray by chance", "danger", "results"), share))
