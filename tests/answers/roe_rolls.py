"""Rolls of the RoE book with the dice as they fell: checks and rows of dice, and the odds of rolls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import to_builtins

from rules.books.roe import recovery
from rules.books.roe.characters import TYPED, racial_facts
from rules.books.roe.contests import ALONE, DICE, ContestResult, find_fall_damage, read_contest
from rules.books.roe.damage import find_critical
from rules.dice import ScriptedDice
from rules.errors import RollError, WrongDice
from rules.modifiers import Adjustment, Facts, Known
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet, resolve
from tests.answers.lines import Answer, Choice, Question
from tests.answers.roe_values import Mods, counted


class Roll(Question, frozen=True):
    """The die of one side as it fell, its modifiers, and its racial option."""

    die: int
    mods: Mods = ()
    racial: str | None = None


class Thrown(Roll, frozen=True, kw_only=True):
    """A roll of a die of its own, which may have a critical success or not."""

    sides: int = 100
    can_crit: bool = True


def fallen(*faces: tuple[int, int]) -> ScriptedDice:
    """Return dice that fall so, each as (sides, face)."""
    for sides, face in faces:
        if not 1 <= face <= sides:
            raise WrongDice(f"A d{sides} has no face {face}.")
    return ScriptedDice(faces)


def added(table: str, mods: Mods) -> Iterator[Adjustment]:
    """Yield modifiers as adjustments of a table."""
    return (Adjustment(item.value, item.reason, table) for item in counted(mods))


def fight(
    book: RuleSet, family: str, actor: Roll, others: Sequence[Roll], facts: Sequence[str] = ()
) -> tuple[PartResult, ...]:
    """Resolve a contest of one side against each of the others; with none it rolls alone."""
    declared = book.contests[f"roe.{family}"]
    known = {fact: Known(1, TYPED) for fact in facts}
    parts = [_part(book, family, (actor, other), known) for other in others or (None,)]
    faces = [(_sides(actor, declared.actor, book), actor.die)]
    faces += [(_sides(other, declared.resister, book), other.die) for other in others]
    return resolve(Request(declared.id, tuple(parts)), book, fallen(*faces)).parts


def meet(book: RuleSet, family: str, actor: Roll, resister: Roll, *facts: str) -> ContestResult:
    """Return how a contest of two sides comes out."""
    return read_contest(fight(book, family, actor, (resister,), facts)[0], book)


def _part(book: RuleSet, family: str, sides: tuple[Roll, Roll | None], facts: Facts) -> Part:
    declared = book.contests[f"roe.{family}"]
    tables = (("actor", declared.actor), ("resister", declared.resister))
    given = [(role, table, roll) for (role, table), roll in zip(tables, sides, strict=True) if roll is not None]
    adjustments = [item for _, table, roll in given for item in added(table, roll.mods)]
    for role, _, roll in given:
        facts = {**facts, **racial_facts(book, role, roll.racial)}
    dice = {
        table: {"sides": roll.sides, "can_crit": roll.can_crit} for _, table, roll in given if isinstance(roll, Thrown)
    }
    inputs = {DICE: dice, ALONE: sides[1] is None}
    return Part("typed", {}, facts, adjustments=tuple(adjustments), inputs=inputs)


def _sides(roll: Roll, table: str, book: RuleSet) -> int:
    return roll.sides if isinstance(roll, Thrown) else book.table(table).die.sides


def outcome_of(result: PartResult) -> str:
    """Return the outcome of the last roll of a part."""
    return result.on_tables[-1].row.outcome


def list_results(out: ContestResult) -> Answer:
    """Return each result of a contest."""
    answer: Answer = to_builtins(out)
    return answer


def check(
    family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, target: int | None = None
) -> Answer:
    """Return how a roll against a number comes out, the printed one if no other is given."""
    table = book.table(family)
    inputs = {} if target is None else {"values": {table.id: target}}
    facts = racial_facts(book, "actor", racial)
    part = Part("typed", {}, facts, adjustments=tuple(added(table.id, mods)), inputs=inputs)
    step = resolve(Request(family, (part,)), book, fallen((table.die.sides, die))).parts[0].on_tables[0]
    number = step.value or 0
    return {
        "total": step.total,
        "target": number,
        "success": step.row.outcome == "success",
        "critical": find_critical(step),
        "margin": step.total - number,
    }


def plain(family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return how a roll against its printed number comes out."""
    return check(family, book, die=die, mods=mods, racial=racial)


def lock(book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, tries: int = 0) -> Answer:
    """Return whether the lock of handcuffs is picked, which was tried so often before."""
    if not 0 <= tries < book.number("cuff-tries"):
        raise RollError("The lock of handcuffs may be tried once only.")
    return check("roe.check.cuffs", book, die=die, mods=mods, racial=racial)


