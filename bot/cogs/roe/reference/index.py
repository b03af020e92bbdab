"""What there is to look up in the book RoE: each thing under its name, with what it is and the line where it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import Struct

from bot.cogs.roe.reference import entries, rolls
from bot.errors import unknown_name
from bot.ui.parsing import MAX_CHOICE
from bot.ui.text import shorten
from rules.catalog import Amount
from rules.ruleset import RuleSet
from rules.subjects import name_key


class Topic(Struct, frozen=True):
    """One thing to look up: its name, what it is, its line of the page if it has one, and what tells of it, line by line."""

    name: str
    what: str
    line: int | None
    tell: Callable[[], Iterable[str]]

    @property
    def label(self) -> str:
        """Name and what it is, since several things may share a name; as much as a completion holds."""
        return shorten(f"{self.name} ({self.what})", MAX_CHOICE)


def topics(book: RuleSet, *, staff: bool) -> Iterator[Topic]:
    """Yield all that a book lists, numbers last; tables for the staff, and what is secret, for `staff` alone."""
    numbers = book.catalog.get(Amount.kind, {})
    for listed in (*(listed for listed in book.catalog.values() if listed is not numbers), numbers):
        for entry in listed.values():
            yield Topic(entry.label, entries.called(entry), entry.line, partial(entries.told, book, entry))
    yield from _of_people(book, staff=staff)
    yield from _rolled(book, staff=staff)


def _of_people(book: RuleSet, *, staff: bool) -> Iterator[Topic]:
    """Yield what befalls people, what counts for them, and what is kept of them."""
    for effect in book.effects.values():
        if staff or not effect.secret:
            line = entries.printed(book, effect.trait)
            yield Topic(effect.label, "effect", line, partial(entries.effect_told, book, effect))
    for score in book.scores.values():
        yield Topic(score.label, "score", score.line, partial(entries.score_told, score))
    for field in book.fields.values():
        yield Topic(field.label, "kept of characters", field.line, partial(entries.field_told, field))


def _rolled(book: RuleSet, *, staff: bool) -> Iterator[Topic]:
    """Yield acts, and what is rolled for them."""
    for act in book.acts.values():
        yield Topic(act.title, "act", act.line, partial(rolls.act_told, book, act))
    for contest in book.contests.values():
        yield Topic(contest.title, "contest", contest.line, partial(rolls.contest_told, book, contest))
    for strikes in book.strikes.values():
        yield Topic(strikes.title, "several tries", strikes.line, partial(rolls.strikes_told, book, strikes))
    for table in book.tables.values():
        if staff or table.audience != "staff":
            told = partial(rolls.table_told, table, staff=staff)
            yield Topic(table.title, "table", table.rows[0].line, told)


def found(known: Iterable[Topic], typed: str) -> list[Topic]:
    """Return what is meant by a name: one thing by its whole label, or all that share the name.

    Raises:
        BadInput: nothing is called so.

    """
    wanted, everything = name_key(typed), [*known]
    for called in (_label, _name):
        if meant := [topic for topic in everything if name_key(called(topic)) == wanted]:
            return meant
    names = dict.fromkeys(topic.name for topic in everything)
    raise unknown_name(
        f"The book has nothing called {typed!r}.", typed, names, "What it has is offered while you type."
    )


def suggested(known: Iterable[Topic], typed: str) -> list[str]:
    """Return the labels that hold what is typed: first those that begin with it."""
    wanted = name_key(typed)
    labels = [topic.label for topic in known if wanted in name_key(topic.label)]
    return sorted(labels, key=lambda label: not name_key(label).startswith(wanted))


def _label(topic: Topic) -> str:
    return topic.label


def _name(topic: Topic) -> str:
    return topic.name
