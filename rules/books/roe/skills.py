"""Skill rolls of the RoE book (lines 8 to 14): by which tables a skill is rolled, by how much it came out, and what is told with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import Note, Skill, entry_of
from rules.books.roe.criticals import LOST, critical_cost, critical_of, losses
from rules.dice import Dice
from rules.procedure import MethodResult, Part, PartResult, Policy, Step
from rules.scenes import MEMBER
from rules.stages import TableMethod
from rules.subjects import PROFILE
from rules.tables import Consequence

SKILL = "skill"
"""The input of a part that names the skill, by its id; without one it is another that the book does not know."""
OPPOSED = ("perception", "strength", "dodge", "accuracy", "medical", "lockpick")
"""The skills that are rolled against somebody in a contest of their own, `roe.skill.<id>`."""
FIGHTING = "fighting"
"""The input of a later part of a roll whose actor stands in a fight: what an act costs is paid once, and its marks are out of sight then."""
SKILLS = ("stealth", *OPPOSED, "hacking")
"""The skills that the book knows; each has a check, `roe.check.<id>`."""
OWN = Policy(again="never", open_to_players=True, needs=(("actor", PROFILE),))
"""Whoever plays rolls for saved characters of their own."""


class SkillMethod(TableMethod, frozen=True):
    """The method of skill rolls, which tells the margin (line 10); `told_as` is the family whose notes go with it."""

    told_as: str = ""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll, and tell by which skill and by how much, unless the die alone decided."""
        played = TableMethod.play(self, part, book, dice)
        last, lost = played.steps[-1], tuple(lost_by(part, book, played))
        skill, came = skill_of(part, book), played.conclusion
        text = came.text if skill is None or skill.family == self.told_as else f"{skill.label}: {came.text}"
        ended = replace(came, text=text, consequences=(*came.consequences, *lost))
        if isinstance(last, Step) and last.value is not None and not last.natural and not _secret(played):
            ended = replace(ended, text=f"{ended.text} (by {abs(last.total - last.value)})")
        return replace(played, conclusion=ended)

    def lines(self, _part: Part, book: Book) -> Sequence[str]:
        """Return the notes of the page about such rolls."""
        return [note.label for note in book.listed(Note).values() if self.told_as in note.of]


def _secret(played: MethodResult) -> bool:
    """Tell whether a margin would tell players what they may not know to have counted."""
    return any(step.secret for step in played.steps if isinstance(step, Step))


def lost_by(part: Part, book: Book, played: MethodResult) -> Iterator[Consequence]:
    """Yield what those lose of their next turn who fail critically in a turn of a fight (line 88)."""
    naturals = [critical_of(step.table, step.roll.total) for step in played.steps if isinstance(step, Step)]
    lost = losses(naturals[0], (*naturals, "none")[1], critical_cost(book, part.facts))
    for role, what in zip(("actor", "resister"), lost, strict=True):
        if what in LOST and (_fights(part, role) or (role == "actor" and part.inputs.get(FIGHTING))):
            yield Consequence(LOST[what], role)


def still_fighting(part: Part, before: Sequence[PartResult], _book: Book) -> Part:
    """Return a later part of a roll, which throws dice of its own, with whether its actor stands in a fight."""
    return replace(part, inputs={**part.inputs, FIGHTING: True}) if before and _fights(part, "actor") else part


def _fights(part: Part, role: str) -> bool:
    return bool(part.kept.get(part.subjects.get(role, ""), {}).get(MEMBER))


def skill_of(part: Part, book: Book) -> Skill | None:
    """Return the skill that a part names, None where it names none that the book knows."""
    name = part.inputs.get(SKILL)
    return None if name is None else entry_of(book.listed(Skill), name)
