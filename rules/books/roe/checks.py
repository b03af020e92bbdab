"""Checks of the RoE book: a d100 with modifiers against a number (lines 8 to 14), and the falls and fires that they decide."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.contests import BY_WINNER
from rules.books.roe.skills import OWN, SKILLS, SkillMethod, skill_of
from rules.errors import RollError
from rules.procedure import Part, Policy, Procedure, Stage
from rules.stages import TableMethod, stage_of

CHECK = "roe.check"


def fall_damage(book: Book, metres: float) -> int:
    """Return the HP that a fall takes, past any DR: 10 from 5 m on and 1 for each whole metre beyond (line 132)."""
    if not metres >= 0:
        raise RollError(f"A fall of {metres} m isn't possible. Give 0 metres or more.")
    least = book.number("fall-from-m")
    return 0 if metres < least else book.number("fall-hp") + int(metres) - least


def _procedure(table: str, title: str, headline: str) -> Procedure:
    return Procedure(
        family=table,
        title=title,
        actor="actor",
        subject="thing",
        headline=headline,
        headline_alone=headline,
        method=TableMethod((table,), BY_WINNER),
        policy=Policy(again="never"),
    )


def _skill_stage(part: Part, book: Book) -> Stage:
    """Return the stage of the skill that a part names."""
    skill = skill_of(part, book)
    return stage_of(skill.check if skill else CHECK, part, book)


SKILL_ROLL = Procedure(
    family=CHECK,
    title="Skill roll",
    actor="actor",
    subject="thing",
    headline="{actor} tries",
    headline_alone="{actor} tries",
    method=SkillMethod((CHECK, *(f"{CHECK}.{skill}" for skill in SKILLS)), BY_WINNER, _skill_stage, told_as=CHECK),
    policy=OWN,
)

PROCEDURES = (
    SKILL_ROLL,
    _procedure("roe.check.fall", "Fall", "{actor} falls"),
    _procedure("roe.check.mortal", "Saving roll", "{actor} is struck hard"),
    _procedure("roe.check.fuel", "Burning fuel", "{actor} goes down with a flamer"),
    _procedure("roe.check.cuffs", "Pick handcuffs", "{actor} tries to pick handcuffs"),
    _procedure("roe.check.hatch", "Hatch", "{actor} tries to hack a hatch"),
)
