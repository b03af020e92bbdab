"""Patrols, and how orders pair, phase by phase (campaign-rolls, lines 21 to 80).

A patrol meets one target after another until its one stop is used up. It doesn't stop its own side, and detectors
don't look for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from rules import modifiers, stages
from rules.book import Book
from rules.books.campaign.captivity import CAPTIVE, FATE, is_dead
from rules.effects import ANSWER, EFFECT, Change, Kept, KeptValue, Moment, is_current, scene_of
from rules.orders import (
    Cancellation,
    Named,
    Order,
    OrderedBattle,
    Outcome,
    Pairing,
    Phase,
    Roles,
    Task,
    TaskPart,
    UpdateKnowledge,
    Wait,
    Who,
    by_target,
)
from rules.procedure import Choice, Conclusion, Part, Policy, Procedure, Stage, apply_as_declared
from rules.tables import AppliedConsequence, Consequence, TableRow

CATCH = "campaign.patrol.catch"
PASSAGE = "campaign.patrol.passage"
CAUGHT = "caught"
"""The row of table 1 that leads to table 2."""
HOSTILE = "hostile"
STANCE = Choice("stance", "Stance of the target", (HOSTILE, "unfriendly", "neutral", "friendly", "allied"))
_STANCE_FACTS = frozenset(f"target.{stance}" for stance in STANCE.options)
TARGET_HIDDEN = "target.hidden"
AMBUSHED = "target.ambushed-today"
GROUNDS = ("target.ground", "target.all-ground", "target.all-airborne")
"""Where the target is, for the weather (lines 33, 55, 56); no modifier needs one of the first two only."""

_REVEALED = Consequence("reveal", "target")
_WRITE_UP = Consequence("write-up")
_STOPPED = Consequence("stop", "target")
_STOP_SPENT = "stop-used"
_STOP_USED = Consequence(_STOP_SPENT, "patrol")
_BATTLE = Consequence("battle", "target")
_STOPPED_UNLESS_WON = Consequence("stop-unless-won", "target")
_NO_BATTLE = Consequence("no-battle", "target")


def _prepare(part: Part) -> Part:
    stance = part.choices.get(STANCE.id, STANCE.options[0])
    facts = {fact: known for fact, known in part.facts.items() if fact not in _STANCE_FACTS}
    facts[f"target.{stance}"] = modifiers.KnownFact(1, modifiers.Origin("choice", f"stance {stance}"))
    return replace(part, facts=facts, choices={**part.choices, STANCE.id: stance})


def _plan(part: Part, book: Book) -> Stage:
    if part.choices[STANCE.id] == HOSTILE:
        return Stage(book.table(CATCH))
    return Stage(book.table(CATCH), then={CAUGHT: Stage(book.table(PASSAGE))})


def _conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    last = rows[-1]
    if rows[0].outcome != CAUGHT:
        return Conclusion(last.outcome, last.text, last.tone, "staff", last.then)
    stops = f"The patrol already stopped {part.key}"
    if len(rows) == 1 and AMBUSHED in part.facts:
        done, text = (_NO_BATTLE, _STOPPED, _STOP_USED), "Caught, but only the ambush is fought"
        return Conclusion("caught-ambushed", text, "success", "results", done, stops)
    if len(rows) == 1:
        follows = (_BATTLE, _STOPPED_UNLESS_WON, _WRITE_UP, _STOP_USED)
        return Conclusion("battle", "Caught, fights as if ambushed", "success", "results", follows, stops)
    passed = not any(consequence.do == _STOP_SPENT for consequence in last.then)
    consequences: tuple[Consequence, ...] = (*last.then, _WRITE_UP)
    if TARGET_HIDDEN in part.facts:
        consequences = (*consequences, _REVEALED)
    text = last.text
    if AMBUSHED in part.facts and not passed:
        text = f"{last.text}; only the ambush is fought"
        remaining = (item for item in consequences if item.do in {"bribe", "write-up", "stop-used", "reveal"})
        consequences = (*remaining, _NO_BATTLE, _STOPPED)
    return Conclusion(last.outcome, text, last.tone, "results", consequences, None if passed else stops)


AWAITS_BATTLE, MOVE_STOPPED = f"{EFFECT}awaits-battle", f"{EFFECT}move-stopped"
STOP_USED = EFFECT + _STOP_SPENT
AMBUSH = f"{EFFECT}ambushed-today"


def _ambush(applied: AppliedConsequence) -> Iterator[Change]:
    yield applied.name, AMBUSH, applied.effect()
    if list_waiting_battles(applied.kept.get(AWAITS_BATTLE), applied.moment):
        yield from ambush_fought(applied.name, applied.moment)


def ambush_fought(who: str, moment: Moment) -> Iterator[Change]:
    """Stop the move of a caught unit that is ambushed (line 23)."""
    yield who, AWAITS_BATTLE, None
    yield who, MOVE_STOPPED, {"entry": moment.entry, "update": moment.update}


def list_waiting_battles(value: KeptValue | None, moment: Moment) -> list[int]:
    """Return the battles (entries) a move waits for, oldest first."""
    if value is None or not is_current(value, moment):
        return []
    return [*value.get("battles", [value["entry"]])]  # an older version kept only the newest


def _make_wait_value(battles: Sequence[int], update: int) -> dict[str, object] | None:
    label = "Must win its battle to move on"
    return {"entry": battles[-1], "update": update, "label": label, "battles": battles} if battles else None


def _await_battle(applied: AppliedConsequence) -> Iterator[Change]:
    update = applied.moment.update
    battles = [*list_waiting_battles(applied.kept.get(AWAITS_BATTLE), applied.moment), applied.moment.entry]
    yield applied.name, AWAITS_BATTLE, _make_wait_value(battles, update)


def _owe(applied: AppliedConsequence) -> Iterator[Change]:
    amount = applied.consequence.amount
    owed = applied.effect(amount=amount, label=f"Owes {amount} SP as a bribe", **{ANSWER: "Paid"})
    yield applied.name, f"{EFFECT}bribe-{applied.moment.entry}", owed


def decide_battle(who: str, battle: int, value: KeptValue | None, *, won: bool, moment: Moment) -> Iterator[Change]:
    """Yield the changes of a battle's end for a move that waits for it; a draw stops it too (PB-9)."""
    battles = list_waiting_battles(value, moment)
    if battle in battles:
        yield who, AWAITS_BATTLE, _make_wait_value([number for number in battles if number != battle], moment.update)
    yield who, MOVE_STOPPED, None if won else {"entry": moment.entry, "update": moment.update}


