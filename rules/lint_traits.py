"""Faults that show when traits, fields, effects and deeds are held against facts, rows and each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from rules.book import Trait
from rules.draft import BookDraft
from rules.errors import Fault
from rules.fields import Field, word_id
from rules.items import Items
from rules.lines import Place
from rules.phrases import known_list, suggestion
from rules.subjects import KEPT, REFERENCES
from rules.tables import Consequence

LARGEST_GROUP = 25
"""How many options a select of Discord's takes."""


def lint_traits(draft: BookDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Yield everything wrong with traits and effects; `facts` are all that are declared, None when that is not known."""
    if facts is not None:
        yield from _undeclared(draft, facts)
    yield from _groups(draft.traits)
    if draft.traits.whole:
        yield from _of_members(draft.traits)
    if draft.traits.whole and draft.whole:
        yield from _alternatives(draft.traits)
    yield from _traits_and_effects(draft)
    for item, place in draft.fields.placed():
        if item.id in {*KEPT, *REFERENCES, "entry", "update"}:
            yield place.fault(f"field {item.id}: everyone already has that: give it another id")
        yield from (place.fault(f"field {item.id}: {what}") for what in _misdeclared(item))


def _misdeclared(item: Field) -> Iterator[str]:
    """Yield what a field says beside what it takes, or lacks."""
    low, high, words = item.min, item.max, set(map(word_id, item.options))
    if item.takes == "number" and (low is None or high is None or low > high):
        yield "a number needs its least and its most: write for example min = 0, max = 20"
    if item.takes != "number" and (item.zero or item.gives or {low, high} != {None}):
        yield "only a number has min, max, zero and gives: leave them out"
    if item.takes in {"number", "text"} and words:
        yield "only one-of and list have options: leave them out"
    if (item.takes == "one-of" and not words) or "" in words or len(words) < len(item.options):
        yield 'options are words that differ in their letters: write for example options = ["Novice", "Master"]'


def lint_deeds(draft: BookDraft) -> Iterator[Fault]:
    """Yield rows that do what is not declared, or not by how much, and deeds that last until nobody knows when."""
    if not (draft.whole and draft.deeds.whole and draft.effects.whole):
        return
    effects = [item.trait for item in draft.effects]
    for item in draft.deeds.items:
        effect = item.value.effect
        if effect is not None and "end" not in item.written and effect not in effects:
            mend = suggestion(effect, effects) or ': write until = "update", or declare it under effects'
            yield item.place.fault(f"deed {item.name}: the effect {effect} doesn't say when it ends{mend}")
    known = draft.known_deeds()
    for who, place, then in _doing(draft):
        for done in then:
            deed = known.get(done.do)
            if deed is None:
                offered = known_list(sorted(name for name, item in known.items() if item.house))
                yield place.fault(f"{who}: unknown deed {done.do}{suggestion(done.do, known) or offered}")
            elif deed.most is not None and done.amount is None:
                yield place.fault(f"{who}: {done.do} needs an amount: write amount = 0 to {deed.most}")


def _doing(draft: BookDraft) -> Iterator[tuple[str, Place, Sequence[Consequence]]]:
    """Yield what does something, where it stands and what it does."""
    for table in draft.tables:
        yield from ((f"row {row.outcome}", table.where(place), row.then) for row, place in table.rows.placed())
    yield from ((f"act {act.id}", place, act.then) for act, place in draft.acts.placed())


def _undeclared(draft: BookDraft, facts: Collection[str]) -> Iterator[Fault]:
    """Check that what is carried is a fact in some role."""
    known = {fact.partition(".")[2] for fact in facts}
    named = [(f"trait {item.id}", item.id, place) for item, place in draft.traits.placed()]
    named += [(f"effect {item.trait}", item.trait, place) for item, place in draft.effects.placed()]
    named += [(f"field {item.id}", trait, place) for item, place in draft.fields.placed() for trait in item.gives]
    for head, trait, place in named:
        if trait not in known:
            mend = suggestion(trait, known) or ": declare it under facts, with trait, label and roles"
            yield place.fault(f"{head}: no role declares a fact {trait}{mend}")


def _traits_and_effects(draft: BookDraft) -> Iterator[Fault]:
    """Check that no fact is a trait and an effect; where an overlay brought one of them, that is the one to mend."""
    traits = {item.name: item for item in draft.traits.items}
    for effect in draft.effects.items:
        if trait := traits.get(effect.name):
            # False sorts before True: the place under [overlay] is the larger, if there is one.
            place = max(effect.place, trait.place, key=lambda place: "overlay" in place.keys)
            what = "it is a trait too, and only one of them can say whether it is true: leave one out"
            yield place.fault(f"effect {effect.name}: {what}")


def _of_members(traits: Items[Trait]) -> Iterator[Fault]:
    """Check that what members bring is something that a unit can have, and out of traits that they can have."""
    sound = [(item, place) for item, place in traits.placed() if item.on]  # what is wrong elsewhere is told there
    personal = {item.id for item, _ in sound if "character" in item.on}
    for item, place in sound:
        if (item.of_any or item.of_all) and "unit" not in item.on:
            yield place.fault(f'trait {item.id}: no unit can carry it, though its members bring it: add "unit" to on')
        if item.of_all is not None and item.of_all not in personal:
            mend = suggestion(item.of_all, personal) or ": declare it under traits, for characters"
            yield place.fault(f"trait {item.id}: no character carries {item.of_all}{mend}")


def _groups(traits: Items[Trait]) -> Iterator[Fault]:
    """Check that each group fits one select of a card; what is too many is told once, where it begins."""
    sizes: Counter[str] = Counter()
    for item, place in traits.placed():
        sizes[item.group] += 1
        if sizes[item.group] == LARGEST_GROUP + 1:
            what = f"group {item.group} has more than {LARGEST_GROUP} traits: give the rest another group"
            yield place.fault(f"trait {item.id}: {what}")


def _alternatives(traits: Items[Trait]) -> Iterator[Fault]:
    sizes = Counter(item.one_of for item in traits if item.one_of)
    for item, place in traits.placed():
        if item.one_of and sizes[item.one_of] == 1:
            hint = suggestion(item.one_of, sizes.keys() - {item.one_of})
            mend = hint or ": leave it out, or give it to the alternatives too"
            yield place.fault(f"trait {item.id}: one-of {item.one_of} has no other member{mend}")
