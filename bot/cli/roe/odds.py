"""`odds`: how likely attacks, contests, escapes and surgeries are to succeed."""

from __future__ import annotations

from functools import partial
from typing import Any

from bot.cli.questions import Op, Question, Several
from bot.cli.roe import attacks
from bot.cli.roe.duels import added
from rules.books.roe.contests import DICE
from rules.books.roe.sides import Mods
from rules.procedure import Part
from rules.ruleset import RuleSet


class ContestOdds(Question, frozen=True, kw_only=True):
    """A contest before its dice."""

    sides: int = 100
    can_crit: bool = True
    actor_mods: Mods = ()
    resister_mods: Mods = ()


class RowOdds(Question, frozen=True):
    """A row of dice: nothing else is asked."""


def contest(asked: ContestOdds, book: RuleSet) -> dict[str, Any]:
    """Return in how many falls the actor wins."""
    declared = book.contests["roe.strike"]
    adjustments = (*added(declared.actor, asked.actor_mods), *added(declared.resister, asked.resister_mods))
    dice = {declared.actor: {"sides": asked.sides, "can_crit": asked.can_crit}}
    falls = asked.sides * book.table(declared.resister).die.sides
    return _counted(book, declared.id, Part("typed", {}, adjustments=adjustments, inputs={DICE: dice}), "actor", falls)


def row(family: str, outcome: str, _asked: RowOdds, book: RuleSet) -> dict[str, Any]:
    """Return in how many falls a row of dice comes to an outcome."""
    declared = book.strikes[f"roe.{family}"]
    falls = book.table(declared.rolls[0]).die.sides ** (declared.tries or 1)
    return _counted(book, declared.id, Part("typed", {}), outcome, falls)


def _counted(book: RuleSet, family: str, part: Part, outcome: str, falls: int) -> dict[str, Any]:
    chances = book.procedure(family).method.odds(part, book)
    wins = sum(item.chance for item in chances if item.conclusion.outcome == outcome) * falls
    return {"wins": int(wins), "of": falls}


ODDS = Several(
    "of",
    {
        "attack": attacks.ODDS,
        "contest": Op(ContestOdds, contest),
        "escape": Op(RowOdds, partial(row, "escape", "free")),
        "surgery": Op(RowOdds, partial(row, "surgery", "success")),
    },
)
"""What can be asked, by what it is the odds of."""