def _hide(applied: AppliedConsequence) -> Iterator[Change]:
    kept = (applied.kept.get(name) for name in (f"{EFFECT}hidden", f"{EFFECT}revealed"))
    if not any(value is not None and is_current(value, applied.moment) for value in kept):
        yield from apply_as_declared(applied)


PATROL = Procedure(
    family="patrol",
    title="Patrol",
    actor="patrol",
    subject="target",
    headline="{patrol} against {target}",
    place="patrol",  # it is rolled for what moves through the patrol's sector (line 22)
    method=stages.TableMethod(
        (CATCH, PASSAGE),
        _conclude,
        _plan,
        required_rows=((CATCH, CAUGHT),),
        manual_facts=(AMBUSHED, *GROUNDS),
        decided_by_choice=_STANCE_FACTS,
    ),
    choices=(STANCE,),
    prepare=_prepare,
    policy=Policy(spends=_STOP_SPENT),
    version=3,
    settles={"hide": _hide, "ambush": _ambush, "bribe": _owe, "stop-unless-won": _await_battle},
)


HIDDEN = f"{EFFECT}hidden"


def gather(phase: Phase, orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Outcome]:
    """Yield a phase's tasks, in the order of its orders."""
    if phase.id == _BATTLES:
        yield from _fight_battles(orders, known)
    else:
        for resolve in dict.fromkeys(_KINDS[kind] for kind in phase.takes if kind in _KINDS):
            yield from resolve(orders, known)


def _declare(orders: Sequence[Order], _known: UpdateKnowledge) -> Iterator[Task]:
    # What is true today without a die (lines 61, 99, 305, 342-344).
    for order in _open(orders, "hide"):
        yield _one("hide", order, _part(hider=order.who, sector=order.to))
    for order in _open(orders, "assault"):
        yield _one("assault", order, _part(attacker=order.who, base=order.to))
    for order in _open(orders, "surprise-attack"):
        about = (order.to, *order.beside)
        yield _one("surprise-attack", order, *(_part(attacker=order.who, target=who) for who in about if who))
    for order in _open(orders, "rescue"):
        yield _one("rescue", order, _part(rescuer=order.who, captive=order.to))
    for order in _open(orders, "resist"):
        yield _one("resist", order, _part(captive=order.who))


