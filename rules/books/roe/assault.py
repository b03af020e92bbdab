"""Attacks in play: on HP that are kept, with weapons that owe, and all that follows of a hit (lines 82 to 108, 168 to 178, 345 to 364)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER, Plan, plan_of, size_step
from rules.books.roe.arsenal import fighter, in_hand, state_of, used, with_marks
from rules.books.roe.attack import TABLES, AttackMethod, share_dice
from rules.books.roe.attack_odds import Foresight, foresight_of
from rules.books.roe.catalog import Band, Size, Trigger
from rules.books.roe.conditions import weather_lines
from rules.books.roe.explosives import AT_ONCE, FUSE, Charge, Fuse, free
from rules.books.roe.exposing import exposed
from rules.books.roe.health import HEALTH, with_hp
from rules.books.roe.injury import SAVING, befallen, checked, saving
from rules.books.roe.lasting_rules import befalling, wounded
from rules.books.roe.marks import LYING, UNREAD
from rules.books.roe.noise import NOISE, noises, shout
from rules.books.roe.readiness import Readiness
from rules.books.roe.sneaking import SNEAK, STEALTH_ROLL, check_sneak, creeping
from rules.books.roe.straying import strayed, straying_of, with_straying
from rules.books.roe.weapons import band_at, may_dual_wield, mode_of, sizes, weapon_named
from rules.dice import Dice, DiceTerm
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.facts import JsonObject
from rules.fields import word_id
from rules.procedure import (
    Chance,
    Conclusion,
    MethodResult,
    Part,
    Policy,
    Procedure,
    Step,
    Throw,
    WeighedStage,
)
from rules.scenes import MEMBER
from rules.tables import Consequence, Source

FUEL = "roe.check.fuel"
HOLDS = (f"{ACTOR}.held", f"{ACTOR}.holding")
"""The facts of whoever is in a hold."""
DUE = {"reload": "reload", "bolt": "work the bolt", "rack": "rack (one turn without a shot)"}
"""What is owed, in words."""
PAST = {
    "dodged": "Must dodge shots that miss the target.",
    "taken": "Is hit by shots that miss the target, and can't dodge.",
}
"""What is told of whoever stands in front of the target, by what they do."""
_PAGE = Source("roe-7th-edition-dice", "Weapon Special Rules")


class Assault(Struct, frozen=True):
    """How an attack came about: the part it is played as, the steps before it, and whether a sneak attack was seen."""

    part: Part
    steps: tuple[Step | Throw, ...] = ()
    seen: bool = False


class AssaultMethod(AttackMethod, frozen=True):
    """The method of an attack in play; the inputs are those of an attack, without HP.

    Whoever has aimed at the target gains by it. A `sneak` attack is one where the stealth roll before it is won.
    """

    tables: tuple[str, ...] = (*TABLES, *SNEAK, SAVING, FUEL)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, NOISE, FUSE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons cannot do, do not reach, or owe before, and what is too big for whoever attacks."""
        plan = plan_of(_aiming(part), book)
        _ = [*used_by(plan, part)]
        _check_sizes(part, book, [arm.weapon.token.size for arm in plan.arms])
        if plan.asked.sneak:
            check_sneak(part)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Sneak up where that is asked, throw the attack, save whoever is in need, and tell what all of it changes."""
        straying = straying_of(book, part.facts) if part.inputs.get("strays") else None
        if straying:
            throw, instead = strayed(part, straying, dice)
            if instead:
                return instead
            at_target = self.play(_with_inputs(part, strays=()), book, dice)
            return replace(at_target, steps=(throw, *at_target.steps))
        came = _sneaked(_aiming(part), book, dice)
        plan = plan_of(came.part, book)
        struck = self.strike(plan, came.part, book, dice)
        saved = saving(struck.record, came.part, book, dice)
        befalls = [
            *befallen(_once(struck.record, plan), came.part, book, saved),
            *follows(struck.record, came, plan, book),
        ]
        changes = [*used_by(plan, part)]
        fuel, burning = _exploded(struck.record, part, plan, book, dice)
        after = (*saved, *fuel, *_owed(changes, plan))
        if struck.record["damage"]:
            changes.append(with_hp(part, RESISTER, struck.record["hp"]))
        heard, more = shout(part, book, part.subjects[ACTOR], noises_of(plan))
        changes += [*more, *burning]
        told = replace(
            struck.conclusion, text=_told(struck.conclusion, struck.record, plan), consequences=tuple(befalls)
        )
        with_what = [Throw("With", told) for told in wielded(part, book)]
        steps = (*with_what, *came.steps, *struck.steps, *after, *heard)
        return MethodResult(steps, told, struck.record, tuple(changes))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides with each weapon, behind those of sneaking up."""
        unseen = STEALTH_ROLL.stages(creeping(part), book) if part.inputs.get("sneak") else ()
        return (*unseen, *AttackMethod.stages(self, _aiming(part), book))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits; none of what comes past another one, whom it hangs on."""
        chances = () if part.inputs.get("past") else AttackMethod.odds(self, part, book)
        straying = straying_of(book, part.facts) if part.inputs.get("strays") else None
        return with_straying(chances, straying) if straying else chances

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return with what it is made, how likely traits, going down and a saving roll are, and the mean damage."""
        past, used = part.inputs.get("past"), [f"With {told}" for told in wielded(part, book)]
        foretold = [PAST[past]] if past else AttackMethod.lines(self, _aiming(part), book)
        return [*used, *weather_lines(book, part), *foretold]

    def foreseen(self, part: Part, book: Book) -> Foresight:
        """Return what an attack will come to: of a sneak attack, unseen or not."""
        part = _aiming(part)
        plain = foresight_of(plan_of(_with_inputs(part, sneak=False) if part.inputs.get("sneak") else part, book), book)
        if not part.inputs.get("sneak"):
            return plain
        ways = {item.conclusion.outcome: item.chance for item in STEALTH_ROLL.odds(creeping(part), book)}
        return foresight_of(plan_of(part, book), book).mixed(plain, ways.get(ACTOR, Fraction(0)))


