"""Orders as the state keeps them, under their doer."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, state, subjects, visibility, voiding
from bot.core.records import Change, Entry, Json, encode_canonical
from rules.effects import ORDERED, Moment
from rules.orders import LOCK, PASSED, Order, Who, carry_over, is_unresolved, name_replaced_order
from rules.subjects import number_of


class StandingOrder(Struct, frozen=True, dict=True):
    """An order and what it resulted in.

    `done` has its entry by phase, `lapsed` the entry that cancelled it. A split roll keeps the parts it had in `rolled`, and their entries in `partly`.
    One that was resolved and then followed by another in the same update has that entry in `until`. `held` is paused, `rank` its priority, lowest first.
    `words` distinguish several of a kind. `by` is the giver's name in a scene; None for a game master.
    """

    entry: int
    book: str
    kind: str
    who: subjects.Subject
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
        """Whether the order has no result yet, so it can be changed."""
        return not self.done and not self.partly and self.lapsed is None

    @property
    def is_unresolved(self) -> bool:
        """Whether the order, or a part of it, is still to be rolled."""
        return not self.done and self.lapsed is None

    @property
    def others(self) -> list[Who]:
        """Everyone in it except its doer, the target first."""
        return [*([self.to] if self.to else []), *self.beside]

    @cached_property
    def people(self) -> Sequence[Who]:
        """Everyone in it, its doer first."""
        return (Who(self.who.name, self.who.id), *self.others)

    @property
    def mentions(self) -> list[subjects.Subject]:
        """The saved people in it."""
        return [subjects.Subject(who.id, who.name) for who in self.people if who.id is not None]

    @property
    def entries(self) -> list[int]:
        """The entries (numbers) of results, sorted."""
        return sorted({*self.done.values(), *chain.from_iterable(self.partly.values())})

    @property
    def came_to(self) -> list[int]:
        """The entries (numbers) of results, then of the cancellation."""
        return [*self.entries, *([] if self.lapsed is None else [self.lapsed])]

    @property
    def phases(self) -> set[str]:
        """The ids of phases with results."""
        return {*self.done, *self.partly}

    def in_phase(self, phase: str) -> list[int]:
        """Return the entries (numbers) of results in a phase."""
        return [*self.partly.get(phase, ()), *([self.done[phase]] if phase in self.done else [])]

    def with_follower(self, entry: int) -> Self:
        """Return the order as it is kept after another one (entry) of its kind follows it."""
        words = name_replaced_order(self.name, self.entry).partition(":")[2]
        kept = replace(self, words=words, until=entry)
        if not self.is_unresolved:
            return kept
        last = {phase: numbers[-1] for phase, numbers in self.partly.items()}
        rest = {phase: numbers[:-1] for phase, numbers in self.partly.items()}
        return replace(kept, done=last, partly=rest, rolled=())

    def with_entries(self, stand: Mapping[int, int]) -> Self:
        """Return the order with its result entries replaced (old to new); those not mentioned are removed."""
        done = {phase: stand[number] for phase, number in self.done.items() if number in stand}
        partly = {phase: [stand[number] for number in some if number in stand] for phase, some in self.partly.items()}
        lapsed = None if self.lapsed is None else stand.get(self.lapsed)
        return replace(self, done=done, partly=partly, lapsed=lapsed)

    def is_open(self, phase: str) -> bool:
        """Return whether the order isn't cancelled, and a phase hasn't resolved it yet."""
        return phase not in self.done and self.lapsed is None

    def order(self, phase: str) -> Order:
        """Return the order as the rules take it in a phase."""
        who, still = Who(self.who.name, self.who.id), self.is_open(phase)
        given = (self.entry, self.kind, who, self.to, self.beside, self.rank)
        return Order(*given, open=still, rolled=self.rolled, by=self.by, done=bool(self.done))

    @property
    def name(self) -> str:
        """The name of the state's value that keeps the order."""
        return f"{ORDERED}{self.kind}{f':{self.words}' if self.words else ''}"

    def value(self) -> dict[str, Json]:
        """Return the order as the state keeps it; `at` and `members` are subject numbers."""
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


