"""Contests of the RoE book with the dice as they fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from rules.book import weigh_score
from rules.books.roe import contests, hiding, struggles
from rules.books.roe.blasts import AIMED
from rules.books.roe.characters import find_score, racial_facts
from rules.books.roe.contests import read_contest
from rules.errors import RollError
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet, resolve
from tests.answers.lines import Answer, Choice
from tests.answers.roe_rolls import Roll, Thrown, adjust_table, fight, list_results, meet, outcome_of, script_dice
from tests.answers.roe_values import Mods


class Caught(Roll, frozen=True, kw_only=True):
    """Somebody within an explosion."""

    name: str


class Interrupt(Thrown, frozen=True, kw_only=True):
    """An interrupter with a hold (`holds`), or one who says so after the dice (`late`)."""

    holds: bool = False
    late: bool = False


def plain(family: str, book: RuleSet, *, actor: Roll, resister: Roll) -> Answer:
    """Return a contest's result."""
    return list_results(meet(book, family, actor, resister))


def strike(book: RuleSet, *, actor: Roll, resister: Roll, sides: int = 100, can_crit: bool = True) -> Answer:
    """Return an attack's result, and whether its damage die doubles."""
    thrown = Thrown(actor.die, actor.mods, actor.racial, sides=sides, can_crit=can_crit)
    out = meet(book, "strike", thrown, resister)
    return {**list_results(out), "double": out.double}


def hide(book: RuleSet, *, actor: Roll, resisters: tuple[Roll, ...]) -> Answer:
    """Return which witnesses don't see a hiding character."""
    script_dice((book.table(book.contests["roe.hide"].actor).die.sides, actor.die))
    results = fight(book, "hide", actor, resisters) if resisters else ()
    return {"wins": [read_contest(result, book).is_won for result in results]}


def spot(book: RuleSet, *, actor: Roll, resister: Roll) -> Answer:
    """Return whether a sniper is found."""
    out = meet(book, "spot", actor, resister)
    return {**list_results(out), "may_act": out.is_won, "costs": "action"}


def disarm(
    book: RuleSet, *, actor: Roll, resister: Roll, range_m: float, whip: bool = False, builtin: bool = False
) -> Answer:
    """Return whether a weapon is struck away, and where it lands (lines 289, 417 to 419)."""
    reach = book.number("melee-reach-m") + (book.number("long-reach-m") if whip else 0)
    if not 0 <= range_m <= reach:
        raise RollError(f"Disarming reaches {reach} m, not {range_m:g} m.")
    out = meet(book, "disarm", actor, resister, *["actor.whip"] * whip)
    removed = out.is_won and not builtin
    blocked = "action" if out.is_won and builtin else None
    metres = book.number("disarm-m") if removed else 0
    return {**list_results(out), "lands_m": metres, "removed": removed, "blocked_until": blocked}


def break_hold(book: RuleSet, *, actor: Roll, resister: Roll) -> Answer:
    """Return whether the held one breaks free."""
    facts = racial_facts(book, "actor", actor.racial)
    ways = {
        family: weigh_score(book.scores[score], "actor", facts).value
        for family, score in (("break-by-dodge", "dodge"), ("break-by-strength", "strength"))
    }
    return plain(max(ways, key=ways.__getitem__), book, actor=actor, resister=resister)


def force_move(book: RuleSet, *, actor: Roll, resister: Roll, speeds_m: tuple[float, ...]) -> Answer:
    """Return how far the held one is moved."""
    metres = contests.limit_forced_m(speeds_m)
    out = meet(book, "force-move", actor, resister)
    return {**list_results(out), "max_m": metres if out.is_won else 0}


def inject(book: RuleSet, *, actor: Roll, resister: Roll) -> Answer:
    """Return whether an injection works; the item is used up."""
    return {**plain("inject", book, actor=actor, resister=resister), "item_used": True}


def cuff(
    book: RuleSet,
    *,
    target: Literal["stunned", "incapacitated", "surrendering", "alert"],
    resists: bool,
    used: int = 0,
    actor: Roll | None = None,
    resister: Roll | None = None,
) -> Answer:
    """Return whether handcuffs close."""
    cuffed = contests.decide_cuffs(book, target, resists=resists, used=used)
    if cuffed is None:
        if actor is None or resister is None:
            raise RollError("A stunned target who resists takes dice: give actor and resister.")
        cuffed = meet(book, "cuff", actor, resister).is_won
    elif actor or resister:
        raise RollError("No dice are due here: leave out actor and resister.")
    return {"cuffed": cuffed, "consumed": True, "more": used + 1 < book.number("cuff-uses")}


def frisk(book: RuleSet, *, actor: Roll, resister: Roll) -> Answer:
    """Return how many stacks stay hidden."""
    out = meet(book, "frisk", actor, resister)
    return {**list_results(out), "stacks": 0 if out.is_won else contests.count_hidden_stacks(book, out.margin)}


def ram(book: RuleSet, *, actor: Roll, resister: Roll, damage_die: int) -> Answer:
    """Return a ram's damage."""
    script_dice((book.number("ram-sides"), damage_die))
    out = meet(book, "ram", actor, resister)
    damage = damage_die if out.is_won else 0
    return {**list_results(out), "damage": damage, "type": "melee", "spends": None if out.is_won else "movement"}


