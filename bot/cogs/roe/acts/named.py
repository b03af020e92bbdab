"""The acts that people do by `/roe act`, by their names."""

from __future__ import annotations

from msgspec import Struct

from bot.errors import BadInput, unknown_name
from rules.book import Act
from rules.books.roe.marks import TURN_NOTES
from rules.fields import word_id
from rules.ruleset import RuleSet

WEAPON, WEAPONS, AMMUNITION = "weapon", "weapons", "ammunition"
"""The kinds of values that are about weapons of whoever acts: one, several, and one with what is loaded into it."""

ITEM = "item"
"""The kind of value that is what lies on the ground, or is in somebody's hands."""


class TypedAct(Struct, frozen=True):
    """An act as it was typed, with targets separated by commas."""

    what: str
    target: str | None
    value: str | None
    character: str | None
    modifiers: str | None = None
    note: str | None = None


def own_acts(book: RuleSet) -> list[Act]:
    """Return the acts of a turn that people do for their own."""
    return [act for act in book.acts.values() if act.id.startswith(TURN_NOTES) and act.own]


def offered(book: RuleSet) -> list[Act]:
    """Return the acts of a turn that people do for their own, but for those with a command of their own."""
    return [act for act in own_acts(book) if act.by is None]


def act_named(book: RuleSet, typed: str) -> Act:
    """Return the act of this title or id."""
    meant = word_id(typed)
    own = {name: act for act in own_acts(book) for name in _names(act)}
    act = own.get(meant)
    if act is None:
        titles = [item.title for item in offered(book)]
        what = f"I don't know an action called {typed[:60]!r}."
        raise unknown_name(what, typed, titles, "Pick one from the list.")
    if act.by is not None:
        raise BadInput(f"{act.title} has a separate command.", f"Use /roe {act.by}.")
    return act


def _names(act: Act) -> tuple[str, str]:
    return word_id(act.id.removeprefix(TURN_NOTES)), word_id(act.title)
