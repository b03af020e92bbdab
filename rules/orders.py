"""Orders of an update, and the tasks they lead to; a book's `gather` pairs them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules import effects, kinds, modifiers
from rules.book import Book
from rules.subjects import name_key

Rank = Literal["given", "priority", "alternating"]
PASSED = "passed"  # the name under which a person's pass for an update is kept
LOCK = "order-lock"
"""The name under which the lock on players' orders is kept, also the kind of its entries."""


class OrderKind(kinds.CatalogEntry, frozen=True):
    """An order: who (`by`) does what to a target (`to`), as roles.

    `family` is its roll. `beside` is the role of more people. `needs` must be kept of who acts, `barred` mustn't, and
    `about` of those near the target, or of it. `one_of` excludes others. Players may always give `open` ones. Givers
    don't see `hushed` outcomes; `nothing` replaces them. `words`: targets are text. `spends`: it uses limited supply.
    `several` may be given at once. `house`: the page doesn't print it.
    """

    kind = noun = "order"
    linked = frozenset({"id", "by", "to", "family", "beside"})
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "trade"',
        "label": 'label = "Trade in a port"',
        "by": 'by = "trader"',
        "takes": 'takes = "place", "base", "unit" or "character"',
    }
    id: kinds.Name
    by: kinds.Name
    to: str | None = None
    family: str | None = None
    beside: str | None = None
    takes: Literal["place", "base", "unit", "character"] = "unit"
    needs: Literal["profile", "captive"] | None = None
    about: Literal["profile", "captive"] | None = None
    barred: tuple[str, ...] = ()
    one_of: str | None = None
    open: bool = False
    hushed: tuple[str, ...] = ()
    nothing: str | None = None
    words: bool = False
    spends: bool = False
    several: int = 0
    house: bool = False


class Phase(kinds.CatalogEntry, frozen=True):
    """A step of resolving an update, which `takes` kinds of orders.

    Tasks come by priority, then as `given`, by name, or `alternating` between sides. With `passes_on`, other orders
    move to the next phase. One that takes nothing runs what its scene is ready for.
    """

    kind = noun = "phase"
    linked = frozenset({"id", "takes"})
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "markets"',
        "label": 'label = "Markets"',
        "takes": 'takes = ["trade"]',
        "rank": 'rank = "given", "priority" or "alternating"',
    }
    id: kinds.Name
    takes: tuple[str, ...]
    rank: Rank = "given"
    passes_on: bool = False
    house: bool = False


CATALOG: kinds.Kinds = {kind.kind: kind for kind in (OrderKind, Phase)}


class Who(Struct, frozen=True):
    """A person or place; `id` is the subject's number, None if not saved."""

    name: str
    id: int | None = None

    @property
    def key(self) -> str:
        """What distinguishes it: number or folded name."""
        return name_key(self.name) if self.id is None else f"#{self.id}"


class Order(Struct, frozen=True):
    """An order in its phase; `entry` is the ledger's.

    Low `rank` comes first. One not `open` was used already, one `done` in any phase. `rolled` parts are done. `by` is
    the giver's name in the scene.
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
    done: bool = False


class OrderedBattle(Struct, frozen=True):
    """A battle that an order (entry) led to, with both sides and the base fought for."""

    order: int
    title: str
    attackers: tuple[Who, ...]
    defenders: tuple[Who, ...]
    base: Who | None = None


class SceneKnowledge(Struct, frozen=True):
    """What a book knows of its scene: factions by name key, which begins, and `now` for `gather`."""

    sides: Mapping[str, str]
    begins: str
    now: Any


class OrderTaker(Struct, frozen=True):
    """Someone in a scene who carries out orders; who may give which, and whose are missing.

    One `apart` isn't a saved unit. `sign` is another name, such as a faction's id.
    """

    name: str
    orders: Mapping[str, frozenset[str]]
    givers: frozenset[str]
    expected: frozenset[str] = frozenset()
    apart: bool = False
    sign: str = ""

    def is_called(self, typed: str) -> bool:
        """Check whether a typed name means it."""
        return name_key(typed) in {name_key(self.name), name_key(self.sign or self.name)}


class UpdateKnowledge(Struct, frozen=True):
    """What is known when a phase begins, by `Who.key`.

    `at` has captives' places; `stopped` can't move, `fighting` depend on a battle, `spent` have used their stop, `out`
    are dead.
    """

    at: Mapping[str, Who] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    fighting: frozenset[str] = frozenset()
    spent: frozenset[str] = frozenset()
    out: frozenset[str] = frozenset()
    battles: tuple[OrderedBattle, ...] = ()
    scene: SceneKnowledge | None = None

    def side(self, who: Who) -> str:
        """Return the folded name of a person's side, or "" if unknown."""
        named = {} if self.scene is None else self.scene.sides
        return name_key(named.get(name_key(who.name)) or self.sides.get(who.key, ""))

    def are_opposed(self, one: Who, other: Who) -> bool:
        """Check for two known, different sides."""
        sides = [self.side(item) for item in (one, other)]
        return all(sides) and sides[0] != sides[1]

    def same_side(self, one: Who, other: Who) -> bool:
        """Check whether both are the same or have the same known side, without the scene's factions."""
        if one.key == other.key:
            return True
        sides = [self.sides.get(item.key) for item in (one, other)]
        return sides[0] is not None and len({name_key(side or "") for side in sides}) == 1


