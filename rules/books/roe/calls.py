"""Who was called into a fight and has still to say that they come (line 143)."""

from __future__ import annotations

from rules.books.roe.marks import COMING, WANTED
from rules.books.roe.scene import Fight, replace_marks
from rules.scenes import Participant, Replacement, change


def caller_of(fight: Fight, number: int) -> Participant | None:
    """Return who has called somebody (number) who has not said yet that they come; of several the first."""
    return next((item for item in fight.roster if f"{WANTED}{number}" in item.marks), None)


def wanted(fight: Fight) -> list[int]:
    """Return who (numbers) was called into a fight and has not said yet that they come, each once."""
    marks = dict.fromkeys(mark for item in fight.roster for mark in item.marks if mark.startswith(WANTED))
    return [int(mark.removeprefix(WANTED)) for mark in marks]


def turns_left(fight: Fight, caller: Participant, number: int) -> int:
    """Return how many more turns of the caller somebody (number) has who was called, without the one under way."""
    return caller.marks[f"{WANTED}{number}"] - (fight.now == caller.id)


def answer_call(fight: Fight, caller: Participant, number: int) -> list[Replacement]:
    """Let somebody (number) come who was called."""
    left = {name: count for name, count in caller.marks.items() if name != f"{WANTED}{number}"}
    return change(fight, [replace_marks(caller, {**left, f"{COMING}{number}": caller.marks[f"{WANTED}{number}"]})])
