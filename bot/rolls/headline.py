"""The headline of a roll: who did what, how it ended, and by which numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bot.core.entry_kinds import Body, View
from bot.core.people import hidden_as
from bot.ui.text import DOT, plain, tells
from rules.dice import term_of

Record = Mapping[str, Any]
"""A part, step or consequence in the body of a roll's entry, as `entry_body` writes it."""


def headline(body: Body, part: Record, mark: str = "**", unknown: Collection[str] = ()) -> str:
    """Return who does what in one part of a roll, with `mark` around the names; `unknown` names are left out."""
    subjects = {role: hidden_as(role) if name in unknown else name for role, name in part["subjects"].items()}
    template: str = body["headline"] if body["subject"] in subjects else body["headline_alone"]
    return filled(template, in_headline(subjects, part.get("inputs", {}), mark))


def in_headline(subjects: Mapping[str, str], inputs: Mapping[str, Any], mark: str = "**") -> dict[str, str]:
    """Return what a headline can name: what a roll takes besides, and those in it, set off by a mark."""
    taken = {name: plain(value) for name, value in inputs.items() if isinstance(value, str)}
    return taken | {role: f"{mark}{plain(name)}{mark}" for role, name in subjects.items()}


def filled(template: str, names: Mapping[str, str]) -> str:
    """Return a headline with its names; without what leads up to one that is not said."""
    return template.format(**names).strip(" :")


def outcome_line(  # noqa: PLR0913, PLR0917 - what happened, and how it is written
    body: Body, part: Record, text: str, mark: str = "**", unknown: Collection[str] = (), between: str = ": "
) -> str:
    """Return a headline and the result of one part of a roll; of two that say the same, the longer one."""
    about = headline(body, part, mark, unknown)
    return text if tells(text, about) else about if tells(about, text) else f"{about}{between}{text}"


def title(body: Body, part: Record, view: View) -> str:
    """Return who did what, how it ended and by which numbers: `Kilo against Ghost · Caught · 21 vs 18`."""
    outcome = plain(part["outcome"]["text"] if part["outcome"] else "Not rolled").rstrip(".")
    line = outcome_line(body, part, outcome, mark="", between=DOT)
    numbers = _deciding_numbers(part) if view == "staff" or not part["secret"] else ""
    return f"{line}{DOT}{numbers}" if numbers else line


def _deciding_numbers(part: Record) -> str:
    """Return the total that decided a roll, against what it had to reach; empty where no single table decided it."""
    steps = [step for step in part["steps"] if "dice" not in step]
    if not steps or len({step["table"] for step in steps}) < len(steps):
        return ""
    step = steps[-1]
    if step["natural"]:
        return f"natural {joined_faces(step)}"
    total, row = number(step["total"]), step["row"]
    needed = row["min"] if row["max"] is None else row["max"] + 1 if row["min"] is None else None
    match step.get("reads"):
        case "number":
            return ""
        case "reach":
            needed = step["value"]
        case "under":
            total, needed = joined_faces(step), step["value"] + step["sum"]
    return total if needed is None else f"{total} vs {number(needed)}"


def joined_faces(roll: Record) -> str:
    """Return faces joined as they are read: as a sum, or side by side as digits."""
    return ("" if term_of(roll["die"]).digits else " + ").join(map(str, roll["faces"]))


def number(value: int) -> str:
    """Return a number with a true minus sign."""
    return str(value).replace("-", "\N{MINUS SIGN}")