def is_unresolved(value: effects.KeptValue) -> bool:
    """Check whether a kept order has no result yet."""
    return not value["done"] and not value.get("partly") and value["lapsed"] is None


def carry_over(value: effects.KeptValue) -> effects.KeptValue | None:
    """Return an order's value for the next update; None if it has a result or was dropped."""
    return {**value, "held": False} if is_unresolved(value) else None


def name_replaced_order(name: str, entry: int) -> str:
    """Name a resolved order that another replaced."""
    return f"{name.partition(':')[0]}:#{entry}"


def _know_nothing(_kept: effects.Kept, _now: effects.Moment, _named: Callable[[int], Who]) -> UpdateKnowledge:
    return UpdateKnowledge()


Roles = Mapping[str, tuple[Who, ...]]


class TaskPart(Struct, frozen=True):
    """Part of a task; a game master answers missing `choices`."""

    roles: Roles
    orders: tuple[int, ...]
    inputs: modifiers.JsonObject = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """A key that doesn't depend on the order of roles or people."""
        named = (f"{role}={'+'.join(sorted(who.key for who in some))}" for role, some in sorted(self.roles.items()))
        return ",".join(named)


class Task(Struct, frozen=True):
    """A roll that orders lead to, or one `alone` (entry); `later` orders stay open."""

    family: str
    parts: tuple[TaskPart, ...]
    place: str | None = None
    later: frozenset[int] = frozenset()
    alone: int = 0

    @property
    def orders(self) -> tuple[int, ...]:
        """The ledger entries of the orders that led to the task."""
        return tuple(dict.fromkeys(number for part in self.parts for number in part.orders))

    @property
    def people(self) -> list[Who]:
        """Everyone in it, in any role."""
        return [who for part in self.parts for some in part.roles.values() for who in some]

    def with_asker(self, name: str) -> Task:
        """Return the task with the name of who asks, as each part's input `by`."""
        return replace(self, parts=tuple(replace(part, inputs={**part.inputs, "by": name}) for part in self.parts))

    @property
    def key(self) -> str:
        """A key that doesn't depend on the order of parts."""
        return f"{self.family}{self.alone or ''}:{';'.join(sorted(part.key for part in self.parts))}"


class Cancellation(Struct, frozen=True):
    """A cancelled order (entry), and why."""

    order: int
    why: str


class Wait(Struct, frozen=True):
    """Orders (entries) that need an answer, and why."""

    orders: tuple[int, ...]
    why: str


Outcome = Task | Cancellation | Wait
Named = Callable[[int], Who]
Values = effects.KeptValue


class BegunOrder(Struct, frozen=True):
    """An order as typed so far."""

    kind: str
    who: str
    to: str | None = None


class OrdersForecast(Struct, frozen=True):
    """What a side has left after its orders, in words, and those cancelled."""

    orders: frozenset[int]
    left: str
    short: tuple[Cancellation, ...] = ()


class SceneOrders(Struct, frozen=True):
    """How orders depend on a scene of this `kind`: functions of book and kept values.

    `sealed`: they wait for the update. `called` names a player. `doers`, `offers` and `reckon` (what remains after
    tasks) show what a pseudonym sees, None for a game master. `phase` is an order's phase; `holds` says what ending
    tasks wait for. `hanging` kinds need others.
    """

    kind: str
    know: Callable[[Book, Values, int], SceneKnowledge]
    sealed: Callable[[Book, Values], bool]
    called: Callable[[Book, Values, str], str | None]
    doers: Callable[[Book, Values, str | None], Iterable[OrderTaker]]
    offers: Callable[[Book, Values, str | None, BegunOrder], Sequence[str]]
    reckon: Callable[[Book, Values, str | None, Iterable[Task]], Sequence[OrdersForecast]]
    phase: Callable[[Book, Values, Order], str | None]
    holds: Callable[[Book, Values, int, Iterable[Task]], str]
    hanging: frozenset[str] = frozenset()


