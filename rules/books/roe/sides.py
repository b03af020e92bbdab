"""What is true of who rolls, such as by a racial option, and what their scores come to."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.errors import UnknownName
from rules.facts import Facts, Known, Origin
from rules.scores import weigh_score

TYPED = Origin("typed", "typed")


class UnknownRacial(UnknownName):
    """There is no racial option of this name."""

    kind = "racial option"


def option_named(book: Book, name: str) -> Option:
    """Return a racial option by its name."""
    by_name = {entry.label.casefold(): entry for entry in book.listed(Option).values()}
    if name.strip().casefold() not in by_name:
        raise UnknownRacial(name, [entry.label for entry in by_name.values()])
    return by_name[name.strip().casefold()]


def option_id(book: Book, name: str) -> str:
    """Return the id of a racial option by its name."""
    return option_named(book, name).id


def true_facts(role: str, *traits: str) -> Facts:
    """Return facts that are so of whoever stands in a role."""
    return {f"{role}.{trait}": Known(1, TYPED) for trait in traits}


def racial_facts(book: Book, role: str, name: str | None) -> Facts:
    """Return what a racial option makes true of whoever stands in a role."""
    return {} if name is None else true_facts(role, f"option.{option_id(book, name)}")


def racial_rule(book: Book, name: str | None, rule: str, otherwise: int) -> int:
    """Return a number that a racial option changes besides rolls, and `otherwise` without such an option."""
    return otherwise if name is None else int(option_named(book, name).rules.get(rule, otherwise))


def score_of(book: Book, score: str, facts: Facts, role: str = "actor") -> int:
    """Return what a score comes to for whoever stands in a role."""
    return weigh_score(book.scores[score], role, facts).value
