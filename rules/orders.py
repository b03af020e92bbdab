"""Orders: what people mean to do in an update, and the tasks that they make together when it is resolved.

A book lists `order` kinds and `phase`s in its catalog, and tells in `gather`, a pure function of its package, how the orders
of a phase pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from operator import attrgetter
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules.book import Book
from rules.effects import Kept
from rules.ends import KeptValue, Moment
from rules.kinds import CatalogEntry, Kinds
from rules.modifiers import JsonObject
from rules.subjects import name_key

Rank = Literal["given", "priority", "alternating"]

PASSED = "passed"
"""The name under which it is kept that somebody orders nothing in an update."""

LOCK = "order-lock"
"""The name under which it is kept that players' orders of an update are locked, and the kind of entries about that."""


class OrderKind(CatalogEntry, frozen=True):
    """Something that may be ordered: who does it (`by`) to whom or where (`to`), as roles.

    By itself it becomes the roll `family`, which may be an act; without one it is a part of what others come to. `beside` is the role
    of those who are named besides. It `takes` a sector or base by any name, a unit or a character: of those who are saved, whoever fits. Of who does it, the value `needs` is
    kept, and none that is `barred`; of whom it is about, those beside or else that one, the value `about`. Nobody has two orders that share a `one-of`. Players may give an `open` one for their own without the campaign
    opening it to them. Who gave it reads what comes of it,
    but for outcomes that are `hushed`, since they would tell of others: where that is all, they read `nothing`. Where it is `words`, target and what
    stands beside are no names: the book reads them. One that `spends` takes of what a side has only so much of. Of one that has `several`, those of one with other words are orders of their own, so many at most at once. `house` says that the page of rolls does not print it: its line is the nearest.
    """

    kind = "order"
    by: str
    to: str | None = None
    family: str | None = None
    beside: str | None = None
    takes: Literal["place", "base", "unit", "character"] = "unit"
    needs: str | None = None
    about: str | None = None
    barred: tuple[str, ...] = ()
    one_of: str | None = None
    open: bool = False
    hushed: tuple[str, ...] = ()
    nothing: str | None = None
    words: bool = False
    spends: bool = False
    several: int = 0
    house: bool = False


