"""Attacks in play, and flights and calls that attacks interrupt (lines 82 to 108, 135 to 149, 168 to 178, 345 to 364)."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from operator import mul

from msgspec.structs import replace

from rules import effects, errors, kinds, modifiers, scenes, subjects
from rules.book import Book
from rules.books.roe import aim, attack_odds, attacks, characters, damage, fights, hiding, turns, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, Band, Size, WeaponTrait
from rules.books.roe.contests import BY_WINNER, DICE, stage_with_dice
from rules.books.roe.explosives import AT_ONCE, FUSE, Charge, Fuse, find_free_name
from rules.books.roe.weapons import find_band, find_mode, find_weapon, list_sizes, may_dual_wield
from rules.dice import SHARED, Dice, DiceTerm
from rules.odds import table_odds
from rules.procedure import Chance, Conclusion, MethodResult, Part, Step, Throw, WeighedStage
from rules.stages import TableMethod, roll_stage, weigh_stage, with_modifiers
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

    tables: tuple[str, ...] = (*attacks.ATTACK_TABLES, *hiding.SNEAK, wounds.SAVING, FUEL)
    keeps: tuple[str, ...] = (wounds.HEALTH, scenes.MEMBER, effects.EFFECT, hiding.NOISE, FUSE)
    skips: tuple[str, ...] = fights.UNREAD

    def ready(self, part: Part, book: Book) -> tuple[Part, Book]:
        """Set the input `aimed` if the actor aimed at the target (line 346)."""
        strength = part.inputs.get("strength", True)
        return _with_inputs(part, aimed=f"{ACTOR}.aimed.other" in part.facts, strength=strength), book

    def check(self, part: Part, book: Book) -> None:
        """Refuse weapons that don't reach, aren't ready or are too large, and unprepared sneak attacks."""
        part, book = self.ready(part, book)
        plan = aim.plan_attack(part, book)
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
        plan = aim.plan_attack(part, book)
        struck = self.strike(plan, part, book, dice)
        record = struck.record
        saved = wounds.throw_saving_roll(record, part, book, dice)
        # The attacker pays for criticals once, however many are hit.
        paid = {"actor_loses": "nothing"} if plan.inputs.beside or plan.inputs.past else {}
        injuries = wounds.list_injuries({**record, **paid}, part, book, saved)
        changes = [*spend_weapons(plan, part)]
        fuel, burning = _explode_fuel(record, part, plan, book, dice)
        after = (*saved, *fuel, *_list_owed(changes, plan))
        if record["damage"]:
            changes.append(wounds.with_hp(part, RESISTER, record["hp"]))
        noises = hiding.list_noises((arm.kind for arm in plan.arms), plan.inputs.silenced)
        heard, noise = hiding.shout(part, book, part.subjects[ACTOR], noises)
        text = struck.conclusion.text if record["hits"] else "Nothing gets past the target"
        if any(record["hits"]):
            text = f"{text}: {wounds.describe_harm(record['damage'], down=record['wounded'] and plan.hp > 0)}"
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
        used = (f"With {text}" for text in describe_weapons(ready, own))
        return [*used, *characters.describe_weather(own, ready), *chances]

    def forecast(self, part: Part, book: Book) -> attack_odds.AttackOdds:
        """Return the exact chances; a sneak attack mixes seen and unseen."""
        part, book = self.ready(part, book)
        odds = attack_odds.find_odds(aim.plan_attack(part, book), book)
        if not part.inputs.get("sneak"):
            return odds
        plain = attack_odds.find_odds(aim.plan_attack(_with_inputs(part, sneak=False), book), book)
        return odds.mix(plain, hiding.find_stealth_chance(part, book))


def _with_inputs(part: Part, **more: object) -> Part:
    return replace(part, inputs={**part.inputs, **more})


def spend_weapons(plan: aim.AttackPlan, part: Part) -> Iterator[effects.Change]:
    """Yield the attacker's changed marks, in a fight; refuse weapons that aren't ready."""
    if characters.find_fighter(part, ACTOR) is not None:
        armed = [(name, arm.weapon, arm.mode) for name, arm in plan.arms_by_name]
        marks = characters.use_weapons(characters.read_marks(part, ACTOR), armed)
        far = max(1, round(plan.inputs.range_m))
        marks |= {fights.LYING + subjects.word_id(name): far for name, arm in plan.arms_by_name if arm.mode.thrown}
        yield from characters.mark_fighter(part, ACTOR, marks)


def describe_weapons(part: Part, book: Book) -> Iterator[str]:
    """Yield a line on weapons and range; nothing for further targets."""
    given = part.inputs
    if not (given.get("beside") or given.get("past")):
        named = zip(given.get("names") or given["tokens"], given["tokens"], strict=True)
        modes = [(name, find_mode(book, find_weapon(book, token), given.get("mode"))) for name, token in named]
        used = " and ".join(f"{name}, {mode.label.lower()}" for name, mode in modes)
        plan = aim.plan_attack(part, book)
        aimed = ", aimed" if plan.strike.aimed and plan.strike.alone else ""
        yield f"{used}, {given['range_m']:g} m{aimed}"


def _check_sizes(part: Part, book: Book, wielded: Sequence[str]) -> None:
    step, order = aim.find_size_step(part, book), list_sizes(book)
    classes = [size.id for size in book.entries_of(Size).values()]
    size = next((item for item in classes if f"{ACTOR}.size.{item}" in part.facts), classes[len(classes) // 2])
    holding = [fact in part.facts for fact in HOLDS]
    wielder = classes[0] if holding[1] else size
    if len(wielded) > 1 and not may_dual_wield(book, wielder, wielded, step):
        most = book.entries_of(Size)[wielder].dual_wields
        why = "someone keeping a hold" if holding[1] else f"someone of the {size} size class"
        raise errors.RollError(f"For {why}, two weapons at once must be {most} at most.")
    if any(holding) and max(map(order.index, wielded)) + step > classes.index(size):
        raise errors.RollError("In a hold, you can't use a weapon larger than your character.")


def _explode_fuel(
    record: modifiers.JsonObject, part: Part, plan: aim.AttackPlan, book: Book, dice: Dice
) -> tuple[list[Step | Throw], list[effects.Change]]:
    marks = characters.read_marks(part, RESISTER)
    if not (plan.hp and record["wounded"] and any(characters.is_in_hand(marks, name) for name in plan.inputs.fuel)):
        return [], []
    step = wounds.throw_check(FUEL, part, book, dice)
    if step.row.outcome != "failure":
        return [step], []
    fell = dice.roll(DiceTerm(1, book.number("fuel-sides")))
    across = book.number("fuel-diameter-m")
    text = f"{fell.total} explosive damage to everyone within {across} m across who fails to dodge"
    user = characters.find_fighter(part, ACTOR)
    burning: list[effects.Change] = []
    if user is not None:  # it is due at once, for everyone near
        charge = Charge(f"Fuel of {part.subjects[RESISTER]}", more=fell.total, bare=True)
        burning.append((effects.SCENE, find_free_name(part.kept, FUSE), Fuse(charge, user["id"], AT_ONCE).value()))
    return [step, Throw("Fuel", text, (fell,), _PAGE, step.row.line)], burning


def _list_owed(changes: Sequence[effects.Change], plan: aim.AttackPlan) -> Iterator[Throw]:
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
    record: modifiers.JsonObject, part: Part, plan: aim.AttackPlan, book: Book, *, seen: bool = False
) -> Iterator[Consequence]:
    """Yield who is seen, and what the attacker's trait and aim cost, once for all targets."""
    yield from hiding.expose(part, RESISTER)
    if plan.inputs.beside or plan.inputs.past:
        return
    trait = book.entries_of(WeaponTrait).get(record["trait"] or "")
    if trait is not None and trait.bearer and trait.effect:
        yield from turns.apply_lasting(book, part, ACTOR, trait.effect)
    if any(f"{ACTOR}.{spent}" in part.facts for spent in ("aimed", "set-up")):
        yield Consequence("spend-aim", ACTOR)
    far = find_band(book, plan.inputs.range_m) == [*book.entries_of(Band).values()][-1]
    if seen or not (far and all(arm.weapon.type.sniper for arm in plan.arms)):  # far snipers stay hidden (line 353)
        yield from hiding.expose(part, ACTOR)


