"""Entries of the book's lists, its effects, scores and fields, in words: every value that an entry has, and what it counts on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from bot.cogs.roe.reference.rolls import refusal_told
from bot.cogs.roe.reference.weapons import weapon_told
from bot.cogs.roe.reference.words import besides, modifier_told, printed_at, when_told
from rules.book import Effect
from rules.books.roe.catalog import Option, Race, Rule, Stance, Token
from rules.books.roe.turn_catalog import Lasting
from rules.catalog import Amount, Entry
from rules.facts import SELF
from rules.fields import Field
from rules.modifiers import Modifier
from rules.phrases import signed
from rules.ruleset import RuleSet
from rules.tables import Score

CALLED: Mapping[str, str] = {
    "option": "racial option",
    "trigger": "weapon trait",
    "lasting": "lasting effect",
    "token": "weapon token",
    "mode": "way to attack",
    "volley": "rolls of an Action",
    "band": "range",
    "rule": "changed by options",
    "allowance": "part of a turn",
    "bar": "lost in a turn",
    "step": "step of a turn",
    "seat": "seat in a vehicle",
    "entrance": "way into a fight",
    "arrival": "noise",
    "harm": "HP loss",
    "size": "size class",
}
"""What entries of a kind are called, where that is not the kind itself."""
_UNTOLD = frozenset({"id", "label", "line", "rules", "fact", "facts", "place", "race"})


def called(entry: Entry) -> str:
    """Return what an entry is, in words."""
    return CALLED.get(entry.kind, entry.kind.replace("-", " "))


def told(book: RuleSet, entry: Entry) -> Iterator[str]:
    """Yield all that an entry says."""
    if isinstance(entry, Amount):
        yield f"{entry.value}"
        return
    yield from _values(book, entry)
    if isinstance(entry, Token):
        yield from weapon_told(book, entry)
    if isinstance(entry, Race):
        yield from (option.label for option in book.listed(Option).values() if option.race == entry.place)
    if isinstance(entry, Option):
        yield from (race.label for race in book.listed(Race).values() if race.place == entry.race)
        changed = book.listed(Rule)
        yield from (f"{changed[name].label}: {_value(book, name, value)}" for name, value in entry.rules.items())
    traits = [f"{entry.kind}.{entry.id}", *([entry.fact] if isinstance(entry, Stance) and entry.fact else [])]
    for trait in traits:
        yield from counts(book, trait)


def effect_told(book: RuleSet, effect: Effect) -> Iterator[str]:
    """Yield how long an effect lasts and what it does."""
    count, whose = effect.end.count, "of its bearer" if effect.end.of == "bearer" else "of the one who caused it"
    match effect.end.until:
        case "turns":
            yield f"Lasts for {count} turn{'' if count == 1 else 's'} {whose}"
        case "hours":
            yield f"Lasts for {count} hours"
        case "scene" | "update":
            yield f"Lasts until the {effect.end.until} is over"
        case "cleared":
            yield "Lasts until it is cleared"
    yield from counts(book, effect.trait)


def score_told(score: Score) -> Iterator[str]:
    """Yield what a score begins with, all that counts on it, and its caps."""
    if score.base:
        yield f"Starts at {score.base}"
    yield from (modifier_told(item) for item in score.modifiers)
    yield from (f"Total at most {signed(cap.high)}{printed_at(cap.line)}" for cap in score.caps if cap.high)


def field_told(field: Field) -> Iterator[str]:
    """Yield what can be kept there, and of whom."""
    yield f"Saved for each {', '.join(sorted(field.on))}"
    if field.takes == "number":
        yield f"A number from {signed(field.min or 0)} to {signed(field.max or 0)}"
    elif field.options:
        yield f"One of: {', '.join(field.options)}"
    if field.own:
        yield "Players can set it for their characters"


def counts(book: RuleSet, trait: str) -> Iterator[str]:
    """Yield what a trait of somebody adds to and what it refuses: scores, rolls, acts and Actions."""
    borne = {f"{role}.{trait}" for role in (SELF, *(fact.role for fact in book.facts.values() if fact.trait == trait))}
    seen = set()
    for score in book.scores.values():
        for item in _reading(borne, score.modifiers):
            seen.add((item.value, item.label))
            yield f"{signed(item.value)} {score.label}{besides(book, item.when, borne)}{printed_at(item.line)}"
    for table in book.tables.values():
        for item in _reading(borne, table.modifiers):
            if (item.value, item.label) not in seen:
                seen.add((item.value, item.label))
                yield f"{signed(item.value)} {table.title}{besides(book, item.when, borne)}{printed_at(item.line)}"
    for act in book.acts.values():
        for refusal in act.refused:
            if any(literal in borne for clause in refusal.when for literal in clause):
                yield f"{act.title}: {refusal_told(act, refusal)}{printed_at(refusal.line)}"


def printed(book: RuleSet, trait: str) -> int | None:
    """Return the line where an effect is printed: that of a deed that begins it, or of what lasts as it."""
    begun = (deed.line for deed in book.deeds.values() if deed.effect == trait)
    lasting = (entry.line for entry in book.listed(Lasting).values() if entry.effect == trait)
    return next(chain(begun, lasting), None)


def _reading(borne: set[str], modifiers: Iterable[Modifier]) -> Iterator[Modifier]:
    """Yield the modifiers that count with one of these facts."""
    for item in modifiers:
        if any(literal in borne for clause in item.when for literal in clause):
            yield item


def _values(book: RuleSet, entry: Struct) -> Iterator[str]:
    """Yield each value that an entry has, but for those that go without saying."""
    for item in fields(entry):
        value = getattr(entry, item.name)
        plain = () if isinstance(value, tuple) else None if item.default is NODEFAULT else item.default
        if item.name in _UNTOLD or value in (plain, None, {}):
            continue
        yield f"{_called(item.name)}: {_value(book, item.name, value)}"


def _called(name: str) -> str:
    """Return what a value is called, in words: `weapon_class` as Weapon class, `hp` as HP."""
    words = name.replace("_", " ")
    return words.upper() if len(words) < len("due") else words[:1].upper() + words[1:]


def _value(book: RuleSet, name: str, value: object) -> str:
    """Return a value in words: a die as one, an id by its label."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"d{value}" if name.endswith(("die", "sides")) else str(value).replace("-", "\N{MINUS SIGN}")
    if isinstance(value, Struct):
        return ", ".join(told.partition(": ")[2] for told in _values(book, value))
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return when_told(book, value)
    if isinstance(value, tuple):
        return ", ".join(_value(book, name, word) for word in value)
    return _named(book, name, str(value))


def _named(book: RuleSet, name: str, word: str) -> str:
    """Return the label of what has this id, the word itself where nothing has."""
    own = book.catalog.get(name.replace("_", "-"), {})
    everywhere = (*book.catalog.values(),)
    entry = next((listed[word] for listed in (own, *everywhere) if word in listed), None)
    if name == "effect" and word in book.effects:
        return book.effects[word].label
    if word in book.scores:
        return book.scores[word].label
    if word in book.procedures:
        return book.procedures[word].title
    if word in book.tables:
        return book.tables[word].title
    return entry.label if entry else word
