"""Flights and calls in play: one die, and one attack by each interrupter (lines 135 to 149)."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from operator import mul

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe import flights, wounds
from rules.books.roe.aim import AttackPlan, plan_attack
from rules.books.roe.assault import list_aftereffects, spend_weapons
from rules.books.roe.attacks import AttackRoll, list_damage_dice, settle_damage
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.characters import find_fighter, mark_fighter, read_marks, restart_reloads
from rules.books.roe.contests import BY_WINNER, DICE, stage_with_dice
from rules.books.roe.damage import LOST, find_critical, find_critical_cost, find_losses, make_modifier
from rules.books.roe.fights import ACTIONS, FLIGHTS, MOVEMENTS, UNREAD
from rules.books.roe.hiding import NOISE, list_noises, shout
from rules.books.roe.turns import make_wounding
from rules.dice import SHARED, Dice
from rules.effects import EFFECT
from rules.errors import RollError
from rules.kinds import PrintedNumber
from rules.odds import table_odds
from rules.procedure import Chance, Conclusion, MethodResult, Part, Throw, WeighedStage
from rules.scenes import MEMBER
from rules.stages import TableMethod, roll_stage, weigh_stage, with_modifiers
from rules.tables import Consequence, Source

_HOLDS = f"{RESISTER}.holding.other"
_COM = f"{ACTOR}.com-gone"
_OTHER = {ACTOR: RESISTER, RESISTER: ACTOR}
_ROLLED = "rolled"
_HALTED = Throw("Halted", "up to half the movement is left", (), Source("roe-7th-edition-dice", "Fleeing"), 137)


class _InterruptShot(AttackRoll, frozen=True):
    """An interrupter's attack; the dodge is the die of the flight or call."""

    @property
    def hit(self) -> bool:
        return self.accuracy.row.outcome == RESISTER

    @property
    def critical(self) -> bool:
        return self.hit and self.accuracy.natural


