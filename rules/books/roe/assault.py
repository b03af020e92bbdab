"""Attacks in play: kept HP, weapons that need reloading, and aftereffects (lines 82 to 108, 168 to 178, 345 to 364)."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe import attacks, characters, hiding
from rules.books.roe.aim import AttackPlan, find_size_step, plan_attack
from rules.books.roe.attack_odds import AttackOdds, find_odds
from rules.books.roe.catalog import ACTOR, RESISTER, Band, Size, WeaponTrait
from rules.books.roe.explosives import AT_ONCE, FUSE, Charge, Fuse, find_free_name
from rules.books.roe.fights import LYING, UNREAD
from rules.books.roe.turns import apply_lasting, make_wounding
from rules.books.roe.weapons import find_band, find_mode, find_weapon, list_sizes, may_dual_wield
from rules.books.roe.wounds import HEALTH, SAVING, describe_harm, list_injuries, throw_check, throw_saving_roll, with_hp
from rules.dice import Dice, DiceTerm
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.modifiers import JsonObject
from rules.procedure import Chance, MethodResult, Part, Step, Throw, WeighedStage
from rules.scenes import MEMBER
from rules.subjects import word_id
from rules.tables import Consequence, Source

FUEL = "roe.check.fuel"
HOLDS = (f"{ACTOR}.held", f"{ACTOR}.holding")
_OWED = {"reload": "reload", "bolt": "work the bolt", "rack": "rack (one turn without a shot)"}
PAST = {
    "dodged": "Must dodge shots that miss the target.",
    "taken": "Is hit by shots that miss the target, and can't dodge.",
}
_PAGE = Source("roe-7th-edition-dice", "Weapon Special Rules")


class AssaultMethod(attacks.AttackMethod, frozen=True):
    """An attack in play; inputs as an attack's, without HP.

    It's a `sneak` attack only if the stealth roll before it is won.
    """

    tables: tuple[str, ...] = (*attacks.ATTACK_TABLES, *hiding.SNEAK, SAVING, FUEL)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, hiding.NOISE, FUSE)
    skips: tuple[str, ...] = UNREAD

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Set the input `aimed` if the actor aimed at the target (line 346)."""
        strength = part.inputs.get("strength", True)
        return _with_inputs(part, aimed=f"{ACTOR}.aimed.other" in part.facts, strength=strength), book

    def check(self, part: Part, book: Book) -> None:
        """Refuse weapons that don't reach, aren't ready or are too large, and unprepared sneak attacks."""
        part, book = self.ready(part, book)
        plan = plan_attack(part, book)
        _ = [*spend_weapons(plan, part)]
        _check_sizes(part, book, [arm.weapon.token.size for arm in plan.arms])
        if plan.inputs.sneak:
            hiding.check_sneak(part)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw stealth, attack and saving rolls, and settle what follows."""
        part, book = self.ready(part, book)
        straying = attacks.find_straying(part, book)
        if straying is None:
            return self._attack(part, book, dice)
        throw, instead = attacks.throw_straying(part, straying, dice)
        if instead:
            return instead
        at_target = self._attack(_with_inputs(part, strays=()), book, dice)
        return replace(at_target, steps=(throw, *at_target.steps))

    def _attack(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        given, stealth = part, None
        if part.inputs.get("sneak"):  # an ordinary attack if the stealth roll is lost (A52)
            stealth = hiding.STEALTH_ROLL.play(hiding.isolate_stealth(part), book, dice)
            part = _with_inputs(part, sneak=stealth.conclusion.outcome == ACTOR)
        seen = stealth is not None and not part.inputs["sneak"]
        plan = plan_attack(part, book)
        struck = self.strike(plan, part, book, dice)
        record = struck.record
        saved = throw_saving_roll(record, part, book, dice)
        # The attacker pays for criticals once, however many are hit.
        paid = {"actor_loses": "nothing"} if plan.inputs.beside or plan.inputs.past else {}
        injuries = list_injuries({**record, **paid}, part, book, saved)
        changes = [*spend_weapons(plan, part)]
        fuel, burning = _explode_fuel(record, part, plan, book, dice)
        after = (*saved, *fuel, *_list_owed(changes, plan))
        if record["damage"]:
            changes.append(with_hp(part, RESISTER, record["hp"]))
        noises = hiding.list_noises((arm.kind for arm in plan.arms), plan.inputs.silenced)
        heard, noise = hiding.shout(part, book, part.subjects[ACTOR], noises)
        text = struck.conclusion.text if record["hits"] else "Nothing gets past the target"
        if any(record["hits"]):
            text = f"{text}: {describe_harm(record['damage'], down=record['wounded'] and plan.hp > 0)}"
        follows = (*injuries, *list_aftereffects(record, part, plan, book, seen=seen))
        conclusion = replace(struck.conclusion, text=text, consequences=follows)
        with_what = [Throw("With", text) for text in describe_weapons(given, book)]
        steps = (*with_what, *(stealth.steps if stealth else ()), *struck.steps, *after, *heard)
        return MethodResult(steps, conclusion, record, (*changes, *noise, *burning))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the stealth roll, then both sides' rolls."""
        stages = attacks.AttackMethod.stages(self, part, book)
        if part.inputs.get("sneak"):
            stages = (*hiding.STEALTH_ROLL.stages(hiding.isolate_stealth(self.ready(part, book)[0]), book), *stages)
        return stages

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of each number of hits; none for a target behind another."""
        chances = () if part.inputs.get("past") else attacks.AttackMethod.odds(self, part, book)
        return attacks.with_straying(chances, part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Describe weapons, weather and chances."""
        past, (ready, own) = part.inputs.get("past"), self.ready(part, book)
        chances = [PAST[past]] if past else attacks.AttackMethod.lines(self, part, book)
        return [
            *(f"With {text}" for text in describe_weapons(ready, own)),
            *characters.describe_weather(own, ready),
            *chances,
        ]

    def forecast(self, part: Part, book: Book) -> AttackOdds:
        """Return the exact chances; a sneak attack mixes seen and unseen."""
        part, book = self.ready(part, book)
        odds = find_odds(plan_attack(part, book), book)
        if not part.inputs.get("sneak"):
            return odds
        plain = find_odds(plan_attack(_with_inputs(part, sneak=False), book), book)
        return odds.mix(plain, hiding.find_stealth_chance(part, book))


