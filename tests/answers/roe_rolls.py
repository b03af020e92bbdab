"""Checks and rows of dice of the RoE book with the dice as they fell, and odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import to_builtins

from rules.books.roe import aftermath
from rules.books.roe.characters import TYPED, racial_facts
from rules.books.roe.contests import ALONE, DICE, ContestResult, find_fall_damage, read_contest
from rules.books.roe.damage import find_critical
from rules.dice import ScriptedDice
from rules.errors import RollError, WrongDice
from rules.modifiers import Adjustment, Facts, KnownFact
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet, resolve
from tests.answers.lines import Answer, Choice, Question
from tests.answers.roe_values import Mods, list_adjustments


class Roll(Question, frozen=True):
    """One side's die, modifiers and racial option."""

    die: int
    mods: Mods = ()
    racial: str | None = None


class Thrown(Roll, frozen=True, kw_only=True):
    """A roll with a die that may be critical."""

    sides: int = 100
    can_crit: bool = True


def script_dice(*faces: tuple[int, int]) -> ScriptedDice:
    """Return dice as (sides, face)."""
    for sides, face in faces:
        if not 1 <= face <= sides:
            raise WrongDice(f"A d{sides} has no face {face}.")
    return ScriptedDice(faces)


def adjust_table(table: str, mods: Mods) -> Iterator[Adjustment]:
    """Yield modifiers as adjustments of a table."""
    return (Adjustment(item.value, item.reason, table) for item in list_adjustments(mods))


def fight(
    book: RuleSet, family: str, actor: Roll, others: Sequence[Roll], facts: Sequence[str] = ()
) -> tuple[PartResult, ...]:
    """Resolve a contest against each of the others, or a roll alone."""
    declared = book.contests[f"roe.{family}"]
    known = {fact: KnownFact(1, TYPED) for fact in facts}
    parts = [_part(book, family, (actor, other), known) for other in others or (None,)]
    faces = [(_sides(actor, declared.actor, book), actor.die)]
    faces += [(_sides(other, declared.resister, book), other.die) for other in others]
    return resolve(Request(declared.id, tuple(parts)), book, script_dice(*faces)).parts


def meet(book: RuleSet, family: str, actor: Roll, resister: Roll, *facts: str) -> ContestResult:
    """Resolve a contest of two."""
    return read_contest(fight(book, family, actor, (resister,), facts)[0], book)


def _part(book: RuleSet, family: str, sides: tuple[Roll, Roll | None], facts: Facts) -> Part:
    declared = book.contests[f"roe.{family}"]
    tables = (("actor", declared.actor), ("resister", declared.resister))
    given = [(role, table, roll) for (role, table), roll in zip(tables, sides, strict=True) if roll is not None]
    adjustments = [item for _, table, roll in given for item in adjust_table(table, roll.mods)]
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
    """Return a part's last outcome."""
    return result.on_tables[-1].row.outcome


def list_results(out: ContestResult) -> Answer:
    """Return each contest's result."""
    answer: Answer = to_builtins(out)
    return answer


def check(
    family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, target: int | None = None
) -> Answer:
    """Return a roll's result against a number, the printed one by default."""
    table = book.table(family)
    inputs = {} if target is None else {"values": {table.id: target}}
    facts = racial_facts(book, "actor", racial)
    part = Part("typed", {}, facts, adjustments=tuple(adjust_table(table.id, mods)), inputs=inputs)
    step = resolve(Request(family, (part,)), book, script_dice((table.die.sides, die))).parts[0].on_tables[0]
    number = step.value or 0
    return {
        "total": step.total,
        "target": number,
        "success": step.row.outcome == "success",
        "critical": find_critical(step),
        "margin": step.total - number,
    }