_HOLDS = f"{RESISTER}.holding.other"
_COM = f"{ACTOR}.com-gone"
_OTHER = {ACTOR: RESISTER, RESISTER: ACTOR}
_ROLLED = "rolled"
_HALTED = Throw("Halted", "up to half the movement is left", (), Source("roe-7th-edition-dice", "Fleeing"), 137)


class _InterruptShot(attacks.AttackRoll, frozen=True):
    """An interrupter's attack; the dodge is the die of the flight or call."""

    @property
    def hit(self) -> bool:
        return self.accuracy.row.outcome == RESISTER

    @property
    def critical(self) -> bool:
        return self.hit and self.accuracy.natural


class _InterruptedMethod(TableMethod, frozen=True):
    """What can be interrupted: the actor's die, thrown once, against each interrupter's attack. Without a resister it needs no die."""

    hurts: bool = False
    away: str = ""
    keeps: tuple[str, ...] = (wounds.HEALTH, scenes.MEMBER, effects.EFFECT, hiding.NOISE)
    skips: tuple[str, ...] = fights.UNREAD

    def check(self, part: Part, book: Book) -> None:
        if characters.find_fighter(part, ACTOR) is None:
            raise errors.RollError(f"{part.subjects[ACTOR]} isn't in a fight.")
        marks, given = characters.read_marks(part, ACTOR), part.inputs
        if self.hurts:
            whole = marks.get(fights.MOVEMENTS, 0) > 0 and marks.get(fights.ACTIONS, 0) > 0
            non_splicers = bool(given.get(hiding.BESIDE))
            tried = marks.get(fights.FLIGHTS, 0)
            hiding.check_flight(book, part.facts, tried, whole_turn=whole, non_splicers=non_splicers)
            wounds.full_hp(part, ACTOR)
        elif hiding.COMLINK in given:
            hiding.find_comlink(book, given[hiding.COMLINK])
            hiding.check_comlink(book, given.get(hiding.COMLINK_M, 0))
        else:
            recipients, channel = given.get(hiding.RECIPIENTS, 1), given.get(hiding.CHANNEL)
            hiding.check_call(book, com_destroyed=_COM in part.facts, recipients=recipients, channel=channel)
        if _is_interrupted(part):
            against, plan = self._turn_around(part, book)
            _ = [*spend_weapons(plan, against)]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        marks = characters.restart_reloads(characters.read_marks(part, ACTOR))
        marks[fights.FLIGHTS] = marks.get(fights.FLIGHTS, 0) + 1  # a try counts, even if no one interrupts
        tried = tuple(characters.mark_fighter(part, ACTOR, marks)) if self.hurts else ()
        if not _is_interrupted(part):
            return MethodResult((), self._conclude_alone(part, book), {hiding.STOPPED: False}, tried)
        against, plan = self._turn_around(part, book)
        first, tables = self._weigh_first(part, plan, book), part.inputs.get(SHARED, {})
        dodge = roll_stage(first, dice, tables.get(first.stage.table.id, ()))
        accuracy = roll_stage(self._weigh_second(first, part, plan, book, (dodge.row.outcome, dodge.total)), dice)
        shot, winner = _InterruptShot(0, plan.aims[0], accuracy, dodge, 0), BY_WINNER(part, [accuracy.row])
        noises = hiding.list_noises((arm.kind for arm in plan.arms), plan.inputs.silenced)
        heard, noise = hiding.shout(part, book, part.subjects[RESISTER], noises)
        changes, costs = (*tried, *spend_weapons(plan, against), *noise), Consequence("lose-action", RESISTER)
        if not (shot.hit and self.hurts):
            conclusion = replace(winner, consequences=(costs, *_list_unhurt(shot, against, plan, book)))
            return MethodResult((dodge, accuracy, *heard), conclusion, {hiding.STOPPED: shot.hit}, changes)
        struck = _strike_back(shot, against, plan, book, dice)
        follows = (costs, *struck.conclusion.consequences)
        conclusion = replace(winner, text=f"{winner.text}: {struck.conclusion.text}", consequences=follows)
        record = {**struck.record, hiding.STOPPED: True}
        return MethodResult((dodge, accuracy, *struck.steps, *heard), conclusion, record, (*changes, *struck.changes))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        if not _is_interrupted(part):
            return ()
        plan = self._turn_around(part, book)[1]
        first = self._weigh_first(part, plan, book)
        return first, self._weigh_second(first, part, plan, book, (_ROLLED, None))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        if not _is_interrupted(part):
            return (Chance(self._conclude_alone(part, book), Fraction(1)),)
        plan = self._turn_around(part, book)[1]
        first = self._weigh_first(part, plan, book)
        second = partial(self._weigh_second, first, part, plan, book)
        rows = book.table(self.tables[1]).rows
        against = [second(fallen) for fallen in _list_faces(first)]
        under = [table_odds(it.stage.table, it.sum, it.stage.reading, it.stage.number) for it in against]
        ways = [*first.stage.table.die.ways().values()]
        return tuple(
            Chance(BY_WINNER(part, [row]), Fraction(sum(map(mul, chances, ways))) / sum(ways), chances)
            for row in rows
            if any(chances := tuple(each.get(row.outcome, Fraction(0)) for each in under))
        )

    def _conclude_alone(self, part: Part, book: Book) -> Conclusion:
        comlink = part.inputs.get(hiding.COMLINK)
        text = f"Got through on a public comlink: {hiding.find_comlink(book, comlink).label}" if comlink else self.away
        return Conclusion(ACTOR, text, "success", "results")

    def _turn_around(self, part: Part, book: Book) -> tuple[Part, aim.AttackPlan]:
        facts = {_turn(fact): known for fact, known in part.facts.items()}
        subjects = {_OTHER.get(role, role): name for role, name in part.subjects.items()}
        hp = {} if self.hurts else {"hp": 0}  # a call costs no HP
        inputs = {"strength": True, **hp, **part.inputs[hiding.STRIKE]}
        turned = replace(part, subjects=subjects, facts=facts, marks={}, adjustments=(), inputs=inputs)
        return turned, aim.plan_attack(turned, book)

    def _weigh_first(self, part: Part, plan: aim.AttackPlan, book: Book) -> WeighedStage:
        arm = plan.aims[0].arm
        dice = {self.tables[1]: {"sides": arm.sides, "can_crit": arm.can_crit}}
        stage = stage_with_dice(self, replace(part, inputs={**part.inputs, DICE: dice}), book)
        return weigh_stage(stage, part, first=True)

    def _weigh_second(
        self, first: WeighedStage, part: Part, plan: aim.AttackPlan, book: Book, fallen: tuple[str, int | None]
    ) -> WeighedStage:
        outcome, total = fallen
        stage = first.stage.then[outcome]
        if total is not None:
            stage = replace(stage, value=total, opposes=False)
        facts, printed = part.facts, {_turn(item.id) for item in stage.table.modifiers}
        weapon = plan.aims[0].accuracy.modifiers
        more = [item for item in weapon if item.count and item.modifier.id not in printed]
        if _HOLDS in facts:
            holding = book.entries_of(kinds.PrintedNumber)["hold-interrupt"]
            facts = {fact: known for fact, known in facts.items() if not fact.startswith(f"{RESISTER}.")}
            more = [damage.make_modifier(holding.id, holding.value, "Is holding the other", holding.line)]
        return with_modifiers(weigh_stage(stage, replace(part, facts=facts), first=False), more)


