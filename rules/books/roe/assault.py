"""Attacks in play: on HP that are kept, with weapons that owe, and all that follows of a hit (lines 82 to 108, 168 to 178, 345 to 364)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import AttackPlan, find_size_step, plan_attack
from rules.books.roe.attack_odds import AttackOdds, find_odds
from rules.books.roe.attacks import (
    ATTACK_TABLES,
    AttackMethod,
    find_straying,
    share_dice,
    throw_straying,
    with_straying,
)
from rules.books.roe.catalog import ACTOR, RESISTER, Band, Size, WeaponTrait
from rules.books.roe.characters import (
    Readiness,
    describe_weather,
    find_fighter,
    is_in_hand,
    mark_fighter,
    read_marks,
    read_readiness,
    use_weapons,
)
from rules.books.roe.explosives import AT_ONCE, FUSE, Charge, Fuse, find_free_name
from rules.books.roe.fights import LYING, UNREAD
from rules.books.roe.hiding import (
    NOISE,
    SNEAK,
    STEALTH_ROLL,
    check_sneak,
    expose,
    find_stealth_chance,
    isolate_stealth,
    list_noises,
    shout,
)
from rules.books.roe.turns import apply_lasting, make_wounding
from rules.books.roe.weapons import find_band, find_mode, find_weapon, list_sizes, may_dual_wield
from rules.books.roe.wounds import HEALTH, SAVING, describe_harm, list_injuries, throw_check, throw_saving_roll, with_hp
from rules.dice import Dice, DiceTerm
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.fields import word_id
from rules.modifiers import JsonObject
from rules.procedure import (
    Chance,
    Conclusion,
    MethodResult,
    Part,
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

    tables: tuple[str, ...] = (*ATTACK_TABLES, *SNEAK, SAVING, FUEL)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, NOISE, FUSE)
    skips: tuple[str, ...] = UNREAD

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Return the attack of somebody who may have aimed at the target: it gains by that (line 346)."""
        strength = part.inputs.get("strength", True)
        return _with_inputs(part, aimed=f"{ACTOR}.aimed.other" in part.facts, strength=strength), book

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the weapons cannot do, do not reach, or owe before, and what is too big for whoever attacks."""
        part, book = self.ready(part, book)
        plan = plan_attack(part, book)
        _ = [*spend_weapons(plan, part)]
        _check_sizes(part, book, [arm.weapon.token.size for arm in plan.arms])
        if plan.asked.sneak:
            check_sneak(part)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Sneak up where that is asked, throw the attack, save whoever is in need, and tell what all of it changes."""
        part, book = self.ready(part, book)
        straying = find_straying(part, book)
        if straying is None:
            return self._attack(part, book, dice)
        throw, instead = throw_straying(part, straying, dice)
        if instead:
            return instead
        at_target = self._attack(_with_inputs(part, strays=()), book, dice)
        return replace(at_target, steps=(throw, *at_target.steps))

    def _attack(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        came = _sneak(part, book, dice)
        plan = plan_attack(came.part, book)
        struck = self.strike(plan, came.part, book, dice)
        record = struck.record
        saved = throw_saving_roll(record, came.part, book, dice)
        injuries = list_injuries(_charge_once(record, plan), came.part, book, saved)
        changes = [*spend_weapons(plan, part)]
        fuel, burning = _explode_fuel(record, part, plan, book, dice)
        after = (*saved, *fuel, *_list_owed(changes, plan))
        if record["damage"]:
            changes.append(with_hp(part, RESISTER, record["hp"]))
        heard, noise = shout(part, book, part.subjects[ACTOR], list_attack_noises(plan))
        told = replace(
            struck.conclusion,
            text=_describe(struck.conclusion, record, plan),
            consequences=(*injuries, *list_aftereffects(record, came, plan, book)),
        )
        with_what = [Throw("With", text) for text in describe_weapons(part, book)]
        steps = (*with_what, *came.steps, *struck.steps, *after, *heard)
        return MethodResult(steps, told, record, (*changes, *noise, *burning))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides with each weapon, behind those of sneaking up."""
        stages = AttackMethod.stages(self, part, book)
        if part.inputs.get("sneak"):
            stages = (*STEALTH_ROLL.stages(isolate_stealth(self.ready(part, book)[0]), book), *stages)
        return stages

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits; none of what comes past another one, whom it hangs on."""
        chances = () if part.inputs.get("past") else AttackMethod.odds(self, part, book)
        return with_straying(chances, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return with what it is made, how likely traits, going down and a saving roll are, and the mean damage."""
        past, (ready, own) = part.inputs.get("past"), self.ready(part, book)
        foretold = [PAST[past]] if past else AttackMethod.lines(self, part, book)
        return [*(f"With {text}" for text in describe_weapons(ready, own)), *describe_weather(own, ready), *foretold]

    def foreseen(self, part: Part, book: Book) -> AttackOdds:
        """Return what an attack will come to: of a sneak attack, unseen or not."""
        part, book = self.ready(part, book)
        odds = find_odds(plan_attack(part, book), book)
        if not part.inputs.get("sneak"):
            return odds
        plain = find_odds(plan_attack(_with_inputs(part, sneak=False), book), book)
        return odds.mixed(plain, find_stealth_chance(part, book))


def _with_inputs(part: Part, **more: object) -> Part:
    return replace(part, inputs={**part.inputs, **more})


def _sneak(part: Part, book: Book, dice: Dice) -> Assault:
    """Return the attack behind a stealth roll, where it is a sneak attack: an ordinary one if that is lost (A52)."""
    if not part.inputs.get("sneak"):
        return Assault(part)
    met = STEALTH_ROLL.play(isolate_stealth(part), book, dice)
    won = met.conclusion.outcome == ACTOR
    return Assault(_with_inputs(part, sneak=won), met.steps, seen=not won)


def spend_weapons(plan: AttackPlan, part: Part) -> Iterator[Change]:
    """Yield what using the weapons changes of whoever bears them, in a fight."""
    if find_fighter(part, ACTOR) is not None:
        armed = [(name, arm.weapon, arm.mode) for name, arm in plan.named]
        marks = use_weapons(read_marks(part, ACTOR), armed)
        far = max(1, round(plan.asked.range_m))
        marks |= {LYING + word_id(name): far for name, arm in plan.named if arm.mode.thrown}
        yield from mark_fighter(part, ACTOR, marks)


def describe_weapons(part: Part, book: Book) -> Iterator[str]:
    """Yield with what an attack is made, and from how far, which nobody sees who has named no weapon; once for all who are hit by it."""
    given = part.inputs
    if not (given.get("beside") or given.get("past")):
        named = zip(given.get("names") or given["tokens"], given["tokens"], strict=True)
        modes = [(name, find_mode(book, find_weapon(book, token), given.get("mode"))) for name, token in named]
        used = " and ".join(f"{name}, {mode.label.lower()}" for name, mode in modes)
        plan = plan_attack(part, book)
        aimed = ", aimed" if plan.strike.aimed and plan.strike.alone else ""
        yield f"{used}, {given['range_m']:g} m{aimed}"


def list_attack_noises(plan: AttackPlan) -> Iterator[tuple[str, bool]]:
    """Yield the noises of the weapons that are used, and whether each is silenced."""
    return list_noises((arm.kind for arm in plan.arms), plan.asked.silenced)


def _check_sizes(part: Part, book: Book, wielded: Sequence[str]) -> None:
    """Refuse two weapons that are too big for it, and in a hold what is bigger than whoever attacks (lines 116 to 118, 426)."""
    step, order = find_size_step(part, book), list_sizes(book)
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


def _explode_fuel(
    record: JsonObject, part: Part, plan: AttackPlan, book: Book, dice: Dice
) -> tuple[list[Step | Throw], list[Change]]:
    """Return what becomes of the fuel in the hands of whoever goes down by it, and what that changes (line 272).

    It hurts nobody more who is down already. Others dodge it as any explosion that is due: it waits in the fight for who stands
    there, with the end of the attacker's turn.
    """
    marks = read_marks(part, RESISTER)
    if not (plan.hp and record["wounded"] and any(is_in_hand(marks, name) for name in plan.asked.fuel)):
        return [], []
    step = throw_check(FUEL, part, book, dice)
    if step.row.outcome != "failure":
        return [step], []
    fell = dice.roll(DiceTerm(1, book.number("fuel-sides")))
    across = book.number("fuel-diameter-m")
    text = f"{fell.total} explosive damage to everyone within {across} m across who fails to dodge"
    user = find_fighter(part, ACTOR)
    burning: list[Change] = []
    if user is not None:
        charge = Charge(f"Fuel of {part.subjects[RESISTER]}", more=fell.total, bare=True)
        burning.append((SCENE, find_free_name(part.kept, FUSE), Fuse(charge, user["id"], AT_ONCE).value()))
    return [step, Throw("Fuel", text, (fell,), _PAGE, step.row.line)], burning


def _list_owed(changes: Sequence[Change], plan: AttackPlan) -> Iterator[Throw]:
    """Yield what the weapons owe before they are used again, in a fight."""
    for _, _, value in changes:
        owing = [(name, read_readiness(value["marks"], name)) for name, _ in plan.named]
        told = [f"{name}: {_describe_due(state)}" for name, state in owing if state.owes]
        if told:
            yield Throw("Not ready", "; ".join(told))


def _describe_due(state: Readiness) -> str:
    return f"reload ({state.reload} Actions)" if state.reload > 1 else DUE[state.owes or "reload"]


def _charge_once(record: JsonObject, plan: AttackPlan) -> JsonObject:
    """Return what came of an attack without what the same attack rolls have cost their maker already."""
    return {**record, "actor_loses": "nothing"} if plan.asked.beside or plan.asked.past else record


def list_aftereffects(record: JsonObject, came: Assault, plan: AttackPlan, book: Book) -> Iterator[Consequence]:
    """Yield that whoever is attacked hides no more, and what befalls the attacker, once for all who are hit by the same rolls.

    That is a trait, that aim and set-up are spent, and that one is seen.
    """
    part = came.part
    yield from expose(part, RESISTER)
    if plan.asked.beside or plan.asked.past:
        return
    trait = book.listed(WeaponTrait).get(record["trait"] or "")
    if trait is not None and trait.bearer and trait.effect:
        yield from apply_lasting(book, part, ACTOR, trait.effect)
    if any(f"{ACTOR}.{spent}" in part.facts for spent in ("aimed", "set-up")):
        yield Consequence("spend-aim", ACTOR)
    if came.seen or not _is_far_sniper(plan, book):
        yield from expose(part, ACTOR)


def _is_far_sniper(plan: AttackPlan, book: Book) -> bool:
    """Return whether an attack is a sniper's from long range, who stays hidden (line 353)."""
    last = [*book.listed(Band).values()][-1]
    return find_band(book, plan.asked.range_m) == last and all(arm.weapon.type.sniper for arm in plan.arms)


def _describe(conclusion: Conclusion, record: JsonObject, plan: AttackPlan) -> str:
    if not record["hits"]:
        return "Nothing gets past the target"
    if not any(record["hits"]):
        return conclusion.text
    return f"{conclusion.text}: {describe_harm(record['damage'], down=record['wounded'] and plan.hp > 0)}"


PROCEDURE = make_wounding("roe.assault", "Attack", "{actor} attacks {resister}", AssaultMethod(), share_dice)
