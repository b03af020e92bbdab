"""What orders come to: the rolls that the book makes of them, as requests that are previewed or rolled like any other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.visibility import Viewer
from bot.orders.kinds import KnownKind
from bot.orders.played_scene import scene_of
from bot.orders.standing import StandingOrder
from bot.rolls.preview import Preview
from bot.rolls.request import MAX_PARTS, CarriedOrder, OrderedTask, PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from rules import books
from rules.orders import KnownOfUpdate, Phase, Task, TaskPart, outcomes
from rules.ruleset import RuleSet
from rules.subjects import name_key


class Foreseen(Struct, frozen=True):
    """A task before its dice: what it will roll, or why it cannot; whether it is one of a scene, and what it is `held` back by once those before it are done. `lacks` says what a game master has to say before."""

    phase: Phase
    task: Task
    preview: Preview | None
    fault: str = ""
    in_scene: bool = False
    held: str = ""
    lacks: str = ""

    @property
    def waits_for(self) -> str:
        """What it waits for a game master to say; an empty text where it can be rolled."""
        return self.lacks or (self.preview and self.preview.asks_reason) or ""


def digits(task: Task) -> str:
    """Return 16 hexadecimal digits by which a task is known again."""
    return hashlib.sha256(task.key.encode()).hexdigest()[:16]


def ready(tasks: Iterable[tuple[Task, bool]]) -> Iterator[bool]:
    """Yield whether a task can be rolled by itself, for each with whether it is one of a scene.

    An order goes through its phases, and the pieces of its roll, one by one; what is done in a scene hangs on all before it.
    """
    earlier, begun = set[int](), False
    for task, in_scene in tasks:
        yield earlier.isdisjoint(task.orders) and not (in_scene and begun)
        earlier |= {*task.orders}
        begun = begun or in_scene


def by_card(tasks: Sequence[Foreseen]) -> list[tuple[Foreseen, Preview]]:
    """Return those of a plan's tasks that can be rolled by card, each with its preview: they are ready, and dice are thrown."""
    free = ready((item.task, item.in_scene) for item in tasks)
    found = [(item, item.preview) for item, is_free in zip(tasks, free, strict=True) if is_free]
    return [(item, preview) for item, preview in found if preview is not None and _has_card(preview)]


def carried(phase: Phase, task: Task, orders: Iterable[StandingOrder]) -> OrderedTask:
    """Return which of these orders, those that a phase takes, the roll of a task carries out."""
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
    """Return the roll that a task is, as a person asks for it, in a scene (its subject) or in none."""
    leads = viewer.person.leads(viewer.campaign)
    parts, by = tuple(map(_part, task.parts)), None if leads else viewer.mine
    return RollRequest(book=book, family=task.family, parts=parts, staff=leads, by=by, scene=scene)


def command_of(book: RuleSet, task: Task, campaign: Campaign, scene: str | None) -> RollCommand:
    """Return the command by which a game master would make the roll of a task: where its place is a region, it has that weather."""
    region = task.place if name_key(task.place or "") in book.places else None
    parts = [*map(_part, task.parts)]
    return RollCommand((), (book.id, task.family), parts, region, campaign=campaign.id, scene=scene)


def previews(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: KnownKind, order: StandingOrder
) -> list[Preview]:
    """Return what an order comes to by itself, as far as a person may know: others' orders are sealed."""
    pairing = books.pairing(order.book)
    if pairing is None:
        return []
    found = outcomes(known.phase, [order.order(known.phase.id)], KnownOfUpdate(), pairing, MAX_PARTS)
    scene = scene_of(tx, viewer.campaign.id, known.book)
    at = scene.subject if scene else None
    tasks = (item for item in found if isinstance(item, Task))
    asked = (request(order.book, item.asked_by(order.by) if order.by else item, viewer, at) for item in tasks)
    return [resolver.preview(tx, viewer.campaign, item, viewer, book=known.book) for item in asked]


def _part(part: TaskPart) -> PartRequest:
    roles = part.roles
    return PartRequest(
        subjects={role: ", ".join(who.name for who in people) for role, people in roles.items()},
        ids={role: tuple(who.id for who in people) for role, people in roles.items()},
        inputs=dict(part.inputs),
        choices=dict(part.choices),
    )


def _has_card(preview: Preview) -> bool:
    throws = any(part.stages or len(part.odds) > 1 for part in preview.parts)
    return throws and preview.procedure.policy.by_card