def _gather_nothing(_phase: Phase, _orders: Sequence[Order], _known: UpdateKnowledge) -> Iterable[Outcome]:
    return ()


class Pairing(Struct, frozen=True):
    """How a book pairs orders of these `kinds`: `gather` takes a phase's orders and what `know` makes of values in `reads`.

    Phases (ids) in `follows` go on with what others led to.
    """

    gather: Callable[[Phase, Sequence[Order], UpdateKnowledge], Iterable[Outcome]] = _gather_nothing
    reads: tuple[str, ...] = ()
    know: Callable[[effects.Kept, effects.Moment, Named], UpdateKnowledge] = _know_nothing
    scene: SceneOrders | None = None
    kinds: Collection[str] = ()
    follows: frozenset[str] = frozenset()

    def settle(self, phases: Iterable[Phase]) -> list[Phase]:
        """Return the phases with the kinds left to each, followers after others."""
        kept, last, placed = set[str](), dict[str, float](), list[tuple[float, Phase]]()
        every = [*enumerate(phases)]
        for place, phase in every:
            if phase.id not in self.follows:
                takes = tuple(name for name in phase.takes if name not in kept)
                kept |= set() if phase.passes_on else {*takes}
                last |= dict.fromkeys(takes, place + 0.5)
                placed.append((place, phase if takes == phase.takes else replace(phase, takes=takes)))
        for place, phase in every:
            if phase.id in self.follows:
                placed.append((max([place, *(last[name] for name in phase.takes if name in last)]), phase))
        return [phase for _, phase in sorted(placed, key=itemgetter(0))]


def find_outcomes(  # noqa: PLR0913, PLR0917 - what the orders of a phase depend on
    phase: Phase,
    kinds: Mapping[str, OrderKind],
    orders: Iterable[Order],
    known: UpdateKnowledge,
    pairing: Pairing,
    most: int,
) -> list[Outcome]:
    """Return a phase's outcomes; larger tasks are split. Kinds that aren't paired are one task each."""
    taken = (replace(item, open=False) if item.open and item.kind not in phase.takes else item for item in orders)
    ranked = in_order(phase.rank, taken, known)
    rolled = {order.entry: order.rolled for order in ranked if order.open and order.rolled}
    found = [*pairing.gather(phase, [order for order in ranked if order.kind in pairing.kinds], known)]
    alone = [order for order in ranked if order.kind not in pairing.kinds and order.open and not order.done]
    found += [_make_task(order, kinds[order.kind]) for order in alone if order.kind in kinds]
    return [piece for item in found for piece in (_split(item, rolled, most) if isinstance(item, Task) else (item,))]


def _make_task(order: Order, kind: OrderKind) -> Task:
    named = {kind.by: (order.who,), kind.to: (order.to,) if order.to else (), kind.beside: order.beside}
    roles = {role: people for role, people in named.items() if role and people}
    part, place = TaskPart(roles, (order.entry,)), order.to.name if order.to else None
    return Task(kind.family or kind.id, (part,), place, alone=order.entry)


def in_order(rank: Rank, orders: Iterable[Order], known: UpdateKnowledge) -> list[Order]:
    """Return orders as a phase's `rank` sorts them; by priority, equal ones by name, not by time."""
    given = sorted(orders, key=attrgetter("rank", "entry"))
    if rank == "priority":
        return sorted(given, key=_priority)
    if rank == "alternating":
        by_side: dict[str, list[Order]] = {}
        for order in given:
            by_side.setdefault(known.side(order.who), []).append(order)
        first = "" if known.scene is None else name_key(known.scene.begins)
        sides = sorted(by_side)
        sides = [*(side for side in sides if side >= first), *(side for side in sides if side < first)]
        turns = zip_longest(*(by_side[side] for side in sides))
        return [order for order in chain.from_iterable(turns) if order is not None]
    return given


def _priority(order: Order) -> tuple[int, str, str]:
    return order.rank, name_key(order.who.name), order.who.key


def by_target(orders: Iterable[Order]) -> dict[str, list[Order]]:
    """Group orders by the key of their target; orders without a target are left out."""
    grouped: dict[str, list[Order]] = {}
    for order in orders:
        if order.to is not None:
            grouped.setdefault(order.to.key, []).append(order)
    return grouped


def _split(task: Task, rolled: Mapping[int, Sequence[str]], most: int) -> Iterator[Task]:
    had = {key for number in task.orders for key in rolled.get(number, ())}
    parts = [part for part in task.parts if not had or part.key not in had]
    for start in range(0, len(parts), most):
        later = frozenset(number for part in parts[start + most :] for number in part.orders)
        yield replace(task, parts=tuple(parts[start : start + most]), later=later | task.later)
