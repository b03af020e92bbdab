"""Flights and calls in play: one die against which everybody who interrupts attacks once, and what follows of it (lines 135 to 149)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from operator import mul

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import AttackPlan, plan_attack
from rules.books.roe.assault import Assault, list_aftereffects, list_attack_noises, spend_weapons
from rules.books.roe.attacks import AttackRoll, list_damage_dice, settle_damage
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.characters import find_fighter, mark_fighter, read_marks, restart_reloads
from rules.books.roe.contests import BY_WINNER, DICE, stage_with_dice
from rules.books.roe.damage import LOST, find_critical, find_critical_cost, find_losses, make_modifier
from rules.books.roe.fights import ACTIONS, FLIGHTS, MOVEMENTS, UNREAD
from rules.books.roe.flights import (
    BESIDE,
    CALL,
    CHANNEL,
    COMLINK,
    COMLINK_M,
    FLEE,
    RECIPIENTS,
    STOPPED,
    STRIKE,
    Flight,
    check_call,
    check_comlink,
    check_flight,
    find_comlink,
)
from rules.books.roe.hiding import NOISE, shout
from rules.books.roe.turns import make_wounding
from rules.books.roe.wounds import (
    HEALTH,
    describe_harm,
    full_hp,
    list_injuries,
    show_damage,
    throw_saving_roll,
    with_hp,
)
from rules.dice import SHARED, Dice
from rules.effects import EFFECT, Change
from rules.errors import RollError
from rules.kinds import PrintedNumber
from rules.modifiers import WeighedModifier
from rules.odds import table_odds
from rules.procedure import (
    Chance,
    Conclusion,
    MethodResult,
    Part,
    Stage,
    Throw,
    WeighedStage,
)
from rules.scenes import MEMBER
from rules.stages import TableMethod, roll_stage, weigh_stage, with_modifiers
from rules.tables import Consequence, RollTable, Source

_HOLDS = f"{RESISTER}.holding.other"
_COM = f"{ACTOR}.com-gone"
_OTHER = {ACTOR: RESISTER, RESISTER: ACTOR}
_ROLLED = "rolled"
_HALTED = Throw("Halted", "up to half the movement is left", (), Source("roe-7th-edition-dice", "Fleeing"), 137)


class _InterruptShot(AttackRoll, frozen=True):
    """The one attack of whoever interrupts; the dodge is the die of whoever flees or calls."""

    @property
    def hit(self) -> bool:
        return self.accuracy.row.outcome == RESISTER

    @property
    def critical(self) -> bool:
        return self.hit and self.accuracy.natural


class _InterruptedMethod(TableMethod, frozen=True):
    """The method of what can be interrupted: the actor's die, thrown once, against an attack of each who does.

    A part without a resister is one that nobody interrupts, and needs no die. One that `hurts` is a flight: a hit does its
    damage; of a call it takes the com.
    """

    hurts: bool = False
    away: str = ""
    """What it comes to when nobody interrupts."""
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, NOISE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:
        if find_fighter(part, ACTOR) is None:
            raise RollError(f"{part.subjects[ACTOR]} isn't in a fight.")
        marks, given = read_marks(part, ACTOR), part.inputs
        if self.hurts:
            beside, left = bool(given.get(BESIDE)), (marks.get(MOVEMENTS, 0), marks.get(ACTIONS, 0))
            check_flight(book, part.facts, Flight(marks.get(FLIGHTS, 0), left[0] < 1, left[1], beside))
            full_hp(part, ACTOR)
        elif COMLINK in given:
            find_comlink(book, given[COMLINK])
            check_comlink(book, given.get(COMLINK_M, 0))
        else:
            asked = {"recipients": given.get(RECIPIENTS, 1), "channel": given.get(CHANNEL)}
            check_call(book, com_destroyed=_COM in part.facts, **asked)
        if _is_interrupted(part):
            against, plan = self._turn_around(part, book)
            _ = [*spend_weapons(plan, against)]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        tried = tuple(self._note_try(part))
        if not _is_interrupted(part):
            return MethodResult((), self._conclude_alone(part, book), {STOPPED: False}, tried)
        against, plan = self._turn_around(part, book)
        first, tables = self._weigh_first(part, plan, book), part.inputs.get(SHARED, {})
        dodge = roll_stage(first, dice, tables.get(first.stage.table.id, ()))
        accuracy = roll_stage(self._weigh_second(first, part, plan, book, (dodge.row.outcome, dodge.total)), dice)
        shot, came = _InterruptShot(0, plan.aims[0], accuracy, dodge, 0), BY_WINNER(part, [accuracy.row])
        heard, noise = shout(part, book, part.subjects[RESISTER], list_attack_noises(plan))
        changes, costs = (*tried, *spend_weapons(plan, against), *noise), Consequence("lose-action", RESISTER)
        if not (shot.hit and self.hurts):
            told = replace(came, consequences=(costs, *_list_unhurt(shot, against, plan, book)))
            return MethodResult((dodge, accuracy, *heard), told, {STOPPED: shot.hit}, changes)
        struck = _strike(shot, against, plan, book, dice)
        befalls = (costs, *struck.conclusion.consequences)
        conclusion = replace(came, text=f"{came.text}: {struck.conclusion.text}", consequences=befalls)
        record = {**struck.record, STOPPED: True}
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
        under = [_find_outcomes(second(fallen)) for fallen in _list_faces(first)]
        ways = [*first.stage.table.die.ways().values()]
        return tuple(
            Chance(BY_WINNER(part, [row]), Fraction(sum(map(mul, chances, ways))) / sum(ways), chances)
            for row in rows
            if any(chances := tuple(each.get(row.outcome, Fraction(0)) for each in under))
        )

    def _conclude_alone(self, part: Part, book: Book) -> Conclusion:
        called = part.inputs.get(COMLINK)
        text = f"Got through on a public comlink: {find_comlink(book, called).label}" if called else self.away
        return Conclusion(ACTOR, text, "success", "results")

    def _note_try(self, part: Part) -> Iterator[Change]:
        """Yield that a flight was tried, which counts however it ends."""
        if self.hurts:
            marks = restart_reloads(read_marks(part, ACTOR))
            yield from mark_fighter(part, ACTOR, {**marks, FLIGHTS: marks.get(FLIGHTS, 0) + 1})

    def _turn_around(self, part: Part, book: Book) -> tuple[Part, AttackPlan]:
        """Return the attack on whoever flees or calls, as a part in which whoever interrupts is the actor, and its plan."""
        facts = {_turn(fact): known for fact, known in part.facts.items()}
        subjects = {_OTHER.get(role, role): name for role, name in part.subjects.items()}
        hp = {} if self.hurts else {"hp": 0}  # nobody's count where none are lost
        inputs = {"strength": True, **hp, **part.inputs[STRIKE]}
        swapped = replace(part, subjects=subjects, facts=facts, marks={}, adjustments=(), inputs=inputs)
        return swapped, plan_attack(swapped, book)

    def _weigh_first(self, part: Part, plan: AttackPlan, book: Book) -> WeighedStage:
        """Return the die of whoever flees or calls, and behind it that of the attack, as it is thrown with its weapon."""
        arm = plan.aims[0].arm
        dice = {self.tables[1]: {"sides": arm.sides, "can_crit": arm.can_crit}}
        stage = stage_with_dice(self, replace(part, inputs={**part.inputs, DICE: dice}), book)
        return weigh_stage(stage, part, first=True)

    def _weigh_second(
        self, first: WeighedStage, part: Part, plan: AttackPlan, book: Book, fallen: tuple[str, int | None]
    ) -> WeighedStage:
        """Return the attack against what fell first (outcome and total): what counts on one with the weapon, or a holder's one number (line 426)."""
        outcome, total = fallen
        stage = first.stage.then[outcome]
        if total is not None:
            stage = Stage(stage.table, stage.reading, stage.then, total)
        facts, more = part.facts, [*_with_weapon(stage.table, plan)]
        if _HOLDS in facts:
            holding = book.listed(PrintedNumber)["hold-interrupt"]
            facts = {fact: known for fact, known in facts.items() if not fact.startswith(f"{RESISTER}.")}
            more = [make_modifier(holding.id, holding.value, "Is holding the other", holding.line)]
        return with_modifiers(weigh_stage(stage, replace(part, facts=facts), first=False), more)


