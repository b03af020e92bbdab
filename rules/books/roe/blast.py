"""Explosions of the RoE book: one plain die that everybody in the radius has to reach, and accuracy against a target (lines 397 to 405)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.contests import ACTOR, BY_WINNER, RESISTER
from rules.contests import contest_method
from rules.dice import SHARED
from rules.procedure import Part, PartResult, Policy, Procedure, Stage
from rules.stages import TableMethod

AIMED = "aimed"
"""The input of a part that the explosive is aimed at."""
_PLAIN, _AIMED, _DODGE = "roe.blast", "roe.blast.aimed", "roe.resist.blast"


_METHODS = {
    False: contest_method(_PLAIN, (_PLAIN, _DODGE), BY_WINNER),
    True: contest_method(_AIMED, (_AIMED, _DODGE), BY_WINNER),
}


def first_stage(part: Part, book: Book) -> Stage:
    """Return the stage that an explosion begins with: plain, or aimed."""
    return _METHODS[bool(part.inputs.get(AIMED))].first_stage(part, book)


def one_die(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    """Carry the die of the first part on to the others, whether it was aimed there or not."""
    faces = [[*result.on_tables[0].roll.faces] for result in before[:1]]
    return replace(part, inputs={**part.inputs, SHARED: {_PLAIN: faces[0], _AIMED: faces[0]}}) if faces else part


PROCEDURES = (
    Procedure(
        family=_PLAIN,
        title="Explosion",
        actor=ACTOR,
        subject=RESISTER,
        headline="{actor} catches {resister} in an explosion",
        method=TableMethod((_PLAIN, _AIMED, _DODGE), BY_WINNER, first_stage),
        carry=one_die,
        policy=Policy(again="never"),
    ),
)