def plain(family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return a roll's result against its printed number."""
    return check(family, book, die=die, mods=mods, racial=racial)


def lock(book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, tries: int = 0) -> Answer:
    """Return whether handcuffs are picked."""
    if not 0 <= tries < book.number("cuff-tries"):
        raise RollError("The lock of handcuffs may be tried once only.")
    return check("roe.check.cuffs", book, die=die, mods=mods, racial=racial)


def fall(book: RuleSet, *, metres: float, die: int | None = None, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return a fall's damage."""
    damage = find_fall_damage(book, metres)
    if die is None:
        return {"damage": damage, "dr_applies": False}
    out = check("roe.check.fall", book, die=die, mods=mods, racial=racial)
    return {**out, "damage": 0 if out["success"] else damage, "dr_applies": False}


def save(family: str, book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None) -> Answer:
    """Return a roll's result without modifiers."""
    if mods:
        raise RollError("No modifiers count on this roll: leave out mods.")
    return check(family, book, die=die, racial=racial)


def fuel(
    book: RuleSet, *, die: int, mods: Mods = (), racial: str | None = None, damage_die: int | None = None
) -> Answer:
    """Return whether fuel explodes, and what it does."""
    out = save("roe.check.fuel", book, die=die, mods=mods, racial=racial)
    if damage_die is not None:
        script_dice((book.number("fuel-sides"), damage_die))
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
    """Return what becomes of the item."""
    if hospital:
        if (willing, dice, mods, tools, self_) != (None, None, (), 1, False):
            raise RollError("A hospital asks for credits and nothing else.")
        return {"result": "success", "dice_used": 0, "tools_used": 0, "costs": "credits"}
    if willing is None or not dice:
        raise RollError("A surgery needs to know whether it is willing, and its dice.")
    aftermath.check_surgery(tools=tools, on_self=self_)
    played = _row(book, "install" if willing else "surgery", dice, mods=mods)
    outcome = played.conclusion.outcome if played.conclusion else ""
    result = "unfinished" if willing and outcome == "kept" else outcome
    return {"result": result, "dice_used": played.record["dice"], "tools_used": 1, "costs": None}


def escape(book: RuleSet, *, attempts: tuple[tuple[int, ...], ...], present: bool = True) -> Answer:
    """Return whether a captive is free, and the wait for the next try."""
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
    declared = book.strikes[f"roe.{family}"]
    die, sides = declared.rolls[0], book.table(declared.rolls[0]).die.sides
    if declared.tries is not None and len(faces) > declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice, not {len(faces)}.")
    if declared.until is None and len(faces) != declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice at once, not {len(faces)}.")
    inputs = {aftermath.TRIES: len(faces), aftermath.KEPT: kept}
    part = Part("typed", {}, adjustments=tuple(adjust_table(die, mods)), inputs=inputs)
    return resolve(Request(declared.id, (part,)), book, script_dice(*((sides, face) for face in faces))).parts[0]


def contest_odds(
    book: RuleSet, *, sides: int = 100, can_crit: bool = True, actor_mods: Mods = (), resister_mods: Mods = ()
) -> Answer:
    """Return how many falls the actor wins."""
    declared = book.contests["roe.strike"]
    adjustments = (*adjust_table(declared.actor, actor_mods), *adjust_table(declared.resister, resister_mods))
    dice = {declared.actor: {"sides": sides, "can_crit": can_crit}}
    falls = sides * book.table(declared.resister).die.sides
    return _count(book, declared.id, Part("typed", {}, adjustments=adjustments, inputs={DICE: dice}), "actor", falls)


def row_odds(family: str, outcome: str, book: RuleSet) -> Answer:
    """Return how many falls give each outcome."""
    declared = book.strikes[f"roe.{family}"]
    falls = book.table(declared.rolls[0]).die.sides ** (declared.tries or 1)
    return _count(book, declared.id, Part("typed", {}), outcome, falls)


def _count(book: RuleSet, family: str, part: Part, outcome: str, falls: int) -> Answer:
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
        "mortal": partial(save, "roe.check.mortal"),
        "fuel": fuel,
    },
)
ROWS: Mapping[str, Any] = {"surgery": surgery, "escape": escape}
ODDS: Mapping[str, Any] = {
    "contest": contest_odds,
    "escape": partial(row_odds, "escape", "free"),
    "surgery": partial(row_odds, "surgery", "success"),
}
