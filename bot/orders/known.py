"""What is known when a phase begins: who is on which side, what the book reads of those in orders, and battles that have come about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, now_of
from bot.core.records import Entry
from bot.core.subjects import Subject
from bot.orders.standing import StandingOrder
from rules import books
from rules.orders import Battle, KnownOfUpdate, Who
from rules.ruleset import RuleSet
from rules.subjects import PROFILE, name_key, names_of, number_of, subject_key

BATTLE = "battle"
"""What a deed calls for after which two sides fight."""


def known_of(
    tx: Connection, person: Person, campaign: Campaign, book: RuleSet, orders: Sequence[StandingOrder]
) -> KnownOfUpdate:
    """Return what is known of those in orders of a book."""
    people = {who.id: who for item in orders for who in _people(item) if who.id is not None}
    found = _of_people(tx, person, campaign, book, people)
    values = state.named(tx, campaign.id, {subject_key(number) for number in people}, {PROFILE})
    sides = {people[number_of(key)].key: value["side"] for (key, _), value in values.items() if value["side"]}
    return replace(found, sides=sides, battles=tuple(_battles(tx, campaign, book, orders)))


def out_of_play(
    tx: Connection, person: Person, campaign: Campaign, book: RuleSet, numbers: Collection[int]
) -> set[int]:
    """Return those of these (numbers) who take no part any more by a book, such as the dead."""
    people = {number: Who("", number) for number in numbers}
    out = _of_people(tx, person, campaign, book, people).out
    return {number for number, who in people.items() if who.key in out}


def _of_people(
    tx: Connection, person: Person, campaign: Campaign, book: RuleSet, people: Mapping[int, Who]
) -> KnownOfUpdate:
    """Return what a book makes of what is kept of people, by their numbers."""
    pairing = books.pairing(book.id)
    if pairing is None:
        return KnownOfUpdate()
    values = state.named(tx, campaign.id, {subject_key(number) for number in people}, pairing.reads)
    kept: dict[str, dict[str, object]] = {}
    for (key, name), value in values.items():
        kept.setdefault(people[number_of(key)].key, {})[name] = value
    named = partial(_named, subjects.by_number(tx, campaign.id, _referred(values.values())))
    return pairing.know(kept, now_of(tx, person, campaign), named)


def _battles(tx: Connection, campaign: Campaign, book: RuleSet, orders: Sequence[StandingOrder]) -> Iterator[Battle]:
    """Yield the battles for which entries call that orders have come to."""
    numbers = {number for item in orders for number in item.done.values()}
    made = entries.without_texts(tx, campaign.id, numbers) if numbers else {}
    for item in orders:
        for entry in (made[number] for number in item.done.values() if number in made):
            yield from _battles_of(item, entry, book, orders)


def _battles_of(item: StandingOrder, entry: Entry, book: RuleSet, orders: Sequence[StandingOrder]) -> Iterator[Battle]:
    body = entry.content()
    procedure = book.procedures.get(body.get("family", ""))
    if procedure is None:
        return
    for part in body["parts"]:
        calls = any(book.deeds[done["do"]].calls == BATTLE for done in part["consequences"] if done["do"] in book.deeds)
        actors, others = (names_of(part["subjects"].get(role, "")) for role in (procedure.actor, procedure.subject))
        if calls and name_key(item.who.name) in map(name_key, actors) and any(others):
            attackers, defenders = (tuple(_called(name, orders) for name in names) for names in (actors, others))
            base = defenders[0] if procedure.place == procedure.subject else None
            title = f"{procedure.title}: {actors[0]} against {others[0]}"
            yield Battle(item.entry, title, attackers, defenders, base)


def _called(name: str, orders: Sequence[StandingOrder]) -> Who:
    """Return who bears a name in orders; the name alone where nobody does."""
    people = (who for item in orders for who in _people(item) if name_key(who.name) == name_key(name))
    return next(people, Who(name))


def _people(item: StandingOrder) -> list[Who]:
    others = [who for who in (item.to, *item.beside) if who is not None]
    return [Who(item.who.name, item.who.id), *others]


def _referred(values: Iterable[Any]) -> set[int]:
    """Return the numbers of places to which kept values refer."""
    return {value["at"] for value in values if isinstance(value, dict) and isinstance(value.get("at"), int)}


def _named(people: Mapping[int, Subject], number: int) -> Who:
    return Who(people[number].name, number)
