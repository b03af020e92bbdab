"""Orders that stand: what the campaign's state keeps of each, under whoever is to carry it out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.amendments import find_replacements
from bot.core.campaigns import Campaign
from bot.core.encoding import Json, encode_canonical
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer
from rules.effects import ORDERED
from rules.ends import Moment
from rules.orders import LOCK, PASSED, Order, Who, carry_over, followed_name, is_unresolved
from rules.subjects import number_of


class StandingOrder(Struct, frozen=True):
    """An order: the entry that gave it, of a kind of a book, who does it to whom, who besides, and who gave it (pseudonym).

    `done` are the entries that it has come to, by phase; `lapsed` is the one that tells why nothing came of it. Of a roll that
    is split, `rolled` are the parts (keys) that it has had while more are to come, and `partly` the entries of those rolls, by
    phase. One that came to something and was followed by another (its entry, `until`) in the same update is kept beside that. Game masters give it a `rank`, the lowest first, and let one be `held`,
    which is not resolved in this update. Of several of one kind that somebody has, `words` tells one from another. `by` is what
    its giver is called in the scene that it hangs on; None of a game master.
    """

    entry: int
    book: str
    kind: str
    who: Subject
    giver: str
    update: int
    to: Who | None = None
    beside: tuple[Who, ...] = ()
    done: Mapping[str, int] = field(default_factory=dict)
    lapsed: int | None = None
    rolled: tuple[str, ...] = ()
    partly: Mapping[str, Sequence[int]] = field(default_factory=dict)
    rank: int = 0
    held: bool = False
    words: str = ""
    by: str | None = None
    until: int | None = None

    @property
    def stands(self) -> bool:
        """Whether nothing has come of it yet, so that it can be changed."""
        return not self.done and not self.partly and self.lapsed is None

    @property
    def unresolved(self) -> bool:
        """Whether it stands, or is a roll that is split and not over."""
        return not self.done and self.lapsed is None

    @property
    def entries(self) -> list[int]:
        """The entries that it has come to, the earliest first."""
        return sorted({*self.done.values(), *chain.from_iterable(self.partly.values())})

    @property
    def came_to(self) -> list[int]:
        """The entries that something of it stands in, be it what it has come to or why nothing did."""
        return [*self.entries, *([] if self.lapsed is None else [self.lapsed])]

    @property
    def phases(self) -> set[str]:
        """The phases (ids) in which it has come to something."""
        return {*self.done, *self.partly}

    def in_phase(self, phase: str) -> list[int]:
        """Return the entries that it has come to in a phase (id)."""
        return [*self.partly.get(phase, ()), *([self.done[phase]] if phase in self.done else [])]

    def with_end(self, phase: str, entry: int) -> Self:
        """Return it with the last entry that it comes to in a phase."""
        return replace(self, done={**self.done, phase: entry}, rolled=())

    def followed_by(self, entry: int) -> Self:
        """Return it as it is kept beside the order (its entry) that is given in its place: with all that it has come to, and no more to come."""
        words = followed_name(self.name, self.entry).partition(":")[2]
        kept = replace(self, words=words, until=entry)
        if not self.unresolved:
            return kept
        last = {phase: numbers[-1] for phase, numbers in self.partly.items()}
        rest = {phase: numbers[:-1] for phase, numbers in self.partly.items()}
        return replace(kept, done=last, partly=rest, rolled=())

    def with_entries(self, stand: Mapping[int, int]) -> Self:
        """Return it with those of the entries that it has come to which `stand`, each as the one in its place."""
        done = {phase: stand[number] for phase, number in self.done.items() if number in stand}
        partly = {phase: [stand[number] for number in some if number in stand] for phase, some in self.partly.items()}
        lapsed = None if self.lapsed is None else stand.get(self.lapsed)
        return replace(self, done=done, partly=partly, lapsed=lapsed)

    def is_open(self, phase: str) -> bool:
        """Return whether a phase that takes it has not taken it yet."""
        return phase not in self.done and self.lapsed is None

    def order(self, phase: str) -> Order:
        """Return it as the rules take it in a phase."""
        who, still = Who(self.who.name, self.who.id), self.is_open(phase)
        given = (self.entry, self.kind, who, self.to, self.beside, self.rank)
        return Order(*given, open=still, rolled=self.rolled, by=self.by)

    @property
    def name(self) -> str:
        """The name of its value."""
        return f"{ORDERED}{self.kind}{f':{self.words}' if self.words else ''}"

    def value(self) -> dict[str, Json]:
        """Return what the state keeps of it: `at` and `members` are the numbers of those who have one, beside their names."""
        return {
            "entry": self.entry,
            "update": self.update,
            "book": self.book,
            "giver": self.giver,
            "at": self.to and self.to.id,
            "to": self.to and self.to.name,
            "members": [who.id for who in self.beside if who.id is not None],
            "beside": [[who.name, who.id] for who in self.beside],
            "done": dict(self.done),
            "lapsed": self.lapsed,
            "rolled": list(self.rolled),
            "partly": {phase: list(numbers) for phase, numbers in self.partly.items()},
            "rank": self.rank,
            "held": self.held,
            **({} if self.by is None else {"by": self.by}),
            **({} if self.until is None else {"until": self.until}),
        }


def all_orders(tx: Connection, campaign: Campaign) -> list[StandingOrder]:
    """Return all orders of a campaign's update, those that something came of too; the one given first comes first, everybody as called by now."""
    return _read(tx, campaign, state.find_values_beginning(tx, campaign.id, ORDERED))


