"""What a game master has to say before a task can be rolled: choices of its roll that no order and nothing saved tells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from bot.ui.text import listing
from rules.orders import Task
from rules.procedure import Choice, Procedure


class LackingChoice(Struct, frozen=True):
    """A choice that is not known of a part (its key) of a task, which is about somebody."""

    part: str
    about: str
    choice: Choice


def lacking(procedure: Procedure, task: Task) -> list[LackingChoice]:
    """Return the choices that are not known, by part, in the same order whatever the order of the parts."""
    return [
        LackingChoice(part.key, " + ".join(who.name for who in part.roles[procedure.subject]), choice)
        for part in sorted(task.parts, key=lambda part: part.key)
        for choice in procedure.choices
        if choice.id not in part.choices
    ]


def with_choices(procedure: Procedure, task: Task, given: Sequence[str]) -> Task:
    """Return a task with answers to what it lacks, in the order of `lacking`: the last one is for all others, and what is no option for none."""
    answers: dict[str, dict[str, str]] = {}
    for item, option in zip_longest(lacking(procedure, task), given, fillvalue=given[-1] if given else ""):
        if isinstance(item, LackingChoice) and option in item.choice.options:
            answers.setdefault(item.part, {})[item.choice.id] = option
    parts = (replace(part, choices={**part.choices, **answers.get(part.key, {})}) for part in task.parts)
    return replace(task, parts=tuple(parts))


def lacks(procedure: Procedure, task: Task) -> str:
    """Return in a sentence which choices are not known; an empty text where all are."""
    missing = lacking(procedure, task)
    labels = {item.choice.label: [each.about for each in missing if each.choice == item.choice] for item in missing}
    return " ".join(f"{label} is missing: {listing(names)}." for label, names in labels.items())
