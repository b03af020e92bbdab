"""Contests of the RoE book: two sides' dice against each other, and what a critical failure costs (lines 82 to 92)."""

from __future__ import annotations

from rules.contests import contest_method
from rules.procedure import Policy, Procedure
from rules.stages import conclude_by_row

BY_WINNER = conclude_by_row("results")
ACTOR, RESISTER = "actor", "resister"


def _procedure(family: str, title: str, headline: str, tables: tuple[str, str]) -> Procedure:
    return Procedure(
        family=family,
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=headline,
        method=contest_method(f"roe.{family}", tables, BY_WINNER),
        policy=Policy(again="never"),
    )


PROCEDURES = (
    _procedure("skill", "Skill roll", "{actor} against {resister}", ("roe.act", "roe.resist")),
    _procedure("disarm", "Disarm", "{actor} disarms {resister}", ("roe.stealth", "roe.resist.disarm")),
)