def _detect(orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Task]:
    hiders = by_target(order for order in orders if order.kind == "hide" and order.who.key in known.hidden)
    for sector, searched in by_target(_open(orders, "detect")).items():
        parts: list[TaskPart] = []
        for order in searched:
            others = [hide.who for hide in hiders.get(sector, ()) if not known.same_side(order.who, hide.who)]
            pairs = [_part(detector=order.who, hider=who) for who in others] or [_part(detector=order.who)]
            parts += [TaskPart(pair, (order.entry,)) for pair in pairs]
        yield Task("detection", tuple(parts), _place(searched[0]))


def _patrol(orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Outcome]:
    # A stopped unit meets no later patrol. Until the battle of a caught one is decided, no patrol rolls against it or
    # those behind it, since its one stop may go to them (lines 22, 24, 65, 66; PB-5, PB-9).
    moves, met = by_target(order for order in orders if order.kind == "move"), set[int]()
    unsettled = {order.entry: order.who for some in moves.values() for order in some if order.who.key in known.fighting}
    for order in _open(orders, "patrol"):
        there = moves.get(order.to.key, ()) if order.to else ()
        moving = [move for move in there if move.who.key not in known.stopped]
        targets = [move for move in moving if not known.same_side(order.who, move.who)]
        done = order.rolled
        left = [move for move in targets if not (done and _make_meeting(order, move, known).key in done)]
        if order.rolled and order.who.key in known.spent:
            yield Cancellation(order.entry, "it already stopped a target")
        elif left:
            met |= {move.entry for move in left}
            yield from _roll_in_turn(order, left, unsettled, known)
        else:  # an act, since its giver may not know whether a target has slipped through
            yield _one("watch", order, _part(patrol=order.who, sector=order.to))
    for order in _open(orders, "move"):
        if order.who.key in known.stopped:
            yield Cancellation(order.entry, "its move was stopped")
        elif order.entry in met:
            continue
        elif order.entry in unsettled:
            yield _wait(unsettled[order.entry], order)
        else:
            yield _one("move", order, _part(target=order.who, sector=order.to))


def _roll_in_turn(
    patrol: Order, targets: Sequence[Order], unsettled: dict[int, Who], known: UpdateKnowledge
) -> Iterator[Outcome]:
    settled = next((place for place, move in enumerate(targets) if move.entry in unsettled), len(targets))
    ready, behind = targets[:settled], targets[settled:]
    if ready:
        later = frozenset({patrol.entry} if behind else ())
        yield Task("patrol", tuple(_make_meeting(patrol, move, known) for move in ready), _place(patrol), later)
    if behind:
        fighter = unsettled[behind[0].entry]
        unsettled.update((move.entry, fighter) for move in behind if move.entry not in unsettled)
        yield _wait(fighter, *([] if ready else [patrol]), *(move for move in behind if move.open))


def _wait(fighter: Who, *orders: Order) -> Wait:
    return Wait(tuple(order.entry for order in orders), f"{fighter.name} must win its battle first")


def _make_meeting(patrol: Order, move: Order, known: UpdateKnowledge) -> TaskPart:
    choices = {STANCE.id: HOSTILE} if known.are_opposed(patrol.who, move.who) else {}
    orders = (patrol.entry, *([move.entry] if move.open else []))
    return TaskPart(_part(patrol=patrol.who, target=move.who), orders, choices=choices)


def _scout(orders: Sequence[Order], _known: UpdateKnowledge) -> Iterator[Task]:
    for group in by_target(_open(orders, "scout")).values():
        parts = (TaskPart(_part(scouter=order.who, base=order.to), (order.entry,)) for order in group)
        yield Task("scouting", tuple(parts), _place(group[0]))