def all_orders(tx: Connection, campaign: campaigns.Campaign) -> list[StandingOrder]:
    """Return the update's orders, resolved or not, in the order given."""
    return _read(tx, campaign, state.find_values_beginning(tx, campaign.id, ORDERED))


def read_ended(tx: Connection, campaign: campaigns.Campaign, closing: Entry) -> list[StandingOrder]:
    """Return the orders that had results when an update closed.

    Amended results are replaced, voided ones left out.
    """
    gone = [item for item in closing.content()["changes"] if item["name"].startswith(ORDERED) and item["after"] is None]
    kept = {(item["subject"], item["name"]): item["before"] for item in gone}
    found = _read(tx, campaign, kept)
    stand = voiding.find_replacements(tx, campaign.id, {number for item in found for number in item.came_to})
    return [after for item in found if (after := item.with_entries(stand)).came_to]


def _read(tx: Connection, campaign: campaigns.Campaign, kept: state.State) -> list[StandingOrder]:
    named = {number for value in kept.values() for number in (value["at"], *value["members"]) if number is not None}
    numbers = named | {number_of(key) for key, _ in kept}
    people = subjects.get_subjects(tx, campaign.id, numbers)
    found = (order_of(people, key, name, value) for (key, name), value in kept.items())
    return sorted(found, key=attrgetter("entry"))


def list_standing(tx: Connection, campaign: campaigns.Campaign) -> list[StandingOrder]:
    """Return a campaign's open orders."""
    return [item for item in all_orders(tx, campaign) if item.stands]


def find_ordered(tx: Connection, campaign_id: int, kind: str) -> dict[int, Mapping[str, object]]:
    """Return the values of a kind's open orders, by subject number."""
    kept = state.find_values_of_name(tx, campaign_id, ORDERED + kind)
    return {number_of(key): value for key, value in kept.items() if is_unresolved(value)}


def close_orders(tx: Connection, campaign: campaigns.Campaign) -> Iterator[Change]:
    """Yield the changes that clear resolved orders, passes and the lock."""
    for (key, name), value in state.find_values_beginning(tx, campaign.id, ORDERED).items():
        after = carry_over(value)
        if after != value:
            yield Change(key, name, value, after)
    for name in (PASSED, LOCK):
        yield from (
            Change(key, name, value, None) for key, value in state.find_values_of_name(tx, campaign.id, name).items()
        )


def fingerprint(orders: Iterable[StandingOrder]) -> str:
    """Return 16 hexadecimal digits that change with any order."""
    kept = [[item.who.id, item.name, item.value()] for item in orders]
    return hashlib.sha256(encode_canonical(kept).encode()).hexdigest()[:16]


def visible_to(viewer: visibility.Viewer, orders: Iterable[StandingOrder]) -> list[StandingOrder]:
    """Return the orders that a viewer may see: their own, or all for game masters."""
    return [item for item in orders if viewer.person.leads(viewer.campaign) or item.giver == viewer.mine]


def find_passed(tx: Connection, campaign: campaigns.Campaign, now: Moment) -> dict[int, Mapping[str, object]]:
    """Return the passes of the current update by subject number."""
    kept = state.find_values_of_name(tx, campaign.id, PASSED)
    return {number_of(key): value for key, value in kept.items() if value["update"] == now.update}


def remove_orders_of(values: state.State, number: int, _entry: int) -> Iterator[Change]:
    """Yield what removes a subject's orders and passes."""
    for (subject, name), value in values.items():
        if (name.startswith(ORDERED) or name == PASSED) and number_of(subject) == number:
            yield Change(subject, name, value, None)


def order_of(people: Mapping[int, subjects.Subject], key: str, name: str, value: Mapping[str, Json]) -> StandingOrder:
    """Return the order in a state's value, with people's present names."""
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


def _with_present_name(people: Mapping[int, subjects.Subject], name: str, number: int | None) -> Who:
    known = None if number is None else people.get(number)
    return Who(known.name if known else name, number)