def _is_interrupted(part: Part) -> bool:
    return RESISTER in part.subjects and STRIKE in part.inputs


def _turn(name: str) -> str:
    """Return a fact or modifier with the other role in it."""
    role, dot, rest = name.partition(".")
    return f"{_OTHER.get(role, role)}{dot}{rest}"


def _with_weapon(table: RollTable, plan: AttackPlan) -> Iterator[WeighedModifier]:
    """Yield what counts on an attack with a weapon beside what the table of interrupts has printed."""
    printed = {_turn(item.id) for item in table.modifiers}
    yield from (item for item in plan.aims[0].accuracy.modifiers if item.count and item.modifier.id not in printed)


def _list_faces(first: WeighedStage) -> Iterator[tuple[str, int]]:
    """Yield outcome and total of each face of the die that is thrown first."""
    table = first.stage.table
    for face in table.die.ways():
        total, score = table.score(face, first.sum, None)
        yield table.read(face, score, first.stage.reading)[0].outcome, total


def _find_outcomes(weighed: WeighedStage) -> Mapping[str, Fraction]:
    stage = weighed.stage
    return table_odds(stage.table, weighed.sum, stage.reading, stage.number)


def _list_unhurt(shot: AttackRoll, part: Part, plan: AttackPlan, book: Book) -> Iterator[Consequence]:
    """Yield what follows where nobody is hurt: a com that is hit, a critical failure against it, and what any attack ends of its maker's."""
    if shot.hit:
        yield Consequence("lose-com", ACTOR)
    for step in shot.steps[1:]:
        lost = find_losses("none", find_critical(step), find_critical_cost(book, part.facts))[1]
        yield from [Consequence(LOST[lost], ACTOR)] if lost in LOST else []
    yield from _turn_back(list_aftereffects({"trait": None}, Assault(part), plan, book))


