"""Turns of the RoE book: what acts cost, allow and leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from rules.acts import ActMethod, TooLittle, list_costs, list_notes
from rules.book import Act, Book
from rules.books.roe import characters, fights, handling
from rules.books.roe.catalog import ACTOR, Mode, Vehicle, VehicleSeat, entry_of
from rules.books.roe.characters import TYPED, true_facts
from rules.books.roe.fights import TURN_NOTES
from rules.books.roe.turns import Allowance, Bar, LastingMark, TurnStep, Upkeep
from rules.books.roe.weapons import Weapon, find_mode, find_weapon
from rules.dice import ScriptedDice
from rules.errors import RollError, UnknownName
from rules.modifiers import Facts, KnownFact, list_mentioned_facts
from rules.phrases import list_known
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.scenes import MEMBER
from rules.subjects import word_id
from tests.answers.lines import Answer, Op

WHO = "The character"
OTHER_ACTS = "may."
"""How the ids of acts begin that are only allowed or not."""
FIRST = f"{ACTOR}.first-turn"
KEYS = ("weapon", "size", "slot", "type")
"""Of what a word is asked: the facts are `actor.<key>.<word>`; `other` means any word that isn't declared."""
COSTS = {
    frozenset[str](): "nothing",
    frozenset({"actions"}): "action",
    frozenset({"movements"}): "movement",
    frozenset({"actions", "movements"}): "turn",
}
ROLLS = {
    "roe.check": "skill",
    "roe.check.hacking": "skill",
    "roe.skill": "contest",
    "roe.rob": "loot",
    "roe.steal": "pickpocket",
}
"""What answers call the rolls of skills, and of what is taken; the others go by their own names."""


class UnknownAct(UnknownName):
    """An unknown act."""

    kind = "act"


class UnknownFact(UnknownName):
    """A fact that nothing reads."""

    kind = "fact"


def ready(
    book: RuleSet, *, token: str, turns: tuple[str, ...], role: str | None = None, vehicle_moves: bool = False
) -> Answer:
    """Return for each turn whether it may be spent so."""
    seat = None if role is None else entry_of(book.entries_of(VehicleSeat), role)
    weapon = find_weapon(book, token)
    ways = {*book.entries_of(Mode), "reload", "bolt", "move", "other"}
    marks, legal = {fights.DRAWN + word_id(token): 1}, []
    for word in turns:
        if word not in ways:
            raise RollError(f"{word!r} is unknown{list_known(sorted(ways))}")
        try:
            marks = fights.end_marks(_spend(book, weapon, token, word, marks))
            legal.append(True)
        except RollError:
            legal.append(False)
        marks = characters.restart_reloads(marks) if vehicle_moves and seat is not None and seat.moves else marks
    return {"legal": legal}


def _spend(book: RuleSet, weapon: Weapon, name: str, word: str, marks: dict[str, int]) -> Mapping[str, int]:
    state = characters.read_readiness(marks, name)
    match word:
        case "reload" if weapon.gun and not (state.reload or state.used):
            return marks  # a turn may be spent so, although nothing comes of it
        case "reload" | "bolt":
            kept, inputs = {WHO: {MEMBER: {"marks": marks}}}, {"weapon": name, "token": name}
            part, method = Part("", {ACTOR: WHO}, kept=kept, inputs=inputs), book.procedures[f"roe.{word}ing"].method
            return next(value["marks"] for _, _, value in method.play(part, book, ScriptedDice(())).changes if value)
        case "move":
            return characters.restart_reloads(marks)
        case "other":
            return marks
    return characters.use_weapons(marks, [(name, weapon, find_mode(book, weapon, word))])


