"""Modifiers, conditions and lines of the page in words."""

from __future__ import annotations

from collections.abc import Collection

from bot.ui.text import DOT
from rules.facts import When
from rules.modifiers import Modifier
from rules.phrases import signed
from rules.ruleset import RuleSet


def printed_at(line: int) -> str:
    """Return the end of a sentence that names its line of the page."""
    return f"{DOT}line {line}"


def modifier_told(item: Modifier) -> str:
    """Return a modifier with its line; of a saved number, how often it counts."""
    each = " for each" if item.times or item.per else ""
    return f"{signed(item.value)}{each} {item.label}{printed_at(item.line)}"


def when_told(book: RuleSet, when: When) -> str:
    """Return tests in words: any of them, all of what each names."""
    return "; or ".join(", ".join(_condition(book, literal) for literal in clause) for clause in when)


def besides(book: RuleSet, when: When, known: Collection[str]) -> str:
    """Return what else than the known facts has to be so, in brackets."""
    others = dict.fromkeys(literal for clause in when for literal in clause if literal not in known)
    return f" ({', '.join(_condition(book, literal) for literal in others)})" if others else ""


def _condition(book: RuleSet, literal: str) -> str:
    """Return a condition in the words of its fact."""
    name = literal.removeprefix("!")
    trait = name.partition(".")[2]
    fact = book.facts.get(name) or next((item for item in book.facts.values() if item.trait == trait), None)
    words = fact.label if fact else trait.replace("-", " ")
    return f"not: {words}" if literal != name else words