def _fight_battles(orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Task]:
    raids = by_target(
        item for kind in ("assault", "surprise-attack") for item in orders if item.open and item.kind == kind
    )
    for group in raids.values():
        base = group[0].to
        if base is not None:
            attackers = tuple(order.who for order in group)
            battle = OrderedBattle(group[0].entry, f"Battle of {base.name}", attackers, (base,), base)
            yield _fight(battle, [order.entry for order in group], known)
    still = {order.entry for order in orders if order.open}
    for battle in known.battles:
        if battle.order in still:
            yield _fight(battle, [battle.order], known)


def _fight(battle: OrderedBattle, orders: Sequence[int], known: UpdateKnowledge) -> Task:
    sides = _sides([*battle.attackers, *battle.defenders], known)
    defending = {side.key for side in _sides(battle.defenders, known)} if battle.base else set()
    at = {side.key: battle.base for side in sides if side.key in defending}
    parts = (_part(side=side, battle=Who(battle.title), base=at.get(side.key)) for side in sides)
    return Task("complications", tuple(TaskPart(part, tuple(orders)) for part in parts))


def _interrogate(orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Task]:
    for group in by_target(_open(orders, "interrogate")).values():
        captive = group[0].to
        part = _part(captive=captive, base=known.at.get(captive.key) if captive else None)
        together = {**part, "interrogator": tuple(order.who for order in group)}
        yield Task("interrogation", (TaskPart(together, tuple(order.entry for order in group)),))


def _escape(orders: Sequence[Order], known: UpdateKnowledge) -> Iterator[Task]:
    held: dict[str, list[Order]] = {}
    for order in _open(orders, "escape"):
        place = known.at.get(order.who.key)
        held.setdefault(place.key if place else "", []).append(order)
    for group in held.values():
        parts = (_part(captive=one.who, base=known.at.get(one.who.key)) for one in group)
        yield Task("escape", tuple(TaskPart(part, (one.entry,)) for part, one in zip(parts, group, strict=True)))


_BATTLES = "battle"
"""The phase after these, which fights what they led to."""
_KINDS: Mapping[str, Callable[[Sequence[Order], UpdateKnowledge], Iterator[Outcome]]] = {
    **dict.fromkeys(("hide", "assault", "surprise-attack", "rescue", "resist"), _declare),
    "detect": _detect,
    **dict.fromkeys(("patrol", "move"), _patrol),
    "scout": _scout,
    "interrogate": _interrogate,
    "escape": _escape,
}


def _open(orders: Sequence[Order], kind: str) -> list[Order]:
    return [order for order in orders if order.kind == kind and order.open and not order.done]


def _one(family: str, order: Order, *parts: Roles) -> Task:
    return Task(family, tuple(TaskPart(part, (order.entry,)) for part in parts), _place(order))


def _place(order: Order) -> str | None:
    return order.to.name if order.to else None


def _part(**roles: Who | None) -> Roles:
    return {role: (who,) for role, who in roles.items() if who is not None}


def _sides(people: Sequence[Who], known: UpdateKnowledge) -> list[Who]:
    sides = [Who(side) if (side := known.sides.get(who.key)) else who for who in people]
    return [*{side.key: side for side in sides}.values()]


def know(kept: Kept, now: Moment, named: Named) -> UpdateKnowledge:
    """Return what the orders need to know: captives, hidden, stopped, fighting and dead ones."""
    return UpdateKnowledge(
        at={key: named(values[CAPTIVE]["at"]) for key, values in kept.items() if CAPTIVE in values},
        hidden=_find_under(HIDDEN, kept, now),
        stopped=_find_under(MOVE_STOPPED, kept, now),
        spent=_find_under(STOP_USED, kept, now),
        fighting=frozenset(key for key, values in kept.items() if list_waiting_battles(values.get(AWAITS_BATTLE), now)),
        out=frozenset(key for key, values in kept.items() if is_dead(values.get(FATE))),
    )


def _find_under(effect: str, kept: Kept, now: Moment) -> frozenset[str]:
    found = {key: values[effect] for key, values in kept.items() if effect in values}
    return frozenset(key for key, value in found.items() if is_current(value, now) and scene_of(value) is None)


PAIRING = Pairing(
    gather,
    (AWAITS_BATTLE, CAPTIVE, FATE, HIDDEN, MOVE_STOPPED, STOP_USED),
    know,
    kinds=_KINDS,
    follows=frozenset({_BATTLES}),
)