class _InterruptedMethod(TableMethod, frozen=True):
    """What can be interrupted: the actor's die, thrown once, against each interrupter's attack.

    Without a resister it needs no die. In a flight a hit `hurts`; in a call it takes the com.
    """

    hurts: bool = False
    away: str = ""
    keeps: tuple[str, ...] = (wounds.HEALTH, MEMBER, EFFECT, NOISE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:
        if find_fighter(part, ACTOR) is None:
            raise RollError(f"{part.subjects[ACTOR]} isn't in a fight.")
        marks, given = read_marks(part, ACTOR), part.inputs
        if self.hurts:
            whole = marks.get(MOVEMENTS, 0) > 0 and marks.get(ACTIONS, 0) > 0
            non_splicers = bool(given.get(flights.BESIDE))
            flights.check_flight(book, part.facts, marks.get(FLIGHTS, 0), whole_turn=whole, non_splicers=non_splicers)
            wounds.full_hp(part, ACTOR)
        elif flights.COMLINK in given:
            flights.find_comlink(book, given[flights.COMLINK])
            flights.check_comlink(book, given.get(flights.COMLINK_M, 0))
        else:
            recipients, channel = given.get(flights.RECIPIENTS, 1), given.get(flights.CHANNEL)
            flights.check_call(book, com_destroyed=_COM in part.facts, recipients=recipients, channel=channel)
        if _is_interrupted(part):
            against, plan = self._turn_around(part, book)
            _ = [*spend_weapons(plan, against)]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        marks = restart_reloads(read_marks(part, ACTOR))
        marks[FLIGHTS] = marks.get(FLIGHTS, 0) + 1  # a try counts, even if no one interrupts
        tried = tuple(mark_fighter(part, ACTOR, marks)) if self.hurts else ()
        if not _is_interrupted(part):
            return MethodResult((), self._conclude_alone(part, book), {flights.STOPPED: False}, tried)
        against, plan = self._turn_around(part, book)
        first, tables = self._weigh_first(part, plan, book), part.inputs.get(SHARED, {})
        dodge = roll_stage(first, dice, tables.get(first.stage.table.id, ()))
        accuracy = roll_stage(self._weigh_second(first, part, plan, book, (dodge.row.outcome, dodge.total)), dice)
        shot, winner = _InterruptShot(0, plan.aims[0], accuracy, dodge, 0), BY_WINNER(part, [accuracy.row])
        noises = list_noises((arm.kind for arm in plan.arms), plan.inputs.silenced)
        heard, noise = shout(part, book, part.subjects[RESISTER], noises)
        changes, costs = (*tried, *spend_weapons(plan, against), *noise), Consequence("lose-action", RESISTER)
        if not (shot.hit and self.hurts):
            conclusion = replace(winner, consequences=(costs, *_list_unhurt(shot, against, plan, book)))
            return MethodResult((dodge, accuracy, *heard), conclusion, {flights.STOPPED: shot.hit}, changes)
        struck = _strike(shot, against, plan, book, dice)
        follows = (costs, *struck.conclusion.consequences)
        conclusion = replace(winner, text=f"{winner.text}: {struck.conclusion.text}", consequences=follows)
        record = {**struck.record, flights.STOPPED: True}
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
        attacks = [second(fallen) for fallen in _list_faces(first)]
        under = [table_odds(it.stage.table, it.sum, it.stage.reading, it.stage.number) for it in attacks]
        ways = [*first.stage.table.die.ways().values()]
        return tuple(
            Chance(BY_WINNER(part, [row]), Fraction(sum(map(mul, chances, ways))) / sum(ways), chances)
            for row in rows
            if any(chances := tuple(each.get(row.outcome, Fraction(0)) for each in under))
        )

    def _conclude_alone(self, part: Part, book: Book) -> Conclusion:
        comlink = part.inputs.get(flights.COMLINK)
        text = f"Got through on a public comlink: {flights.find_comlink(book, comlink).label}" if comlink else self.away
        return Conclusion(ACTOR, text, "success", "results")

    def _turn_around(self, part: Part, book: Book) -> tuple[Part, AttackPlan]:
        facts = {_turn(fact): known for fact, known in part.facts.items()}
        subjects = {_OTHER.get(role, role): name for role, name in part.subjects.items()}
        hp = {} if self.hurts else {"hp": 0}  # a call costs no HP
        inputs = {"strength": True, **hp, **part.inputs[flights.STRIKE]}
        turned = replace(part, subjects=subjects, facts=facts, marks={}, adjustments=(), inputs=inputs)
        return turned, plan_attack(turned, book)

    def _weigh_first(self, part: Part, plan: AttackPlan, book: Book) -> WeighedStage:
        arm = plan.aims[0].arm
        dice = {self.tables[1]: {"sides": arm.sides, "can_crit": arm.can_crit}}
        stage = stage_with_dice(self, replace(part, inputs={**part.inputs, DICE: dice}), book)
        return weigh_stage(stage, part, first=True)

    def _weigh_second(
        self, first: WeighedStage, part: Part, plan: AttackPlan, book: Book, fallen: tuple[str, int | None]
    ) -> WeighedStage:
        outcome, total = fallen
        stage = first.stage.then[outcome]
        if total is not None:
            stage = replace(stage, value=total, opposes=False)
        facts, printed = part.facts, {_turn(item.id) for item in stage.table.modifiers}
        weapon = plan.aims[0].accuracy.modifiers
        more = [item for item in weapon if item.count and item.modifier.id not in printed]
        if _HOLDS in facts:
            holding = book.entries_of(PrintedNumber)["hold-interrupt"]
            facts = {fact: known for fact, known in facts.items() if not fact.startswith(f"{RESISTER}.")}
            more = [make_modifier(holding.id, holding.value, "Is holding the other", holding.line)]
        return with_modifiers(weigh_stage(stage, replace(part, facts=facts), first=False), more)


def _is_interrupted(part: Part) -> bool:
    return RESISTER in part.subjects and flights.STRIKE in part.inputs


def _turn(name: str) -> str:
    role, dot, rest = name.partition(".")
    return f"{_OTHER.get(role, role)}{dot}{rest}"


def _list_faces(first: WeighedStage) -> Iterator[tuple[str, int]]:
    table = first.stage.table
    for face in table.die.ways():
        total, score = table.score(face, first.sum, None)
        yield table.read(face, score, first.stage.reading)[0].outcome, total


def _list_unhurt(shot: AttackRoll, part: Part, plan: AttackPlan, book: Book) -> Iterator[Consequence]:
    if shot.hit:
        yield Consequence("lose-com", ACTOR)
    for step in shot.steps[1:]:
        lost = find_losses("none", find_critical(step), find_critical_cost(book, part.facts))[1]
        yield from [Consequence(LOST[lost], ACTOR)] if lost in LOST else []
    yield from _turn_back(list_aftereffects({"trait": None}, part, plan, book))


def _turn_back(follows: Iterable[Consequence]) -> tuple[Consequence, ...]:
    return tuple(replace(item, to=_OTHER.get(item.to or "", item.to)) for item in follows)


def _strike(shot: AttackRoll, part: Part, plan: AttackPlan, book: Book, dice: Dice) -> MethodResult:
    rolls = [dice.roll(term) for term in list_damage_dice(plan, [shot])]
    done, record = settle_damage(plan, part, book, [shot], [roll.total for roll in rolls])
    saved = wounds.throw_saving_roll(record, part, book, dice)
    follows = [*wounds.list_injuries(record, part, book, saved), *list_aftereffects(record, part, plan, book)]
    text = wounds.describe_harm(done.damage, down=record["wounded"] and plan.hp > 0)
    conclusion = Conclusion(RESISTER, text, "failure", "results", _turn_back(follows))
    shown = wounds.show_damage(plan.hp, rolls, done, bonuses=plan.list_bonuses([shot.place]))
    steps = (*shown, *saved, *(() if record["wounded"] else (_HALTED,)))
    return MethodResult(steps, conclusion, record, (wounds.with_hp(part, RESISTER, record["hp"]),))


_FLIGHT, _CALL = (
    _InterruptedMethod(base.tables, BY_WINNER, base.plan, shares=base.shares, hurts=base is flights.FLEE, away=away)
    for base, away in ((flights.FLEE, "Got away: no one interrupts"), (flights.CALL, "Got through: no one interrupts"))
)
PROCEDURES = (
    make_wounding("roe.flight", "Flee", "{actor} flees, and {resister} interrupts", _FLIGHT),
    make_wounding("roe.com", "Com post", "{actor} calls over the com, and {resister} interrupts", _CALL),
)