def _turn_back(befalls: Iterable[Consequence]) -> tuple[Consequence, ...]:
    """Return what befalls by an attack, with the roles of the flight again."""
    return tuple(replace(item, to=_OTHER.get(item.to or "", item.to)) for item in befalls)


def _strike(shot: AttackRoll, part: Part, plan: AttackPlan, book: Book, dice: Dice) -> MethodResult:
    """Throw the damage of one hit, save whoever is in need, and tell what follows; the roles are those of the flight again."""
    rolls = [dice.roll(term) for term in list_damage_dice(plan, [shot])]
    done, record = settle_damage(plan, part, book, [shot], [roll.total for roll in rolls])
    saved = throw_saving_roll(record, part, book, dice)
    befalls = [*list_injuries(record, part, book, saved), *list_aftereffects(record, Assault(part), plan, book)]
    turned = _turn_back(befalls)
    text = describe_harm(done.damage, down=record["wounded"] and plan.hp > 0)
    conclusion = Conclusion(RESISTER, text, "failure", "results", turned)
    changes = (with_hp(part, RESISTER, record["hp"]),)
    halted = () if record["wounded"] else (_HALTED,)
    return MethodResult(
        (*show_damage(plan.hp, rolls, done, bonuses=plan.counted_from([shot.place])), *saved, *halted),
        conclusion,
        record,
        changes,
    )


_FLIGHT, _CALL = (
    _InterruptedMethod(base.tables, BY_WINNER, base.plan, shares=base.shares, hurts=base is FLEE, away=away)
    for base, away in ((FLEE, "Got away: no one interrupts"), (CALL, "Got through: no one interrupts"))
)
PROCEDURES = (
    make_wounding("roe.flight", "Flee", "{actor} flees, and {resister} interrupts", _FLIGHT),
    make_wounding("roe.com", "Com post", "{actor} calls over the com, and {resister} interrupts", _CALL),
)