class Phase(CatalogEntry, frozen=True):
    """A step in which an update is resolved: it `takes` orders of these kinds, all of one before the next phase begins.

    An order goes through all phases that take it: an assault is declared first, and fought in a later one.
    Its tasks come by the priority that game masters gave their orders; of one priority in the order in which they were `given`, by name
    where all goes by `priority`, or `alternating` from side to side. What one that `passes-on` does not take goes on to the next phase that takes it; one that takes
    nothing comes to what the scene of its book is ready for.
    """

    kind = "phase"
    takes: tuple[str, ...]
    rank: Rank = "given"
    passes_on: bool = False
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
    by it: others may still meet it. `rolled` are the parts (keys) that it has had, where its roll is split. `by` is what its giver
    is called in the scene that it hangs on; None of a game master.
    """

    entry: int
    kind: str
    who: Who
    to: Who | None = None
    beside: tuple[Who, ...] = ()
    rank: int = 0
    open: bool = True
    rolled: tuple[str, ...] = ()
    by: str | None = None


class OrderedBattle(Struct, frozen=True):
    """A battle that an order (its entry) has brought: what it is called, who fights against whom, and the base that is defended."""

    order: int
    title: str
    attackers: tuple[Who, ...]
    defenders: tuple[Who, ...]
    base: Who | None = None


class KnownOfScene(Struct, frozen=True):
    """What a book makes of the scene in which its orders are carried out: on which side everybody is (by the keys of their names), which side `begins`, and the scene as `gather` of the book reads it (`now`)."""

    sides: Mapping[str, str]
    begins: str
    now: Any


class Doer(Struct, frozen=True):
    """Somebody of a scene who carries out orders, as called: who may give which kinds for it now (pseudonyms), who gives it orders at all, and from whom an order is `awaited`.

    One that stands `apart` is nobody who is saved, whoever is saved under that name. One with a `sign`, such as the id of a faction, is meant by that too.
    """

    name: str
    orders: Mapping[str, frozenset[str]]
    givers: frozenset[str]
    awaited: frozenset[str] = frozenset()
    apart: bool = False
    sign: str = ""

    def is_called(self, typed: str) -> bool:
        """Return whether a text means it."""
        return name_key(typed) in {name_key(self.name), name_key(self.sign or self.name)}


class KnownOfUpdate(Struct, frozen=True):
    """What is known when a phase begins: where people are held and on which side they are, by their keys, who is hidden, whose move is stopped or hangs on a battle, who has used up what an order is for, who is out of play, battles, and the scene of the book if it has one."""

    at: Mapping[str, Who] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    fighting: frozenset[str] = frozenset()
    spent: frozenset[str] = frozenset()
    out: frozenset[str] = frozenset()
    battles: tuple[OrderedBattle, ...] = ()
    scene: KnownOfScene | None = None

    def side(self, who: Who) -> str:
        """Return the key of the side that somebody is on, in the scene if there is one; an empty text where none is known."""
        named = {} if self.scene is None else self.scene.sides
        return name_key(named.get(name_key(who.name)) or self.sides.get(who.key, ""))

    def opposed(self, one: Who, other: Who) -> bool:
        """Return whether two are known to be on different sides."""
        sides = [self.side(item) for item in (one, other)]
        return all(sides) and sides[0] != sides[1]

    def same_side(self, one: Who, other: Who) -> bool:
        """Return whether two are known to be on one side, or are one and the same."""
        if one.key == other.key:
            return True
        sides = [self.sides.get(item.key) for item in (one, other)]
        return sides[0] is not None and len({name_key(side or "") for side in sides}) == 1


def is_unresolved(value: KeptValue) -> bool:
    """Tell by what is kept of an order whether nothing has come of it yet."""
    return not value["done"] and not value.get("partly") and value["lapsed"] is None


def carry_over(value: KeptValue) -> KeptValue | None:
    """Return what is kept of an order once its update is over: held no more; None where something came of it."""
    return {**value, "held": False} if is_unresolved(value) else None


def followed_name(name: str, entry: int) -> str:
    """Return the name under which an order (its entry) is kept beside the one that was given in its place under this name, once something had come of it."""
    return f"{name.partition(':')[0]}:#{entry}"


def know_nothing(_kept: Kept, _now: Moment, _named: Callable[[int], Who]) -> KnownOfUpdate:
    """Return that nothing is known."""
    return KnownOfUpdate()


Roles = Mapping[str, tuple[Who, ...]]
"""Who is in each role of a part of a roll."""


class TaskPart(Struct, frozen=True):
    """A part of a task: who is in its roles, the orders (entries) that it takes, and what its roll takes besides, as JSON has it.

    `choices` are those of its roll that are known; for any other the game master is asked.
    """

    roles: Roles
    orders: tuple[int, ...]
    inputs: JsonObject = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)

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

    def asked_by(self, name: str) -> Task:
        """Return it with the name of whoever asks for it."""
        return replace(self, parts=tuple(replace(part, inputs={**part.inputs, "by": name}) for part in self.parts))

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


Values = KeptValue
"""What is kept of a scene, by name."""


class BegunOrder(Struct, frozen=True):
    """What is typed of an order so far: its kind and who carries it out; and its target, once what may stand beside it is asked for."""

    kind: str
    who: str
    to: str | None = None


class OrdersForecast(Struct, frozen=True):
    """What the orders (entries) of one side come to when they are carried out one after another: what is `left`, in words (empty of a side that ends), and those that lapse by then."""

    orders: frozenset[int]
    left: str
    short: tuple[Lapse, ...] = ()


class SceneOrders(Struct, frozen=True):
    """How the orders of a book hang on a scene of a `kind`, as pure functions of the book and of what is kept of the scene.

    `know` and `holds` take the number of the update besides. `sealed`: whether orders wait for the update, or are carried out as they are given. `called` gives what a player (pseudonym) is called there, None where they take no part: a
    part that they ask for has it as its input `by`. `doers` gives who carries out orders, `offers` what an order may be about, or what may
    stand beside its target, both as far as somebody (pseudonym; None: a game master) sees it, and so does `reckon` what is left to each side
    after tasks in the order in which they are carried out. `phase` gives the one (id) of several in which an order is carried out as the
    scene stands, None where that is not known; `holds` in a sentence what tasks that end it wait for once these others are done, an empty text
    where it is nothing. Orders of the kinds (ids) in `hanging` come to nothing without others.
    """

    kind: str
    know: Callable[[Book, Values, int], KnownOfScene]
    sealed: Callable[[Book, Values], bool]
    called: Callable[[Book, Values, str], str | None]
    doers: Callable[[Book, Values, str | None], Iterable[Doer]]
    offers: Callable[[Book, Values, str | None, BegunOrder], Sequence[str]]
    reckon: Callable[[Book, Values, str | None, Iterable[Task]], Sequence[OrdersForecast]]
    phase: Callable[[Book, Values, Order], str | None]
    holds: Callable[[Book, Values, int, Iterable[Task]], str]
    hanging: frozenset[str] = frozenset()


class Pairing(Struct, frozen=True):
    """How the orders of a book pair, as pure functions.

    `gather` returns what a phase comes to, from the orders of the whole update in the order of the phase's rank. `know` returns what it
    has to know for that, from the values named in `reads` that are kept of those in orders, by their keys.
    """

    gather: Callable[[Phase, Sequence[Order], KnownOfUpdate], Iterable[Outcome]]
    reads: tuple[str, ...] = ()
    know: Callable[[Kept, Moment, Named], KnownOfUpdate] = know_nothing
    scene: SceneOrders | None = None


def outcomes(phase: Phase, orders: Iterable[Order], known: KnownOfUpdate, pairing: Pairing, most: int) -> list[Outcome]:
    """Return what a phase comes to; a task of more than `most` parts is split into several rolls, none is left out."""
    ranked = in_order(phase.rank, orders, known)
    rolled = {order.entry: order.rolled for order in ranked if order.open and order.rolled}
    found = pairing.gather(phase, ranked, known)
    return [piece for item in found for piece in (_split(item, rolled, most) if isinstance(item, Task) else (item,))]


def in_order(rank: Rank, orders: Iterable[Order], known: KnownOfUpdate) -> list[Order]:
    """Return orders by the rank of their phase, those of lower priority later.

    Where all goes by priority, those of one stand by name, so that who was quicker to order gains nothing.
    Of alternating sides that begins which the scene names, else the first by name.
    """
    given = sorted(orders, key=attrgetter("rank", "entry"))
    if rank == "priority":
        return sorted(given, key=_priority)
    if rank == "alternating":
        by_side: dict[str, list[Order]] = {}
        for order in given:
            by_side.setdefault(known.side(order.who), []).append(order)
        first = "" if known.scene is None else name_key(known.scene.begins)
        turns = zip_longest(*(by_side[side] for side in sorted(by_side, key=partial(_side_place, first))))
        return [order for order in chain.from_iterable(turns) if order is not None]
    return given


def _side_place(first: str, side: str) -> tuple[bool, str]:
    """Return the place of a side where one begins and the others follow by name."""
    return side < first, side


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