def grenade(book: Book, *, use: Literal["throw", "cook"], turn: int, stunned: tuple[int, ...] = ()) -> Answer:
    """Return when a grenade is thrown, and when and where it explodes."""
    if min((turn, *stunned)) < 1:
        raise RollError("Turns are numbered from 1.")
    if turn in stunned:
        raise RollError(f"Priming a grenade takes an Action, and turn {turn} has none because of a stun.")
    last = turn + book.number("grenade-turns") - 1
    throw = last if use == "cook" else turn
    held = throw in stunned
    return {"throw_on_turn": None if held else throw, "explodes_after_turn": last, "in_hand": held}


def whole_turn(
    book: RuleSet,
    *,
    does: tuple[str, ...],
    turn: int = 2,
    facts: tuple[str, ...] = (),
    lost: int = 0,
    extra: int = 0,
    hp: int | None = None,
) -> Answer:
    """Return what a turn has, each act's result, and what is left."""
    known = _true(readable(book), facts)
    if turn < 1:
        raise RollError("Turns are numbered from 1.")
    known |= true_facts(ACTOR, *["first-turn"] * (turn == 1))
    left_hp: dict[str, int] = {}
    if hp is not None:
        if hp < 0:
            raise RollError("HP can't be below 0.")
        taken = sum(item.amount or 0 for item in book.entries_of(LastingMark).values() if _fact(item.effect) in known)
        left_hp["hp"] = max(0, hp - taken)
        known |= {} if left_hp["hp"] else {"actor.wounded": KnownFact(1, TYPED)}
    if min(lost, extra) < 0:
        raise RollError("Actions lost or gained can't be below 0.")
    marks = handling.begin_turn(book, known, lost=lost, extra=extra)
    answer: Answer = {"order": [step.replace("-", "_") for step in book.entries_of(TurnStep)]}
    answer |= {mark.replace("-", "_"): left for mark, left in marks.items()} | left_hp
    acts = []
    for name in does:
        known, marks, did = _do(book, known, marks, name, turn)
        acts.append(did)
    left = {mark: marks[mark] for mark in ("actions", "movements")}
    upkeep = {name: "kept" if kept else "released" for name, kept in handling.check_upkeep(book, known).items()}
    return {**answer, "acts": acts, "left": left, **upkeep}


def _do(
    book: RuleSet, facts: dict[str, KnownFact], marks: dict[str, int], name: str, number: int
) -> tuple[dict[str, KnownFact], dict[str, int], Answer]:
    act = _act_named(book, TURN_NOTES, name)
    costs = frozenset(cost.mark for cost in list_costs(act, facts) if cost.amount)
    part = Part(act.id, {ACTOR: WHO}, facts, kept={WHO: {MEMBER: {"marks": marks}}})
    method, why = ActMethod.of(act.id), None  # its costs alone: what it is rolled on doesn't matter here
    now, left = facts, marks
    try:
        method.check(part, book)
        changes = method.play(part, book, ScriptedDice(())).changes
    except TooLittle as error:
        why = next((bar.label for bar in handling.list_bars(book, facts) if error.mark in bar.takes), str(error))
    except RollError as error:
        why = str(error)
    else:
        paid = (value["marks"] for who, name, value in changes if (who, name) == (WHO, MEMBER) and value)
        left = {mark: count for mark, count in next(paid, marks).items() if mark in marks}
        now = _facts_after(book, act, facts, paid=bool(costs))
    answer = {"allowed": why is None, "costs": COSTS[costs], "why": why}
    if act.variants:
        delay = int(act.variant(facts).effect == "next-turn")
        answer["usable_on_turn"] = None if why else number + delay
    return now, left, answer


def _facts_after(book: RuleSet, act: Act, facts: Facts, *, paid: bool) -> dict[str, KnownFact]:
    now = dict(facts)
    for consequence in act.then:
        deed = book.deeds[consequence.do]
        for trait in deed.ends:
            now.pop(_fact(trait), None)
        if deed.effect is not None:
            now[_fact(deed.effect)] = KnownFact(1, TYPED)
    return {**now, **{fact: KnownFact(1, TYPED) for fact in list_notes(act, book, paid=paid)}}


