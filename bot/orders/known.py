"""What a book knows when a phase begins: who is on which side, what it reads of those in orders, and battles that have come about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, now_of
from bot.core.state import State
from bot.core.subjects import Subject
from bot.orders.snapshot import Snapshot
from bot.orders.standing import StandingOrder, people_of
from rules import books
from rules.ends import Moment
from rules.orders import KnownOfUpdate, Named, Who
from rules.ruleset import RuleSet
from rules.subjects import PROFILE, number_of, subject_key


def known_of(book: RuleSet, orders: Sequence[StandingOrder], snapshot: Snapshot, now: Moment) -> KnownOfUpdate:
    """Return what is known of those in orders of a book."""
    people = {who.id: who for item in orders for who in people_of(item) if who.id is not None}
    values = {key: value for key, value in snapshot.values.items() if number_of(key[0]) in people}
    found = _of_people(book, people, values, partial(_named, snapshot.people), now)
    sides = {people[number_of(key)].key: side for key, _ in values if (side := _side(snapshot.values, key))}
    mine = {item.entry for item in orders}
    battles = tuple(battle for battle in snapshot.battles if battle.order in mine)
    scene = snapshot.scenes.get(book.id)
    return replace(found, sides=sides, battles=battles, scene=scene.known(now.update) if scene else None)


def out_of_play(
    tx: Connection, person: Person, campaign: Campaign, book: RuleSet, numbers: Collection[int]
) -> set[int]:
    """Return those of these (numbers) who take no part any more by a book, such as the dead."""
    people = {number: Who("", number) for number in numbers}
    pairing = books.pairing(book.id)
    reads = pairing.reads if pairing else ()
    values = state.named(tx, campaign.id, {*map(subject_key, numbers)}, reads) if reads else {}
    out = _of_people(book, people, values, partial(Who, ""), now_of(tx, person, campaign)).out
    return {number for number, who in people.items() if who.key in out}


def _of_people(book: RuleSet, people: Mapping[int, Who], values: State, named: Named, now: Moment) -> KnownOfUpdate:
    """Return what a book makes of what is kept of people, by their numbers."""
    pairing = books.pairing(book.id)
    if pairing is None:
        return KnownOfUpdate()
    kept: dict[str, dict[str, object]] = {}
    for (key, name), value in values.items():
        if name in pairing.reads:
            kept.setdefault(people[number_of(key)].key, {})[name] = value
    return pairing.know(kept, now, named)


def _side(values: State, key: str) -> str | None:
    """Return on which side somebody (key) is, of whom nothing else is saved: that of their squad."""
    own = values.get((key, PROFILE)) or {"side": None, "squad": None}
    squad = values.get((subject_key(own["squad"]), PROFILE)) if own["squad"] else None
    side: str | None = own["side"] or (squad and squad["side"])
    return side


def _named(people: Mapping[int, Subject], number: int) -> Who:
    return Who(people[number].name, number)