def _is_interrupted(part: Part) -> bool:
    return RESISTER in part.subjects and hiding.STRIKE in part.inputs


def _turn(name: str) -> str:
    role, dot, rest = name.partition(".")
    return f"{_OTHER.get(role, role)}{dot}{rest}"


def _list_faces(first: WeighedStage) -> Iterator[tuple[str, int]]:
    table = first.stage.table
    for face in table.die.ways():
        total, score = table.score(face, first.sum, None)
        yield table.read(face, score, first.stage.reading)[0].outcome, total


def _list_unhurt(shot: attacks.AttackRoll, part: Part, plan: aim.AttackPlan, book: Book) -> Iterator[Consequence]:
    if shot.hit:
        yield Consequence("lose-com", ACTOR)
    for step in shot.steps[1:]:
        lost = damage.find_losses("none", damage.find_critical(step), damage.find_critical_cost(book, part.facts))[1]
        yield from [Consequence(damage.LOST[lost], ACTOR)] if lost in damage.LOST else []
    yield from _turn_back(list_aftereffects({"trait": None}, part, plan, book))


def _turn_back(follows: Iterable[Consequence]) -> tuple[Consequence, ...]:
    return tuple(replace(item, to=_OTHER.get(item.to or "", item.to)) for item in follows)


def _strike_back(shot: attacks.AttackRoll, part: Part, plan: aim.AttackPlan, book: Book, dice: Dice) -> MethodResult:
    rolls = [dice.roll(term) for term in attacks.list_damage_dice(plan, [shot])]
    done, record = attacks.settle_damage(plan, part, book, [shot], [roll.total for roll in rolls])
    saved = wounds.throw_saving_roll(record, part, book, dice)
    follows = [*wounds.list_injuries(record, part, book, saved), *list_aftereffects(record, part, plan, book)]
    text = wounds.describe_harm(done.damage, down=record["wounded"] and plan.hp > 0)
    conclusion = Conclusion(RESISTER, text, "failure", "results", _turn_back(follows))
    shown = wounds.show_damage(plan.hp, rolls, done, bonuses=plan.list_bonuses([shot.place]))
    steps = (*shown, *saved, *(() if record["wounded"] else (_HALTED,)))
    return MethodResult(steps, conclusion, record, (wounds.with_hp(part, RESISTER, record["hp"]),))


_FLIGHT, _CALL = (
    _InterruptedMethod(base.tables, BY_WINNER, base.plan, shares=base.shares, hurts=base is hiding.FLEE, away=away)
    for base, away in ((hiding.FLEE, "Got away: no one interrupts"), (hiding.CALL, "Got through: no one interrupts"))
)
PROCEDURES = (
    turns.make_wounding("roe.flight", "Flee", "{actor} flees, and {resister} interrupts", _FLIGHT),
    turns.make_wounding("roe.com", "Com post", "{actor} calls over the com, and {resister} interrupts", _CALL),
    attacks.PROCEDURE,
    turns.make_wounding("roe.assault", "Attack", "{actor} attacks {resister}", AssaultMethod(), attacks.share_dice),
)
