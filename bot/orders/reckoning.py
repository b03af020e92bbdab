"""What orders leave of what a side has only so much of, when all are carried out, and those that would lapse by then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bot.orders.kinds import by_key
from bot.orders.played_scene import PlayedScene
from bot.orders.standing import StandingOrder
from bot.orders.words import order_line
from bot.ui.text import plain
from rules.orders import Lapse, OrderKind, Outcome, Reckoned, Task

LAPSES = "{} will be cancelled. To avoid that, change or cancel an order in `/order list`."


def reckoned(
    scene: PlayedScene, found: Iterable[Outcome], mine: str | None, *, every: bool = False
) -> Sequence[Reckoned]:
    """Return what the tasks among these outcomes that spend, or `every` one, in their order, leave to each side, as far as somebody (pseudonym; None: a game master) sees the scene."""
    families = {kind.family for kind in scene.book.listed(OrderKind).values() if kind.spends or every}
    tasks = [item for item in found if isinstance(item, Task) and item.family in families]
    return scene.orders.reckon(scene.book, scene.values, mine, tasks) if tasks else ()


def reckoned_lines(scene: PlayedScene, found: Reckoned, orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield what is left to a side, and which of these orders would lapse."""
    short = [*short_lines(scene, found.short, orders)]
    yield from short
    if short:
        yield LAPSES.format("This one" if len(short) == 1 else "These")
    yield from filter(None, [plain(found.left)])  # of a side that ends nothing is left


def short_lines(scene: PlayedScene, short: Iterable[Lapse], orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield the orders among these that would lapse, each with why."""
    known, given = by_key([scene.book]), {order.entry: order for order in orders}
    for item in short:
        order = given[item.order]
        line = order_line(known[order.book, order.kind], order)
        yield f"\N{WARNING SIGN} {line} (entry #{order.entry}) {plain(item.why)}."


def all_short(
    scenes: Iterable[PlayedScene],
    found: Sequence[tuple[str, Sequence[Outcome]]],
    orders: Sequence[StandingOrder],
    told: Collection[int],
) -> Iterator[str]:
    """Yield which of these orders would lapse, of outcomes in the order in which they come about, each with the id of its book; but for those (entries) of which that is `told` already."""
    for scene in scenes:
        mine = (outcome for book, outcomes in found if book == scene.book.id for outcome in outcomes)
        for side in reckoned(scene, mine, None, every=True):
            yield from short_lines(scene, [item for item in side.short if item.order not in told], orders)


def ends_held(
    scenes: Iterable[PlayedScene], update: int, found: Sequence[tuple[str, Sequence[Outcome]]]
) -> Mapping[str, str]:
    """Return for tasks (keys) that end something in a scene what they wait for once the others are done; `found` as `all_short`."""
    held: dict[str, str] = {}
    for scene in scenes:
        mine = [item for book, some in found if book == scene.book.id for item in some if isinstance(item, Task)]
        ends = [task.key for task in mine if not task.orders]
        held |= dict.fromkeys(ends, scene.orders.holds(scene.book, scene.values, update, mine)) if ends else {}
    return held


def held_now(scenes: Iterable[PlayedScene], update: int) -> Iterator[str]:
    """Yield what scenes wait for as they stand in an update (its number), in sentences."""
    yield from filter(None, (scene.orders.holds(scene.book, scene.values, update, ()) for scene in scenes))