def _with_inputs(part: Part, **more: object) -> Part:
    return replace(part, inputs={**part.inputs, **more})


def _aiming(part: Part) -> Part:
    """Return the attack of somebody who has aimed at the target: it gains by that (line 346)."""
    return _with_inputs(part, aimed=f"{ACTOR}.aimed.other" in part.facts, strength=part.inputs.get("strength", True))


def _sneaked(part: Part, book: Book, dice: Dice) -> Assault:
    """Return the attack behind a stealth roll, where it is a sneak attack: an ordinary one if that is lost (A52)."""
    if not part.inputs.get("sneak"):
        return Assault(part)
    met = STEALTH_ROLL.play(creeping(part), book, dice)
    won = met.conclusion.outcome == ACTOR
    return Assault(_with_inputs(part, sneak=won), met.steps, seen=not won)


def used_by(plan: Plan, part: Part) -> Iterator[Change]:
    """Yield what using the weapons changes of whoever bears them, in a fight."""
    who = part.subjects[ACTOR]
    value = fighter(part.kept, who)
    if value is not None:
        armed = [(name, arm.weapon, arm.mode) for name, arm in plan.named]
        marks = used(value.get("marks", {}), armed)
        far = max(1, round(plan.asked.range_m))
        marks |= {LYING + word_id(name): far for name, arm in plan.named if arm.mode.thrown}
        yield who, MEMBER, with_marks(value, marks)


def wielded(part: Part, book: Book) -> Iterator[str]:
    """Yield with what an attack is made, and from how far, which nobody sees who has named no weapon; once for all who are hit by it."""
    given = part.inputs
    if not (given.get("beside") or given.get("past")):
        named = zip(given.get("names") or given["tokens"], given["tokens"], strict=True)
        modes = [(name, mode_of(book, weapon_named(book, token), given.get("mode"))) for name, token in named]
        used = " and ".join(f"{name}, {mode.label.lower()}" for name, mode in modes)
        plan = plan_of(_aiming(part), book)
        aimed = ", aimed" if plan.strike.aimed and plan.strike.alone else ""
        yield f"{used}, {given['range_m']:g} m{aimed}"


def noises_of(plan: Plan) -> Iterator[tuple[str, bool]]:
    """Yield the noises of the weapons that are used, and whether each is silenced."""
    return noises((arm.kind for arm in plan.arms), plan.asked.silenced)


