"""`contest`: two sides' dice against each other, and what each contest comes to besides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from bot.cli.questions import Op, Question, Several, told
from bot.cli.roe.duels import ThrownIn, fight, meet
from bot.cli.roe.questions import RollIn
from rules.books.roe import contests
from rules.books.roe.contests import settled
from rules.books.roe.sides import fallen, racial_facts
from rules.errors import RollError
from rules.ruleset import RuleSet
from rules.scores import weigh_score

Target = Literal["stunned", "incapacitated", "surrendering", "alert"]
Answer = dict[str, Any]


class Versus(Question, frozen=True, kw_only=True):
    """Two sides."""

    actor: RollIn
    resister: RollIn


class Strike(Versus, frozen=True, kw_only=True):
    """An attack with the die of its range."""

    sides: int = 100
    can_crit: bool = True


class Hide(Question, frozen=True):
    """One who hides, and every witness."""

    actor: RollIn
    resisters: tuple[RollIn, ...]


class Disarm(Versus, frozen=True, kw_only=True):
    """How far away, with a whip, and a weapon that is built into a vehicle."""

    range_m: float
    whip: bool = False
    builtin: bool = False


class ForceMove(Versus, frozen=True, kw_only=True):
    """The speeds of holder and held in metres."""

    speeds_m: tuple[float, ...]


class Cuff(Question, frozen=True, kw_only=True):
    """Whom to handcuff; rolls only where dice are due."""

    target: Target
    resists: bool
    used: int = 0
    actor: RollIn | None = None
    resister: RollIn | None = None


class Ram(Versus, frozen=True, kw_only=True):
    """A vehicle driven into somebody."""

    damage_die: int


def plain(family: str, asked: Versus, book: RuleSet) -> Answer:
    """Return how two sides come out, and nothing else."""
    return told(meet(book, family, asked.actor, asked.resister))


def strike(asked: Strike, book: RuleSet) -> Answer:
    """Return how an attack comes out, and whether its damage die counts twice."""
    actor = ThrownIn(asked.actor.die, asked.actor.mods, asked.actor.racial, sides=asked.sides, can_crit=asked.can_crit)
    out = meet(book, "strike", actor, asked.resister)
    return {**told(out), "double": out.double}


def hide(asked: Hide, book: RuleSet) -> Answer:
    """Return from which witnesses somebody is hidden by one die."""
    fallen((book.table(book.contests["roe.hide"].actor).die.sides, asked.actor.die))
    results = fight(book, "hide", asked.actor, asked.resisters) if asked.resisters else ()
    return {"wins": [settled(result, book).won for result in results]}


def spot(asked: Versus, book: RuleSet) -> Answer:
    """Return whether a sniper is found, so that the searcher may act against it."""
    out = meet(book, "spot", asked.actor, asked.resister)
    return {**told(out), "may_act": out.won, "costs": "action"}


def disarm(asked: Disarm, book: RuleSet) -> Answer:
    """Return whether a weapon is struck from a hand, and where it lands."""
    metres = contests.lands_m(book, asked.range_m, whip=asked.whip)
    facts = ("actor.whip",) if asked.whip else ()
    out = meet(book, "disarm", asked.actor, asked.resister, *facts)
    removed = out.won and not asked.builtin
    blocked = "action" if out.won and asked.builtin else None
    return {**told(out), "lands_m": metres if removed else 0, "removed": removed, "blocked_until": blocked}


def break_hold(asked: Versus, book: RuleSet) -> Answer:
    """Return whether the held one is free, by dodge or strength: whichever the racial option serves better."""
    facts = racial_facts(book, "actor", asked.actor.racial)
    ways = {
        family: weigh_score(book.scores[score], "actor", facts).value
        for family, score in (("break-by-dodge", "dodge"), ("break-by-strength", "strength"))
    }
    return plain(max(ways, key=ways.__getitem__), asked, book)


def force_move(asked: ForceMove, book: RuleSet) -> Answer:
    """Return how far the held one can be moved."""
    metres = contests.forced_m(asked.speeds_m)
    out = meet(book, "force-move", asked.actor, asked.resister)
    return {**told(out), "max_m": metres if out.won else 0}


def inject(asked: Versus, book: RuleSet) -> Answer:
    """Return whether an injection goes in; the item is used up either way."""
    return {**plain("inject", asked, book), "item_used": True}


def cuff(asked: Cuff, book: RuleSet) -> Answer:
    """Return whether handcuffs close; dice decide that of the stunned who resist alone."""
    cuffed = contests.cuffs_by_dice(book, asked.target, resists=asked.resists, used=asked.used)
    if cuffed is None:
        if asked.actor is None or asked.resister is None:
            raise RollError("A stunned target who resists takes dice: give actor and resister.")
        cuffed = meet(book, "cuff", asked.actor, asked.resister).won
    elif asked.actor or asked.resister:
        raise RollError("No dice are due here: leave out actor and resister.")
    return {"cuffed": cuffed, "consumed": True, "more": asked.used + 1 < book.number("cuff-uses")}


def frisk(asked: Versus, book: RuleSet) -> Answer:
    """Return how many stacks a suspect hides from an officer."""
    out = meet(book, "frisk", asked.actor, asked.resister)
    return {**told(out), "stacks": 0 if out.won else contests.stacks_kept(book, out.margin)}


def ram(asked: Ram, book: RuleSet) -> Answer:
    """Return what a vehicle does that is driven into somebody."""
    fallen((book.number("ram-sides"), asked.damage_die))
    out = meet(book, "ram", asked.actor, asked.resister)
    damage = asked.damage_die if out.won else 0
    return {**told(out), "damage": damage, "type": "melee", "spends": None if out.won else "movement"}


OPS: Mapping[str, Op | Several] = {
    **{
        name: Op(Versus, partial(plain, name))
        for name in ("skill", "witness", "grapple", "loot", "sneak", "pickpocket")
    },
    "attack": Op(Strike, strike),
    "hide": Op(Hide, hide),
    "spot": Op(Versus, spot),
    "disarm": Op(Disarm, disarm),
    "break_hold": Op(Versus, break_hold),
    "force_move": Op(ForceMove, force_move),
    "inject": Op(Versus, inject),
    "cuff": Op(Cuff, cuff),
    "frisk": Op(Versus, frisk),
    "ram": Op(Ram, ram),
}
CONTEST = Several("contest", OPS)
"""What can be asked of two sides, by the name of its contest."""
