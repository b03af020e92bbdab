"""What there is to look up in the book RoE: each thing under its name, with what it is and the line where it is printed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.roe.reference import entries, rolls
from bot.errors import unknown_name
from bot.ui.parsing import MAX_CHOICE
from bot.ui.text import shorten
from rules.book import Act
from rules.catalog import Amount
from rules.facts import mentioned_facts
from rules.ruleset import RuleSet
from rules.subjects import name_key
from rules.tables import RollTable, Score

ModifiedT = TypeVar("ModifiedT", RollTable, Score)


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


class Several(Exception):
    """What was typed stands in the names of several things: these, by their labels."""

    def __init__(self, labels: Iterable[str], typed: str) -> None:
        self.labels = [*dict.fromkeys(labels)]
        super().__init__(typed)


def for_players(book: RuleSet) -> RuleSet:
    """Return what players may read of a book: without what stands on secret facts, and without tables for the staff."""
    secret = {name for name, fact in book.facts.items() if fact.secret}
    tables = {name: _open(table) for name, table in book.tables.items() if table.audience != "staff"}
    return replace(
        book,
        tables=tables,
        scores={name: _open(score) for name, score in book.scores.items()},
        effects={name: effect for name, effect in book.effects.items() if not effect.secret},
        contests={name: item for name, item in book.contests.items() if {item.actor, item.resister} <= {*tables}},
        strikes={name: item for name, item in book.strikes.items() if {item.tally, *item.rolls} <= {*tables}},
        acts={name: _without(act, secret) for name, act in book.acts.items()},
    )


def _open(item: ModifiedT) -> ModifiedT:
    return replace(item, modifiers=tuple(each for each in item.modifiers if not each.secret))


def _without(act: Act, secret: Collection[str]) -> Act:
    """Return an act without what it says of secret facts."""
    refused = tuple(item for item in act.refused if not {*mentioned_facts(item.when)} & {*secret})
    costs = tuple(
        replace(cost, unless=()) if {*mentioned_facts(cost.unless)} & {*secret} else cost for cost in act.costs
    )
    variants = tuple(item for item in act.variants if not {*mentioned_facts(item.when)} & {*secret})
    return replace(act, refused=refused, costs=costs, variants=variants)


def topics(book: RuleSet) -> Iterator[Topic]:
    """Yield all that a book lists, numbers last."""
    numbers = book.catalog.get(Amount.kind, {})
    for listed in (*(listed for listed in book.catalog.values() if listed is not numbers), numbers):
        for entry in listed.values():
            yield Topic(entry.label, entries.called(entry), entry.line, partial(entries.told, book, entry))
    yield from _of_people(book)
    yield from _rolled(book)


def _of_people(book: RuleSet) -> Iterator[Topic]:
    """Yield what befalls people, what counts for them, and what is kept of them."""
    for effect in book.effects.values():
        line = entries.printed(book, effect.trait)
        yield Topic(effect.label, "effect", line, partial(entries.effect_told, book, effect))
    for score in book.scores.values():
        yield Topic(score.label, "score", score.line, partial(entries.score_told, score))
    for field in book.fields.values():
        yield Topic(field.label, "saved field", field.line, partial(entries.field_told, field))


def _rolled(book: RuleSet) -> Iterator[Topic]:
    """Yield acts, and what is rolled for them."""
    for act in book.acts.values():
        yield Topic(act.title, "action", act.line, partial(rolls.act_told, book, act))
    for contest in book.contests.values():
        yield Topic(contest.title, "contest", contest.line, partial(rolls.contest_told, book, contest))
    for strikes in book.strikes.values():
        yield Topic(strikes.title, "several tries", strikes.line, partial(rolls.strikes_told, book, strikes))
    for table in book.tables.values():
        yield Topic(table.title, "table", table.rows[0].line, partial(rolls.table_told, table))


def found(known: Iterable[Topic], typed: str) -> list[Topic]:
    """Return what is meant by a name: one thing by its whole label, all that share the name, or the one name that has all these words.

    Raises:
        Several: words stand in several names.
        BadInput: nothing is called so.

    """
    wanted, everything = name_key(typed), [*known]
    for called in (_label, _name):
        if meant := [topic for topic in everything if name_key(called(topic)) == wanted]:
            return meant
    holding = [topic for topic in everything if all(word in name_key(topic.label) for word in wanted.split())]
    if len({topic.name for topic in holding}) > 1:
        raise Several((*suggested(holding, typed), *map(_label, holding)), typed)
    if holding:
        return holding
    names = dict.fromkeys(topic.name for topic in everything)
    raise unknown_name(f"The book has nothing called {typed!r}.", typed, names, "Pick from the list while you type.")


def suggested(known: Iterable[Topic], typed: str) -> list[str]:
    """Return the labels that hold what is typed: first those that begin with it."""
    wanted = name_key(typed)
    labels = [topic.label for topic in known if wanted in name_key(topic.label)]
    return sorted(labels, key=lambda label: not name_key(label).startswith(wanted))


def _label(topic: Topic) -> str:
    return topic.label


def _name(topic: Topic) -> str:
    return topic.name
