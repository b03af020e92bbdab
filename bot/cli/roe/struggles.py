"""Rolls against several, and rows of dice: explosions, flights, calls for aid, throwing somebody, surgery, escape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from bot.cli.questions import Op, Question
from bot.cli.roe.duels import ThrownIn, added, fight, meet, typed
from bot.cli.roe.questions import RollIn
from rules.books.roe import fleeing, rows, shoving
from rules.books.roe.blast import AIMED
from rules.books.roe.sides import Mods, fallen, racial_facts, score_of
from rules.engine import resolve
from rules.errors import RollError
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet

Answer = dict[str, Any]


class Caught(RollIn, frozen=True, kw_only=True):
    """Somebody within an explosion."""

    name: str


class Explosion(Question, frozen=True, kw_only=True):
    """The thrower's die, whom it catches, and at whom it is aimed with which accuracy."""

    roll: int
    targets: tuple[Caught, ...]
    primary: Caught | None = None
    mods: Mods = ()


def explosion(asked: Explosion, book: RuleSet) -> Answer:
    """Return who is hit by an explosion and who avoids it."""
    if asked.mods and asked.primary is None:
        raise RollError("Modifiers count against the one aimed at alone: name the primary.")
    caught = [*([asked.primary] if asked.primary else []), *asked.targets]
    parts = tuple(_caught(book, target, asked) for target in caught)
    dice = fallen((100, asked.roll), *((100, target.die) for target in caught))
    results = resolve(Request("roe.blast", parts), book, dice).parts
    named = [(target.name, _outcome(result)) for target, result in zip(caught, results, strict=True)]
    return {
        "hit": [name for name, outcome in named if outcome == "actor"],
        "avoided": [name for name, outcome in named if outcome == "resister"],
    }


def _caught(book: RuleSet, target: Caught, asked: Explosion) -> Part:
    aimed = target is asked.primary
    adjustments = [*added("roe.resist.blast", target.mods)]
    adjustments += added("roe.blast.aimed", asked.mods) if aimed else ()
    facts = racial_facts(book, "resister", target.racial)
    return Part(target.name, {}, facts, adjustments=tuple(adjustments), inputs={AIMED: aimed})


class Interrupt(ThrownIn, frozen=True, kw_only=True):
    """One who interrupts: who holds the other, and who says so only after the dice."""

    holds: bool = False
    late: bool = False


class Flee(Question, frozen=True, kw_only=True):
    """A flight, and who interrupts it."""

    dodge: RollIn
    vehicle: bool = False
    attempts: int = 0
    movement_used: bool = False
    actions: int = 1
    non_splicers: bool = False
    interrupts: tuple[Interrupt, ...] = ()
    movement_m: int = 8


def flee(asked: Flee, book: RuleSet) -> Answer:
    """Return whether somebody gets away, and what those who interrupt have spent on it."""
    flight = fleeing.Flight(asked.attempts, asked.movement_used, asked.actions, asked.non_splicers)
    fleeing.check_flight(book, racial_facts(book, "actor", asked.dodge.racial), flight)
    facts = ("actor.vehicle",) if asked.vehicle else ()
    interrupts = [_holding(book, item) if item.holds else item for item in asked.interrupts]
    results = fight(book, "flee", asked.dodge, interrupts, typed(*facts))
    hits = _hits(asked.interrupts, results)
    return {
        "roll": results[0].on_tables[0].total,
        "totals": [result.on_tables[1].total for result in results if asked.interrupts],
        "hits": hits,
        "away": not any(hits),
        "spent": [place for place, item in enumerate(asked.interrupts) if not item.late],
        "may_move_m": fleeing.held_back_m(asked.movement_m) if any(hits) else None,
    }


class Call(Question, frozen=True, kw_only=True):
    """A call for aid by com, and who interrupts it; or by a public comlink so far away."""

    dodge: RollIn | None = None
    interrupts: tuple[Interrupt, ...] = ()
    com_destroyed: bool = False
    recipients: int = 1
    channel: str | None = None
    comlink_m: float | None = None


def call(asked: Call, book: RuleSet) -> Answer:
    """Return whether a call goes through, and whether the com is gone."""
    if asked.comlink_m is not None:
        fleeing.check_comlink(book, asked.comlink_m)
        return {"through": True, "com_destroyed": asked.com_destroyed, "damage": 0, "rolled": False}
    fleeing.check_call(book, com_destroyed=asked.com_destroyed, recipients=asked.recipients, channel=asked.channel)
    declared = any(not item.late for item in asked.interrupts)
    if declared and asked.dodge is None:
        raise RollError("The interrupted character rolls to dodge: give the dodge.")
    results = fight(book, "call", asked.dodge, asked.interrupts) if asked.dodge else ()
    hit = any(_hits(asked.interrupts, results))
    return {"through": not hit, "com_destroyed": hit, "damage": 0, "rolled": declared}


def _hits(interrupts: Sequence[Interrupt], results: Sequence[PartResult]) -> list[bool]:
    pairs = zip(interrupts, results, strict=False)
    return [_outcome(result) == "resister" and not item.late for item, result in pairs]