def _check_sizes(part: Part, book: Book, wielded: Sequence[str]) -> None:
    """Refuse two weapons that are too big for it, and in a hold what is bigger than whoever attacks (lines 116 to 118, 426)."""
    step, order = size_step(part, book), sizes(book)
    classes = [size.id for size in book.listed(Size).values()]
    size = next((item for item in classes if f"{ACTOR}.size.{item}" in part.facts), classes[len(classes) // 2])
    holding = [fact in part.facts for fact in HOLDS]
    wielder = classes[0] if holding[1] else size
    if len(wielded) > 1 and not may_dual_wield(book, wielder, wielded, step):
        most = book.listed(Size)[wielder].dual_wields
        why = "someone keeping a hold" if holding[1] else f"someone of the {size} size class"
        raise RollError(f"For {why}, two weapons at once must be {most} at most.")
    if any(holding) and max(map(order.index, wielded)) + step > classes.index(size):
        raise RollError("In a hold, you can't use a weapon larger than your character.")


def _exploded(
    record: JsonObject, part: Part, plan: Plan, book: Book, dice: Dice
) -> tuple[list[Step | Throw], list[Change]]:
    """Return what becomes of the fuel in the hands of whoever goes down by it, and what that changes (line 272).

    It hurts nobody more who is down already. Others dodge it as any explosion that is due: it waits in the fight for who stands
    there, with the end of the attacker's turn.
    """
    marks = (fighter(part.kept, part.subjects[RESISTER]) or {}).get("marks", {})
    if not (plan.hp and record["wounded"] and any(in_hand(marks, name) for name in plan.asked.fuel)):
        return [], []
    step = checked(FUEL, part, book, dice)
    if step.row.outcome != "failure":
        return [step], []
    fell = dice.roll(DiceTerm(1, book.number("fuel-sides")))
    across = book.number("fuel-diameter-m")
    text = f"{fell.total} explosive damage to everyone within {across} m across who fails to dodge"
    user = fighter(part.kept, part.subjects[ACTOR])
    burning: list[Change] = []
    if user is not None:
        charge = Charge(f"Fuel of {part.subjects[RESISTER]}", more=fell.total, bare=True)
        burning.append((SCENE, free(part.kept, FUSE), Fuse(charge, user["id"], AT_ONCE).value()))
    return [step, Throw("Fuel", text, (fell,), _PAGE, step.row.line)], burning


def _owed(changes: Sequence[Change], plan: Plan) -> Iterator[Throw]:
    """Yield what the weapons owe before they are used again, in a fight."""
    for _, _, value in changes:
        owing = [(name, state_of(value["marks"], name)) for name, _ in plan.named]
        told = [f"{name}: {_due(state)}" for name, state in owing if state.owes]
        if told:
            yield Throw("Not ready", "; ".join(told))


def _due(state: Readiness) -> str:
    return f"reload ({state.reload} Actions)" if state.reload > 1 else DUE[state.owes or "reload"]


def _once(record: JsonObject, plan: Plan) -> JsonObject:
    """Return what came of an attack without what the same attack rolls have cost their maker already."""
    return {**record, "actor_loses": "nothing"} if plan.asked.beside or plan.asked.past else record


def follows(record: JsonObject, came: Assault, plan: Plan, book: Book) -> Iterator[Consequence]:
    """Yield that whoever is attacked hides no more, and what befalls the attacker, once for all who are hit by the same rolls.

    That is a trait, that aim and set-up are spent, and that one is seen.
    """
    part = came.part
    yield from exposed(part, RESISTER)
    if plan.asked.beside or plan.asked.past:
        return
    trait = book.listed(Trigger).get(record["trait"] or "")
    if trait is not None and trait.bearer and trait.effect:
        yield from befalling(book, part, ACTOR, trait.effect)
    if any(f"{ACTOR}.{spent}" in part.facts for spent in ("aimed", "set-up")):
        yield Consequence("spend-aim", ACTOR)
    if came.seen or not _far(plan, book):
        yield from exposed(part, ACTOR)


def _far(plan: Plan, book: Book) -> bool:
    """Return whether an attack is a sniper's from long range, who stays hidden (line 353)."""
    last = [*book.listed(Band).values()][-1]
    return band_at(book, plan.asked.range_m) == last and all(arm.weapon.type.sniper for arm in plan.arms)


def _told(conclusion: Conclusion, record: JsonObject, plan: Plan) -> str:
    if not record["hits"]:
        return "Nothing gets past the target"
    if not any(record["hits"]):
        return conclusion.text
    down = "; down" if record["wounded"] and plan.hp else ""
    return f"{conclusion.text}: {record['damage']} damage{down}"


PROCEDURE = Procedure(
    family="roe.assault",
    title="Attack",
    actor=ACTOR,
    subject=RESISTER,
    headline="{actor} attacks {resister}",
    method=AssaultMethod(),
    carry=share_dice,
    policy=Policy(again="never", on_request=False),
    settles={"wound": wounded},
)