def _with_inputs(part: Part, **more: object) -> Part:
    return replace(part, inputs={**part.inputs, **more})


def spend_weapons(plan: AttackPlan, part: Part) -> Iterator[Change]:
    """Yield the attacker's changed marks, in a fight; refuse weapons that aren't ready."""
    if characters.find_fighter(part, ACTOR) is not None:
        armed = [(name, arm.weapon, arm.mode) for name, arm in plan.arms_by_name]
        marks = characters.use_weapons(characters.read_marks(part, ACTOR), armed)
        far = max(1, round(plan.inputs.range_m))
        marks |= {LYING + word_id(name): far for name, arm in plan.arms_by_name if arm.mode.thrown}
        yield from characters.mark_fighter(part, ACTOR, marks)


def describe_weapons(part: Part, book: Book) -> Iterator[str]:
    """Yield a line on weapons and range; nothing for further targets."""
    given = part.inputs
    if not (given.get("beside") or given.get("past")):
        named = zip(given.get("names") or given["tokens"], given["tokens"], strict=True)
        modes = [(name, find_mode(book, find_weapon(book, token), given.get("mode"))) for name, token in named]
        used = " and ".join(f"{name}, {mode.label.lower()}" for name, mode in modes)
        plan = plan_attack(part, book)
        aimed = ", aimed" if plan.strike.aimed and plan.strike.alone else ""
        yield f"{used}, {given['range_m']:g} m{aimed}"


def _check_sizes(part: Part, book: Book, wielded: Sequence[str]) -> None:
    step, order = find_size_step(part, book), list_sizes(book)
    classes = [size.id for size in book.entries_of(Size).values()]
    size = next((item for item in classes if f"{ACTOR}.size.{item}" in part.facts), classes[len(classes) // 2])
    holding = [fact in part.facts for fact in HOLDS]
    wielder = classes[0] if holding[1] else size
    if len(wielded) > 1 and not may_dual_wield(book, wielder, wielded, step):
        most = book.entries_of(Size)[wielder].dual_wields
        why = "someone keeping a hold" if holding[1] else f"someone of the {size} size class"
        raise RollError(f"For {why}, two weapons at once must be {most} at most.")
    if any(holding) and max(map(order.index, wielded)) + step > classes.index(size):
        raise RollError("In a hold, you can't use a weapon larger than your character.")


def _explode_fuel(
    record: JsonObject, part: Part, plan: AttackPlan, book: Book, dice: Dice
) -> tuple[list[Step | Throw], list[Change]]:
    marks = characters.read_marks(part, RESISTER)
    if not (plan.hp and record["wounded"] and any(characters.is_in_hand(marks, name) for name in plan.inputs.fuel)):
        return [], []
    step = throw_check(FUEL, part, book, dice)
    if step.row.outcome != "failure":
        return [step], []
    fell = dice.roll(DiceTerm(1, book.number("fuel-sides")))
    across = book.number("fuel-diameter-m")
    text = f"{fell.total} explosive damage to everyone within {across} m across who fails to dodge"
    user = characters.find_fighter(part, ACTOR)
    burning: list[Change] = []
    if user is not None:  # it is due at once, for everyone near
        charge = Charge(f"Fuel of {part.subjects[RESISTER]}", more=fell.total, bare=True)
        burning.append((SCENE, find_free_name(part.kept, FUSE), Fuse(charge, user["id"], AT_ONCE).value()))
    return [step, Throw("Fuel", text, (fell,), _PAGE, step.row.line)], burning


def _list_owed(changes: Sequence[Change], plan: AttackPlan) -> Iterator[Throw]:
    for _, _, value in changes:
        states = [(name, characters.read_readiness(value["marks"], name)) for name, _ in plan.arms_by_name]
        owed = [
            f"{name}: {f'reload ({state.reload} Actions)' if state.reload > 1 else _OWED[state.owes]}"
            for name, state in states
            if state.owes
        ]
        if owed:
            yield Throw("Not ready", "; ".join(owed))


def list_aftereffects(
    record: JsonObject, part: Part, plan: AttackPlan, book: Book, *, seen: bool = False
) -> Iterator[Consequence]:
    """Yield who is seen, and what the attacker's trait and aim cost, once for all targets."""
    yield from hiding.expose(part, RESISTER)
    if plan.inputs.beside or plan.inputs.past:
        return
    trait = book.entries_of(WeaponTrait).get(record["trait"] or "")
    if trait is not None and trait.bearer and trait.effect:
        yield from apply_lasting(book, part, ACTOR, trait.effect)
    if any(f"{ACTOR}.{spent}" in part.facts for spent in ("aimed", "set-up")):
        yield Consequence("spend-aim", ACTOR)
    far = find_band(book, plan.inputs.range_m) == [*book.entries_of(Band).values()][-1]
    if seen or not (far and all(arm.weapon.type.sniper for arm in plan.arms)):  # far snipers stay hidden (line 353)
        yield from hiding.expose(part, ACTOR)


PROCEDURE = make_wounding("roe.assault", "Attack", "{actor} attacks {resister}", AssaultMethod(), attacks.share_dice)