def explosion(
    book: RuleSet, *, roll: int, targets: tuple[Caught, ...], primary: Caught | None = None, mods: Mods = ()
) -> Answer:
    """Return who is hit, and who avoids it."""
    if mods and primary is None:
        raise RollError("Modifiers count against the one aimed at alone: name the primary.")
    caught = [*([primary] if primary else []), *targets]
    parts = []
    for target in caught:
        aim = adjust_table("roe.blast.aimed", mods) if target is primary else ()
        adjustments = (*adjust_table("roe.resist.blast", target.mods), *aim)
        facts = racial_facts(book, "resister", target.racial)
        parts.append(Part(target.name, {}, facts, adjustments=adjustments, inputs={AIMED: target is primary}))
    dice = script_dice((100, roll), *((100, target.die) for target in caught))
    results = resolve(Request("roe.blast", tuple(parts)), book, dice).parts
    named = [(target.name, outcome_of(result)) for target, result in zip(caught, results, strict=True)]
    return {
        "hit": [name for name, outcome in named if outcome == "actor"],
        "avoided": [name for name, outcome in named if outcome == "resister"],
    }


def flee(
    book: RuleSet,
    *,
    dodge: Roll,
    vehicle: bool = False,
    attempts: int = 0,
    movement_used: bool = False,
    actions: int = 1,
    non_splicers: bool = False,
    interrupts: tuple[Interrupt, ...] = (),
    movement_m: int = 8,
) -> Answer:
    """Return whether a flight succeeds, and what interrupters spent."""
    whole = not movement_used and actions >= 1
    hiding.check_flight(
        book, racial_facts(book, "actor", dodge.racial), attempts, whole_turn=whole, non_splicers=non_splicers
    )
    # A holder has the same modifier whatever its accuracy is (line 426).
    hold = (book.number("hold-interrupt"),)
    against = [replace(item, mods=hold, racial=None) if item.holds else item for item in interrupts]
    results = fight(book, "flee", dodge, against, ["actor.vehicle"] * vehicle)
    hits = _hits(interrupts, results)
    return {
        "roll": results[0].on_tables[0].total,
        "totals": [result.on_tables[1].total for result in results if interrupts],
        "hits": hits,
        "away": not any(hits),
        "spent": [place for place, item in enumerate(interrupts) if not item.late],
        "may_move_m": movement_m // 2 if any(hits) else None,
    }


def call(
    book: RuleSet,
    *,
    dodge: Roll | None = None,
    interrupts: tuple[Interrupt, ...] = (),
    com_destroyed: bool = False,
    recipients: int = 1,
    channel: str | None = None,
    comlink_m: float | None = None,
) -> Answer:
    """Return whether a call goes through, and whether the com is gone."""
    if comlink_m is not None:
        hiding.check_comlink(book, comlink_m)
        return {"through": True, "com_destroyed": com_destroyed, "damage": 0, "rolled": False}
    hiding.check_call(book, com_destroyed=com_destroyed, recipients=recipients, channel=channel)
    declared = any(not item.late for item in interrupts)
    if declared and dodge is None:
        raise RollError("The interrupted character rolls to dodge: give the dodge.")
    hit = any(_hits(interrupts, fight(book, "call", dodge, interrupts) if dodge else ()))
    return {"through": not hit, "com_destroyed": hit, "damage": 0, "rolled": declared}


def _hits(interrupts: Sequence[Interrupt], results: Sequence[PartResult]) -> list[bool]:
    pairs = zip(interrupts, results, strict=False)
    return [outcome_of(result) == "resister" and not item.late for item, result in pairs]


def shove(
    book: RuleSet,
    *,
    into: Literal["object", "character"],
    damage_die: int,
    strength: int = 0,
    racial: str | None = None,
    accuracy: Roll | None = None,
    dodge: Roll | None = None,
) -> Answer:
    """Return a shove's damage; `racial` is the thrower's option."""
    script_dice((book.number("improvised-sides"), damage_die))
    racial = racial or (accuracy.racial if accuracy else None)
    strength += find_score(book, "strength", racial_facts(book, "actor", racial))
    if into == "object":
        if accuracy or dodge:
            raise RollError("An object dodges nothing: leave out accuracy and dodge.")
        return {"hit": True, "damage": struggles.into_object(book, damage_die, strength), "hold_ends": True}
    if accuracy is None or dodge is None:
        raise RollError("A throw at a character takes dice: give accuracy and dodge.")
    out = meet(book, "hurl", accuracy, dodge)
    return {"hit": out.is_won, "damage": struggles.into_character(book, damage_die, strength, out), "hold_ends": True}


OPS: Mapping[str, Any] = {
    "contest": Choice(
        "contest",
        {
            **{name: partial(plain, name) for name in ("skill", "witness", "grapple", "loot", "sneak", "pickpocket")},
            "attack": strike,
            **{op.__name__: op for op in (hide, spot, disarm, break_hold, force_move, inject, cuff, frisk, ram)},
        },
    ),
    **{op.__name__: op for op in (explosion, flee, call, shove)},
}
