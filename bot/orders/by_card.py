"""A task of orders as a roll card: a game master changes what counts, and rolls it; its orders are settled as the resolution settles them.

A card changes what counts in its parts, never who is in them: so they stay those of its task, and what is settled is what the
task takes. As long as a card is open nothing waits for it. Where the same task is not to be done any more by then (an order
of it is resolved, changed, withdrawn or held, or another one has come to it) the card is refused, and nothing is rolled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress

from sqlalchemy import Connection

from bot.core.campaigns import Campaign, on_server, open_campaign, require_update
from bot.core.permissions import Person, now_of, require_game_master
from bot.core.visibility import Viewer, viewer_of
from bot.errors import NotAsItIs, NotOpen
from bot.orders import resolution, snapshot
from bot.orders.ids import UpdateKey
from bot.orders.lapsing import Work
from bot.orders.resolution import PhaseToDo
from bot.orders.tasks import carried, digits, ready
from bot.rolls.card.service import open_card
from bot.rolls.card.view import CardView
from bot.rolls.extension import ConsideredRoll
from bot.rolls.request import OrderedTask
from bot.rolls.resolver import Resolver
from bot.ui.text import listing
from rules.ends import Moment
from rules.orders import Task
from rules.ruleset import RuleSet

GONE = "That task is done or cancelled, or another one comes first."


def open_task(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, task: str) -> CardView:
    """Open the card of a task (`digits`) of the update that was seen."""
    campaign = open_campaign(tx, on_server(tx, person.guild_id, key.campaign).id)
    require_game_master(person, campaign, resolution.RESOLVING)
    require_update(tx, key.campaign, key.number)
    work = Work(tx, resolver, person, campaign)
    found = next(((item, each) for item, each in _ready(resolution.phases(work)) if digits(each) == task), None)
    if found is None:
        raise NotOpen(GONE, "See the plan with /update resolve.")
    request, _ = resolution.request_for(work, *found)
    item, viewer = found[0], viewer_of(tx, person, campaign)
    return open_card(tx, resolver, person, campaign, request, book=item.book, viewer=viewer)


def require_same(tx: Connection, _resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse the roll of a task that is not to be done any more as it is asked for."""
    if roll.request.task is None:
        return
    stands = snapshot.read(tx, viewer.campaign, [roll.book])
    todo = list(resolution.to_do(roll.book, stands, now_of(tx, viewer.person, viewer.campaign)))
    if roll.request.task not in (carried(item.phase, task, item.orders) for item, task in _ready(todo)):
        what = "The orders on this card have changed since you opened it."
        raise NotAsItIs(what, "Nothing was rolled. Open the task again from /update resolve.")


def _tasks(todo: Iterable[PhaseToDo]) -> list[tuple[PhaseToDo, Task]]:
    return [(item, task) for item in todo for task in item.outcomes if isinstance(task, Task)]


def _ready(todo: Iterable[PhaseToDo]) -> Iterator[tuple[PhaseToDo, Task]]:
    """Yield the tasks that can be rolled by themselves."""
    found = _tasks(todo)
    yield from compress(found, ready((task, item.scene is not None) for item, task in found))


def unresolved_before(
    tx: Connection, campaign: Campaign, book: RuleSet, now: Moment, task: OrderedTask
) -> Iterator[str]:
    """Yield which phases before that of a task have tasks left."""
    todo = resolution.to_do(book, snapshot.read(tx, campaign, [book]), now)
    labels = []
    for item in todo:
        if item.phase.id == task.phase:
            break
        labels += [item.phase.label] if _tasks([item]) else []
    if labels:
        yield f"Not resolved yet: {listing(labels)}. Resolve that first if its results should count here."
