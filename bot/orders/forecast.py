"""Orders before the dice: their rolls, costs, and missing choices."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.visibility import Viewer
from bot.orders.kinds import PlayedKind, PlayedScene, by_key, order_line, scene_of
from bot.orders.standing import StandingOrder
from bot.rolls.preview import Preview
from bot.rolls.request import MAX_PARTS, CarriedOrder, OrderedTask, PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui.text import join_words, plain
from rules import books
from rules.orders import (
    Cancellation,
    OrderKind,
    OrdersForecast,
    Outcome,
    Phase,
    Task,
    TaskPart,
    UpdateKnowledge,
    find_outcomes,
)
from rules.procedure import Choice, Procedure
from rules.ruleset import RuleSet
from rules.subjects import name_key


class TaskForecast(Struct, frozen=True):
    """A task before its dice: its `preview` or `fault`, choices it `lacks`, what a turn's end waits for (`held`)."""

    phase: Phase
    task: Task
    preview: Preview | None
    fault: str = ""
    in_scene: bool = False
    held: str = ""
    lacks: str = ""

    @property
    def waits_for(self) -> str:
        """What a game master has to say first; empty if ready."""
        return self.lacks or (self.preview and self.preview.asks_reason) or ""


def task_digits(task: Task) -> str:
    """Return a task's 16 hexadecimal digits for ids."""
    return hashlib.sha256(task.key.encode()).hexdigest()[:16]


def mark_ready(tasks: Iterable[tuple[Task, bool]]) -> Iterator[bool]:
    """Yield for each task whether it can be rolled out of turn.

    An order goes through its phases and pieces one by one. What happens in a scene depends on everything before it.
    """
    earlier, begun = set[int](), False
    for task, in_scene in tasks:
        yield earlier.isdisjoint(task.orders) and not (in_scene and begun)
        earlier |= {*task.orders}
        begun = begun or in_scene


def list_by_card(tasks: Sequence[TaskForecast]) -> list[tuple[TaskForecast, Preview]]:
    """Return the ready tasks that people may roll by card (dice, or several outcomes), with previews."""
    free = mark_ready((item.task, item.in_scene) for item in tasks)
    found = [(item, item.preview) for item, is_free in zip(tasks, free, strict=True) if is_free]
    return [
        (item, preview)
        for item, preview in found
        if preview is not None
        and preview.procedure.policy.by_card
        and any(part.stages or len(part.odds) > 1 for part in preview.parts)
    ]


def carry_orders(phase: Phase, task: Task, orders: Iterable[StandingOrder]) -> OrderedTask:
    """Return the orders that the roll of a task carries out."""
    taken = {*task.orders}
    mine = [order for order in orders if order.entry in taken]
    return OrderedTask(
        phase=phase.id,
        parts=tuple(part.key for part in task.parts),
        orders=tuple(
            CarriedOrder(
                entry=order.entry,
                subject=order.who.key,
                name=order.name,
                parts=tuple(part.key for part in task.parts if order.entry in part.orders),
                later=order.entry in task.later,
            )
            for order in mine
        ),
    )


def request(book: str, task: Task, viewer: Viewer, scene: str | None) -> RollRequest:
    """Return the roll of a task as a person asks for it."""
    leads = viewer.person.leads(viewer.campaign)
    parts, by = tuple(map(_part, task.parts)), None if leads else viewer.mine
    return RollRequest(book=book, family=task.family, parts=parts, staff=leads, by=by, scene=scene)


def command_of(book: RuleSet, task: Task, campaign: Campaign, scene: str | None) -> RollCommand:
    """Return the command for the roll of a task."""
    region = task.place if name_key(task.place or "") in book.places else None
    parts = [*map(_part, task.parts)]
    return RollCommand((), (book.id, task.family), parts, region, campaign=campaign.id, scene=scene)


def preview_order(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: PlayedKind, order: StandingOrder
) -> list[Preview]:
    """Return an order's previews (odds) as if it were alone: others' orders stay sealed."""
    pairing = books.find_pairing(order.book)
    if pairing is None:
        return []
    found = find_outcomes(known.phase, [order.order(known.phase.id)], UpdateKnowledge(), pairing, MAX_PARTS)
    scene = scene_of(tx, viewer.campaign.id, known.book)
    at = scene.subject if scene else None
    tasks = (item for item in found if isinstance(item, Task))
    asked = (request(order.book, item.with_asker(order.by) if order.by else item, viewer, at) for item in tasks)
    return [resolver.preview(tx, viewer.campaign, item, viewer, book=known.book) for item in asked]


