"""What is allowed besides the count of Actions: by the acts of the book, over facts (lines 24, 168 to 178, 311 to 516, 561)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from rules.acts import ActMethod
from rules.book import Act, Book
from rules.books.roe.catalog import Vehicle, entry_of
from rules.books.roe.sides import true_facts
from rules.books.roe.turn import named, true
from rules.errors import RollError
from rules.facts import Facts
from rules.procedure import Part

ACTS = "may."
"""How the ids of these acts begin."""
ACTOR = "actor"
KEYS = ("weapon", "size", "slot", "type")
"""Of what a word is asked: the facts are `actor.<key>.<word>`; `other` stands for all words that are not declared."""


class Ruling(Struct, frozen=True):
    """Why something is not allowed (None: it is), what it is rolled on (None: no die) and when it takes effect."""

    why: str | None
    rolls: str | None
    effect: str


def ruling(book: Book, name: str, facts: tuple[str, ...], said: Mapping[str, str]) -> Ruling:
    """Return whether an act is allowed under facts (by their traits), with a word for each key that it asks for."""
    act = named(book, ACTS, name)
    asked = {key for key in KEYS if any(fact.startswith(f"{ACTOR}.{key}.") for fact in act.facts)}
    vehicles = {"class"} if f"{ACTOR}.wheeled" in act.facts else set()
    if {*said} != asked | vehicles:
        raise RollError(f"{name} needs {' and '.join(sorted(asked | vehicles)) or 'no further key'}.")
    known = {**true(_typed(book, act), facts), **_said(book, {key: said[key] for key in asked})}
    if vehicles and entry_of(book.listed(Vehicle), said["class"]).wheeled:
        known |= true_facts(ACTOR, "wheeled")
    return _judged(book, act, known)


def _judged(book: Book, act: Act, facts: Facts) -> Ruling:
    variant = act.variant(facts)
    try:
        ActMethod(act.id).check(Part(act.id, {ACTOR: "The character"}, facts), book)
    except RollError as error:
        return Ruling(str(error), None, variant.effect)
    return Ruling(None, act.rolls if variant.rolled else None, variant.effect)


def _typed(book: Book, act: Act) -> list[str]:
    """Return what can be said to be true: facts that any of these acts reads; of one word the one that this act reads."""
    every = {fact for other in book.acts.values() if other.id.startswith(ACTS) for fact in other.facts}
    said = (f"{ACTOR}.wheeled", *(f"{ACTOR}.{key}." for key in KEYS))
    return [fact for fact in (*sorted(every - act.facts), *act.facts) if not fact.startswith(said)]


def _said(book: Book, said: Mapping[str, str]) -> Facts:
    """Return what words make true."""
    traits = []
    for key, word in said.items():
        begins = f"{ACTOR}.{key}."
        known = [fact.removeprefix(begins) for fact in book.facts if fact.startswith(begins)]
        if word not in known and "other" not in known:
            raise RollError(f"{key} is one of {', '.join(known)}, not {word!r}.")
        traits.append(f"{key}.{word if word in known else 'other'}")
    return true_facts(ACTOR, *traits)
