"""Attacks in play: on HP that are kept, with weapons that owe, and all that follows of a hit (lines 82 to 108, 168 to 178, 345 to 364)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER, Plan, plan_of
from rules.books.roe.arsenal import fighter, used, with_marks
from rules.books.roe.attack import TABLES, AttackMethod, share_dice
from rules.books.roe.catalog import Band, Option, Trigger
from rules.books.roe.contests import BY_WINNER
from rules.books.roe.health import HEALTH, with_hp
from rules.books.roe.lasting_rules import befalling, wounded
from rules.books.roe.marks import FIRST_ATTACK
from rules.books.roe.turn_catalog import Timer
from rules.books.roe.weapons import band_at
from rules.contests import contest_method
from rules.dice import Dice
from rules.effects import EFFECT, Change
from rules.errors import RollError
from rules.facts import JsonObject
from rules.procedure import Conclusion, MethodResult, Part, Policy, Procedure, Stage, Step, Throw
from rules.scenes import MEMBER
from rules.stages import roll_stage, weigh_stage
from rules.tables import Consequence

SNEAK = ("roe.act.stealth", "roe.resist.sneak")
SAVING = "roe.check.mortal"
WOUND = "wounded"
"""The timer of whoever goes down."""
LOST = {"action": "lose-action", "turn": "lose-turn"}
"""The deeds by which something of the next turn is lost to a critical."""
_UNSEEN = contest_method("roe.sneak", SNEAK, BY_WINNER)


class Assault(Struct, frozen=True):
    """How an attack came about: the part it is played as, and the steps before it."""

    part: Part
    steps: tuple[Step | Throw, ...] = ()


@dataclass(frozen=True, slots=True)
class AssaultMethod(AttackMethod):
    """The method of an attack in play; the inputs are those of an attack, without HP.

    Whoever has aimed at the target gains by it. A `sneak` attack is one where the stealth roll before it is won.
    """

    tables: tuple[str, ...] = (*TABLES, *SNEAK, SAVING)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons cannot do, do not reach, or owe before."""
        plan = plan_of(_aiming(part), book)
        _ = [*self._used(plan, part)]
        if plan.asked.sneak:
            _check_sneak(part)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Sneak up where that is asked, throw the attack, save whoever is in need, and tell what all of it changes."""
        came = self._sneaked(_aiming(part), book, dice)
        plan = plan_of(came.part, book)
        struck = AttackMethod.play(self, came.part, book, dice)
        saved = _saving(struck.record, came.part, book, dice)
        mortal = [step for step in saved if step.row.outcome == "failure"]
        follows = [*_follows(struck.record, came.part, plan, book)]
        follows += [Consequence("wound-mortally", RESISTER)] if mortal else []
        conclusion = replace(
            struck.conclusion, text=_told(struck.conclusion, struck.record), consequences=tuple(follows)
        )
        changes = [*self._used(plan, part)]
        if struck.record["damage"]:
            changes.append(with_hp(part, RESISTER, struck.record["hp"]))
        return MethodResult((*came.steps, *struck.steps, *saved), conclusion, struck.record, tuple(changes))

    @staticmethod
    def _sneaked(part: Part, book: Book, dice: Dice) -> Assault:
        """Return the attack behind a stealth roll, where it is a sneak attack: an ordinary one if that is lost (A52)."""
        if not part.inputs.get("sneak"):
            return Assault(part)
        seen = _UNSEEN.play(replace(part, adjustments=(), inputs={}), book, dice)
        won = seen.conclusion.outcome == ACTOR
        return Assault(replace(part, inputs={**part.inputs, "sneak": won}), seen.steps)

    @staticmethod
    def _used(plan: Plan, part: Part) -> Iterator[Change]:
        """Yield what using the weapons changes of whoever bears them, in a fight."""
        who = part.subjects[ACTOR]
        value = fighter(part.kept, who)
        if value is not None:
            names = plan.asked.names or [aim.arm.weapon.token.label for aim in plan.aims]
            armed = [(name, aim.arm.weapon, aim.arm.mode) for name, aim in zip(names, plan.aims, strict=True)]
            yield who, MEMBER, with_marks(value, used(value.get("marks", {}), armed))


def _aiming(part: Part) -> Part:
    """Return the attack of somebody who has aimed at the target: it gains by that (line 346)."""
    aimed = f"{ACTOR}.aimed.other" in part.facts
    return replace(part, inputs={"strength": True, **part.inputs, "aimed": aimed})


def _check_sneak(part: Part) -> None:
    """Refuse a sneak attack that is not the first attack of a fight, or without an Action of setting up before (line 359).

    Raises:
        RollError: it is refused.

    """
    value = fighter(part.kept, part.subjects[ACTOR])
    if value is not None and not value.get("marks", {}).get(FIRST_ATTACK):
        raise RollError("A sneak attack is the first attack of the fight.")
    if f"{ACTOR}.set-up" not in part.facts:
        raise RollError("A sneak attack takes at least one Action of setting up before.")


def _saving(record: JsonObject, part: Part, book: Book, dice: Dice) -> tuple[Step, ...]:
    """Throw the saving roll of whoever is in need of one (line 174)."""
    if not record["mortal_save"]:
        return ()
    saved = Part("saving", {ACTOR: part.subjects[RESISTER]})
    return (roll_stage(weigh_stage(Stage(book.table(SAVING)), saved, first=False), dice),)


def _follows(record: JsonObject, part: Part, plan: Plan, book: Book) -> Iterator[Consequence]:
    """Yield what befalls both sides: traits, what criticals cost, wounds; and that aim and set-up are spent, and one is seen."""
    trait = book.listed(Trigger).get(record["trait"] or "")
    if trait is not None and trait.bearer and trait.effect:
        yield from befalling(book, part, ACTOR, trait.effect)
    for name in record["effects"]:
        yield from befalling(book, part, RESISTER, name)
    for role, lost in ((ACTOR, record["actor_loses"]), (RESISTER, record["resister_loses"])):
        if lost in LOST:
            yield Consequence(LOST[lost], role)
    if record["wounded"]:
        yield wound_of(book, part, RESISTER)
    yield Consequence("spend-aim", ACTOR)
    far = band_at(book, plan.asked.range_m) == [*book.listed(Band).values()][-1]
    if f"{ACTOR}.hidden" in part.facts and not (far and all(aim.arm.weapon.type.sniper for aim in plan.aims)):
        yield Consequence("be-seen", ACTOR)


def wound_of(book: Book, part: Part, role: str) -> Consequence:
    """Return what it is to go down: for how many hours, by the racial option (lines 168 and 71)."""
    timer = book.listed(Timer)[WOUND]
    options = (item for item in book.listed(Option).values() if f"{role}.option.{item.id}" in part.facts)
    hours = (
        next((int(item.rules[timer.rule]) for item in options if timer.rule in item.rules), None)
        if timer.rule
        else None
    )
    return Consequence("wound", role, hours)


def _told(conclusion: Conclusion, record: JsonObject) -> str:
    if not any(record["hits"]):
        return conclusion.text
    down = "; down" if record["wounded"] else ""
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