def fall(book: RuleSet, *, metres: float, die: int | None = None, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return the damage of a fall, which no damage reduction lessens, with the dodge if there is one."""
    damage = find_fall_damage(book, metres)
    if die is None:
        return {"damage": damage, "dr_applies": False}
    out = check("roe.check.fall", book, die=die, mods=mods, racial=racial)
    return {**out, "damage": 0 if out["success"] else damage, "dr_applies": False}


def saving(family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return how a roll comes out on which no modifiers count."""
    if mods:
        raise RollError("No modifiers count on this roll: leave out mods.")
    return check(family, book, die=die, racial=racial)


def fuel(
    book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, damage_die: int | None = None
) -> Answer:
    """Return whether the fuel of an operator who is down explodes, and what it does."""
    out = saving("roe.check.fuel", book, die=die, mods=mods, racial=racial)
    if damage_die is not None:
        fallen((book.number("fuel-sides"), damage_die))
    if out["success"]:
        return out
    if damage_die is None:
        raise RollError("The fuel explodes: give its damage_die.")
    blasts = {"self": {"damage": damage_die, "may_dodge": False}, "others": {"damage": damage_die, "may_dodge": True}}
    return {**out, **blasts, "diameter_m": book.number("fuel-diameter-m")}


def surgery(
    book: RuleSet,
    *,
    willing: bool | None = None,
    dice: tuple[int, ...] | None = None,
    mods: Mods = (),
    tools: int = 1,
    self_: bool = False,
    hospital: bool = False,
) -> Answer:
    """Return what becomes of the item, by the dice as they fell or in hospital."""
    if hospital:
        if (willing, dice, mods, tools, self_) != (None, None, (), 1, False):
            raise RollError("A hospital asks for credits and nothing else.")
        return {"result": "success", "dice_used": 0, "tools_used": 0, "costs": "credits"}
    if willing is None or not dice:
        raise RollError("A surgery needs to know whether it is willing, and its dice.")
    recovery.check_surgery(tools=tools, on_self=self_)
    played = _row(book, "install" if willing else "surgery", dice, mods=mods)
    outcome = played.conclusion.outcome if played.conclusion else ""
    result = "unfinished" if willing and outcome == "kept" else outcome
    return {"result": result, "dice_used": played.record["dice"], "tools_used": 1, "costs": None}


def escape(book: RuleSet, *, attempts: tuple[tuple[int, ...], ...], present: bool = True) -> Answer:
    """Return whether a captive is free by the dice of each try, and how long to wait for the next one."""
    if not present:
        raise RollError("The captor or a game master must be present.")
    kept, wait, free = 0, 0, False
    for dice in attempts:
        if free:
            raise RollError("The captive is free already: no further try is due.")
        played = _row(book, "escape", dice, kept=kept)
        failed = played.record["dice"] > played.record["hits"] - kept
        kept = played.record["hits"]
        free = played.conclusion is not None and played.conclusion.outcome == "free"
        wait = book.number("escape-wait-minutes") if failed and not free else 0
    return {"free": free, "successes": kept, "wait_minutes": wait}


def _row(book: RuleSet, family: str, faces: Sequence[int], *, mods: Mods = (), kept: int = 0) -> PartResult:
    """Resolve a row of dice; faces behind its end are not used."""
    declared = book.strikes[f"roe.{family}"]
    die, sides = declared.rolls[0], book.table(declared.rolls[0]).die.sides
    if declared.tries is not None and len(faces) > declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice, not {len(faces)}.")
    if declared.until is None and len(faces) != declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice at once, not {len(faces)}.")
    inputs = {recovery.TRIES: len(faces), recovery.KEPT: kept}
    part = Part("typed", {}, adjustments=tuple(added(die, mods)), inputs=inputs)
    return resolve(Request(declared.id, (part,)), book, fallen(*((sides, face) for face in faces))).parts[0]


def contest_odds(
    book: RuleSet, *, sides: int = 100, can_crit: bool = True, actor_mods: Mods = (), resister_mods: Mods = ()
) -> Answer:
    """Return in how many falls the actor wins a contest."""
    declared = book.contests["roe.strike"]
    adjustments = (*added(declared.actor, actor_mods), *added(declared.resister, resister_mods))
    dice = {declared.actor: {"sides": sides, "can_crit": can_crit}}
    falls = sides * book.table(declared.resister).die.sides
    return _counted(book, declared.id, Part("typed", {}, adjustments=adjustments, inputs={DICE: dice}), "actor", falls)


def row_odds(family: str, outcome: str, book: RuleSet) -> Answer:
    """Return in how many falls a row of dice comes to an outcome."""
    declared = book.strikes[f"roe.{family}"]
    falls = book.table(declared.rolls[0]).die.sides ** (declared.tries or 1)
    return _counted(book, declared.id, Part("typed", {}), outcome, falls)


def _counted(book: RuleSet, family: str, part: Part, outcome: str, falls: int) -> Answer:
    chances = book.procedure(family).method.odds(part, book)
    wins = sum(item.chance for item in chances if item.conclusion.outcome == outcome) * falls
    return {"wins": int(wins), "of": falls}


CHECK = Choice(
    "check",
    {
        "skill": partial(check, "roe.check"),
        "hatch": partial(plain, "roe.check.hatch"),
        "cuffs": lock,
        "fall": fall,
        "mortal": partial(saving, "roe.check.mortal"),
        "fuel": fuel,
    },
)
ROWS: Mapping[str, Any] = {"surgery": surgery, "escape": escape}
ODDS: Mapping[str, Any] = {
    "contest": contest_odds,
    "escape": partial(row_odds, "escape", "free"),
    "surgery": partial(row_odds, "surgery", "success"),
}