def readable(book: Book) -> frozenset[str]:
    """Return the facts that a turn reads."""
    read = [fact for act in book.acts.values() if act.id.startswith(TURN_NOTES) for fact in act.facts]
    read += [fact for bar in book.entries_of(Bar).values() for fact in list_mentioned_facts(bar.when)]
    read += [item.needs for item in book.entries_of(Allowance).values() if item.needs]
    read += [item.of for item in book.entries_of(Upkeep).values()]
    read += [_fact(item.effect) for item in book.entries_of(LastingMark).values() if item.amount]
    return frozenset(fact for fact in read if fact.startswith(f"{ACTOR}.")) - {FIRST}


def _fact(trait: str | None) -> str:
    return f"{ACTOR}.{trait}"


def _act_named(book: Book, group: str, name: str) -> Act:
    if group + name not in book.acts:
        raise UnknownAct(name, [act.removeprefix(group) for act in book.acts if act.startswith(group)])
    return book.acts[group + name]


def _true(readable: Iterable[str], traits: Iterable[str]) -> dict[str, KnownFact]:
    by_trait = {fact.partition(".")[2]: fact for fact in readable}
    facts = {}
    for trait in traits:
        if trait not in by_trait:
            raise UnknownFact(trait, by_trait)
        facts[by_trait[trait]] = KnownFact(1, TYPED)
    return facts


def may(
    book: RuleSet,
    *,
    do: str,
    facts: tuple[str, ...] = (),
    weapon: str | None = None,
    size: str | None = None,
    slot: str | None = None,
    type_: str | None = None,
    class_: str | None = None,
) -> Answer:
    """Return whether an act is allowed, its inputs, roll and time."""
    given = {**dict(zip(KEYS, (weapon, size, slot, type_), strict=True)), "class": class_}
    said = {key: word for key, word in given.items() if word is not None}
    act = _act_named(book, OTHER_ACTS, do)
    asked = {key for key in KEYS if any(fact.startswith(f"{ACTOR}.{key}.") for fact in act.facts)}
    vehicles = {"class"} if f"{ACTOR}.wheeled" in act.facts else set()
    if {*said} != asked | vehicles:
        raise RollError(f"{do} needs {' and '.join(sorted(asked | vehicles)) or 'no further key'}.")
    known = {**_true(_list_typed(book, act), facts), **_list_true(book, {key: said[key] for key in asked})}
    if vehicles and entry_of(book.entries_of(Vehicle), said["class"]).wheeled:
        known |= true_facts(ACTOR, "wheeled")
    variant = act.variant(known)
    try:
        ActMethod.of(act.id).check(Part(act.id, {ACTOR: WHO}, known), book)
    except RollError as error:
        return {"allowed": False, "why": str(error)}
    rolls = act.rolls if variant.rolled else None
    roll = None if rolls is None else ROLLS.get(rolls, rolls.removeprefix("roe."))
    return {"allowed": True, "why": None, "roll": roll, "when": variant.effect}


def _list_typed(book: Book, act: Act) -> list[str]:
    every = {fact for other in book.acts.values() if other.id.startswith(OTHER_ACTS) for fact in other.facts}
    said = (f"{ACTOR}.wheeled", *(f"{ACTOR}.{key}." for key in KEYS))
    return [fact for fact in (*sorted(every - act.facts), *act.facts) if not fact.startswith(said)]


def _list_true(book: Book, said: Mapping[str, str]) -> Facts:
    traits = []
    for key, word in said.items():
        begins = f"{ACTOR}.{key}."
        known = [fact.removeprefix(begins) for fact in book.facts if fact.startswith(begins)]
        if word not in known and "other" not in known:
            raise RollError(f"{key} is one of {', '.join(known)}, not {word!r}.")
        traits.append(f"{key}.{word if word in known else 'other'}")
    return true_facts(ACTOR, *traits)


OPS: Mapping[str, Op] = {"ready": ready, "grenade": grenade, "turn": whole_turn, "may": may}