def _part(part: TaskPart) -> PartRequest:
    roles = part.roles
    return PartRequest(
        subjects={role: ", ".join(who.name for who in people) for role, people in roles.items()},
        ids={role: tuple(who.id for who in people) for role, people in roles.items()},
        inputs=dict(part.inputs),
        choices=dict(part.choices),
    )


LAPSES = "{} will be cancelled. To avoid that, change or cancel an order in `/order list`."


def forecast_sides(
    scene: PlayedScene, found: Iterable[Outcome], mine: str | None, *, every: bool = False
) -> Sequence[OrdersForecast]:
    """Return what tasks that spend, or `every` one, leave to each side that `mine` sees (None: all sides)."""
    families = {kind.family for kind in scene.book.entries_of(OrderKind).values() if kind.spends or every}
    tasks = [item for item in found if isinstance(item, Task) and item.family in families]
    return scene.orders.reckon(scene.book, scene.values, mine, tasks) if tasks else ()


def describe_forecast(scene: PlayedScene, found: OrdersForecast, orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield what a side has left, and which orders would be cancelled."""
    short = [*_describe_short(scene, found.short, orders)]
    yield from short
    if short:
        yield LAPSES.format("This one" if len(short) == 1 else "These")
    yield from filter(None, [plain(found.left)])  # of a side that ends nothing is left


def _describe_short(
    scene: PlayedScene, short: Iterable[Cancellation], orders: Sequence[StandingOrder]
) -> Iterator[str]:
    known, given = by_key([scene.book]), {order.entry: order for order in orders}
    for item in short:
        order = given[item.order]
        line = order_line(known[order.book, order.kind], order)
        yield f"\N{WARNING SIGN} {line} (entry #{order.entry}) {plain(item.why)}."


def describe_all_short(
    scenes: Iterable[PlayedScene],
    found: Sequence[tuple[str, Sequence[Outcome]]],
    orders: Sequence[StandingOrder],
    shown: Collection[int],
) -> Iterator[str]:
    """Yield a line for each order that a scene would cancel, except the entries `shown` already."""
    for scene in scenes:
        mine = (item for book, some in found if book == scene.book.id for item in some)
        for side in forecast_sides(scene, mine, None, every=True):
            yield from _describe_short(scene, [item for item in side.short if item.order not in shown], orders)


def find_held_ends(
    scenes: Iterable[PlayedScene], update: int, found: Sequence[tuple[str, Sequence[Outcome]]]
) -> Mapping[str, str]:
    """Return by task key what the end of a turn or scene waits for; an empty text if nothing."""
    held: dict[str, str] = {}
    for scene in scenes:
        mine = [item for book, some in found if book == scene.book.id for item in some if isinstance(item, Task)]
        ends = [task.key for task in mine if not task.orders]
        held |= dict.fromkeys(ends, scene.orders.holds(scene.book, scene.values, update, mine)) if ends else {}
    return held


def describe_holds(scenes: Iterable[PlayedScene], update: int) -> Iterator[str]:
    """Yield what scenes wait for in an update."""
    yield from filter(None, (scene.orders.holds(scene.book, scene.values, update, ()) for scene in scenes))


class MissingChoice(Struct, frozen=True):
    """A choice that a part (its key) of a task lacks; `about` names the part's subjects."""

    part: str
    about: str
    choice: Choice


def find_missing_choices(procedure: Procedure, task: Task) -> list[MissingChoice]:
    """Return a task's missing choices, sorted by part key, however the parts are ordered."""
    return [
        MissingChoice(part.key, " + ".join(who.name for who in part.roles[procedure.subject]), choice)
        for part in sorted(task.parts, key=lambda part: part.key)
        for choice in procedure.choices
        if choice.id not in part.choices
    ]


def add_choices(procedure: Procedure, task: Task, given: Sequence[str]) -> Task:
    """Return the task with answers to its missing choices; the last one fills all further ones."""
    answers: dict[str, dict[str, str]] = {}
    for item, option in zip_longest(find_missing_choices(procedure, task), given, fillvalue=given[-1] if given else ""):
        if isinstance(item, MissingChoice) and option in item.choice.options:
            answers.setdefault(item.part, {})[item.choice.id] = option
    parts = (replace(part, choices={**part.choices, **answers.get(part.key, {})}) for part in task.parts)
    return replace(task, parts=tuple(parts))


def describe_missing(procedure: Procedure, task: Task) -> str:
    """Return which choices are missing; empty if none."""
    missing = find_missing_choices(procedure, task)
    labels = {item.choice.label: [each.about for each in missing if each.choice == item.choice] for item in missing}
    return " ".join(f"{label} is missing: {join_words(names)}." for label, names in labels.items())
