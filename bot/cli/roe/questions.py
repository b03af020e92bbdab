"""What lines about RoE share: the rolls of a side, and the words of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cli.questions import Question
from rules.books.roe.sides import Mods


class RollIn(Question, frozen=True):
    """The die of one side as it fell, its modifiers, and its racial option."""

    die: int
    mods: Mods = ()
    racial: str | None = None


def words(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ids of the book as the words of answers, in objects within it too."""
    return {
        name.replace("-", "_"): words(value) if isinstance(value, Mapping) else value for name, value in values.items()
    }
