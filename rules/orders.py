"""Orders: what people mean to do in an update, and the tasks that they make together when it is resolved.

A book lists `order` kinds and `phase`s in its catalog, and tells in `gather`, a pure function of its package, how the orders
of a phase pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from operator import attrgetter
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules.catalog import Entry, Kinds
from rules.subjects import name_key

Rank = Literal["given", "priority", "alternating"]


class OrderKind(Entry, frozen=True):
    """Something that may be ordered: who does it (`by`) to whom or where (`to`), as roles.

    By itself it becomes the roll `family`, which may be an act; without one it is a part of what others come to. `beside` is the role
    of those who are named besides. It `takes` a place by any name, a unit or a character. Of who does it, the value `needs` is
    kept, and none that is `barred`; of whom it is about, those beside or else that one, the value `about`. Nobody has two orders that share a `one-of`. Players may give an `open` one for their own without the campaign
    opening it to them. `house` says that the page of rolls does not print it: its line is the nearest.
    """

    kind = "order"
    by: str
    to: str | None = None
    family: str | None = None
    beside: str | None = None
    takes: Literal["place", "unit", "character"] = "unit"
    needs: str | None = None
    about: str | None = None
    barred: tuple[str, ...] = ()
    one_of: str | None = None
    open: bool = False
    house: bool = False


class Phase(Entry, frozen=True):
    """A step in which an update is resolved: it `takes` orders of these kinds, all of one before the next phase begins.

    Its tasks come in the order in which their orders were `given`, by the `priority` that game masters gave them, or
    `alternating` from side to side.
    """

    kind = "phase"
    takes: tuple[str, ...]
    rank: Rank = "given"
    house: bool = False


CATALOG: Kinds = {kind.kind: kind for kind in (OrderKind, Phase)}
"""What every book may list."""


class Who(Struct, frozen=True):
    """Somebody or some place in an order, as called; `id` is the number of what is saved, None for a name that means nobody."""

    name: str
    id: int | None = None

    @property
    def key(self) -> str:
        """By what one is told from another."""
        return name_key(self.name) if self.id is None else f"#{self.id}"


class Order(Struct, frozen=True):
    """An order as its phase takes it: given by an `entry`, of a kind, who does it to whom or where, and who besides.

    `rank` is the priority that a game master gave it, the lowest first.
    """

    entry: int
    kind: str
    who: Who
    to: Who | None = None
    beside: tuple[Who, ...] = ()
    rank: int = 0


class Battle(Struct, frozen=True):
    """A battle that an update has brought: what it is called, who fights against whom, and who of them defends a base (the first)."""

    title: str
    attackers: tuple[Who, ...]
    defenders: tuple[Who, ...]
    base: Who | None = None


class KnownOfUpdate(Struct, frozen=True):
    """What is known when a phase begins: where people are held and on which side they are, by their keys, who is hidden (keys), and battles."""

    at: Mapping[str, Who] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    battles: tuple[Battle, ...] = ()

    def same_side(self, one: Who, other: Who) -> bool:
        """Return whether two are known to be on one side, or are one and the same."""
        if one.key == other.key:
            return True
        sides = [self.sides.get(item.key) for item in (one, other)]
        return sides[0] is not None and len({name_key(side or "") for side in sides}) == 1


class Task(Struct, frozen=True):
    """What orders come to: one roll of a family, with a part for each mapping of roles to who is in them; `orders` are their entries."""

    family: str
    parts: tuple[Mapping[str, tuple[Who, ...]], ...]
    orders: tuple[int, ...]

    @property
    def key(self) -> str:
        """By what it is known again, in whatever order its orders came."""
        people = (
            f"{role}={'+'.join(sorted(who.key for who in named))}"
            for part in self.parts
            for role, named in sorted(part.items())
        )
        return f"{self.family}:{','.join(sorted(set(people)))}"


class Lapse(Struct, frozen=True):
    """An order (its entry) of which nothing comes, and why."""

    order: int
    why: str


Outcome = Task | Lapse
Gather = Callable[[Phase, Sequence[Order], KnownOfUpdate], Iterable[Outcome]]
"""Return what a phase comes to, from the orders of the whole update in the order of the phase's rank."""


def outcomes(phase: Phase, orders: Iterable[Order], known: KnownOfUpdate, gather: Gather, most: int) -> list[Outcome]:
    """Return what a phase comes to; a task of more than `most` parts is split into several rolls, none is left out."""
    found = gather(phase, in_order(phase.rank, orders, known.sides), known)
    return [piece for item in found for piece in (_split(item, most) if isinstance(item, Task) else (item,))]


def in_order(rank: Rank, orders: Iterable[Order], sides: Mapping[str, str]) -> list[Order]:
    """Return orders by their rank; those of one priority stand by name, so that who was quicker to order gains nothing."""
    given = sorted(orders, key=attrgetter("entry"))
    if rank == "priority":
        return sorted(given, key=_priority)
    if rank == "alternating":
        by_side: dict[str, list[Order]] = {}
        for order in given:
            by_side.setdefault(name_key(sides.get(order.who.key, "")), []).append(order)
        turns = zip_longest(*(by_side[side] for side in sorted(by_side)))
        return [order for order in chain.from_iterable(turns) if order is not None]
    return given


def _priority(order: Order) -> tuple[int, str, str]:
    return order.rank, name_key(order.who.name), order.who.key


def each(family: str, orders: Iterable[Order], by: str, to: str | None) -> Iterator[Task]:
    """Yield a task of its own for each order: who does it, to whom or where."""
    for order in orders:
        there = {to: (order.to,)} if to is not None and order.to is not None else {}
        yield Task(family, ({by: (order.who,), **there},), (order.entry,))


def by_target(orders: Iterable[Order]) -> dict[str, list[Order]]:
    """Return orders by whom or where they are about (keys), each group in the order of its first."""
    grouped: dict[str, list[Order]] = {}
    for order in orders:
        if order.to is not None:
            grouped.setdefault(order.to.key, []).append(order)
    return grouped


def _split(task: Task, most: int) -> Iterator[Task]:
    for start in range(0, len(task.parts), most):
        yield replace(task, parts=task.parts[start : start + most])
