"""Orders: what people mean to do in an update, and the tasks that they make together when it is resolved.

A book lists `order` kinds and `phase`s in its catalog, and tells in `gather`, a pure function of its package, how the orders
of a phase pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from operator import attrgetter
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules.catalog import Entry, Kinds
from rules.effects import Kept
from rules.ends import Moment
from rules.subjects import name_key

Rank = Literal["given", "priority", "alternating"]

PASSED = "passed"
"""The name under which it is kept that somebody orders nothing in an update."""

LOCK = "order-lock"
"""The name under which it is kept that players' orders of an update are locked, and the kind of entries about that."""


class OrderKind(Entry, frozen=True):
    """Something that may be ordered: who does it (`by`) to whom or where (`to`), as roles.

    By itself it becomes the roll `family`, which may be an act; without one it is a part of what others come to. `beside` is the role
    of those who are named besides. It `takes` a place by any name, a unit or a character. Of who does it, the value `needs` is
    kept, and none that is `barred`; of whom it is about, those beside or else that one, the value `about`. Nobody has two orders that share a `one-of`. Players may give an `open` one for their own without the campaign
    opening it to them. Who gave it is `told` what comes of it, unless that would tell of others. `house` says that the page of rolls does not print it: its line is the nearest.
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
    told: bool = True
    house: bool = False


class Phase(Entry, frozen=True):
    """A step in which an update is resolved: it `takes` orders of these kinds, all of one before the next phase begins.

    An order goes through all phases that take it: an assault is declared first, and fought in a later one.
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

    `rank` is the priority that a game master gave it, the lowest first. One that is not `open` in the phase has been taken
    by it: others may still meet it. `rolled` are the parts (keys) that it has had, where its roll is split.
    """

    entry: int
    kind: str
    who: Who
    to: Who | None = None
    beside: tuple[Who, ...] = ()
    rank: int = 0
    open: bool = True
    rolled: tuple[str, ...] = ()


class Battle(Struct, frozen=True):
    """A battle that an order (its entry) has brought: what it is called, who fights against whom, and the base that is defended."""

    order: int
    title: str
    attackers: tuple[Who, ...]
    defenders: tuple[Who, ...]
    base: Who | None = None


class KnownOfUpdate(Struct, frozen=True):
    """What is known when a phase begins: where people are held and on which side they are, by their keys, who is hidden, whose move is stopped or hangs on a battle, who has used up what an order is for, who is out of play, and battles."""

    at: Mapping[str, Who] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    fighting: frozenset[str] = frozenset()
    spent: frozenset[str] = frozenset()
    out: frozenset[str] = frozenset()
    battles: tuple[Battle, ...] = ()

    def same_side(self, one: Who, other: Who) -> bool:
        """Return whether two are known to be on one side, or are one and the same."""
        if one.key == other.key:
            return True
        sides = [self.sides.get(item.key) for item in (one, other)]
        return sides[0] is not None and len({name_key(side or "") for side in sides}) == 1


def value_stands(value: Mapping[str, Any]) -> bool:
    """Tell by what is kept of an order whether nothing has come of it yet."""
    return not value["done"] and not value.get("partly") and value["lapsed"] is None


def carried_over(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what is kept of an order once its update is over: held no more; None where something came of it."""
    return {**value, "held": False} if value_stands(value) else None


def know_nothing(_kept: Kept, _now: Moment, _named: Callable[[int], Who]) -> KnownOfUpdate:
    """Return that nothing is known."""
    return KnownOfUpdate()


Roles = Mapping[str, tuple[Who, ...]]
"""Who is in each role of a part of a roll."""


class TaskPart(Struct, frozen=True):
    """A part of a task: who is in its roles, and the orders (entries) that it takes."""

    roles: Roles
    orders: tuple[int, ...]

    @property
    def key(self) -> str:
        """By what it is known again, in whatever order orders came."""
        return ",".join(
            f"{role}={'+'.join(sorted(who.key for who in some))}" for role, some in sorted(self.roles.items())
        )


class Task(Struct, frozen=True):
    """What orders come to: one roll of a family; `place` is where it happens, by the name that is typed.

    Of one that is split, `later` are the orders that stay open for the rest of it.
    """

    family: str
    parts: tuple[TaskPart, ...]
    place: str | None = None
    later: frozenset[int] = frozenset()

    @property
    def orders(self) -> tuple[int, ...]:
        """The orders that it takes."""
        return tuple(dict.fromkeys(number for part in self.parts for number in part.orders))

    @property
    def people(self) -> list[Who]:
        """Who is in it, in whatever role."""
        return [who for part in self.parts for some in part.roles.values() for who in some]

    @property
    def key(self) -> str:
        """By what it is known again, in whatever order its orders came."""
        return f"{self.family}:{';'.join(sorted(part.key for part in self.parts))}"


class Lapse(Struct, frozen=True):
    """An order (its entry) of which nothing comes, and why. One that a phase neither rolls nor lets lapse goes on to the next."""

    order: int
    why: str


class Wait(Struct, frozen=True):
    """Orders (entries) that neither are rolled nor lapse yet, and why: something has to be answered first."""

    orders: tuple[int, ...]
    why: str


Outcome = Task | Lapse | Wait
Named = Callable[[int], Who]
"""Return who has a number, as called by now."""


class Pairing(Struct, frozen=True):
    """How the orders of a book pair, as pure functions.

    `gather` returns what a phase comes to, from the orders of the whole update in the order of the phase's rank. `know` returns what it
    has to know for that, from the values named in `reads` that are kept of those in orders, by their keys.
    """

    gather: Callable[[Phase, Sequence[Order], KnownOfUpdate], Iterable[Outcome]]
    reads: tuple[str, ...] = ()
    know: Callable[[Kept, Moment, Named], KnownOfUpdate] = know_nothing


def outcomes(phase: Phase, orders: Iterable[Order], known: KnownOfUpdate, pairing: Pairing, most: int) -> list[Outcome]:
    """Return what a phase comes to; a task of more than `most` parts is split into several rolls, none is left out."""
    ranked = in_order(phase.rank, orders, known.sides)
    rolled = {order.entry: order.rolled for order in ranked if order.open and order.rolled}
    found = pairing.gather(phase, ranked, known)
    return [piece for item in found for piece in (_split(item, rolled, most) if isinstance(item, Task) else (item,))]


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


def by_target(orders: Iterable[Order]) -> dict[str, list[Order]]:
    """Return orders by whom or where they are about (keys), each group in the order of its first."""
    grouped: dict[str, list[Order]] = {}
    for order in orders:
        if order.to is not None:
            grouped.setdefault(order.to.key, []).append(order)
    return grouped


def _split(task: Task, rolled: Mapping[int, Sequence[str]], most: int) -> Iterator[Task]:
    """Yield a task in as many rolls as it needs, without the parts (keys) that its orders (entries) have had before."""
    had = {key for number in task.orders for key in rolled.get(number, ())}
    parts = [part for part in task.parts if not had or part.key not in had]
    for start in range(0, len(parts), most):
        later = frozenset(number for part in parts[start + most :] for number in part.orders)
        yield replace(task, parts=tuple(parts[start : start + most]), later=later | task.later)
