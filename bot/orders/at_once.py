"""Orders of a scene: of one that plays unsealed each is carried out in the transaction that gives it, of others it is told what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.permissions import Person, now_of
from bot.core.visibility import viewer_of
from bot.orders import resolution, service, snapshot
from bot.orders.commanding import looking
from bot.orders.lapsing import Work
from bot.orders.played_scene import PlayedScene, scene_of
from bot.orders.reckoning import reckoned, reckoned_lines
from bot.orders.resolution import Step
from bot.orders.service import AskedOrder, GivenOrder
from bot.orders.standing import known_to
from bot.rolls.resolver import Resolver
from rules.orders import Reckoned, Task

Beside = Callable[[Connection, Person, GivenOrder], Sequence[str]]
"""Return in lines what features tell a person beside an order."""


def _tell_nothing(_tx: Connection, _person: Person, _given: GivenOrder) -> Sequence[str]:
    return ()


def give(  # noqa: PLR0913, PLR0917 - who asks for what, and what is told beside it
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    asked: AskedOrder,
    beside: Beside = _tell_nothing,
) -> tuple[GivenOrder, Step | None]:
    """Enter an order, and carry it out where its scene plays unsealed, else tell what it leaves of what it spends; raises as `service.give` does.

    What is told `beside` it is read before it is carried out.
    """
    given = service.give(tx, resolver, person, campaign_id, asked)
    scene = scene_of(tx, campaign_id, given.known.book)
    if scene is None:
        return given, None
    if scene.sealed:
        return _reckoned(tx, person, given, scene), None
    work = Work(tx, resolver, person, given.campaign)
    stands = snapshot.read(tx, given.campaign, [given.known.book])
    for item in resolution.to_do(given.known.book, stands, now_of(tx, person, given.campaign)):
        for task in item.outcomes:
            if isinstance(task, Task) and given.order.entry in task.orders:
                given = replace(given, beside=beside(tx, person, given))
                return given, resolution.roll_task(work, item, task)
    return given, None


def _reckoned(tx: Connection, person: Person, given: GivenOrder, scene: PlayedScene) -> GivenOrder:
    """Return an order with what is left to its side after all orders that somebody knows of, and which of them would lapse; as it is where it spends nothing."""
    hangs = given.order.kind in scene.orders.hanging
    if not (given.known.kind.spends or hangs):
        return given
    viewer, stands = viewer_of(tx, person, given.campaign), snapshot.read(tx, given.campaign, [scene.book])
    mine = known_to(viewer, stands.orders)
    todo = resolution.to_do(scene.book, replace(stands, orders=mine), now_of(tx, person, given.campaign))
    found = [outcome for item in todo for outcome in item.outcomes]
    entry = given.order.entry
    sides = [side for side in reckoned(scene, found, looking(viewer), every=hangs) if entry in side.orders]
    if hangs:
        short = tuple(item for side in sides for item in side.short if item.order == entry)
        sides = [Reckoned(frozenset({entry}), "", short)]
    ahead = [line for side in sides for line in reckoned_lines(scene, side, mine)]
    return replace(given, ahead=ahead, lapses=any(entry == short.order for side in sides for short in side.short))
