"""Rolls of the RoE book with the dice as they fell: checks, contests, and what is rolled against several."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from bot.cli.questions import Op, Question, Several, told
from bot.cli.roe.contests import CONTEST
from bot.cli.roe.duels import added
from bot.cli.roe.questions import RollIn
from bot.cli.roe.struggles import OPS as STRUGGLES
from rules.books.roe.checks import Checked, checked, fall_damage
from rules.books.roe.sides import Mods, fallen, racial_facts
from rules.engine import resolve
from rules.errors import RollError
from rules.procedure import Part, Request
from rules.ruleset import RuleSet

Answer = dict[str, Any]


class Skill(RollIn, frozen=True, kw_only=True):
    """A skill roll against a number, if not the usual one."""

    target: int | None = None


class Cuffs(RollIn, frozen=True, kw_only=True):
    """How often the lock was tried before."""

    tries: int = 0


class Fall(Question, frozen=True, kw_only=True):
    """How deep somebody falls, and the dodge if there is one."""

    metres: float
    die: int | None = None
    mods: Mods = ()
    racial: str | None = None


class Saving(RollIn, frozen=True, kw_only=True):
    """A roll without modifiers."""


class Fuel(Saving, frozen=True, kw_only=True):
    """The same with the die of the damage, where there is any."""

    damage_die: int | None = None


def skill(asked: Skill, book: RuleSet) -> Answer:
    """Return how a skill roll comes out."""
    return told(_checked(book, "roe.check", asked, asked.target))


def plain(family: str, asked: RollIn, book: RuleSet) -> Answer:
    """Return how a roll against its printed number comes out."""
    return told(_checked(book, family, asked))


def cuffs(asked: Cuffs, book: RuleSet) -> Answer:
    """Return whether the lock of handcuffs is picked."""
    if not 0 <= asked.tries < book.number("cuff-tries"):
        raise RollError("The lock of handcuffs may be tried once only.")
    return plain("roe.check.cuffs", asked, book)


def fall(asked: Fall, book: RuleSet) -> Answer:
    """Return the damage of a fall, which no damage reduction lessens."""
    damage = fall_damage(book, asked.metres)
    if asked.die is None:
        return {"damage": damage, "dr_applies": False}
    out = _checked(book, "roe.check.fall", RollIn(asked.die, asked.mods, asked.racial))
    return {**told(out), "damage": 0 if out.success else damage, "dr_applies": False}


def saving(family: str, asked: Saving, book: RuleSet) -> Answer:
    """Return how a roll comes out on which nothing counts."""
    if asked.mods:
        raise RollError("No modifiers count on this roll: leave out mods.")
    return plain(family, asked, book)


def fuel(asked: Fuel, book: RuleSet) -> Answer:
    """Return whether the fuel of an operator who is down explodes, and what it does."""
    out = saving("roe.check.fuel", asked, book)
    if asked.damage_die is not None:
        fallen((book.number("fuel-sides"), asked.damage_die))
    if out["success"]:
        return out
    if asked.damage_die is None:
        raise RollError("The fuel explodes: give its damage_die.")
    blasts = {
        "self": {"damage": asked.damage_die, "may_dodge": False},
        "others": {"damage": asked.damage_die, "may_dodge": True},
    }
    return {**out, **blasts, "diameter_m": book.number("fuel-diameter-m")}


def _checked(book: RuleSet, family: str, asked: RollIn, target: int | None = None) -> Checked:
    table = book.table(family)
    part = Part(
        "typed",
        {},
        racial_facts(book, "actor", asked.racial),
        adjustments=tuple(added(table.id, asked.mods)),
        inputs={} if target is None else {"values": {table.id: target}},
    )
    return checked(resolve(Request(family, (part,)), book, fallen((table.die.sides, asked.die))).parts[0])


CHECK = Several(
    "check",
    {
        "skill": Op(Skill, skill),
        "hatch": Op(RollIn, partial(plain, "roe.check.hatch")),
        "cuffs": Op(Cuffs, cuffs),
        "fall": Op(Fall, fall),
        "mortal": Op(Saving, partial(saving, "roe.check.mortal")),
        "fuel": Op(Fuel, fuel),
    },
)
OPS: Mapping[str, Op | Several] = {"check": CHECK, "contest": CONTEST, **STRUGGLES}
"""What can be asked, by the name of its `op`."""
