"""Cards of acts on a board that have become impossible since they were opened, such as those of a battle that is over: who closes the update reads which, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from bot.core.visibility import Viewer
from bot.rolls.card.service import still_open
from bot.ui.text import plain
from bot.ui.todo import FEW, Todo
from rules.books.total_war.board_roles import UNIT
from rules.effects import SCENE
from rules.errors import RollError
from rules.procedure import Part
from rules.ruleset import RuleSet


def late_cards(
    tx: Connection, viewer: Viewer, book: RuleSet, subject: str, values: Mapping[str, Any]
) -> Iterator[Todo]:
    """Yield the open cards of a war (its subject) that are refused as it stands (its values), each with why."""
    found = [*islice(_refused(tx, viewer, book, subject, values), FEW)]
    if found:
        lines = [f"{who} can't be rolled any more: {why}" for who, why in found]
        told = [f"\N{BULLET} {plain(line)}" for line in lines]
        yield Todo("Outdated roll cards", [*told, "-# Cancel them: `/cards`."], undone=plain(" ".join(lines)))


def _refused(
    tx: Connection, viewer: Viewer, book: RuleSet, subject: str, values: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield what such cards are about, and why they are refused; of several alike the first."""
    told: set[tuple[str, str]] = set()
    for _, request in still_open(tx, viewer.person, viewer.campaign):
        if (request.book, request.scene) != (book.id, subject):
            continue
        for item in request.parts:
            part = Part(key="", subjects=item.subjects, inputs=item.inputs, kept={SCENE: values})
            try:
                book.procedure(request.family).method.check(part, book)
            except RollError as refused:
                line = (f"{request.family} {item.subjects.get(UNIT, '')}".strip(), str(refused))
                if line not in told:
                    told.add(line)
                    yield line