def _holding(book: RuleSet, item: Interrupt) -> Interrupt:
    """Return an interrupt by a holder, which has the same modifier whatever its accuracy is (line 426)."""
    return replace(item, mods=(book.number("hold-interrupt"),), racial=None)


def _outcome(result: PartResult) -> str:
    return result.on_tables[-1].row.outcome


class Shove(Question, frozen=True, kw_only=True):
    """A character pushed into an object or thrown into another one; `racial` is the thrower's option."""

    into: Literal["object", "character"]
    damage_die: int
    strength: int = 0
    racial: str | None = None
    accuracy: RollIn | None = None
    dodge: RollIn | None = None


def shove(asked: Shove, book: RuleSet) -> Answer:
    """Return the damage to each who is hurt; the hold ends either way."""
    fallen((book.number("improvised-sides"), asked.damage_die))
    rolls = asked.accuracy, asked.dodge
    racial = asked.racial or (asked.accuracy.racial if asked.accuracy else None)
    strength = asked.strength + score_of(book, "strength", racial_facts(book, "actor", racial))
    if asked.into == "object":
        if any(rolls):
            raise RollError("An object dodges nothing: leave out accuracy and dodge.")
        damage = shoving.into_object(book, asked.damage_die, strength)
        return {"hit": True, "damage": damage, "hold_ends": True}
    if asked.accuracy is None or asked.dodge is None:
        raise RollError("A throw at a character takes dice: give accuracy and dodge.")
    out = meet(book, "hurl", asked.accuracy, asked.dodge)
    damage = shoving.into_character(book, asked.damage_die, strength, out)
    return {"hit": out.won, "damage": damage, "hold_ends": True}


class Surgery(Question, frozen=True, kw_only=True):
    """A surgery with the dice as they fell, or one in hospital."""

    willing: bool | None = None
    dice: tuple[int, ...] | None = None
    mods: Mods = ()
    tools: int = 1
    self: bool = False
    hospital: bool = False


def surgery(asked: Surgery, book: RuleSet) -> Answer:
    """Return what becomes of the item."""
    if asked.hospital:
        if asked != Surgery(hospital=True):
            raise RollError("A hospital asks for credits and nothing else.")
        return {"result": "success", "dice_used": 0, "tools_used": 0, "costs": "credits"}
    if asked.willing is None or not asked.dice:
        raise RollError("A surgery needs to know whether it is willing, and its dice.")
    rows.check_surgery(tools=asked.tools, on_self=asked.self)
    played = row(book, "install" if asked.willing else "surgery", asked.dice, mods=asked.mods)
    outcome = played.conclusion.outcome if played.conclusion else ""
    result = "unfinished" if asked.willing and outcome == "kept" else outcome
    return {"result": result, "dice_used": played.record["dice"], "tools_used": 1, "costs": None}


class Escape(Question, frozen=True, kw_only=True):
    """Tries to escape with the dice of each."""

    attempts: tuple[tuple[int, ...], ...]
    present: bool = True


def escape(asked: Escape, book: RuleSet) -> Answer:
    """Return whether a captive is free, and how long to wait for the next try."""
    rows.check_escape(present=asked.present)
    kept, wait = 0, 0
    free = False
    for dice in asked.attempts:
        if free:
            raise RollError("The captive is free already: no further try is due.")
        played = row(book, "escape", dice, kept=kept)
        failed = played.record["dice"] > played.record["hits"] - kept
        kept = played.record["hits"]
        free = played.conclusion is not None and played.conclusion.outcome == "free"
        wait = book.number("escape-wait-minutes") if failed and not free else 0
    return {"free": free, "successes": kept, "wait_minutes": wait}


def row(book: RuleSet, family: str, faces: Sequence[int], *, mods: Mods = (), kept: int = 0) -> PartResult:
    """Resolve a row of dice; faces behind its end are not used.

    Raises:
        RollError: there are too many dice, or too few.

    """
    declared = book.strikes[f"roe.{family}"]
    die = declared.rolls[0]
    if declared.tries is not None and len(faces) > declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice, not {len(faces)}.")
    if declared.until is None and len(faces) != declared.tries:
        raise RollError(f"{declared.title} takes {declared.tries} dice at once, not {len(faces)}.")
    inputs = {rows.TRIES: len(faces), rows.KEPT: kept}
    part = Part("typed", {}, adjustments=tuple(added(die, mods)), inputs=inputs)
    sides = book.table(die).die.sides
    return resolve(Request(declared.id, (part,)), book, fallen(*((sides, face) for face in faces))).parts[0]


OPS: Mapping[str, Op] = {
    "explosion": Op(Explosion, explosion),
    "flee": Op(Flee, flee),
    "call": Op(Call, call),
    "shove": Op(Shove, shove),
    "surgery": Op(Surgery, surgery),
    "escape": Op(Escape, escape),
}
"""What can be asked, by the name of its `op`."""
