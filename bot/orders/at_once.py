"""Orders of a scene that plays unsealed: each is carried out in the transaction that gives it."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core.permissions import Person, now_of
from bot.orders import resolution, service, snapshot
from bot.orders.lapsing import Work
from bot.orders.played_scene import scene_of
from bot.orders.resolution import Step
from bot.orders.service import AskedOrder, GivenOrder
from bot.rolls.resolver import Resolver
from rules.orders import Task


def give(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, asked: AskedOrder
) -> tuple[GivenOrder, Step | None]:
    """Enter an order, and carry it out where its scene plays unsealed; raises as `service.give` does."""
    given = service.give(tx, resolver, person, campaign_id, asked)
    scene = scene_of(tx, campaign_id, given.known.book)
    if scene is None or scene.orders.sealed(scene.book, scene.values):
        return given, None
    work = Work(tx, resolver, person, given.campaign)
    stands = snapshot.read(tx, given.campaign, [given.known.book])
    for item in resolution.to_do(given.known.book, stands, now_of(tx, person, given.campaign)):
        for task in item.outcomes:
            if isinstance(task, Task) and given.order.entry in task.orders:
                return given, resolution.roll_task(work, item, task)
    return given, None