def read_ended(tx: Connection, campaign: Campaign, closing: Entry) -> list[StandingOrder]:
    """Return the orders that were over with the closing of an update, as `every` does: those that something came of.

    Each is as the closing has found it; but what was amended since stands in the place of what it amends, and of what was
    taken back nothing came.
    """
    gone = [item for item in closing.content()["changes"] if item["name"].startswith(ORDERED) and item["after"] is None]
    kept = {(item["subject"], item["name"]): item["before"] for item in gone}
    found = _read(tx, campaign, kept)
    stand = find_replacements(tx, campaign.id, {number for item in found for number in item.came_to})
    return [after for item in found if (after := item.with_entries(stand)).came_to]


def _read(tx: Connection, campaign: Campaign, kept: State) -> list[StandingOrder]:
    named = {number for value in kept.values() for number in (value["at"], *value["members"]) if number is not None}
    numbers = named | {number_of(key) for key, _ in kept}
    people = subjects.get_subjects(tx, campaign.id, numbers)
    found = (order_of(people, key, name, value) for (key, name), value in kept.items())
    return sorted(found, key=attrgetter("entry"))


def list_standing(tx: Connection, campaign: Campaign) -> list[StandingOrder]:
    """Return all orders of a campaign that stand."""
    return [item for item in all_orders(tx, campaign) if item.stands]


def find_ordered(tx: Connection, campaign_id: int, kind: str) -> dict[int, Mapping[str, object]]:
    """Return what is kept of the orders of a kind that stand, by who (numbers) has one."""
    kept = state.find_values_of_name(tx, campaign_id, ORDERED + kind)
    return {number_of(key): value for key, value in kept.items() if is_unresolved(value)}


def close_orders(tx: Connection, campaign: Campaign) -> Iterator[Change]:
    """Yield what lets go of the orders that something came of, of who has passed, and of the lock, when an update closes."""
    for (key, name), value in state.find_values_beginning(tx, campaign.id, ORDERED).items():
        after = carry_over(value)
        if after != value:
            yield Change(key, name, value, after)
    for name in (PASSED, LOCK):
        yield from (
            Change(key, name, value, None) for key, value in state.find_values_of_name(tx, campaign.id, name).items()
        )


def fingerprint(orders: Iterable[StandingOrder]) -> str:
    """Return in 16 hexadecimal digits how orders stand, by which is known whether any has changed since."""
    kept = [[item.who.id, item.name, item.value()] for item in orders]
    return hashlib.sha256(encode_canonical(kept).encode()).hexdigest()[:16]


def visible_to(viewer: Viewer, orders: Iterable[StandingOrder]) -> list[StandingOrder]:
    """Return those of these orders that are for a person: all for game masters, for others those that they gave."""
    return [item for item in orders if viewer.person.leads(viewer.campaign) or item.giver == viewer.mine]


def find_passed(tx: Connection, campaign: Campaign, now: Moment) -> dict[int, Mapping[str, object]]:
    """Return who (numbers) has passed in the current update, with what is kept of that."""
    kept = state.find_values_of_name(tx, campaign.id, PASSED)
    return {number_of(key): value for key, value in kept.items() if value["update"] == now.update}


def remove_orders_of(values: State, number: int, _entry: int) -> Iterator[Change]:
    """Yield what takes the orders away of somebody (number) who is removed."""
    for (subject, name), value in values.items():
        if (name.startswith(ORDERED) or name == PASSED) and number_of(subject) == number:
            yield Change(subject, name, value, None)


def order_of(people: Mapping[int, Subject], key: str, name: str, value: Mapping[str, Json]) -> StandingOrder:
    """Return an order out of what the state keeps of it under a subject's key and a name; `people` are those in it."""
    kind, _, words = name.removeprefix(ORDERED).partition(":")
    return StandingOrder(
        entry=value["entry"],
        book=value["book"],
        kind=kind,
        words=words,
        who=people[number_of(key)],
        giver=value["giver"],
        update=value["update"],
        to=None if value["to"] is None else _with_present_name(people, value["to"], value["at"]),
        beside=tuple(_with_present_name(people, *item) for item in value["beside"]),
        done=value["done"],
        lapsed=value["lapsed"],
        rolled=tuple(value["rolled"]),
        partly=value.get("partly", {}),  # an older version kept none
        rank=value["rank"],
        held=value["held"],
        by=value.get("by"),
        until=value.get("until"),
    )


def people_of(item: StandingOrder) -> list[Who]:
    """Return who is in an order, whoever does it first."""
    others = [who for who in (item.to, *item.beside) if who is not None]
    return [Who(item.who.name, item.who.id), *others]


def _with_present_name(people: Mapping[int, Subject], name: str, number: int | None) -> Who:
    known = None if number is None else people.get(number)
    return Who(known.name if known else name, number)
